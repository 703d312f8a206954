import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallPeers

@Suite struct ChannelTests {
  @Test("streams and resources have the numbers of their side, end whole, and are counted")
  func channels() {
    var rig = InvitationTests.rig()
    rig.devices[0].acceptsInto = 1
    rig.at(3_000, 1, InvitationTests.invite(0))
    let peer = PeerRig.name(0).id
    rig.at(4_000, 1, .session(1, .openStream(7, name: "pulse", to: peer)))
    rig.at(4_000, 1, .session(1, .write(7, [1, 2, 3])))
    rig.at(4_000, 1, .session(1, .close(7)))
    rig.at(5_000, 1, .session(1, .openResource(9, name: "photo", fileName: "a.jpg", byteCount: 100_000, to: peer)))
    rig.at(6_000, 1, .session(1, .openResource(10, name: "", fileName: "", byteCount: 1, to: peer)))
    rig.at(6_000, 1, .session(1, .openStream(11, name: "s", to: PeerRig.name(1).id)))
    // This one stays open, and has one byte.
    rig.at(7_000, 1, .session(1, .openStream(12, name: "open", to: peer)))
    rig.at(7_000, 1, .session(1, .write(12, [9])))
    rig.at(8_000, 1, .session(1, .connectionData(3, for: PeerRig.name(1).id)))
    let devices = rig.run(seconds: 20)
    let last = SessionChannelID(peer: peer, number: 3, isIncoming: false)
    let stream = SessionChannelID(peer: peer, number: 1, isIncoming: false)
    let resource = SessionChannelID(peer: peer, number: 2, isIncoming: false)
    let told = devices[1].log.map(\.event).filter { event in
      if case .session(_, .resourceWanted) = event { return false }
      if case .session(_, .progress) = event { return false }
      return true
    }
    expectEqual(
      Array(told.dropFirst(3)),
      [
        .opened(session: 1, 7, stream), .taken(session: 1, 7, byteCount: 3), .session(1, .ended(stream, nil)),
        .opened(session: 1, 9, resource), .session(1, .ended(resource, nil)),
        .notOpened(session: 1, 10, .invalidParameter), .notOpened(session: 1, 11, .notConnected),
        .opened(session: 1, 12, last), .taken(session: 1, 12, byteCount: 1),
        .connectionData(session: 1, 3, .failure(.invalidParameter)),
      ])
    expectEqual(devices[1].device.sessions[0].channels.map(\.number), [12])
    let received = devices[0].log.reduce(0) { sum, entry in
      if case .session(_, .resourceBytes(_, let bytes)) = entry.event { return sum + bytes.count }
      return sum
    }
    expectEqual(received, 100_000)
    expectEqual(
      devices[0].lines.filter { $0.contains("stream") || $0.contains("(a.jpg)") || $0.contains("ended") },
      [
        "4 s session 1: stream 1 pulse", "4 s session 1: 3 bytes on stream 1", "4 s session 1: channel 1 in ended",
        "5 s session 1: resource 2 photo (a.jpg) of 100000 bytes", "5 s session 1: channel 2 in ended",
        "7 s session 1: stream 3 open", "7 s session 1: 1 bytes on stream 3",
      ])
  }

  @Test("a stream tells of bytes that it took and of no others, and keeps the rest, unless a planted fault drops it")
  func room() {
    let peer = PeerRig.name(0).id
    let stream = SessionChannelID(peer: peer, number: 1, isIncoming: false)
    func write(_ count: Int) -> PeerCommand { .session(1, .write(7, [UInt8](repeating: 7, count: count))) }
    func connected(_ faults: [PeerFault]) -> DeviceBench {
      var rig = InvitationTests.rig { $0.sessions.faults = PeerFaults(faults) }
      rig.devices[0].acceptsInto = 1
      rig.at(3_000, 1, InvitationTests.invite(0))
      var bench = DeviceBench(rig.run(seconds: 5)[1].device)
      let opening = PeerCommand.session(1, .openStream(7, name: "s", to: peer))
      expectEqual(bench.ask(opening, at: 5_000), [.opened(session: 1, 7, stream)])
      // 256 KiB are taken at once.
      expectEqual(bench.ask(write(300_000), at: 5_000), [.taken(session: 1, 7, byteCount: 262_144)])
      expectEqual(bench.device.sessions[0].channels.map(\.waiting.count), [37_856])
      return bench
    }
    // Packets that went meanwhile have made room, until as many are under way as may be.
    var bench = connected([])
    _ = bench.ask(write(300_000), at: 5_000)
    expectEqual(bench.ask(write(1), at: 5_000), [])
    expectEqual(bench.ask(.session(1, .close(7)), at: 5_000), [])
    expectEqual(bench.device.sessions[0].channels.allSatisfy { $0.waiting.count > 250_000 }, true)
    bench = connected([.streamCut])
    expectEqual(bench.ask(.session(1, .close(7)), at: 5_000), [])
    expectEqual(bench.device.sessions[0].channels.map(\.waiting.count), [0])
    // Room for a stream whose peer is gone.
    let gone = SessionChannelID(peer: PeerRig.name(5).id, number: 1, isIncoming: false)
    bench.device.sessions[0].channels = [OwnChannel(number: 7, id: gone, waiting: [1])]
    expectEqual(bench.note(.streamRoom(gone, bytes: 1), at: 5_000), [.failed(session: 1, .notConnected)])
  }
}
