import Primitives

/// One compact JSON object, written field by field in the order in which they are added.
///
/// No space after `:` or `,`; text is escaped as JSON asks, and everything above ASCII stays as UTF-8.
///
/// Not copyable: the bytes stand in memory of its own, since a line has some thirty pieces, and to append to an array
/// costs more than to write most of them.
package struct JSONLine: ~Copyable {
  /// The object so far.
  private var base: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var capacity: Int
  private var isEmpty = true

  package init() {
    (base, capacity) = (.allocate(capacity: 512), 512)
    append("{")
  }

  /// Starts a line of the schema that all verbs share.
  package init(kind: String) {
    (base, capacity) = (.allocate(capacity: 512), 512)
    begin(kind)
  }

  /// Forgets what it holds and starts the line of a report, in the same memory: what every one of them has.
  mutating func restart(reportAt time: Instant, frame: Int?) {
    count = 0
    guard time.nanoseconds >= 0, frame.map({ $0 >= 0 }) ?? true else {
      begin("report")
      add("time", time)
      return add("frame", frame)
    }
    isEmpty = false
    append("{\"schema\":\"rollcall/1\",\"kind\":\"report\",\"time\":\"")
    instant(time)
    append("\",\"frame\":")
    if let frame { digits(UInt64(frame)) } else { append("null") }
  }

  private mutating func begin(_ kind: String) {
    append("{\"schema\":\"rollcall/1\",\"kind\":\"")
    append(text: kind)
    append("\"")
    isEmpty = false
  }

  deinit { base.deallocate() }

  package mutating func add(_ key: StaticString, _ value: String) {
    name(key)
    quote(value)
  }
  /// Fields that are the same in many lines, with the comma before them.
  mutating func add(fixed text: StaticString) { append(text) }
  package mutating func add(_ key: StaticString, _ value: Int) {
    name(key)
    if value < 0 { append("-") }
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
    append("\"")
    instant(time)
    append("\"")
  }
  /// Seconds with nine decimals of an instant that is not before zero.
  private mutating func instant(_ time: Instant) {
    let (seconds, fraction) = UInt64(time.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    digits(seconds)
    // The leading 1 keeps the zeros, and gives its place to the point.
    let point = count
    reserve(10)
    count &+= 10
    digits(fraction &+ 1_000_000_000, before: base + count)
    base[point] = UInt8(ascii: ".")
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
  package var closed: String { text + "}" }

  private var text: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

  /// Closes the object, and appends it to a buffer.
  mutating func close(into buffer: inout [UInt8]) {
    append("}")
    buffer.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
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
    line.count = 0
    line.quote(value)
    return line.text
  }

  /// Makes room for so many bytes more.
  @inline(__always) private mutating func reserve(_ more: Int) { if capacity &- count < more { grow(more) } }

  @inline(never) private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
  }

  @inline(__always) private mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
  @inline(__always) private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (base + count).initialize(from: start, count: bytes.count)
    count &+= bytes.count
  }
  private mutating func append(byte: UInt8) {
    reserve(1)
    base[count] = byte
    count &+= 1
  }
  private mutating func append(text: String) {
    if text.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil {
      for byte in text.utf8 { append(byte: byte) }
    }
  }

  private mutating func digits(_ number: UInt64) {
    var length = 1
    var limit: UInt64 = 10
    while number >= limit {
      length &+= 1
      if length == 20 { break }
      limit &*= 10
    }
    reserve(length)
    count &+= length
    digits(number, before: base + count)
  }

  /// Writes a number into the bytes that end before `end`.
  @inline(__always) private func digits(_ number: UInt64, before end: UnsafeMutablePointer<UInt8>) {
    var (rest, place) = (number, end)
    while rest >= 100 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      place -= 2
      UnsafeMutableRawPointer(place).storeBytes(of: JSONLine.pair(pair), as: UInt16.self)
      rest = quotient
    }
    if rest >= 10 {
      UnsafeMutableRawPointer(place - 2).storeBytes(of: JSONLine.pair(rest), as: UInt16.self)
    } else {
      place[-1] = 48 &+ UInt8(truncatingIfNeeded: rest)
    }
  }

  /// Two digits as they stand in memory.
  @inline(__always) private static func pair(_ number: UInt64) -> UInt16 {
    let tens = number / 10
    return UInt16(truncatingIfNeeded: 0x3030 &+ tens &+ (number &- tens &* 10) &<< 8).littleEndian
  }

  /// Appends text with the marks around it and what JSON cannot hold in between escaped.
  mutating func quote(_ value: String) {
    append("\"")
    let isDone =
      value.utf8.withContiguousStorageIfAvailable { text in
        guard JSONLine.isPlain(UnsafeRawBufferPointer(text)) else { return false }
        append(text)
        return true
      } ?? false
    if !isDone {
      for byte in value.utf8 { escape(byte) }
    }
    append("\"")
  }

  /// Whether nothing has to be escaped; eight bytes a step.
  private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    let count = text.count
    guard count >= 8, let base = text.baseAddress else {
      return text.allSatisfy { $0 >= 32 && $0 != 34 && $0 != 92 }
    }
    // The highest bit of a byte that is below 32, a quotation mark or a backslash.
    @inline(__always) func odd(_ offset: Int) -> UInt64 {
      let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let mark = word ^ 0x2222_2222_2222_2222
      let slash = word ^ 0x5C5C_5C5C_5C5C_5C5C
      let one: UInt64 = 0x0101_0101_0101_0101
      return (word &- 0x2020_2020_2020_2020) & ~word | (mark &- one) & ~mark | (slash &- one) & ~slash
    }
    // The last bytes, some of them again.
    var found = odd(count &- 8)
    var offset = 0
    while offset &+ 8 <= count {
      found |= odd(offset)
      offset &+= 8
    }
    return found & 0x8080_8080_8080_8080 == 0
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
    default: append(byte: byte)
    }
  }
}
