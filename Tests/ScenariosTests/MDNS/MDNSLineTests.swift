import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Lines of a tester of multicast DNS: what each needs, what is assumed of it, and how it is written.
@Suite("Lines of a tester, and what they need") struct MDNSLineTests {
  private static let form: Form<MDNSTester.Line> = .mdnsTesterLine

  private func read(_ yaml: String) throws -> (value: MDNSTester.Line?, said: [String]) {
    try FormBench.read(Self.form, yaml)
  }

  @Test("a line needs one trigger, a record one kind of data, and each of them all of its keys")
  func needs() throws {
    let rows: [(yaml: String, said: [String])] = [
      ("{}", ["missing one of the keys at, on-probe, on-query"]),
      ("{every: 1s}", ["missing one of the keys at, on-probe, on-query"]),
      ("{at: 1s, on-probe: a}", ["'on-probe' cannot stand beside 'at': only one of them"]),
      ("{on-query: a, on-probe: a}", ["'on-probe' cannot stand beside 'on-query': only one of them"]),
      ("{at: 1s, say: [{name: a.local}]}", ["missing one of the keys address, ptr, srv, txt"]),
      (
        "{at: 1s, say: [{name: a.local, txt: a, ptr: a.local}]}",
        ["'ptr' cannot stand beside 'txt': only one of them"]
      ),
      ("{at: 1s, say: [{txt: a}]}", ["missing key 'name'"]),
      ("{at: 1s, say: [{name: a.local, srv: {}}]}", ["missing key 'port'", "missing key 'target'"]),
      ("{at: 1s, ask: [{}]}", ["missing key 'name'"]),
      ("{at: 1s, times: 0}", ["'0' is not a whole number from 1 to 100000 such as 3"]),
      ("{at: 1s, times: 100001}", ["'100001' is not a whole number from 1 to 100000 such as 3"]),
      ("{at: 1s, port: 65536}", ["'65536' is not a whole number from 0 to 65535 such as 3"]),
    ]
    for (yaml, said) in rows {
      let found = try read(yaml)
      expectEqual(found.value, nil, "\(yaml)")
      expectEqual(found.said, said, "\(yaml)")
    }
    for times in [1, 100_000] {
      try expectEqual(
        read("{at: 1s, times: \(times)}").value, MDNSTester.Line(.at(.seconds(1), every: .zero, times: times)))
    }
  }

  @Test("lists of a line, and the lines of a tester, that are too long are refused as a whole")
  func lists() {
    for key in ["ask", "known", "say", "propose"] {
      let tree = Tree.mapping([("at", .scalar("1s")), (key, FormBench.many(257, .scalar("x")))])
      expectEqual(FormBench.read(Self.form, tree).said, ["a list of 257, at most 256 are allowed"], "\(key)")
    }
    let section = Form<MDNSTesterSection>.record(MDNSTesterSection(), MDNSTesterSection.fields)
    let tree = Tree.mapping([("lines", FormBench.many(1_001, .scalar("x")))])
    expectEqual(FormBench.read(section, tree).said, ["a list of 1001, at most 1000 are allowed"])
    expectEqual(FormBench.read(section, .mapping([])).value, MDNSTesterSection())
    let one = MDNSTester.Line(.at(.seconds(1), every: .zero, times: 1))
    let lines = Tree.mapping([("lines", .list([.mapping([("at", .scalar("1s"))])]))])
    expectEqual(FormBench.read(section, lines).value, MDNSTesterSection([one]))
    expectEqual(section.write(MDNSTesterSection([one]), false), lines)
  }

  @Test("a line that says little is sent once, from the port of multicast DNS, to the groups")
  func assumed() throws {
    let line = MDNSTester.Line(.at(.seconds(1), every: .zero, times: 1))
    try expectEqual(read("{at: 1s}").value, line)
    expectEqual(Self.form.write(line, false), .mapping([("at", .scalar("1s"))]))
    let all: [(String, Tree)] = [
      ("at", .scalar("1s")), ("after", .scalar("0s")), ("every", .scalar("0s")), ("times", .scalar("1")),
      ("ask", .list([])), ("known", .list([])), ("say", .list([])), ("propose", .list([])),
      ("truncated", .scalar("false")), ("port", .scalar("5353")),
    ]
    expectEqual(Self.form.write(line, true), .mapping(all))
  }

  @Test("records and questions are written with what is not assumed of them")
  func written() throws {
    let (a, b) = (try #require(DNSName("a.local")), try #require(DNSName("b.local")))
    let address = DNSRecord(a, .address(IPAddress(10, 0, 0, 7)), ttlSeconds: 120)
    var flushed = DNSRecord(a, .ptr(b), ttlSeconds: 6, isCacheFlush: true)
    let name = ("name", Tree.scalar("a.local"))
    func known(_ record: DNSRecord, _ full: Bool) -> Tree? {
      let line = MDNSTester.Line(.at(.seconds(1), every: .zero, times: 1), records: [record])
      return Self.form.write(line, full).entries?.first { $0.key == "known" }?.value.items?.first
    }
    expectEqual(known(address, false), Tree.mapping([name, ("address", .scalar("10.0.0.7"))]))
    expectEqual(
      known(address, true),
      Tree.mapping([name, ("ttl", .scalar("2m")), ("flush", .scalar("false")), ("address", .scalar("10.0.0.7"))]))
    expectEqual(
      known(flushed, false),
      Tree.mapping([name, ("ttl", .scalar("6s")), ("flush", .scalar("true")), ("ptr", .scalar("b.local"))]))
    flushed = DNSRecord(a, .srv(priority: 0, weight: 0, port: 7, target: b), ttlSeconds: 120)
    let place = Tree.mapping([("port", .scalar("7")), ("target", .scalar("b.local"))])
    expectEqual(known(flushed, false), Tree.mapping([name, ("srv", place)]))
    flushed = DNSRecord(a, .txt([3] + Array("e=f".utf8)), ttlSeconds: 120)
    expectEqual(known(flushed, false), Tree.mapping([name, ("txt", .scalar("e=f"))]))

    func asked(_ question: DNSQuestion, _ full: Bool) -> Tree? {
      let line = MDNSTester.Line(.query(label: [97], after: .zero, times: 1), questions: [question])
      return Self.form.write(line, full).entries?.first { $0.key == "ask" }?.value.items?.first
    }
    expectEqual(asked(DNSQuestion(a, .any), false), Tree.mapping([name]))
    expectEqual(
      asked(DNSQuestion(a, .any), true), Tree.mapping([name, ("type", .scalar("ANY")), ("unicast", .scalar("false"))]))
    expectEqual(
      asked(DNSQuestion(a, .srv, wantsUnicast: true), false),
      Tree.mapping([name, ("type", .scalar("SRV")), ("unicast", .scalar("true"))]))
  }

  @Test("each trigger is written with its own key, and what a line says or knows with another one")
  func triggers() throws {
    let a = try #require(DNSName("a.local"))
    let record = DNSRecord(a, .txt([1, 98]), ttlSeconds: 120)
    let tree = Tree.list([.mapping([("name", .scalar("a.local")), ("txt", .scalar("b"))])])
    let rows: [(line: MDNSTester.Line, written: [(String, Tree)])] = [
      (
        MDNSTester.Line(.at(.seconds(1), every: .seconds(2), times: 3), records: [record], isTruncated: true),
        [
          ("at", .scalar("1s")), ("every", .scalar("2s")), ("times", .scalar("3")), ("known", tree),
          ("truncated", .scalar("true")),
        ]
      ),
      (
        MDNSTester.Line(
          .probe(label: [97], after: .seconds(4), times: 5), records: [record], isResponse: true, sourcePort: 6),
        [
          ("on-probe", .scalar("a")), ("after", .scalar("4s")), ("times", .scalar("5")), ("say", tree),
          ("port", .scalar("6")),
        ]
      ),
      (
        MDNSTester.Line(
          .query(label: [98], after: .seconds(7), times: 8), proposed: [record], destination: IPAddress(10, 0, 0, 9)),
        [
          ("on-query", .scalar("b")), ("after", .scalar("7s")), ("times", .scalar("8")), ("propose", tree),
          ("to", .scalar("10.0.0.9")),
        ]
      ),
    ]
    for (line, written) in rows {
      expectEqual(Self.form.write(line, false), .mapping(written))
      expectEqual(FormBench.read(Self.form, .mapping(written)).value, line)
    }
  }
}
