import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallTrace
import Testing

@testable import RollcallRunning

/// Which reports stand beside a failure, with their causes.
@Suite("Reports near a failure") struct NearbyReportTests {
  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  @Test("beside an event that did not happen stand the reports of the same kind, and no others")
  func kinds() {
    let device = DeviceSighting(device: "uuid:a", provider: .bluetooth, locator: Locator(.peer(1)))
    let search = SearchID(1)
    let fetch = DescriptionFetch(
      device: "uuid:a", location: nil, cause: .found, interface: InterfaceID(0), duration: .zero,
      outcome: .failed(DescriptionFetch.Failure(.timedOut, "late")))
    let reports: [(String, Report)] = [
      ("found", .found(device)), ("changed", .changed(device, .united(part: "uuid:b"))),
      ("lost", .lost(device: "uuid:a", cause: .byebye)), ("description", .description(fetch)),
      ("service", .service(ServiceSighting(search: search, device: "uuid:a", usn: "", target: "", location: nil))),
      ("ended", .searchEnded(SearchOutcome(search: search, target: "", services: [], wasStopped: false))),
      ("failed", .failed(Failure(reason: .noInterface, explanation: ""))),
      ("peripheral", .peripheral(PeripheralReport("ble:a", .connected))),
      ("nearby", .nearby(PeerReport("peer:a", peer: "peer:b", named: "b", .lost))),
      ("managed", .managed(ManagerReport("7", .lost, ManagerReport.State(name: "TV")))),
      ("rejected", .rejected(Rejection(.empty, at: 0))),
    ]
    func told(_ kind: EventMatch.Kind?) -> [String] {
      reports.filter { NearbyReports.isOfKind($0.1, kind) }.map(\.0)
    }
    let lives = ["found", "changed", "lost"]
    expectEqual(told(nil), lives)
    for kind in [EventMatch.Kind.found, .lost(nil), .changed(nil)] { expectEqual(told(kind), lives) }
    expectEqual(told(.description(nil)), lives + ["description"])
    expectEqual(told(.service(search: nil, target: nil)), ["service", "ended"])
    expectEqual(told(.searchEnded(search: nil, services: nil, wasStopped: nil)), ["ended", "failed"])
    expectEqual(told(.peripheral(PeripheralPattern(.connected, of: .anyone))), ["peripheral"])
    expectEqual(told(.nearby(NearbyPattern(.found, of: .anyone))), ["nearby"])
    expectEqual(told(.managed(ManagedPattern(.found, of: .anyone))), ["managed"])
    expectEqual(told(.failed(nil)), ["failed"])
    expectEqual(told(.rejected(nil)), ["rejected"])
  }

  @Test("a cause has at most 100 characters, and a longer one is cut there")
  func shortened() {
    let text = String(repeating: "é", count: 100)
    expectEqual(["", text, text + "n"].map { NearbyReports.shortened($0) }, ["", text, text + "…"])
  }

  @Test("of the reports on two devices, those on the device of the failure stand beside it")
  func devices() throws {
    let text = """
      scenario: Two devices go
      duration: 60s
      engine: {descriptions: fetch, manager: {}}
      inhabitants:
        tv: {kind: root-device, profile: tv, friendly-name: Den}
        stick: {kind: root-device, profile: dial-stick, friendly-name: Attic}
      timeline:
        - {at: 40s, leave: tv}
        - {at: 45s, leave: stick}
      """
    let resolved = try Scenario(yaml: text, file: "x.yaml").resolved()
    let tv = try #require(resolved.devices.first { $0.name == "tv" }).identity
    let all = Run.perform(resolved, seed: Seed(1)).evidence.reports
    let own = all.filter { entry in
      if case .managed = entry.report { return false }
      return entry.report.device.map { isSameDevice($0, tv) } ?? false
    }
    let ownOrTold = all.filter { entry in
      guard case .managed(let told) = entry.report else { return own.contains(entry) }
      return told.names.contains { isSameDevice($0, tv) }
    }
    let life = own.filter { entry in
      if case .service = entry.report { return false }
      return true
    }
    #expect(own.count >= 3 && ownOrTold.count >= own.count + 2 && ownOrTold.count < all.count)
    let lost = try #require(own.last)

    let nearby = NearbyReports(resolved, seed: Seed(1), options: RunOptions())
    func told(_ reason: VerdictReason) -> [String] {
      nearby.around(Verdict(id: "e1", text: "", outcome: .violated, reason: reason)).map { one in
        "\(one.side) \(one.time) \(one.report.device ?? "-")"
      }
    }
    func open(_ kind: EventMatch.Kind, _ end: Instant) -> VerdictReason {
      .notTested(EventMatch(kind, .these([tv])), label: "tv", windows: 1, end: end)
    }
    func lines(_ side: NearbyReport.Side, _ reports: some Sequence<TimedReport>) -> [String] {
      reports.map { "\(side) \($0.time) \($0.report.device ?? "-")" }
    }
    // A change after the convergence is about its device; reports to an application do not count.
    expectEqual(
      told(.changeAfterConvergence(from: at(1), lost)),
      lines(.before, life.filter { $0.time < lost.time }.suffix(2)) + lines(.within, [lost]))
    // Before the television goes, and when both are gone.
    expectEqual(
      told(open(.found, at(35))),
      lines(.before, life.filter { $0.time < at(35) }.suffix(2))
        + lines(.after, life.filter { $0.time > at(35) }.prefix(2)))
    expectEqual(
      told(open(.managed(ManagedPattern(.lost, of: .anyone)), at(50))), lines(.before, ownOrTold.suffix(2)))
  }
}
