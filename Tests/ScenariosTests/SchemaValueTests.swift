import RollcallExpectations
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Schemas as values, the JSON that they print, and errors with their places.
@Suite("Schema values and errors") struct SchemaValueTests {
  @Test("JSON for people has two blanks a level, and short arrays of scalars on one line")
  func printed() {
    let nested: JSONValue = .array([
      .members(("x", .integer(1)), ("y", .integer(-2))), .integer(3), .array([]), .array([.integer(4), .integer(5)]),
      .object([]),
    ])
    let flat: JSONValue = .array([.null, .bool(true), .number("1.50"), .string("a\"b")])
    let value: JSONValue = .members(
      ("empty", .object([])), ("none", .array([])), ("one", .array([.integer(1)])), ("flat", flat),
      ("quoted \"name\"", .bool(false)), ("deep", nested))
    expectEqual(
      value.text,
      #"""
      {
        "empty": {},
        "none": [],
        "one": [1],
        "flat": [null, true, 1.50, "a\"b"],
        "quoted \"name\"": false,
        "deep": [
          {
            "x": 1,
            "y": -2
          },
          3,
          [],
          [4, 5],
          {}
        ]
      }

      """#)
    let rows: [(value: JSONValue, text: String)] = [
      (.null, "null\n"), (.bool(false), "false\n"), (.integer(7), "7\n"), (.number("1e3"), "1e3\n"),
      (.string("a"), "\"a\"\n"), (.array([]), "[]\n"), (.object([]), "{}\n"),
      (.array([.array([.integer(1)]), .array([])]), "[\n  [1],\n  []\n]\n"),
      (.array([.object([])]), "[\n  {}\n]\n"), (.members(("a", .null)), "{\n  \"a\": null\n}\n"),
    ]
    for (value, text) in rows { expectEqual(value.text, text) }
  }

  @Test("a member is added at the end of an object, and a value that is no object stays as it is")
  func added() {
    let object: JSONValue = .members(("b", .integer(1)))
    expectEqual(object.adding("a", .null), .members(("b", .integer(1)), ("a", .null)))
    expectEqual(JSONValue.object([]).adding("a", .null), .members(("a", .null)))
    for other in [.null, .integer(1), .string("x"), .array([object])] as [JSONValue] {
      expectEqual(other.adding("a", .null), other)
    }
  }

  @Test("a word of JSON is true, false or a whole number, else a string")
  func words() {
    let rows: [(text: String, value: JSONValue)] = [
      ("true", .bool(true)), ("false", .bool(false)), ("True", .string("True")), ("0", .integer(0)),
      ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)),
      ("9223372036854775808", .string("9223372036854775808")), ("7s", .string("7s")), ("1.5", .string("1.5")),
      ("", .string("")), ("null", .string("null")),
    ]
    for (text, value) in rows { expectEqual(JSONValue.word(text), value, "\(text)") }
  }

  @Test("a named schema is a reference, and its definition comes after those that it needs, each once")
  func schemas() {
    let (a, b): (JSONValue.Member, JSONValue.Member) = (.init("a", .integer(1)), .init("b", .integer(2)))
    let other = JSONValue.Member("a", .integer(3))
    expectEqual(Schema.merged([], []), [])
    expectEqual(Schema.merged([a], [b]), [a, b])
    expectEqual(Schema.merged([b], [a]), [b, a])
    expectEqual(Schema.merged([a], [other, b]), [a, b])
    expectEqual(Schema.merged([b, other], [a]), [b, other])
    let plain = Schema(.string("p"))
    expectEqual(plain.definitions, [])
    let named = Schema(.string("x"), definitions: [a]).named("n")
    expectEqual(named.json, .members(("$ref", .string("#/$defs/n"))))
    expectEqual(named.definitions, [a, JSONValue.Member("n", .string("x"))])
    // What has this name already keeps it.
    expectEqual(Schema(.string("x"), definitions: [a]).named("a").definitions, [a])
    let either = Schema.any(of: [plain, named, Schema(.null, definitions: [other, b])])
    expectEqual(either.json, .members(("anyOf", .array([.string("p"), named.json, .null]))))
    expectEqual(either.definitions, [a, JSONValue.Member("n", .string("x")), b])
    expectEqual(Schema.any(of: []), Schema(.members(("anyOf", .array([])))))
  }

  @Test("a place outside every file is line 0 and column 0, and all places are equal")
  func places() {
    expectEqual(Place.none.line, 0)
    expectEqual(Place.none.column, 0)
    expectEqual(Place.none.text(in: "f"), "f")
    let place = Place(Tree.Mark(line: 6, column: 5))
    expectEqual(place.line, 6)
    expectEqual(place.column, 5)
    expectEqual(place.text(in: "f"), "f:6:5")
    expectEqual(place, Place.none)
    expectEqual(Set([place, Place.none, Place(line: 1, column: 2)]).count, 1)
  }

  @Test("a complaint becomes an error of a file, with its path where there is one")
  func complaints() throws {
    let mark = Tree.Mark(line: 3, column: 4)
    let whole = Complaint(path: TreePath(), mark: mark, message: "m")
    expectEqual(whole.error(in: "f"), ScenarioError(file: "f", line: 3, column: 4, message: "m"))
    let path = try #require(TreePath("a[0].b"))
    let part = Complaint(path: path, mark: mark, message: "m")
    expectEqual(part.error(in: "f"), ScenarioError(file: "f", line: 3, column: 4, message: "m (at a[0].b)"))
    let unplaced = Complaint(path: path, mark: .none, message: "n")
    let errors = ScenarioErrors([whole.error(in: "f"), unplaced.error(in: "f")])
    expectEqual(errors.description, "f:3:4: error: m\nf: error: n (at a[0].b)")
    expectEqual(ScenarioErrors([]).description, "")
    expectEqual(ScenarioErrors.countMaximum, 20)
  }

  @Test("the nearest of many words is the first of those with the fewest slips, wherever it stands")
  func nearestOfMany() {
    let rows: [(written: String, known: [String], near: String?)] = [
      ("abcdef", ["uvwxyz", "abcxyz", "abcdxy", "abcdez"], "abcdez"),
      ("abcdef", ["abcdez", "abcdey", "abcxyz"], "abcdez"),
      ("abcdef", ["abcdefghi", "abcdefgh", "abcdefg"], "abcdefg"),
      ("abcdef", ["abc", "abcd", "abcde"], "abcde"), ("abcdef", ["abcdefghi"], "abcdefghi"),
      ("abcdef", ["abcdefghij"], nil), ("abcdef", ["abcd"], "abcd"), ("abcdef", ["abc"], nil),
      // One slip away, and nothing of it is left: the next one is not taken instead.
      ("ab", ["a", "abcd"], nil), ("abcd", [""], nil), ("", [""], nil), ("abcd", [], nil),
    ]
    for (written, known, near) in rows { expectEqual(nearest(to: written, of: known), near, "\(written) \(known)") }
  }

  @Test("slips of every kind add up")
  func manySlips() {
    let rows: [(left: String, right: String, distance: Int)] = [
      ("abcd", "badc", 2), ("abcd", "bacd", 1), ("abcd", "acbd", 1), ("abcd", "abdc", 1), ("abc", "cab", 2),
      ("abcd", "", 4), ("", "abcd", 4), ("abcd", "efgh", 4), ("abcd", "xbacd", 2), ("abcd", "bad", 2),
      ("aab", "aba", 1),
    ]
    for (left, right, distance) in rows {
      expectEqual(editDistance(Array(left.utf8), Array(right.utf8)), distance, "\(left) \(right)")
    }
  }
}
