import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Nodes of a document by their path, and scalars as they are written and read.
@Suite("Nodes of a scenario document") struct TreeTests {
  private static let tree = Tree.mapping([
    ("a", .list([.scalar("x"), .mapping([("b", .scalar("q")), ("c", .scalar("r"))])])), ("d", .scalar("w")),
    ("inhabitants", .mapping([("tv", .mapping([]))])),
  ])

  private func path(_ text: String) throws -> TreePath { try #require(TreePath(text), "\(text)") }

  @Test("a path is read with its indices in brackets or between dots, and prints with brackets")
  func paths() {
    let table: [(text: String, steps: [TreePath.Step]?, printed: String)] = [
      ("timeline.0.at", [.key("timeline"), .index(0), .key("at")], "timeline[0].at"),
      ("a[1][2].b", [.key("a"), .index(1), .index(2), .key("b")], "a[1][2].b"),
      ("a.1[2]", [.key("a"), .index(1), .index(2)], "a[1][2]"), ("0.1", [.key("0"), .index(1)], "0[1]"),
      ("a.01", [.key("a"), .key("01")], "a.01"), ("a-b", [.key("a-b")], "a-b"),
      ("a[9223372036854775807]", [.key("a"), .index(.max)], "a[9223372036854775807]"),
      ("", nil, ""), (".", nil, ""), ("a.", nil, ""), (".a", nil, ""), ("a..b", nil, ""), ("a[", nil, ""),
      ("a[]", nil, ""), ("a[1", nil, ""), ("a[x]", nil, ""), ("a[01]", nil, ""), ("a[-1]", nil, ""), ("[1]", nil, ""),
      ("a[1]b", nil, ""), ("a.9223372036854775808", nil, ""), ("a[9223372036854775808]", nil, ""),
    ]
    for (text, steps, printed) in table {
      let path = TreePath(text)
      expectEqual(path?.steps, steps, "\(text)")
      expectEqual(path?.description ?? "", printed, "\(text)")
    }
  }

  @Test("a node is found, changed and taken away by its path, and a path to nothing changes nothing")
  func nodes() throws {
    let tree = Self.tree
    for (text, node) in [
      ("a[0]", .scalar("x")), ("a[1].b", .scalar("q")), ("a[1].c", .scalar("r")), ("d", .scalar("w")),
      ("inhabitants.tv", .mapping([])), ("a[2]", nil), ("a.b", nil), ("d.b", nil), ("d[0]", nil), ("e", nil),
    ] as [(String, Tree?)] {
      let place = try path(text)
      expectEqual(tree.node(at: place), node, "\(text)")
      // What is not there is not changed, and the rest stays as it is.
      let changed = tree.changing(place) { Tree.list([$0]) }
      expectEqual(changed.node(at: place), node.map { Tree.list([$0]) }, "\(text)")
      expectEqual(changed.changing(place) { $0.listed.first }, tree, "\(text)")
      expectEqual(tree.changing(place) { _ in nil } == tree, node == nil, "\(text)")
    }
    expectEqual(tree.node(at: TreePath()), tree)
    try expectEqual(tree.changing(path("a[0]")) { _ in nil }.flow, "{a: [{b: q, c: r}], d: w, inhabitants: {tv: {}}}")
    try expectEqual(tree.changing(path("a[1].b")) { _ in nil }.flow, "{a: [x, {c: r}], d: w, inhabitants: {tv: {}}}")
    try expectEqual(tree.changing(path("d")) { _ in nil }.flow, "{a: [x, {b: q, c: r}], inhabitants: {tv: {}}}")
  }

  @Test("a value replaces the node at its path or adds the keys on the way, but no item, inhabitant or segment")
  func replaced() throws {
    let rest = "inhabitants: {tv: {}}}"
    for (text, flow) in [
      ("a[0]", "{a: [v, {b: q, c: r}], d: w, \(rest)"), ("a[1].b", "{a: [x, {b: v, c: r}], d: w, \(rest)"),
      ("a[1]", "{a: [x, v], d: w, \(rest)"), ("a[1].e", "{a: [x, {b: q, c: r, e: v}], d: w, \(rest)"),
      ("d", "{a: [x, {b: q, c: r}], d: v, \(rest)"),
      ("e.f", "{a: [x, {b: q, c: r}], d: w, \(rest.dropLast()), e: {f: v}}"),
      ("inhabitants.tv.e", "{a: [x, {b: q, c: r}], d: w, inhabitants: {tv: {e: v}}}"),
      ("inhabitants", "{a: [x, {b: q, c: r}], d: w, inhabitants: v}"),
      ("a[2]", nil), ("a[1].b.c", nil), ("d[0]", nil), ("e[0]", nil), ("inhabitants.radio", nil),
      ("inhabitants.radio.e", nil), ("network.segments.lan.ipv6", nil),
    ] as [(String, String?)] {
      try expectEqual(Self.tree.replacing(path(text), with: .scalar("v"))?.flow, flow, "\(text)")
    }
    let segments = Tree.mapping([("network", .mapping([("segments", .mapping([("lan", .mapping([]))]))]))])
    for (text, flow) in [
      ("network.segments.lan.ipv6", "{network: {segments: {lan: {ipv6: v}}}}"), ("network.segments.far.ipv6", nil),
      ("network.link.loss", "{network: {segments: {lan: {}}, link: {loss: v}}}"),
    ] as [(String, String?)] {
      try expectEqual(segments.replacing(path(text), with: .scalar("v"))?.flow, flow, "\(text)")
    }
  }

  @Test("a place is told with line and column, and the file alone where there is no line")
  func places() {
    expectEqual(Place(line: 6, column: 5).text(in: "file.yaml"), "file.yaml:6:5")
    expectEqual(Place(line: 1, column: 1).text(in: "file.yaml"), "file.yaml:1:1")
    expectEqual(Place(line: 0, column: 3).text(in: "file.yaml"), "file.yaml")
    let marks = [(1, 1), (1, 2), (2, 1)].map { Tree.Mark(line: $0.0, column: $0.1) }
    for (left, right) in zip(marks, marks.dropFirst()) { #expect(left < right && !(right < left)) }
    #expect(!(marks[0] < marks[0]))
  }

  @Test("a quantity is written in the largest unit that keeps it whole, nothing in the smallest")
  func quantities() {
    for (value, size) in [
      (0, "0B"), (1, "1B"), (999, "999B"), (1_000, "1kB"), (1_024, "1KiB"), (1_536, "1536B"), (1_024_000, "1000KiB"),
      (1_000_000, "1MB"), (1 << 20, "1MiB"), (3 << 30, "3GiB"), (1_000_000 << 20, "1000000MiB"),
    ] as [(UInt64, String)] {
      expectEqual(Number.text(value, units: Number.sizes), size)
    }
    for (value, rate) in [
      (0, "0bit/s"), (1_500, "1500bit/s"), (10_000_000, "10Mbit/s"), (2_000_000_000, "2Gbit/s"), (7_000, "7kbit/s"),
    ] as [(UInt64, String)] {
      expectEqual(Number.text(value, units: Number.rates), rate)
    }
    // Where the smallest unit is too large no unit fits.
    expectEqual(Number.text(0, units: [("k", 1_000)]), "0")
    expectEqual(Number.text(1_001, units: [("k", 1_000)]), "1001")
  }

  @Test("a whole number may be below zero where its range is, and one seed stands for a range of itself")
  func scalars() {
    func read(_ text: String) -> Int? {
      var reader = Reader()
      return Form<Int>.integer(-3...3).read(.scalar(text), &reader)
    }
    let texts = ["-4", "-3", "-1", "0", "3", "4", ".1", "--1", "-", "-01", "9223372036854775808"]
    expectEqual(texts.map(read), [nil, -3, -1, 0, 3, nil, nil, nil, nil, nil, nil])
    expectEqual(Form<Int>.integer(-3...3).write(-2, true), .scalar("-2"))
    expectEqual(Form<ClosedRange<UInt64>>.seeds.write(5...5, true), .scalar("5"))
    expectEqual(Form<ClosedRange<UInt64>>.seeds.write(5...6, true), .scalar("5..6"))
  }

  @Test("a mapping is not read any more once there are as many complaints as are told")
  func fullReader() {
    let scenario = Scenario("a")
    for (count, isRead) in [(0, true), (19, true), (20, false), (21, false)] {
      var reader = Reader()
      for _ in 0..<count { reader.complain("no", at: .none) }
      expectEqual(Form<Scenario>.scenario.read(scenario.tree, &reader), isRead ? scenario : nil, "\(count)")
      expectEqual(reader.complaints.count, min(count, 20))
    }
  }

  @Test("an address of the link is made of the name and the interface, and never says that the hardware made it")
  func linkLocal() {
    let plan = AddressPlan([], [])
    var lows: Set<UInt64> = []
    for number in 0..<64 {
      for interface in 0..<2 {
        let address = plan.linkLocal(name: "tv-\(number)", interface: interface)
        #expect(address.isLinkLocal && address.family == .v6)
        expectEqual(address.low & 0x0200_0000_0000_0000, 0)
        lows.insert(address.low)
      }
    }
    expectEqual(lows.count, 128)
    // Every other bit is that of the hash.
    expectEqual(lows.reduce(UInt64(0)) { $0 | $1 }, 0xFDFF_FFFF_FFFF_FFFF)
    expectEqual(lows.reduce(UInt64.max) { $0 & $1 }, 0)
  }
}
