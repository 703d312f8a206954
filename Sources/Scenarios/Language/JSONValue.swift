import RollcallWire

// A JSON document to be written for people.
extension JSONValue {
  /// The same object with one more member at its end.
  func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members + [Member(name, value)])
  }

  /// A word as JSON has it: true, false and whole numbers are no text.
  static func word(_ text: String) -> JSONValue {
    if text == "true" || text == "false" { return .bool(text == "true") }
    return Int(text).map { .integer($0) } ?? .string(text)
  }

  /// Two blanks a level, short arrays of scalars on one line, a line end at the end.
  var text: String {
    var text = ""
    write(into: &text, margin: "")
    return text + "\n"
  }

  private func write(into text: inout String, margin: String) {
    switch self {
    case .null, .bool, .integer, .number, .string: writeScalar(into: &text)
    case .array(let items) where items.allSatisfy(\.isScalar):
      text += "["
      for (number, item) in items.enumerated() {
        if number > 0 { text += ", " }
        item.write(into: &text, margin: margin)
      }
      text += "]"
    case .array(let items):
      text += "[\n"
      for (number, item) in items.enumerated() {
        text += margin + "  "
        item.write(into: &text, margin: margin + "  ")
        text += number == items.count - 1 ? "\n" : ",\n"
      }
      text += margin + "]"
    case .object(let members) where members.isEmpty: text += "{}"
    case .object(let members):
      text += "{\n"
      for (number, member) in members.enumerated() {
        text += margin + "  "
        JSONValue.write(member.name, into: &text)
        text += ": "
        member.value.write(into: &text, margin: margin + "  ")
        text += number == members.count - 1 ? "\n" : ",\n"
      }
      text += margin + "}"
    }
  }

  private var isScalar: Bool {
    switch self {
    case .null, .bool, .integer, .number, .string: true
    case .array, .object: false
    }
  }
}

/// What a JSON Schema says about a value, with the named parts that it refers to.
struct Schema: Hashable, Sendable {
  var json: JSONValue
  var definitions: [JSONValue.Member] = []

  init(_ json: JSONValue, definitions: [JSONValue.Member] = []) { (self.json, self.definitions) = (json, definitions) }

  /// The same schema as a named part, referred to.
  func named(_ name: String) -> Schema {
    let reference = JSONValue.members(("$ref", .string("#/$defs/\(name)")))
    return Schema(reference, definitions: Schema.merged(definitions, [.init(name, json)]))
  }

  static func merged(_ left: [JSONValue.Member], _ right: [JSONValue.Member]) -> [JSONValue.Member] {
    left + right.filter { member in !left.contains { $0.name == member.name } }
  }

  static func any(of schemas: [Schema]) -> Schema {
    Schema(
      .members(("anyOf", .array(schemas.map(\.json)))),
      definitions: schemas.reduce([]) { merged($0, $1.definitions) })
  }
}
