import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@Suite("Connections by hand")
struct ManualTests {
  /// Two sessions that handed out data to each other.
  private func rig() throws -> (rig: SessionRig, data: [[UInt8]]) {
    var rig = SessionRig(3)
    let data = [
      try rig.hosts[0].session.connectionData(for: SessionRig.id(1)),
      try rig.hosts[1].session.connectionData(for: SessionRig.id(0)),
    ]
    return (rig, data)
  }

  @Test("both sides connect with the data of the other, whoever is first")
  func both() throws {
    for first in [0, 1] {
      var (rig, data) = try rig()
      rig.at(10, first, .connect(SessionRig.id(1 - first), data[1 - first]))
      rig.at(3_000, 1 - first, .connect(SessionRig.id(first), data[first]))
      let hosts = rig.run(seconds: 10)
      expectEqual(hosts[0].states(of: 1), whole)
      expectEqual(hosts[1].states(of: 0), whole)
    }
  }

  @Test("one side alone never connects")
  func oneSided() throws {
    for first in [0, 1] {
      var (rig, data) = try rig()
      rig.at(10, first, .connect(SessionRig.id(1 - first), data[1 - first]))
      let hosts = rig.run(seconds: 40)
      expectEqual(hosts[first].states(of: 1 - first), [.connecting, .notConnected])
      expectEqual(hosts[1 - first].states(of: first), [])
      expectEqual(
        hosts[first].log.last { if case .state = $0.event { true } else { false } }?.at, SessionRig.time(30_010))
    }
  }

  @Test("data for another peer, of another peer, and data with any byte changed or cut off is refused")
  func wrongData() throws {
    var (rig, data) = try rig()
    let stranger = try rig.hosts[1].session.connectionData(for: SessionRig.id(2))
    rig.at(10, 0, .connect(SessionRig.id(1), stranger))
    rig.at(10, 0, .connect(SessionRig.id(2), data[1]))
    for place in data[1].indices {
      var changed = data[1]
      changed[place] ^= 1
      rig.at(20, 0, .connect(SessionRig.id(1), changed))
      rig.at(20, 0, .connect(SessionRig.id(1), Array(data[1][..<place])))
    }
    let hosts = rig.run(seconds: 1)
    expectEqual(hosts[0].errors.count, 2 + 2 * data[1].count)
    expectEqual(Set(hosts[0].errors), [.invalidParameter])
    expectEqual(hosts[0].log.count, 0)
  }

  @Test("a cancelled attempt never connects, and its data is worth nothing")
  func cancelled() throws {
    for (side, cancelsFirst) in [(0, true), (0, false), (1, true), (1, false)] {
      var (rig, data) = try rig()
      let other = SessionRig.id(1 - side)
      if cancelsFirst { rig.at(5, side, .cancelConnect(other)) }
      rig.at(10, side, .connect(other, data[1 - side]))
      if !cancelsFirst { rig.at(500, side, .cancelConnect(other)) }
      rig.at(1_000, 1 - side, .connect(SessionRig.id(side), data[side]))
      let hosts = rig.run(seconds: 40)
      expectEqual(hosts[side].errors, cancelsFirst ? [.invalidParameter] : [])
      #expect(!hosts[side].states(of: 1 - side).contains(.connected))
      #expect(!hosts[1 - side].states(of: side).contains(.connected))
    }
  }

  @Test("who came by hand is introduced to nobody, stays when the attempt is cancelled later, and leaves no data")
  func notIntroduced() throws {
    for (byHand, invited) in [(10, 2_000), (2_000, 10)] as [(Int64, Int64)] {
      var (rig, data) = try rig()
      for side in 0..<2 { rig.at(byHand, side, .connect(SessionRig.id(1 - side), data[1 - side])) }
      rig.invite(invited, 0, 2)
      rig.hosts[0].script.sort { $0.at < $1.at }
      for side in 0..<2 { rig.at(4_000, side, .cancelConnect(SessionRig.id(1 - side))) }
      let hosts = rig.run(seconds: 8)
      expectEqual(hosts[0].states(of: 1), whole)
      expectEqual(hosts[0].states(of: 2), whole)
      expectEqual(hosts[1].states(of: 0), whole)
      expectEqual(hosts[1].states(of: 2), [])
      expectEqual(hosts[2].states(of: 1), [])
      // Connections alone: no token, and nobody is expected.
      expectEqual(hosts.map(\.session.waitingCount), [2, 1, 1])
    }
  }
}
