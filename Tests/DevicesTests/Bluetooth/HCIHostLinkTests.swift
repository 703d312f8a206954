import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The connections of a host of HCI: how waits for them end, how they end, and how their packets go by turns.
@Suite("A host of HCI: connections") struct HCIHostLinkTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private let friend = RadioAddress(bits: 0xC0FF_EE00_0002, isRandom: true)
  private let own = RadioAddress(bits: 0xC400_0000_0001, isRandom: true)

  /// With room for two packets of 27 bytes.
  private func ready() throws -> HCIHost {
    var host = HCIHost(address: own)
    host.begin()
    try expectEqual(answer(&host).last, .ready)
    return host
  }

  /// With a connection that somebody else made, of the handle 1.
  private func connected() throws -> HCIHost {
    var host = try ready()
    try host.receive(incoming(1))
    _ = host.take()
    return host
  }

  private func incoming(_ handle: UInt16) -> [UInt8] {
    HCIEvent.connectionComplete(.success, handle, .peripheral, peer: friend, LinkParameters())
  }

  private func failed(_ status: HCIStatus) -> [UInt8] {
    HCIEvent.connectionComplete(
      status, 0, .central, peer: RadioAddress(bits: 0, isRandom: false), LinkParameters())
  }

  private func packets(_ output: [HCIHost.Output]) -> [[UInt8]] {
    output.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
  }

  private func connect(_ number: UInt32, _ parameters: LinkParameters = LinkParameters()) -> RadioEffect {
    .link(LinkID(number), .connect(to: number == 2 ? friend : lamp, parameters))
  }

  /// The commands that begin a wait for these addresses.
  private func waiting(_ peers: [RadioAddress], _ parameters: LinkParameters = LinkParameters()) -> [[UInt8]] {
    [HCICommand.bytes(.clearAcceptList)]
      + peers.map { HCICommand.bytes(.addToAcceptList, HCICommand.address($0)) }
      + [HCICommand.bytes(.extendedCreateConnection, HCICommand.connect(parameters, isRandom: true))]
  }

  private func rejections(_ host: HCIHost) -> [String] { host.rejections.map { "\($0.count) \($0.reason)" } }

  // MARK: - Waits

  @Test(
    "a controller that ends the wait by itself ends it for all addresses, and the next wait begins anew",
    arguments: [
      (HCIStatus.unknownConnection, LinkEnd.closed), (.connectionLimitExceeded, .refused),
      (.connectionTimeout, .refused),
    ])
  func waitEnded(status: HCIStatus, end: LinkEnd) throws {
    var host = try ready()
    host.want(connect(1))
    host.want(connect(2))
    try expectEqual(packets(answer(&host)), waiting([lamp]) + [HCICommand.bytes(.cancelConnection)])
    try host.receive(failed(.unknownConnection))
    try expectEqual(packets(answer(&host)), waiting([lamp, friend]))
    try host.receive(failed(status))
    expectEqual(
      host.take(), [.radio(.link(LinkID(1), .ended(end))), .radio(.link(LinkID(2), .ended(end)))])
    host.want(connect(3))
    try expectEqual(packets(answer(&host)), waiting([lamp]))
    expectEqual(rejections(host), [])
  }

  @Test("a controller that refuses to wait refuses the connection, and can be asked again")
  func waitRefused() throws {
    var host = try ready()
    host.want(connect(1))
    let output = try answer(&host, [.extendedCreateConnection: [0x0D]])
    expectEqual(packets(output), waiting([lamp]))
    expectEqual(signals(output), [.link(LinkID(1), .ended(.refused))])
    host.want(connect(2))
    try expectEqual(packets(answer(&host)), waiting([friend]))
    expectEqual(rejections(host), [])
  }

  @Test("a wait goes by the parameters of the first address, also where there was nothing to take back")
  func waitParameters() throws {
    var host = try ready()
    let slow = LinkParameters(interval: .milliseconds(100), latency: 0, timeout: .seconds(6))
    host.want(connect(1, slow))
    try expectEqual(packets(answer(&host)), waiting([lamp], slow))
    host.want(connect(2))
    let cancel = HCICommand.bytes(.cancelConnection)
    let again = try answer(&host, [.cancelConnection: [0x0C]])
    expectEqual(packets(again), [cancel] + waiting([lamp, friend], slow))
    expectEqual(signals(again), [])
    // Both are given up: nothing is waited for until another one is.
    for number: UInt32 in 1...2 { host.want(.link(LinkID(number), .end)) }
    try expectEqual(
      answer(&host),
      [.packet(cancel), .radio(.link(LinkID(1), .ended(.closed))), .radio(.link(LinkID(2), .ended(.closed)))])
    try host.receive(failed(.unknownConnection))
    expectEqual(host.take(), [])
    host.want(connect(3))
    try expectEqual(packets(answer(&host)), waiting([lamp]))
  }

  @Test("256 connections are waited for and 256 are kept, and those beyond are refused")
  func bounds() throws {
    var host = try ready()
    for number: UInt32 in 1...257 { host.want(connect(number)) }
    expectEqual(signals(host.take()), [.link(LinkID(257), .ended(.refused))])
    expectEqual(host.links.waits.count, 256)
    host = try ready()
    for handle: UInt16 in 1...257 { try host.receive(incoming(handle)) }
    expectEqual(host.links.all.map(\.handle), Array(1...256))
    expectEqual(signals(host.take()).count, 256)
    expectEqual(rejections(host), ["1 a connection with a handle that is taken"])
  }

  // MARK: - Ends

  @Test("each reason of the standard becomes the end that it stands for, and any other one a lost connection")
  func ends() throws {
    let rows: [(reason: UInt8, end: LinkEnd)] = [
      (0x08, .timedOut), (0x09, .refused), (0x12, .timedOut), (0x13, .closedByPeer), (0x14, .closedByPeer),
      (0x15, .closedByPeer), (0x16, .closed), (0x17, .timedOut), (0x3E, .notEstablished),
    ]
    var host = try ready()
    for (number, row) in rows.enumerated() {
      try host.receive(incoming(1))
      _ = host.take()
      try host.receive([4, 0x05, 4, 0, 1, 0, row.reason])
      expectEqual(host.take(), [.radio(.link(LinkID(.max - UInt32(number)), .ended(row.end)))], "\(row)")
    }
  }

  @Test("a connection is ended once, carries nothing more, and is over where the controller does not know it")
  func ending() throws {
    var host = try connected()
    let frame = ChannelFrame.bytes(.attributes, [1])
    for effect in [.end, .end, .send(frame), .update(LinkParameters())] as [LinkEffect] {
      host.want(.link(LinkID(.max), effect))
    }
    try expectEqual(answer(&host), [.packet([1, 0x06, 0x04, 3, 1, 0, 0x13])])
    try host.receive(HCIEvent.disconnectionComplete(1, .terminatedByLocalHost))
    expectEqual(host.take(), [.radio(.link(LinkID(.max), .ended(.closed)))])
    try host.receive(incoming(2))
    _ = host.take()
    host.want(.link(LinkID(.max - 1), .end))
    try expectEqual(
      answer(&host, [.disconnect: [2]]),
      [.packet([1, 0x06, 0x04, 3, 2, 0, 0x13]), .radio(.link(LinkID(.max - 1), .ended(.closed)))])
    try host.receive(HCIEvent.disconnectionComplete(2, .terminatedByLocalHost))
    expectEqual(host.take(), [])
    expectEqual(rejections(host), ["1 the end of a connection that is not there"])
  }

  @Test("a command of no connection that the controller refuses is counted")
  func refusedCommand() throws {
    var host = try ready()
    host.want(.stopScan)
    try expectEqual(packets(answer(&host, [.setExtendedScanEnable: [0x0C]])).count, 1)
    expectEqual(rejections(host), ["1 command 0x2042 was refused with error 12"])
  }

  // MARK: - Data

  @Test("frames are acknowledged with the last packet of each, in the order in which they were sent")
  func acknowledgements() throws {
    var host = try connected()
    // Two packets, one and one; there is room for two.
    for count in [40, 1, 1] {
      host.want(.link(LinkID(.max), .send(ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: count)))))
    }
    _ = host.take()
    func told(_ count: UInt16) throws -> [RadioSignal] {
      try host.receive(HCIEvent.completedPackets(1, count))
      return signals(host.take())
    }
    expectEqual(host.links.all[0].frames, [2, 1, 1])
    try expectEqual(told(1), [])
    expectEqual(host.links.all[0].frames, [1, 1, 1])
    try expectEqual(told(2), [.link(LinkID(.max), .acknowledged(frames: 2))])
    expectEqual(host.links.all[0].frames, [1])
    try expectEqual(told(0), [])
    try expectEqual(told(1), [.link(LinkID(.max), .acknowledged(frames: 1))])
    expectEqual(host.links.all[0].frames, [])
    expectEqual(rejections(host), [])
  }

  @Test("connections give the controller packets by turns, and never more than it has room for")
  func turns() throws {
    var host = try connected()
    try host.receive(incoming(2))
    _ = host.take()
    func send(_ link: UInt32, _ count: Int) {
      let frame = ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: count))
      host.want(.link(LinkID(link), .send(frame)))
    }
    func handles() -> [UInt8] { packets(host.take()).map { $0[1] } }
    // Three packets and two of the first connection, and three of the second.
    send(.max, 60)
    send(.max, 40)
    send(.max - 1, 60)
    expectEqual(handles(), [1, 1])
    try host.receive(HCIEvent.completedPackets(1, 1))
    expectEqual(handles(), [1])
    try host.receive(HCIEvent.completedPackets(1, 2))
    expectEqual(handles(), [1, 2])
    try host.receive(HCIEvent.completedPackets(1, 1) + HCIEvent.completedPackets(2, 1))
    expectEqual(handles(), [1, 2])
    expectEqual(rejections(host), [])
  }

  @Test("a frame of 521 bytes is sent, and one of 522 is refused")
  func longestFrame() throws {
    var host = try connected()
    for count in [517, 518] {
      host.want(.link(LinkID(.max), .send(ChannelFrame.bytes(.attributes, [UInt8](repeating: 7, count: count)))))
    }
    expectEqual(host.links.all[0].frames, [20])
    expectEqual(packets(host.take()).map(\.count), [32, 32])
    expectEqual(rejections(host), ["1 a frame for which there is no room"])
  }
}
