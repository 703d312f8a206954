import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// BOOTID, CONFIGID and SEARCHPORT that are 0, from both sides, and what a device was before.
@Suite("Numbers that are 0") struct ZeroNumberTests {
  private let other = IPAddress(192, 168, 1, 30)
  private let service = "urn:x:service:Y:1"

  // MARK: BOOTID

  @Test("a reboot from BOOTID 0 and one to it are told, and messages of the boot before are late for a second")
  func reboots() {
    for (old, new) in [(0, 1), (1, 0), (7, 0)] {
      var rig = EngineRig()
      let late = alive(boot: old)
      expectEqual(rig.hear(late, at: 0), [found(boot: UInt32(old))])
      expectEqual(rig.hear(alive(boot: new), at: 5), [lost("tv", .rebooted), found(boot: UInt32(new))])
      expectEqual(rig.hear(late, at: 5.999), [rejected(.staleBootID, late)], "\(old) \(new)")
      expectEqual(rig.hear(late, at: 6), [lost("tv", .rebooted), found(boot: UInt32(old))], "\(old) \(new)")
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("after a byebye another BOOTID, 0 included, is another life, and all that it says is taken at once")
  func newLife() {
    for (old, new) in [(7, 0), (0, 7), (7, 8)] {
      var rig = EngineRig()
      let late = alive(boot: old)
      _ = rig.hear(late, at: 0)
      expectEqual(rig.hear(byebye(boot: old), at: 10), [lost("tv", .byebye)])
      expectEqual(rig.hear(alive(boot: new), at: 10.25), [found(boot: UInt32(new))])
      expectEqual(rig.hear(alive("tv", service, boot: new), at: 10.5), [], "\(old) \(new)")
      expectEqual(rig.hear(alive("tv", "uuid:tv"), at: 10.5), [], "\(old) \(new)")
      expectEqual(rig.hear(late, at: 10.75), [rejected(.staleBootID, late)], "\(old) \(new)")
      expectEqual(rig.engine.counters.openLeases, 3)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("BOOTID 0 is kept when another message has none, and a device that had none takes it")
  func kept() {
    for (first, second) in [(0, nil), (nil, 0), (0, 0)] as [(Int?, Int?)] {
      var rig = EngineRig()
      expectEqual(rig.hear(alive(boot: first), at: 0), [found(boot: first.map { UInt32($0) })])
      expectEqual(rig.hear(alive("tv", "uuid:tv", boot: second), at: 1), [])
      expectEqual(rig.hear(alive("tv", service), at: 1), [])
      expectEqual(rig.hear(alive(boot: 1), at: 2), [lost("tv", .rebooted), found(boot: 1)])
    }
  }

  @Test("an update has BOOTID 0 before it, after it or in it as it has any other")
  func updates() {
    let cases: [(Int, Int, Int, [Effect])] = [
      (0, 0, 1, [changed(seen(boot: 1), .bootID(from: 0))]), (7, 7, 0, [changed(seen(boot: 0), .bootID(from: 7))]),
      (0, 7, 9, [lost("tv", .rebooted), found(boot: 9)]), (7, 0, 9, [lost("tv", .rebooted), found(boot: 9)]),
      (7, 9, 0, [lost("tv", .rebooted), found(boot: 0)]),
    ]
    for (known, said, next, told) in cases {
      var rig = EngineRig()
      _ = rig.hear(alive(boot: known), at: 0)
      expectEqual(rig.hear(update(boot: said, next: next), at: 5), told, "\(known) \(said) \(next)")
      let late = alive(boot: known)
      expectEqual(rig.hear(late, at: 5.999), [rejected(.staleBootID, late)])
      expectEqual(rig.hear(alive(boot: next), at: 6), [])
    }
  }

  @Test("the same LOCATION from another address is no news under the same BOOTID, 0 included, and is under none")
  func secondAddress() {
    let news = [changed(seen(from: other), .address(from: EngineRig.tv))]
    for (boot, told) in [(0, []), (7, []), (nil, news)] as [(Int?, [Effect])] {
      var rig = EngineRig()
      _ = rig.hear(alive(boot: boot), at: 0)
      expectEqual(rig.hear(alive(boot: boot), from: other, at: 1), told)
    }
  }

  // MARK: CONFIGID

  @Test("CONFIGID 0 is told when it comes and when it goes, and for a second it is late like any other")
  func configID() {
    for (old, new) in [(0, 1), (1, 0)] {
      var rig = EngineRig()
      expectEqual(rig.hear(alive(config: old), at: 0), [found()])
      expectEqual(rig.hear(alive(config: new), at: 5), [changed(seen(), .configID(from: UInt32(old)))])
      expectEqual(rig.hear(alive(config: old), at: 5.999), [], "\(old)")
      expectEqual(rig.hear(alive(config: old), at: 6), [changed(seen(), .configID(from: UInt32(new)))], "\(old)")
    }
  }

  @Test("the CONFIGID of the boot before is forgotten: the first one that the new boot says is no change")
  func configOfNewBoot() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7, config: 1), at: 0)
    expectEqual(rig.hear(alive(boot: 8), at: 5), [lost("tv", .rebooted), found(boot: 8)])
    expectEqual(rig.hear(alive(boot: 8, config: 3), at: 6), [])
    expectEqual(rig.hear(alive(boot: 8, config: 4), at: 8), [changed(seen(boot: 8), .configID(from: 3))])
  }

  // MARK: SEARCHPORT

  @Test("SEARCHPORT 0 is none: whichever message says so, a search to the host goes to 1900 again")
  func searchPort() {
    let (port, zero) = ("SEARCHPORT.UPNP.ORG: 50000", "SEARCHPORT.UPNP.ORG: 0")
    let cases: [(String, String)] = [
      (alive(), "192.168.1.20:50000"), (alive("tv", "uuid:tv"), "192.168.1.20:50000"),
      (alive(extra: zero), "192.168.1.20:1900"), (alive("tv", "uuid:tv", extra: zero), "192.168.1.20:1900"),
    ]
    for (text, destination) in cases {
      var rig = EngineRig()
      _ = rig.hear(alive(extra: port), at: 0)
      _ = rig.hear(text, at: 1)
      let host = Endpoint(EngineRig.tv, port: 0)
      _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all", broadcasts: 1, host: host)), at: 2)
      expectEqual(rig.sent.map(\.destination), [destination], "\(text)")
    }
  }

  // MARK: The past

  @Test("what one device was before is no other's past, though the other comes right after it")
  func past() {
    var rig = EngineRig()
    _ = rig.hear(alive("a", location: nil, boot: 7), at: 0)
    _ = rig.hear(alive("a", location: nil, boot: 8), at: 1)
    expectEqual(rig.bring(0, [], at: 1.125), [lost("a", .interface)])
    _ = rig.bring(0, [InterfaceAddress(EngineRig.ours, prefixBits: 24)], at: 1.125)
    expectEqual(rig.hear(alive("b", location: nil, boot: 9, config: 1), at: 1.25), [found("b", nil, boot: 9)])
    let news = [changed(seen("b", nil, boot: 9), .configID(from: 1))]
    expectEqual(rig.hear(alive("b", location: nil, boot: 9, config: 2), at: 1.375), news)
    expectEqual(
      rig.hear(alive("b", location: nil, boot: 7), at: 1.5), [lost("b", .rebooted), found("b", nil, boot: 7)])
  }

  @Test("pasts take as much room as there are devices with one; a device that learns its BOOTID has none")
  func room() {
    var rig = EngineRig()
    _ = rig.hear(alive("a", location: nil), at: 0)
    expectEqual(rig.hear(alive("a", location: nil, boot: 7), at: 1), [])
    // Leases, devices, parts, pasts, UUIDs, targets, LOCATIONs, addresses.
    expectEqual(rig.engine.recordCounts, [1, 1, 1, 0, 1, 1, 0, 1])
    for round in 1...4 {
      let start = Double(round) * 10
      for name in ["a", "b"] { _ = rig.hear(alive(name, location: nil, boot: round), at: start) }
      for name in ["a", "b"] { _ = rig.hear(byebye(name, boot: round), at: start + 1) }
      expectEqual(rig.engine.recordCounts, [2, 2, 2, 2, 2, 1, 0, 1], "\(round)")
    }
  }
}
