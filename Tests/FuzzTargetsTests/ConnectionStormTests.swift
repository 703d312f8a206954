import RollcallDiscovery
import RollcallExpectations
import RollcallFuzzTargets
import RollcallPrimitives
import Testing

/// A few seeds of what `make prove` runs under a thousand.
@Suite("Connections made and ended at random")
struct ConnectionStormTests {
  @Test("each attempt ends once, each connection that stands ends once, and nothing is left")
  func holds() throws {
    var all = ConnectionStorm.Outcome()
    for seed in 1...3 as ClosedRange<UInt64> { all += try ConnectionStorm.run(seed: Seed(seed)) }
    expectEqual(all.attempts, all.connected + all.unconnected)
    expectEqual(all.connected, all.disconnected)
    #expect(min(all.connected, all.unconnected) > 20)
  }

  @Test("the same seed gives the same storm")
  func repeatable() throws {
    try expectEqual(ConnectionStorm.run(seed: Seed(9)), ConnectionStorm.run(seed: Seed(9)))
  }

  @Test(
    "an engine with a fault is found out",
    arguments: [EngineSwitch.silentDisconnect, .unestablishedReported])
  func bites(fault: EngineSwitch) {
    let findings = (1...2 as ClosedRange<UInt64>).compactMap { seed -> String? in
      do { _ = try ConnectionStorm.run(seed: Seed(seed), planting: [fault]) } catch { return "\(error)" }
      return nil
    }
    #expect(!findings.isEmpty)
  }
}
