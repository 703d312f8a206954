import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// What is remembered of parts and devices that say nothing for a while, how long, and how much of it.
@Suite("Remembered parts and devices") struct RememberedPartTests {
  private let v6 = IPAddress("fe80::20")!
  private let v6Location = "http://[fe80::20]/d.xml"
  private let second = "http://192.168.1.20:81/d.xml"

  private func plain(_ name: String, boot: Int? = nil) -> String {
    alive(name, "uuid:\(name)", location: nil, boot: boot)
  }

  // MARK: Parts

  @Test("a part that a byebye on one path left without a message stays a part on the other, unless too many are known")
  func afterByebye() {
    for (limit, told) in [(1, []), (0, [found("part", nil, from: v6)])] as [(Int, [Effect])] {
      var rig = EngineRig { $0.limits.idleParts = limit }
      _ = rig.hear(alive(), at: 0)
      _ = rig.hear(alive(location: v6Location), from: v6, at: 0)
      expectEqual(rig.hear(alive("part", "uuid:part"), at: 0), [])
      expectEqual(rig.hear(byebye(), at: 1), [changed(seen("tv", v6Location, from: v6), .location(from: tvLocation))])
      expectEqual(rig.engine.brokenInvariants, [])
      expectEqual(rig.hear(plain("part"), from: v6, at: 1.5), told, "\(limit)")
      expectEqual(rig.engine.counters.devicesPresent, 2 - limit)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("a part of a device that boots anew stays a part though it says no LOCATION, unless too many are known")
  func afterReboot() {
    for (limit, told) in [(1, []), (0, [found("part", nil, boot: 8)])] as [(Int, [Effect])] {
      var rig = EngineRig { $0.limits.idleParts = limit }
      _ = rig.hear(alive(boot: 7), at: 0)
      expectEqual(rig.hear(alive("part", "uuid:part", boot: 7), at: 0), [])
      expectEqual(rig.hear(alive(boot: 8), at: 5), [lost("tv", .rebooted), found(boot: 8)])
      expectEqual(rig.engine.brokenInvariants, [])
      expectEqual(rig.hear(plain("part", boot: 8), at: 6), told, "\(limit)")
      expectEqual(rig.engine.counters.devicesPresent, 2 - limit)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("a part that says nothing makes room for another where the device is full, and only there (D71)")
  func makesRoom() {
    for (limit, told) in [(3, []), (2, [found("p1", nil, boot: 8)])] as [(Int, [Effect])] {
      var rig = EngineRig { $0.limits.parts = limit }
      _ = rig.hear(alive(boot: 7), at: 0)
      expectEqual(rig.hear(alive("p1", "uuid:p1", boot: 7), at: 0), [])
      expectEqual(rig.hear(alive(boot: 8), at: 5).count, 2)
      expectEqual(rig.hear(alive("p2", "uuid:p2", boot: 8), at: 6), [], "\(limit)")
      expectEqual(rig.hear(plain("p1", boot: 8), at: 7), told, "\(limit)")
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("a part whose messages expired is none any more: it stands for itself where the root is not")
  func afterExpiry() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(alive("part", "uuid:part", maxAge: "5"), at: 0), [])
    expectEqual(rig.hear(alive(location: second), at: 1), [changed(seen("tv", second), .location(from: tvLocation))])
    expectEqual(rig.run(until: 5), [])
    expectEqual(rig.hear(alive("part", "uuid:part"), at: 6), [found("part")])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("a root that takes in what it hears at that moment was heard at that moment")
  func unionIsHeard() {
    var rig = EngineRig { $0.limits.entriesTotal = 3 }
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("part", "uuid:part", location: second), at: 1)
    _ = rig.hear(plain("x"), at: 2)
    let told = rig.hear(alive("part", "uuid:part"), at: 3)
    expectEqual(
      told,
      [
        changed(seen("part"), .location(from: second)), changed(seen(), .united(part: "uuid:part")),
      ])
    expectEqual(rig.hear(plain("y"), at: 4), [lost("x", .evicted), found("y", nil)])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  // MARK: Devices that said byebye

  @Test("a device and its parts are remembered for a second after the byebye, and strangers at its very end")
  func endOfTombstone() {
    let (late, part) = (alive("TV"), alive("part", "uuid:part"))
    for (moment, isLate) in [(10.999, true), (11, false)] {
      for text in [late, part] {
        var rig = EngineRig()
        _ = rig.hear(alive(), at: 0)
        _ = rig.hear(part, at: 0)
        expectEqual(rig.hear(byebye(), at: 10), [lost("tv", .byebye)])
        let name = text == late ? "TV" : "part"
        let told = isLate ? rejected(.staleAfterByebye, text) : found(name)
        expectEqual(rig.hear(text, at: moment), [told], "\(name) \(moment)")
        expectEqual(rig.engine.brokenInvariants, [])
      }
    }
  }

  @Test("where one device may be remembered after its byebye the last one is")
  func oneTombstone() {
    var rig = EngineRig { $0.limits.tombstones = 1 }
    for name in ["a", "b"] { _ = rig.hear(plain(name), at: 0) }
    for name in ["a", "b"] { expectEqual(rig.hear(byebye(name, "uuid:\(name)"), at: 10), [lost(name, .byebye)]) }
    expectEqual(rig.hear(plain("b"), at: 10.5), [rejected(.staleAfterByebye, plain("b"))])
    expectEqual(rig.hear(plain("a"), at: 10.5), [found("a", nil)])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("of a device that said byebye neither SEARCHPORT nor LOCATION is kept")
  func forgotten() {
    var rig = EngineRig()
    _ = rig.hear(alive(extra: "SEARCHPORT.UPNP.ORG: 50000"), at: 0)
    expectEqual(rig.hear(byebye(), at: 10), [lost("tv", .byebye)])
    expectEqual(rig.engine.brokenInvariants, [])
    let host = Endpoint(EngineRig.tv, port: 0)
    _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all", broadcasts: 1, host: host)), at: 10.25)
    expectEqual(rig.sent.map(\.destination), ["192.168.1.20:1900"])
    // A root at that LOCATION finds nobody there whom it could take in.
    expectEqual(rig.hear(alive("other", location: tvLocation), at: 10.5), [found("other")])
    expectEqual(rig.engine.counters.devicesPresent, 1)
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("without a tombstone nothing is known of a device once it said byebye")
  func noTombstone() {
    for length in [Interval.zero, .seconds(1)] {
      var rig = EngineRig { $0.tombstone = length }
      _ = rig.hear(alive(), at: 0)
      expectEqual(rig.hear(byebye(), at: 10), [lost("tv", .byebye)])
      let standing = rig.engine.standing(
        usn: Array("uuid:tv::upnp:rootdevice".utf8), target: Array("upnp:rootdevice".utf8), .v4, on: InterfaceID(0))
      expectEqual(standing.device, (length == .zero ? nil : "uuid:tv"))
      #expect(!standing.isPresent)
    }
  }

  @Test("an engine may be stopped right after a byebye")
  func stop() {
    var rig = EngineRig()
    for name in ["a", "b", "c"] { _ = rig.hear(plain(name), at: 0) }
    for name in ["a", "b"] { expectEqual(rig.hear(byebye(name, "uuid:\(name)"), at: 10), [lost(name, .byebye)]) }
    expectEqual(rig.command(.stop, at: 10.5), [lost("c", .stopped), .leave(.ssdp(.v4), InterfaceID(0))])
    expectEqual(rig.engine.counters.openLeases, 0)
    expectEqual(rig.engine.brokenInvariants, [])
  }

  // MARK: What was announced

  @Test("a message that an answer made known and that is announced later was announced: no other byebye revokes it")
  func announced() {
    let socket = Endpoint(EngineRig.ours, port: 50_000)
    let byService = byebye("tv", "urn:x:service:Y:1")
    for isAnnounced in [true, false] {
      var rig = EngineRig()
      _ = rig.command(.adopt(Search(id: SearchID(1), target: "ssdp:all"), copyAt: socket), at: 0)
      expectEqual(rig.hear(response(), to: socket, at: 0.5).first, found())
      if isAnnounced { expectEqual(rig.hear(alive(maxAge: "60"), at: 1), []) }
      expectEqual(rig.hear(response(), to: socket, at: 1.5), [])
      expectEqual(rig.hear(byService, at: 2), (isAnnounced ? [] : [lost("tv", .byebye)]))
      expectEqual(rig.hear(byebye(), at: 3), (isAnnounced ? [lost("tv", .byebye)] : []))
    }
  }
}
