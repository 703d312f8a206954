import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Planted faults bite what they are about, as hard as they say, and nothing beside it.
@Suite("The reach of planted faults") struct FaultReachTests {
  private let other = IPAddress(192, 168, 1, 30)
  private let ten = IPAddress(10, 0, 0, 20)
  private let second = "http://192.168.1.20:81/d.xml"
  private let service = "urn:x:service:Y:1"

  @Test("quickReturnIgnored refuses a device for ten seconds after its byebye, and takes it at their end")
  func quickReturn() {
    let text = alive(boot: 7)
    for (moment, told) in [(10.999, rejected(.staleAfterByebye, text)), (11, found(boot: 7))] as [(Double, Effect)] {
      var rig = EngineRig([.quickReturnIgnored])
      _ = rig.hear(text, at: 0)
      expectEqual(rig.hear(byebye(boot: 7), at: 1), [lost("tv", .byebye)])
      expectEqual(rig.hear(text, at: moment), [told])
    }
  }

  @Test("byebyeEndsNeighbour ends every device that is at the address, and none at another")
  func neighbours() {
    var rig = EngineRig([.byebyeEndsNeighbour])
    for name in ["a", "b", "c"] { _ = rig.hear(alive(name, location: nil), at: 0) }
    _ = rig.hear(alive("far", location: nil), from: other, at: 0)
    expectEqual(rig.hear(byebye("b"), at: 1), [lost("b", .byebye), lost("a", .byebye), lost("c", .byebye)])
    expectEqual(rig.engine.counters.devicesPresent, 1)
    // A device that is gone is not lost once more.
    expectEqual(rig.hear(byebye("far"), from: other, at: 1.5), [lost("far", .byebye)])
    expectEqual(rig.engine.counters.devicesPresent, 0)
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("locationChangeIsLostFound tells both, in that order, and keeps what it knows")
  func lostFound() {
    var rig = EngineRig([.locationChangeIsLostFound])
    expectEqual(rig.hear(alive(), at: 0), [found()])
    expectEqual(rig.hear(alive(location: second), at: 1), [lost("tv", .expired), found("tv", second)])
    expectEqual(rig.hear(alive(location: second), at: 2), [])
    expectEqual(rig.engine.counters.openLeases, 1)
  }

  @Test("perInterfaceDedupMissing tells a device once on each interface, over both families together")
  func interfaces() {
    for first: UInt16 in [0, 1, 2] {
      var rig = EngineRig([.perInterfaceDedupMissing])
      for number: UInt16 in [1, 2] {
        _ = rig.bring(number, [InterfaceAddress(IPAddress(10, UInt8(number), 0, 2), prefixBits: 16)], at: 0)
      }
      let v6 = IPAddress("fe80::20")!
      expectEqual(rig.hear(alive(location: nil), on: first, at: 0), [found("tv", nil, on: first)])
      expectEqual(rig.hear(alive("tv", service, location: nil), on: first, at: 1), [], "\(first)")
      expectEqual(rig.hear(alive("tv", service, location: nil), from: v6, on: first, at: 2), [], "\(first)")
      for interface: UInt16 in [0, 1, 2] where interface != first {
        let text = alive("tv", service, location: nil)
        expectEqual(rig.hear(text, on: interface, at: 3), [found("tv", nil, on: first)], "\(first) \(interface)")
        expectEqual(rig.hear(alive(location: nil), on: interface, at: 4), [], "\(first) \(interface)")
      }
    }
  }

  @Test("familyEndsDevice loses a device with the family that it is told by, and with no other")
  func families() {
    let v6 = IPAddress("fe80::20")!
    var rig = EngineRig([.familyEndsDevice])
    expectEqual(rig.hear(alive(location: nil, maxAge: "60"), at: 0), [found("tv", nil)])
    expectEqual(rig.hear(alive(location: nil, maxAge: "10"), from: v6, at: 10), [])
    expectEqual(rig.run(until: 30), [])
    expectEqual(rig.hear(alive(location: nil, maxAge: "100"), from: v6, at: 30), [])
    expectEqual(rig.run(until: 200), [Timed(at(60), lost("tv", .expired))])
    expectEqual(rig.engine.counters.openLeases, 0)
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("rootByAddress keeps a device of several UUIDs together when a root takes it in")
  func union() {
    var rig = EngineRig([.rootByAddress])
    expectEqual(rig.hear(alive("root"), from: other, at: 0), [found("root", from: other)])
    expectEqual(rig.hear(alive("a", "uuid:a", location: second), at: 0), [found("a", second)])
    for name in ["b", "c"] { expectEqual(rig.hear(alive(name, "uuid:\(name)", location: nil), at: 0), []) }
    let told = changed(seen("root", from: other), .united(part: "uuid:a"))
    expectEqual(rig.hear(alive("a", service), at: 1), [told])
    expectEqual(rig.engine.counters.devicesPresent, 1)
    for name in ["c", "b"] { expectEqual(rig.hear(alive(name, service, location: nil), at: 2), []) }
    expectEqual(rig.hear(byebye("b", "uuid:b"), at: 3), [lost("root", .byebye)])
    expectEqual(rig.engine.counters.openLeases, 0)
    expectEqual(rig.engine.brokenInvariants, [])
  }
}
