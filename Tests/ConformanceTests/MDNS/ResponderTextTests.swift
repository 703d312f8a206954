import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallExaminers
@testable import RollcallJudging

/// What is told of an examination of a responder; the report is made by hand.
@Suite("What is told of an examined responder") struct ResponderTextTests {
  private static let own = IPAddress(10, 0, 0, 1)

  private static func services(_ count: Int) throws -> [ExaminedService] {
    try (1...count).map { number -> ExaminedService in
      let name = try #require(DNSName("s\(number)._ipp._tcp.local"))
      return ExaminedService(
        pointer: DNSRecord(name, .txt([0]), ttlSeconds: 1), name: try ServiceInstanceName(name))
    }
  }

  private func report(services: Int) throws -> ResponderReport {
    var subject = ResponderSubject(address: ResponderTextTests.own, at: .zero)
    subject.services = try ResponderTextTests.services(services)
    let host = try #require(DNSName.local.adding("p"))
    subject.addresses = [DNSRecord(host, .address(ResponderTextTests.own), ttlSeconds: 1)]
    func row(_ probe: ResponderProbe, _ mark: ResponderRow.Mark, _ asked: Int, remark: String? = nil) -> ResponderRow {
      ResponderRow(
        probe: probe, askedCount: asked, answerCount: 10 * asked, waits: nil, mark: mark, remark: remark)
    }
    var rows = [
      row(.types, .held, 1), row(.responseQuestion, .violated, 10, remark: "odd"), row(.known, .notObservable, 0),
      row(.rate, .inconclusive, 2),
    ]
    let (half, long) = (Interval.milliseconds(500), Interval.seconds(1_000))
    (rows[0].waits, rows[1].waits) = (half...half, Interval.seconds(100)...long)
    var broken = Judgement.ruling(.noQuestions, .violated, 3, probe: "response-question")
    broken.evidence = [
      ProbeMessage(
        time: .zero + .seconds(3), isSent: false, peer: Endpoint(ResponderTextTests.own, port: 5_353), port: 40_000,
        bytes: [0x78])
    ]
    var held = Judgement.ruling(.noQuestions, .held, 4, probe: "response-question")
    (held.expected, held.found) = ("", "")
    return ResponderReport(
      subject: subject, rows: rows, rulings: [broken, held], packetCount: 7, duration: .seconds(5),
      presence: .left(at: .zero + .seconds(2), with: "goodbye"))
  }

  @Test("for people: up to eight services, each probe with its waits, the findings, and a last line")
  func page() throws {
    let judgement = Judgement.mixed()
    let lines = ResponderText.lines(try report(services: 9), judgement, interface: "eth0")
    let names: [String] = (1...8).map { "s\($0)._ipp._tcp.local" }
    let blanks = String(repeating: " ", count: 20)
    let head = [
      "p.local  10.0.0.1 on eth0", "  " + names.joined(separator: ", ") + " and 1 more",
      "✘ it left with goodbye at 2.000 s; what was asked after that is not judged", "",
      "  probe             asked  answers  waits               what ought to come",
      "✓ types                 1       10  0.500 s             " + ResponderProbe.types.gist,
      "✘ response-question    10      100  100.000 to 1000.000 s " + ResponderProbe.responseQuestion.gist + " — odd",
      "· known                 0        0  " + blanks + ResponderProbe.known.gist,
      "? rate                  2       20  " + blanks + ResponderProbe.rate.gist,
    ]
    let end = ["", "2 clauses held, 3 broken, 2 open, 2 not exercised"]
    let last = ["7 messages in 5 s: 1 broken must, 0 broken shoulds, 2 other"]
    expectEqual(lines, head + ExamText.findings(judgement) { _ in "" } + end + last)
    let few = ResponderText.lines(try report(services: 8), judgement, interface: "eth0")
    expectEqual(few[1], "  " + names.joined(separator: ", "))
    let plan = ResponderExamPlan(target: "p.local")
    expectEqual(
      ResponderPlanText.lines(plan, interface: "eth0", address: ResponderTextTests.own)[0],
      "examine: p.local, on eth0 from 10.0.0.1 and nowhere else")
    expectEqual(
      ResponderPlanText.lines(ResponderExamPlan(), interface: "eth0", address: nil)[0],
      "examine: the only responder there, on eth0 and nowhere else")
  }

  @Test("for programs: the same, each probe with its rulings and their evidence")
  func json() throws {
    let judgement = Judgement.made([Judgement.ruling(.aliveHost, .violated)])
    let report = try report(services: 2)
    let lines = ResponderLines.lines(report, judgement, input: "e")
    let start = #"{"schema":"rollcall/1","kind":"#
    let examined: String =
      #""examined","input":"e","device":"p.local","source":"10.0.0.1","services":["s1._ipp._tcp.local","#
      + #""s2._ipp._tcp.local"],"messages":7,"seconds":"5.000000000","presence":"left","#
      + #""presenceText":"it left with goodbye at 2.000 s"}"#
    let types: String =
      #""probe","input":"e","probe":"types","verdict":"held","clauses":["MD-63"],"asked":1,"answers":10,"#
      + #""shortestWait":"0.500000000","longestWait":"0.500000000","rulings":[]}"#
    let question: String =
      #""probe","input":"e","probe":"response-question","verdict":"violated","clauses":["MD-12"],"asked":10,"#
      + #""answers":100,"shortestWait":"100.000000000","longestWait":"1000.000000000","remark":"odd","rulings":["#
    let rulings: String =
      #"{"clause":"MD-12","verdict":"violated","expected":"e3","found":"f3","evidence":[{"time":"3.000000000","#
      + #""direction":"heard","peer":"10.0.0.1:5353","port":40000,"bytes":"x"}]},"#
      + #"{"clause":"MD-12","verdict":"held","evidence":[]}]}"#
    expectEqual(Array(lines.prefix(3)), [start + examined, start + types, start + question + rulings])
    expectEqual(
      Array(lines.dropFirst(5)),
      [
        JudgementLines.json(judgement.rows[0], input: "e", isTrace: true),
        JudgementLines.summary(judgement, input: "e"),
      ])
    // The narrowest column of probes, for all three examiners.
    let probes: [String] =
      ResponderProbe.allCases.map(\.rawValue) + DeviceProbe.allCases.map(\.rawValue)
      + ControlPointProbe.allCases.map(\.rawValue)
    for probe in probes { #expect(probe.count < 18, "\(probe)") }
  }
}
