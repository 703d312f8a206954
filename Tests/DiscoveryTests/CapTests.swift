import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// Each table just full and one beyond: what is refused, who goes, and what is left as it was.
@Suite("Caps") struct CapTests {
  private func address(_ number: Int) -> IPAddress { IPAddress(192, 168, 1, UInt8(number)) }

  /// A root without a LOCATION.
  private func plain(_ name: String, _ target: String = "upnp:rootdevice", boot: Int? = nil) -> String {
    alive(name, target, location: nil, boot: boot)
  }

  // MARK: Interfaces

  @Test("sixty-four interfaces are taken, one more is not there; those that are go down and come up as ever")
  func interfaces() {
    var rig = EngineRig()
    func addresses(_ number: Int) -> [InterfaceAddress] {
      [InterfaceAddress(IPAddress(10, UInt8(number), 0, 2), prefixBits: 16)]
    }
    for number in 1...64 {
      let joins: [Effect] = number == 64 ? [] : [.join(.ssdp(.v4), InterfaceID(UInt16(number)))]
      expectEqual(rig.bring(UInt16(number), addresses(number), at: 0), joins, "\(number)")
    }
    let (last, text) = ("http://10.63.0.9/d.xml", plain("beyond"))
    expectEqual(
      rig.hear(alive(location: last), from: IPAddress(10, 63, 0, 9), on: 63, at: 1),
      [found("tv", last, from: IPAddress(10, 63, 0, 9), on: 63)])
    expectEqual(
      rig.hear(text, from: IPAddress(10, 64, 0, 9), on: 64, at: 1), [rejected(.wrongInterface, text, at: nil)])
    _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all", broadcasts: 1)), at: 1)
    expectEqual(rig.sent.map(\.interface), Array(0...63))
    expectEqual(rig.bring(63, [], at: 2), [lost("tv", .interface)])
    expectEqual(rig.bring(63, addresses(63), at: 2), [.join(.ssdp(.v4), InterfaceID(63))])
  }

  // MARK: Leases

  @Test("a lease that moves to another address gives up its place at the first and needs one at the second")
  func movedLease() {
    var rig = EngineRig { $0.limits.entriesPerSource = 1 }
    let (x, y, text) = (plain("x"), plain("y"), alive(maxAge: "100"))
    expectEqual(rig.hear(text, at: 0), [found()])
    expectEqual(rig.hear(x, at: 1), [rejected(.overSource, x)])
    expectEqual(
      rig.hear(text, from: address(30), at: 2), [changed(seen(from: address(30)), .address(from: EngineRig.tv))])
    expectEqual(rig.hear(x, at: 3), [found("x", nil)])
    expectEqual(rig.hear(y, from: address(30), at: 3), [rejected(.overSource, y)])
    // What is refused renews nothing.
    expectEqual(rig.hear(text, at: 4), [rejected(.overSource, text)])
    expectEqual(rig.engine.brokenInvariants, [])
    expectEqual(rig.run(until: 200), [Timed(at(102), lost("tv", .expired))])
    expectEqual(rig.hear(y, from: address(30), at: 201), [found("y", nil, from: address(30))])
  }

  @Test("a message that is beyond several limits is beyond that of its device, then of its address, then of all")
  func whichLimit() {
    var rig = EngineRig {
      $0.limits.entriesPerDevice = 1
      $0.limits.entriesPerSource = 1
      $0.limits.entriesTotal = 1
    }
    let (more, part, other, there) = (plain("tv", "uuid:tv"), plain("part"), plain("other"), address(30))
    _ = rig.hear(plain("tv"), at: 0)
    expectEqual(rig.hear(more, at: 0), [rejected(.overDevice, more)])
    expectEqual(rig.hear(part, at: 0), [rejected(.overSource, part)])
    expectEqual(rig.hear(other, from: there, at: 0), [lost("tv", .evicted), found("other", nil, from: there)])
    expectEqual(rig.engine.counters.rejections.map(\.reason), [.overSource, .overDevice])
    #expect(rig.engine.counters.openLeases == 1 && rig.engine.counters.openLeasesPeak == 1)
  }

  @Test("a device that fills its address alone may begin a new boot there; one that has nothing there may not")
  func rebootAtFullAddress() {
    for (isOwn, limit) in [(true, 2), (false, 1)] {
      var rig = EngineRig { $0.limits.entriesPerSource = limit }
      _ = rig.hear(plain("tv", boot: 1), from: isOwn ? EngineRig.tv : address(30), at: 0)
      if isOwn { _ = rig.hear(plain("tv", "uuid:tv", boot: 1), at: 0) } else { _ = rig.hear(plain("x"), at: 0) }
      let text = plain("tv", boot: 2)
      expectEqual(
        rig.hear(text, at: 1),
        (isOwn ? [lost("tv", .rebooted), found("tv", nil, boot: 2)] : [rejected(.overSource, text)]))
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("a part for which its device has no room is forgotten at once")
  func partWithoutRoom() {
    var rig = EngineRig { $0.limits.entriesPerDevice = 1 }
    _ = rig.hear(alive(), at: 0)
    let part = alive("part", "uuid:part")
    expectEqual(rig.hear(part, at: 0), [rejected(.overDevice, part)])
    expectEqual(rig.engine.brokenInvariants, [])
    expectEqual(rig.hear(byebye(), at: 1), [lost("tv", .byebye)])
    expectEqual(rig.hear(part, at: 1), [found("part")])
  }

  @Test("a device is not evicted for a lease of its own, but may be evicted next; an evicted device may come back")
  func victims() {
    var rig = EngineRig { $0.limits.entriesTotal = 3 }
    for (time, name) in ["a", "b", "c"].enumerated() { _ = rig.hear(plain(name), at: Double(time)) }
    expectEqual(rig.hear(plain("a", "uuid:a"), at: 3), [lost("b", .evicted)])
    expectEqual(rig.hear(plain("d"), at: 4), [lost("c", .evicted), found("d", nil)])
    // Both leases of the first go, so that one more fits.
    expectEqual(rig.hear(plain("e"), at: 5), [lost("a", .evicted), found("e", nil)])
    expectEqual(rig.hear(plain("f"), at: 6), [found("f", nil)])
    expectEqual(rig.hear(plain("a"), at: 6), [lost("d", .evicted), found("a", nil)])
    expectEqual(rig.engine.counters.evictions, 4)
  }

  @Test("a root that took in what was heard lately was heard lately")
  func unionIsHeard() {
    var rig = EngineRig { $0.limits.entriesTotal = 4 }
    expectEqual(rig.hear(alive("p", "uuid:p", location: "http://192.168.1.20:81/d.xml"), at: 0).count, 1)
    _ = rig.hear(alive(), at: 1)
    _ = rig.hear(plain("x"), at: 2)
    expectEqual(rig.hear(alive("p", "urn:x:service:Y:1"), at: 3), [changed(seen(), .united(part: "uuid:p"))])
    expectEqual(rig.hear(plain("y"), at: 4), [lost("x", .evicted), found("y", nil)])
  }

  // MARK: Parts

  @Test("a root takes in as many as it may have parts, the newest first, and the others stay what they are")
  func parts() {
    for limit in [1, 2, 3] {
      var rig = EngineRig { $0.limits.parts = limit }
      for name in ["p1", "p2"] { expectEqual(rig.hear(alive(name, "uuid:\(name)"), at: 0), [found(name)]) }
      let united = ["uuid:p2", "uuid:p1"].prefix(limit - 1).map { changed(seen(), .united(part: $0)) }
      expectEqual(rig.hear(alive(), at: 1), [found()] + united)
      expectEqual(rig.engine.counters.devicesPresent, 4 - limit)
      expectEqual(rig.engine.brokenInvariants, [])
      expectEqual(rig.hear(byebye("p2", "uuid:p2"), at: 2), [lost(limit == 1 ? "p2" : "tv", .byebye)])
      expectEqual(rig.engine.counters.devicesPresent, 3 - limit)
    }
  }

  // MARK: Holding

  /// An engine with room for one more lease than `held` sets up, and a device that nobody held after it.
  private func outcome(total: Int, _ setUp: (inout EngineRig) -> Void) -> [Effect] {
    var rig = EngineRig { $0.limits.entriesTotal = total }
    setUp(&rig)
    expectEqual(rig.engine.brokenInvariants, [])
    return rig.hear(plain("new"), from: address(66), at: 20)
  }

  @Test("a device is held by the name of any part, over a reboot and a union, until it is released or lost")
  func holding() {
    let new = plain("new")
    let isKept: [Effect] = [rejected(.overTotal, new)]
    let isEvicted: [Effect] = [lost("tv", .evicted), found("new", nil, from: address(66))]
    let tv = Command.hold(device: "uuid:tv")

    let byPart = outcome(total: 2) { rig in
      _ = rig.hear(alive(), at: 0)
      _ = rig.hear(alive("part", "uuid:part"), at: 0)
      _ = rig.command(.hold(device: "uuid:part"), at: 1)
    }
    expectEqual(byPart, isKept)
    let byUnion = outcome(total: 2) { rig in
      _ = rig.hear(alive("part", "uuid:part"), at: 0)
      _ = rig.command(.hold(device: "uuid:part"), at: 1)
      _ = rig.hear(alive(), at: 2)
    }
    expectEqual(byUnion, isKept)
    let overReboot = outcome(total: 1) { rig in
      _ = rig.hear(alive(boot: 7), at: 0)
      _ = rig.command(tv, at: 1)
      _ = rig.hear(alive(boot: 8), at: 2)
    }
    expectEqual(overReboot, isKept)
    let released = outcome(total: 1) { rig in
      _ = rig.hear(alive(), at: 0)
      for command in [tv, tv, .release(device: "uuid:TV::upnp:rootdevice")] { _ = rig.command(command, at: 1) }
    }
    expectEqual(released, isEvicted)
    let afterByebye = outcome(total: 1) { rig in
      _ = rig.hear(alive(boot: 7), at: 0)
      _ = rig.command(tv, at: 1)
      _ = rig.hear(byebye(boot: 7), at: 2)
      _ = rig.command(tv, at: 2.25)
      _ = rig.hear(alive(boot: 8), at: 2.5)
    }
    expectEqual(afterByebye, isEvicted)
    let nobody = outcome(total: 1) { rig in
      _ = rig.hear(alive(), at: 0)
      for name in ["tv", "uuid:", "uuid:tv2", "", "uuid:t"] { _ = rig.command(.hold(device: name), at: 1) }
    }
    expectEqual(nobody, isEvicted)

    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "10"), at: 0)
    _ = rig.command(tv, at: 1)
    expectEqual(rig.run(until: 100), [Timed(at(10), lost("tv", .expired))])
  }

  // MARK: Tombstones

  @Test("without tombstones, by their number or by their length, nothing that comes after a byebye is late")
  func noTombstones() {
    for isNumber in [true, false] {
      var rig = EngineRig { if isNumber { $0.limits.tombstones = 0 } else { $0.tombstone = .zero } }
      _ = rig.hear(alive(boot: 7), at: 0)
      expectEqual(rig.hear(byebye(boot: 7), at: 5), [lost("tv", .byebye)])
      expectEqual(rig.hear(alive(boot: 7), at: 5), [found(boot: 7)])
      expectEqual(rig.hear(alive(boot: 8), at: 6), [lost("tv", .rebooted), found(boot: 8)])
      let late = alive(boot: 7)
      let told = isNumber ? [rejected(.staleBootID, late)] : [lost("tv", .rebooted), found(boot: 7)]
      expectEqual(rig.hear(late, at: 6), told)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("of hundreds of devices that said byebye each is remembered for its own second")
  func manyTombstones() {
    var rig = EngineRig()
    for number in 0..<600 { _ = rig.hear(plain("d\(number)"), at: 0) }
    for number in 0..<600 { _ = rig.hear(byebye("d\(number)"), at: 1 + Double(number) / 1_000) }
    expectEqual(rig.engine.counters.devicesPresent, 0)
    for number in [399, 400, 401, 402, 511, 512, 598, 599] {
      let late = plain("d\(number)")
      let told = number > 400 ? [rejected(.staleAfterByebye, late)] : [found("d\(number)", nil)]
      expectEqual(rig.hear(late, at: 2.4), told, "\(number)")
    }
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("a device that came back and left anew is remembered from its second byebye on")
  func leftAnew() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    expectEqual(rig.hear(byebye(boot: 7), at: 10), [lost("tv", .byebye)])
    expectEqual(rig.hear(alive(boot: 8), at: 10.25), [found(boot: 8)])
    expectEqual(rig.hear(byebye(boot: 8), at: 10.5), [lost("tv", .byebye)])
    let late = alive(boot: 8)
    expectEqual(rig.hear(late, at: 11.25), [rejected(.staleAfterByebye, late)])
    expectEqual(rig.hear(late, at: 11.499), [rejected(.staleAfterByebye, late)])
    expectEqual(rig.hear(late, at: 11.5), [found(boot: 8)])
  }

  // MARK: Heard for the third time

  @Test("a message that is known by its bytes gets the lease of a new one: cut, by default, and counted")
  func recalled() {
    let cases: [(String?, Int, Int)] = [("100", 50, 0), ("50", 50, 0), ("49", 49, 0), (nil, 40, 5)]
    for (maxAge, seconds, guesses) in cases {
      var rig = EngineRig {
        $0.leaseMaximumSeconds = 50
        $0.leaseDefaultSeconds = 40
      }
      for time in 0..<5 {
        expectEqual(rig.hear(alive(maxAge: maxAge), at: Double(time)), (time == 0 ? [found()] : []))
      }
      expectEqual(rig.engine.counters.leasesByDefault, guesses)
      expectEqual(rig.engine.counters.messages(.notifyAlive), 5)
      expectEqual(rig.run(until: 200), [Timed(at(4 + Double(seconds)), lost("tv", .expired))])
    }
  }

  @Test("a message that is known by its bytes says anew where the device is to be searched")
  func recalledSearchPort() {
    var rig = EngineRig()
    let first = alive(extra: "SEARCHPORT.UPNP.ORG: 50000")
    for time in 0..<4 { _ = rig.hear(first, at: Double(time)) }
    _ = rig.hear(alive("tv", "uuid:tv", extra: "SEARCHPORT.UPNP.ORG: 50001"), at: 4)
    expectEqual(rig.hear(first, at: 5), [])
    _ = rig.command(
      .search(Search(id: SearchID(1), target: "ssdp:all", broadcasts: 1, host: Endpoint(EngineRig.tv, port: 0))), at: 6)
    expectEqual(rig.sent.map(\.destination), ["192.168.1.20:50000"])
  }
}
