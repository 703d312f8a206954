import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The attributes of a peripheral, and how its server answers for them on one connection.
@Suite struct AttributeServerTests {
  static let battery = BluetoothUUID(short: 0x180F)
  static let heart = BluetoothUUID(short: 0x180D)
  static let level = BluetoothUUID(short: 0x2A19)
  static let rate = BluetoothUUID(short: 0x2A37)
  static let own = BluetoothUUID(high: 0xF001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
  static let ownBytes: [UInt8] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0xF0]
  static let all: ClosedRange<UInt16> = 1...0xFFFF

  /// 10: a battery that includes the service at 18; 13 its level, 16 the rate. 18: a service with a long UUID, 20 a
  /// value that answers with an error, 22 one that can only be written.
  static let plan = GATTPlan([
    GATTPlan.Service(
      battery, includes: [own],
      [
        GATTPlan.Characteristic(level, [.read, .write, .writeWithoutResponse, .notify], value: [7]),
        GATTPlan.Characteristic(rate, [.read, .indicate], value: [1, 2, 3]),
      ]),
    GATTPlan.Service(
      own, isPrimary: false,
      [
        GATTPlan.Characteristic(own, [.read, .write], value: [9], error: 0x80),
        GATTPlan.Characteristic(level, [.write], text: "Note"),
      ]),
  ])

  /// A server on a bench: what a client sends goes in, what the server sends comes out.
  struct Bench {
    var server = AttributeServer()
    var table: AttributeTable
    var plan: GATTPlan
    var quirks: [PeripheralQuirk] = []
    var now = Instant.zero
    /// Whether the controller acknowledges at once what is sent.
    var acknowledges = true

    init(_ plan: GATTPlan = AttributeServerTests.plan, mtu: UInt16? = nil) {
      self.plan = plan
      table = AttributeTable(plan, name: "Tag", appearance: 0x0340)
      guard let mtu else { return }
      self.plan.mtu = mtu
      _ = hear(.exchangeMTURequest(mtu: mtu))
    }

    mutating func sent(_ frames: [[UInt8]]) -> [AttributePDU] {
      if acknowledges { server.acknowledged(UInt32(frames.count)) }
      return frames.compactMap { frame in
        let pdu = frame.withUnsafeBytes { bytes -> AttributePDU? in
          guard let channel = try? ChannelFrame(bytes), channel.channel == .attributes else { return nil }
          return try? AttributePDU(UnsafeRawBufferPointer(rebasing: bytes[channel.payload]), mtu: server.mtu)
        }
        #expect(pdu != nil, "\(frame) is no frame with a PDU that the client takes")
        return pdu
      }
    }

    mutating func hear(_ pdu: AttributePDU) -> [AttributePDU] { hear(bytes: pdu.bytes) }

    mutating func hear(bytes: [UInt8], on channel: ChannelFrame.Channel = .attributes) -> [AttributePDU] {
      hear(frame: ChannelFrame.bytes(channel, bytes))
    }

    mutating func hear(frame: [UInt8]) -> [AttributePDU] {
      sent(server.receive(frame, &table, plan, quirks, at: now))
    }

    mutating func wake(at instant: Instant) -> [AttributePDU] { sent(server.wake(at: instant, table)) }

    /// Switches notifications (1), indications (2) or nothing (0) at a descriptor.
    mutating func subscribe(_ bits: UInt8, at handle: UInt16) {
      expectEqual(hear(.writeRequest(handle: handle, value: [bits, 0])), [.writeResponse])
    }
  }

  static func refusal(
    _ request: AttributePDU.Opcode, _ handle: UInt16, _ error: AttributeError
  ) -> [AttributePDU] {
    [.errorResponse(request: request.rawValue, handle: handle, error: error)]
  }

  // MARK: - The table

  @Test func `its attributes stand behind Generic Access and Generic Attribute, in the order of the plan`() {
    func constant(_ type: BluetoothUUID, _ bytes: [UInt8], end: UInt16 = 0) -> AttributeTable.Attribute {
      AttributeTable.Attribute(type: type, content: .constant(bytes), groupEnd: end)
    }
    func value(_ type: BluetoothUUID, _ place: Int) -> AttributeTable.Attribute {
      AttributeTable.Attribute(type: type, content: .value(place))
    }
    func configuration(_ place: Int) -> AttributeTable.Attribute {
      AttributeTable.Attribute(type: .clientConfiguration, content: .configuration(place))
    }
    let table = Bench().table
    let wanted: [AttributeTable.Attribute] = [
      constant(.primaryService, [0x00, 0x18], end: 5),
      constant(.characteristic, [2, 3, 0, 0x00, 0x2A]), value(.deviceName, 0),
      constant(.characteristic, [2, 5, 0, 0x01, 0x2A]), value(.appearance, 1),
      constant(.primaryService, [0x01, 0x18], end: 9),
      constant(.characteristic, [0x20, 8, 0, 0x05, 0x2A]), value(.serviceChanged, 2), configuration(2),
      constant(.primaryService, [0x0F, 0x18], end: 17), constant(.include, [18, 0, 23, 0]),
      constant(.characteristic, [0x1E, 13, 0, 0x19, 0x2A]), value(AttributeServerTests.level, 3), configuration(3),
      constant(.characteristic, [0x22, 16, 0, 0x37, 0x2A]), value(AttributeServerTests.rate, 4), configuration(4),
      constant(.secondaryService, AttributeServerTests.ownBytes, end: 23),
      constant(.characteristic, [0x0A, 20, 0] + AttributeServerTests.ownBytes), value(AttributeServerTests.own, 5),
      constant(.characteristic, [0x08, 22, 0, 0x19, 0x2A]), value(AttributeServerTests.level, 6),
      constant(.userDescription, Array("Note".utf8)),
    ]
    expectEqual(table.attributes, wanted)
    expectEqual(table.characteristics.map(\.handle), [3, 5, 8, 13, 16, 20, 22])
    expectEqual(
      table.characteristics.map(\.value), [Array("Tag".utf8), [0x40, 3], [0, 0, 0, 0], [7], [1, 2, 3], [9], []])
    expectEqual(table.lastHandle, 23)
    expectEqual(table.firstOwnHandle, 10)
    #expect(table[0] == nil && table[24] == nil && table[23] == wanted[22])
    expectEqual(table.all(in: 22...99).map(\.handle), [22, 23])
    #expect(table.all(in: 24...99).isEmpty)
  }

  @Test func `an included service with a short UUID is named, and a plan without services has none of its own`() {
    let plan = GATTPlan([
      GATTPlan.Service(AttributeServerTests.battery, includes: [AttributeServerTests.heart], []),
      GATTPlan.Service(AttributeServerTests.heart, []),
    ])
    let table = AttributeTable(plan, name: nil, appearance: nil)
    expectEqual(table[11]?.content, .constant([12, 0, 12, 0, 0x0D, 0x18]))
    expectEqual(table.characteristics.map(\.value), [[], [0, 0], [0, 0, 0, 0]])
    // An included service that is not in the plan stands at the last handle of the one that includes it.
    let lone = GATTPlan([GATTPlan.Service(AttributeServerTests.battery, includes: [AttributeServerTests.heart], [])])
    expectEqual(
      AttributeTable(lone, name: nil, appearance: nil)[11]?.content, .constant([11, 0, 11, 0, 0x0D, 0x18]))
    let bare = AttributeTable(GATTPlan(), name: nil, appearance: nil)
    expectEqual(bare.lastHandle, 9)
    expectEqual(bare.firstOwnHandle, 10)
  }

  // MARK: - Requests

  @Test func `the smaller MTU holds, but never less than 23`() {
    for (theirs, ours, agreed) in [(23, 247, 23), (517, 247, 247), (100, 247, 100), (0, 247, 23), (517, 10, 23)] {
      var bench = Bench()
      bench.plan.mtu = UInt16(ours)
      expectEqual(
        bench.hear(.exchangeMTURequest(mtu: UInt16(theirs))), [.exchangeMTUResponse(mtu: UInt16(max(23, ours)))])
      expectEqual(bench.server.mtu, agreed)
    }
  }

  @Test func `types are told as long as they are of one size and there is room`() {
    var bench = Bench()
    let types = bench.table.attributes.map(\.type)
    func list(_ handles: ClosedRange<UInt16>) -> [AttributePDU] {
      [.findInformationResponse(handles.map { .init($0, types[Int($0) - 1]) })]
    }
    expectEqual(bench.hear(.findInformationRequest(AttributeServerTests.all)), list(1...5))
    expectEqual(bench.hear(.findInformationRequest(17...0xFFFF)), list(17...19))
    expectEqual(bench.hear(.findInformationRequest(20...0xFFFF)), list(20...20))
    expectEqual(bench.hear(.findInformationRequest(13...14)), list(13...14))
    expectEqual(
      bench.hear(.findInformationRequest(24...25)),
      AttributeServerTests.refusal(.findInformationRequest, 24, .attributeNotFound))
    var wide = Bench(mtu: 100)
    expectEqual(wide.hear(.findInformationRequest(AttributeServerTests.all)), list(1...19))
    for (mtu, last) in [(25, 5), (26, 6), (29, 6), (30, 7)] as [(UInt16, UInt16)] {
      var exact = Bench(mtu: mtu)
      expectEqual(exact.hear(.findInformationRequest(AttributeServerTests.all)), list(1...last), "\(mtu)")
    }
  }

  @Test func `services are found by their UUID, with their ends`() {
    var bench = Bench()
    let long = AttributeServerTests.ownBytes
    let answers: [(ClosedRange<UInt16>, UInt16, [UInt8], [AttributePDU])] = [
      (AttributeServerTests.all, 0x2800, [0x0F, 0x18], [.findByTypeValueResponse([10...17])]),
      (AttributeServerTests.all, 0x2801, long, [.findByTypeValueResponse([18...23])]),
      (AttributeServerTests.all, 0x2901, Array("Note".utf8), [.findByTypeValueResponse([23...23])]),
    ]
    for (range, type, value, answer) in answers {
      var wide = Bench(mtu: 100)
      expectEqual(wide.hear(.findByTypeValueRequest(range, type: type, value: value)), answer)
    }
    for (range, type, value) in [
      (11...0xFFFF, 0x2800, [0x0F, 0x18]), (1...0xFFFF, 0x2800, [0x0D, 0x18]), (1...0xFFFF, 0x2A19, [7]),
    ] as [(ClosedRange<UInt16>, UInt16, [UInt8])] {
      expectEqual(
        bench.hear(.findByTypeValueRequest(range, type: type, value: value)),
        AttributeServerTests.refusal(.findByTypeValueRequest, range.lowerBound, .attributeNotFound))
    }
    // So many as there is room for.
    let many = GATTPlan((0..<9).map { _ in GATTPlan.Service(AttributeServerTests.battery, []) })
    for (mtu, last) in [(23, 14), (24, 14), (25, 15), (28, 15), (29, 16)] as [(UInt16, UInt16)] {
      var full = Bench(many, mtu: mtu)
      expectEqual(
        full.hear(.findByTypeValueRequest(AttributeServerTests.all, type: 0x2800, value: [0x0F, 0x18])),
        [.findByTypeValueResponse((10...last).map { $0...$0 })], "\(mtu)")
    }
  }

  @Test func `groups are services of one size of UUID`() {
    var bench = Bench(mtu: 100)
    let first: [AttributePDU.Group] = [
      .init(1...5, [0x00, 0x18]), .init(6...9, [0x01, 0x18]), .init(10...17, [0x0F, 0x18]),
    ]
    expectEqual(
      bench.hear(.readByGroupTypeRequest(AttributeServerTests.all, type: .primaryService)),
      [
        .readByGroupTypeResponse(first)
      ])
    expectEqual(
      bench.hear(.readByGroupTypeRequest(AttributeServerTests.all, type: .secondaryService)),
      [
        .readByGroupTypeResponse([.init(18...23, AttributeServerTests.ownBytes)])
      ])
    expectEqual(
      bench.hear(.readByGroupTypeRequest(18...0xFFFF, type: .primaryService)),
      AttributeServerTests.refusal(.readByGroupTypeRequest, 18, .attributeNotFound))
    expectEqual(
      bench.hear(.readByGroupTypeRequest(3...4, type: .characteristic)),
      AttributeServerTests.refusal(.readByGroupTypeRequest, 3, .unsupportedGroupType))
    bench.quirks = [.fallingHandles]
    expectEqual(
      bench.hear(.readByGroupTypeRequest(AttributeServerTests.all, type: .primaryService)),
      [
        .readByGroupTypeResponse(first.reversed())
      ])
    // A UUID of another size ends the list, and so does the end of the PDU.
    let mixed = GATTPlan([
      GATTPlan.Service(AttributeServerTests.own, []), GATTPlan.Service(AttributeServerTests.battery, []),
    ])
    var narrow = Bench(mixed)
    for (from, groups) in [
      (1, [first[0], first[1]]), (7, [.init(10...10, AttributeServerTests.ownBytes)]),
      (11, [.init(11...11, [0x0F, 0x18])]),
    ] as [(UInt16, [AttributePDU.Group])] {
      expectEqual(
        narrow.hear(.readByGroupTypeRequest(from...0xFFFF, type: .primaryService)),
        [
          .readByGroupTypeResponse(groups)
        ])
    }
    // So many as there is room for, to the byte.
    let many = GATTPlan((0..<9).map { _ in GATTPlan.Service(AttributeServerTests.battery, []) })
    let batteries = (10...18).map { AttributePDU.Group($0...$0, [0x0F, 0x18]) }
    let all: [AttributePDU.Group] = Array(first.prefix(2)) + batteries
    for (mtu, count) in [(25, 3), (26, 4), (31, 4), (32, 5), (67, 10), (68, 11)] as [(UInt16, Int)] {
      var exact = Bench(many, mtu: mtu)
      expectEqual(
        exact.hear(.readByGroupTypeRequest(AttributeServerTests.all, type: .primaryService)),
        [.readByGroupTypeResponse(Array(all.prefix(count)))], "\(mtu)")
    }
  }

  @Test func `values of one type are of one size, and one that cannot be read ends them`() {
    var bench = Bench()
    func read(_ range: ClosedRange<UInt16>, _ type: BluetoothUUID) -> [AttributePDU] {
      bench.hear(.readByTypeRequest(range, type: type))
    }
    expectEqual(
      read(1...9, .characteristic),
      [
        .readByTypeResponse([
          .init(2, [2, 3, 0, 0x00, 0x2A]), .init(4, [2, 5, 0, 0x01, 0x2A]), .init(7, [0x20, 8, 0, 0x05, 0x2A]),
        ])
      ])
    expectEqual(
      read(15...23, .characteristic), [.readByTypeResponse([.init(15, [0x22, 16, 0, 0x37, 0x2A])])])
    expectEqual(
      read(16...23, .characteristic),
      [
        .readByTypeResponse([.init(19, [0x0A, 20, 0] + AttributeServerTests.ownBytes)])
      ])
    expectEqual(read(AttributeServerTests.all, .deviceName), [.readByTypeResponse([.init(3, Array("Tag".utf8))])])
    expectEqual(read(AttributeServerTests.all, .include), [.readByTypeResponse([.init(11, [18, 0, 23, 0])])])
    expectEqual(read(AttributeServerTests.all, AttributeServerTests.level), [.readByTypeResponse([.init(13, [7])])])
    expectEqual(
      read(14...23, AttributeServerTests.level), AttributeServerTests.refusal(.readByTypeRequest, 22, .readNotPermitted)
    )
    expectEqual(
      read(AttributeServerTests.all, AttributeServerTests.own),
      AttributeServerTests.refusal(.readByTypeRequest, 20, AttributeError(rawValue: 0x80)))
    expectEqual(
      read(4...23, .deviceName), AttributeServerTests.refusal(.readByTypeRequest, 4, .attributeNotFound))
    // So many as there is room for, to the byte.
    let characteristics: [AttributePDU.HandleValue] = [
      .init(2, [2, 3, 0, 0x00, 0x2A]), .init(4, [2, 5, 0, 0x01, 0x2A]), .init(7, [0x20, 8, 0, 0x05, 0x2A]),
      .init(12, [0x1E, 13, 0, 0x19, 0x2A]), .init(15, [0x22, 16, 0, 0x37, 0x2A]),
    ]
    for (mtu, count) in [(29, 3), (30, 4), (36, 4), (37, 5), (100, 5)] as [(UInt16, Int)] {
      var exact = Bench(mtu: mtu)
      expectEqual(
        exact.hear(.readByTypeRequest(AttributeServerTests.all, type: .characteristic)),
        [.readByTypeResponse(Array(characteristics.prefix(count)))], "\(mtu)")
    }
  }

  @Test func `a long value is cut where the PDU ends, and read on from there`() {
    let value = (0..<60).map { UInt8($0) }
    let long = GATTPlan.Characteristic(AttributeServerTests.level, [.read], value: value)
    var bench = Bench(GATTPlan([GATTPlan.Service(AttributeServerTests.battery, [long])]))
    expectEqual(bench.hear(.readRequest(handle: 12)), [.readResponse(value: Array(value[..<22]))])
    expectEqual(
      bench.hear(.readByTypeRequest(AttributeServerTests.all, type: AttributeServerTests.level)),
      [
        .readByTypeResponse([.init(12, Array(value[..<19]))])
      ])
    for (offset, part) in [(0, 0..<22), (22, 22..<44), (44, 44..<60), (60, 60..<60)] {
      expectEqual(
        bench.hear(.readBlobRequest(handle: 12, offset: UInt16(offset))),
        [
          .readBlobResponse(value: Array(value[part]))
        ])
    }
    expectEqual(
      bench.hear(.readBlobRequest(handle: 12, offset: 61)),
      AttributeServerTests.refusal(.readBlobRequest, 12, .invalidOffset))
    // An entry of a list of values has 253 bytes at most, whatever room there is.
    let longest = [UInt8](repeating: 7, count: 300)
    let one = GATTPlan.Characteristic(AttributeServerTests.level, [.read], value: longest)
    for (mtu, count) in [(517, 253), (258, 253), (257, 253), (256, 252)] as [(UInt16, Int)] {
      var wide = Bench(GATTPlan([GATTPlan.Service(AttributeServerTests.battery, [one])]), mtu: mtu)
      expectEqual(
        wide.hear(.readByTypeRequest(AttributeServerTests.all, type: AttributeServerTests.level)),
        [.readByTypeResponse([.init(12, Array(longest.prefix(count)))])])
    }
  }
}
