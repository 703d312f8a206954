/// One thing that an XML document has, as the reader and the reference both tell it.
enum XMLPiece: Equatable {
  /// A name is its namespace and its local part, in characters.
  struct Name: Equatable {
    var namespace: [UInt32]
    var local: [UInt32]
  }
  struct Attribute: Equatable {
    var name: Name
    var value: [UInt32]
  }
  case start(Name, [Attribute])
  case text([UInt32])
  case end(Name)
}

/// Strict XML 1.0 with namespaces by the plainest means: the whole document in characters, line ends made one first, one
/// function for each production, and nothing about limits, places or reasons.
struct XMLReference {
  struct Refusal: Error {}

  private var text: [UInt32]
  private var at = 0
  private var pieces: [XMLPiece] = []

  /// The pieces of a document; `nil` where it is none.
  static func read(_ bytes: [UInt8]) -> [XMLPiece]? {
    guard let text = decoded(bytes) else { return nil }
    var lines: [UInt32] = []
    for (index, scalar) in text.enumerated() {
      if scalar == 13 {
        lines.append(10)
      } else if scalar != 10 || index == 0 || text[index - 1] != 13 {
        lines.append(scalar)
      }
    }
    var reference = XMLReference(text: lines)
    return try? reference.document()
  }

  private init(text: [UInt32]) { self.text = text }

  // MARK: Encodings

  private static func decoded(_ bytes: [UInt8]) -> [UInt32]? {
    let (name, behind): (String?, Bool) = {
      var reference = XMLReference(text: bytes.map(UInt32.init))
      let found = try? reference.declaration()
      return (found.flatMap { $0 }, reference.at > 0)
    }()
    func units(isBig: Bool) -> [UInt32]? {
      let rest = Array(bytes.dropFirst(2))
      guard rest.count % 2 == 0 else { return nil }
      let units = stride(from: 0, to: rest.count, by: 2).map { place -> UInt16 in
        let (first, second) = (UInt16(rest[place]), UInt16(rest[place + 1]))
        return isBig ? first << 8 | second : second << 8 | first
      }
      return String(validating: units, as: UTF16.self).map { $0.unicodeScalars.map(\.value) }
    }
    func checked(_ text: [UInt32]?, _ names: [String]) -> [UInt32]? {
      guard let text else { return nil }
      var reference = XMLReference(text: text)
      guard let name = try? reference.declaration() else { return text }
      return names.contains(name.lowercased()) ? text : nil
    }
    if bytes.starts(with: [0xFF, 0xFE]) { return checked(units(isBig: false), ["utf-16", "utf-16le"]) }
    if bytes.starts(with: [0xFE, 0xFF]) { return checked(units(isBig: true), ["utf-16", "utf-16be"]) }
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let own = hasMark ? Array(bytes.dropFirst(3)) : bytes
    switch hasMark || !behind ? nil : name?.lowercased() {
    case "iso-8859-1"?, "latin1"?: return bytes.map(UInt32.init)
    case "windows-1252"?, "cp1252"?:
      let table = Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
      return bytes.map { (0x80...0x9F).contains($0) ? table[Int($0) - 0x80].value : UInt32($0) }
    case "us-ascii"?, "ascii"?: return bytes.allSatisfy { $0 < 0x80 } ? bytes.map(UInt32.init) : nil
    default:
      return checked(String(validating: own, as: UTF8.self).map { $0.unicodeScalars.map(\.value) }, ["utf-8", "utf8"])
    }
  }

  // MARK: Productions

  private mutating func document() throws -> [XMLPiece] {
    _ = try declaration()
    try misc()
    try element([:])
    try misc()
    guard at == text.count else { throw Refusal() }
    return pieces
  }

  /// The encoding that it names, if any; nothing is read where there is none.
  private mutating func declaration() throws -> String? {
    guard has("<?xml"), at + 5 < text.count, isBlank(text[at + 5]) || text[at + 5] == 63 else { return nil }
    at += 5
    guard let version = try pseudo("version"), version.hasPrefix("1."), version.count > 2,
      version.dropFirst(2).allSatisfy({ ("0"..."9").contains($0) })
    else { throw Refusal() }
    let encoding = try pseudo("encoding")
    if let alone = try pseudo("standalone"), alone != "yes", alone != "no" { throw Refusal() }
    blanks()
    try take("?>")
    return encoding
  }

  private mutating func pseudo(_ name: String) throws -> String? {
    let start = at
    guard blanks(), has(name) else {
      at = start
      return nil
    }
    try take(name)
    try equals()
    let quote = try one { $0 == 34 || $0 == 39 }
    let value = run { $0 < 0x80 && XMLReference.isName($0) }
    guard try one({ _ in true }) == quote else { throw Refusal() }
    return String(String.UnicodeScalarView(value.compactMap(Unicode.Scalar.init)))
  }

  private mutating func misc() throws {
    while true {
      blanks()
      if has("<!--") { try comment() } else if has("<?") { try instruction() } else { return }
    }
  }

  private mutating func comment() throws {
    try take("<!--")
    while !has("--") { _ = try character() }
    try take("-->")
  }

  private mutating func instruction() throws {
    try take("<?")
    let name = try self.name()
    let target = name.map { $0 < 0x80 ? $0 | 0x20 : $0 }
    guard !name.contains(58), target != [120, 109, 108] else { throw Refusal() }
    if has("?>") { return try take("?>") }
    guard blanks() else { throw Refusal() }
    while !has("?>") { _ = try character() }
    try take("?>")
  }

  private mutating func element(_ outer: [[UInt32]: [UInt32]]) throws {
    try take("<")
    let name = try self.name()
    var attributes: [(name: [UInt32], value: [UInt32])] = []
    while blanks(), !has(">"), !has("/") {
      let name = try self.name()
      try equals()
      attributes.append((name, try value()))
    }
    var scope = outer
    for (name, value) in attributes where isDeclaration(name) { try declare(name, value, &scope) }
    guard Set(attributes.map(\.name)).count == attributes.count else { throw Refusal() }
    let own = try attributes.filter { !isDeclaration($0.name) }.map {
      XMLPiece.Attribute(name: try resolved($0.name, scope, isAttribute: true), value: $0.value)
    }
    guard Set(own.map { $0.name.namespace + [0] + $0.name.local }).count == own.count else { throw Refusal() }
    let whole = try resolved(name, scope, isAttribute: false)
    pieces.append(.start(whole, own))
    if has("/>") {
      try take("/>")
    } else {
      try take(">")
      try content(scope)
      try take("</")
      guard try self.name() == name else { throw Refusal() }
      blanks()
      try take(">")
    }
    pieces.append(.end(whole))
  }

  private mutating func content(_ scope: [[UInt32]: [UInt32]]) throws {
    var run: [UInt32] = []
    func add(_ pieces: inout [XMLPiece]) {
      if !run.isEmpty { pieces.append(.text(run)) }
      run = []
    }
    while !has("</") {
      if has("<!--") {
        try comment()
      } else if has("<?") {
        try instruction()
      } else if has("<![CDATA[") {
        try take("<![CDATA[")
        while !has("]]>") { run.append(try character()) }
        try take("]]>")
      } else if has("<") {
        add(&pieces)
        try element(scope)
      } else if has("&") {
        run.append(try reference())
      } else if has("]]>") {
        throw Refusal()
      } else {
        run.append(try character())
      }
    }
    add(&pieces)
  }

  private mutating func value() throws -> [UInt32] {
    let quote = try one { $0 == 34 || $0 == 39 }
    var value: [UInt32] = []
    while at < text.count, text[at] != quote {
      if has("<") { throw Refusal() }
      if has("&") {
        value.append(try reference())
      } else {
        let scalar = try character()
        value.append(isBlank(scalar) ? 32 : scalar)
      }
    }
    _ = try one { $0 == quote }
    return value
  }

  private mutating func reference() throws -> UInt32 {
    for (name, scalar) in [("&lt;", 60), ("&gt;", 62), ("&amp;", 38), ("&quot;", 34), ("&apos;", 39)]
      as [(String, UInt32)]
    where has(name) {
      try take(name)
      return scalar
    }
    try take("&#")
    let isHex = has("x")
    if isHex { try take("x") }
    let digits = run { (48...57).contains($0) || isHex && ((65...70).contains($0) || (97...102).contains($0)) }
    try take(";")
    let number = String(String.UnicodeScalarView(digits.compactMap(Unicode.Scalar.init)))
    let zeros = number.drop { $0 == "0" }
    guard !number.isEmpty, zeros.count < 10, let scalar = UInt32(zeros, radix: isHex ? 16 : 10),
      XMLReference.isAllowed(scalar)
    else { throw Refusal() }
    return scalar
  }

  // MARK: Namespaces

  private static let xmlns = Array("xmlns".unicodeScalars).map(\.value)
  private static let xml = Array("xml".unicodeScalars).map(\.value)
  private static let xmlName = Array("http://www.w3.org/XML/1998/namespace".unicodeScalars).map(\.value)
  private static let xmlnsName = Array("http://www.w3.org/2000/xmlns/".unicodeScalars).map(\.value)

  private func isDeclaration(_ name: [UInt32]) -> Bool {
    name == Self.xmlns || name.starts(with: Self.xmlns + [58])
  }

  private func declare(_ name: [UInt32], _ value: [UInt32], _ scope: inout [[UInt32]: [UInt32]]) throws {
    let prefix = Array(name.dropFirst(6))
    guard prefix != Self.xmlns, value != Self.xmlnsName, (prefix == Self.xml) == (value == Self.xmlName),
      prefix.isEmpty || !value.isEmpty
    else { throw Refusal() }
    scope[prefix] = value
  }

  private func resolved(
    _ name: [UInt32], _ scope: [[UInt32]: [UInt32]], isAttribute: Bool
  ) throws -> XMLPiece.Name {
    guard let colon = name.firstIndex(of: 58) else {
      return XMLPiece.Name(namespace: isAttribute ? [] : scope[[]] ?? [], local: name)
    }
    let prefix = Array(name[..<colon])
    guard let namespace = prefix == Self.xml ? Self.xmlName : scope[prefix] else { throw Refusal() }
    return XMLPiece.Name(namespace: namespace, local: Array(name[(colon + 1)...]))
  }

  // MARK: Characters

  /// A name, of which a colon may part two.
  private mutating func name() throws -> [UInt32] {
    let name = run { $0 == 58 || XMLReference.isName($0) }
    let parts = name.split(separator: 58, omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ $0.first.map(XMLReference.isNameStart) ?? false }) else {
      throw Refusal()
    }
    return name
  }

  private mutating func equals() throws {
    blanks()
    try take("=")
    blanks()
  }

  private mutating func character() throws -> UInt32 { try one(XMLReference.isAllowed) }

  private mutating func one(_ isGood: (UInt32) -> Bool) throws -> UInt32 {
    guard at < text.count, isGood(text[at]) else { throw Refusal() }
    at += 1
    return text[at - 1]
  }

  private mutating func run(_ isGood: (UInt32) -> Bool) -> [UInt32] {
    let start = at
    while at < text.count, isGood(text[at]) { at += 1 }
    return Array(text[start..<at])
  }

  @discardableResult private mutating func blanks() -> Bool { !run(isBlank).isEmpty }
  private func isBlank(_ scalar: UInt32) -> Bool { [9, 10, 13, 32].contains(scalar) }
  private func has(_ word: String) -> Bool { text[at...].starts(with: word.unicodeScalars.lazy.map(\.value)) }
  private mutating func take(_ word: String) throws {
    guard has(word) else { throw Refusal() }
    at += word.unicodeScalars.count
  }

  private static func isAllowed(_ scalar: UInt32) -> Bool {
    [9, 10, 13].contains(scalar)
      || scalar >= 0x20 && scalar != 0xFFFE && scalar != 0xFFFF && Unicode.Scalar(scalar) != nil
  }

  /// What production 4 leaves out, below U+F0000.
  private static func isNameStart(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar == 95 || (97...122).contains(scalar | 0x20) && scalar != 58 }
    let gaps: [ClosedRange<UInt32>] = [
      0x80...0xBF, 0xD7...0xD7, 0xF7...0xF7, 0x300...0x36F, 0x37E...0x37E, 0x2000...0x200B, 0x200E...0x206F,
      0x2190...0x2BFF, 0x2FF0...0x3000, 0xD800...0xF8FF, 0xFDD0...0xFDEF, 0xFFFE...0xFFFF, 0xF_0000...0x10_FFFF,
    ]
    return !gaps.contains { $0.contains(scalar) }
  }

  private static func isName(_ scalar: UInt32) -> Bool {
    [45, 46, 0xB7, 0x203F, 0x2040].contains(scalar) || (48...57).contains(scalar) || (0x300...0x36F).contains(scalar)
      || isNameStart(scalar)
  }
}
