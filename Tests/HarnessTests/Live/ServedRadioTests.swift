import Foundation
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallServing
import RollcallWire
import Testing

/// Hosts outside on the radios of a scenario, with time that the test moves.
@Suite("Served radios") struct ServedRadioTests {
  /// One program outside that speaks HCI.
  private final class Host {
    var packets: [[UInt8]] = []
    /// Events of one code since the start, without their headers.
    func events(_ code: UInt8) -> [[UInt8]] { packets.filter { $0[0] == 4 && $0[1] == code }.map { Array($0[3...]) } }
    func reports(of address: RadioAddress) -> Int {
      events(HCIEvent.leMetaCode).filter {
        $0[0] == HCIEvent.advertisingReport && Array($0[4..<10]) == address.littleEndian
      }
      .count
    }
  }

  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private let own = RadioAddress(bits: 0xC400_0000_0001, isRandom: true)

  private static let lampScenario = """
    scenario: Lamp
    duration: 60s
    engine: {scan: {mode: active}}
    inhabitants:
      lamp:
        kind: peripheral
        name: Lamp
        address: c0:ff:ee:00:00:01/random
        gatt: [{service: 180F, characteristics: [{uuid: 2A19, offers: [read], value: "40"}]}]
    """

  private static let guestScenario = """
    scenario: Guest
    duration: 10s
    engine: {scan: {mode: active}}
    inhabitants:
      guest: {kind: hci-host, address: "c4:00:00:00:00:01/random", radio: {position: {east: 2m}}}
      other: {kind: hci-host}
    timeline:
      - {at: 1s, connect: guest}
      - {at: 8s, disconnect: guest}
    expect:
      - {found: guest, within: 0s..5s, times: 1}
      - {connected: guest, times: 1}
      - {disconnected: guest, end: closed, times: 1}
    """

  private func make(_ yaml: String) throws -> (ServedRadio, [Host]) {
    let resolved = try Scenario(yaml: yaml, file: "test.yaml").resolved()
    let radio = try #require(ServedRadio(resolved, seed: Seed(1)))
    let hosts = radio.places.map { _ in Host() }
    radio.send = { hosts[$0].packets.append($1) }
    radio.begin()
    return (radio, hosts)
  }

  private func command(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) -> [UInt8] {
    [1] + [UInt8(opcode.rawValue & 255), UInt8(opcode.rawValue >> 8), UInt8(parameters.count)] + parameters
  }

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func powerOn(_ radio: ServedRadio, _ place: Int, at now: Instant) throws {
    let bytes =
      command(.reset) + command(.setEventMask, [UInt8](repeating: 0xFF, count: 8))
      + command(.setLEEventMask, [UInt8](repeating: 0xFF, count: 8)) + command(.setRandomAddress, own.littleEndian)
    try radio.receive(bytes, from: place, at: now)
  }

  /// Connectable advertising every 100 ms.
  private func advertise(_ radio: ServedRadio, _ place: Int, at now: Instant) throws {
    let data: [UInt8] = [3, 2, 1, 6] + [UInt8](repeating: 0, count: 28)
    try radio.receive(
      command(.setAdvertisingData, data)
        + command(.setAdvertisingParameters, [0xA0, 0, 0xA0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        + command(.setAdvertisingEnable, [1]), from: place, at: now)
  }

  @Test("a host in the place of the engine scans, connects, reads, and leaves")
  func central() throws {
    let (radio, hosts) = try make(Self.lampScenario)
    #expect(!radio.hasEngine && radio.places.map(\.name) == ["engine"] && radio.places.map(\.host) == [0])
    expectEqual(radio.attach(at: at(500)), 0)
    expectEqual(radio.attach(at: at(500)), nil)
    try powerOn(radio, 0, at: at(500))
    try radio.receive(
      command(.setScanParameters, [1, 0x60, 0, 0x60, 0, 1, 0]) + command(.setScanEnable, [1, 0]), from: 0, at: at(500))
    radio.advance(to: at(1_500))
    let count = hosts[0].reports(of: lamp)
    #expect((5...20).contains(count))
    try radio.receive(command(.setScanEnable, [0, 0]), from: 0, at: at(1_500))
    radio.advance(to: at(2_500))
    expectEqual(hosts[0].reports(of: lamp), count)

    let create =
      [0x60, 0, 0x60, 0, 0, 1] + lamp.littleEndian + [1, 0x0C, 0, 0x18, 0, 0, 0, 0x48, 0, 0, 0, 0, 0]
    try radio.receive(command(.createConnection, create), from: 0, at: at(2_500))
    radio.advance(to: at(3_500))
    let connected = hosts[0].events(HCIEvent.leMetaCode).filter { $0[0] == HCIEvent.connectionComplete }
    expectEqual(connected.map { Array($0[1..<6]) }, [[0, 1, 0, 0, 1]])
    // The battery level, by its handle: behind GAP (1 to 5), GATT (6 to 9) and its own service and declaration.
    let services = ChannelFrame.bytes(.attributes, AttributePDU.readRequest(handle: 3).bytes)
    try radio.receive([2, 1, 0x00, UInt8(services.count), 0] + services, from: 0, at: at(3_500))
    radio.advance(to: at(4_000))
    expectEqual(hosts[0].packets.filter { $0[0] == 2 }, [[2, 1, 0x20, 9, 0, 5, 0, 4, 0, 0x0B] + Array("Lamp".utf8)])
    expectEqual(hosts[0].events(HCIEvent.completedPacketsCode), [[1, 1, 0, 1, 0]])
    try radio.receive(command(.disconnect, [1, 0, 0x13]), from: 0, at: at(4_000))
    radio.advance(to: at(5_000))
    expectEqual(hosts[0].events(HCIEvent.disconnectionCompleteCode), [[0, 1, 0, 0x16]])
    #expect(radio.verdicts() == nil && radio.rejections().isEmpty)
  }

  @Test("the engine finds, connects to and leaves a host that advertises, and its expectations are judged")
  func peripheral() throws {
    let (radio, hosts) = try make(Self.guestScenario)
    #expect(radio.hasEngine && radio.places.map(\.name) == ["guest", "other"])
    // Of the block of addresses for documentation, by the number of the host.
    expectEqual(
      radio.places.map(\.publicAddress),
      radio.places.map { RadioAddress(bits: 0x5E00_5300 + UInt64($0.host), isRandom: false) })
    var told: [String] = []
    radio.report = { report, _ in told.append(report.name) }
    expectEqual([radio.attach(at: at(100)), radio.attach(at: at(100)), radio.attach(at: at(100))], [0, 1, nil])
    try powerOn(radio, 0, at: at(100))
    try advertise(radio, 0, at: at(100))
    radio.advance(to: radio.end)
    let (verdicts, outcome) = try #require(radio.verdicts())
    expectEqual(outcome, .passed, "\(verdicts.filter(\.isBad).map(\.found))")
    // What is judged was told as it happened, each report once.
    expectEqual(
      told.filter { ["found", "connected", "disconnected"].contains($0) }, ["found", "connected", "disconnected"])
    let connected = hosts[0].events(HCIEvent.leMetaCode).filter { $0[0] == HCIEvent.connectionComplete }
    expectEqual(connected.map { $0[4] }, [1])
    expectEqual(hosts[0].events(HCIEvent.disconnectionCompleteCode), [[0, 1, 0, 0x13]])
    #expect(hosts[1].packets.isEmpty)
  }

  @Test("without a host the expectations are not met, and a radio that was left is free again and silent")
  func nobody() throws {
    let (radio, _) = try make(Self.guestScenario)
    radio.advance(to: radio.end)
    expectEqual(radio.verdicts()?.outcome, .failed)

    let (other, hosts) = try make(Self.lampScenario)
    expectEqual(other.attach(at: at(0)), 0)
    try powerOn(other, 0, at: at(0))
    try other.receive(command(.setScanEnable, [1, 0]), from: 0, at: at(0))
    other.detach(0, at: at(1_000))
    let count = hosts[0].packets.count
    #expect(count > 4)
    other.advance(to: at(3_000))
    expectEqual(hosts[0].packets.count, count)
    expectEqual(other.attach(at: at(3_000)), 0)
    // Who goes has been told all that was heard until then.
    try powerOn(other, 0, at: at(3_000))
    try other.receive(
      command(.setScanParameters, [1, 0x60, 0, 0x60, 0, 1, 0]) + command(.setScanEnable, [1, 0]), from: 0,
      at: at(3_000))
    let heard = hosts[0].reports(of: lamp)
    other.detach(0, at: at(4_000))
    #expect(hosts[0].reports(of: lamp) > heard)
  }

  @Test("a host that is gone advertises no more")
  func gone() throws {
    let (radio, hosts) = try make(
      """
      scenario: Two
      duration: 10s
      engine: {scan: {mode: active}}
      inhabitants:
        guest: {kind: hci-host, address: "c4:00:00:00:00:01/random"}
        other: {kind: hci-host}
      """)
    expectEqual([radio.attach(at: at(100)), radio.attach(at: at(100))], [0, 1])
    try powerOn(radio, 0, at: at(100))
    try radio.receive(
      command(.setAdvertisingParameters, [0xA0, 0, 0xA0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        + command(.setAdvertisingEnable, [1]), from: 0, at: at(100))
    let all = [UInt8](repeating: 0xFF, count: 8)
    try radio.receive(command(.setEventMask, all) + command(.setLEEventMask, all), from: 1, at: at(100))
    try radio.receive(
      command(.setScanParameters, [0, 0x60, 0, 0x60, 0, 0, 0]) + command(.setScanEnable, [1, 0]), from: 1, at: at(100))
    radio.detach(0, at: at(1_100))
    // A packet that is on its way arrives.
    radio.advance(to: at(1_150))
    let count = hosts[1].reports(of: own)
    #expect(count > 0)
    radio.advance(to: at(4_000))
    expectEqual(hosts[1].reports(of: own), count)
  }

  @Test("a scan that has a time ends at its moment, however long the step is, and its host is told when")
  func timedScan() throws {
    let (radio, hosts) = try make(Self.lampScenario)
    var ends: [Instant] = []
    radio.tap = { _, direction, packet, time in
      if direction == .toHost, packet == HCIEvent.le(HCIEvent.scanTimeout, []) { ends.append(time) }
    }
    expectEqual(radio.attach(at: at(500)), 0)
    try powerOn(radio, 0, at: at(500))
    // A hundred times 10 ms.
    try radio.receive(
      command(.setExtendedScanParameters, [1, 0, 1, 0, 0x60, 0, 0x60, 0])
        + command(.setExtendedScanEnable, [1, 0, 100, 0, 0, 0]), from: 0, at: at(500))
    radio.advance(to: at(1_499))
    expectEqual(ends, [])
    let count = hosts[0].packets.count
    // The answers to six commands, and the advertisements.
    #expect(count > 6)
    radio.advance(to: at(4_000))
    expectEqual(ends, [at(1_500)])
    expectEqual(hosts[0].events(HCIEvent.leMetaCode).last, [HCIEvent.scanTimeout])
    let left = hosts[0].packets.count
    radio.advance(to: at(6_000))
    expectEqual(hosts[0].packets.count, left)
  }

  @Test("when a connected host goes, nothing that is due at that moment is left to do")
  func goesWhileConnected() throws {
    let (radio, hosts) = try make(Self.guestScenario)
    expectEqual(radio.attach(at: at(100)), 0)
    try powerOn(radio, 0, at: at(100))
    try advertise(radio, 0, at: at(100))
    radio.advance(to: at(5_000))
    let connected = hosts[0].events(HCIEvent.leMetaCode).filter { $0[0] == HCIEvent.connectionComplete }
    expectEqual(connected.count, 1)
    radio.detach(0, at: at(5_000))
    let next = try #require(radio.deadline)
    #expect(next > at(5_000), "\(next)")
  }

  @Test("a host that advertises is a device that is there, with which the engine has to agree")
  func present() throws {
    let (radio, _) = try make(
      """
      scenario: Present
      duration: 16s
      engine: {scan: {mode: active}}
      inhabitants:
        guest: {kind: hci-host, address: "c4:00:00:00:00:01/random", radio: {position: {east: 2m}}}
      heal: 10s
      converge: 5s
      expect:
        - {converged: true}
      """)
    expectEqual(radio.attach(at: at(100)), 0)
    try powerOn(radio, 0, at: at(100))
    try advertise(radio, 0, at: at(100))
    radio.advance(to: radio.end)
    let (verdicts, outcome) = try #require(radio.verdicts())
    expectEqual(outcome, .passed, "\(verdicts.filter(\.isBad).map(\.found))")
  }

  @Test("devices that are there when the engine has to agree are looked at just then, and may go afterwards")
  func converged() throws {
    for (duration, vanishes, outcome) in [
      (90, 20, .passed), (15, nil, .passed), (90, 15, .failed),
    ] as [(Int, Int?, RunOutcome)] {
      let timeline = vanishes.map { "timeline: [{at: \($0)s, vanish: lamp}]\n" } ?? ""
      let (radio, _) = try make(
        """
        scenario: Healed
        duration: \(duration)s
        engine: {scan: {mode: active}}
        inhabitants:
          guest: {kind: hci-host}
          lamp: {kind: peripheral, name: Lamp, interval: 500ms, radio: {position: {east: 2m}}}
        \(timeline)heal: 10s
        converge: 5s
        expect:
          - {converged: true}
        """)
      radio.advance(to: at(1_000))
      let next = try #require(radio.deadline)
      #expect(next > at(1_000) && next < at(3_000), "\(next)")
      radio.advance(to: radio.end)
      expectEqual(radio.verdicts()?.outcome, outcome, "\(duration) s, gone at \(vanishes ?? duration) s")
    }
  }

  @Test(
    "bytes that are no packets end the stream of that host with the place, and commands that make no sense are counted")
  func faults() throws {
    let (radio, hosts) = try make(Self.lampScenario)
    _ = radio.attach(at: at(0))
    #expect(throws: RadioFault(.unknownKind, at: 4)) {
      try radio.receive(command(.reset) + [7, 7], from: 0, at: at(1))
    }
    expectEqual(hosts[0].packets, [[4, 0x0E, 4, 1, 3, 0x0C, 0]])
    radio.detach(0, at: at(2))
    _ = radio.attach(at: at(3))
    try radio.receive(command(.setScanEnable, [1]) + [4, 1, 0] + command(.setScanEnable, [1]), from: 0, at: at(4))
    let rejections = ["2 1 bytes of parameters behind opcode 0x200c", "1 a packet of kind 4"]
    for when in ["at first", "asked again"] {
      expectEqual(radio.rejections().map { "\($0.count) \($0.reason)" }, rejections, "\(when)")
    }
    radio.detach(0, at: at(5))
    expectEqual(radio.rejections().map { "\($0.count) \($0.reason)" }, rejections, "when the host is gone")
    // What the next host gets wrong is added to it, while that is there and afterwards.
    _ = radio.attach(at: at(6))
    try radio.receive(command(.setScanEnable, [1]), from: 0, at: at(7))
    let sum = ["3 1 bytes of parameters behind opcode 0x200c", "1 a packet of kind 4"]
    expectEqual(radio.rejections().map { "\($0.count) \($0.reason)" }, sum)
    radio.detach(0, at: at(8))
    expectEqual(radio.rejections().map { "\($0.count) \($0.reason)" }, sum, "when the next one is gone")
  }

  @Test("the same packets at the same instants are answered in the same way")
  func again() throws {
    func run() throws -> [[UInt8]] {
      let (radio, hosts) = try make(Self.lampScenario)
      _ = radio.attach(at: at(0))
      try powerOn(radio, 0, at: at(0))
      try radio.receive(command(.setScanEnable, [1, 0]), from: 0, at: at(10))
      radio.advance(to: at(5_000))
      return hosts[0].packets
    }
    let first = try run()
    #expect(first.count > 10)
    try expectEqual(run(), first)
  }
}
