import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a control point makes of what it hears, in traces made by hand.
@Suite("Control points, judged")
struct ControlPointTests {
  /// Clauses that are kept and broken here.
  static let clauses = ["UDA-1.3.2-WAIT", "UDA-1.2.4-BOOT-DIFF", "UDA-1.2.4-UPD-CP", "UDA-1.2.2-CP-EXPIRE"]

  private enum Step {
    case hears(Said)
    case sends(Said)
    case tells(Report)
    case asks(UInt32)
  }

  private static let device = "uuid:" + Said.uuid

  private func sighting(boot: UInt32?) -> DeviceSighting {
    DeviceSighting(
      device: ControlPointTests.device, location: nil, source: IPAddress(192, 168, 1, 10), interface: InterfaceID(0),
      bootID: boot)
  }

  private func judged(until end: Interval = .seconds(100), _ steps: [(at: Interval, step: Step)]) -> Judgement {
    var judge = ClauseJudge(Circumstances(isComplete: true, hosts: ["engine"]))
    let payloads = PayloadStore()
    for (number, one) in steps.enumerated() {
      let time = Instant.zero + one.at
      func observation(_ said: Said, _ payload: Payload) -> Observation {
        Observation(
          time: time, position: number + 1, source: said.from, destination: said.to, host: 0,
          bytes: payloads.bytes(of: payload))
      }
      func note(_ content: TraceEvent.Content) {
        judge.note(TraceEvent(time: time, position: number + 1, host: 0, content))
      }
      switch one.step {
      case .hears(let said), .sends(let said):
        let payload = payloads.store(Array(said.text.utf8))
        if case .hears = one.step {
          judge.overhear(observation(said, payload))
        } else {
          judge.hear(observation(said, payload))
        }
        payloads.release(payload)
      case .tells(let report): note(.told(report))
      case .asks(let search): note(.asked(search: search))
      }
    }
    judge.close(at: .zero + end)
    return Judgement(judge)
  }

  private func verdict(_ id: String, _ judgement: Judgement) throws -> String {
    let total = judgement.total(try #require(Clause.named(id)).number)
    return "held \(total.held) violated \(total.violated)"
  }

  @Test("a search that ends before MX has run since its last copy was not waited for")
  func wait() throws {
    func run(end: Interval) throws -> String {
      let outcome = SearchOutcome(search: SearchID(1), target: "ssdp:all", services: [], wasStopped: false)
      return try verdict(
        "UDA-1.3.2-WAIT",
        judged([
          (.zero, .asks(1)), (.zero, .sends(.search())), (.seconds(1), .sends(.search())),
          (end, .tells(.searchEnded(outcome))),
        ]))
    }
    try expectEqual(run(end: .milliseconds(3_900)), "held 0 violated 1")
    try expectEqual(run(end: .milliseconds(4_000)), "held 1 violated 0")
  }

  @Test("another BOOTID without a report of it was missed; one that an update announced is no restart")
  func boots() throws {
    let start: [(at: Interval, step: Step)] = [
      (.zero, .hears(.alive())), (.zero, .tells(.found(sighting(boot: 7)))),
      (.seconds(1), .hears(.alive())),
    ]
    let other = (at: Interval.seconds(10), step: Step.hears(.alive(["BOOTID.UPNP.ORG": "8"])))
    let lost = (
      at: Interval.seconds(10), step: Step.tells(.lost(device: ControlPointTests.device, cause: .rebooted))
    )
    let update = (at: Interval.seconds(9), step: Step.hears(.notify("update")))
    func both(_ steps: [(at: Interval, step: Step)]) throws -> [String] {
      let judgement = judged(start + steps)
      return [try verdict("UDA-1.2.4-BOOT-DIFF", judgement), try verdict("UDA-1.2.4-UPD-CP", judgement)]
    }
    try expectEqual(both([other]), ["held 0 violated 1", "held 0 violated 0"])
    try expectEqual(both([other, lost]), ["held 1 violated 0", "held 0 violated 0"])
    try expectEqual(both([update, other]), ["held 0 violated 0", "held 1 violated 0"])
    try expectEqual(both([update, other, lost]), ["held 0 violated 0", "held 0 violated 1"])
  }

  @Test("a device that is given up before its max-age is over, long after, or never, was not given up as it should be")
  func expiry() throws {
    func run(lostAt time: Interval?) throws -> String {
      var steps: [(at: Interval, step: Step)] = [
        (.zero, .asks(1)), (.zero, .sends(.search())), (.zero, .hears(.alive())),
        (.zero, .tells(.found(sighting(boot: 7)))),
      ]
      if let time { steps.append((time, .tells(.lost(device: ControlPointTests.device, cause: .expired)))) }
      return try verdict("UDA-1.2.2-CP-EXPIRE", judged(until: .seconds(3_600), steps))
    }
    try expectEqual(run(lostAt: .seconds(1_800)), "held 1 violated 0")
    try expectEqual(run(lostAt: .seconds(900)), "held 0 violated 1")
    try expectEqual(run(lostAt: .seconds(1_900)), "held 0 violated 1")
    try expectEqual(run(lostAt: nil), "held 0 violated 1")
  }
}
