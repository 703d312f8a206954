import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("Streams and resources, told whole on both sides")
struct ChannelPairTests {
  private func out(_ number: UInt32) -> SessionChannelID {
    SessionChannelID(peer: SessionRig.id(1), number: number, isIncoming: false)
  }
  private func into(_ number: UInt32) -> SessionChannelID {
    SessionChannelID(peer: SessionRig.id(0), number: number, isIncoming: true)
  }

  /// Two that are connected, and whose events so far were taken.
  private func connected() throws -> SessionPair {
    var pair = SessionPair()
    try pair.connect()
    for side in 0..<2 { _ = pair.sessions[side].takeEvents() }
    return pair
  }
  private func open(_ name: String, from side: Int, in pair: inout SessionPair) throws -> SessionChannelID {
    try pair.act(side) { session, now, outbox in
      try session.openStream(name, to: SessionRig.id(1 - side), at: now, into: &outbox)
    }
  }

  @Test("what either side ends early is ended on both, a resource with its reason, and neither knows it any longer")
  func early() throws {
    for (side, fails) in [(0, true), (0, false), (1, true), (1, false)] {
      var pair = try connected()
      expectEqual(try open("s", from: 0, in: &pair), out(1))
      let resource = try pair.act(0) { session, now, outbox in
        try session.sendResource("r", byteCount: 9, to: SessionRig.id(1), at: now, into: &outbox)
      }
      expectEqual(resource, out(2))
      expectEqual(pair.sessions[0].takeEvents(), [.resourceWanted(out(2), bytes: 9)])
      expectEqual(
        pair.sessions[1].takeEvents(),
        [.streamOpened(into(1), name: "s"), .resourceStarted(into(2), name: "r", fileName: "", byteCount: 9)])
      for channel in side == 0 ? [out(1), out(2)] : [into(1), into(2)] {
        pair.act(side) { session, now, outbox in
          if fails {
            session.fail(channel, at: now, into: &outbox)
          } else {
            session.cancel(channel, at: now, into: &outbox)
          }
        }
      }
      let error: SessionError = fails ? .failed : .cancelled
      expectEqual(pair.sessions[0].takeEvents(), [.ended(out(1), .cancelled), .ended(out(2), error)], "side \(side)")
      expectEqual(pair.sessions[1].takeEvents(), [.ended(into(1), .cancelled), .ended(into(2), error)], "side \(side)")
      expectEqual(pair.sessions[0].links[0].transport?.sender.channels.count, 0)
      expectEqual(pair.sessions[1].links[0].incoming.count, 0)
    }
  }

  @Test("a stream that its sender ends leaves the one with the same number in the other direction as it is")
  func sameNumber() throws {
    var pair = try connected()
    _ = try open("a", from: 0, in: &pair)
    let other = try open("b", from: 1, in: &pair)
    expectEqual(other, SessionChannelID(peer: SessionRig.id(0), number: 1, isIncoming: false))
    for side in 0..<2 { _ = pair.sessions[side].takeEvents() }
    pair.act(0) { session, now, outbox in session.cancel(out(1), at: now, into: &outbox) }
    expectEqual(pair.sessions[1].takeEvents(), [.ended(into(1), .cancelled)])
    let count = try pair.act(1) { session, now, outbox in
      try session.write([5], to: other, at: now, into: &outbox)
    }
    expectEqual(count, 1)
    let incoming = SessionChannelID(peer: SessionRig.id(1), number: 1, isIncoming: true)
    expectEqual(pair.sessions[0].takeEvents(), [.ended(out(1), .cancelled), .streamBytes(incoming, [5])])
  }

  @Test("of two streams the one that is named is written to, and its end is sent at once")
  func named() throws {
    var pair = try connected()
    for name in ["a", "b"] { _ = try open(name, from: 0, in: &pair) }
    for side in 0..<2 { _ = pair.sessions[side].takeEvents() }
    _ = try pair.act(0) { session, now, outbox in try session.write([7], to: out(2), at: now, into: &outbox) }
    expectEqual(pair.sessions[1].takeEvents(), [.streamBytes(into(2), [7])])
    try pair.act(0) { session, now, outbox in try session.close(out(2), at: now, into: &outbox) }
    expectEqual(pair.sessions[0].takeEvents(), [.ended(out(2), nil)])
    expectEqual(pair.sessions[1].takeEvents(), [.ended(into(2), nil)])
  }

  // MARK: Hosts with a script

  private func channelEvents(_ host: SessionHost) -> [SessionEvent] {
    host.log.map(\.event).filter { event in
      switch event {
      case .state, .invited: false
      default: true
      }
    }
  }

  @Test("a resource is asked for, sent and told chunk by chunk, whether its size is known or not")
  func chunks() {
    for (chunk, bytes) in [(4, [1, 2, 3, 4, 5, 6, 7, 8, 9]), (1, [1, 2, 3])] as [(Int, [UInt8])] {
      for isSizeKnown in [true, false] {
        var rig = SessionRig(2) { $0.resourceChunkBytes = chunk }
        rig.invite(10, 0, 1)
        rig.at(1_000, 0, .sendResource("file", bytes, SessionRig.id(1), isSizeKnown: isSizeKnown))
        let hosts = rig.run(seconds: 2)
        var sender: [SessionEvent] = []
        var receiver: [SessionEvent] = [
          .resourceStarted(into(1), name: "file", fileName: "", byteCount: isSizeKnown ? bytes.count : nil)
        ]
        for start in stride(from: 0, to: bytes.count, by: chunk) {
          let end = min(start + chunk, bytes.count)
          sender.append(.resourceWanted(out(1), bytes: isSizeKnown ? end - start : chunk))
          sender.append(.progress(out(1), bytes: end))
          receiver.append(.resourceBytes(into(1), Array(bytes[start..<end])))
          receiver.append(.progress(into(1), bytes: end))
        }
        expectEqual(channelEvents(hosts[0]), sender + [.ended(out(1), nil)], "\(chunk) \(isSizeKnown)")
        expectEqual(channelEvents(hosts[1]), receiver + [.ended(into(1), nil)], "\(chunk) \(isSizeKnown)")
        expectEqual(hosts.flatMap(\.errors), [])
      }
    }
  }

  @Test("a host forgets the source of a resource at its end, so that a later one with its number brings its own bytes")
  func sources() {
    var rig = SessionRig(2)
    rig.invite(10, 0, 1)
    rig.at(1_000, 0, .sendResource("a", [1, 2, 3], SessionRig.id(1)))
    rig.at(2_000, 0, .disconnect)
    rig.invite(4_000, 0, 1)
    rig.at(5_000, 0, .sendResource("b", [4, 5], SessionRig.id(1)))
    rig.at(5_500, 0, .openStream("s", SessionRig.id(1)))
    rig.at(5_600, 0, .fail(out(2)))
    let hosts = rig.run(seconds: 6)
    expectEqual(
      channelEvents(hosts[0]),
      [
        .resourceWanted(out(1), bytes: 3), .progress(out(1), bytes: 3), .ended(out(1), nil),
        .resourceWanted(out(1), bytes: 2), .progress(out(1), bytes: 2), .ended(out(1), nil),
        .ended(out(2), .cancelled),
      ])
    expectEqual(
      channelEvents(hosts[1]),
      [
        .resourceStarted(into(1), name: "a", fileName: "", byteCount: 3), .resourceBytes(into(1), [1, 2, 3]),
        .progress(into(1), bytes: 3), .ended(into(1), nil),
        .resourceStarted(into(1), name: "b", fileName: "", byteCount: 2), .resourceBytes(into(1), [4, 5]),
        .progress(into(1), bytes: 2), .ended(into(1), nil),
        .streamOpened(into(2), name: "s"), .ended(into(2), .cancelled),
      ])
    expectEqual(hosts.flatMap(\.errors), [])
  }
}
