import CoreBluetooth
import Foundation
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallServing
import RollcallWire
import Synchronization
import Testing

@testable import RollcallPhones

/// Two phones on the radios that `serve-hci` lends, with bytes of HCI between them and time that the test moves.
@Suite("Phones on a served radio", .serialized)
struct HostedPhoneTests {
  /// A radio with two places, and a phone on each.
  final class Meeting {
    let radio: ServedRadio
    let phones: [HostedPhone]
    var now = Instant.zero
    /// How many bytes a read of the stream gives; 0: all there are.
    let chunk: Int
    private var toPhone: [[UInt8]] = [[], []]
    private var toRadio: [[UInt8]] = [[], []]

    init(chunk: Int = 0) throws {
      let scenario = """
        scenario: Two phones
        duration: 5m
        inhabitants:
          first: {kind: hci-host}
          second: {kind: hci-host, radio: {position: {east: 2m}}}
        """
      let resolved = try Scenario(yaml: scenario, file: "phones.yaml").resolved()
      radio = try #require(ServedRadio(resolved, seed: Seed(1)))
      phones = ["engine", "friend"].map { HostedPhone(SimulatedPhone(name: $0)) }
      self.chunk = chunk
      radio.send = { [unowned self] place, packet in toPhone[place] += packet }
      for place in phones.indices { phones[place].send = { [unowned self] in toRadio[place] += $0 } }
      radio.begin()
      for phone in phones {
        #expect(radio.attach(at: .zero) != nil)
        phone.begin(at: .zero)
      }
    }

    /// Moves time on, in steps; applications think in no time.
    func run(for duration: Interval) throws {
      let end = now + duration
      while now < end {
        now = min(end, now + .milliseconds(5))
        radio.advance(to: now)
        for phone in phones { phone.advance(to: now) }
        repeat {
          try pass()
          for phone in phones {
            phone.phone.queues.drain()
            phone.advance(to: now)
          }
        } while !(toPhone + toRadio).allSatisfy(\.isEmpty)
      }
    }

    private func pass() throws {
      for place in phones.indices {
        let (up, down) = (toRadio[place], toPhone[place])
        (toRadio[place], toPhone[place]) = ([], [])
        for part in parts(up) { try radio.receive(part, from: place, at: now) }
        for part in parts(down) { try phones[place].receive(part, at: now) }
      }
    }

    private func parts(_ bytes: [UInt8]) -> [[UInt8]] {
      guard chunk > 0 else { return bytes.isEmpty ? [] : [bytes] }
      return stride(from: 0, to: bytes.count, by: chunk).map { Array(bytes[$0..<min(bytes.count, $0 + chunk)]) }
    }

    func enter<Result>(_ place: Int, _ body: () -> Result) -> Result {
      PhoneLink.$current.withValue(phones[place].phone) { body() }
    }
  }

  private struct Outcome: Equatable {
    var explorer: [String]
    var thermometer: [String]
    var values: [[UInt8]]
  }

  /// Everything that the two applications do with each other.
  private func meet(chunk: Int) throws -> Outcome {
    let meeting = try Meeting(chunk: chunk)
    let thermometer = meeting.enter(1) { ThermometerApp() }
    let explorer = meeting.enter(0) { ExplorerApp("1809") }
    try meeting.run(for: .seconds(5))
    let peripheral = try #require(explorer.peripheral)
    peripheral.readValue(for: try #require(explorer.characteristic("2A1C")))
    try meeting.run(for: .seconds(2))
    peripheral.writeValue(
      Data(repeating: 9, count: 300), for: try #require(explorer.characteristic("2A1E")), type: .withResponse)
    try meeting.run(for: .seconds(2))
    thermometer.toSend = (0..<40).map { Data([UInt8($0)]) }
    peripheral.setNotifyValue(true, for: try #require(explorer.characteristic("2A1C")))
    try meeting.run(for: .seconds(5))
    explorer.central.cancelPeripheralConnection(peripheral)
    try meeting.run(for: .seconds(2))
    for phone in meeting.phones { #expect(phone.failure == nil && phone.rejections.isEmpty) }
    #expect(meeting.radio.rejections().isEmpty)
    return Outcome(explorer: explorer.log, thermometer: thermometer.log, values: explorer.values)
  }

  @Test func `two phones meet: one scans, connects, discovers, reads, writes and is notified, then it leaves`() throws {
    let outcome = try meet(chunk: 0)
    expectEqual(
      outcome.explorer.prefix(8),
      [
        "found Thermo", "connected", "name friend", #"services ["1800", "1801", "1809"]"#,
        #"1800 has ["2A00", "2A01"]"#, #"1801 has ["2A05"]"#, #"1809 has ["2A1D", "2A1C", "2A1E"]"#, "value 2A1C 200",
      ])
    expectEqual(outcome.explorer.dropFirst(8).prefix(2), ["written 2A1E", "notifying true"])
    expectEqual(outcome.explorer.last, "disconnected")
    expectEqual(outcome.values, [(0..<200).map { UInt8($0) }] + (0..<40).map { [UInt8($0)] })
    expectEqual(outcome.thermometer.prefix(3), ["state 5", "added 1809", "advertising true"])
    #expect(outcome.thermometer.contains("write 2A1E 180 at 0, 2A1E 120 at 180"))
    #expect(outcome.thermometer.contains("subscribed 2A1C, 182, 1"))
    #expect(outcome.thermometer.contains("ready"))
    expectEqual(outcome.thermometer.last, "unsubscribed 2A1C, 0")
  }

  @Test func `a stream that comes byte by byte gives the same`() throws {
    let whole = try meet(chunk: 0)
    try expectEqual(meet(chunk: 1), whole)
  }

  @Test func `a controller that sends no packets ends the radio, with the place where that shows`() throws {
    let phone = HostedPhone(SimulatedPhone(name: "alone"))
    var sent: [UInt8] = []
    phone.send = { sent += $0 }
    let app = PhoneLink.$current.withValue(phone.phone) { ThermometerApp() }
    phone.begin(at: .zero)
    expectEqual(sent, HCICommand.bytes(.reset))
    let reset = HCIEvent.commandComplete(.reset, [0])
    #expect(throws: RadioFault(.unknownKind, at: reset.count)) { try phone.receive(reset + [0x77], at: .zero) }
    phone.phone.queues.drain()
    expectEqual(app.log, ["state 4"])
    expectEqual(phone.failure, "no packet of HCI at byte 7: unknownKind")
  }

  /// Answers every command, and knows which there were.
  private final class Controller {
    private var commands: [HCIOpcode] = []
    private static let results: [HCIOpcode: [UInt8]] = [
      .readLEBufferSize: [0, 27, 0, 2], .readAcceptListSize: [0, 4], .readAdvertisingSetCount: [0, 2],
      .readAddress: [0, 1, 2, 3, 4, 5, 6],
    ]

    func take(_ packet: [UInt8]) { commands.append(HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)) }

    /// Answers what was asked, and what is asked upon that; all of it in order.
    func answer(_ phone: HostedPhone, at now: Instant) throws -> [HCIOpcode] {
      var answered: [HCIOpcode] = []
      while !commands.isEmpty {
        let command = commands.removeFirst()
        answered.append(command)
        try phone.receive(HCIEvent.commandComplete(command, Controller.results[command] ?? [0]), at: now)
      }
      return answered
    }
  }

  /// A phone with a controller that has answered everything, and a central manager.
  private func ready(_ phone: SimulatedPhone, _ door: StateDoor) throws -> (HostedPhone, Controller, ManagerNumber) {
    let (hosted, controller) = (HostedPhone(phone), Controller())
    hosted.send = { controller.take($0) }
    let manager = phone.attach(door, as: ManagerSetup())
    hosted.begin(at: .zero)
    try expectEqual(
      controller.answer(hosted, at: .zero),
      [
        .reset, .setEventMask, .setLEEventMask, .readLEBufferSize, .readAcceptListSize, .writeSuggestedDataLength,
        .readAddress, .readAdvertisingSetCount,
      ])
    expectEqual(door.take(), [5])
    return (hosted, controller, manager)
  }

  @Test func `what is asked goes out at once, what is due happens then, and time never runs backwards`() throws {
    let phone = SimulatedPhone(name: "alone")
    let (hosted, controller, manager) = try ready(phone, StateDoor())
    func now() -> Instant { phone.state.withLock { $0.now } }
    phone.perform(.startScan(ScanRequest(number: 1)), for: manager)
    hosted.advance(to: .zero + .seconds(1))
    try expectEqual(
      controller.answer(hosted, at: .zero + .seconds(2)),
      [.setExtendedScanEnable, .setExtendedScanParameters, .setExtendedScanEnable])
    hosted.advance(to: .zero + .seconds(1))
    expectEqual(now(), .zero + .seconds(2))
    // A peripheral is lost thirty seconds after it was heard last, or when nobody may listen any more.
    let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    let report = AdvertisingReport(
      kind: .connectable, isConnectable: true, isScanResponse: false, address: lamp, strength: -60, data: [2, 1, 6])
    try hosted.receive(HCIEvent.extendedReport(report), at: .zero + .seconds(3))
    expectEqual(hosted.deadline, .zero + .seconds(33))
    hosted.advance(to: .zero + .seconds(33))
    expectEqual(now(), .zero + .seconds(33))
    expectEqual(hosted.deadline, nil)
    try hosted.receive(HCIEvent.extendedReport(report), at: .zero + .seconds(40))
    expectEqual(hosted.deadline, .zero + .seconds(70))
    phone.authorize(.denied)
    hosted.advance(to: .zero + .seconds(41))
    expectEqual(hosted.deadline, nil)
    #expect(hosted.rejections.isEmpty && hosted.failure == nil)
  }

  @Test func `a controller that is gone at the instant of a crash has crashed, and not been switched off`() throws {
    let crash = Instant.zero + .seconds(5)
    let door = StateDoor()
    let (hosted, _, _) = try ready(SimulatedPhone(name: "alone", resets: [crash]), door)
    hosted.end("gone", at: crash)
    expectEqual(door.take(), [1])
    expectEqual(hosted.failure, "gone")
  }

  private final class SilentDoor: PeripheralRoleDoor {
    func push(_ event: PeripheralRoleEvent) {}
  }

  @Test func `its driver is told of each request until it is closed; then nothing of it is kept`() throws {
    let count = Guarded(0)
    let phone = SimulatedPhone(name: "alone")
    var hosted: HostedPhone? = HostedPhone(phone, whenAsked: { count.withLock { $0 += 1 } })
    let heard = Weakly(hosted?.driven.heard)
    let central = phone.attach(StateDoor(), as: ManagerSetup())
    expectEqual(count.current, 1)
    phone.perform(.startScan(ScanRequest(number: 1)), for: central)
    expectEqual(count.current, 2)
    let role = phone.attach(SilentDoor(), as: ManagerSetup())
    expectEqual(count.current, 3)
    phone.perform(.advertise(AdvertisedIdentity()), for: role)
    expectEqual(count.current, 4)
    #expect(phone.update(3, [1], to: nil, for: role))
    expectEqual(count.current, 5)
    // Managers of both kinds may go, each once.
    phone.detach(role)
    expectEqual(count.current, 6)
    phone.detach(role)
    expectEqual(count.current, 6)
    phone.detach(central)
    expectEqual(count.current, 7)
    hosted?.stop(at: .zero)
    expectEqual(hosted?.failure, "it was closed")
    _ = phone.attach(StateDoor(), as: ManagerSetup())
    expectEqual(count.current, 7)
    #expect(heard.object != nil)
    hosted = nil
    #expect(heard.object == nil)
  }

  @Test func `a controller that is gone leaves managers that are powered off`() throws {
    let meeting = try Meeting()
    let thermometer = meeting.enter(1) { ThermometerApp() }
    try meeting.run(for: .seconds(1))
    meeting.phones[1].end("the controller has closed the connection", at: meeting.now)
    meeting.phones[1].phone.queues.drain()
    expectEqual(thermometer.log.last, "state 4")
    let later = meeting.enter(1) { ThermometerApp() }
    meeting.phones[1].advance(to: meeting.now)
    meeting.phones[1].phone.queues.drain()
    expectEqual(later.log, ["state 4"])
  }
}
