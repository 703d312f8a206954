import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The packets of a host of HCI, byte by byte, and its reading of those of a controller.
@Suite("A host of HCI: packets") struct HCIHostPacketTests {
  private let friend = RadioAddress(bits: 0xC0FF_EE00_0002, isRandom: true)
  private let own = RadioAddress(bits: 0xC400_0000_0001, isRandom: true)

  private func packets(_ output: [HCIHost.Output]) -> [[UInt8]] {
    output.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
  }

  private func ready() throws -> HCIHost {
    var host = HCIHost(address: own)
    host.begin()
    _ = try answer(&host, [.readAdvertisingSetCount: [0, 4]])
    return host
  }

  /// With a connection that somebody else made, of the handle 1.
  private func connected() throws -> HCIHost {
    var host = try ready()
    try host.receive(HCIEvent.connectionComplete(.success, 1, .peripheral, peer: friend, LinkParameters()))
    _ = host.take()
    return host
  }

  // MARK: - Commands

  @Test("a host begins with a reset, its events, its questions to the controller, and its address")
  func beginning() throws {
    var host = HCIHost(address: own)
    host.begin()
    let before: [[UInt8]] = [
      [1, 0x03, 0x0C, 0], [1, 0x01, 0x0C, 8, 0x10, 0, 0, 0, 0, 0, 0, 0x20],
      [1, 0x01, 0x20, 8, 0x05, 0x10, 0, 0, 0, 0, 0, 0], [1, 0x02, 0x20, 0], [1, 0x0F, 0x20, 0],
      [1, 0x24, 0x20, 4, 251, 0, 0x48, 0x08],
    ]
    let random: [UInt8] = [1, 0x05, 0x20, 6, 1, 0, 0, 0, 0, 0xC4]
    let last: [UInt8] = [1, 0x3B, 0x20, 0]
    expectEqual(packets(try answer(&host)), before + [random, last])
    host = HCIHost()
    host.begin()
    expectEqual(packets(try answer(&host)), before + [[1, 0x09, 0x10, 0], last])
  }

  @Test("a scan is switched off, set and switched on; a random address is told, and a public one is refused")
  func scan() throws {
    var host = try ready()
    let off: [UInt8] = [1, 0x42, 0x20, 6, 0, 0, 0, 0, 0, 0]
    let on: [UInt8] = [1, 0x42, 0x20, 6, 1, 0, 0, 0, 0, 0]
    host.want(.scan(window: .milliseconds(30), interval: .milliseconds(60), isActive: true))
    expectEqual(packets(try answer(&host)), [off, [1, 0x41, 0x20, 8, 1, 0, 1, 1, 0x60, 0, 0x30, 0], on])
    host.want(.stopScan)
    expectEqual(packets(try answer(&host)), [off])
    host.want(.setAddress(friend))
    expectEqual(packets(try answer(&host)), [[1, 0x05, 0x20, 6, 2, 0, 0, 0xEE, 0xFF, 0xC0]])
    host.want(.setAddress(RadioAddress(bits: 5, isRandom: false)))
    expectEqual(host.take(), [])
    expectEqual(host.own, friend)
    expectEqual(host.rejections.map(\.reason), ["a public address, which is the controller's own"])
    // Of a host with a public address the scan is from that.
    host = HCIHost()
    host.begin()
    _ = try answer(&host)
    host.want(.scan(window: .milliseconds(60), interval: .milliseconds(60), isActive: false))
    expectEqual(packets(try answer(&host)), [off, [1, 0x41, 0x20, 8, 0, 0, 1, 0, 0x60, 0, 0x60, 0], on])
  }

  @Test("each kind of advertisement becomes the commands of its set, with data and response where it has them")
  func advertising() throws {
    var host = try ready()
    let response = AdvertisingPDU.bytes(.scanResponse, from: own, data: [2, 9, 65])
    let kinds: [(kind: AdvertisingPDU.Kind, properties: UInt8)] = [
      (.connectable, 0x13), (.scannable, 0x12), (.nonconnectable, 0x10), (.directed, 0x15),
    ]
    for (number, row) in kinds.enumerated() {
      let handle = UInt8(number)
      let isDirected = row.kind == .directed
      let pdu =
        isDirected
        ? AdvertisingPDU.bytes(.directed, from: own, to: friend)
        : AdvertisingPDU.bytes(row.kind, from: own, data: [2, 1, 6])
      host.want(.advertise(set: 7 + handle, every: .milliseconds(100), pdu: pdu, response: response))
      let peer: [UInt8] = isDirected ? [1] + friend.littleEndian : [0, 0, 0, 0, 0, 0, 0]
      let first: [UInt8] = [handle, row.properties, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1]
      let parameters: [UInt8] = first + peer + [0, 0x7F, 1, 0, 1, 0, 0]
      var wanted: [[UInt8]] = [
        HCICommand.bytes(.setExtendedAdvertisingParameters, parameters),
        HCICommand.bytes(.setAdvertisingSetAddress, [handle] + own.littleEndian),
      ]
      if !isDirected { wanted.append(HCICommand.bytes(.setExtendedAdvertisingData, [handle, 3, 1, 3, 2, 1, 6])) }
      if number < 2 { wanted.append(HCICommand.bytes(.setExtendedScanResponseData, [handle, 3, 1, 3, 2, 9, 65])) }
      wanted.append(HCICommand.bytes(.setExtendedAdvertisingEnable, [1, 1, handle, 0, 0, 0]))
      expectEqual(packets(try answer(&host)), wanted)
    }
    host.want(.stopAdvertising(set: 8))
    host.want(.stopAdvertising(set: 99))
    let stop: [[UInt8]] = [[1, 0x39, 0x20, 6, 0, 1, 1, 0, 0, 0], [1, 0x3C, 0x20, 1, 1]]
    expectEqual(packets(try answer(&host)), stop)
    #expect(host.rejections.isEmpty)
  }

  @Test("before a controller has said how many sets it has there is room for one")
  func firstSet() {
    var host = HCIHost(address: own)
    let pdu = AdvertisingPDU.bytes(.nonconnectable, from: own, data: [2, 1, 6])
    for set: UInt8 in 1...2 {
      host.want(.advertise(set: set, every: .milliseconds(100), pdu: pdu, response: []))
    }
    expectEqual(
      host.rejections, [.init(reason: "more sets than the controller has room for", count: 1, offset: 0)])
  }

  // MARK: - Answers

  @Test("the strength of a connection is told, and as unknown where the controller does not know it")
  func strength() throws {
    let answers: [(results: [UInt8], strength: Int8?)] = [
      ([0, 1, 0, 0xC4], -60), ([0, 1, 0, 0x7E], 126), ([0, 1, 0, 0x7F], nil), ([2, 1, 0, 0xC4], nil),
      ([0, 1, 0], nil),
    ]
    for row in answers {
      var host = try connected()
      host.want(.link(LinkID(.max), .readStrength))
      let output = try answer(&host, [.readStrength: row.results])
      expectEqual(packets(output), [[1, 0x05, 0x14, 2, 1, 0]])
      expectEqual(signals(output), [.link(LinkID(.max), .strength(row.strength))], "\(row)")
      #expect(host.rejections.isEmpty)
    }
  }

  @Test("an event that is cut is refused at the byte where it ends, counted from the first of the stream")
  func offsets() throws {
    var host = HCIHost(address: own)
    try host.receive([4, 0x05, 1, 0] + [4, 0x13, 2, 1, 1])
    // A connection with a role that there is not: the fifth byte of the parameters.
    var connection = HCIEvent.connectionComplete(.success, 1, .peripheral, peer: friend, LinkParameters())
    connection[7] = 2
    try host.receive(connection)
    expectEqual(
      host.rejections,
      [
        .init(reason: "an event that is cut", count: 2, offset: 4),
        .init(reason: "an event that is \(RadioFault.Reason.unknownKind.rawValue)", count: 1, offset: 9 + 7),
      ])
    expectEqual(host.take(), [])
  }

  @Test("a frame ends where its header says; more bytes than that, or than a frame may have, are refused")
  func frames() throws {
    var host = try connected()
    func told(_ word: UInt16, _ bytes: [UInt8]) throws -> [RadioSignal] {
      let head = [2] + [UInt8](littleEndian: UInt64(word), count: 2)
      try host.receive(head + [UInt8](littleEndian: UInt64(bytes.count), count: 2) + bytes)
      return signals(host.take())
    }
    let frame: [UInt8] = [1, 0, 4, 0, 9]
    let heard: [RadioSignal] = [.link(LinkID(.max), .frame(frame))]
    for word: UInt16 in [0x0001, 0x2001] { expectEqual(try told(word, frame), heard) }
    // The header itself may come in parts.
    expectEqual(try told(0x2001, [1, 0, 4]), [])
    expectEqual(try told(0x1001, [0, 9]), heard)
    #expect(host.rejections.isEmpty)
    // One byte too many, in the first packet or in the last one; nothing of it is kept.
    expectEqual(try told(0x2001, frame + [9]), [])
    expectEqual(try told(0x1001, [9]), [])
    expectEqual(try told(0x2001, Array(frame.dropLast())), [])
    expectEqual(try told(0x1001, [9, 9]), [])
    // A frame that another one cuts off, and flags that mean nothing.
    expectEqual(try told(0x2001, [2, 0, 4, 0, 9]), [])
    expectEqual(try told(0x2001, frame), heard)
    expectEqual(try told(0x3001, frame), [])
    // 518 bytes behind the header are too many, and 517 are not.
    expectEqual(try told(0x2001, [0x06, 0x02, 4, 0]), [])
    expectEqual(try told(0x2001, [0x05, 0x02, 4, 0]), [])
    expectEqual(try told(0x2001, frame), heard)
    expectEqual(
      host.rejections.map { "\($0.count) \($0.reason)" },
      [
        "3 a frame of the wrong length", "1 the rest of a frame that did not begin", "2 a frame that did not end",
        "1 a packet of data with flags that mean nothing",
      ])
  }
}
