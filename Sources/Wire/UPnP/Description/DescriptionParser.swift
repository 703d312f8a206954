import RollcallPrimitives

/// One reading of a description: what the elements are, and what becomes of those that UDA does not have.
struct DescriptionParser {
  let mode: XMLMode
  let limits: DescriptionReader.Limits
  var flaws: [DescriptionFault] = []
  var flawCount = 0
  /// The namespace of the root element.
  var namespace = XMLReader.Namespace.none
  var deviceCount = 0
  var serviceCount = 0
  var iconCount = 0
  var extensionCount = 0
  /// UDNs that are good for UDA 1.0 only, and where.
  var oddUDNs: [(offset: Int, text: String)] = []

  init(mode: XMLMode, limits: DescriptionReader.Limits) { (self.mode, self.limits) = (mode, limits) }

  /// An element whose content is other elements.
  struct Context {
    var element: DescriptionElement
    var allowed: Elements
    /// Those that it has to have.
    var required: Elements
    /// Those that it may have more than once.
    var many: Elements = []
    var keepsExtensions = false
    var seen: Elements = []
    var extensions: [DescriptionDocument.Extension] = []
    /// Of its tag.
    var start: Int
  }

  @inline(__always) func next(_ xml: inout XMLReader) throws(DescriptionFault) -> XMLReader.Event {
    do throws(XMLFault) { return try xml.next() } catch { throw DescriptionFault(error) }
  }

  @inline(never)
  func fault(
    _ rule: DescriptionFault.Rule, _ xml: inout XMLReader, at offset: Int, expected: String, found: String
  ) -> DescriptionFault {
    DescriptionFault(.rule(rule), at: xml.places.place(of: offset, in: xml.bytes), expected: expected, found: found)
  }

  /// Lenient mode goes on; strict mode does not.
  @inline(never)
  mutating func allowLeniently(
    _ rule: DescriptionFault.Rule, _ xml: inout XMLReader, at offset: Int, expected: String, found: String
  ) throws(DescriptionFault) {
    if mode == .strict { throw fault(rule, &xml, at: offset, expected: expected, found: found) }
    flawCount += 1
    if flaws.count < XMLReader.flawsMaximum {
      flaws.append(fault(rule, &xml, at: offset, expected: expected, found: found))
    }
  }

  // MARK: Elements

  /// The next element inside that UDA has there, its start tag read; `nil`: the end tag was read.
  mutating func nextChild(
    _ xml: inout XMLReader, _ context: inout Context
  ) throws(DescriptionFault) -> DescriptionElement? {
    while true {
      switch try next(&xml) {
      case .text:
        if !xml.withText({ $0.allSatisfy(XMLCharacters.isBlank) }) {
          try allowLeniently(
            .strayText, &xml, at: xml.offset, expected: "elements in “\(context.element.text)”", found: "text")
        }
      case .end, .finished:
        for element in context.required.without(context.seen) {
          try allowLeniently(
            .missingElement, &xml, at: xml.current.tagStart, expected: "“\(element.text)” in “\(context.element.text)”",
            found: "none")
        }
        return nil
      case .start:
        guard let element = try known(&xml, in: context) else {
          try readExtension(&xml, &context)
          continue
        }
        if context.seen.contains(element), !context.many.contains(element) {
          try allowLeniently(
            .repeatedElement, &xml, at: xml.current.tagStart, expected: "“\(element.text)” once", found: "it again")
          try readOver(&xml)
          continue
        }
        context.seen.insert(element)
        if !xml.slots.isEmpty { try checkAttributes(&xml) }
        return element
      }
    }
  }

  /// The element of UDA whose start tag was read; `nil`: none that has a place in the context.
  @inline(__always)
  private mutating func known(
    _ xml: inout XMLReader, in context: Context
  ) throws(DescriptionFault) -> DescriptionElement? {
    let tag = xml.current
    if tag.namespace == namespace, let element = DescriptionElement.named(xml.bytes, tag.colon &+ 1, tag.end),
      context.allowed.contains(element)
    {
      return element
    }
    return try knownLeniently(&xml, in: context)
  }

  private mutating func knownLeniently(
    _ xml: inout XMLReader, in context: Context
  ) throws(DescriptionFault) -> DescriptionElement? {
    let tag = xml.current
    if tag.namespace != namespace, tag.namespace != XMLReader.Namespace.none, !isUPnP(xml, tag.namespace) { return nil }
    guard let element = DescriptionElement.namedInAnyCase(xml.bytes, tag.colon &+ 1, tag.end),
      context.allowed.contains(element)
    else { return nil }
    if tag.namespace == XMLReader.Namespace.none, namespace != XMLReader.Namespace.none {
      try allowLeniently(
        .namespace, &xml, at: tag.tagStart, expected: "an element of “\(DescriptionDocument.namespace)”",
        found: "“\(element.text)” of no namespace")
    }
    let name = xml.string(tag.colon &+ 1, tag.end)
    if !name.utf8.elementsEqual(element.text.utf8) {
      try allowLeniently(
        .elementCase, &xml, at: tag.tagStart, expected: "“\(element.text)”", found: "“\(name)”")
    }
    return element
  }

  func isUPnP(_ xml: borrowing XMLReader, _ namespace: Int) -> Bool {
    namespace != XMLReader.Namespace.unbound
      && xml.uri(of: namespace).utf8.elementsEqual(DescriptionDocument.namespace.utf8)
  }

  /// UDA has no attributes but `configId`, which is read elsewhere. Those of other namespaces are nobody's business.
  private mutating func checkAttributes(_ xml: inout XMLReader) throws(DescriptionFault) {
    for index in xml.slots.indices {
      let slot = xml.slots[index]
      guard slot.namespace == XMLReader.Namespace.none else { continue }
      try allowLeniently(
        .unknownAttribute, &xml, at: slot.start, expected: "no attribute",
        found: "“\(PlainText.shown(xml.string(slot.start, slot.end)))”")
    }
  }

  /// The element whose start tag was read, which is none of UDA's.
  private mutating func readExtension(_ xml: inout XMLReader, _ context: inout Context) throws(DescriptionFault) {
    let tag = xml.current
    let name = xml.name
    let isOwn = tag.namespace == namespace || tag.namespace == XMLReader.Namespace.none || isUPnP(xml, tag.namespace)
    if isOwn, !name.local.utf8.starts(with: "X_".utf8) {
      try allowLeniently(
        .unknownElement, &xml, at: tag.tagStart, expected: "an element that “\(context.element.text)” has",
        found: "“\(PlainText.shown(name.local))”")
    }
    guard context.keepsExtensions else { return try readOver(&xml) }
    var text: String? = ""
    let hasRoom = extensionCount < limits.extensions
    try readText(&xml, into: &text, keeping: hasRoom, limit: limits.valueBytes)
    guard hasRoom, let text,
      let one = DescriptionDocument.Extension(namespace: name.namespace, name: name.local, text: text)
    else {
      return try allowLeniently(
        .extensionLimit, &xml, at: tag.tagStart,
        expected: "at most \(limits.extensions) extensions of \(limits.valueBytes) bytes",
        found: hasRoom ? "a longer one" : "one more")
    }
    extensionCount += 1
    context.extensions.append(one)
  }

  /// To the end tag of the element whose start tag was read.
  func readOver(_ xml: inout XMLReader) throws(DescriptionFault) {
    var depth = 1
    while depth > 0 {
      switch try next(&xml) {
      case .start: depth &+= 1
      case .end: depth &-= 1
      case .text, .finished: break
      }
    }
  }

  /// All text to the end tag of the element whose start tag was read, that of elements inside included; `nil` where it
  /// is too long. Pieces lose the blanks around them, and are joined by one space.
  private func readText(
    _ xml: inout XMLReader, into text: inout String?, keeping: Bool, limit: Int
  ) throws(DescriptionFault) {
    var depth = 1
    while depth > 0 {
      switch try next(&xml) {
      case .start: depth &+= 1
      case .end: depth &-= 1
      case .text:
        guard keeping, let before = text else { continue }
        let piece = xml.withText(DescriptionParser.trimmed)
        let whole = before.isEmpty ? piece : piece.isEmpty ? before : before + " " + piece
        text = whole.utf8.count <= limit ? whole : nil
      case .finished: break
      }
    }
  }

  @inline(__always) static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var (start, end) = (0, bytes.count)
    while start < end, XMLCharacters.isBlank(bytes[start]) { start &+= 1 }
    while start < end, XMLCharacters.isBlank(bytes[end &- 1]) { end &-= 1 }
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
  }

  // MARK: Values

  /// The text of the element whose start tag was read, to its end tag, and where the element begins.
  mutating func value(
    _ xml: inout XMLReader, _ element: DescriptionElement
  ) throws(DescriptionFault) -> (text: String, start: Int) {
    let start = xml.current.tagStart
    var text = ""
    while true {
      switch try next(&xml) {
      case .text:
        let piece = xml.withText(DescriptionParser.trimmed)
        if text.isEmpty {
          text = piece
        } else if !piece.isEmpty {
          text += " " + piece
        }
        guard text.utf8.count <= limits.valueBytes else {
          throw fault(
            .longValue, &xml, at: start, expected: "at most \(limits.valueBytes) bytes in “\(element.text)”",
            found: "more")
        }
      case .start:
        try allowLeniently(
          .elementInText, &xml, at: xml.current.tagStart, expected: "text in “\(element.text)”",
          found: "“\(PlainText.shown(xml.name.local))”")
        try readOver(&xml)
      case .end, .finished: return (text, start)
      }
    }
  }
}
