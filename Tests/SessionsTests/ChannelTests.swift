import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@Suite("Streams and resources")
struct ChannelTests {
  private let out = SessionChannelID(peer: SessionRig.id(1), number: 1, isIncoming: false)
  private let into = SessionChannelID(peer: SessionRig.id(0), number: 1, isIncoming: true)

  private func rig(loss: UInt64 = 0) -> SessionRig {
    var rig = SessionRig(2)
    rig.link.loss = .uniform(.percent(loss))
    rig.invite(10, 0, 1)
    return rig
  }
  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) } }
  private func read(_ host: SessionHost) -> [UInt8] {
    host.log.flatMap { entry -> [UInt8] in
      switch entry.event {
      case .streamBytes(into, let bytes), .resourceBytes(into, let bytes): bytes
      default: []
      }
    }
  }
  private func ends(_ host: SessionHost) -> [SessionEvent] {
    host.log.map(\.event).filter { if case .ended = $0 { true } else { false } }
  }
  private func progress(_ host: SessionHost) -> [Int] {
    host.log.compactMap { if case .progress(_, let bytes) = $0.event { bytes } else { nil } }
  }

  @Test("a stream brings its bytes in order, and its end behind them", arguments: [0, 30] as [UInt64])
  func stream(loss: UInt64) {
    var rig = rig(loss: loss)
    rig.at(20_000, 0, .openStream("log", SessionRig.id(1)))
    for part in 0..<10 { rig.at(21_000 + Int64(part) * 500, 0, .write(bytes(30_000 + part), out)) }
    rig.at(30_000, 0, .close(out))
    let hosts = rig.run(seconds: 90)
    expectEqual(read(hosts[1]), (0..<10).flatMap { bytes(30_000 + $0) })
    expectEqual(ends(hosts[1]), [.ended(into, nil)])
    expectEqual(ends(hosts[0]), [.ended(out, nil)])
    #expect(hosts[1].log.contains { $0.event == .streamOpened(into, name: "log") })
  }

  @Test("a reader that takes nothing stops its writer, whose other messages go on")
  func credit() {
    var rig = rig()
    rig.hosts[1].reads = false
    rig.at(1_000, 0, .openStream("s", SessionRig.id(1)))
    for round in 0..<3 { rig.at(2_000 + Int64(round) * 1_000, 0, .write(bytes(400_000), out)) }
    rig.at(8_000, 0, .send([5], [SessionRig.id(1)]))
    let hosts = rig.run(seconds: 10)
    expectEqual(read(hosts[1]).count, 262_144)
    expectEqual(hosts[0].writtenCount, 524_288)
    expectEqual(hosts[1].messages(from: 0), [[5]])
  }

  @Test("either side ends a stream early, and both hear it once")
  func cancelledStream() {
    for side in [0, 1] {
      var rig = rig()
      rig.at(1_000, 0, .openStream("s", SessionRig.id(1)))
      rig.at(2_000, 0, .write(bytes(200_000), out))
      rig.at(2_003, side, .cancel(side == 0 ? out : into))
      rig.at(3_000, 0, .send([1], [SessionRig.id(1)]))
      let hosts = rig.run(seconds: 5)
      expectEqual(ends(hosts[0]), [.ended(out, .cancelled)])
      expectEqual(ends(hosts[1]), [.ended(into, .cancelled)])
      expectEqual(hosts[1].messages(from: 0), [[1]])
    }
  }

  @Test("a resource arrives whole, with progress that never falls and is whole at the end only")
  func resource() {
    for count in [0, 1, 65_535, 65_536, 65_537, 500_000] {
      for isSizeKnown in [true, false] {
        var rig = rig(loss: 10)
        rig.at(20_000, 0, .sendResource("file", bytes(count), SessionRig.id(1), isSizeKnown: isSizeKnown))
        let hosts = rig.run(seconds: 60)
        expectEqual(read(hosts[1]).count, count)
        expectEqual(read(hosts[1]), bytes(count))
        expectEqual(ends(hosts[0]), [.ended(out, nil)], "\(count) \(isSizeKnown)")
        expectEqual(ends(hosts[1]), [.ended(into, nil)], "\(count) \(isSizeKnown)")
        expectEqual(hosts[0].errors, [])
        for host in hosts {
          expectEqual(progress(host), progress(host).sorted())
          expectEqual(progress(host).last, count)
          if isSizeKnown { expectEqual(progress(host).count { $0 == count }, 1) }
        }
      }
    }
  }

  @Test("either side cancels a resource, and both hear it once; a leaving peer ends it too")
  func cancelledResource() {
    for side in [0, 1] {
      var rig = rig()
      rig.link.bandwidth = 10_000_000
      rig.at(1_000, 0, .sendResource("file", bytes(3_000_000), SessionRig.id(1)))
      rig.at(1_500, side, .cancel(side == 0 ? out : into))
      rig.at(5_000, 0, .sendResource("file", [1], SessionRig.id(1)))
      let hosts = rig.run(seconds: 10)
      expectEqual(ends(hosts[0]).first, .ended(out, .cancelled))
      expectEqual(ends(hosts[1]).first, .ended(into, .cancelled))
      expectEqual(hosts.map { ends($0).count }, [2, 2])
      #expect((progress(hosts[1]).max() ?? 0) < 3_000_000)
    }
    var rig = rig()
    rig.link.bandwidth = 10_000_000
    rig.at(1_000, 0, .sendResource("file", bytes(3_000_000), SessionRig.id(1)))
    rig.at(1_500, 1, .disconnect)
    let hosts = rig.run(seconds: 10)
    expectEqual(ends(hosts[0]), [.ended(out, .notConnected)])
    expectEqual(ends(hosts[1]), [.ended(into, .notConnected)])
  }

  @Test("a resource that fails on either side is told from one that is cancelled, on both, and a stream is not")
  func failedResource() {
    for side in [0, 1] {
      var rig = rig()
      rig.link.bandwidth = 10_000_000
      rig.at(1_000, 0, .sendResource("file", bytes(3_000_000), SessionRig.id(1)))
      rig.at(1_500, side, .fail(side == 0 ? out : into))
      let (out2, into2) = (
        SessionChannelID(peer: SessionRig.id(1), number: 2, isIncoming: false),
        SessionChannelID(peer: SessionRig.id(0), number: 2, isIncoming: true)
      )
      rig.at(6_000, 0, .openStream("s", SessionRig.id(1)))
      rig.at(7_000, side, .fail(side == 0 ? out2 : into2))
      rig.at(8_000, 0, .send([1], [SessionRig.id(1)]))
      let hosts = rig.run(seconds: 10)
      expectEqual(ends(hosts[0]), [.ended(out, .failed), .ended(out2, .cancelled)])
      expectEqual(ends(hosts[1]), [.ended(into, .failed), .ended(into2, .cancelled)])
      expectEqual(hosts[1].messages(from: 0), [[1]])
    }
  }

  @Test("so many channels at once and no more, and none to a stranger")
  func limits() {
    var rig = rig()
    for _ in 0..<65 { rig.at(1_000, 0, .openStream("s", SessionRig.id(1))) }
    rig.at(1_000, 0, .openStream("s", SessionRig.id(4)))
    rig.at(1_000, 0, .openStream("", SessionRig.id(1)))
    let hosts = rig.run(seconds: 5)
    expectEqual(hosts[0].errors, [.unavailable, .notConnected, .invalidParameter])
    expectEqual(hosts[1].session.connectedPeers.count, 1)
  }
}
