import RollcallPrimitives

// Texts of elements, and the form that UDA gives them.
extension DescriptionParser {
  /// A text that must not be empty.
  mutating func required(
    _ xml: inout XMLReader, _ element: DescriptionElement
  ) throws(DescriptionFault) -> (text: String, start: Int) {
    let (text, start) = try value(&xml, element)
    if text.isEmpty {
      try allowLeniently(.emptyElement, &xml, at: start, expected: "text in “\(element.text)”", found: "none")
    }
    return (text, start)
  }

  /// A text that is not empty and of a form; without it, a flaw.
  private mutating func required(
    _ xml: inout XMLReader, _ element: DescriptionElement, _ rule: DescriptionFault.Rule, expected: String,
    _ isGood: (String) -> Bool
  ) throws(DescriptionFault) -> String {
    let (text, start) = try required(&xml, element)
    if !text.isEmpty, !isGood(text) { try refuse(rule, &xml, start, expected, text) }
    return text
  }

  private mutating func refuse(
    _ rule: DescriptionFault.Rule, _ xml: inout XMLReader, _ start: Int, _ expected: String, _ text: String
  ) throws(DescriptionFault) {
    try allowLeniently(
      rule, &xml, at: start, expected: expected, found: "“\(PlainText.shown(String(text.prefix(64))))”")
  }

  /// - Parameter kind: `device` or `service`.
  mutating func type(
    _ xml: inout XMLReader, _ element: DescriptionElement, _ kind: StaticString
  ) throws(DescriptionFault) -> String {
    try required(&xml, element, .badType, expected: "“urn:domain:\(kind):type:version”") { text in
      let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      return parts.count == 5 && parts[0].elementsEqual("urn".utf8) && DescriptionParser.isDomain(parts[1])
        && parts[2].elementsEqual("\(kind)".utf8) && DescriptionParser.isWord(parts[3])
        && (1...9).contains(parts[4].count) && parts[4].allSatisfy { (48...57).contains($0) }
    }
  }

  mutating func serviceID(_ xml: inout XMLReader) throws(DescriptionFault) -> String {
    try required(&xml, .serviceID, .badServiceID, expected: "“urn:domain:serviceId:name”") { text in
      let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      return parts.count == 4 && parts[0].elementsEqual("urn".utf8) && DescriptionParser.isDomain(parts[1])
        && parts[2].elementsEqual("serviceId".utf8) && DescriptionParser.isWord(parts[3])
    }
  }

  mutating func udn(_ xml: inout XMLReader) throws(DescriptionFault) -> String {
    let (text, start) = try required(&xml, .udn)
    if text.isEmpty { return text }
    let id = text.utf8.dropFirst(5)
    guard text.utf8.starts(with: "uuid:".utf8), DescriptionParser.isWord(id) else {
      try refuse(.badUDN, &xml, start, "“uuid:” and more", text)
      return text
    }
    if !DescriptionParser.isUUID(id) { oddUDNs.append((start, text)) }
    return text
  }

  mutating func url(
    _ xml: inout XMLReader, _ element: DescriptionElement, isRequired: Bool = false
  ) throws(DescriptionFault) -> String {
    let (text, start) = isRequired ? try required(&xml, element) : try value(&xml, element)
    if !DescriptionParser.isReference(text) { try refuse(.badURL, &xml, start, "a URL", text) }
    return text
  }

  mutating func mimeType(_ xml: inout XMLReader) throws(DescriptionFault) -> String {
    try required(&xml, .mimetype, .badMimeType, expected: "“image/” and more") { text in
      text.utf8.count > 6 && text.lowercased().utf8.starts(with: "image/".utf8)
    }
  }

  /// In pixels or in bits.
  mutating func size(_ xml: inout XMLReader, _ element: DescriptionElement) throws(DescriptionFault) -> Int? {
    let (text, start) = try required(&xml, element)
    let number = DescriptionParser.number(text, maximum: 999_999_999)
    if number == nil, !text.isEmpty { try refuse(.badNumber, &xml, start, "a number", text) }
    return number
  }

  // MARK: Forms

  /// Decimal digits alone, ten of them at most.
  static func number(_ text: String, maximum: Int) -> Int? {
    guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text).flatMap { $0 <= maximum ? $0 : nil }
  }

  /// Bytes that are seen, and at least one.
  private static func isWord(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// UDA 2.0, section 2.3: a domain name is written with hyphens in place of its points.
  private static func isDomain(_ bytes: some Collection<UInt8>) -> Bool {
    isWord(bytes) && !bytes.contains(UInt8(ascii: "."))
  }

  /// `8-4-4-4-12` hexadecimal digits (UDA 2.0, section 1.1.4).
  private static func isUUID(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count == 36 else { return false }
    for (index, byte) in bytes.enumerated() {
      switch index {
      case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
      default:
        guard (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte) else { return false }
      }
    }
    return true
  }

  /// Bytes that RFC 3986 has somewhere in a URL.
  private static func isReference(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
        UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
        false
      default: (0x21...0x7E).contains(byte)
      }
    }
  }
}
