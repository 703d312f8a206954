import RollcallConformance
import RollcallDevices
import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import Testing

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
    for clause in [ClauseID.usnUDN, .usnOwner, .configIDChange] {
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
