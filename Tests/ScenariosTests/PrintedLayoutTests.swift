import RollcallExpectations
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Lines of printed scenarios at their full width and one byte beyond it, and how each text is quoted.
@Suite("The layout of printed scenarios") struct PrintedLayoutTests {
  private func run(_ letter: Character, _ count: Int) -> String { String(repeating: letter, count: count) }

  // MARK: The printer

  @Test("comments stand above the document, its sections and its inhabitants, folded at 112 columns")
  func comments() {
    let (head, tail) = (run("a", 54), run("b", 54))
    var printer = ScenarioPrinter(header: ["Two words.", "a\nb", "\(head)c \(tail)", "\(head)c \(tail)d"])
    printer.note(TreePath([.key("tags")]), ["A note."])
    printer.note(TreePath([.key("tags")]), [])
    printer.note(TreePath([.key("heal")]), ["Of a key that is left out."])
    printer.note(TreePath([.key("inhabitants")]), ["All of them."])
    printer.note(TreePath([.key("inhabitants"), .key("lamp")]), ["\(head) \(run("b", 53))", "\(head) \(tail)"])
    let scenario = Scenario(
      "One TV", tags: ["ssdp"],
      inhabitants: [
        InhabitantEntry("tv", .rootDevice(RootDeviceSection())),
        InhabitantEntry("lamp", .rootDevice(RootDeviceSection())),
      ])
    expectEqual(
      printer.text(of: scenario),
      """
      # Two words.
      # a\\x0ab
      # \(head)c \(tail)
      # \(head)c
      # \(tail)d
      scenario: One TV
      # A note.
      tags: [ssdp]
      # All of them.
      inhabitants:
        tv: {kind: root-device}
        # \(head) \(run("b", 53))
        # \(head)
        # \(tail)
        lamp: {kind: root-device}

      """)
  }

  @Test("a long reason is folded where folding keeps it, and quoted on its line else")
  func reasons() {
    let (head, tail) = (run("x", 45), run("y", 45))
    let (wide, next) = (run("x", 54), run("y", 53))
    let table: [(why: String, printed: String)] = [
      ("\(head) \(run("y", 44))", "\(head) \(run("y", 44))"), ("\(head) \(tail)", ">-\n  \(head) \(tail)"),
      ("\(wide) \(next)", ">-\n  \(wide) \(next)"), ("\(wide) \(next)y", ">-\n  \(wide)\n  \(next)y"),
      ("\(head)  \(tail)", "\"\(head)  \(tail)\""), (" \(head) \(tail)", "\" \(head) \(tail)\""),
      ("\(head) \(tail) ", "\"\(head) \(tail) \""), ("\(head)\n\(tail)", "\"\(head)\\n\(tail)\""),
      ("\(head)\u{A0}\(tail)", "\"\(head)\\u00a0\(tail)\""), ("\(head)\u{200B}\(tail)", "\"\(head)\\u200b\(tail)\""),
      ("\(head)\u{20AC} \(tail)", "\"\(head)\u{20AC} \(tail)\""),
      ("\(head)\u{2026} \(tail)", ">-\n  \(head)\u{2026} \(tail)"),
    ]
    for (why, printed) in table {
      expectEqual(ScenarioPrinter().text(of: Scenario("t", why: why)), "scenario: t\nwhy: \(printed)\n", "\(why)")
    }
  }

  @Test("many words behind a key go on in deeper lines, once their line is longer than 112 bytes")
  func words() {
    let (head, tail) = (run("a", 53), run("b", 51))
    let (long, other) = (run("a", 60), run("b", 60))
    let table: [(line: String, broken: String)] = [
      ("  - k: \(head) \(tail)", "  - k: \(head) \(tail)"),
      ("  - k: \(head) \(tail) c", "  - k: \(head) \(tail)\n      c"),
      ("  - k: \(head) \(tail)b", "  - k: \(head)\n      \(tail)b"),
      ("k: 1\(long) \(other)", "k: 1\(long)\n  \(other)"), ("k: \"\(long) \(other)\"", "k: \"\(long) \(other)\""),
      ("k: /\(long) \(other)", "k: /\(long) \(other)"), ("k: \u{E9}\(long) \(other)", "k: \u{E9}\(long) \(other)"),
      ("k: \(long)  \(other)", "k: \(long)  \(other)"), ("\(long) \(other)", "\(long) \(other)"),
    ]
    for (line, broken) in table { expectEqual(ScenarioPrinter.broken(line), broken, "\(line)") }
  }

  @Test("a long quoted payload goes on in the next line behind its line ends, and no blank begins a line")
  func payloads() {
    let end = "\\r\\n"
    let next = "\\\n    "
    func line(_ letter: Character, _ count: Int) -> String { run(letter, count - 4) + end }
    let start = "- text: \"" + line("a", 50)
    let table: [(line: String, broken: String)] = [
      // 112 bytes, and 113.
      ("\(start)\(line("b", 52))\"", "\(start)\(line("b", 52))\""),
      ("\(start)\(line("b", 53))\"", "\(start)\(next)\(line("b", 53))\""),
      ("\(start)\(line("b", 53))\"}", "\(start)\(line("b", 53))\"}"),
      ("\(start)\(line("b", 49))\(line("c", 8))\"", "\(start)\(line("b", 49))\(next)\(line("c", 8))\""),
      ("\(start)\(line("b", 50))\(line("c", 8))\"", "\(start)\(next)\(line("b", 50))\(line("c", 8))\""),
      (
        "\(start)\(line("b", 50))\(line("c", 58))\(line("d", 10))\"",
        "\(start)\(next)\(line("b", 50))\(line("c", 58))\(next)\(line("d", 10))\""
      ),
      ("\(start)\(line("b", 50))\(line("c", 58))\"", "\(start)\(next)\(line("b", 50))\(line("c", 58))\""),
      ("\(start)\(line("b", 49)) \(line("c", 8))\"", "\(start)\(line("b", 49)) \(line("c", 8))\""),
      ("\(start)\(line("b", 49))\(end)\"", "\(start)\(line("b", 49))\(end)\""),
      // Of quotes only those count that no backslash stands before.
      (
        "- text: \"\\\"\(line("a", 48))\(line("b", 50))\(line("c", 8))\"",
        "- text: \"\\\"\(line("a", 48))\(next)\(line("b", 50))\(line("c", 8))\""
      ),
      ("\(start)\(line("b", 50))\(line("c", 8))\\\\\"", "\(start)\(next)\(line("b", 50))\(line("c", 8))\\\\\""),
      (
        "\"\(line("a", 50))\(line("b", 57))\(line("c", 8))\"",
        "\"\(line("a", 50))\(line("b", 57))\\\n  \(line("c", 8))\""
      ),
      (
        "\"k\": \"\(line("a", 50))\(line("b", 50))\(line("c", 8))\"",
        "\"k\": \"\(line("a", 50))\(line("b", 50))\(line("c", 8))\""
      ),
    ]
    for (line, broken) in table { expectEqual(ScenarioPrinter.broken(line), broken, "\(line)") }
  }

  // MARK: YAML and JSON

  private func list(_ words: [String]) -> Tree { .list(words.map { .scalar($0) }) }
  private func block(_ words: [String], _ margin: String) -> String { words.map { "\(margin)- \($0)\n" }.joined() }

  @Test("a list stands on one line up to 112 bytes; one of at least eight short words goes on in the next lines")
  func lists() {
    let nines = Array(repeating: run("a", 9), count: 9)
    let nine = nines.joined(separator: ", ")
    let twenty = run("c", 20)
    let four = Array(repeating: twenty, count: 4).joined(separator: ", ")
    func keyed(_ words: [String]) -> String { Tree.mapping([("k", list(words))]).yaml }
    func nested(_ words: [String]) -> String { Tree.list([list(words)]).yaml }
    expectEqual(keyed([run("a", 52), run("b", 53)]), "k: [\(run("a", 52)), \(run("b", 53))]\n")
    expectEqual(keyed([run("a", 52), run("b", 54)]), "k:\n" + block([run("a", 52), run("b", 54)], "  "))
    expectEqual(nested([run("a", 52), run("b", 54)]), "- [\(run("a", 52)), \(run("b", 54))]\n")
    expectEqual(nested([run("a", 53), run("b", 54)]), "- - \(run("a", 53))\n  - \(run("b", 54))\n")
    expectEqual(keyed(nines + [run("b", 7), "c"]), "k: [\(nine), bbbbbbb,\n    c]\n")
    expectEqual(keyed(nines + [run("b", 8), "c"]), "k: [\(nine),\n    bbbbbbbb, c]\n")
    expectEqual(keyed(nines + nines + [run("d", 8), "e"]), "k: [\(nine),\n    \(nine), dddddddd,\n    e]\n")
    expectEqual(keyed(nines + nines + [run("d", 9), "e"]), "k: [\(nine),\n    \(nine),\n    ddddddddd, e]\n")
    expectEqual(nested(nines + [run("b", 9), "c"]), "- [\(nine), bbbbbbbbb,\n    c]\n")
    expectEqual(nested(nines + [run("b", 10), "c"]), "- [\(nine),\n    bbbbbbbbbb, c]\n")
    expectEqual(keyed(Array(repeating: twenty, count: 8)), "k: [\(four),\n    \(four)]\n")
    let few = Array(repeating: twenty, count: 7)
    expectEqual(keyed(few), "k:\n" + block(few, "  "))
    expectEqual(keyed(few + [twenty + "c"]), "k:\n" + block(few + [twenty + "c"], "  "))
  }

  @Test("collections nested three deep have lines of their own, and empty ones stand behind their key")
  func nesting() {
    let one = Tree.scalar("1")
    expectEqual(Tree.mapping([("k", .list([.list([.list([one])])]))]).yaml, "k:\n  - [[1]]\n")
    expectEqual(Tree.mapping([("k", .list([.list([one])]))]).yaml, "k: [[1]]\n")
    let inner = Tree.mapping([("b", .mapping([("c", one)]))])
    expectEqual(Tree.mapping([("k", inner)]).yaml, "k: {b: {c: 1}}\n")
    expectEqual(Tree.mapping([("k", .mapping([("a", inner)]))]).yaml, "k:\n  a: {b: {c: 1}}\n")
    expectEqual(Tree.mapping([("k", .list([.mapping([("a", inner)])]))]).yaml, "k:\n  - a: {b: {c: 1}}\n")
    let (left, right) = (run("a", 60), run("b", 60))
    expectEqual(
      Tree.list([.mapping([("k", .scalar(left)), ("l", .scalar(right))])]).yaml, "- k: \(left)\n  l: \(right)\n")
    let nothing = Tree.mapping([
      ("a", .list([])), ("b", .mapping([])), ("c", Tree(.nothing)), ("d", .scalar("")), ("e:", one),
    ])
    expectEqual(nothing.yaml, "a: []\nb: {}\nc:\nd: \"\"\n\"e:\": 1\n")
    expectEqual(nothing.flow, "{a: [], b: {}, c: , d: \"\", \"e:\": 1}")
    expectEqual(nothing.size, 11)
    expectEqual(Tree.list([one, .list([one, .list([])]), .mapping([("k", inner)])]).size, 12)
  }

  @Test("a text is quoted where YAML could take it for something else, with an escape for each hidden character")
  func quotes() {
    for text in ["a b", "a:b", "/x", "x-y_z.1/2;3=4%(5)+6", "nul", "0", "Z", "10.0.0.1:80", "trues"] {
      expectEqual(Tree.quoted(text), text)
    }
    for text in [
      "", "a  b", "a ", " a", "a:", "a: b", "-x", "~", "a,b", "#", "x#", "[", "yes", "NO", "On", "off", "y", "N",
      "Null", "\u{E9}", "\u{1F600}", "{", "'", "@", "`", "&",
    ] {
      expectEqual(Tree.quoted(text), "\"\(text)\"")
    }
    for (text, escaped) in [
      ("\"", #"\""#), ("\\", #"\\"#), ("\t", #"\t"#), ("\n", #"\n"#), ("a\rb", #"a\rb"#), ("\u{0}", #"\x00"#),
      ("\u{1F}", #"\x1f"#), ("\u{7F}", #"\x7f"#), ("\u{80}", #"\x80"#), ("\u{9F}", #"\x9f"#), ("\u{A0}", #"\u00a0"#),
      ("\u{AD}", #"\u00ad"#), ("\u{2028}", #"\u2028"#), ("\u{FFFF}", #"\uffff"#), ("\u{E0001}", #"\U000e0001"#),
    ] {
      expectEqual(Tree.quoted(text), "\"\(escaped)\"")
    }
  }

  @Test("JSON for people has two blanks a level, and scalars and empty values on their line")
  func json() {
    let value = JSONValue.members(
      ("a", .object([])), ("b", .array([.integer(1), .bool(true), .string("x")])), ("c", .array([.array([]), .null])),
      ("d", .members(("e", .integer(2)))), ("f", .array([])))
    expectEqual(
      value.text,
      """
      {
        "a": {},
        "b": [1, true, "x"],
        "c": [
          [],
          null
        ],
        "d": {
          "e": 2
        },
        "f": []
      }

      """)
  }
}
