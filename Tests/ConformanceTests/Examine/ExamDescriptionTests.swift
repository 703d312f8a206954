import RollcallConformance
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

/// The examiner fetches the description once; the judge compares it with what was heard.
@Suite("The description in an examination")
struct ExamDescriptionTests {
  private static func bench(_ quirks: [Quirk] = []) -> ExamBench {
    var bench = ExamBench(
      plan: DeviceExamPlan(probes: [.searchService, .description], patience: .zero), quirks: quirks)
    bench.description.embedded[0].services.append("urn:schemas-upnp-org:service:AVTransport:1")
    return bench
  }

  private func remark(_ result: ExamBench.Result) -> String? {
    result.report?.rows.first { $0.probe == .description }?.remark
  }

  @Test("our own device keeps what can be seen of it in answers alone")
  func own() throws {
    let result = ExamBench().run()
    let judgement = try #require(result.judgement)
    expectEqual(judgement.violated, [])
    for clause in [ClauseID.usnUDN, .usnOwner, .configIDChange, .embeddedTwo, .noURLBase] {
      #expect(judgement.total(clause).held > 0, "\(clause.clause.id)")
    }
    let document = try #require(result.exam.document)
    expectEqual(
      remark(result), "\(document.heard.body.count) bytes from http://192.168.1.10:49152/description.xml")
  }

  static let breaches: [(quirk: Quirk, clauses: [String])] = [
    (.descriptionOtherUDN, ["UDA-1.2.2-USN-UDN"]), (.servicesUnderRoot, ["UDA-1.2.2-USN-OWNER"]),
    (.descriptionOtherType, []),
  ]

  @Test("a bad habit breaks its clause and no other", arguments: breaches.indices)
  func breaks(number: Int) throws {
    let row = ExamDescriptionTests.breaches[number]
    let judgement = try #require(ExamDescriptionTests.bench([row.quirk]).run().judgement)
    expectEqual(judgement.violated, row.clauses, "\(judgement.lines)")
  }

  /// Of an embedded device's two messages: the verdict, what was found, and the mark of the probe.
  private func embedded(_ bench: ExamBench) -> [String] {
    let report = bench.run().report
    let ruling = report?.rulings.first { $0.clause == .embeddedTwo }
    let mark = report?.rows.first { $0.probe == .description }?.mark
    let text = ruling.map { $0.verdict == .violated ? $0.found : $0.expected } ?? ""
    return [ruling?.verdict.rawValue ?? "none", text.prefix { $0 != ":" }.description, mark?.rawValue ?? "none"]
  }

  @Test("an embedded device that is neither answered for nor in the sets that were heard breaks its clause")
  func embeddedDevice() throws {
    var bench = ExamBench(quirks: [.rootOnly])
    // None of its sets is heard: it may be announced.
    expectEqual(embedded(bench), ["inconclusive", "no message of uuid", "inconclusive"])
    bench.description.timing.renewalInterval = .seconds(3) ... .seconds(3)
    expectEqual(embedded(bench), ["violated", "no message of uuid", "violated"])
    let judgement = try #require(bench.run().judgement)
    expectEqual(judgement.total(.embeddedTwo).violated, 1)
    expectEqual(judgement.total(.embeddedTwo).inconclusive, 0)
    // The searches for all that found it are enough, where a later search was answered.
    var result = bench.run()
    result.exam.asks.removeAll { ![DeviceProbe.searchAll, .stillThere].contains($0.probe) }
    let ruling = try #require(result.report?.rulings.first { $0.clause == .embeddedTwo })
    expectEqual(ruling.verdict, .violated)
    #expect(ruling.found.contains(" in 3 answers to ssdp:all and "), "\(ruling.found)")
    bench.quirks = []
    expectEqual(embedded(bench), ["held", "", "held"])
  }

  @Test("of a description that is not its own, and of one without embedded devices, nothing is said about them")
  func otherEmbedded() {
    expectEqual(embedded(ExamBench(quirks: [.descriptionOtherUDN])), ["none", "", "noted"])
    var bench = ExamBench()
    bench.description.embedded = []
    expectEqual(embedded(bench), ["none", "", "noted"])
    bench = ExamBench(plan: DeviceExamPlan(probes: [.searchService], patience: .zero))
    expectEqual(embedded(bench), ["none", "", "none"])
  }

  @Test("who is not asked for the description does not fetch it")
  func unasked() {
    let result = ExamBench(plan: DeviceExamPlan(probes: [.searchService], patience: .zero)).run()
    expectEqual(result.exam.document, nil)
    expectEqual(remark(result), nil)
  }

  @Test("a description that does not come leaves its clauses unexercised, and the examination goes on")
  func missing() throws {
    let servers: [(server: ExamBench.Server, remark: String)] = [
      (.refuses, "not fetched: refused"), (.status(404), "not fetched: status 404"),
      (.silent, "not fetched: no whole answer within 5 s"),
    ]
    for row in servers {
      var bench = ExamDescriptionTests.bench()
      bench.server = row.server
      let result = bench.run()
      expectEqual(result.exam.outcome, .examined)
      expectEqual(remark(result), row.remark)
      let judgement = try #require(result.judgement)
      expectEqual(judgement.total(.usnUDN).held, 0)
      expectEqual(judgement.violated, [])
    }
  }

  @Test("LOCATION on another host, or not over http, is not asked")
  func elsewhere() {
    for quirk in [Quirk.locationLoopback, .locationHttps, .locationOtherSubnet] {
      let result = ExamDescriptionTests.bench([quirk]).run()
      expectEqual(result.exam.document, nil)
      expectEqual(remark(result), "not fetched: LOCATION is no http URL at the device's own address", "\(quirk)")
    }
  }
}
