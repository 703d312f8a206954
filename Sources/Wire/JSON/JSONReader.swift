/// Reads one value of JSON, exactly as RFC 8259 has it: UTF-8 without a byte order mark, no comments, no names twice.
public struct JSONReader: Sendable {
  public struct Limits: Hashable, Sendable {
    public var byteCountMaximum = 65_536
    /// Arrays and objects within one another.
    public var depthMaximum = 32
    /// Values in all.
    public var valuesMaximum = 4_096
    public init() {}
  }

  private let bytes: [UInt8]
  private let limits: Limits
  private var offset = 0
  private var valueCount = 0

  public static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSONFault) -> JSONValue {
    if bytes.count > limits.byteCountMaximum { throw JSONFault(.tooLong, at: limits.byteCountMaximum) }
    var reader = JSONReader(bytes: bytes, limits: limits)
    let value = try reader.value(depth: 0)
    if reader.next() != nil { throw JSONFault(.behindTheEnd, at: reader.offset) }
    return value
  }

  private init(bytes: [UInt8], limits: Limits) { (self.bytes, self.limits) = (bytes, limits) }

  /// The byte behind the blanks, which stays; `nil`: the end.
  private mutating func next() -> UInt8? {
    while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    return offset < bytes.count ? bytes[offset] : nil
  }

  private mutating func need() throws(JSONFault) -> UInt8 {
    guard let byte = next() else { throw JSONFault(.cutShort, at: bytes.count) }
    return byte
  }

  private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
    let first = try need()
    valueCount += 1
    if valueCount > limits.valuesMaximum { throw JSONFault(.tooManyValues, at: offset) }
    switch first {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), 48...57: return try number()
    default: throw JSONFault(.unexpectedByte, at: offset)
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONFault) -> JSONValue {
    for byte in word.utf8 {
      guard offset < bytes.count else { throw JSONFault(.cutShort, at: offset) }
      guard bytes[offset] == byte else { throw JSONFault(.unexpectedByte, at: offset) }
      offset += 1
    }
    return value
  }

  private mutating func open(_ depth: Int) throws(JSONFault) {
    if depth > limits.depthMaximum { throw JSONFault(.tooDeep, at: offset) }
    offset += 1
  }

  private mutating func array(depth: Int) throws(JSONFault) -> JSONValue {
    try open(depth)
    var items: [JSONValue] = []
    if try need() == UInt8(ascii: "]") {
      offset += 1
      return .array(items)
    }
    while true {
      items.append(try value(depth: depth))
      if try isOver(UInt8(ascii: "]")) { return .array(items) }
    }
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONValue {
    try open(depth)
    var members: [JSONValue.Member] = []
    var names: Set<[UInt8]> = []
    if try need() == UInt8(ascii: "}") {
      offset += 1
      return .object(members)
    }
    while true {
      guard try need() == UInt8(ascii: "\"") else { throw JSONFault(.unexpectedByte, at: offset) }
      let start = offset
      let name = try string()
      // Compared byte by byte: two ways to write an accent are two names.
      if !names.insert(Array(name.utf8)).inserted { throw JSONFault(.sameName, at: start) }
      guard try need() == UInt8(ascii: ":") else { throw JSONFault(.unexpectedByte, at: offset) }
      offset += 1
      members.append(JSONValue.Member(name, try value(depth: depth)))
      if try isOver(UInt8(ascii: "}")) { return .object(members) }
    }
  }

  /// Behind an item: whether a comma or the end follows.
  private mutating func isOver(_ end: UInt8) throws(JSONFault) -> Bool {
    let byte = try need()
    guard byte == end || byte == UInt8(ascii: ",") else { throw JSONFault(.unexpectedByte, at: offset) }
    offset += 1
    return byte == end
  }

  private mutating func number() throws(JSONFault) -> JSONValue {
    let start = offset
    func isDigit(_ index: Int) -> Bool { index < bytes.count && (48...57).contains(bytes[index]) }
    func digits() throws(JSONFault) {
      guard isDigit(offset) else { throw JSONFault(offset < bytes.count ? .number : .cutShort, at: offset) }
      while isDigit(offset) { offset += 1 }
    }
    func skip(_ wanted: [UInt8]) -> Bool {
      guard offset < bytes.count, wanted.contains(bytes[offset]) else { return false }
      offset += 1
      return true
    }
    _ = skip([UInt8(ascii: "-")])
    // A zero stands alone before the point.
    if skip([48]) {
      if isDigit(offset) { throw JSONFault(.number, at: offset) }
    } else {
      try digits()
    }
    if skip([UInt8(ascii: ".")]) { try digits() }
    if skip([UInt8(ascii: "e"), UInt8(ascii: "E")]) {
      _ = skip([UInt8(ascii: "+"), UInt8(ascii: "-")])
      try digits()
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    // Another number than a whole one is none for `Int`.
    if text != "-0", let integer = Int(text) { return .integer(integer) }
    return .number(text)
  }

  // MARK: Strings

  private mutating func string() throws(JSONFault) -> String {
    offset += 1
    var text: [UInt8] = []
    while true {
      let start = offset
      while offset < bytes.count, bytes[offset] >= 0x20, bytes[offset] != 0x22, bytes[offset] != 0x5C { offset += 1 }
      // A quotation mark or a backslash is never a part of another character, so that each run is checked alone.
      if let invalid = UTF8Check.firstInvalid(bytes[start..<offset]) { throw JSONFault(.notUTF8, at: invalid) }
      text += bytes[start..<offset]
      guard offset < bytes.count else { throw JSONFault(.cutShort, at: offset) }
      if bytes[offset] < 0x20 { throw JSONFault(.controlByte, at: offset) }
      offset += 1
      if bytes[offset - 1] == 0x22 { return String(decoding: text, as: UTF8.self) }
      try escape(into: &text)
    }
  }

  /// Behind a backslash.
  private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
    guard offset < bytes.count else { throw JSONFault(.cutShort, at: offset) }
    let byte = bytes[offset]
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let start = offset - 2
      let unit = try unit()
      var value = UInt32(unit)
      if (0xD800...0xDBFF).contains(unit) {
        guard bytes[offset...].starts(with: [0x5C, UInt8(ascii: "u")]) else { throw JSONFault(.surrogate, at: start) }
        offset += 2
        let low = try self.unit()
        guard (0xDC00...0xDFFF).contains(low) else { throw JSONFault(.surrogate, at: start) }
        value = 0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
      }
      // The second half of a character alone is none.
      guard let scalar = Unicode.Scalar(value) else { throw JSONFault(.surrogate, at: start) }
      text += UTF8.encode(scalar).map { Array($0) } ?? []
    default: throw JSONFault(.escape, at: offset - 1)
    }
  }

  /// Four hexadecimal digits.
  private mutating func unit() throws(JSONFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard offset < bytes.count else { throw JSONFault(.cutShort, at: offset) }
      guard let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue else {
        throw JSONFault(.escape, at: offset)
      }
      unit = unit << 4 | UInt16(digit)
      offset += 1
    }
    return unit
  }
}

/// Where bytes are no UTF-8 (RFC 3629, section 4).
enum UTF8Check {
  /// The index of the first byte of what is no character; `nil`: all of it is UTF-8.
  static func firstInvalid(_ bytes: ArraySlice<UInt8>) -> Int? {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let first = bytes[index]
      // The number of bytes that follow, and between which values the first of them is.
      let (more, lowest, highest): (Int, UInt8, UInt8)
      switch first {
      case 0x00...0x7F: (more, lowest, highest) = (0, 0x80, 0xBF)
      case 0xC2...0xDF: (more, lowest, highest) = (1, 0x80, 0xBF)
      case 0xE0: (more, lowest, highest) = (2, 0xA0, 0xBF)
      case 0xED: (more, lowest, highest) = (2, 0x80, 0x9F)
      case 0xE1...0xEF: (more, lowest, highest) = (2, 0x80, 0xBF)
      case 0xF0: (more, lowest, highest) = (3, 0x90, 0xBF)
      case 0xF1...0xF3: (more, lowest, highest) = (3, 0x80, 0xBF)
      case 0xF4: (more, lowest, highest) = (3, 0x80, 0x8F)
      default: return index
      }
      guard bytes.endIndex - index > more else { return index }
      for step in 0..<more {
        let byte = bytes[index + 1 + step]
        guard byte >= (step == 0 ? lowest : 0x80), byte <= (step == 0 ? highest : 0xBF) else { return index }
      }
      index += 1 + more
    }
    return nil
  }
}
