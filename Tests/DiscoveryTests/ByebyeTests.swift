import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("byebye") struct ByebyeTests {
  let other = IPAddress(192, 168, 1, 66)

  @Test("one byebye of any part ends the device (UDA-1.2.3-CP-BYEBYE-ANY)")
  func anyPart() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("tv", "urn:x:service:Y:1"), at: 0)
    expectEqual(rig.hear(byebye("tv", "urn:x:service:Y:1"), at: 1), [lost("tv", .byebye)])
    expectEqual(rig.hear(byebye(), at: 1), [])
    expectEqual(rig.engine.counters.openLeases, 0)
  }

  @Test("by the other policy each byebye ends its own message, the last one the device")
  func eachPart() {
    var rig = EngineRig { $0.byebyePolicy = .eachPart }
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("tv", "urn:x:service:Y:1"), at: 0)
    expectEqual(rig.hear(byebye("tv", "urn:x:service:Y:1"), at: 1), [])
    expectEqual(rig.hear(byebye("tv", "urn:x:service:Z:1"), at: 1), [])
    expectEqual(rig.hear(byebye(), at: 1), [lost("tv", .byebye)])
  }

  @Test(
    "a byebye for an announced USN under another NT is no event: what it names was not announced (UDA-1.2.3-BB-PAIR)")
  func otherTarget() {
    for policy in [EngineConfiguration.ByebyePolicy.anyPart, .eachPart] {
      var rig = EngineRig { $0.byebyePolicy = policy }
      _ = rig.hear(alive("tv", "urn:x:service:Y:1"), at: 0)
      let text = alive(
        "tv", "upnp:rootdevice", usn: "uuid:tv::urn:x:service:Y:1", location: nil, maxAge: nil, nts: "ssdp:byebye")
      expectEqual(rig.hear(text, at: 1), [])
      expectEqual(rig.engine.counters.openLeases, 1)
      expectEqual(rig.hear(byebye("tv", "urn:x:service:Y:1"), at: 2), [lost("tv", .byebye)])
    }
    // Why NT counts: a stack that says byebye and alive in turn, all under the bare UUID, would end itself (D23, D54).
    var rig = EngineRig()
    func said(_ target: String, _ nts: String) -> String {
      alive(
        "tv", target, usn: "uuid:tv", location: nts == "ssdp:alive" ? tvLocation : nil,
        maxAge: nts == "ssdp:alive" ? "1800" : nil, nts: nts)
    }
    var told: [Effect] = []
    for (place, target) in ["upnp:rootdevice", "uuid:tv", "urn:x:service:Y:1"].enumerated() {
      told += rig.hear(said(target, "ssdp:byebye"), at: Double(place))
      told += rig.hear(said(target, "ssdp:alive"), at: Double(place) + 0.5)
    }
    expectEqual(told, [found()])
  }

  @Test("a byebye before any alive is no event (D54)")
  func before() {
    var rig = EngineRig()
    expectEqual(rig.hear(byebye(), at: 0), [])
    expectEqual(rig.hear(alive(), at: 0.1), [found()])
  }

  @Test("a byebye never renews, whatever it carries (D38)")
  func neverRenews() {
    var rig = EngineRig { $0.byebyePolicy = .eachPart }
    _ = rig.hear(alive(maxAge: "100"), at: 0)
    let text = byebye("tv", "urn:x:service:Y:1", extra: "CACHE-CONTROL: max-age=900\r\nLOCATION: \(tvLocation)")
    expectEqual(rig.hear(text, at: 50), [])
    expectEqual(rig.run(until: 2_000), [Timed(at(100), lost("tv", .expired))])
  }

  @Test("a byebye from an address that never announced the device is refused (D81)")
  func foreign() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    let text = byebye()
    expectEqual(rig.hear(text, from: other, at: 1), [rejected(.foreignByebye, text)])
    var open = EngineRig { $0.byebyeSource = .anyAddress }
    _ = open.hear(alive(), at: 0)
    expectEqual(open.hear(text, from: other, at: 1), [lost("tv", .byebye)])
  }

  @Test("either address of a device with two may say byebye")
  func twoAddresses() {
    for leaver in [EngineRig.tv, other] {
      var rig = EngineRig()
      _ = rig.hear(alive(), at: 0)
      _ = rig.hear(alive(), from: other, at: 1)
      expectEqual(rig.hear(byebye(), from: leaver, at: 2), [lost("tv", .byebye)])
    }
  }

  @Test("a device with two families that leaves says each of its byebyes from an address that it had (D81)")
  func twoFamilies() {
    let (v6, v6Location) = (IPAddress("fe80::20")!, "http://[fe80::20]/d.xml")
    let targets = ["upnp:rootdevice", "uuid:tv", "urn:x:service:Y:1"]
    for policy in [EngineConfiguration.ByebyePolicy.anyPart, .eachPart] {
      for isSixthFirst in [false, true] {
        var rig = EngineRig { $0.byebyePolicy = policy }
        let families = [(EngineRig.tv, tvLocation), (v6, v6Location)]
        for (source, location) in isSixthFirst ? families.reversed() : families {
          for target in targets { _ = rig.hear(alive("tv", target, location: location), from: source, at: 0) }
        }
        var told: [Effect] = []
        // Each of them twice, as some devices do.
        for target in targets + targets { told += rig.hear(byebye("tv", target), at: 1) }
        let moved = changed(seen("tv", v6Location, from: v6), .location(from: tvLocation))
        expectEqual(told, isSixthFirst ? [] : [moved], "\(policy), IPv6 first: \(isSixthFirst)")
        // Nobody else may say so, on either path.
        expectEqual(rig.hear(byebye(), from: other, at: 1), [rejected(.foreignByebye, byebye())])
        expectEqual(rig.hear(byebye(), from: IPAddress("fe80::66")!, at: 1), [rejected(.foreignByebye, byebye())])
        told = []
        for target in targets + targets { told += rig.hear(byebye("tv", target), from: v6, at: 1) }
        expectEqual(told, [lost("tv", .byebye)])
        expectEqual(rig.engine.brokenInvariants, [])
      }
    }
  }

  @Test("one that is back on the path under another address is ended from there alone")
  func backElsewhere() {
    var rig = EngineRig()
    let (v6, v6Location) = (IPAddress("fe80::20")!, "http://[fe80::20]/d.xml")
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive(location: v6Location), from: v6, at: 0)
    _ = rig.hear(byebye(), at: 1)
    _ = rig.hear(alive(location: "http://192.168.1.66/d.xml"), from: other, at: 5)
    expectEqual(rig.hear(byebye(), at: 6), [rejected(.foreignByebye, byebye())])
    expectEqual(rig.hear(byebye(), from: other, at: 7), [])
    expectEqual(rig.hear(byebye(), from: v6, at: 8), [lost("tv", .byebye)])
  }

  @Test("one device at an address leaves, its neighbour stays (D51)")
  func neighbour() {
    var rig = EngineRig()
    _ = rig.hear(alive("a", location: "http://192.168.1.20/a"), at: 0)
    _ = rig.hear(alive("b", location: "http://192.168.1.20/b"), at: 0)
    expectEqual(rig.hear(byebye("a"), at: 1), [lost("a", .byebye)])
    expectEqual(rig.engine.counters.devicesPresent, 1)
  }

  @Test("an alive or response that the byebye overtook is refused (D58, A5)")
  func tombstone() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    _ = rig.hear(byebye(boot: 7), at: 10)
    let (late, blind) = (alive(boot: 7), alive("tv", "urn:x:service:Y:1"))
    expectEqual(rig.hear(late, at: 10.5), [rejected(.staleAfterByebye, late)])
    expectEqual(rig.hear(blind, at: 10.999), [rejected(.staleAfterByebye, blind)])
    expectEqual(rig.hear(late, at: 11), [found(boot: 7)])
  }

  @Test(
    "a device that revokes its address is found at the next one at once, without BOOTID too (UDA-1-IPCHANGE-ANNOUNCE)")
  func movedInOrder() {
    for boot in [nil, 7] {
      var rig = EngineRig()
      let there = "http://192.168.1.66:80/d.xml"
      let bootID = boot.map { UInt32($0) }
      _ = rig.hear(alive(boot: boot), at: 0)
      expectEqual(rig.hear(byebye(boot: boot), at: 10), [lost("tv", .byebye)])
      let blind = alive("tv", "urn:x:service:Y:1", location: nil, boot: boot)
      expectEqual(rig.hear(blind, from: other, at: 10.1), [rejected(.staleAfterByebye, blind)])
      expectEqual(
        rig.hear(alive(location: there, boot: boot), from: other, at: 10.2),
        [found("tv", there, from: other, boot: bootID)])
      expectEqual(rig.hear(blind, from: other, at: 10.3), [])
      let late = alive(boot: boot)
      expectEqual(rig.hear(late, at: 10.4), [rejected(.staleAfterByebye, late)])
      expectEqual(rig.engine.counters.openLeases, 2)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("the echo of a dead device from a host that nobody knew is no return (D68)")
  func echo() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(byebye(), at: 10)
    let late = alive()
    expectEqual(rig.hear(late, from: other, at: 10.1), [rejected(.staleAfterByebye, late)])
  }

  @Test("stragglers of every address that a device had are refused")
  func stragglersOfAll() {
    var rig = EngineRig()
    let (fe80, six, second) = (IPAddress("fe80::20")!, "http://[fe80::20]/d.xml", "http://192.168.1.66:80/d.xml")
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive(location: second), from: other, at: 0.1)
    _ = rig.hear(alive(location: six), from: fe80, at: 0.2)
    _ = rig.hear(byebye(), at: 10)
    expectEqual(rig.hear(byebye(), from: fe80, at: 10), [lost("tv", .byebye)])
    for (location, source) in [(tvLocation, EngineRig.tv), (second, other), (six, fe80)] {
      let late = alive(location: location)
      expectEqual(rig.hear(late, from: source, at: 10.5), [rejected(.staleAfterByebye, late)])
    }
    expectEqual(rig.hear(alive(), at: 11), [found()])
  }

  @Test("another BOOTID is another life and comes in at once")
  func newLife() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    _ = rig.hear(byebye(boot: 8), at: 10)
    expectEqual(rig.hear(alive(boot: 8), at: 10.1), [found(boot: 8)])
    let late = alive(boot: 7)
    expectEqual(rig.hear(late, at: 10.2), [rejected(.staleBootID, late)])
    let gone = byebye(boot: 7)
    expectEqual(rig.hear(gone, at: 10.3), [rejected(.staleBootID, gone)])
  }

  @Test("a device that is back within ten seconds is found again (A2)")
  func quickReturn() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(byebye(), at: 10)
    expectEqual(rig.hear(alive(), at: 12), [found()])
    expectEqual(rig.hear(byebye(), at: 12.5), [lost("tv", .byebye)])
    expectEqual(rig.hear(alive(), at: 14), [found()])
  }

  @Test("a message from an address that the device never spoke from is no straggler: who moved is back at once (D59)")
  func moved() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(byebye(), at: 10)
    let late = alive()
    expectEqual(rig.hear(late, at: 10.1), [rejected(.staleAfterByebye, late)])
    let new = IPAddress(192, 168, 1, 21)
    let location = "http://192.168.1.21:80/d.xml"
    expectEqual(rig.hear(alive(location: location), from: new, at: 10.2), [found("tv", location, from: new)])
  }

  @Test("a stack that says byebye and alive in turn, message by message, when it starts is found and stays (D54)")
  func alternating() {
    var rig = EngineRig()
    let targets = ["upnp:rootdevice", "urn:x:device:Y:1", "urn:x:service:Z:1"]
    var effects: [Effect] = []
    for (number, target) in targets.enumerated() {
      effects += rig.hear(byebye("tv", target), at: Double(number) * 0.1)
      effects += rig.hear(alive("tv", target), at: Double(number) * 0.1 + 0.05)
    }
    expectEqual(effects, [found()])
    expectEqual(rig.hear(byebye("tv", targets[2]), at: 1), [lost("tv", .byebye)])
  }

  @Test("any byebye ends a device that is known by answers alone, since nobody heard what it announced")
  func knownByAnswers() {
    let root = "upnp:rootdevice"
    var rig = EngineRig()
    _ = rig.command(.search(Search(id: SearchID(1), target: root, broadcasts: 1)), at: 0)
    let socket = Endpoint(EngineRig.ours, port: 49_152)
    expectEqual(rig.hear(response("tv", root), to: socket, at: 0.5).first, found())
    expectEqual(rig.hear(byebye("tv", "urn:x:service:Y:1"), at: 1), [lost("tv", .byebye)])

    // One that announced anything revokes what it announced, message by message.
    var announced = EngineRig()
    _ = announced.command(.search(Search(id: SearchID(1), target: root, broadcasts: 1)), at: 0)
    _ = announced.hear(response("tv", root), to: socket, at: 0.5)
    _ = announced.hear(alive("tv", "urn:x:service:Z:1"), at: 0.6)
    expectEqual(announced.hear(byebye("tv", "urn:x:service:Y:1"), at: 1), [])
    expectEqual(announced.hear(byebye("tv", root), at: 1.1), [lost("tv", .byebye)])
  }

  @Test("byebye, alive, byebye at start are told in order (D55)")
  func burst() {
    var rig = EngineRig()
    expectEqual(rig.hear(byebye(), at: 0), [])
    expectEqual(rig.hear(alive(), at: 20), [found()])
    expectEqual(rig.hear(byebye(), at: 63), [lost("tv", .byebye)])
  }

  @Test("tombstones are bounded, the oldest goes first")
  func bounded() {
    var rig = EngineRig { $0.limits.tombstones = 2 }
    for name in ["a", "b", "c"] { _ = rig.hear(alive(name, location: nil), at: 0) }
    for name in ["a", "b", "c"] { _ = rig.hear(byebye(name), at: 1) }
    expectEqual(rig.hear(alive("a", location: nil), at: 1.1), [found("a", nil)])
    let late = alive("b", location: nil)
    expectEqual(rig.hear(late, at: 1.1), [rejected(.staleAfterByebye, late)])
  }

  @Test("a byebye over IPv6 does not end presence over IPv4 (H-DUAL-STACK)")
  func families() {
    var rig = EngineRig()
    let fe80 = IPAddress("fe80::20")!
    _ = rig.hear(alive(location: "http://[fe80::20]/d.xml"), from: fe80, at: 0)
    _ = rig.hear(alive(), at: 0)
    expectEqual(
      rig.hear(byebye(), from: fe80, at: 1), [changed(seen(), .location(from: "http://[fe80::20]/d.xml"))])
    let late = alive(location: "http://[fe80::20]/d.xml")
    expectEqual(rig.hear(late, from: fe80, at: 1.5), [rejected(.staleAfterByebye, late)])
    expectEqual(rig.hear(alive(), at: 1.5), [])
    expectEqual(rig.hear(byebye(), at: 2), [lost("tv", .byebye)])
  }
}
