import Foundation
import RollcallCapture
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallReducing

/// Captures of Bluetooth LE as scenarios: the engine says the same of them, at the same times, and hears the packets
/// as strongly.
@Suite struct ReproducedRadioTests {
  private static func options(keepsIdentities: Bool = false) -> Reproduce.Options {
    Reproduce.Options(keepsIdentities: keepsIdentities, title: "air", source: "air.pcap", findsBite: false)
  }

  /// A lamp that tells its name when it is asked, a tag that is lost and comes back, and two packets at one instant.
  private static let air: TinyAir = {
    var air = TinyAir()
    air.add(0, 1, nil, strength: -61)
    air.add(1, 1, "Lamp of Ann", .scanResponse, strength: -60)
    air.add(500, 2, "Tag 17", .nonconnectable, channel: 38, strength: -90)
    for second in 1...49 { air.add(Int64(second) * 1_000, 1, nil, channel: 39, strength: -62) }
    air.add(50_000, 2, "Tag 17", .nonconnectable)
    air.add(50_000, 1, "Lamp of Bob", .scanResponse)
    return air
  }()

  private static func lines(_ reports: [TapedReport], from start: Instant) -> [String] {
    reports.map { "\(($0.time - start).nanoseconds / 1_000_000) \(ReportText.line($0.report))" }
  }

  @Test(arguments: TinyAir.File.allCases)
  func `a file of each kind becomes a scenario that says the same, whose recording says the same again`(
    _ file: TinyAir.File
  ) throws {
    let outcome = try Reproduce.reproduce(Self.options(keepsIdentities: true)) { try Self.air.reader(file) }
    #expect(outcome.isFaithful)
    expectEqual(outcome.reproduction.losses, [])
    expectEqual(
      Self.lines(outcome.reports, from: outcome.tape.start),
      [
        "0 found ble:c0:ff:ee:00:00:01/random",
        "1 changed ble:c0:ff:ee:00:00:01/random name Lamp of Ann name from -",
        "500 found ble:c0:ff:ee:00:00:02/random name Tag 17",
        "30500 lost ble:c0:ff:ee:00:00:02/random expired",
        "50000 found ble:c0:ff:ee:00:00:02/random name Tag 17",
        "50000 changed ble:c0:ff:ee:00:00:01/random name Lamp of Bob name from Lamp of Ann",
      ])
    let scenario = try Scenario(yaml: outcome.yaml, file: "air.yaml")
    expectEqual(scenario, outcome.reproduction.scenario)
    let heard = try Self.heard(scenario)
    // Which of these a file can tell.
    let hasChannel = [TinyAir.File.radioHeader, .nordic].contains(file)
    let hasStrength = file != .bare && file != .ppi
    expectEqual(
      heard.map(\.packet),
      Self.air.packets.map { packet in
        RadioPDU(
          channel: hasChannel ? packet.channel : nil, strength: hasStrength ? packet.strength : nil,
          accessAddress: AirFrame.advertisingAddress, bytes: packet.pdu)
      })
    expectEqual(
      heard.map { ($0.time - Instant.zero).nanoseconds / 1_000_000 - 1_000 }, Self.air.packets.map(\.milliseconds))
  }

  /// What the engine of a scenario heard.
  private static func heard(_ scenario: Scenario) throws -> [(time: Instant, packet: RadioPDU)] {
    let result = Run.perform(
      try scenario.resolved(), seed: Seed(scenario.seeds.lowerBound), options: RunOptions(recordedHosts: [0]))
    return result.trace.compactMap { entry in
      guard case .signal(.radio(.heard(let packet))) = entry.content else { return nil }
      return (entry.time, packet)
    }
  }

  @Test func `names and addresses are replaced by others of their form, and what says nothing about anybody stays`()
    throws
  {
    var air = TinyAir()
    let data: [UInt8] =
      [2, 1, 6, 3, 3, 0x0F, 0x18] + [7, 0xFF, 0x4C, 0, 0x41, 0x6E, 0x6E, 0] + [8, 9] + Array("Ann's 9".utf8)
    let told = AdvertisingPDU.bytes(.scannable, from: TinyAir.address(1), data: data)
    let directed = AdvertisingPDU.bytes(.directed, from: TinyAir.address(1), to: RadioAddress(bits: 7, isRandom: false))
    air.packets = [told, directed, told].enumerated().map {
      TinyAir.Packet(milliseconds: Int64($0.offset), pdu: $0.element)
    }
    let outcome = try Reproduce.reproduce(Self.options()) { try air.reader() }
    #expect(outcome.isFaithful)
    guard case .recordedPeripheral(let plan)? = outcome.reproduction.scenario.inhabitants.first?.kind else {
      Issue.record("no peripheral was recorded")
      return
    }
    expectEqual(outcome.reproduction.scenario.inhabitants.count, 1)
    expectEqual(plan.packets.map { $0.heard.count }, [2, 1])
    let (new, newDirected) = (plan.packets[0].pdu, plan.packets[1].pdu)
    #expect(new.count == told.count && newDirected.count == directed.count)
    // Header, and all that is no name.
    #expect(new[..<2] == told[..<2] && new[8..<15] == told[8..<15])
    #expect(new[15..<19] == told[15..<19] && new[22] == 0 && new[23..<25] == told[23..<25])
    #expect(new[28] == UInt8(ascii: "'") && new[30] == UInt8(ascii: " "))
    let different = [2..<8, 19..<22, 25..<28, 31..<32]
    for range in different { #expect(new[range] != told[range], "\(range)") }
    #expect(newDirected[2..<8] == new[2..<8] && newDirected[8..<14] != directed[8..<14])
    // Still static random, and still public.
    #expect(new[7] >> 6 == 3 && newDirected[0] == directed[0])
    for secret in ["Ann", "c0ffee", "416e6e", "ee:ff:c0", "eeffc0"] {
      #expect(!outcome.yaml.contains(secret), "\(secret)")
    }
  }

  @Test func `the whole scenario of a small capture, with what is not carried over`() throws {
    var air = TinyAir()
    air.add(0, 1, "Lamp", strength: -61)
    air.add(2, 1, "Lamp", channel: 38, strength: -58)
    air.add(3, 1, nil, .scanResponse, channel: 38)
    let (phone, lamp) = (RadioAddress(bits: 5, isRandom: false), TinyAir.address(1))
    let request = ConnectRequest(parameters: LinkParameters(), seed: 1)
    let others = [
      AdvertisingPDU.bytes(.scanRequest, from: phone, to: lamp),
      AdvertisingPDU.bytes(.connectRequest, from: phone, to: lamp, data: request.bytes), [7, 4, 3, 8, 0, 0], [0x4F, 0],
    ]
    air.packets += others.map { TinyAir.Packet(milliseconds: 4, pdu: $0) }
    air.packets.append(TinyAir.Packet(milliseconds: 5, pdu: [2, 1, 0], channel: 9, accessAddress: 0x5065_5535))
    air.packets.append(TinyAir.Packet(milliseconds: 6, pdu: [2, 1, 0], channel: 9, accessAddress: 0x5065_5535))
    air.packets.append(TinyAir.Packet(milliseconds: 7, pdu: TinyAir.pdu(2, "Ghost"), hasRightCRC: false))
    let outcome = try Reproduce.reproduce(Self.options(keepsIdentities: true)) { try air.reader() }
    #expect(outcome.isFaithful)
    expectEqual(
      outcome.yaml,
      """
      # Made by rollcall reproduce of air.pcap.
      # Not as in the capture: 1 request to connect: no connection is carried over.
      # Not as in the capture: 2 frames of connections or of the controller: what was said on connections is not
      # carried over.
      # Not as in the capture: 1 request for a scan response: the responses come without them.
      # Not as in the capture: 1 extended advertisement without an address: nobody knows who sent it.
      # Not as in the capture: 1 malformed packet: the engine takes none.
      # Not as in the capture: 1 packet with a wrong CRC: no host was given it.
      scenario: air
      why: >-
        What the engine made of air.pcap, kept for ever: 3 packets of 1 peripheral; devices found 1, lost 0, changed
        0.
      tags: [bluetooth, field]
      duration: 1007ms
      engine: {scan: {mode: passive}}
      inhabitants:
        # c0:ff:ee:00:00:01/random "Lamp": ADV_IND 2, SCAN_RSP 1
        lamp-0001:
          kind: recorded-peripheral
          packets:
            - {pdu: 400f010000eeffc002010605094c616d70, heard: [1s ch37 -61dBm, 1.002s ch38 -58dBm]}
            - {pdu: 4406010000eeffc0, heard: [1.003s ch38 -50dBm]}
      expect:
        - {found: ble:c0:ff:ee:00:00:01/random, within: 980ms..1007ms}
        - {found: any, times: 1}
        - {never: {lost: any}}
        - {never: {changed: any}}
        - {present: {at: 1007ms, count: 1}}

      """)
    expectEqual(
      ReproduceText.summary(outcome),
      [
        "3 packets of 1 peripheral, each heard as it was",
        "1 report, the same in the same order, at most 0.000000000 s apart",
        "not reconstructed: 1 request to connect: no connection is carried over",
        "not reconstructed: 2 frames of connections or of the controller: what was said on connections is not carried over",
        "not reconstructed: 1 request for a scan response: the responses come without them",
        "not reconstructed: 1 extended advertisement without an address: nobody knows who sent it",
        "not reconstructed: 1 malformed packet: the engine takes none",
        "not reconstructed: 1 packet with a wrong CRC: no host was given it",
      ])
    expectEqual(
      ReproduceText.row("air", outcome), "air: 3 packets of 1 peripheral, 1 report, 0.000000000 s: same")
  }

  @Test func `a capture without a peripheral, or with too many packets, is refused`() throws {
    #expect(throws: CaptureTape.Problem.noMessages) {
      var air = TinyAir()
      air.packets = [TinyAir.Packet(milliseconds: 0, pdu: [7, 4, 3, 8, 0, 0])]
      return try CaptureTape.read(as: .everybody) { try air.reader() }
    }
    var air = TinyAir()
    for number in 0..<CaptureTape.packetsMaximum { air.add(Int64(number), 1, nil) }
    try expectEqual(CaptureTape.read(as: .everybody) { try air.reader() }.packets.list.count, 20_000)
    air.add(30_000, 1, nil)
    #expect(throws: CaptureTape.Problem.tooManyPackets(20_001)) {
      try CaptureTape.read(as: .everybody) { try air.reader() }
    }
    // Those beyond the bound are counted alone.
    air.packets = Array(air.packets.prefix(3))
    var reader = try air.reader()
    var (frame, kept) = (CaptureFrame(), TapedPackets(keptMaximum: 2))
    while reader.next(&frame) { kept.take(frame, at: frame.time) }
    expectEqual([kept.list.count, kept.count], [2, 3])
  }

  // MARK: Runs and captures of others

  @Test(arguments: [
    "name-only-in-scan-response", "walks-out-of-range", "television-and-remote", "connected-lamp",
    "faulty-advertising-data", "same-bits-public-and-random",
  ])
  func `what the engine of a run heard becomes a scenario that says the same`(_ name: String) throws {
    let path = Places.root.appendingPathComponent("Scenarios/bluetooth/\(name).yaml").path
    let recorded = try ScenarioReports.run(try ScenarioFile.read(path).scenario)
    let outcome = try Reproduce.reproduce(Self.options()) {
      guard let reader = CaptureBytes.reader(recorded.pcapng) else { throw CaptureTape.Problem.noMessages }
      return reader
    }
    #expect(outcome.isFaithful)
    #expect(outcome.reports.count > 0)
    expectEqual(outcome.tape.messages.isEmpty, (name != "television-and-remote"))
  }

  @Test func `as the host of a run with a connection the capture says more than its packets, and this is told`() throws
  {
    let path = Places.root.appendingPathComponent("Scenarios/bluetooth/connected-lamp.yaml").path
    let recorded = try ScenarioReports.run(try ScenarioFile.read(path).scenario)
    var options = Self.options()
    options.perspective = .host("engine")
    let outcome = try Reproduce.reproduce(options) {
      guard let reader = CaptureBytes.reader(recorded.pcapng) else { throw CaptureTape.Problem.noMessages }
      return reader
    }
    #expect(outcome.comparison.isEqual && !outcome.isTapeTrue && !outcome.isFaithful)
  }

  /// Those of others, where `ROLLCALL_CAPTURES` names them.
  @Test func `each capture of others with an advertisement is reproduced report for report`() throws {
    guard let folder = ProcessInfo.processInfo.environment["ROLLCALL_CAPTURES"] else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/ble")) ?? []
    var table: [String] = []
    for name in names.sorted() where name.hasSuffix(".pcap") || name.hasSuffix(".pcapng") {
      do {
        let outcome = try Reproduce.reproduce(Self.options()) { try CaptureReader(path: "\(folder)/ble/\(name)") }
        table.append("\(name): \(outcome.isFaithful ? "the same" : "different")")
      } catch CaptureTape.Problem.noMessages {
        table.append("\(name): nobody advertises")
      } catch CaptureTape.Problem.damaged {
        table.append("\(name): damaged")
      }
    }
    if names.isEmpty { return }
    expectEqual(
      table,
      [
        "ble-pairing-rf.pcap: nobody advertises", "fuzz-ble-rf.pcap: damaged", "gatt-discovery-rf.pcap: the same",
        "hackrf-20-channels-rf.pcap: the same", "hackrf-adv37-rf.pcap: the same",
        "hackrf-adv39-rf.pcap: nobody advertises",
        "hackrf-merged-rf.pcap: the same", "hackrf-short-rf.pcap: the same", "negative-hci-h4.pcap: nobody advertises",
        "numeric-pin-ppi.pcap: the same", "odid-bt5-coded-a.pcapng: the same",
        "ubertooth-adv-and-pairing-ppi.pcap: the same",
      ])
  }
}
