import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Roots and parts") struct UnionTests {
  @Test("a UUID without upnp:rootdevice that shares the root's LOCATION is a part, without a word")
  func part() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(), at: 0), [found()])
    expectEqual(rig.hear(alive("part", "uuid:part"), at: 0), [])
    expectEqual(rig.hear(byebye("part", "uuid:part"), at: 1), [lost("tv", .byebye)])
  }

  @Test("it stands for itself until the root is known, and the union is told")
  func union() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive("p1", "uuid:p1"), at: 0), [found("p1")])
    expectEqual(rig.hear(alive("p2", "uuid:p2"), at: 0), [found("p2")])
    expectEqual(
      rig.hear(alive(), at: 0),
      [
        found(), changed(seen(), .united(part: "uuid:p2")), changed(seen(), .united(part: "uuid:p1")),
      ])
    expectEqual(rig.engine.counters.devicesPresent, 1)
    expectEqual(rig.hear(alive("p1", "uuid:p1"), at: 1), [])
    expectEqual(rig.hear(byebye(), at: 2), [lost("tv", .byebye)])
    expectEqual(rig.engine.counters.openLeases, 0)
  }

  @Test("the root's own first message need not be upnp:rootdevice")
  func ownFirst() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive("tv", "uuid:tv"), at: 0), [found()])
    expectEqual(rig.hear(alive("p1", "uuid:p1"), at: 0), [found("p1")])
    expectEqual(rig.hear(alive(), at: 0), [changed(seen(), .united(part: "uuid:p1"))])
  }

  @Test("a part's valid message keeps the root")
  func partKeepsRoot() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "10"), at: 0)
    _ = rig.hear(alive("part", "uuid:part", maxAge: "30"), at: 0)
    expectEqual(rig.run(until: 100), [Timed(at(30), lost("tv", .expired))])
  }

  @Test("a root whose UUID is heard no more gives its parts to the root at its LOCATION, until it speaks again")
  func garbledRoot() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive("garbled", maxAge: "10"), at: 0), [found("garbled")])
    expectEqual(rig.hear(alive("part", "uuid:part"), at: 1), [])
    expectEqual(rig.hear(alive(), at: 2), [found()])
    expectEqual(rig.run(until: 20), [])
    expectEqual(rig.hear(alive(), at: 20), [changed(seen(), .united(part: "uuid:garbled"))])
    #expect(rig.engine.counters.devicesPresent == 1 && rig.engine.brokenInvariants == [])
    expectEqual(rig.hear(alive("garbled"), at: 30), [found("garbled")])
    expectEqual(rig.hear(byebye("part", "uuid:part"), at: 31), [lost("tv", .byebye)])
    #expect(rig.engine.counters.devicesPresent == 1 && rig.engine.brokenInvariants == [])
  }

  @Test("a manager is told that what a part announces is offered by the root that it is a part of now")
  func offers() {
    var setup = DiscoverySetup()
    setup.registrations = [.dial]
    setup.searches = false
    var rig = EngineRig { $0.manager = ManagerConfiguration(setup) }
    /// Who offers the service of each device, and the roots that it stands for.
    func devices() -> [[String]] { rig.engine.managedDevices.map { $0.state.services.map(\.owner) + $0.state.members } }
    _ = rig.hear(alive("garbled", maxAge: "10"), at: 0)
    _ = rig.hear(alive("part", ManagerRig.dial), at: 1)
    _ = rig.hear(alive(), at: 2)
    expectEqual(devices(), [["uuid:part", "uuid:garbled"]])
    _ = rig.run(until: 20)
    _ = rig.hear(alive(), at: 20)
    expectEqual(devices(), [["uuid:part", "uuid:tv"]])
    // A root of its own takes along what it announces.
    _ = rig.hear(alive("part"), at: 30)
    expectEqual(devices(), [["uuid:part", "uuid:part"]])
  }

  @Test("a root that is heard no more, and whose part shows a restart, has to say anew that it is a root")
  func garbledRootRestarts() {
    var rig = EngineRig()
    _ = rig.hear(alive("garbled", boot: 1), at: 0)
    expectEqual(rig.hear(alive("part", "uuid:part", boot: 1), at: 1), [])
    expectEqual(
      rig.hear(alive("part", "uuid:part", boot: 2), at: 2),
      [lost("garbled", .rebooted), found("garbled", boot: 2)])
    expectEqual(
      rig.hear(alive(boot: 2), at: 3), [found(boot: 2), changed(seen(boot: 2), .united(part: "uuid:garbled"))])
    #expect(rig.engine.counters.devicesPresent == 1 && rig.engine.brokenInvariants == [])
  }

  @Test("a root that is heard by any message of its UUID keeps its parts, also beside another root")
  func heardRoot() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive("first", maxAge: "10"), at: 0), [found("first")])
    expectEqual(rig.hear(alive("first", "uuid:first"), at: 0), [])
    expectEqual(rig.hear(alive("part", "uuid:part"), at: 1), [])
    expectEqual(rig.hear(alive(), at: 2), [found()])
    expectEqual(rig.run(until: 20), [])
    expectEqual(rig.hear(alive(), at: 20), [])
    #expect(rig.engine.counters.devicesPresent == 2 && rig.engine.brokenInvariants == [])
  }

  @Test("two roots at one LOCATION are two devices")
  func twoRoots() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive("a"), at: 0), [found("a")])
    expectEqual(rig.hear(alive("b"), at: 0), [found("b")])
    expectEqual(rig.hear(byebye("a"), at: 1), [lost("a", .byebye)])
    expectEqual(rig.engine.counters.devicesPresent, 1)
  }

  @Test("of two roots at one LOCATION the second has the parts from its next message on, when the first is gone")
  func secondRoot() {
    for isSame in [true, false] {
      var rig = EngineRig()
      for name in ["a", "b"] { _ = rig.hear(alive(name), at: 0) }
      expectEqual(rig.hear(byebye("a"), at: 1), [lost("a", .byebye)])
      expectEqual(rig.hear(alive("p", "uuid:p"), at: 2), [found("p")])
      // The same message once more, or with another lease.
      let again = isSame ? alive("b") : alive("b", maxAge: "60")
      expectEqual(rig.hear(again, at: 3), [changed(seen("b"), .united(part: "uuid:p"))])
      expectEqual(rig.hear(alive("q", "uuid:q"), at: 4), [])
      expectEqual(rig.hear(byebye("p", "uuid:p"), at: 5), [lost("b", .byebye)])
      #expect(rig.engine.counters.devicesPresent == 0 && rig.engine.brokenInvariants == [])
    }
  }

  @Test("a part that announces upnp:rootdevice is a root of its own")
  func split() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("part", "uuid:part"), at: 0)
    expectEqual(rig.hear(alive("part"), at: 1), [found("part")])
    expectEqual(rig.hear(byebye(), at: 2), [lost("tv", .byebye)])
    expectEqual(rig.hear(byebye("part"), at: 2), [lost("part", .byebye)])
  }

  @Test("a part that comes back as a root under another BOOTID is that root, and the one that it left did not reboot")
  func splitAtReboot() {
    var rig = EngineRig()
    let second = "http://192.168.1.20:81/d.xml"
    expectEqual(rig.hear(alive(boot: 7), at: 0), [found(boot: 7)])
    expectEqual(rig.hear(alive("part", "uuid:part", boot: 7), at: 0), [])
    expectEqual(rig.hear(alive("part", location: second, boot: 8), at: 5), [found("part", second, boot: 8)])
    expectEqual(rig.engine.brokenInvariants, [])
    expectEqual(rig.engine.counters.openLeases, 2)
    let late = alive("part", "uuid:part", boot: 7)
    expectEqual(rig.hear(late, at: 5.5), [rejected(.staleBootID, late)])
    expectEqual(rig.hear(alive(boot: 7), at: 6), [])
    expectEqual(rig.hear(byebye(boot: 7), at: 7), [lost("tv", .byebye)])
    expectEqual(rig.hear(byebye("part", boot: 8), at: 8), [lost("part", .byebye)])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("so it is right after the byebye of the root, which is not back by that")
  func splitAfterByebye() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    _ = rig.hear(alive("part", "uuid:part", boot: 7), at: 0)
    expectEqual(rig.hear(byebye(boot: 7), at: 10), [lost("tv", .byebye)])
    expectEqual(rig.hear(alive("part", boot: 8), at: 10.25), [found("part", boot: 8)])
    expectEqual(rig.engine.counters.devicesPresent, 1)
    expectEqual(rig.hear(alive(boot: 8), at: 10.5), [found(boot: 8)])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("a root that only its part kept is gone when the part comes back as a root of its own")
  func splitOfTheLast() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "10", boot: 7), at: 0)
    _ = rig.hear(alive("part", "uuid:part", boot: 7), at: 0)
    expectEqual(rig.hear(alive("part", boot: 8), at: 20), [lost("tv", .expired), found("part", boot: 8)])
    expectEqual(rig.engine.counters.openLeases, 1)
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("UUIDs without a LOCATION that could be fetched stay apart")
  func noLocation() {
    var rig = EngineRig()
    _ = rig.hear(alive("a", location: "*"), at: 0)
    expectEqual(rig.hear(alive("b", "uuid:b", location: "*"), at: 0), [found("b", nil)])
    var open = EngineRig { $0.locationPolicy = .off }
    _ = open.hear(alive("a", location: "*"), at: 0)
    expectEqual(open.hear(alive("b", "uuid:b", location: "*"), at: 0), [found("b", "*")])
  }

  @Test("a root that left a LOCATION gathers nobody there any more")
  func leftBehind() {
    var rig = EngineRig()
    let second = "http://192.168.1.20:81/d.xml"
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive(location: second), at: 1)
    expectEqual(rig.hear(alive("p", "uuid:p"), at: 2), [found("p")])
    expectEqual(
      rig.hear(alive("p", "uuid:p", location: second), at: 3),
      [
        changed(seen("p", second), .location(from: tvLocation)), changed(seen("tv", second), .united(part: "uuid:p")),
      ])
  }

  @Test("the parts of a device that said byebye are stragglers with it, unless too many are remembered")
  func idle() {
    let text = alive("part", "uuid:part")
    for (limit, answer) in [(1, rejected(.staleAfterByebye, text)), (0, found("part"))] {
      var rig = EngineRig { $0.limits.idleParts = limit }
      _ = rig.hear(alive(), at: 0)
      _ = rig.hear(text, at: 0)
      expectEqual(rig.hear(byebye(), at: 1), [lost("tv", .byebye)])
      expectEqual(rig.hear(text, at: 1.5), [answer])
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("the parts of a device are bounded; one without leases makes room (D71)")
  func bounded() {
    var rig = EngineRig { $0.limits.parts = 2 }
    _ = rig.hear(alive(maxAge: "1800"), at: 0)
    _ = rig.hear(alive("p1", "uuid:p1", maxAge: "5"), at: 0)
    let text = alive("p2", "uuid:p2")
    expectEqual(rig.hear(text, at: 1), [rejected(.overDevice, text)])
    expectEqual(rig.hear(text, at: 6), [])
    expectEqual(rig.engine.counters.devicesPresent, 1)
  }

  @Test("a root keeps its own BOOTID when a part joins it, 0 included, and takes the part's where it has none")
  func bootIDOfUnion() {
    for (own, other, boot) in [(0, nil, 0), (3, nil, 3), (nil, 7, 7), (nil, 0, 0), (nil, nil, nil)]
      as [(Int?, Int?, UInt32?)]
    {
      var rig = EngineRig()
      expectEqual(rig.hear(alive("part", "uuid:part", boot: other), at: 0).count, 1)
      let effects = rig.hear(alive(boot: own), at: 1)
      #expect(effects.contains(changed(seen(boot: boot), .united(part: "uuid:part"))), "\(effects)")
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }
}
