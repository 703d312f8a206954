/// Writes a line of words with single blanks between them, all of printable ASCII.
public struct WordWriter: Sendable {
  public private(set) var text = ""

  public init() {}

  /// A word of the language itself: printable, without blanks.
  public mutating func add(_ word: String) {
    if !text.isEmpty { text += " " }
    text += word
  }
  public mutating func add(_ number: some FixedWidthInteger) { add(String(number)) }
  public mutating func add(_ interface: InterfaceID) { add("if\(interface.number)") }
  public mutating func add(_ address: IPAddress) { add(address.description) }
  public mutating func add(_ endpoint: Endpoint) { add(endpoint.description) }

  /// A name from outside as one word: every byte that is no printable ASCII, a blank and a backslash as `\xNN`; `""` for
  /// an empty name, `-` for none.
  public mutating func name(_ name: String?) {
    guard let name else { return add("-") }
    switch name {
    case "": add("\"\"")
    case "-": add("\\x2d")
    case "\"\"": add("\\x22\\x22")
    default:
      // A word is seldom long and mostly plain.
      if name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != 92 }) { return add(name) }
      var word = ""
      for byte in name.utf8 { WordWriter.append(byte, to: &word, isPlain: byte > 32 && byte < 127 && byte != 92) }
      add(word)
    }
  }

  /// Everything up to the end of the line, blanks included; bytes as `escaped` has them.
  public mutating func rest(_ bytes: some Sequence<UInt8>) { add(WordWriter.escaped(bytes)) }

  /// Printable ASCII as it is, CR and LF as `\r` `\n`, a backslash twice, every other byte as `\xNN`.
  public static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case 13: text += "\\r"
      case 10: text += "\\n"
      case 92: text += "\\\\"
      default: append(byte, to: &text, isPlain: (32...126).contains(byte))
      }
    }
    return text
  }

  private static func append(_ byte: UInt8, to text: inout String, isPlain: Bool) {
    if isPlain {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      text += (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)
    }
  }
}

/// Why a line of words cannot be read.
public struct WordError: Error, Hashable, Sendable {
  /// The first character of the word in question; counts from 1.
  public var column: Int
  /// What ought to stand there.
  public var expected: String
  public init(column: Int, expected: String) { (self.column, self.expected) = (column, expected) }
}

/// Reads a line that `WordWriter` wrote, word by word.
public struct WordReader {
  private let line: Substring
  /// What is not read yet.
  public private(set) var rest: Substring
  private var last: Substring

  public init(_ line: Substring) { (self.line, rest, last) = (line, line, line.prefix(0)) }

  /// The next word, without taking it; empty at the end of the line.
  public var peek: Substring { rest.prefix { $0 != " " } }

  /// An error at the word that was read last.
  public func error(_ expected: String) -> WordError {
    WordError(column: line.utf8.distance(from: line.startIndex, to: last.startIndex) + 1, expected: expected)
  }

  public mutating func next(_ expected: String) throws(WordError) -> Substring {
    last = rest.prefix { $0 != " " }
    rest = rest[last.endIndex...].dropFirst()
    if last.isEmpty { throw error(expected) }
    return last
  }

  /// Takes the next word if it is this one.
  public mutating func take(_ word: String) -> Bool {
    guard peek == word else { return false }
    last = peek
    rest = rest[last.endIndex...].dropFirst()
    return true
  }

  public mutating func word(_ word: String) throws(WordError) {
    guard try next("the word \(word)") == word else { throw error("the word \(word)") }
  }

  /// A number as Swift writes it: no plus sign, no zero in front.
  public mutating func number<Number: FixedWidthInteger>(_ expected: String) throws(WordError) -> Number {
    let word = try next(expected)
    guard let number = Number(word, radix: 10), String(number) == word else { throw error(expected) }
    return number
  }

  public mutating func interface() throws(WordError) -> InterfaceID {
    let word = try next("an interface such as if0")
    guard word.hasPrefix("if"), let number = UInt16(digits: word.dropFirst(2)) else {
      throw error("an interface such as if0")
    }
    return InterfaceID(number)
  }

  /// An interface, if one comes next.
  public mutating func optionalInterface() throws(WordError) -> InterfaceID? {
    peek.hasPrefix("if") ? try interface() : nil
  }

  public mutating func address() throws(WordError) -> IPAddress {
    guard let address = IPAddress(try next("an IP address")) else { throw error("an IP address") }
    return address
  }

  public mutating func endpoint() throws(WordError) -> Endpoint {
    guard let endpoint = Endpoint(try next("an address with a port")) else { throw error("an address with a port") }
    return endpoint
  }

  public mutating func interval() throws(WordError) -> Interval {
    guard let interval = Interval(try next("a duration such as 250ms")) else { throw error("a duration such as 250ms") }
    return interval
  }

  /// A case of an enumeration by its raw value.
  public mutating func value<Value: RawRepresentable<String>>(
    _ type: Value.Type, _ expected: String
  ) throws(WordError) -> Value {
    guard let value = Value(rawValue: String(try next(expected))) else { throw error(expected) }
    return value
  }

  /// A name as `WordWriter.name` wrote it.
  public mutating func name(_ expected: String) throws(WordError) -> String {
    guard let name = try optionalName(expected) else { throw error(expected) }
    return name
  }

  /// The same where there may be none.
  public mutating func optionalName(_ expected: String) throws(WordError) -> String? {
    let word = try next(expected)
    if word == "-" { return nil }
    if word == "\"\"" { return "" }
    guard let bytes = WordReader.unescaped(word, isName: true), let name = String(validating: bytes, as: UTF8.self)
    else {
      throw error(expected)
    }
    return name
  }

  /// All that is left of the line, as bytes.
  public mutating func bytes() throws(WordError) -> [UInt8] {
    last = rest
    rest = rest.suffix(0)
    guard let bytes = WordReader.unescaped(last) else { throw error("bytes in escaped ASCII") }
    return bytes
  }

  /// A value of one of these types, whose first word is `verb`, and nothing behind it.
  public mutating func value(
    _ verb: Substring, of types: [any PortValue.Type], _ expected: String
  ) throws(WordError) -> any PortValue {
    guard let type = types.first(where: { $0.verbs.contains(String(verb)) }) else { throw error(expected) }
    let value = try type.init(verb: verb, from: &self)
    try end()
    return value
  }

  public mutating func end() throws(WordError) {
    if rest.isEmpty { return }
    last = rest
    throw error("the end of the line")
  }

  /// What `WordWriter` escaped, as bytes; `nil` for anything that it does not write.
  /// - Parameter isName: whether plain characters may stand in hexadecimal as well.
  public static func unescaped(_ text: Substring, isName: Bool = false) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard (32...126).contains(byte) else { return nil }
      if byte != UInt8(ascii: "\\") {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "r"): bytes.append(13)
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "\\"): bytes.append(92)
      case UInt8(ascii: "x"):
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
          return nil
        }
        let value = high << 4 | low
        // What is printed plainly, or by a letter, is never written so.
        if !isName, (32...126).contains(value) || value == 13 || value == 10 { return nil }
        bytes.append(value)
      default: return nil
      }
    }
    return bytes
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 97...102: byte - 87
    default: nil
    }
  }
}
