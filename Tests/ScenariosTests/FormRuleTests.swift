import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// The parts that forms are made of, each alone: what they read, what they say against a tree, what they write.
@Suite("Forms of values alone") struct FormRuleTests {
  private static let digit = Form<Int>.integer(0...9)

  /// What is said against a tree without places, each with its path.
  private func said<Value: Sendable>(_ form: Form<Value>, _ tree: Tree) -> [String] {
    var reader = Reader()
    let value = form.read(tree, &reader)
    let isRead = value != nil
    // What is complained of is not read, and what is not read is complained of.
    expectEqual(isRead, reader.complaints.isEmpty, "\(tree.flow)")
    expectEqual(reader.path, TreePath())
    return reader.complaints.map { $0.error(in: "x").description }
  }

  @Test("a message quotes at most forty characters of a text, on one line")
  func shortenedTexts() {
    let forty = String(repeating: "a", count: 40)
    let table: [(text: String, told: String)] = [
      ("", ""), ("a", "a"), (String(forty.dropLast()), String(forty.dropLast())), (forty, forty),
      (forty + "b", forty + "…"), (forty + "bc", forty + "…"), ("a\nb", "a b"), ("a\r\nb\rc", "a b c"),
      ("\n", " "), (String(repeating: "\u{E9}", count: 40), String(repeating: "\u{E9}", count: 40)),
    ]
    for (text, told) in table { expectEqual(shortened(text), told, "\(text)") }
  }

  @Test("a name has letters, digits, '-' and '_', a letter first, and at most 64 of them")
  func names() {
    let all: [String] = (UInt8(0)..<128).map { String(UnicodeScalar($0)) }
    let (upper, lower) = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
    expectEqual(all.filter { isName($0) }.joined(), upper + lower)
    expectEqual(all.filter { isName("a" + $0) }.joined(), "-0123456789" + upper + "_" + lower)
    expectEqual(all.filter { isName("a" + $0 + "a") }.joined(), "-0123456789" + upper + "_" + lower)
    for (text, isRight) in [
      ("", false), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
      ("\u{E9}", false), ("a\u{E9}", false), ("a b", false), ("-a", false), ("0a", false), ("_a", false),
    ] as [(String, Bool)] {
      expectEqual(isName(text), isRight, "\(text)")
    }
  }

  @Test("a tree that is no scalar, a missing unit, a value too large and one without meaning have a message each")
  func scalars() {
    let long = String(repeating: "x", count: 41)
    let share = "a share such as 10%, 0.5% or 1/3"
    let table: [(tree: Tree, said: [String])] = [
      (.scalar("10%"), []), (.scalar("1/3"), []),
      (.scalar("10"), ["x: error: '10' has no unit: a share is written such as 10%, 0.5% or 1/3"]),
      (.scalar("0.5"), ["x: error: '0.5' has no unit: a share is written such as 10%, 0.5% or 1/3"]),
      (.scalar("x"), ["x: error: 'x' is not \(share)"]), (.scalar(""), ["x: error: '' is not \(share)"]),
      (.scalar(long), ["x: error: '\(long.dropLast())…' is not \(share)"]),
      (Tree(.nothing), ["x: error: expected \(share), found nothing"]),
      (.list([]), ["x: error: expected \(share), found an empty list"]),
      (.list([.scalar("10%")]), ["x: error: expected \(share), found a list"]),
      (.mapping([]), ["x: error: expected \(share), found a mapping"]),
      (.mapping([("a", .scalar("b"))]), ["x: error: expected \(share), found a mapping"]),
    ]
    for (tree, expected) in table { expectEqual(said(Form<Ratio>.ratio, tree), expected, "\(tree.flow)") }
    let drift = Form<Int64>.partsPerMillion
    expectEqual(said(drift, .scalar("500000ppm")), [])
    expectEqual(
      said(drift, .scalar("500001ppm")),
      ["x: error: '500001ppm' is too large: a drift goes up to 500000ppm either way"])
    expectEqual(
      said(drift, .scalar("5")), ["x: error: '5' has no unit: a drift is written such as 100ppm or -50ppm"])
    expectEqual(said(drift, .scalar("ppm")), ["x: error: 'ppm' is not a drift such as 100ppm or -50ppm"])
    // What has no unit lacks none.
    expectEqual(said(Self.digit, .scalar("9")), [])
    expectEqual(said(Self.digit, .scalar("10")), ["x: error: '10' is not a whole number from 0 to 9 such as 3"])
    expectEqual(said(Self.digit, .scalar("x")), ["x: error: 'x' is not a whole number from 0 to 9 such as 3"])
  }

  @Test("a list is read up to its bound, with a complaint for each item that cannot be read")
  func lists() {
    let form = Form<[Int]>.list(of: Self.digit, countMaximum: 2)
    func list(_ words: [String]) -> Tree { .list(words.map { .scalar($0) }) }
    let number = "is not a whole number from 0 to 9 such as 3"
    let table: [(tree: Tree, said: [String])] = [
      (list([]), []), (list(["1"]), []), (list(["1", "2"]), []),
      (list(["1", "2", "3"]), ["x: error: a list of 3, at most 2 are allowed"]),
      (list(["x", "y", "z"]), ["x: error: a list of 3, at most 2 are allowed"]),
      (list(["x", "2"]), ["x: error: 'x' \(number) (at [0])"]),
      (list(["1", "y"]), ["x: error: 'y' \(number) (at [1])"]),
      (list(["x", "y"]), ["x: error: 'x' \(number) (at [0])", "x: error: 'y' \(number) (at [1])"]),
      (Tree(.nothing), ["x: error: expected a list, found nothing"]),
      (.scalar("1"), ["x: error: expected a list, found '1'"]),
      (.mapping([]), ["x: error: expected a list, found a mapping"]),
    ]
    for (tree, expected) in table { expectEqual(said(form, tree), expected, "\(tree.flow)") }
    expectEqual(FormBench.read(form, list(["7", "0"])).value, [7, 0])
    expectEqual(form.write([7, 0], false), list(["7", "0"]))
    expectEqual(form.schema.json.line, #"{"type":"array","items":{"type":"integer","minimum":0,"maximum":9}}"#)
    expectEqual(form.schema.definitions, [])
    let outer = Form<[Int]>.list(of: Self.digit.named("digit"))
    expectEqual(outer.schema.json.line, ##"{"type":"array","items":{"$ref":"#/$defs/digit"}}"##)
    expectEqual(outer.schema.definitions.map(\.name), ["digit"])
  }

  @Test("a mapping of names keeps their order; what is no name is not looked into")
  func namedValues() {
    let form = Form<[Named<Int>]>.named("digits", Self.digit)
    let no = "is no name: letters, digits, '-' and '_', a letter first, at most 64"
    let number = "is not a whole number from 0 to 9 such as 3"
    let table: [(tree: Tree, said: [String])] = [
      (.mapping([]), []), (.mapping([("b", .scalar("1")), ("a", .scalar("2"))]), []),
      (.mapping([("2a", .scalar("1"))]), ["x: error: '2a' \(no)"]),
      (.mapping([("2a", .scalar("x"))]), ["x: error: '2a' \(no)"]),
      (.mapping([("a", .scalar("x"))]), ["x: error: 'x' \(number) (at a)"]),
      (
        .mapping([("a b", .scalar("x")), ("c", .scalar("y")), ("d", .scalar("1")), ("e", .list([]))]),
        [
          "x: error: 'a b' \(no)", "x: error: 'y' \(number) (at c)",
          "x: error: expected a whole number from 0 to 9 such as 3, found an empty list (at e)",
        ]
      ),
      (.list([]), ["x: error: expected a mapping from names to digits, found an empty list"]),
      (.scalar("a"), ["x: error: expected a mapping from names to digits, found 'a'"]),
    ]
    for (tree, expected) in table { expectEqual(said(form, tree), expected, "\(tree.flow)") }
    var reader = Reader()
    let values = form.read(.mapping([("b", .scalar("1")), ("a", .scalar("2"))]), &reader) ?? []
    expectEqual(values.map(\.name), ["b", "a"])
    expectEqual(values.map(\.value), [1, 2])
    expectEqual(form.write(values, false).flow, "{b: 1, a: 2}")
    expectEqual(
      form.schema.json.line,
      #"{"type":"object","propertyNames":{"pattern":"^[A-Za-z][A-Za-z0-9_-]*$"},"#
        + #""additionalProperties":{"type":"integer","minimum":0,"maximum":9}}"#)
  }

  @Test("of two forms one is taken for reading by the shape of the tree, and one for writing by the value")
  func eitherForm() {
    let form = Form<Int>.either(
      Self.digit, or: Form<Int>.seconds(10...60), isSecond: { $0.text?.hasSuffix("s") == true },
      writesSecond: { $0 > 9 })
    let table: [(text: String, line: String)] = [
      ("0", "0 as 0"), ("9", "9 as 9"), ("10s", "10 as 10s"), ("20s", "20 as 20s"),
      ("10", "'10' is not a whole number from 0 to 9 such as 3"),
      ("9s", "'9s' is not whole seconds from 10s to 60s such as 10s"),
    ]
    for (text, line) in table { expectEqual(FormBench.line(form, text), line, "\(text)") }
    expectEqual(
      form.schema.json.line,
      #"{"anyOf":[{"type":"integer","minimum":0,"maximum":9},"#
        + #"{"type":"string","pattern":"^[0-9]+(s|m|h)$","examples":["3s"]}]}"#)
  }

  @Test("a form of another type may refuse a value, and adds no message where the first form failed")
  func mapped() {
    let form: Form<String> = Self.digit.map(
      { (value: Int, tree: Tree, reader: inout Reader) -> String? in
        if value != 4 { return "n\(value)" }
        reader.complain("not four", at: tree.mark)
        return nil
      }, back: { (text: String) -> Int in Int(text.dropFirst()) ?? 0 })
    expectEqual(FormBench.line(form, "3"), "n3 as 3")
    expectEqual(FormBench.line(form, "4"), "not four")
    expectEqual(FormBench.line(form, "x"), "'x' is not a whole number from 0 to 9 such as 3")
    expectEqual(form.schema, Self.digit.schema)
    let named = form.named("word")
    expectEqual(named.schema.json.line, ##"{"$ref":"#/$defs/word"}"##)
    expectEqual(named.schema.definitions, [JSONValue.Member("word", Self.digit.schema.json)])
    expectEqual(FormBench.line(named, "3"), "n3 as 3")
  }

  @Test("complaints are kept in their order with path and place, and twenty at most")
  func complaints() {
    var reader = Reader()
    reader.complain("first", at: Tree.Mark(line: 1, column: 2))
    reader.within(.key("a")) { reader in
      reader.within(.index(3)) { $0.complain("second", at: Tree.Mark(line: 4, column: 5)) }
      reader.complain("third", at: .none)
    }
    reader.complain("fourth", at: .none)
    expectEqual(
      reader.complaints.map { $0.error(in: "x").description },
      ["x:1:2: error: first", "x:4:5: error: second (at a[3])", "x: error: third (at a)", "x: error: fourth"])
    for number in 5...21 { reader.complain("\(number)", at: .none) }
    expectEqual(reader.complaints.count, 20)
    expectEqual(reader.complaints.last?.message, "20")
  }
}
