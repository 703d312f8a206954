import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Lines of a tester of multicast DNS: what may stand beside what, and how long their parts may be.
@Suite("Lines of a tester of multicast DNS") struct MDNSTesterFormTests {
  private static let pointer = "[{name: a.local, ptr: b.local}]"

  private func read(_ yaml: String) throws -> (line: MDNSTester.Line?, complaints: [String]) {
    let answer = try FormBench.answer(Form<MDNSTester.Line>.mdnsTesterLine, yaml)
    return (answer.value, answer.said)
  }

  @Test("a key that would be dropped beside another one is refused where it stands")
  func excluded() throws {
    let records = MDNSTesterFormTests.pointer
    let clock = "only a line with 'at' is sent again by the clock"
    let refused: [(yaml: String, said: String)] = [
      (
        "{at: 1s, known: \(records), say: \(records)}",
        "1:10 'known' cannot stand beside 'say': only a query has known answers"
      ),
      ("{at: 1s, after: 2s}", "1:10 'after' cannot stand beside 'at': it counts from a probe or query"),
      ("{on-probe: a, every: 2s}", "1:15 'every' cannot stand beside 'on-probe': \(clock)"),
      ("{on-query: a, every: 2s}", "1:15 'every' cannot stand beside 'on-query': \(clock)"),
    ]
    for (yaml, said) in refused {
      let (line, complaints) = try read(yaml)
      expectEqual(line, nil, "\(yaml)")
      expectEqual(complaints, [said])
    }
    let name = try #require(DNSName("a.local"))
    let record = DNSRecord(name, .ptr(try #require(DNSName("b.local"))), ttlSeconds: 120)
    let label = Array("a".utf8)
    let once = MDNSTester.Trigger.at(.seconds(1), every: .zero, times: 1)
    let accepted: [(yaml: String, line: MDNSTester.Line)] = [
      ("{at: 1s}", MDNSTester.Line(once)),
      ("{at: 1s, every: 2s}", MDNSTester.Line(.at(.seconds(1), every: .seconds(2), times: 1))),
      ("{at: 1s, known: \(records)}", MDNSTester.Line(once, records: [record])),
      ("{at: 1s, say: \(records)}", MDNSTester.Line(once, records: [record], isResponse: true)),
      ("{on-probe: a}", MDNSTester.Line(.probe(label: label, after: .zero, times: 1))),
      ("{on-probe: a, after: 2s}", MDNSTester.Line(.probe(label: label, after: .seconds(2), times: 1))),
      ("{on-query: a}", MDNSTester.Line(.query(label: label, after: .zero, times: 1))),
      ("{on-query: a, after: 2s}", MDNSTester.Line(.query(label: label, after: .seconds(2), times: 1))),
    ]
    for (yaml, wanted) in accepted {
      let (line, complaints) = try read(yaml)
      expectEqual(complaints, [], "\(yaml)")
      expectEqual(line, wanted, "\(yaml)")
    }
  }

  @Test("a service of a record has no priority and no weight, a text has up to 255 bytes, a name has some")
  func records() throws {
    let name = try #require(DNSName("a.local"))
    let target = try #require(DNSName("b.local"))
    func said(_ data: String) throws -> (data: DNSData?, complaints: [String]) {
      let (line, complaints) = try read("{at: 1s, say: [{name: a.local, \(data)}]}")
      return (line?.records.first?.data, complaints)
    }
    let service = try said("srv: {port: 10, target: b.local}")
    expectEqual(service.data, .srv(priority: 0, weight: 0, port: 10, target: target))
    expectEqual(service.complaints, [])
    let text = String(repeating: "t", count: 255)
    let full = try said("txt: \(text)")
    expectEqual(full.data, .txt([255] + Array(text.utf8)))
    expectEqual(full.complaints, [])
    // Before the value stand 36 bytes.
    let large = try said("txt: \(text)t")
    expectEqual(large.data, nil)
    expectEqual(large.complaints, ["1:37 '\(text.prefix(40))…' is too large: a string goes up to 255 bytes"])
    var reader = Reader()
    expectEqual(Form<DNSName>.dnsName.read(Tree(.scalar("a.local")), &reader), name)
    expectEqual(reader.complaints, [])
    expectEqual(Form<DNSName>.dnsName.read(Tree(.scalar("")), &reader), nil)
    expectEqual(reader.complaints.map(\.message), ["'' is not a name such as box.local"])
  }

  @Test("a tester has up to 1000 lines, and a line up to 256 records of each kind")
  func lists() throws {
    func items(_ count: Int) -> String { "[" + Array(repeating: "x", count: count).joined(separator: ", ") + "]" }
    for key in ["known", "say", "propose"] {
      try expectEqual(
        read("{at: 1s, \(key): \(items(257))}").complaints,
        ["1:\(key.utf8.count + 12) a list of 257, at most 256 are allowed"])
      let full = try read("{at: 1s, \(key): \(items(256))}").complaints
      expectEqual(full.first, "1:\(key.utf8.count + 13) expected a mapping, found 'x'")
    }
    let before = "inhabitants: {x: {kind: mdns-tester, lines: "
    let column = before.utf8.count + 1
    expectEqual(
      errorsOfDocument(before + items(1_001) + "}}"),
      "x.yaml:2:\(column): error: a list of 1001, at most 1000 are allowed (at inhabitants.x.lines)")
    let first = "x.yaml:2:\(column + 1): error: expected a mapping, found 'x' (at inhabitants.x.lines[0])\n"
    #expect(errorsOfDocument(before + items(1_000) + "}}").hasPrefix(first))
  }
}
