import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import Testing

@testable import RollcallRunning

/// When the present devices are looked at, and which changes are kept.
@Suite("Devices that are present in truth") struct TruthWitnessTests {
  /// The television has host 1. It comes and vanishes in silence, while the engine searches.
  private static func scenario() throws -> Resolved {
    let text = """
      scenario: A television comes and vanishes
      duration: 8s
      inhabitants:
        tv: {kind: root-device, profile: tv, appear: 1s}
      timeline:
        - {at: 500ms, search: {target: "ssdp:all"}}
        - {at: 5s, vanish: tv}
      """
    return try Scenario(yaml: text, file: "x.yaml").resolved()
  }

  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  /// The television comes at the first of these instants and goes at the second.
  private func changes(_ resolved: Resolved, _ times: Instant...) -> [TrueDevice] {
    times.enumerated().map { TrueDevice(time: $1, device: resolved.devices[0].identity, isThere: $0 == 0) }
  }

  @Test("devices are looked at after each instant with an input of a host, at the beginning, and at each end")
  func moments() throws {
    let resolved = try Self.scenario()
    for stations in [nil, [1], [0], []] as [[UInt32]?] {
      let recorder = Recorder(stations: stations)
      var world = World(plan: Stage.plan(resolved, seed: Seed(1)), recorder: recorder)
      let witness = TruthWitness(of: resolved, recorder: recorder)
      world.start()
      witness.run(&world, until: at(4))
      witness.run(&world, until: at(8))
      let told = recorder.entries.filter { entry in
        switch entry.content {
        case .signal, .woken: true
        case .received, .sent, .effect: false
        }
      }
      let moments = told.map(\.time) + [at(4), at(8)]
      let found = try #require(moments.filter { $0 >= at(1) }.min())
      let lost = try #require(moments.filter { $0 >= at(5) }.min())
      expectEqual(witness.changes, changes(resolved, found, lost), "\(String(describing: stations))")
      if stations == nil || stations == [1] { expectEqual(witness.changes.map(\.time), [at(1), at(5)]) }
      if stations == [] { expectEqual(witness.changes.map(\.time), [at(4), at(8)]) }
    }
  }

  @Test("a watcher that comes late sees at once which devices are there")
  func late() throws {
    let resolved = try Self.scenario()
    let recorder = Recorder(stations: [])
    var world = World(plan: Stage.plan(resolved, seed: Seed(1)), recorder: recorder)
    let witness = TruthWitness(of: resolved, recorder: recorder)
    world.start()
    world.run(until: at(3))
    witness.run(&world, until: at(4))
    expectEqual(witness.changes, changes(resolved, at(3)))
  }

  @Test("after the maximum of looks only the end is looked at, and at most the maximum of changes is kept")
  func bounds() throws {
    let resolved = try Self.scenario()
    func seen(looks: Int, changes: Int = 10) -> [TrueDevice] {
      let recorder = Recorder(stations: [1])
      var world = World(plan: Stage.plan(resolved, seed: Seed(1)), recorder: recorder)
      let witness = TruthWitness(of: resolved, recorder: recorder, looksMaximum: looks, changesMaximum: changes)
      world.start()
      witness.run(&world, until: at(8))
      return witness.changes
    }
    // The first look is in the beginning, the second when the television appears, each at two hosts.
    expectEqual(
      [0, 2, 3, 4, 1_000].map { seen(looks: $0) },
      [
        [], [], changes(resolved, at(1), at(8)), changes(resolved, at(1), at(8)), changes(resolved, at(1), at(5)),
      ])
    expectEqual((0...3).map { seen(looks: 1_000, changes: $0).count }, [0, 1, 2, 2])
  }

  @Test("a run keeps which devices are there where that is asked for, and is the same run otherwise")
  func asked() throws {
    let resolved = try Self.scenario()
    var options = RunOptions(recordedHosts: [0, 1])
    let plain = Run.perform(resolved, seed: Seed(1), options: options)
    options.watchesTruth = true
    let watched = Run.perform(resolved, seed: Seed(1), options: options)
    expectEqual(plain.truth, [])
    expectEqual(watched.truth, changes(resolved, at(1), at(5)))
    expectEqual(watched.digest, plain.digest)
  }
}
