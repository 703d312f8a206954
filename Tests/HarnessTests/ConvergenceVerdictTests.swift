import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Testing

/// `converged`: the engine's devices are those that are there, when it has to agree and at the end, and nothing in
/// between is told anew.
@Suite("Verdicts on convergence")
struct ConvergenceVerdictTests {
  private static let convergence = Instant.zero + .seconds(10)

  private static func found(_ name: String) -> Report {
    .found(
      DeviceSighting(
        device: name, location: nil, source: IPAddress(192, 168, 1, 2), interface: InterfaceID(0), bootID: nil))
  }
  private static func lost(_ name: String) -> Report { .lost(device: name, cause: .byebye) }

  private func verdict(
    _ reports: [(seconds: Int64, report: Report)], there: [String], atEnd: [String], mayBeVacuous: Bool = false
  ) -> Verdict? {
    let judge = Judge(
      Judge.Evidence(
        reports: reports.map { TimedReport(time: .zero + .seconds($0.seconds), station: 0, report: $0.report) },
        entriesPeak: 0, devicesPeak: 0, presentAtConvergence: there, presentAtEnd: atEnd, end: .zero + .seconds(20)))
    return judge.verdict(
      on: ResolvedExpectation(
        id: "e1", text: "t", mayBeVacuous: mayBeVacuous, kind: .converged(from: Self.convergence)))
  }

  @Test("it holds where the devices that are there are known, in any case of letters")
  func holds() {
    let (found, lost) = (Self.found, Self.lost)
    expectEqual(verdict([(1, found("uuid:A"))], there: ["uuid:a"], atEnd: ["uuid:a"])?.outcome, .held)
    // At the very instant counts as before it.
    expectEqual(verdict([(10, found("uuid:a"))], there: ["uuid:a"], atEnd: ["uuid:a"])?.outcome, .held)
    expectEqual(verdict([(15, found("uuid:a"))], there: [], atEnd: ["uuid:a"])?.outcome, .held)
    expectEqual(
      verdict([(1, found("uuid:a")), (15, lost("uuid:a"))], there: ["uuid:a"], atEnd: [])?.outcome, .held)
    // Nobody is there, and the engine said something all the same.
    expectEqual(verdict([(1, found("uuid:a")), (2, lost("uuid:a"))], there: [], atEnd: [])?.outcome, .held)
  }

  @Test("a device that is missing, or one too many, breaks it, at either of the two instants")
  func differences() {
    let end = Instant.zero + .seconds(20)
    func reason(_ at: Instant, _ wanted: [String], _ missing: [String], _ surplus: [String]) -> VerdictReason {
      .devices(at: at, wanted: wanted, missing: missing, surplus: surplus, isConvergence: true)
    }
    let a = [(seconds: Int64(1), report: Self.found("uuid:a"))]
    expectEqual(verdict([], there: ["uuid:a"], atEnd: [])?.reason, reason(Self.convergence, ["uuid:a"], ["uuid:a"], []))
    expectEqual(verdict(a, there: [], atEnd: ["uuid:a"])?.reason, reason(Self.convergence, [], [], ["uuid:a"]))
    expectEqual(verdict(a, there: ["uuid:a"], atEnd: [])?.reason, reason(end, [], [], ["uuid:a"]))
    expectEqual(
      verdict(a, there: ["uuid:a"], atEnd: ["uuid:b"])?.reason, reason(end, ["uuid:b"], ["uuid:b"], ["uuid:a"]))
    // One nanosecond after it is too late.
    let late = [(seconds: Int64(11), report: Self.found("uuid:a"))]
    expectEqual(verdict(late, there: ["uuid:a"], atEnd: ["uuid:a"])?.outcome, .violated)
  }

  @Test("a device that stays may not be lost and found, and one that is not there may not be found and lost")
  func changes() {
    let a = (seconds: Int64(1), report: Self.found("uuid:a"))
    let (gone, back) = ((seconds: Int64(12), report: Self.lost("UUID:A")), (seconds: Int64(13), report: a.report))
    let first = verdict([a, gone, back], there: ["uuid:a"], atEnd: ["uuid:a"])
    expectEqual(
      first?.reason,
      .changeAfterConvergence(
        from: Self.convergence, TimedReport(time: .zero + .seconds(12), station: 0, report: gone.report)))
    let other = (seconds: Int64(14), report: Self.found("uuid:b"))
    let second = verdict(
      [a, other, (seconds: 15, report: Self.lost("uuid:b"))], there: ["uuid:a"], atEnd: ["uuid:a"])
    expectEqual(
      second?.reason,
      .changeAfterConvergence(
        from: Self.convergence, TimedReport(time: .zero + .seconds(14), station: 0, report: other.report)))
  }

  @Test("where nobody was there and the engine said nothing, nothing was put to the test")
  func silence() {
    let silent = verdict([], there: [], atEnd: [])
    #expect(silent?.outcome == .vacuous && silent?.reason == .nothingHappened)
    expectEqual(verdict([], there: [], atEnd: [], mayBeVacuous: true)?.outcome, .waived)
  }

  @Test("a device that was found twice is counted as two")
  func twice() {
    let judge = Judge(
      Judge.Evidence(
        reports: [1, 2].map {
          TimedReport(time: .zero + .seconds($0), station: 0, report: Self.found("uuid:a"))
        },
        entriesPeak: 0, devicesPeak: 0, presentAtConvergence: [], presentAtEnd: [], end: .zero + .seconds(20)))
    let wanted = ResolvedExpectation(
      id: "e1", text: "t", mayBeVacuous: false, kind: .presentCount(at: .zero + .seconds(5), .exactly(1)))
    expectEqual(
      judge.verdict(on: wanted)?.reason,
      .deviceCount(at: .zero + .seconds(5), wanted: .exactly(1), present: ["uuid:a", "uuid:a"]))
  }
}
