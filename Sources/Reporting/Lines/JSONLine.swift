package import RollcallPrimitives

/// One compact JSON object, written field by field in the order in which they are added; or one after the other, each a
/// line, where there are many.
///
/// No space after `:` or `,`; text is escaped as JSON asks, hidden characters (`PlainText.isHidden`) as well, so that a
/// line can be looked at in a terminal; everything else above ASCII stays as UTF-8.
package struct JSONLine: ~Copyable {
  /// What is written and not taken yet.
  var memory: TextMemory
  private var isEmpty = true

  package init() {
    memory = TextMemory(capacity: 512)
    memory.append("{")
  }

  /// Starts a line of the schema that all verbs share.
  package init(kind: String) {
    memory = TextMemory(capacity: 512)
    begin(kind)
  }

  /// Starts an object of the schema that all verbs share.
  package mutating func begin(_ kind: String) {
    memory.append("{\"schema\":\"rollcall/1\",\"kind\":\"")
    memory.append(text: kind)
    memory.append("\"")
    isEmpty = false
  }

  /// An object of parts that are made to stand behind others: each of them begins with a comma.
  package static func object(of parts: (inout JSONLine) -> Void) -> String {
    var line = JSONLine()
    line.isEmpty = false
    parts(&line)
    return "{" + line.closed.dropFirst(2)
  }

  /// The object, closed.
  package var closed: String { memory.text + "}" }

  // MARK: - Fields

  package mutating func add(_ key: StaticString, _ value: String) {
    name(key)
    quote(value)
  }
  /// Fields that are the same in many lines, with the comma before them.
  package mutating func add(fixed text: StaticString) { memory.append(text) }
  package mutating func add(_ key: StaticString, _ value: Int) {
    name(key)
    append(value)
  }
  private mutating func append(_ value: Int) {
    if value < 0 { memory.append("-") }
    memory.append(UInt64(value.magnitude))
  }
  package mutating func add(_ key: StaticString, _ value: UInt64) {
    name(key)
    memory.append(value)
  }
  package mutating func add(_ key: StaticString, _ value: Bool) {
    name(key)
    if value { memory.append("true") } else { memory.append("false") }
  }
  package mutating func addNull(_ key: StaticString) {
    name(key)
    memory.append("null")
  }
  package mutating func add(_ key: StaticString, _ value: Int?) {
    if let value { add(key, value) } else { addNull(key) }
  }
  /// Seconds with nine decimals, as text.
  package mutating func add(_ key: StaticString, _ time: Instant) { add(key, time.description) }
  /// Adds text that is JSON already.
  package mutating func add(_ key: StaticString, raw: String) {
    name(key)
    memory.append(text: raw)
  }
  /// Appends text that is JSON already, as a member of a list.
  package mutating func add(raw: String) { memory.append(text: raw) }
  package mutating func add(_ key: StaticString, _ values: [String]) {
    add(key, values) { line, value in line.quote(value) }
  }
  package mutating func add(_ key: StaticString, object: [(String, Int)]) {
    add(key, object: object) { line, value in line.append(value) }
  }
  package mutating func add(_ key: StaticString, object: [(String, String)]) {
    add(key, object: object) { line, value in line.quote(value) }
  }
  private mutating func add<Value>(
    _ key: StaticString, object: [(String, Value)], _ write: (inout JSONLine, Value) -> Void
  ) {
    name(key)
    memory.append("{")
    for (index, member) in object.enumerated() {
      if index > 0 { memory.append(",") }
      quote(member.0)
      memory.append(":")
      write(&self, member.1)
    }
    memory.append("}")
  }
  /// A list whose members `write` appends one by one.
  package mutating func add<Member>(_ key: StaticString, _ members: [Member], _ write: (inout JSONLine, Member) -> Void)
  {
    name(key)
    memory.append("[")
    for (index, member) in members.enumerated() {
      if index > 0 { memory.append(",") }
      write(&self, member)
    }
    memory.append("]")
  }

  private mutating func name(_ key: StaticString) {
    // Keys are ours and plain.
    if isEmpty { memory.append("\"") } else { memory.append(",\"") }
    isEmpty = false
    memory.append(key)
    memory.append("\":")
  }

  // MARK: - Text

  package static func quoted(_ value: String) -> String {
    var line = JSONLine()
    line.memory.removeAll()
    line.quote(value)
    return line.memory.text
  }

  /// Appends text with the marks around it and what JSON cannot hold in between escaped.
  mutating func quote(_ value: String) {
    var value = value
    memory.append("\"")
    value.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    memory.append("\"")
  }

  @inline(never) private mutating func append(_ text: UnsafeRawBufferPointer) {
    if PlainText.isPlain(text) { return memory.append(text) }
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if let escape = PlainText.jsonEscape(of: scalar) {
        memory.append(text: escape)
      } else if scalar.isASCII {
        memory.append(byte: UInt8(truncatingIfNeeded: scalar.value))
      } else {
        memory.append(text: String(scalar))
      }
    }
  }
}

// MARK: - Many lines

extension JSONLine {
  /// No object at all yet; many are to come.
  package init(linesOf capacity: Int) { memory = TextMemory(capacity: capacity) }

  /// The bytes of all lines since they were taken last.
  var byteCount: Int { memory.count }

  /// Hands the bytes over, which are valid while `body` runs, and forgets them.
  mutating func take(_ body: (UnsafeRawBufferPointer) -> Void) {
    body(UnsafeRawBufferPointer(memory.bytes))
    memory.removeAll()
  }

  /// A line that is written already.
  mutating func append(line: String) {
    memory.append(text: line)
    memory.append("\n")
  }

  /// Ends the object and its line.
  mutating func end() { memory.append("}\n") }

  /// Starts the line of a report: what every one of them has.
  package mutating func begin(reportAt time: Instant, frame: Int?) {
    guard time.nanoseconds >= 0, frame.map({ $0 >= 0 }) ?? true else {
      begin("report")
      add("time", time)
      return add("frame", frame)
    }
    isEmpty = false
    memory.reserve(128)
    memory.put("{\"schema\":\"rollcall/1\",\"kind\":\"report\",\"time\":\"")
    memory.put(time)
    memory.put("\",\"frame\":")
    if let frame { memory.put(UInt64(frame)) } else { memory.put("null") }
  }

  /// Puts text where there is room for it and the marks; where it becomes longer, `room` is made again.
  @inline(__always) mutating func put(_ text: UnsafeRawBufferPointer, _ isPlain: Bool, _ room: Int) {
    memory.put(UInt8(ascii: "\""))
    if isPlain { memory.put(text) } else { append(text) }
    if !isPlain { memory.reserve(room + 1) }
    memory.put(UInt8(ascii: "\""))
  }
}
