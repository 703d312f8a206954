import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Recorded peripherals in YAML: what is read, what is written, what is refused and where.
@Suite struct RecordedPeripheralFormTests {
  private func yaml(_ heard: String, pdu: String = "42", more: String = "") -> String {
    """
    scenario: Recorded
    duration: 1m
    engine: {scan: {mode: passive}}
    inhabitants:
      tag:
        kind: recorded-peripheral
        packets:
          - {pdu: 4206010000eeffc0, heard: [1s]}
          - pdu: "\(pdu)"
            heard: \(heard)
    \(more)
    """
  }

  private func plan(_ heard: String) throws -> RecordedPeripheral.Plan? {
    let scenario = try Scenario(yaml: yaml(heard), file: "x.yaml")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x.yaml"), scenario)
    guard case .recordedPeripheral(let plan) = scenario.inhabitants[0].kind else { return nil }
    return plan
  }

  @Test func `packets and the times, channels and strengths of their hearings are read, and read back as the same`()
    throws
  {
    let plan = try plan("[0s, 1.5s ch37 -58dBm, 2030ms ch0, 3s -128dBm, 4s ch39 20dBm, 5.000000001s]")
    expectEqual(
      plan,
      RecordedPeripheral.Plan([
        RecordedPeripheral.Packet(
          pdu: [0x42, 6, 1, 0, 0, 0xEE, 0xFF, 0xC0], heard: [RecordedPeripheral.Hearing(at: .seconds(1))]),
        RecordedPeripheral.Packet(
          pdu: [0x42],
          heard: [
            RecordedPeripheral.Hearing(at: .zero),
            RecordedPeripheral.Hearing(at: .milliseconds(1_500), channel: 37, strength: -58),
            RecordedPeripheral.Hearing(at: .milliseconds(2_030), channel: 0),
            RecordedPeripheral.Hearing(at: .seconds(3), strength: -128),
            RecordedPeripheral.Hearing(at: .seconds(4), channel: 39, strength: 20),
            RecordedPeripheral.Hearing(at: .seconds(5) + .nanoseconds(1)),
          ]),
      ]))
  }

  @Test(arguments: [
    "1s ch40", "1s 37", "1s -58dBm ch37", "1s ch37 ch38", "1s -58dBm -58dBm", "1s 127dBm", "1s -129dBm", "1s -58",
    "ch37 1s", "1s  ch37", "-1s", "1s ch", "1s dBm", "soon",
  ])
  func `what is no hearing is refused where it stands`(_ text: String) {
    #expect(throws: ScenarioErrors.self) { try plan("[\"\(text)\"]") }
    let error = #expect(throws: ScenarioErrors.self) { try plan("[2s, \"\(text)\"]") }
    expectEqual(error.map { "\($0)".contains("x.yaml:10:") }, true)
  }

  @Test func `a packet of 257 bytes is read, and a longer one is refused where it stands`() throws {
    func scenario(_ byteCount: Int) throws -> Scenario {
      try Scenario(yaml: yaml("[1s]", pdu: String(repeating: "42", count: byteCount)), file: "x.yaml")
    }
    guard case .recordedPeripheral(let plan) = try scenario(257).inhabitants[0].kind else {
      Issue.record("no recorded peripheral")
      return
    }
    expectEqual(plan.packets[1].pdu, [UInt8](repeating: 0x42, count: 257))
    let error = #expect(throws: ScenarioErrors.self) { try scenario(258) }
    expectEqual(error.map { "\($0)".contains("x.yaml:9:") }, true)
  }

  @Test func `it has a radio that can be switched off, no place on a LAN, and nowhere to walk`() throws {
    let faults = "faults: [{at: 1s, radio-off: tag}]"
    let resolved = try Scenario(yaml: yaml("[1s]", more: faults), file: "x.yaml").resolved()
    #expect(resolved.plan.hosts[1].interfaces.isEmpty && resolved.devices.isEmpty)
    expectEqual(resolved.radio?.radios.map { $0?.name }, ["engine", "tag"])
    expectEqual(resolved.radio?.radios[1]?.switches.map(\.isOn), [false])
    let walk = "timeline: [{at: 1s, walk: {who: tag, to: {east: 1m}}}]"
    let error = #expect(throws: ScenarioErrors.self) {
      try Scenario(yaml: yaml("[1s]", more: walk), file: "x.yaml").resolved()
    }
    expectEqual(error.map { "\($0)".contains("'tag' is heard as it was recorded, wherever it is") }, true)
  }

  @Test func `a peripheral can be expected by its address, in any case, and nothing else of that form`() throws {
    func scenario(_ name: String) throws -> Scenario {
      try Scenario(yaml: yaml("[1s]", more: "expect: [{found: \(name)}]"), file: "x.yaml")
    }
    let upper = try scenario("ble:C0:FF:EE:00:00:01/random")
    expectEqual(upper.expectations, [Expectation(.happens(Happens(.found(.device("ble:c0:ff:ee:00:00:01/random")))))])
    try expectEqual(Scenario(yaml: upper.yaml, file: "x.yaml"), upper)
    for name in ["ble:c0:ff:ee:00:00:01", "ble:", "ble:c0:ff:ee:00:00/random", "blue:c0:ff:ee:00:00:01/random"] {
      #expect(throws: ScenarioErrors.self, "\(name)") { try scenario(name) }
    }
  }
}
