import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// Trees as YAML below other keys and in lists: what stands on one line, and how far in the other lines stand.
@Suite("The layout of nested YAML") struct YAMLLayoutTests {
  private let one = Tree.scalar("1")

  private func run(_ letter: Character, _ count: Int) -> String { String(repeating: letter, count: count) }
  private func list(_ words: [String]) -> Tree { .list(words.map { .scalar($0) }) }
  /// One key in the other, the outermost first.
  private func nested(_ keys: [String], _ value: Tree) -> Tree {
    keys.reversed().reduce(value) { (inner: Tree, key: String) -> Tree in .mapping([(key, inner)]) }
  }

  @Test("a document may be a scalar, an empty collection or nothing")
  func roots() {
    expectEqual(Tree.scalar("x").yaml, "x\n")
    expectEqual(Tree.scalar("").yaml, "\"\"\n")
    expectEqual(Tree(.nothing).yaml, "\n")
    expectEqual(Tree.list([]).yaml, "[]\n")
    expectEqual(Tree.mapping([]).yaml, "{}\n")
    expectEqual(Tree.list([one, Tree.list([]), Tree.mapping([])]).yaml, "- 1\n- []\n- {}\n")
  }

  @Test("a long text stays on its line, behind its key and behind its dash")
  func texts() {
    let long = run("a", 200)
    expectEqual(Tree.mapping([("k", .scalar(long)), ("l", one)]).yaml, "k: \(long)\nl: 1\n")
    expectEqual(Tree.list([.scalar(long), one]).yaml, "- \(long)\n- 1\n")
  }

  @Test("a mapping stands on one line up to 112 bytes")
  func mappings() {
    expectEqual(nested(["k", "a"], .scalar(run("x", 104))).yaml, "k: {a: \(run("x", 104))}\n")
    expectEqual(nested(["k", "a"], .scalar(run("x", 105))).yaml, "k:\n  a: \(run("x", 105))\n")
  }

  @Test("a list below two keys stands on one line up to 112 bytes, its margin included")
  func lists() {
    let deep = nested(["u", "w"], one)
    func yaml(_ words: [String]) -> String {
      let inner = Tree.mapping([("k", list(words)), ("z", deep)])
      return Tree.mapping([("o", inner)]).yaml
    }
    let (left, right) = (run("a", 52), run("b", 51))
    expectEqual(yaml([left, right]), "o:\n  k: [\(left), \(right)]\n  z: {u: {w: 1}}\n")
    expectEqual(yaml([left, right + "b"]), "o:\n  k:\n    - \(left)\n    - \(right)b\n  z: {u: {w: 1}}\n")
    // Many short words go on two blanks deeper than their key's value.
    let nines = Array(repeating: run("a", 9), count: 9)
    let nine = nines.joined(separator: ", ")
    expectEqual(yaml(nines + ["bbbbb", "c"]), "o:\n  k: [\(nine), bbbbb,\n      c]\n  z: {u: {w: 1}}\n")
    expectEqual(yaml(nines + ["bbbbbb", "c"]), "o:\n  k: [\(nine),\n      bbbbbb, c]\n  z: {u: {w: 1}}\n")
  }

  @Test("the items of a list below a key stand behind dashes, and what is in them is two blanks deeper")
  func items() {
    let deep = Tree.list([.list([.list([one])])])
    func yaml(_ words: [String]) -> String { Tree.mapping([("k", .list([list(words), deep]))]).yaml }
    let word = run("a", 52)
    expectEqual(yaml([word, word]), "k:\n  - [\(word), \(word)]\n  - - [[1]]\n")
    expectEqual(yaml([word, word + "a"]), "k:\n  - - \(word)\n    - \(word)a\n  - - [[1]]\n")
    let nines = Array(repeating: run("a", 9), count: 9)
    let nine = nines.joined(separator: ", ")
    expectEqual(yaml(nines + ["bbbbbbb", "c"]), "k:\n  - [\(nine), bbbbbbb,\n      c]\n  - - [[1]]\n")
    expectEqual(yaml(nines + ["bbbbbbbb", "c"]), "k:\n  - [\(nine),\n      bbbbbbbb, c]\n  - - [[1]]\n")
    let (left, right) = (run("a", 60), run("b", 60))
    let item = Tree.mapping([("a", .scalar(left)), ("b", .scalar(right)), ("c", nested(["d", "e", "f"], one))])
    expectEqual(
      Tree.mapping([("k", .list([item, item]))]).yaml,
      """
      k:
        - a: \(left)
          b: \(right)
          c:
            d: {e: {f: 1}}
        - a: \(left)
          b: \(right)
          c:
            d: {e: {f: 1}}

      """)
  }

  @Test("what is two deep stands on one line, what is deeper does not, and the deepest part counts")
  func depth() {
    let empty = Tree.list([])
    let none = Tree.mapping([])
    let table: [(value: Tree, yaml: String)] = [
      (empty, "k: []\n"), (.list([empty]), "k: [[]]\n"), (.list([.list([empty])]), "k:\n  - [[]]\n"),
      (none, "k: {}\n"), (nested(["a"], none), "k: {a: {}}\n"), (nested(["a", "b"], none), "k:\n  a: {b: {}}\n"),
      (.list([one, .list([.list([one])]), one]), "k:\n  - 1\n  - [[1]]\n  - 1\n"),
      (.list([none, nested(["a"], none)]), "k:\n  - {}\n  - {a: {}}\n"),
      (
        .mapping([("a", one), ("b", nested(["c", "d"], one)), ("e", one)]),
        "k:\n  a: 1\n  b: {c: {d: 1}}\n  e: 1\n"
      ),
      (.mapping([("a", one), ("b", Tree(.nothing))]), "k: {a: 1, b: }\n"), (Tree(.nothing), "k:\n"),
    ]
    for (value, yaml) in table { expectEqual(nested(["k"], value).yaml, yaml, "\(yaml)") }
  }

  @Test("a list with an item that is no word has a line for each")
  func mixed() {
    let word = run("a", 20)
    let words = Array(repeating: word, count: 8)
    let lines = words.map { "  - \($0)\n" }.joined()
    for (last, line) in [
      (list(["x"]), "  - [x]\n"), (nested(["x"], one), "  - {x: 1}\n"), (Tree(.nothing), "  - \n"),
      (.scalar(word + "a"), "  - \(word)a\n"),
    ] as [(Tree, String)] {
      let items: [Tree] = words.map { Tree.scalar($0) } + [last]
      expectEqual(Tree.mapping([("k", .list(items))]).yaml, "k:\n" + lines + line)
    }
  }

  @Test("words of letters, digits and a few marks stand as they are, each mark at each place that it may have")
  func words() {
    let marks = ["%", "(", ")", "+", "-", ".", "/", ";", "=", "_"]
    for mark in marks {
      for text in ["a" + mark, "a" + mark + "b", "a " + mark + " b"] { expectEqual(Tree.quoted(text), text) }
      let first = mark + "a"
      expectEqual(Tree.quoted(first), mark == "/" ? first : "\"\(first)\"")
    }
    for mark in ["!", "#", "$", "&", "'", "*", ",", "<", ">", "?", "@", "[", "]", "^", "`", "{", "|", "}", "~"] {
      for text in ["a" + mark, mark + "a", "a" + mark + "b", "a " + mark + " b"] {
        expectEqual(Tree.quoted(text), "\"\(text)\"")
      }
    }
    for text in ["a:b", "a:b:c", "a::b", "a b c", "0 9", "A Z", "a z", "/"] { expectEqual(Tree.quoted(text), text) }
    for text in ["a: b", "a:b: c", "a b  c", "a:", "a ", "a b ", ":a", " a"] {
      expectEqual(Tree.quoted(text), "\"\(text)\"")
    }
  }
}
