import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallPeers
@testable import RollcallSessions

@Suite("A device with nearby peers, call by call") struct DeviceCallTests {
  private func chat(_ number: Int, _ peer: Int, type: String = "chat") -> PeerCommand {
    .advertise(number, PeerRig.name(peer), type: type, info: nil)
  }
  private func browse(_ number: Int, type: String = "chat") -> PeerCommand {
    .browse(number, PeerRig.name(9), type: type)
  }
  private func found(_ browser: Int, _ peer: Int) -> PeerEvent { .found(browser: browser, PeerRig.name(peer), nil) }
  private func lost(_ browser: Int, _ peer: Int) -> PeerEvent { .lost(browser: browser, PeerRig.name(peer).id) }
  private func open(_ number: Int, _ peer: Int, asks: Bool = false) -> PeerCommand {
    .openSession(number, PeerSessionSetup(PeerRig.name(peer), asksForCertificates: asks))
  }

  @Test("sessions are where the device is, IPv4 before IPv6 on each interface that is up, each with draws of its own")
  func places() {
    var bench = DeviceBench()
    expectEqual([bench.device.isOn, bench.device.plan.quirks.endsEarlierSession], [false, false])
    expectEqual(bench.ask(chat(1, 0)) + bench.ask(open(1, 1)), [])
    func all() -> [[SessionPlace]] {
      bench.device.receptions.map(\.machine.places) + bench.device.sessions.map(\.machine.places)
    }
    let nowhere = SessionPlace(Endpoint(IPAddress(0, 0, 0, 0), port: 49_400), on: InterfaceID(0))
    expectEqual(all(), [[nowhere], [nowhere]])
    let six = IPAddress(v6High: 0xFE80_0000_0000_0000, low: 1)
    let changes: [(number: UInt16, isUp: Bool, addresses: [(IPAddress, Int)])] = [
      (1, true, [(IPAddress(10, 0, 0, 9), 24)]), (0, true, [(IPAddress(10, 1, 0, 1), 8)]),
      (
        1, true,
        [(IPAddress(224, 0, 0, 1), 4), (IPAddress(10, 0, 0, 1), 24), (IPAddress(10, 0, 0, 2), 16), (six, 64)]
      ), (2, false, [(IPAddress(10, 2, 0, 1), 24)]),
    ]
    for one in changes {
      let addresses = one.addresses.map { InterfaceAddress($0.0, prefixBits: $0.1) }
      let change = InterfaceChange(interface: InterfaceID(one.number), isUp: one.isUp, addresses: addresses)
      expectEqual(bench.hear(change), [])
    }
    func place(_ address: IPAddress, _ interface: UInt16, _ bits: Int) -> SessionPlace {
      SessionPlace(Endpoint(address, port: 49_400), on: InterfaceID(interface), prefixBits: bits)
    }
    let expected = [
      place(IPAddress(10, 1, 0, 1), 0, 8), place(IPAddress(10, 0, 0, 1), 1, 24), place(six, 1, 64),
    ]
    expectEqual(bench.device.places, expected)
    expectEqual(all(), [expected, expected])
    expectEqual(bench.device.interfaces.map(\.interface.number), [0, 1, 2])

    // A browser that looks for nothing leaves the groups, and the responder still needs them.
    _ = bench.act(.appear)
    _ = bench.ask(browse(1))
    _ = bench.takeLAN()
    expectEqual(bench.ask(.stopBrowsing(1)), [])
    let (zero, one) = (InterfaceID(0), InterfaceID(1))
    let (four, sixth) = (Endpoint.mdns(.v4), Endpoint.mdns(.v6))
    let effects: [Effect] = [
      .leave(four, one), .leave(sixth, one), .leave(four, zero), .join(four, zero), .join(four, one),
      .join(sixth, one),
    ]
    expectEqual(bench.takeLAN(), effects)

    // A peer has one key in a run; sessions and receptions draw of their own, also those of a number that was there.
    bench = DeviceBench()
    func drawn(_ stream: String, _ peer: Int) -> RandomStream {
      var draws = DeviceBench.seed.stream(stream)
      return Seed(draws.next()).stream("session/0/\(peer + 1)")
    }
    expectEqual(bench.ask(chat(1, 0)), [])
    for command in [open(1, 0), .closeSession(1), open(1, 0), .closeSession(1), open(1, 0), open(2, 0, asks: true)] {
      expectEqual(bench.ask(command), [])
    }
    let instance = "00000000000000000000000000000001"
    expectEqual(bench.device.receptions.map(\.machine.draws), [drawn("reception/\(instance)", 0)])
    expectEqual(bench.device.sessions.map(\.machine.draws), [drawn("session/1/3", 0), drawn("session/2", 0)])
    _ = bench.ask(open(3, 1))
    expectEqual(bench.device.sessions.last?.machine.draws, drawn("session/3", 1))
    expectEqual(bench.device.receptions.map(\.machine.policy.certificateDecision), [.accepted])
    expectEqual(bench.device.sessions.map(\.machine.policy.certificateDecision), [.accepted, .asked, .accepted])
    let key: [UInt8] = [
      0xB8, 0xA6, 0x1C, 0xB8, 0xEF, 0x35, 0x15, 0x82, 0x4F, 0x74, 0xC4, 0x36, 0x1C, 0x4E, 0xC7, 0xAC, 0xE4, 0x07, 0xF6,
      0xCC, 0x47, 0x8B, 0x7E, 0xAD, 0x38, 0x36, 0xB6, 0x48, 0x2B, 0xE9, 0x82, 0xC1,
    ]
    expectEqual(bench.device.locals.first?.card.key, key)
    expectEqual(bench.device.locals.map(\.peer), [PeerRig.name(0), PeerRig.name(1)])
  }

  @Test("a peer that nothing is for any more is forgotten when 64 are known, and none of the others")
  func forgotten() {
    // An invitation to peer 0 waits.
    var rig = InvitationTests.rig()
    rig.at(3_000, 1, InvitationTests.invite(0))
    var bench = DeviceBench(rig.run(seconds: 5)[0].device)
    func check(_ command: PeerCommand, _ events: [PeerEvent] = []) {
      expectEqual(bench.ask(command, at: 5_000), events, "\(command)")
    }
    func known(_ devicePeers: [SessionPeerID]) -> [UInt64] { devicePeers.map { $0.low - 1 } }
    check(.closeSession(1))
    check(.stopAdvertising(1))
    check(chat(2, 1))
    for number in 2..<63 {
      check(chat(3, number))
      check(.stopAdvertising(3))
    }
    check(open(2, 63))
    expectEqual(known(bench.device.locals.map(\.peer.id)), Array(0..<64))
    expectEqual(known(bench.device.receptions.map(\.peer)), Array(0..<63))
    check(chat(4, 64))
    expectEqual(known(bench.device.locals.map(\.peer.id)), [0, 1, 63, 64])
    expectEqual(known(bench.device.receptions.map(\.peer)), [0, 1, 64])
    // All 64 are for something.
    for number in 65..<125 { check(open(number, number)) }
    check(open(125, 125), [.failed(session: 125, .unavailable)])
    check(chat(5, 125), [.advertisingFailed(5, .unavailable)])
    expectEqual(bench.device.locals.count, 64)
    expectEqual(bench.device.brokenInvariants, [])
  }

  @Test("browsers are told at once of the device's own advertisers of their type, and of nothing in the background")
  func own() {
    var bench = DeviceBench {
      $0.quirks.withdrawalDelay = .seconds(5)
      $0.quirks.repeatedFoundCount = 2
    }
    func check(_ command: PeerCommand, at milliseconds: Int64, _ events: [PeerEvent]) {
      expectEqual(bench.ask(command, at: milliseconds), events, "\(command)")
    }
    check(browse(1), at: 0, [])
    check(chat(1, 0), at: 0, [])
    // It is told of what was there before it was on.
    expectEqual(bench.act(.appear), [found(1, 0)])
    check(browse(2, type: "game"), at: 0, [])
    check(chat(2, 0, type: "game"), at: 0, [found(2, 0)])
    check(browse(3), at: 0, [found(3, 0)])
    check(.stopBrowsing(3), at: 0, [])
    // It is withdrawn as late as the device is like, with the next call; the advertiser of the other type stays.
    check(.stopAdvertising(1), at: 1_000, [])
    expectEqual(bench.device.deadline, PeerRig.time(6_000))
    check(browse(3), at: 5_999, [found(3, 0)])
    check(.stopAdvertising(9), at: 6_000, [lost(1, 0), lost(3, 0)])
    check(browse(4, type: "game"), at: 6_000, [found(4, 0)])
    check(.stopBrowsing(3), at: 6_000, [])
    check(.stopBrowsing(4), at: 6_000, [])
    // Before it is withdrawn the background ends it.
    check(.stopAdvertising(2), at: 7_000, [])
    check(.background(true), at: 8_000, [])
    expectEqual(bench.device.withdrawals.count, 0)
    check(chat(3, 3), at: 8_000, [])
    check(browse(5), at: 8_000, [])
    // Told again for a second, as this device is like.
    func thrice(_ browser: Int, _ peer: Int) -> [PeerEvent] { Array(repeating: found(browser, peer), count: 3) }
    check(.background(false), at: 10_000, thrice(1, 3) + thrice(5, 3))
    check(chat(4, 4, type: "game"), at: 10_999, thrice(2, 4))
    check(chat(5, 5, type: "game"), at: 11_000, [found(2, 5)])
    expectEqual(bench.act(.peer(.background), at: 12_000), [])
    expectEqual(bench.device.isInBackground, true)
    let again: [PeerEvent] = thrice(1, 3) + thrice(2, 4) + thrice(2, 5) + thrice(5, 3)
    expectEqual(bench.act(.peer(.foreground), at: 20_000), again)
    expectEqual(bench.act(.vanish, at: 21_000), [])
    expectEqual([bench.device.isOn, bench.device.isInBackground], [false, false])
    check(browse(6), at: 21_000, [])
    // Other devices withdraw at once.
    var prompt = DeviceBench()
    for command in [browse(1), browse(2, type: "game"), chat(1, 0), chat(2, 0, type: "game")] {
      expectEqual(prompt.ask(command), [])
    }
    expectEqual(prompt.act(.appear), [found(1, 0), found(2, 0)])
    expectEqual(prompt.ask(.stopAdvertising(1)), [lost(1, 0)])
    expectEqual(prompt.ask(.stopAdvertising(2)), [lost(2, 0)])
  }

  @Test("an advertiser that has stopped and is still there goes with the background")
  func ghost() {
    var rig = PeerRig(1) { $0.quirks.withdrawalDelay = .seconds(9) }
    rig.advertise(0, 0)
    rig.at(3_000, 0, .stopAdvertising(1))
    var bench = DeviceBench(rig.run(seconds: 4)[0].device)
    expectEqual(bench.device.presentDevices, ["peer:00000000000000000000000000000001._chat._udp.local"])
    expectEqual(bench.ask(.background(true), at: 4_000), [])
    expectEqual(bench.device.presentDevices, [])
  }

  @Test("a packet for nobody is counted, once there is a data path, and only those that open a connection are opening")
  func packets() {
    var bench = DeviceBench { $0.quirks.dataPathDelay = .seconds(2) }
    // A link that no session has.
    let unknown: [UInt8] = [4, 7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    expectEqual(bench.strayCount(after: unknown), 0)
    expectEqual(bench.act(.appear, at: 1_000), [])
    expectEqual(bench.strayCount(after: unknown, at: 2_999), 0)
    expectEqual(bench.strayCount(after: unknown, at: 3_000), 1)
    expectEqual(bench.strayCount(after: unknown, port: 49_401, at: 3_000), 1)
    let broken: [[UInt8]] = [[], [1], [4], [9]]
    for (number, bytes) in broken.enumerated() {
      expectEqual(bench.strayCount(after: bytes, at: 3_000), number + 2, "\(bytes)")
    }
    let packets: [(bytes: [UInt8], isOpening: Bool)] = [
      ([1, 9], true), ([2, 9], true), ([3, 9], true), ([4, 1], false), ([5, 1], false), ([], false),
    ]
    for one in packets {
      let datagram = bench.datagram(one.bytes)
      expectEqual(bench.device.isOpening(datagram, bench.outbox), one.isOpening, "\(one.bytes)")
    }
    var deaf = DeviceBench { $0.quirks.hasNoDataPath = true }
    expectEqual(deaf.act(.appear), [])
    expectEqual(deaf.strayCount(after: unknown), 0)
  }
}
