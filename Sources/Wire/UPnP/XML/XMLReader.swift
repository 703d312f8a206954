/// Reads an XML 1.0 document with namespaces, one event after the other, in one pass and in time that grows with its bytes.
///
/// There is no document type: a `<!DOCTYPE` refuses the document, so nothing is expanded and nothing is fetched. Of
/// entities there are the five of XML. Encodings: `XMLEncoding`. Every fault says where it is and what was expected; the
/// first one ends the reading. Comments and processing instructions are checked and left out; the text before and behind
/// them is one.
///
/// | what stands there | lenient | strict |
/// |---|---|---|
/// | text before the root, or an XML declaration behind blanks | left out, a flaw | refused |
/// | anything but blanks, comments and instructions behind the root | left out, a flaw at its first byte | refused |
/// | an `&` that begins no reference, or one to an unknown entity | is text, a flaw | refused |
/// | a prefix that is not declared | the namespace is the prefix as it stands, a flaw | refused |
/// | all else that XML 1.0 or Namespaces in XML 1.0 does not allow | refused | refused |
///
/// So strict accepts nothing that lenient refuses, and a document without flaws gives the same events in both.
public struct XMLReader: ~Copyable {
  /// What a document may hold. Where it holds more it is refused, with the reason that is named.
  public struct Limits: Hashable, Sendable {
    /// `documentTooLong`; in the encoding of the document.
    public var documentBytes = 1 << 20
    /// `tooDeep`: elements that are open at one place.
    public var depth = 64
    /// `tooManyElements`
    public var elements = 16_384
    /// `tooManyAttributes`: of one element, declarations of namespaces included.
    public var attributes = 64
    /// `tooManyNamespaces`: declarations in force at one place.
    public var namespaces = 64
    /// `nameTooLong`: with the prefix, in UTF-8.
    public var nameBytes = 256
    /// `textTooLong`: between two tags, in UTF-8, references worked out.
    public var textBytes = 65_536
    /// `valueTooLong`: of an attribute, in UTF-8, references worked out.
    public var valueBytes = 8_192
    public init() {}
  }

  public enum Event: Hashable, Sendable, BitwiseCopyable {
    /// A start tag, or the first half of `<a/>`: `name` and `attributes` are those of the element.
    case start
    /// Text that is not empty, up to the next tag: `text`.
    case text
    /// An end tag, or the second half of `<a/>`: `name` is that of the element.
    case end
    /// Behind the root, where the document ends. It comes again for every further call.
    case finished
  }

  enum Phase { case prolog, content, epilog, finished }

  /// Flaws that are kept; all are counted.
  public static let flawsMaximum = 64

  /// The document in UTF-8, without its mark.
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: Limits
  let mode: XMLMode
  var places: XMLPlaceFinder
  /// The document went on with bytes that are no characters.
  let isBroken: Bool

  var phase = Phase.prolog
  var offset = 0
  var failure: XMLFault?
  var elementCount = 0
  /// Elements that are open, and the tag of the last event.
  var open: [Tag] = []
  var current = Tag()
  /// The last start tag was `<a/>`.
  var hasEndToCome = false
  var slots: [AttributeSlot] = []
  /// Values of attributes of the last start tag that do not stand in the document as they are.
  var ownValues: [UInt8] = []
  var ownText: [UInt8] = []
  var textSlice = Slice()
  var bindings: [Binding] = []
  var bindingsInForce = 0
  var nextNamespace = Namespace.firstDeclared

  /// What was let pass so far in lenient mode, in the order in which it was found; `flawsMaximum` at most. Within a tag
  /// that is another order than that of the places: prefixes are looked at when all attributes have been read.
  public internal(set) var flaws: [XMLFault] = []
  /// Those that were not kept included.
  public internal(set) var flawCount = 0

  /// Bytes of the document, or of one of the buffers beside it.
  struct Slice {
    var start = 0
    var end = 0
    var isOwn = false
  }

  struct Tag {
    var start = 0
    /// Of the colon; `start - 1` where there is none, so that the local name begins behind it.
    var colon = -1
    var end = 0
    var namespace = Namespace.none
    /// Declarations in force around the element.
    var bindingsAround = 0
    /// Of its `<`.
    var tagStart = 0
  }

  struct AttributeSlot {
    var start: Int
    var colon: Int
    var end: Int
    var value: Slice
    var namespace = Namespace.none
    var isDeclaration = false
  }

  /// Hands the reader of a document to `body`. Whatever is wrong with the document shows at the first `next`.
  public static func withReader<Value, Failure: Error>(
    of document: UnsafeRawBufferPointer, mode: XMLMode = .strict, limits: Limits = Limits(),
    _ body: (inout XMLReader) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // A document that is too long is refused before it is read; one byte more shows where its last line ends.
    let kept = UnsafeRawBufferPointer(rebasing: document.prefix(limits.documentBytes + 1))
    return try kept.withMemoryRebound(to: UInt8.self) { bytes throws(Failure) in
      let (encoding, markBytes) = XMLEncoding.detect(bytes, mode: mode)
      let isTooLong = document.count > limits.documentBytes
      if encoding == .utf8 {
        var reader = XMLReader(
          UnsafeBufferPointer(rebasing: bytes.dropFirst(markBytes)), encoding, markBytes, mode, limits)
        if isTooLong { reader.failure = reader.tooLong() }
        return try body(&reader)
      }
      let (utf8, isBroken) = encoding.converted(bytes.dropFirst(markBytes))
      return try utf8.withUnsafeBufferPointer { utf8 throws(Failure) in
        var reader = XMLReader(utf8, encoding, markBytes, mode, limits, isBroken: isBroken)
        if isTooLong { reader.failure = reader.tooLong() }
        return try body(&reader)
      }
    }
  }

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ encoding: XMLEncoding, _ markBytes: Int, _ mode: XMLMode, _ limits: Limits,
    isBroken: Bool = false
  ) {
    (self.bytes, self.mode, self.limits, self.isBroken) = (bytes, mode, limits, isBroken)
    places = XMLPlaceFinder(encoding: encoding, markBytes: markBytes)
  }

  /// The next event. After a fault every further call throws the same one.
  public mutating func next() throws(XMLFault) -> Event {
    if let failure { throw failure }
    do throws(XMLFault) { return try step() } catch {
      failure = error
      throw error
    }
  }

  @inline(__always) private mutating func step() throws(XMLFault) -> Event {
    switch phase {
    case .content: break
    case .prolog: try readProlog()
    case .epilog:
      try readEpilog()
      return .finished
    case .finished: return .finished
    }
    if hasEndToCome {
      hasEndToCome = false
      return close()
    }
    // Declarations of an element that has ended are no longer in force.
    if bindings.count > bindingsInForce { bindings.removeLast(bindings.count &- bindingsInForce) }
    if phase == .content, try readText() { return .text }
    phase = .content
    // There is a `<`, and behind it neither `!` nor `?`.
    if offset &+ 1 < bytes.count, bytes[offset &+ 1] == UInt8(ascii: "/") {
      try readEndTag()
      return close()
    }
    try readStartTag()
    return .start
  }

  /// The innermost element has ended.
  @inline(__always) private mutating func close() -> Event {
    current = open.removeLast()
    bindingsInForce = current.bindingsAround
    if open.isEmpty { phase = .epilog }
    return .end
  }
}

// What the last event was about.
extension XMLReader {
  /// The name of the element whose tag was read last.
  public var name: XMLName { name(current.start, current.colon, current.end, current.namespace) }

  /// The attributes of the element whose start tag was read last, in their order; declarations of namespaces are none.
  public var attributes: [XMLAttribute] {
    slots.filter { !$0.isDeclaration }.map { slot in
      XMLAttribute(name: name(slot.start, slot.colon, slot.end, slot.namespace), value: value(slot))
    }
  }

  /// The text that was read last, references worked out, each line end as one LF.
  public var text: String { withText { String(decoding: $0, as: UTF8.self) } }

  /// Elements that are open: 1 behind the start tag of the root, 0 behind its end tag.
  public var depth: Int { open.count }

  /// Where the tag begins that was read last, or what comes next behind text.
  public mutating func place() -> XMLPlace { places.place(of: current.tagStart, in: bytes) }

  func name(_ start: Int, _ colon: Int, _ end: Int, _ namespace: Int) -> XMLName {
    XMLName(
      namespace: namespace == Namespace.unbound ? string(start, colon) : uri(of: namespace),
      local: string(colon &+ 1, end), prefix: colon < start ? nil : string(start, colon))
  }

  func value(_ slot: AttributeSlot) -> String {
    let slice = slot.value
    return slice.isOwn
      ? String(decoding: ownValues[slice.start..<slice.end], as: UTF8.self) : string(slice.start, slice.end)
  }

  @inline(__always) func string(_ start: Int, _ end: Int) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
  }

  @inline(__always) func withText<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    if textSlice.isOwn { return ownText.withUnsafeBufferPointer(body) }
    return body(UnsafeBufferPointer(rebasing: bytes[textSlice.start..<textSlice.end]))
  }
}

/// The name of an element or of an attribute.
public struct XMLName: Hashable, Sendable {
  /// Empty: none. Of a prefix that is not declared, which lenient mode accepts, it is the prefix.
  public var namespace: String
  public var local: String
  /// As it stands there; it means nothing.
  public var prefix: String?

  public init(namespace: String, local: String, prefix: String? = nil) {
    (self.namespace, self.local, self.prefix) = (namespace, local, prefix)
  }
}

public struct XMLAttribute: Hashable, Sendable {
  public var name: XMLName
  /// References worked out, each blank as one space.
  public var value: String

  public init(name: XMLName, value: String) { (self.name, self.value) = (name, value) }
}
