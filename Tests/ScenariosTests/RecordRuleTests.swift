import RollcallExpectations
import RollcallWire
import Testing

@testable import RollcallScenarios

private struct Lamp: Equatable, Sendable {
  var name = ""
  var level = 3
  var note = ""
  var left: Int?
  var right: Int?
}

private struct Room: Equatable, Sendable {
  var lamp = Lamp()
  var size: Int?
}

/// A mapping with a key of each kind: what is read, what is said against it and where, what is written.
@Suite("Mappings with known keys") struct RecordRuleTests {
  private static let digit = Form<Int>.integer(0...9)

  private static func fields(_ choice: Choice) -> [Field<Lamp>] {
    [
      .required("name", \.name, Form<String>.line("a name", example: "tv"), "What it is called."),
      .key("level", \.level, digit, default: 3, "How bright it is.").alias("brightness"),
      .key("note", \.note, Form<String>.text(), default: "", "What is said of it."),
      .optional("left", \.left, digit, choice: choice, "On the left."),
      .optional("right", \.right, digit, choice: choice, "On the right."),
    ]
  }
  private static let lamp = Form<Lamp>.record(Lamp(), fields(Choice(name: "side")))
  private static let freeLamp = Form<Lamp>.record(Lamp(), fields(Choice(name: "side", isRequired: false)))

  private func said<Value: Equatable & Sendable>(_ form: Form<Value>, _ yaml: String) throws -> [String] {
    var reader = Reader()
    let isRead = try form.read(Composer.tree(of: yaml).get(), &reader) != nil
    expectEqual(isRead, reader.complaints.isEmpty, "\(yaml)")
    return reader.complaints.map { $0.error(in: "x").description }
  }

  @Test("each key sets its value, left out it leaves the default, and a second spelling is read like the first")
  func values() throws {
    let table: [(yaml: String, lamp: Lamp, written: String, full: String)] = [
      (
        "{name: a, left: 1}", Lamp(name: "a", left: 1), "{name: a, left: 1}",
        "{name: a, level: 3, note: \"\", left: 1}"
      ),
      (
        "{right: 0, note: x, level: 9, name: b}", Lamp(name: "b", level: 9, note: "x", right: 0),
        "{name: b, level: 9, note: x, right: 0}", "{name: b, level: 9, note: x, right: 0}"
      ),
      (
        "{name: a, brightness: 4, left: 1}", Lamp(name: "a", level: 4, left: 1), "{name: a, level: 4, left: 1}",
        "{name: a, level: 4, note: \"\", left: 1}"
      ),
      (
        "{name: a, level: 3, note: '', left: 2}", Lamp(name: "a", left: 2), "{name: a, left: 2}",
        "{name: a, level: 3, note: \"\", left: 2}"
      ),
    ]
    for (yaml, lamp, written, full) in table {
      for form in [Self.lamp, Self.freeLamp] {
        let (value, said) = try FormBench.read(form, yaml)
        expectEqual(value, lamp, "\(yaml)")
        expectEqual(said, [])
        expectEqual(form.write(lamp, false).flow, written)
        expectEqual(form.write(lamp, true).flow, full)
      }
    }
    let (free, _) = try FormBench.read(Self.freeLamp, "{name: a}")
    expectEqual(free, Lamp(name: "a"))
  }

  @Test("missing and unknown keys of a mapping are reported, each once and at its place")
  func refusals() throws {
    let number = "is not a whole number from 0 to 9 such as 3"
    let table: [(yaml: String, said: [String])] = [
      ("{name: a}", ["x:1:1: error: missing one of the keys left, right"]),
      ("{left: 1}", ["x:1:1: error: missing key 'name'"]), ("{right: 1}", ["x:1:1: error: missing key 'name'"]),
      ("{}", ["x:1:1: error: missing key 'name'"]),
      // A misspelt choice is no missing one, too.
      ("{name: a, lefty: 1}", ["x:1:11: error: unknown key 'lefty', did you mean 'left'?"]),
      (
        "{name: a, left: 1, zzzzzzzz: 1}",
        ["x:1:20: error: unknown key 'zzzzzzzz'; known are name, level, note, left, right"]
      ),
      (
        "{name: a, left: 1, right: 2}",
        ["x:1:20: error: 'right' cannot stand beside 'left': only one of them"]
      ),
      // The second of two is not looked into.
      (
        "{name: a, left: 1, right: x}",
        ["x:1:20: error: 'right' cannot stand beside 'left': only one of them"]
      ),
      (
        "{name: a, right: 1, left: 2}",
        ["x:1:21: error: 'left' cannot stand beside 'right': only one of them"]
      ),
      ("{name: a, left: x}", ["x:1:17: error: 'x' \(number) (at left)"]),
      (
        "{name: [], level: 10, left: 1}",
        [
          "x:1:8: error: expected a name such as tv, found an empty list (at name)",
          "x:1:19: error: '10' \(number) (at level)",
        ]
      ),
      ("{name: a, brightness: 10, left: 1}", ["x:1:23: error: '10' \(number) (at brightness)"]),
      ("[a]", ["x:1:1: error: expected a mapping, found a list"]),
      ("a", ["x:1:1: error: expected a mapping, found 'a'"]),
    ]
    for (yaml, expected) in table { try expectEqual(said(Self.lamp, yaml), expected, "\(yaml)") }
    for (yaml, expected) in [
      ("{name: a}", []), ("{name: a, right: 1}", []),
      (
        "{name: a, right: 1, left: 2}",
        ["x:1:21: error: 'left' cannot stand beside 'right': only one of them"]
      ), ("{}", ["x:1:1: error: missing key 'name'"]),
    ] as [(String, [String])] {
      try expectEqual(said(Self.freeLamp, yaml), expected, "\(yaml)")
    }
  }

  @Test("complaints of before do not hide what is missing now")
  func earlier() {
    var reader = Reader()
    reader.complain("earlier", at: .none)
    let named = Tree.mapping([("name", .scalar("a"))])
    expectEqual(Self.lamp.read(named, &reader), nil)
    expectEqual(reader.complaints.map(\.message), ["earlier", "missing one of the keys left, right"])
    let whole = Tree.mapping([("name", .scalar("a")), ("left", .scalar("5"))])
    expectEqual(Self.lamp.read(whole, &reader), Lamp(name: "a", left: 5))
    expectEqual(reader.complaints.count, 2)
  }

  @Test("the whole is looked at once all of its keys are read, and only then")
  func checks() throws {
    let form = Form<Lamp>.record(
      Lamp(),
      [
        .optional("left", \.left, Self.digit, "On the left."),
        .optional("right", \.right, Self.digit, "On the right."),
      ],
      check: { (lamp: Lamp, tree: Tree, reader: inout Reader) -> Bool in
        if lamp.left != lamp.right { return true }
        reader.complain("both alike", at: tree.mark)
        return false
      })
    try expectEqual(said(form, "{left: 1, right: 2}"), [])
    try expectEqual(said(form, "{left: 1}"), [])
    try expectEqual(said(form, "{left: 1, right: 1}"), ["x:1:1: error: both alike"])
    try expectEqual(said(form, "{}"), ["x:1:1: error: both alike"])
    try expectEqual(
      said(form, "{left: x}"), ["x:1:8: error: 'x' is not a whole number from 0 to 9 such as 3 (at left)"])
  }

  @Test("the schema names each key with its meaning and its default, and what has to be there")
  func schemas() {
    let number = #""type":"integer","minimum":0,"maximum":9"#
    let parts: [String] = [
      #"{"type":"object","properties":{"#,
      #""name":{"type":"string","minLength":1,"description":"What it is called."},"#,
      #""level":{\#(number),"description":"How bright it is.","default":3},"#,
      #""note":{"type":"string","description":"What is said of it."},"#,
      #""left":{\#(number),"description":"On the left."},"#,
      #""right":{\#(number),"description":"On the right."}},"#,
      #""additionalProperties":false,"required":["name"]"#,
    ]
    let properties = parts.joined()
    expectEqual(
      Self.lamp.schema.json.line, properties + #","oneOf":[{"required":["left"]},{"required":["right"]}]}"#)
    expectEqual(Self.freeLamp.schema.json.line, properties + "}")
    expectEqual(Self.lamp.schema.definitions, [])
    let free = Form<Lamp>.record(Lamp(), [.optional("left", \.left, Self.digit.named("digit"), "On the left.")])
    expectEqual(
      free.schema.json.line,
      ##"{"type":"object","properties":{"left":{"$ref":"#/$defs/digit","description":"On the left."}},"##
        + #""additionalProperties":false}"#)
    expectEqual(free.schema.definitions.map(\.name), ["digit"])
  }

  @Test("the default in a schema is the value as it is written in full, if that is one word")
  func fallbacks() {
    let wordy = Form<Int>(
      schema: Self.digit.schema, read: { _, _ in 0 },
      write: { value, full in value == 0 ? .list([]) : .scalar(full ? "full \(value)" : "short \(value)") })
    func fallback(_ value: Int) -> String? {
      Field<Lamp>.key("level", \.level, wordy, default: value, "How bright it is.").key.fallback
    }
    expectEqual(fallback(3), "full 3")
    expectEqual(fallback(0), nil)
    expectEqual(Self.fields(Choice(name: "side")).map(\.key.fallback), [nil, "3", nil, nil, nil])
    expectEqual(Self.fields(Choice(name: "side")).map(\.key.isRequired), [true, false, false, false, false])
    expectEqual(Self.fields(Choice(name: "side")).map(\.key.alias), [nil, "brightness", nil, nil, nil])
  }

  @Test("keys of a part stand beside those of the whole")
  func lifted() throws {
    let own: [Field<Room>] = [.optional("size", \.size, Self.digit, "How large it is.")]
    let form = Form<Room>.record(Room(), Self.fields(Choice(name: "side")).map { $0.lifted(\Room.lamp) } + own)
    let room = Room(lamp: Lamp(name: "a", level: 1, right: 2), size: 4)
    let (value, said) = try FormBench.read(form, "{size: 4, level: 1, name: a, right: 2}")
    expectEqual(value, room)
    expectEqual(said, [])
    expectEqual(form.write(room, false).flow, "{name: a, level: 1, right: 2, size: 4}")
    expectEqual(form.write(room, true).flow, "{name: a, level: 1, note: \"\", right: 2, size: 4}")
  }
}
