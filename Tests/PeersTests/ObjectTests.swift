import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallPeers

@Suite("Advertisers, browsers and sessions of one device") struct ObjectTests {
  private func refused(_ device: ScriptedDevice) -> [PeerEvent] {
    device.log.map(\.event).filter { event in
      switch event {
      case .advertisingFailed, .browsingFailed, .failed: true
      default: false
      }
    }
  }

  @Test("64 of each at once and no more, each number once, and there is a place again when one has gone")
  func bounds() {
    var rig = PeerRig(3)
    func browse(_ number: Int) -> PeerCommand { .browse(number, PeerRig.name(0), type: "chat") }
    func advertise(_ number: Int) -> PeerCommand { .advertise(number, PeerRig.name(1), type: "game", info: nil) }
    func open(_ number: Int) -> PeerCommand { .openSession(number, PeerSessionSetup(PeerRig.name(2))) }
    // Each device has session 1 from the beginning.
    for number in 1...65 {
      rig.at(0, 0, browse(number))
      rig.at(0, 1, advertise(number))
      rig.at(0, 2, open(number))
    }
    rig.at(1_000, 0, .stopBrowsing(7))
    rig.at(1_000, 1, .stopAdvertising(7))
    rig.at(1_000, 2, .closeSession(7))
    for number in [8, 66, 67] {
      rig.at(1_000, 0, browse(number))
      rig.at(1_000, 1, advertise(number))
      rig.at(1_000, 2, open(number))
    }
    let devices = rig.run(seconds: 3)
    let found: [[PeerEvent]] = devices.map(refused)
    expectEqual(found[0], [65, 8, 67].map { PeerEvent.browsingFailed($0, .unavailable) })
    expectEqual(found[1], [65, 8, 67].map { PeerEvent.advertisingFailed($0, .unavailable) })
    expectEqual(found[2], [1, 65, 8, 67].map { PeerEvent.failed(session: $0, .unavailable) })
    for device in devices { expectEqual(device.device.brokenInvariants, []) }
    brokenBounds()
  }

  /// A device that has more than there may be says so, each thing in a line.
  private func brokenBounds() {
    // An invitation to device 0 waits.
    var rig = InvitationTests.rig()
    rig.at(3_000, 1, InvitationTests.invite(0))
    let devices = rig.run(seconds: 5).map(\.device)
    let (asked, asking) = (devices[0], devices[1])
    func check(_ lines: [String], _ policy: SessionPolicy = SessionPolicy(), _ fill: (inout PeerDevice) -> Void) {
      var plan = PeerPlan(host: "host") { SumCipher($0) }
      plan.sessions = policy
      var device = PeerDevice(plan, seed: Seed(9), name: "host")
      fill(&device)
      expectEqual(device.brokenInvariants, lines)
    }
    for count in [64, 65] {
      func line(_ noun: String) -> [String] { count == 64 ? [] : ["65 \(noun), at most 64"] }
      check(line("peers of the device")) { $0.locals = Array(repeating: asked.locals[0], count: count) }
      check(line("advertisers")) { $0.advertisers = Array(repeating: asked.advertisers[0], count: count) }
      check(line("browsers")) { $0.browsers = Array(repeating: asking.browsers[0], count: count) }
      check(line("receptions")) { $0.receptions = Array(repeating: asked.receptions[0], count: count) }
      check(line("sessions")) {
        $0.sessions = Array(repeating: asked.sessions[0], count: count + 1)
        $0.sessions[0].isClosed = true
      }
    }
    var policy = SessionPolicy()
    policy.openingsMaximum = 2
    for count in [4, 5] {
      check(count == 4 ? [] : ["5 invitations, at most 4"], policy) {
        $0.receptions = Array(repeating: asked.receptions[0], count: 2)
        $0.invitations = Array(repeating: asked.invitations[0], count: count)
      }
    }
    check(["invitation 1 has no reception"]) {
      $0.receptions = asked.receptions
      $0.receptions[0].peer = PeerRig.name(5).id
      $0.invitations = asked.invitations
    }
    check(["browser 1 was told of a peer twice"]) {
      $0.browsers = asking.browsers
      $0.browsers[0].told += asking.browsers[0].told
    }
    // One connection is one too many here, for the reception as for the session.
    policy.peersMaximum = -4
    check(["1 connections, at most 0", "1 connections, at most 0"], policy) {
      ($0.receptions, $0.sessions) = (asked.receptions, asking.sessions)
    }
  }

  @Test("two advertisers of a peer are one until both have stopped, and two browsers of a type are told apart")
  func twoOfEach() {
    var rig = PeerRig(2)
    rig.advertise(0, 0)
    rig.browse(0, 1)
    rig.at(0, 0, .advertise(2, PeerRig.name(0), type: "chat", info: nil))
    rig.at(0, 1, .browse(2, PeerRig.name(1), type: "chat"))
    // One that comes later is told of what is there already.
    rig.at(4_000, 1, .browse(3, PeerRig.name(1), type: "chat"))
    rig.at(4_000, 1, .browse(4, PeerRig.name(1), type: "game"))
    rig.at(5_000, 0, .stopAdvertising(1))
    rig.at(10_000, 1, .stopBrowsing(1))
    rig.at(15_000, 0, .stopAdvertising(2))
    expectEqual(
      rig.run(seconds: 25)[1].lines,
      [
        "0 s browser 1 found peer 0", "0 s browser 2 found peer 0", "4 s browser 3 found peer 0",
        "16 s browser 2 lost peer 0", "16 s browser 3 lost peer 0",
      ])
  }

  @Test("of two advertisers of a peer the later one that is left is shown, also after the background")
  func laterAdvertiser() {
    var rig = PeerRig(2)
    func advertise(_ number: Int, _ room: String) -> PeerCommand {
      .advertise(number, PeerRig.name(0), type: "chat", info: [PeerInfo("room", room)])
    }
    for device in 0..<2 { rig.browse(0, device) }
    rig.at(500, 0, advertise(1, "a"))
    rig.at(5_000, 0, advertise(2, "b"))
    var away = rig
    rig.at(10_000, 0, .stopAdvertising(2))
    away.at(10_000, 0, .background(true))
    away.at(19_500, 0, .background(false))
    let devices = rig.run(seconds: 15)
    let (first, second, again) = (
      "browser 1 found peer 0 room=a", "browser 1 found peer 0 room=b", "10 s browser 1 found peer 0 room=a"
    )
    expectEqual(devices[0].lines, ["0 s " + first, "5 s " + second, again])
    expectEqual(devices[1].lines, ["1 s " + first, "5 s " + second, again])
    expectEqual(
      away.run(seconds: 25)[1].lines,
      ["1 s " + first, "5 s " + second, "11 s browser 1 lost peer 0", "20 s " + second])
  }

  @Test("a session that is not there invites nobody, and an answer that names it declines, once")
  func noSession() {
    var rig = InvitationTests.rig()
    let (one, other) = (PeerRig.name(0), PeerRig.name(1))
    rig.at(3_000, 1, .invite(one.id, session: 9, context: nil, time: .zero))
    rig.at(4_000, 1, InvitationTests.invite(0))
    rig.at(5_000, 0, .answer(invitation: 1, session: 9))
    rig.at(6_000, 0, .answer(invitation: 1, session: 1))
    let devices = rig.run(seconds: 40)
    expectEqual(
      devices[0].log.map(\.event),
      [
        .invited(advertiser: 1, invitation: 1, from: other, context: nil), .failed(session: 9, .unavailable),
      ])
    expectEqual(
      devices[1].log.map(\.event),
      [
        .found(browser: 1, one, nil), .session(9, .state(one.id, .connecting)),
        .session(9, .state(one.id, .notConnected)), .failed(session: 9, .invalidParameter),
        .session(1, .state(one.id, .connecting)), .session(1, .state(one.id, .notConnected)),
      ])
    expectEqual(devices[1].lines.last, "5 s session 1: peer 0 notConnected")
  }

  @Test("a session that is closed leaves, tells and does nothing more, and another one can be invited into")
  func closed() {
    var rig = InvitationTests.rig()
    let (one, other) = (PeerRig.name(0), PeerRig.name(1))
    rig.devices[0].acceptsInto = 1
    rig.at(3_000, 1, InvitationTests.invite(0))
    rig.at(5_000, 1, .closeSession(1))
    rig.at(6_000, 1, .session(1, .send([1], to: [one.id], isReliable: true)))
    rig.at(6_000, 0, .session(1, .send([1], to: [other.id], isReliable: true)))
    rig.at(10_000, 1, .openSession(2, PeerSessionSetup(other, preference: .none)))
    rig.at(11_000, 1, .invite(one.id, session: 2, context: nil, time: .zero))
    let devices = rig.run(seconds: 20)
    expectEqual(
      devices[1].lines,
      [
        "0 s browser 1 found peer 0", "3 s session 1: peer 0 connecting", "3 s session 1: peer 0 connected",
        "11 s session 2: peer 0 connecting", "11 s session 2: peer 0 connected",
      ])
    expectEqual(refused(devices[0]), [.failed(session: 1, .notConnected)])
    expectEqual(
      devices[0].states,
      [
        "peer 1 connecting", "peer 1 connected", "peer 1 notConnected", "peer 1 connecting", "peer 1 connected",
      ])
  }

  @Test("a session whose number is opened again has links of its own, and connects while the end before is remembered")
  func openedAgain() throws {
    var rig = InvitationTests.rig()
    let other = PeerRig.name(1)
    rig.devices[0].acceptsInto = 1
    rig.at(3_000, 1, InvitationTests.invite(0))
    rig.at(5_000, 1, .closeSession(1))
    rig.at(6_000, 1, .openSession(1, PeerSessionSetup(other, preference: .none)))
    rig.at(6_500, 1, InvitationTests.invite(0))
    let recorder = Recorder(stations: [1])
    let devices = rig.run(seconds: 20, recorder)
    expectEqual(refused(devices[1]), [])
    expectEqual(
      devices[1].lines,
      [
        "0 s browser 1 found peer 0", "3 s session 1: peer 0 connecting", "3 s session 1: peer 0 connected",
        "6 s session 1: peer 0 connecting", "6 s session 1: peer 0 connected",
      ])
    var links: [UInt64] = []
    for entry in recorder.entries {
      guard case .sent(let datagram) = entry.content, datagram.destination.port != Endpoint.mdnsPort else { continue }
      let opening = datagram.bytes.withUnsafeBytes { try? SessionOpening($0) }
      if case .hello(let hello)? = opening { links.append(hello.link) }
    }
    expectEqual(links.count, 2)
    expectEqual(Set(links).count, 2)
  }
}
