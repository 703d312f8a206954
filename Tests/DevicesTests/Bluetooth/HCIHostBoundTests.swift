import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// What a host of HCI takes its controller to have room for, what it keeps and forgets, and what it refuses.
@Suite("A host of HCI: bounds and states") struct HCIHostBoundTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private let friend = RadioAddress(bits: 0xC0FF_EE00_0002, isRandom: true)
  private let own = RadioAddress(bits: 0xC400_0000_0001, isRandom: true)
  private let scanOff = HCICommand.bytes(.setExtendedScanEnable, HCICommand.scanEnable(false))

  private func packets(_ output: [HCIHost.Output]) -> [[UInt8]] {
    output.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
  }

  /// The parameters of the commands that switch advertising sets on and off, or remove them.
  private func switches(_ output: [HCIHost.Output]) -> [[UInt8]] {
    let opcodes: [HCIOpcode] = [.setExtendedAdvertisingEnable, .removeAdvertisingSet]
    return packets(output).compactMap { packet in
      opcodes.contains(HCIOpcode(rawValue: packet.little16(1))) ? Array(packet.dropFirst(4)) : nil
    }
  }

  private func ready(_ results: [HCIOpcode: [UInt8]] = [:]) throws -> HCIHost {
    var host = HCIHost(address: own)
    host.begin()
    try expectEqual(answer(&host, results).last, .ready)
    return host
  }

  private func connected() -> [UInt8] {
    HCIEvent.connectionComplete(.success, 1, .peripheral, peer: friend, LinkParameters())
  }

  private func advertisement(_ set: UInt8) -> RadioEffect {
    .advertise(
      set: set, every: .milliseconds(100), pdu: AdvertisingPDU.bytes(.nonconnectable, from: own, data: [2, 1, 6]),
      response: [])
  }

  // MARK: - Room of the controller

  @Test("a controller that has not told its sizes has room for one address and for one packet of 27 bytes")
  func sizesBefore() throws {
    var host = HCIHost(address: own)
    host.want(.link(LinkID(1), .connect(to: lamp, LinkParameters())))
    host.want(.link(LinkID(2), .connect(to: friend, LinkParameters())))
    let wait = [
      HCICommand.bytes(.clearAcceptList), HCICommand.bytes(.addToAcceptList, HCICommand.address(lamp)),
      HCICommand.bytes(.extendedCreateConnection, HCICommand.connect(LinkParameters(), isRandom: true)),
    ]
    expectEqual(packets(try answer(&host)), wait + [HCICommand.bytes(.cancelConnection)])
    let unknown = RadioAddress(bits: 0, isRandom: false)
    try host.receive(HCIEvent.connectionComplete(.unknownConnection, 0, .central, peer: unknown, LinkParameters()))
    expectEqual(packets(try answer(&host)), wait)
    try host.receive(connected())
    _ = host.take()
    let frame = ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: 56))
    host.want(.link(LinkID(.max), .send(frame)))
    let head: [UInt8] = [2, 1, 0, 27, 0]
    expectEqual(host.take(), [.packet(head + frame.prefix(27))])
    #expect(host.rejections.isEmpty)
  }

  @Test("a controller has room for as many addresses and sets as it says, for one at least, and for 32 sets at most")
  func sizes() throws {
    let rows: [(results: [UInt8], addresses: Int, sets: Int)] = [
      ([0], 1, 1), ([0, 0], 1, 1), ([0, 1], 1, 1), ([0, 2], 2, 2), ([0, 31], 31, 31), ([0, 32], 32, 32),
      ([0, 33], 33, 32), ([0, 255], 255, 32),
    ]
    for row in rows {
      var host = try ready([.readAcceptListSize: row.results, .readAdvertisingSetCount: row.results])
      expectEqual(host.acceptListMaximum, row.addresses, "\(row)")
      for set: UInt8 in 0..<34 { host.want(advertisement(set)) }
      expectEqual(
        host.rejections.map { "\($0.count) \($0.reason)" },
        ["\(34 - row.sets) more sets than the controller has room for"], "\(row)")
    }
  }

  @Test("a controller without room for a packet of 27 bytes, or with half an answer, cannot be used")
  func tooSmall() throws {
    let none = HCIHost.Output.failed("the controller has no room for data of Bluetooth LE")
    let rows: [(results: [UInt8], last: HCIHost.Output)] = [
      ([0, 27, 0, 1], .ready), ([0, 27, 0, 0], none), ([0, 26, 0, 1], none), ([0, 27, 0], none), ([0], none),
    ]
    for row in rows {
      var host = HCIHost()
      host.begin()
      try expectEqual(answer(&host, [.readLEBufferSize: row.results]).last, row.last, "\(row)")
    }
    var host = HCIHost()
    host.begin()
    try expectEqual(
      answer(&host, [.readAddress: [0, 1, 2, 3, 4, 5]]).last, .failed("the controller has no address"))
  }

  @Test("521 bytes of data are the longest packet of a controller; a longer one ends the stream at its length")
  func longestPacket() throws {
    var host = HCIHost(address: own)
    try host.receive(connected())
    _ = host.take()
    let frame = ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: 517))
    let head: [UInt8] = [2, 1, 0x20, 0x09, 0x02]
    try host.receive(head + frame)
    expectEqual(host.take(), [.radio(.link(LinkID(.max), .frame(frame)))])
    let fault = RadioFault(.badLength, at: connected().count + 526 + 1)
    #expect(throws: fault) { try host.receive([2, 1, 0x20, 0x0A, 0x02]) }
    expectEqual(host.take(), [])
    #expect(host.rejections.isEmpty)
  }

  // MARK: - States

  @Test("an advertising set is switched off by its place before it changes, and a free place is given to another set")
  func places() throws {
    var host = try ready()
    let steps: [(wants: [RadioEffect], switches: [[UInt8]])] = [
      ([advertisement(7), advertisement(8)], [[1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0]]),
      ([advertisement(8)], [[0, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0]]),
      ([.stopAdvertising(set: 7)], [[0, 1, 0, 0, 0, 0], [0]]),
      ([advertisement(9)], [[1, 1, 0, 0, 0, 0]]),
      ([advertisement(9)], [[0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]]),
      ([.stopAdvertising(set: 9)], [[0, 1, 0, 0, 0, 0], [0]]),
      ([.stopAdvertising(set: 8)], [[0, 1, 1, 0, 0, 0], [1]]),
    ]
    for (number, step) in steps.enumerated() {
      for effect in step.wants { host.want(effect) }
      expectEqual(switches(try answer(&host)), step.switches, "step \(number)")
    }
    #expect(host.rejections.isEmpty)
  }

  @Test("a reset leaves no command, set or connection of before, and the controller is set up anew")
  func reset() throws {
    var host = try ready()
    try host.receive(connected())
    for set: UInt8 in 7...8 { host.want(advertisement(set)) }
    _ = try answer(&host)
    // One is under way, the other one waits.
    for _ in 0..<2 { host.want(.stopScan) }
    expectEqual(host.take(), [.packet(scanOff)])
    host.want(.reset)
    expectEqual(host.take(), [])
    try host.receive(HCIEvent.commandComplete(.setExtendedScanEnable, [0]))
    let output = try answer(&host)
    let beginning: [HCIOpcode] = [
      .reset, .setEventMask, .setLEEventMask, .readLEBufferSize, .readAcceptListSize, .writeSuggestedDataLength,
      .setRandomAddress, .readAdvertisingSetCount,
    ]
    expectEqual(packets(output).map { HCIOpcode(rawValue: $0.little16(1)) }, beginning)
    expectEqual(output.last, .ready)
    host.want(.link(LinkID(.max), .send(ChannelFrame.bytes(.attributes, [1]))))
    host.want(.stopAdvertising(set: 7))
    expectEqual(host.take(), [])
    for set: UInt8 in 8...9 { host.want(advertisement(set)) }
    expectEqual(switches(try answer(&host)), [[1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0]])
    // The same handle is another connection, of another number.
    try host.receive(connected())
    expectEqual(
      host.take(),
      [.radio(.link(LinkID(.max - 1), .connected(.peripheral, own: own, peer: friend, LinkParameters())))])
    #expect(host.rejections.isEmpty)
  }

  @Test("a scan that begins before the controller has told its address is from its public one")
  func scanWithoutAddress() throws {
    var host = HCIHost()
    host.want(.scan(window: .milliseconds(60), interval: .milliseconds(60), isActive: false))
    expectEqual(
      packets(try answer(&host)),
      [
        scanOff, [1, 0x41, 0x20, 8, 0, 0, 1, 0, 0x60, 0, 0x60, 0],
        HCICommand.bytes(.setExtendedScanEnable, HCICommand.scanEnable(true)),
      ])
  }

  // MARK: - Refusals

  @Test("commands that are refused are counted by their error, and 64 reasons are kept")
  func refusedCommands() throws {
    var host = try ready()
    for status in Array(1...66) + [1, 64, 65] {
      host.want(.stopScan)
      expectEqual(try answer(&host, [.setExtendedScanEnable: [UInt8(status)]]), [.packet(scanOff)])
    }
    expectEqual(
      host.rejections.map { "\($0.count) \($0.reason)" },
      (1...64).map { status in
        "\(status == 1 || status == 64 ? 2 : 1) command 0x2042 was refused with error \(status)"
      })
  }

  @Test("packets of kinds that no controller of Bluetooth LE sends, and a recorded packet to send, are refused")
  func kinds() throws {
    var host = HCIHost(address: own)
    host.want(.resend(RadioPDU(channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: [0, 0])))
    try host.receive([1, 0x03, 0x0C, 0] + [3, 1, 0, 0] + [5, 1, 0, 0, 0] + [1, 0x03, 0x0C, 0])
    expectEqual(
      host.rejections,
      [
        .init(reason: "a recorded packet, which no controller sends", count: 1, offset: 0),
        .init(reason: "a packet of kind 1", count: 2, offset: 0),
        .init(reason: "a packet of kind 3", count: 1, offset: 4),
        .init(reason: "a packet of kind 5", count: 1, offset: 8),
      ])
    expectEqual(host.take(), [])
  }
}
