import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Bounds") struct BoundsTests {
  func address(_ number: Int) -> IPAddress { IPAddress(192, 168, 1, UInt8(number)) }

  @Test("one address floods its own share and pushes nobody out (D77)")
  func flood() {
    var rig = EngineRig { $0.limits.entriesPerSource = 3 }
    _ = rig.hear(alive(), at: 0)
    var refused = 0
    for index in 0..<1_000 {
      let text = alive("x\(index)", location: nil)
      let effects = rig.hear(text, from: address(66), at: 1)
      if effects == [rejected(.overSource, text)] {
        refused += 1
      } else {
        expectEqual(effects, [found("x\(index)", nil, from: address(66))])
      }
    }
    expectEqual(refused, 997)
    expectEqual(rig.engine.counters.rejected(.overSource), 997)
    expectEqual(rig.engine.counters.openLeases, 4)
    expectEqual(rig.hear(alive(), at: 2), [])
  }

  @Test("where all is full the least recently heard device makes room")
  func evicts() {
    var rig = EngineRig { $0.limits.entriesTotal = 3 }
    for (index, name) in ["a", "b", "c"].enumerated() {
      _ = rig.hear(alive(name, location: nil), from: address(10 + index), at: Double(index))
    }
    _ = rig.hear(alive("a", location: nil), from: address(10), at: 5)
    expectEqual(
      rig.hear(alive("d", location: nil), from: address(20), at: 6),
      [
        lost("b", .evicted), found("d", nil, from: address(20)),
      ])
    expectEqual(rig.engine.counters.evictions, 1)
  }

  @Test("no eviction takes a device that the application holds (H-CP-CACHE)")
  func held() {
    var rig = EngineRig { $0.limits.entriesTotal = 2 }
    _ = rig.hear(alive("a", location: nil), from: address(10), at: 0)
    _ = rig.hear(alive("b", location: nil), from: address(11), at: 1)
    _ = rig.command(.hold(device: "uuid:A"), at: 2)
    expectEqual(
      rig.hear(alive("c", location: nil), from: address(12), at: 3),
      [
        lost("b", .evicted), found("c", nil, from: address(12)),
      ])
    _ = rig.command(.hold(device: "uuid:c"), at: 4)
    let text = alive("d", location: nil)
    expectEqual(rig.hear(text, from: address(13), at: 5), [rejected(.overTotal, text)])
    _ = rig.command(.release(device: "uuid:a"), at: 6)
    expectEqual(
      rig.hear(text, from: address(13), at: 7), [lost("a", .evicted), found("d", nil, from: address(13))])
  }

  @Test("a device does not make room for itself")
  func notItself() {
    var rig = EngineRig { $0.limits.entriesTotal = 1 }
    _ = rig.hear(alive(), at: 0)
    let text = alive("tv", "uuid:tv")
    expectEqual(rig.hear(text, at: 1), [rejected(.overTotal, text)])
    expectEqual(rig.hear(alive(), at: 2), [])
  }

  @Test("a device has at most so many leases")
  func perDevice() {
    var rig = EngineRig { $0.limits.entriesPerDevice = 2 }
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("tv", "uuid:tv"), at: 0)
    let text = alive("tv", "urn:x:service:Y:1")
    expectEqual(rig.hear(text, at: 0), [rejected(.overDevice, text)])
  }

  @Test("after a long churn nothing is left behind, and numbers are used again")
  func churn() {
    var rig = EngineRig()
    for round in 0..<400 {
      let start = Double(round) * 10
      for index in 0..<10 {
        _ = rig.hear(
          alive("r\(round)-\(index)", location: "http://192.168.1.20/\(round)-\(index)", maxAge: "3"), at: start)
      }
      _ = rig.hear(byebye("r\(round)-0"), at: start + 1)
      _ = rig.run(until: start + 9)
      expectEqual(rig.engine.counters.openLeases, 0)
    }
    expectEqual(rig.engine.counters.devicesEver, 4_000)
    expectEqual(rig.engine.counters.devicesPresent, 0)
    #expect(rig.engine.recordCounts.max()! <= 16)
  }

  @Test("hostile bytes never stop the engine, and what it counts adds up")
  func hostile() {
    var random = Seed(7).stream("hostile")
    var rig = EngineRig { $0.limits.entriesTotal = 50 }
    let samples = [
      alive(boot: 3, config: 1), byebye(), update(boot: 3, next: 4), response(), alive("p", "uuid:p", maxAge: "1"),
    ].map { Array($0.utf8) }
    for index in 0..<3_000 {
      var bytes = samples[Int(random.below(5))]
      for _ in 0..<(1 + random.below(4)) {
        let place = Int(random.below(UInt64(bytes.count)))
        switch random.below(3) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.remove(at: place)
        default: bytes.insert(bytes[Int(random.below(UInt64(bytes.count)))], at: place)
        }
      }
      let payload = rig.store.store(bytes)
      let source = Endpoint(address(Int(10 + random.below(5))), port: 1900)
      _ = rig.give(
        .datagram(
          Datagram(
            source: source, destination: Endpoint(.ssdpGroup4, port: 1900), interface: InterfaceID(0), hopLimit: 2,
            payload: payload)), at: Double(index) / 20)
      rig.store.release(payload)
    }
    let counters = rig.engine.counters
    expectEqual(counters.datagrams, 3_000)
    #expect(counters.openLeases <= 50)
    #expect(counters.devicesEver > 50)
    expectEqual(rig.engine.brokenInvariants, [])
    _ = rig.bring(0, [], at: 1_000)
    expectEqual(rig.engine.counters.openLeases, 0)
    expectEqual(rig.engine.counters.devicesPresent, 0)
  }

  @Test(
    "whatever comes in whatever order, the books are in order",
    arguments: [EngineConfiguration.ByebyePolicy.anyPart, .eachPart], 1...4)
  func books(policy: EngineConfiguration.ByebyePolicy, seed: Int) {
    var random = Seed(UInt64(seed)).stream("books")
    var rig = EngineRig {
      $0.byebyePolicy = policy
      $0.limits.entriesTotal = 60
      $0.limits.entriesPerSource = 40
      $0.limits.entriesPerDevice = 12
      $0.limits.parts = 4
      $0.limits.tombstones = 5
      $0.limits.idleParts = 3
    }
    let both = [
      InterfaceAddress(EngineRig.ours, prefixBits: 24), InterfaceAddress(IPAddress("fe80::2")!, prefixBits: 64),
    ]
    let targets = ["upnp:rootdevice", "uuid:x", "urn:x:device:A:1", "urn:x:service:B:1", "hnap:C"]
    var clock = 0.0
    for step in 0..<1_500 {
      clock += Double(random.below(400)) / 1_000
      let uuid = "d\(random.below(12))"
      let target = targets[Int(random.below(5))]
      let location = "http://192.168.1.20/\(random.below(4))"
      let boot = random.below(3) == 0 ? nil : Int(random.below(12) / 11) + step / 300
      let interface = UInt16(random.below(2))
      let source =
        random.below(4) == 0 ? IPAddress("fe80::\(1 + random.below(3))")! : address(Int(20 + random.below(3)))
      switch random.below(20) {
      case 0: _ = rig.bring(interface, random.below(2) == 0 ? [] : both, at: clock)
      case 1: _ = rig.command(.hold(device: "uuid:\(uuid)"), at: clock)
      case 2, 3: _ = rig.command(.release(device: "uuid:\(uuid)"), at: clock)
      case 4: _ = rig.hear(byebye(uuid, target, boot: boot), from: source, on: interface, at: clock)
      case 5:
        _ = rig.hear(
          update(uuid, target, boot: step / 300, next: step / 300 + 1), from: source, on: interface, at: clock)
      default:
        let text = alive(
          uuid, target, location: location, maxAge: "\(random.below(30))", boot: boot, config: Int(random.below(3)))
        _ = rig.hear(text, from: source, on: interface, at: clock)
      }
      if step % 3 == 0 {
        let broken = rig.engine.brokenInvariants
        expectEqual(broken, [], "after step \(step)")
        if !broken.isEmpty { return }
      }
    }
    #expect(rig.engine.counters.devicesEver > 50)
    _ = rig.run(until: clock + 100)
    expectEqual(rig.engine.counters.openLeases, 0)
    expectEqual(rig.engine.brokenInvariants, [])
  }
}
