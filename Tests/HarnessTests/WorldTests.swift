import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import Testing
import RollcallTrace

/// The simulator as a whole: machines on a network, driven by virtual time.
@Suite("The world")
struct WorldTests {
  static func scenario(_ text: String) throws -> Resolved {
    try Scenario(yaml: text, file: "test.yaml").resolved()
  }

  static let living = """
    scenario: A living room
    duration: 40s
    network: {link: {latency: 200us..3ms, loss: 20%}}
    inhabitants:
      tv: {kind: root-device, profile: tv}
      speaker: {kind: root-device, profile: speaker, appear: 1s..5s}
      bulb: {kind: root-device, profile: light-bridge}
    timeline:
      - {at: 3s, search: {target: "ssdp:all"}}
      - {at: 20s, leave: tv}
    expect: [{found: each}]
    """

  @Test("the same seed gives the same run, another seed another one")
  func repeatable() throws {
    let resolved = try WorldTests.scenario(WorldTests.living)
    let runs = [7, 7, 8].map { Run.perform(resolved, seed: Seed($0)) }
    expectEqual(runs[0].digest, runs[1].digest)
    expectEqual(runs[0].evidence.reports, runs[1].evidence.reports)
    #expect(runs[0].digest != runs[2].digest)
  }

  @Test("keeping the trace changes nothing of a run")
  func recorder() throws {
    let resolved = try WorldTests.scenario(WorldTests.living)
    let plain = Run.perform(resolved, seed: Seed(3))
    let recorded = Run.perform(
      resolved, seed: Seed(3), options: RunOptions(recordedHosts: Array(resolved.hosts.indices), watchedHost: 0))
    expectEqual(plain.digest, recorded.digest)
    expectEqual(UInt64(recorded.trace.count), recorded.entries)
  }

  @Test("a newcomer at the end of the document changes nobody's draws: the others send the same at the same times")
  func newcomer() throws {
    let base = WorldTests.living
    let more = base.replacing(
      "timeline:", with: "  stranger: {kind: root-device, profile: router, appear: 2s}\ntimeline:")
    func sent(_ text: String) throws -> [[TraceEntry]] {
      let resolved = try WorldTests.scenario(text)
      let result = Run.perform(resolved, seed: Seed(5), options: RunOptions(recordedHosts: [1, 2, 3]))
      return [1, 2, 3].map { host in
        result.trace.filter { entry in
          if case .sent = entry.content { entry.station == UInt32(host) } else { false }
        }
      }
    }
    let (without, with) = (try sent(base), try sent(more))
    #expect(without[0].count > 10)
    expectEqual(without, with)
  }

  @Test(
    "a fault with chance 0 gives the digest of no fault",
    arguments: [
      "loss: 0%", "multicast-loss: 0%", "duplicate: 0%", "reorder: 0%", "corrupt: 0%",
      "loss: {gilbert-elliott: {good-to-bad: 0%, bad-to-good: 50%, loss-in-good: 0%, loss-in-bad: 90%}}",
    ])
  func nothing(fault: String) throws {
    let plain = WorldTests.living.replacing(", loss: 20%", with: "")
    let withFault = plain.replacing("200us..3ms}", with: "200us..3ms, \(fault)}")
    #expect(plain != withFault)
    let digests = try [plain, withFault].map { Run.perform(try WorldTests.scenario($0), seed: Seed(2)).digest }
    expectEqual(digests[0], digests[1])
  }

  @Test("no payload outlives its datagram")
  func payloads() throws {
    let resolved = try WorldTests.scenario(WorldTests.living)
    var world = World(plan: Stage.plan(resolved, seed: Seed(1)))
    world.runAll()
    world.run(until: .zero + .seconds(60))
    // What is left are the datagrams under way at the end; a minute later only renewals can be.
    #expect(world.payloads.liveCount <= 4)
  }

  @Test("a budget ends a run and says so")
  func budget() throws {
    for (budget, message) in [("entries", "more than 100 trace entries"), ("events", "more than 100 events")] {
      let text = WorldTests.living + "\nbudget: {\(budget): 100}\n"
      let resolved = try WorldTests.scenario(text)
      let result = Run.perform(resolved, seed: Seed(1))
      expectEqual(result.outcome, .budget)
      expectEqual(result.reachedBudget, message)
      // It ends at the same event where somebody looks which devices are there.
      var options = RunOptions(recordedHosts: Array(resolved.hosts.indices))
      options.watchesTruth = true
      let watched = Run.perform(resolved, seed: Seed(1), options: options)
      expectEqual(watched.entries, result.entries)
      expectEqual(watched.virtualTime, result.virtualTime)
      expectEqual(watched.reachedBudget, message)
    }
  }

  @Test("a host whose clock drifts measures its own time, and wakes when its own clock says so")
  func drift() throws {
    // Ten per cent fast: MX 3 s and 0.1 s by its clock are 31/11 s of true time.
    let text = """
      scenario: A fast clock
      duration: 30s
      engine: {clock-drift: 100000ppm}
      inhabitants: {tv: {kind: root-device, profile: basic}}
      timeline: [{at: 10s, search: {target: "ssdp:all", broadcasts: 1}}]
      expect: [{found: tv}]
      """
    let result = Run.perform(try WorldTests.scenario(text), seed: Seed(1))
    let ends = result.evidence.reports.compactMap { entry -> Instant? in
      if case .searchEnded = entry.report { entry.time } else { nil }
    }
    expectEqual(ends, [Instant(nanoseconds: 14_100_000_000)])
  }

  @Test("every kind of message that machines send is read by the other side: nothing is refused in a sound network")
  func clean() throws {
    let text = WorldTests.living.replacing(", loss: 20%", with: "")
    let result = Run.perform(try WorldTests.scenario(text), seed: Seed(9))
    #expect(result.rejections.isEmpty)
    expectEqual(result.outcome, .passed)
  }
}
