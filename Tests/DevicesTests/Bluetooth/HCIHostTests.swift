import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// A host of HCI on its own, with a controller that the test plays.
@Suite("A host of HCI") struct HCIHostTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private let friend = RadioAddress(bits: 0xC0FF_EE00_0002, isRandom: true)
  private let own = RadioAddress(bits: 0xC400_0000_0001, isRandom: true)

  private func ready(_ address: RadioAddress? = nil) throws -> HCIHost {
    var host = HCIHost(address: address ?? own)
    host.begin()
    try expectEqual(answer(&host).last, .ready)
    return host
  }

  /// Opcodes of commands among what came out.
  private func opcodes(_ output: [HCIHost.Output]) -> [HCIOpcode] {
    output.compactMap {
      if case .packet(let packet) = $0, packet[0] == 1 { HCIOpcode(rawValue: packet.little16(1)) } else { nil }
    }
  }

  private func data(_ output: [HCIHost.Output]) -> [[UInt8]] {
    output.compactMap { if case .packet(let packet) = $0, packet[0] == 2 { packet } else { nil } }
  }

  private func connected(_ handle: UInt16, _ role: LinkRole, _ peer: RadioAddress) -> [UInt8] {
    HCIEvent.connectionComplete(.success, handle, role, peer: peer, LinkParameters())
  }

  @Test("one command is under way at a time, and waits until the controller has room for it")
  func commandFlow() throws {
    var host = HCIHost(address: own)
    host.begin()
    expectEqual(host.take(), [.packet(HCICommand.bytes(.reset))])
    // The answer says that there is no room; an event without a command says when there is.
    try host.receive([4, 0x0E, 4, 0, 0x03, 0x0C, 0])
    expectEqual(host.take(), [])
    try host.receive([4, 0x0E, 3, 1, 0, 0])
    expectEqual(opcodes(host.take()), [.setEventMask])
    // An answer to something else changes nothing.
    try host.receive(HCIEvent.commandComplete(.reset, [0]))
    expectEqual(host.take(), [])
    expectEqual(host.rejections, [.init(reason: "the answer to a command that was not sent", count: 1, offset: 13)])
  }

  @Test("a controller without extended advertising cannot be used, and why is said")
  func refused() throws {
    var host = HCIHost()
    host.begin()
    try expectEqual(
      answer(&host, [.readAdvertisingSetCount: [1]]).last, .failed("the controller refuses command 0x203b with error 1")
    )
    host.want(.stopScan)
    expectEqual(host.take(), [])
  }

  @Test("without an address of its own it has the public one of its controller")
  func publicAddress() throws {
    var host = HCIHost()
    host.begin()
    try expectEqual(answer(&host).last, .ready)
    expectEqual(host.own, RadioAddress(bits: 0x0605_0403_0201, isRandom: false))
  }

  @Test(
    "an advertisement becomes a set, another one in its place changes it, and sets are as many as there is room for")
  func advertising() throws {
    var host = try ready()
    func effect(_ set: UInt8) -> RadioEffect {
      .advertise(
        set: set, every: .milliseconds(100), pdu: AdvertisingPDU.bytes(.connectable, from: own, data: [2, 1, 6]),
        response: AdvertisingPDU.bytes(.scanResponse, from: own, data: [2, 9, 65]))
    }
    host.want(effect(7))
    let begin: [HCIOpcode] = [
      .setExtendedAdvertisingParameters, .setAdvertisingSetAddress, .setExtendedAdvertisingData,
      .setExtendedScanResponseData, .setExtendedAdvertisingEnable,
    ]
    expectEqual(opcodes(try answer(&host)), begin)
    host.want(effect(7))
    expectEqual(opcodes(try answer(&host)), [.setExtendedAdvertisingEnable] + begin)
    host.want(effect(8))
    host.want(effect(9))
    expectEqual(opcodes(try answer(&host)), begin)
    expectEqual(host.rejections.map(\.reason), ["more sets than the controller has room for"])
    host.want(.stopAdvertising(set: 7))
    expectEqual(opcodes(try answer(&host)), [.setExtendedAdvertisingEnable, .removeAdvertisingSet])
    host.want(effect(9))
    expectEqual(opcodes(try answer(&host)), begin)
  }

  @Test("several peripherals are waited for at once; one that is given up is not connected to")
  func waiting() throws {
    var host = try ready()
    host.want(.link(LinkID(1), .connect(to: lamp, LinkParameters())))
    expectEqual(opcodes(try answer(&host)), [.clearAcceptList, .addToAcceptList, .extendedCreateConnection])
    host.want(.link(LinkID(2), .connect(to: friend, LinkParameters())))
    expectEqual(opcodes(try answer(&host)), [.cancelConnection])
    let unknown = RadioAddress(bits: 0, isRandom: false)
    try host.receive(HCIEvent.connectionComplete(.unknownConnection, 0, .central, peer: unknown, LinkParameters()))
    expectEqual(
      opcodes(try answer(&host)), [.clearAcceptList, .addToAcceptList, .addToAcceptList, .extendedCreateConnection])
    // It is given up; the controller has connected to it meanwhile.
    host.want(.link(LinkID(2), .end))
    try host.receive(connected(5, .central, friend))
    let output = try answer(&host, [.cancelConnection: [0x0C]])
    expectEqual(signals(output), [.link(LinkID(2), .ended(.closed))])
    expectEqual(
      opcodes(output),
      [
        .cancelConnection, .disconnect, .clearAcceptList, .addToAcceptList, .extendedCreateConnection,
      ])
    try host.receive(HCIEvent.disconnectionComplete(5, .terminatedByLocalHost))
    expectEqual(signals(host.take()), [])
    try host.receive(connected(6, .central, lamp))
    expectEqual(
      signals(host.take()), [.link(LinkID(1), .connected(.central, own: own, peer: lamp, LinkParameters()))])
    #expect(host.rejections.isEmpty)
  }

  @Test("a frame goes in parts, as many as the controller has room for, and is acknowledged with its last part")
  func dataFlow() throws {
    var host = try ready()
    try host.receive(connected(1, .peripheral, friend))
    let link = LinkID(.max)
    expectEqual(
      signals(host.take()), [.link(link, .connected(.peripheral, own: own, peer: friend, LinkParameters()))])
    let frame = ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: 56))
    host.want(.link(link, .send(frame)))
    let first = data(host.take())
    expectEqual(first.map { Array($0[0..<5]) }, [[2, 1, 0x00, 27, 0], [2, 1, 0x10, 27, 0]])
    try host.receive(HCIEvent.completedPackets(1, 1))
    let last = host.take()
    #expect(data(last).map { Array($0[0..<5]) } == [[2, 1, 0x10, 6, 0]] && signals(last).isEmpty)
    expectEqual((first + data(last)).flatMap { $0[5...] }, frame)
    try host.receive(HCIEvent.completedPackets(1, 2))
    expectEqual(signals(host.take()), [.link(link, .acknowledged(frames: 1))])
    // It had none any more.
    try host.receive(HCIEvent.completedPackets(1, 1))
    #expect(host.take().isEmpty && host.rejections.map(\.reason) == ["more packets than the controller was given"])
  }

  @Test("parameters are changed by the controller, which says when; a refusal leaves them, and a stranger is counted")
  func update() throws {
    var host = try ready()
    let wanted = LinkParameters(interval: .milliseconds(100), latency: 2, timeout: .seconds(6))
    host.want(.link(LinkID(1), .connect(to: lamp, LinkParameters())))
    _ = try answer(&host)
    try host.receive(connected(6, .central, lamp))
    _ = try answer(&host)
    host.want(.link(LinkID(1), .update(wanted)))
    host.want(.link(LinkID(1), .update(LinkParameters(interval: .milliseconds(1)))))
    let packets: [[UInt8]] = host.take().compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
    expectEqual(packets, [[1, 0x13, 0x20, 14, 6, 0, 80, 0, 80, 0, 2, 0, 88, 2, 0, 0, 0, 0]])
    try host.receive(HCIEvent.commandStatus(.updateConnection, .success))
    try host.receive(HCIEvent.connectionUpdateComplete(6, wanted))
    expectEqual(signals(host.take()), [.link(LinkID(1), .updated(wanted))])
    try host.receive([4, 0x3E, 10, 3, 0x3B, 6, 0, 80, 0, 2, 0, 88, 2])
    #expect(signals(host.take()).isEmpty && host.rejections.isEmpty)
    try host.receive(HCIEvent.connectionUpdateComplete(7, wanted))
    try host.receive([4, 0x3E, 9, 3, 0, 6, 0, 80, 0, 2, 0, 88])
    #expect(signals(host.take()).isEmpty)
    expectEqual(
      host.rejections.map(\.reason), ["parameters of a connection that is not there", "an event that is cut"])
  }

  @Test("what one connection leaves in the controller when it ends is room for the others")
  func roomOfEnded() throws {
    var host = try ready()
    try host.receive(connected(1, .peripheral, friend) + connected(2, .peripheral, lamp))
    _ = host.take()
    for _ in 0..<3 { host.want(.link(LinkID(.max), .send(ChannelFrame.bytes(.attributes, [1])))) }
    host.want(.link(LinkID(.max - 1), .send(ChannelFrame.bytes(.attributes, [2]))))
    expectEqual(data(host.take()).map { $0[1] }, [1, 1])
    try host.receive(HCIEvent.disconnectionComplete(1, .connectionTimeout))
    let output = host.take()
    expectEqual(signals(output), [.link(LinkID(.max), .ended(.timedOut))])
    expectEqual(data(output).map { $0[1] }, [2])
  }

  @Test("parts of a frame are put together; parts that do not fit are refused, with their place in the stream")
  func assembly() throws {
    var host = try ready()
    try host.receive(connected(1, .peripheral, friend))
    _ = host.take()
    let frame = ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: 300))
    for packet in HCIEvent.data(1, frame, packetBytesMaximum: 100) {
      for byte in packet { try host.receive([byte]) }
    }
    expectEqual(signals(host.take()), [.link(LinkID(.max), .frame(frame))])
    #expect(host.rejections.isEmpty)
    // A rest without a beginning; a beginning that says that it is too long; data of nobody.
    try host.receive([2, 1, 0x10, 1, 0, 9])
    try host.receive([2, 1, 0x20, 4, 0, 0xFF, 0xFF, 4, 0])
    try host.receive([2, 9, 0x20, 4, 0, 0, 0, 4, 0])
    #expect(host.take().isEmpty)
    expectEqual(
      host.rejections.map(\.reason),
      [
        "the rest of a frame that did not begin", "a frame of the wrong length",
        "data of a connection that is not there",
      ])
    let offsets = host.rejections.map(\.offset)
    #expect(offsets[1] - offsets[0] == 6 + 5 && offsets[2] - offsets[1] == 9 - 5)
  }

  @Test("events that end too early or have no meaning are refused, and what comes behind them is read")
  func hostile() throws {
    var host = try ready()
    try host.receive([4, 0x3E, 3, 1, 0, 0] + [4, 0x13, 2, 1, 1] + [4, 0x05, 1, 0] + [4, 0x0E, 1, 1] + [4, 0x3E, 0])
    try host.receive([4, 0xFF, 0] + HCIEvent.disconnectionComplete(3, .connectionTimeout))
    expectEqual(
      host.rejections.map(\.reason), ["an event that is cut", "the end of a connection that is not there"])
    expectEqual(host.rejections.map(\.count), [5, 1])
    for number in 0..<100 { try host.receive([4, 0x05, 4, 0, UInt8(number), 0, 0x13]) }
    expectEqual(host.rejections.count, 2)
    #expect(throws: RadioFault.self) { try host.receive([2, 1, 0x20, 0xFF, 0xFF]) }
    #expect(throws: RadioFault.self) { try host.receive(connected(1, .peripheral, friend)) }
    #expect(host.take().isEmpty)
  }

  @Test("what machines ask of a controller that does not answer has an end")
  func silentController() throws {
    var host = HCIHost()
    host.begin()
    // Eight to begin with, one of them under way: there is room for 1024 that wait.
    for _ in 0..<1_017 { host.want(.stopScan) }
    expectEqual(host.take(), [.packet(HCICommand.bytes(.reset))])
    host.want(.stopScan)
    expectEqual(host.take(), [.failed("the controller answers no commands")])
    host.want(.stopScan)
    expectEqual(host.take(), [])
  }

  @Test("whatever packets come, what is kept of them has an end")
  func noise() throws {
    var host = try ready()
    var random = Seed(1).stream("noise")
    let codes: [UInt8] = [0x05, 0x0E, 0x0F, 0x13, 0x3E, 0x3E, 0x3E, 0x77]
    for _ in 0..<20_000 {
      let count = UInt8(random.below(24))
      var body = (0..<count).map { _ in UInt8(random.below(random.below(2) == 0 ? 4 : 256)) }
      if random.below(3) == 0 {
        try host.receive([2, UInt8(random.below(4)), UInt8(random.below(4)) << 4, count, 0] + body)
      } else {
        let code = codes[Int(random.below(UInt64(codes.count)))]
        // Often a connection, so that there are some.
        if code == 0x3E, count > 3 { (body[0], body[1], body[2], body[3]) = (1, 0, UInt8(random.below(200)), 0) }
        try host.receive([4, code, count] + body)
      }
      if random.below(4) == 0 {
        host.want(.link(LinkID(UInt32(random.below(400))), .connect(to: lamp, LinkParameters())))
      }
      if random.below(4) == 0 { host.want(.link(LinkID(.max - UInt32(random.below(8))), .send([1, 0, 4, 0, 9]))) }
      _ = try answer(&host)
    }
    #expect(host.links.all.count <= 256 && host.links.waits.count <= 256 && host.rejections.count <= 64)
    #expect(host.links.all.allSatisfy { ($0.partial?.count ?? 0) <= LinkSize.frameBytesMaximum })
    #expect(
      host.links.all.allSatisfy {
        $0.frames.count <= LinkSize.framesMaximum && $0.queue.count <= LinkSize.framesMaximum * 21
      })
  }
}
