import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@Suite("Where sessions are: IPv6, and hosts that change their address")
struct PlaceTests {
  @Test("over IPv6 members meet, are introduced and send; every datagram is of that family")
  func ipv6() {
    var rig = SessionRig(3, isIPv6: true)
    rig.invite(10, 0, 1)
    rig.invite(1_000, 2, 0)
    let bytes = [UInt8](repeating: 7, count: 20_000)
    rig.at(3_000, 1, .send(bytes, [SessionRig.id(0), SessionRig.id(2)]))
    var (families, longest): (Set<Bool>, Int) = ([], 0)
    let hosts = rig.run(seconds: 6) { datagram, bytes in
      families.insert(datagram.source.address.family == .v6 && datagram.destination.address.family == .v6)
      longest = max(longest, bytes.count)
    }
    expectEqual(hosts.map(\.session.connectedPeers.count), [2, 2, 2])
    for host in [0, 2] { expectEqual(hosts[host].messages(from: 1), [bytes]) }
    expectEqual(families, [true])
    // What fits an Ethernet frame below IPv6 and UDP.
    expectEqual(longest, 1_452)
    for host in hosts { expectEqual(host.rejections, []) }
  }

  @Test("connection data names a place of IPv6 as well")
  func manual() throws {
    var rig = SessionRig(2, isIPv6: true)
    let data = [
      try rig.hosts[0].session.connectionData(for: SessionRig.id(1)),
      try rig.hosts[1].session.connectionData(for: SessionRig.id(0)),
    ]
    rig.at(10, 0, .connect(SessionRig.id(1), data[1]))
    rig.at(20, 1, .connect(SessionRig.id(0), data[0]))
    let hosts = rig.run(seconds: 3)
    expectEqual(hosts[0].states(of: 1), whole)
    expectEqual(hosts[1].states(of: 0), whole)
  }

  private func moved(isIPv6: Bool) -> (rig: SessionRig, place: Endpoint) {
    var rig = SessionRig(2, isIPv6: isIPv6)
    let place = isIPv6 ? SessionRig.place6(20) : SessionRig.place(20)
    rig.otherAddresses[0] = place.address
    rig.invite(10, 0, 1)
    rig.at(2_000, 0, .move(place))
    return (rig, place)
  }

  @Test(
    "a host that changes its address is heard no more, and both report the end after 20 s", arguments: [false, true])
  func moves(isIPv6: Bool) {
    var (rig, place) = moved(isIPv6: isIPv6)
    rig.at(3_000, 0, .send([1], [SessionRig.id(1)]))
    rig.at(3_000, 1, .send([2], [SessionRig.id(0)]))
    rig.invite(40_000, 0, 1)
    rig.at(41_000, 0, .send([3], [SessionRig.id(1)]))
    rig.at(41_000, 1, .send([4], [SessionRig.id(0)]))
    var old = false
    let hosts = rig.run(seconds: 45) { [start = rig.places[0]] datagram, _ in
      if datagram.source == start { old = true }
    }
    #expect(old)
    #expect(hosts[1].rejections.contains(.wrongSource))
    expectEqual(hosts[0].states(of: 1), whole + [.notConnected] + whole)
    expectEqual(hosts[1].states(of: 0), whole + [.notConnected] + whole)
    for host in hosts {
      let gone = host.log.first { if case .state(_, .notConnected) = $0.event { true } else { false } }
      #expect(gone.map { $0.at >= SessionRig.time(20_000) && $0.at <= SessionRig.time(22_010) } ?? false)
    }
    // Neither message of the time between arrived, then or later.
    expectEqual(hosts[1].messages(from: 0), [[3]])
    expectEqual(hosts[0].messages(from: 1), [[4]])
    expectEqual(hosts[0].session.endpoint, place)
  }

  @Test("from its new place a host that left can come back at once, and takes its own place")
  func comesBack() {
    var (rig, _) = moved(isIPv6: false)
    rig.at(2_001, 0, .disconnect)
    rig.invite(2_500, 0, 1)
    rig.at(4_000, 1, .send([5], [SessionRig.id(0)]))
    let hosts = rig.run(seconds: 10)
    expectEqual(hosts[1].states(of: 0), whole + [.notConnected] + whole)
    expectEqual(hosts[0].messages(from: 1), [[5]])
    expectEqual(hosts.map(\.session.linkCount), [1, 1])
  }
}
