import RollcallExpectations
import RollcallWire
import Testing

@testable import RollcallScenarios

/// The page for people, of a schema that has each form once; and words folded on lines.
@Suite("The reference of a schema") struct ReferencePageTests {
  private func object(_ properties: [(String, JSONValue)], _ more: [(String, JSONValue)] = []) -> JSONValue {
    let members = properties.map { JSONValue.Member($0.0, $0.1) }
    let head: [JSONValue.Member] = [.init("type", .string("object")), .init("properties", .object(members))]
    return .object(head + more.map { JSONValue.Member($0.0, $0.1) })
  }
  private func value(_ name: String, _ more: [(String, JSONValue)] = []) -> JSONValue {
    let head: [JSONValue.Member] = [.init("type", .string(name))]
    return .object(head + more.map { JSONValue.Member($0.0, $0.1) })
  }
  private func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
  private func anyOf(_ forms: [JSONValue]) -> JSONValue { .members(("anyOf", .array(forms))) }

  /// The tables of mappings and parts, without the head and the catalogues that every page has.
  private func tables(_ schema: Schema) throws -> String {
    var reference = ScenarioReference()
    let page = reference.text(of: schema)
    let start = try #require(page.firstRange(of: "## A scenario")).lowerBound
    let end = try #require(page.firstRange(of: "\n## Quirks of devices")).lowerBound
    return String(page[start..<end])
  }

  private func table(_ title: String, _ rows: [String]) -> String {
    let lines = rows.map { "| \($0) |\n" }.joined()
    return "\(title)\n\n| key | what stands there | meaning |\n|---|---|---|\n\(lines)"
  }
  private let parts = "\n## Parts that are used in several places\n\n"

  @Test("each form of a scalar has its words, the first example and no more")
  func scalars() throws {
    let numbers = (1...61).map { JSONValue.integer($0) }
    let listed = (1...60).map { "`\($0)`" }.joined(separator: ", ")
    let mixed: [JSONValue] = [.string("a"), .bool(false), .bool(true), .integer(3), .number("1.5"), .null]
    let described: [(String, JSONValue)] = [("description", .string("D|E")), ("default", .integer(7))]
    let examples: [(String, JSONValue)] = [("examples", strings(["x|y", "z"])), ("pattern", .string("q"))]
    let rows: [(key: String, json: JSONValue, line: String)] = [
      ("bare", .object([]), "text | "), ("word", .members(("const", .string("w"))), "`w` | "),
      ("words", .members(("enum", .array(mixed))), "`a`, `false`, `true`, `3`, `1.5` | "),
      ("sixty", .members(("enum", .array(Array(numbers.prefix(60))))), "\(listed) | "),
      ("more", .members(("enum", .array(numbers))), "one of the names in the tables below | "),
      (
        "both", value("integer", [("minimum", .integer(1)), ("maximum", .integer(9))]), "a whole number from 1 to 9 | "
      ),
      ("least", value("integer", [("minimum", .integer(1))]), "a whole number from 1 on | "),
      ("most", value("integer", [("maximum", .integer(9))]), "a whole number | "),
      ("whole", value("integer", described), "a whole number | D\\|E `7` by default."),
      ("flag", value("boolean", [("default", .bool(false))]), "`true` or `false` |  `false` by default."),
      ("number", value("number", [("default", .array([]))]), "a number | "),
      ("example", value("string", examples), "text as `x\\|y` | "),
      ("pattern", value("string", [("pattern", .string("p|q"))]), "text of the form `p\\|q` | "),
      ("part", .members(("$ref", .string("#/$defs/size"))), "[size](#size) | "),
    ]
    let schema = Schema(object(rows.map { ($0.key, $0.json) }, [("required", strings(["word", "flag"]))]))
    let lines = rows.map { row -> String in
      let end = row.key == "word" || row.key == "flag" ? " Required." : ""
      return "`\(row.key)` | \(row.line)\(end)"
    }
    try expectEqual(tables(schema), table("## A scenario", lines) + parts)
  }

  @Test("a mapping has a table behind the one that names it, once, and a list or names say what is in them")
  func mappings() throws {
    let leaf = object([("x", value("number"))])
    let choice: JSONValue = .array([
      .members(("required", strings(["m", "second"]))), .members(("required", strings(["n"]))),
    ])
    let deep = object([("m", leaf), ("n", value("boolean"))], [("oneOf", choice)])
    let reference = JSONValue.members(("$ref", .string("#/$defs/size")))
    let again = deep.adding("description", .string("Again.")).adding("default", .string("{}"))
    let names = value("object", [("additionalProperties", value("array", [("items", object([("y", reference)]))]))])
    let schema = Schema(
      object([
        ("deep", deep), ("again", again), ("free", value("object")),
        ("closed", value("object", [("additionalProperties", .bool(false))])),
        ("lists", value("object", [("additionalProperties", value("array"))])),
        ("parts", value("object", [("additionalProperties", reference)])), ("names", names),
        ("items", value("array", [("items", object([("z", .object([]))]))])),
      ]))
    let rows: [String] = [
      "`deep` | a mapping, see `deep` | ", "`again` | a mapping, see `deep` | Again. `{}` by default.",
      "`free` | a mapping | ", "`closed` | a mapping | ", "`lists` | names, each with a list | ",
      "`parts` | names, each with [size](#size) | ",
      "`names` | names, each with a list of: a mapping, see `names.NAME[]` | ",
      "`items` | a list of: a mapping, see `items[]` | ",
    ]
    let deepRows: [String] = ["`m` | a mapping, see `deep.m` | ", "`n` | `true` or `false` | "]
    let expected: [String] = [
      table("## A scenario", rows), table("### `deep`\n\nExactly one of `m`, `n`.", deepRows),
      table("### `deep.m`", ["`x` | a number | "]), table("### `names.NAME[]`", ["`y` | [size](#size) | "]),
      table("### `items[]`", ["`z` | text | "]),
    ]
    try expectEqual(tables(schema), expected.joined(separator: "\n") + parts)
  }

  @Test("of several forms each mapping is called by its constant word, else by its number from the second on")
  func forms() throws {
    let word = JSONValue.members(("const", .string("w")))
    let either = anyOf([object([("q", value("number"))]), object([("r", value("boolean"))])])
    let kinds = anyOf([object([("a", value("number")), ("kind", word)]), object([("s", word)]), value("string")])
    let schema = Schema(
      object([("either", either)]),
      definitions: [.init("size", value("integer")), .init("kinds", kinds), .init("time", value("string"))])
    let whole: [String] = [
      table("## A scenario", ["`either` | a mapping, see `either`, or a mapping, see `either, form 2` | "]),
      table("### `either`", ["`q` | a number | "]), table("### `either, form 2`", ["`r` | `true` or `false` | "]),
    ]
    let named: [String] = [
      "### kinds\n\nA mapping, see `kinds with kind: w`, or a mapping, see `kinds with s: w`, or text.\n",
      table("### `kinds with kind: w`", ["`a` | a number | ", "`kind` | `w` | "]),
      table("### `kinds with s: w`", ["`s` | `w` | "]), "### size\n\nA whole number.\n", "### time\n\nText.\n",
    ]
    try expectEqual(tables(schema), whole.joined(separator: "\n") + parts + named.joined(separator: "\n"))
  }

  // MARK: Lines

  @Test("words are folded on lines of at most so many bytes, and a longer one has a line of its own")
  func folded() {
    let table: [(text: String, width: Int, lines: [String])] = [
      ("", 3, [""]), ("   ", 3, [""]), ("a bb", 4, ["a bb"]), ("a bb", 3, ["a", "bb"]), ("a bb c", 4, ["a bb", "c"]),
      ("aaaaa b", 3, ["aaaaa", "b"]), ("b aaaaa b", 3, ["b", "aaaaa", "b"]), (" a  b ", 3, ["a b"]),
      ("\u{E9} b", 4, ["\u{E9} b"]), ("\u{E9} b", 3, ["\u{E9}", "b"]), ("a b", 0, ["a", "b"]),
    ]
    for (text, width, lines) in table { expectEqual(ScenarioPrinter.folded(text, width: width), lines, "\(text)") }
  }

  @Test("a payload whose first line is too long for itself goes on behind it, and one without line ends stays whole")
  func payloads() {
    let long = String(repeating: "a", count: 120)
    let end = "\\r\\n"
    let table: [(line: String, broken: String)] = [
      ("- text: \"\(long)\"", "- text: \"\(long)\""), ("- text: \"\(long)\(end)\"", "- text: \"\(long)\(end)\""),
      ("- text: \"\(long)\(end)b\"", "- text: \"\(long)\(end)\\\n    b\""),
      ("- text: \"\(long)\(end)b\(end)\"", "- text: \"\(long)\(end)\\\n    b\(end)\""),
      ("- text: \"\(end)\(long)\"", "- text: \"\(end)\\\n    \(long)\""),
    ]
    for (line, broken) in table { expectEqual(ScenarioPrinter.broken(line), broken, "\(line)") }
  }
}
