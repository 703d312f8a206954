import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What makes two messages one, and two LOCATIONs the same: names are compared to the last byte.
@Suite("Names of leases and LOCATIONs") struct LeaseNameTests {
  private let service = "urn:x:service:Y:1"

  // MARK: Messages

  @Test("one NT under USNs that differ in the case of a letter, or in what follows the UUID, is as many leases")
  func suffixes() {
    let names = [
      "uuid:tv::urn:x:service:Y:1", "uuid:tv::URN:x:service:Y:1", "uuid:tv::urn:x:service:y:1", "uuid:tv::", "uuid:tv",
      "uuid:tv::hnap:1",
    ]
    for isReversed in [false, true] {
      let order = isReversed ? Array(names.reversed()) : names
      var rig = EngineRig()
      for (place, name) in order.enumerated() {
        expectEqual(rig.hear(alive("tv", service, usn: name), at: 0), (place == 0 ? [found()] : []))
        expectEqual(rig.engine.counters.openLeases, place + 1, "\(name)")
        expectEqual(rig.hear(alive("tv", service, usn: name), at: 1), [])
        expectEqual(rig.engine.counters.openLeases, place + 1, "\(name) again")
      }
      for name in order { expectEqual(rig.hear(alive("tv", service, usn: name), at: 2), []) }
      expectEqual(rig.engine.counters.openLeases, 6)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("a USN with a capital letter in its type is found among the leases of other types as well")
  func suffixAmongOthers() {
    var rig = EngineRig()
    let capital = alive("tv", service, usn: "uuid:tv::URN:x:service:Y:1")
    for text in [alive("tv", service), alive(), alive("tv", "uuid:tv"), capital, alive(), capital] {
      _ = rig.hear(text, at: 0)
    }
    expectEqual(rig.engine.counters.openLeases, 4)
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("two leases whose hashes are the same number are two leases")
  func sameHash() {
    // With this seed (part 0, target 0, that target, path 0) and (part 0, target 0, target 1, path 0) have one hash.
    for seed: UInt64 in [3_070_878_973, 4_842_640_292, 0] {
      var rig = EngineRig { $0.hashSeed = seed }
      expectEqual(rig.hear(alive("tv", service, maxAge: "100"), at: 0), [found()])
      expectEqual(rig.hear(alive("tv", "hnap:1", maxAge: "10"), at: 0), [])
      expectEqual(rig.hear(alive("tv", service, usn: "uuid:tv::hnap:1", maxAge: "50"), at: 0), [])
      expectEqual(rig.engine.counters.openLeases, 3, "\(seed)")
      expectEqual(rig.engine.brokenInvariants, [])
      expectEqual(rig.run(until: 1_000), [Timed(at(100), lost("tv", .expired))])
    }
  }

  @Test("a target of as many bytes as upnp:rootdevice makes no root")
  func sameLength() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(), at: 0), [found()])
    expectEqual(rig.hear(alive("part", "hnap:NetworkCam"), at: 0), [])
    expectEqual(rig.hear(byebye("part", "hnap:NetworkCam"), at: 1), [lost("tv", .byebye)])
  }

  // MARK: LOCATIONs

  @Test("LOCATIONs that differ in the case of one letter are two, and a device may move from one to the other")
  func letterCase() {
    let (small, large) = ("http://192.168.1.20/d.xml", "http://192.168.1.20/D.xml")
    var rig = EngineRig()
    expectEqual(rig.hear(alive(location: small), at: 0), [found("tv", small)])
    expectEqual(rig.hear(alive("part", "uuid:part", location: large), at: 0), [found("part", large)])
    expectEqual(
      rig.hear(alive(location: large), at: 1),
      [
        changed(seen("tv", large), .location(from: small)), changed(seen("tv", large), .united(part: "uuid:part")),
      ])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("a LOCATION that is no URL joins nobody, though a URL had its place before it")
  func placeOfURL() {
    var rig = EngineRig { $0.locationPolicy = .off }
    _ = rig.hear(alive("a", maxAge: "5"), at: 0)
    expectEqual(rig.run(until: 5), [Timed(at(5), lost("a", .expired))])
    for name in ["b", "c"] {
      let target = name == "b" ? "upnp:rootdevice" : "uuid:c"
      expectEqual(rig.hear(alive(name, target, location: "*"), at: 6), [found(name, "*")])
    }
    expectEqual(rig.engine.recordCounts[6], 1)
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("a LOCATION that one sender may name is no other's to name, not even nobody's")
  func sender() {
    let near = "http://192.168.1.77/d.xml"
    let nobody = IPAddress(v4: 0)
    var rig = EngineRig()
    expectEqual(rig.hear(alive("a", location: near), at: 0), [found("a", near)])
    expectEqual(rig.hear(alive("b", location: near), from: nobody, at: 0), [found("b", nil, from: nobody)])
    expectEqual(rig.hear(alive("c", location: near), at: 0), [found("c", near)])
  }

  @Test("this machine may name itself by its loopback address, and nobody else may")
  func loopback() {
    let here = IPAddress(127, 0, 0, 1)
    let own = "http://127.0.0.1:80/d.xml"
    var rig = EngineRig(isUp: false)
    let lo = InterfaceAddress(here, prefixBits: 8)
    _ = rig.bring(0, [lo, InterfaceAddress(EngineRig.ours, prefixBits: 24)], at: 0)
    expectEqual(rig.hear(alive("a", location: own), from: here, at: 0), [found("a", own, from: here)])
    expectEqual(rig.hear(alive("b", location: own), at: 0), [found("b", nil)])
    expectEqual(rig.hear(alive("c", location: own), from: here, at: 0), [found("c", own, from: here)])
    // By a link no loopback address comes from this machine.
    rig = EngineRig()
    expectEqual(rig.hear(alive("a", location: own), from: here, at: 0), [found("a", nil, from: here)])
  }

  // MARK: Bytes that copies of an engine hear

  private func hear(_ text: String, _ engine: inout DiscoveryEngine, _ store: PayloadStore, at seconds: Double)
    -> [Effect]
  {
    let payload = store.store(Array(text.utf8))
    defer { store.release(payload) }
    var outbox = Outbox(payloads: store)
    let datagram = Datagram(
      source: Endpoint(EngineRig.tv, port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
      interface: InterfaceID(0), hopLimit: 2, payload: payload)
    engine.receive(.datagram(datagram), at: at(seconds), into: &outbox)
    return outbox.effects
  }

  @Test("what one copy of an engine notes of a message misleads no other that hears it, however many leases that has")
  func otherEngine() {
    let (store, text, fresh) = (PayloadStore(), alive(location: nil), DiscoveryEngine())
    var first = fresh
    expectEqual(hear(alive("x", location: nil), &first, store, at: 0), [found("x", nil)])
    // From the second time on the bytes are known, with the lease that they renew: the second one.
    for time in 0..<3 {
      expectEqual(hear(text, &first, store, at: Double(time)), (time == 0 ? [found("tv", nil)] : []))
    }
    for count in 0..<4 {
      var second = fresh
      for number in 0..<count {
        let name = "d\(number)"
        expectEqual(hear(alive(name, location: nil), &second, store, at: 3), [found(name, nil)])
      }
      expectEqual(hear(text, &second, store, at: 4), [found("tv", nil)], "\(count)")
      expectEqual(second.counters.openLeases, count + 1)
      expectEqual(second.brokenInvariants, [])
      // The first engine still knows it.
      expectEqual(hear(text, &first, store, at: 5), [])
    }
    expectEqual(first.counters.openLeases, 2)
    expectEqual(store.liveCount, 0)
  }
}
