import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

private let one = StreamID(1)
private let two = StreamID(2)
private let door = StreamID(9)
private let accepted = StreamID(.max)
private let server = Endpoint(StreamRig.address(1), port: 80)
private let listen = (at: Int64(0), effect: StreamEffect.listen(door, at: server, StreamRig.interface))
private func connect(_ id: StreamID, at time: Int64) -> (at: Int64, effect: StreamEffect) {
  (time, .connect(id, to: server, StreamRig.interface))
}

@Suite("Streams at their bounds")
struct StreamEdgeTests {
  @Test("the two links of a way count each by its own rule", arguments: [true, false])
  func eachLink(isOutbound: Bool) {
    // One link has a bandwidth or a longer latency, the other a constant latency alone.
    var slow = LinkRule(latency: .constant(.milliseconds(5)))
    slow.bandwidth = 1_000_000
    var rig = StreamRig([[connect(one, at: 100), (200, .write(one, numbered(14_600)))], [listen]])
    if isOutbound { rig.rule = slow } else { rig.inbound = slow }
    if isOutbound { rig.inbound = LinkRule(latency: .constant(.milliseconds(5))) }
    // Ten segments of 1 500 bytes at 1 Mbit/s are 120 ms; the handshake had 0.32 ms for each of its segments.
    expectEqual(rig.lines(seconds: 2).filter { $0.contains("bytes") }, ["330 b 4294967295 bytes 14600"])
    var lossy = LinkRule(latency: .constant(.milliseconds(5)))
    lossy.loss = .uniform(.always)
    var dead = StreamRig([[connect(one, at: 100)], [listen]])
    if isOutbound { dead.rule = lossy } else { dead.inbound = lossy }
    if isOutbound { dead.inbound = LinkRule(latency: .constant(.milliseconds(5))) }
    let outcome = dead.run()
    expectEqual(dead.log.lines, ["63100 a 1 timedOut"])
    expectEqual(outcome.lost, 6)
  }

  @Test("a loss of multicast loses no stream, and what would be damaged is sent again")
  func otherLosses() {
    var rig = StreamRig([[connect(one, at: 100), (200, .write(one, numbered(9)))], [listen]])
    rig.rule.multicastLoss = .uniform(.always)
    expectEqual(rig.run().lost, 0)
    expectEqual(rig.log.heard, ["b 4294967295": numbered(9)])
    var damaging = StreamRig([[connect(one, at: 100)], [listen]])
    damaging.rule.corrupt = .always
    expectEqual(damaging.run().lost, 6)
    expectEqual(damaging.log.lines, ["63100 a 1 timedOut"])
  }

  @Test("segments are as large as the smaller of the two links carries: 40 bytes of headers over IPv4, 60 over IPv6")
  func sizes() {
    for (out, into, family, bytes) in [
      (1_000, 1_500, 4, 9_600), (1_500, 1_000, 4, 9_600), (1_500, 1_500, 4, 14_600), (1_500, 1_500, 6, 14_400),
      (1_000, 1_500, 6, 9_400), (100, 1_500, 4, 640), (104, 1_500, 4, 640), (105, 1_500, 4, 650),
    ] {
      let there = family == 4 ? server : Endpoint(StreamRig.v6[1], port: 80)
      var rig = StreamRig([
        [(100, .connect(one, to: there, StreamRig.interface)), (200, .write(one, numbered(60_000)))],
        [(0, .listen(door, at: there, StreamRig.interface))],
      ])
      rig.rule.mtu = out
      rig.inbound = LinkRule(latency: .constant(.milliseconds(5)), mtu: into)
      expectEqual(rig.lines(seconds: 1).first { $0.contains("bytes") }, "210 b 4294967295 bytes \(bytes)")
    }
  }

  @Test("headers count for the time that a segment takes: 40 bytes over IPv4, 60 over IPv6")
  func headerTime() {
    for (there, own) in [(server, 40), (Endpoint(StreamRig.v6[1], port: 80), 60)] {
      var rig = StreamRig([
        [(100, .connect(one, to: there, StreamRig.interface)), (10_000, .write(one, numbered(85)))],
        [(0, .listen(door, at: there, StreamRig.interface))],
      ])
      // 8 bits a millisecond: each byte takes one.
      rig.rule.bandwidth = 8_000
      rig.inbound = LinkRule(latency: .constant(.milliseconds(5)))
      expectEqual(rig.lines(seconds: 20).first { $0.contains("bytes") }, "\(10_010 + 85 + own) b 4294967295 bytes 85")
    }
  }

  @Test("an interface that is down is silence on both sides, and what was written comes when it is up again")
  func interfaceDown() {
    for host in [0, 1] {
      var rig = StreamRig([[connect(one, at: 100), (1_000, .write(one, numbered(5)))], [listen]])
      rig.faults = [
        (.zero + .milliseconds(500), .interfaceDown(host: host, interface: StreamRig.interface)),
        (.zero + .milliseconds(1_300), .interfaceUp(host: host, interface: StreamRig.interface)),
      ]
      // At 1.0, 1.2 and 1.6 s.
      expectEqual(rig.lines(seconds: 3).filter { $0.contains("bytes") }, ["1610 b 4294967295 bytes 5"])
    }
    // What is under way when the receiver goes down is sent again as well.
    var rig = StreamRig([[connect(one, at: 100), (1_000, .write(one, numbered(5)))], [listen]])
    rig.faults = [
      (.zero + .milliseconds(1_005), .interfaceDown(host: 1, interface: StreamRig.interface)),
      (.zero + .milliseconds(1_100), .interfaceUp(host: 1, interface: StreamRig.interface)),
    ]
    expectEqual(rig.lines(seconds: 3).filter { $0.contains("bytes") }, ["1220 b 4294967295 bytes 5"])
  }

  @Test("a stream goes out from the address of the scope that it goes to")
  func scopes() {
    for (own, there) in [(StreamRig.global[0], StreamRig.global[1]), (StreamRig.v6[0], StreamRig.v6[1])] {
      let there = Endpoint(there, port: 80)
      let rig = StreamRig([
        [(100, .connect(one, to: there, StreamRig.interface))], [(0, .listen(door, at: there, StreamRig.interface))],
      ])
      expectEqual(rig.lines(seconds: 1).first, "120 a 1 opened [\(own)]:49152")
    }
  }

  @Test("what is written while some of it waits for its acknowledgement counts towards the room")
  func filled() {
    let rig = StreamRig([
      [connect(one, at: 100), (200, .write(one, numbered(60_000))), (201, .write(one, numbered(5_536)))], [listen],
    ])
    expectEqual(rig.run().open, 1)
    expectEqual(rig.log.heard["b 4294967295"]?.count, 65_536)
    let over = StreamRig([
      [connect(one, at: 100), (200, .write(one, numbered(60_000))), (201, .write(one, numbered(5_537)))], [listen],
    ])
    expectEqual(over.run().open, 0)
    expectEqual(over.log.broken["a 1"], .reset)
  }

  @Test("a machine that reads again is given what waited at once, and the other side hears of the room a way later")
  func resumed() {
    let rig = StreamRig([
      [connect(one, at: 100), (200, .write(one, numbered(65_536))), (400, .write(one, numbered(100)))],
      [listen, (140, .pause(accepted)), (1_000, .resume(accepted)), (1_000, .resume(accepted))],
    ])
    let lines = rig.lines(seconds: 5)
    expectEqual(lines.filter { $0.hasPrefix("1000 ") }.count, 5)
    // Room comes back at 1.010 s; then the last bytes take their way.
    expectEqual(lines.suffix(2), ["1020 b 4294967295 bytes 100", "1030 a 1 room 100"])
    // Nothing waited: nothing is told.
    let quiet = StreamRig([
      [connect(one, at: 100), (2_000, .write(one, numbered(3)))],
      [listen, (140, .pause(accepted)), (1_000, .resume(accepted))],
    ])
    expectEqual(quiet.lines(seconds: 5).suffix(2), ["2010 b 4294967295 bytes 3", "2020 a 1 room 3"])
  }

  @Test("the end of a stream waits behind the bytes that wait, and ends it when it is read")
  func endWaits() {
    let rig = StreamRig([
      [connect(one, at: 100), (200, .write(one, numbered(3))), (201, .finish(one))],
      [listen, (140, .pause(accepted)), (300, .finish(accepted)), (1_000, .resume(accepted))],
    ])
    let outcome = rig.run()
    #expect(
      rig.log.lines.suffix(4) == [
        "220 a 1 room 3", "310 a 1 finished", "1000 b 4294967295 bytes 3", "1000 b 4294967295 finished",
      ] || rig.log.lines.suffix(3) == ["310 a 1 finished", "1000 b 4294967295 bytes 3", "1000 b 4294967295 finished"])
    expectEqual(outcome.open, 0)
  }

  @Test("a host has so many streams and no more, on either side, and one that is over makes room")
  func perHost() {
    var rig = StreamRig([
      [
        connect(one, at: 100), connect(two, at: 200), connect(StreamID(3), at: 300), (400, .reset(one)),
        connect(StreamID(3), at: 500),
      ],
      [listen], [connect(one, at: 1_000)],
    ])
    rig.configure = { $0.streamsPerHostMaximum = 2 }
    let lines = rig.lines(seconds: 3)
    expectEqual(
      lines.filter { $0.contains(" a 3 ") },
      [
        "300 a 3 unreachable", "520 a 3 opened 10.0.0.1:49154", "520 a 3 room 65536",
      ])
    // The server has two as well.
    expectEqual(lines.filter { $0.contains(" c ") }, ["1020 c 1 refused"])
    // Of two that ask at once the second one is told when the first one has the room.
    var together = StreamRig([[connect(one, at: 100)], [listen], [connect(one, at: 100)]])
    together.configure = { $0.streamsPerHostMaximum = 1 }
    expectEqual(
      together.lines(seconds: 3).filter { $0.contains("accepted") || $0.hasSuffix("reset") },
      ["130 b 4294967295 accepted 9 10.0.0.2:80 10.0.0.1:49152", "140 c 1 reset"])
  }

  @Test("ports are used in order, and one that is in use to the same place is left out")
  func ports() {
    var rig = StreamRig([
      [
        connect(one, at: 100), connect(two, at: 200), (300, .reset(two)), connect(StreamID(3), at: 400),
        connect(StreamID(4), at: 500), (600, .reset(one)), connect(StreamID(5), at: 700),
      ], [listen],
    ])
    rig.configure = { $0.ephemeralPorts = 50_000...50_002 }
    let opened = rig.lines(seconds: 3).filter { $0.contains("opened") }
    #expect(
      opened == [
        "120 a 1 opened 10.0.0.1:50000", "220 a 2 opened 10.0.0.1:50001", "420 a 3 opened 10.0.0.1:50002",
        // 50000 is still in use.
        "520 a 4 opened 10.0.0.1:50001", "720 a 5 opened 10.0.0.1:50000",
      ] || opened.suffix(2) == ["520 a 4 opened 10.0.0.1:50001", "720 a 5 opened 10.0.0.1:50000"])
  }

  @Test("a number can be used again when its stream is over, and not before; events of the old one are not for the new")
  func numbers() {
    let rig = StreamRig([
      [
        connect(one, at: 100), connect(one, at: 110), (200, .write(one, numbered(4))), (204, .reset(one)),
        connect(one, at: 204), (300, .write(one, numbered(6))),
      ], [listen],
    ])
    let lines = rig.lines(seconds: 3)
    expectEqual(
      lines.filter { $0.contains("opened") }, ["120 a 1 opened 10.0.0.1:49152", "224 a 1 opened 10.0.0.1:49153"])
    expectEqual(rig.log.heard, ["b 4294967294": numbered(6)])
    #expect(lines.contains("214 b 4294967295 reset"))
  }
}
