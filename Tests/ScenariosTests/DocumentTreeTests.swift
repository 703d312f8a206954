import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// Text as a tree: every node with its place, what is refused and where, and what trees say of each other.
@Suite("Trees of scenario documents") struct DocumentTreeTests {
  private func path(_ text: String) throws -> TreePath { try #require(TreePath(text), "\(text)") }

  private func place(_ mark: Tree.Mark) -> String { "\(mark.line):\(mark.column)" }

  /// Every node and key with its place, in the order of the document.
  private func nodes(_ tree: Tree) -> [String] {
    let own = place(tree.mark)
    switch tree.content {
    case .nothing: return [own + " nothing"]
    case .scalar(let text): return [own + " '" + text + "'"]
    case .list(let items): return [own + " list"] + items.flatMap { (item: Tree) -> [String] in nodes(item) }
    case .mapping(let entries):
      return [own + " mapping"]
        + entries.flatMap { (entry: Tree.Entry) -> [String] in
          [place(entry.keyMark) + " key " + entry.key] + nodes(entry.value)
        }
    }
  }

  private func said(_ text: String) -> String {
    switch Composer.tree(of: text) {
    case .success: "none"
    case .failure(let stop): stop.complaint.error(in: "x").description
    }
  }

  // MARK: Reading

  @Test("every node and every key has its line and its column, and an empty text is not nothing")
  func marks() throws {
    let text = """
      a: 1
      b:
        - x
        - {c: "", d: ''}
      e:
      f: []
      """
    let expected = [
      "1:1 mapping", "1:1 key a", "1:4 '1'", "2:1 key b", "3:3 list", "3:5 'x'", "4:5 mapping", "4:6 key c", "4:9 ''",
      "4:13 key d", "4:16 ''", "5:1 key e", "5:3 nothing", "6:1 key f", "6:4 list",
    ]
    try expectEqual(nodes(Composer.tree(of: text).get()), expected)
    try expectEqual(Composer.tree(of: text).get().flow, "{a: 1, b: [x, {c: \"\", d: \"\"}], e: , f: []}")
    // The mark of byte order is no part of the first line.
    try expectEqual(nodes(Composer.tree(of: "\u{FEFF}" + text).get()), expected)
  }

  @Test("a text reads the same in each of YAML's styles")
  func styles() throws {
    let text = "a: |\n  p\nb: >-\n  p\n  q\nc: 'p'\nd: \"p\"\ne: p q\n"
    try expectEqual(Composer.tree(of: text).get().flow, #"{a: "p\n", b: p q, c: p, d: p, e: p q}"#)
  }

  @Test("tags, anchors, keys that stand twice and files without anything are refused at their place")
  func refusals() {
    let anchors = "error: anchors and aliases are not allowed"
    let table: [(text: String, said: String)] = [
      ("a: 1", "none"), ("a", "none"), ("[]", "none"), ("", "x:1:1: error: the file is empty"),
      ("# a", "x:1:1: error: the file is empty"), ("\u{FEFF}", "x:1:1: error: the file is empty"),
      ("a: !!int \"5\"", "x:1:4: error: tags are not allowed: 'tag:yaml.org,2002:int'"),
      ("a: !x b", "x:1:4: error: tags are not allowed: '!x'"),
      ("a: !x [b]", "x:1:4: error: tags are not allowed: '!x'"),
      ("a: !x {b: c}", "x:1:4: error: tags are not allowed: '!x'"),
      ("- &b c", "x:1:3: \(anchors): '&b'"), ("a: &m {b: c}", "x:1:4: \(anchors): '&m'"),
      ("x: 1\n&a b: c", "x:2:1: \(anchors): '&a'"), ("- a\n- *b", "x:2:3: \(anchors)"),
      ("b: 1\na: 2\nb: 3\na: 4", "x:2:1: error: duplicate key 'a'"),
      ("a: 1\nb: {c: 1, d: 2, c: 3}", "x:2:5: error: duplicate key 'c'"),
    ]
    for (text, expected) in table { expectEqual(said(text), expected, "\(text)") }
  }

  @Test("characters that YAML refuses are reported with line and column, and all others are read")
  func characters() {
    let table: [(text: String, place: String, digits: String)] = [
      ("\u{0}", "1:1", "0000"), ("ab\u{8}", "1:3", "0008"), ("a\n\u{B}", "2:1", "000B"),
      ("a\r\n\tb\u{C}", "2:3", "000C"),
      ("\u{E9}\u{1F600}\u{E}", "1:3", "000E"), ("\u{1F}", "1:1", "001F"), ("a: \u{7F}\u{0}", "1:4", "007F"),
      ("\u{84}", "1:1", "0084"), ("\u{86}", "1:1", "0086"), ("\u{9F}", "1:1", "009F"), ("\u{FFFE}", "1:1", "FFFE"),
      ("\u{FFFF}", "1:1", "FFFF"), ("a\n\nbc\u{1}\n", "3:3", "0001"),
    ]
    for (text, place, digits) in table {
      expectEqual(said(text), "x:\(place): error: control character U+\(digits) in the file")
    }
    let read: [Unicode.Scalar] = [
      "\u{9}", "\u{A}", "\u{D}", "\u{20}", "\u{7E}", "\u{85}", "\u{A0}", "\u{D7FF}", "\u{E000}", "\u{FFFD}",
      "\u{10000}", "\u{10FFFF}",
    ]
    for scalar in read { expectEqual(said("\"a" + String(scalar) + " b\""), "none", "\(scalar.value)") }
  }

  @Test("a file of 1 MiB is looked at, and one of a byte more is not")
  func size() {
    let full = "\u{1}" + String(repeating: "a", count: (1 << 20) - 1)
    expectEqual(said(full), "x:1:1: error: control character U+0001 in the file")
    expectEqual(said(full + "a"), "x:1:1: error: a scenario has at most 1 MiB, this one has 1048577 bytes")
    // The mark of byte order does not count.
    expectEqual(said("\u{FEFF}" + full), "x:1:1: error: control character U+0001 in the file")
  }

  @Test("twenty levels are read, and the twenty-first is reported at its place, for lists as for mappings")
  func depth() {
    func lists(_ count: Int) -> String {
      String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    func mappings(_ count: Int) -> String {
      String(repeating: "{a: ", count: count) + "b" + String(repeating: "}", count: count)
    }
    expectEqual(said(lists(20)), "none")
    expectEqual(said(lists(21)), "x:1:21: error: nested deeper than 20 levels")
    expectEqual(said(mappings(19)), "none")
    expectEqual(said(mappings(20)), "x:1:81: error: nested deeper than 20 levels")
  }

  // MARK: Trees

  @Test("two trees are equal when they say the same, wherever it stands")
  func equality() {
    let (one, two) = (Tree.scalar("1"), Tree.scalar("2"))
    let mark = Tree.Mark(line: 3, column: 4)
    expectEqual(Tree(.scalar("1"), mark: mark), one)
    expectEqual(Tree(.scalar("1"), mark: mark).hashValue, one.hashValue)
    expectEqual(Tree.Entry("a", one, keyMark: mark), Tree.Entry("a", one))
    expectEqual(Tree.Entry("a", one, keyMark: mark).hashValue, Tree.Entry("a", one).hashValue)
    let entries: [Tree.Entry] = [.init("a", one), .init("b", one), .init("a", two), .init("b", two)]
    for (number, left) in entries.enumerated() {
      for (other, right) in entries.enumerated() { expectEqual(left == right, number == other) }
    }
    expectEqual(Set(entries.map(\.hashValue)).count, 4)
    let trees: [Tree] = [
      one, two, Tree(.nothing), .list([]), .list([one]), .mapping([]), .mapping([("a", one)]), .mapping([("b", one)]),
    ]
    for (number, left) in trees.enumerated() {
      for (other, right) in trees.enumerated() { expectEqual(left == right, number == other) }
    }
    expectEqual(Set(trees.map(\.hashValue)).count, 8)
    expectEqual(Tree.Mark.none, Tree.Mark(line: 0, column: 0))
    expectEqual(one.mark, Tree.Mark(line: 0, column: 0))
  }

  @Test("the place of a path is that of its node, or of the last on the way that is there")
  func places() throws {
    let text = """
      a: 1
      inhabitants:
        tv: {kind: x}
      list:
        - p
        - [q]
      """
    let tree = try Composer.tree(of: text).get()
    for (way, expected) in [
      ("a", "1:4"), ("a.b", "1:4"), ("a[0]", "1:4"), ("inhabitants", "3:3"), ("inhabitants.tv", "3:7"),
      ("inhabitants.tv.kind", "3:14"), ("inhabitants.tv.none", "3:7"), ("inhabitants.radio", "3:3"), ("list", "5:3"),
      ("list[0]", "5:5"), ("list[1]", "6:5"), ("list[1][0]", "6:6"), ("list[1][1]", "6:5"), ("list[2]", "5:3"),
      ("list.x", "5:3"), ("none", "1:1"), ("none.x", "1:1"),
    ] as [(String, String)] {
      try expectEqual(place(tree.place(of: path(way))), expected, "\(way)")
    }
    expectEqual(place(tree.place(of: TreePath())), "1:1")
  }

  @Test("a value put into a tree gives its place to the keys that are added, and other nodes keep theirs")
  func replaced() throws {
    func mark(_ line: Int, _ column: Int) -> Tree.Mark { Tree.Mark(line: line, column: column) }
    let tree = Tree(
      .mapping([Tree.Entry("a", Tree(.scalar("1"), mark: mark(2, 4)), keyMark: mark(2, 1))]), mark: mark(2, 1))
    let value = Tree(.scalar("v"), mark: mark(7, 8))
    let (far, near) = try (path("e.f"), path("a"))
    let added = try #require(tree.replacing(far, with: value))
    expectEqual(
      nodes(added),
      ["2:1 mapping", "2:1 key a", "2:4 '1'", "7:8 key e", "0:0 mapping", "7:8 key f", "7:8 'v'"])
    let changed = try #require(tree.replacing(near, with: value))
    expectEqual(nodes(changed), ["2:1 mapping", "2:1 key a", "7:8 'v'"])
    expectEqual(tree.replacing(TreePath(), with: value).map { nodes($0) }, ["7:8 'v'"])
  }

  @Test("inhabitants and segments may be put in as a whole where there are none, but none of them alone")
  func invented() throws {
    for (way, flow) in [
      ("inhabitants", "{inhabitants: v}"), ("inhabitants.tv", nil), ("inhabitants[0]", nil),
      ("network", "{network: v}"),
      ("network.segments", "{network: {segments: v}}"), ("network.segments.lan", nil),
      ("network.link.loss", "{network: {link: {loss: v}}}"), ("segments.lan", "{segments: {lan: v}}"),
      ("a.inhabitants.tv", "{a: {inhabitants: {tv: v}}}"),
    ] as [(String, String?)] {
      try expectEqual(Tree.mapping([]).replacing(path(way), with: .scalar("v"))?.flow, flow, "\(way)")
    }
  }
}
