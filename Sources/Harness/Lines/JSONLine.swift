import Primitives

/// One compact JSON object, written field by field in the order in which they are added.
///
/// No space after `:` or `,`; text is escaped as JSON asks, and everything above ASCII stays as UTF-8.
package struct JSONLine {
  /// The object so far, behind whatever the buffer held that it was begun in.
  private var bytes: [UInt8] = []
  private var isEmpty = true

  package init() { bytes.append(UInt8(ascii: "{")) }

  /// Starts a line of the schema that all verbs share.
  package init(kind: String) {
    bytes.reserveCapacity(384)
    begin(kind)
  }

  /// Starts one at the end of `buffer`, which is empty until `close(into:)` gives it back.
  init(kind: String, takingOver buffer: inout [UInt8]) {
    swap(&bytes, &buffer)
    begin(kind)
  }

  private mutating func begin(_ kind: String) {
    append("{\"schema\":\"rollcall/1\",\"kind\":\"")
    append(text: kind)
    append("\"")
    isEmpty = false
  }

  package mutating func add(_ key: StaticString, _ value: String) {
    name(key)
    quote(value)
  }
  /// Fields that are the same in many lines, with the comma before them.
  mutating func add(fixed text: StaticString) { append(text) }
  package mutating func add(_ key: StaticString, _ value: Int) {
    name(key)
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    digits(UInt64(value.magnitude))
  }
  package mutating func add(_ key: StaticString, _ value: UInt64) {
    name(key)
    digits(value)
  }
  package mutating func add(_ key: StaticString, _ value: Bool) {
    name(key)
    if value { append("true") } else { append("false") }
  }
  package mutating func addNull(_ key: StaticString) {
    name(key)
    append("null")
  }
  package mutating func add(_ key: StaticString, _ value: Int?) {
    if let value { add(key, value) } else { addNull(key) }
  }
  /// Seconds with nine decimals, as text.
  mutating func add(_ key: StaticString, _ time: Instant) {
    guard time.nanoseconds >= 0 else { return add(key, time.description) }
    name(key)
    let (seconds, fraction) = UInt64(time.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    bytes.append(UInt8(ascii: "\""))
    digits(seconds)
    // The leading 1 keeps the zeros, and gives its place to the point.
    let point = bytes.count
    digits(fraction + 1_000_000_000)
    bytes[point] = UInt8(ascii: ".")
    bytes.append(UInt8(ascii: "\""))
  }
  /// Adds text that is JSON already.
  package mutating func add(_ key: StaticString, raw: String) {
    name(key)
    append(text: raw)
  }
  /// Appends text that is JSON already, as a member of a list.
  mutating func add(raw: String) { append(text: raw) }
  package mutating func add(_ key: StaticString, _ values: [String]) {
    add(key, values) { line, value in line.quote(value) }
  }
  package mutating func add(_ key: StaticString, object: [(String, Int)]) {
    add(key, raw: "{" + object.map { JSONLine.quoted($0.0) + ":" + String($0.1) }.joined(separator: ",") + "}")
  }
  package mutating func add(_ key: StaticString, object: [(String, String)]) {
    add(key, raw: "{" + object.map { JSONLine.quoted($0.0) + ":" + JSONLine.quoted($0.1) }.joined(separator: ",") + "}")
  }
  /// A list whose members `write` appends one by one.
  mutating func add<Member>(_ key: StaticString, _ members: [Member], _ write: (inout JSONLine, Member) -> Void) {
    name(key)
    append("[")
    for (index, member) in members.enumerated() {
      if index > 0 { append(",") }
      write(&self, member)
    }
    append("]")
  }

  /// The object, closed.
  package var closed: String { String(decoding: bytes, as: UTF8.self) + "}" }

  /// Closes the object and gives the buffer back.
  mutating func close(into buffer: inout [UInt8]) {
    append("}")
    swap(&bytes, &buffer)
  }

  private mutating func name(_ key: StaticString) {
    // Keys are ours and plain.
    if isEmpty { append("\"") } else { append(",\"") }
    isEmpty = false
    append(key)
    append("\":")
  }

  package static func quoted(_ value: String) -> String {
    var line = JSONLine()
    line.bytes.removeAll()
    line.quote(value)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @inline(__always) private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
  private mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func digits(_ number: UInt64) {
    if number < 10 { return bytes.append(48 + UInt8(number)) }
    var (rest, start) = (number, 20)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { places in
      while rest > 0 {
        start -= 1
        places[start] = 48 + UInt8(rest % 10)
        rest /= 10
      }
      bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: places[start...]))
    }
  }

  /// Appends text with the marks around it and what JSON cannot hold in between escaped.
  mutating func quote(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    let isDone =
      value.utf8.withContiguousStorageIfAvailable { text in
        guard JSONLine.isPlain(UnsafeRawBufferPointer(text)) else { return false }
        bytes.append(contentsOf: text)
        return true
      } ?? false
    if !isDone {
      for byte in value.utf8 { escape(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether nothing has to be escaped; eight bytes a step.
  private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    func marks(_ word: UInt64, _ byte: UInt64) -> UInt64 {
      let other = word ^ byte &* 0x0101_0101_0101_0101
      return (other &- 0x0101_0101_0101_0101) & ~other
    }
    var offset = 0
    while offset &+ 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let controls = (word &- 0x2020_2020_2020_2020) & ~word
      if (controls | marks(word, 34) | marks(word, 92)) & 0x8080_8080_8080_8080 != 0 { return false }
      offset &+= 8
    }
    while offset < text.count {
      let byte = text[offset]
      if byte < 32 || byte == 34 || byte == 92 { return false }
      offset &+= 1
    }
    return true
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 34: append("\\\"")
    case 92: append("\\\\")
    case 10: append("\\n")
    case 13: append("\\r")
    case 9: append("\\t")
    case 0..<32:
      if byte < 16 { append("\\u000") } else { append("\\u001") }
      append(text: String(byte & 15, radix: 16))
    default: bytes.append(byte)
    }
  }
}
