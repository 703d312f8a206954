import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// BOOTID 0 is a number like any other, and a life that is over says nothing about the next.
@Suite("Boots, splits and lives that are over") struct BootAndSplitTests {
  private let other = IPAddress(192, 168, 1, 66)
  private let second = "http://192.168.1.20:81/d.xml"

  @Test("BOOTID 0 is late after another, and new after a byebye, as any other is", arguments: [0, 7])
  func bootIDZero(boot: Int) {
    let bootID = UInt32(boot)
    var rig = EngineRig()
    _ = rig.hear(alive(boot: boot), at: 0)
    expectEqual(rig.hear(alive(boot: 1), at: 5), [lost("tv", .rebooted), found(boot: 1)])
    let late = alive(boot: boot)
    expectEqual(rig.hear(late, at: 5.999), [rejected(.staleBootID, late)])
    expectEqual(rig.hear(byebye(boot: 1), at: 10), [lost("tv", .byebye)])
    expectEqual(rig.hear(late, at: 10.25), [found(boot: bootID)])
  }

  @Test("a part that announces itself as a root keeps what it said, unless both BOOTIDs are known and differ")
  func split() {
    // BOOTID of root and part, and of the part as a root; the one that is told then, and how many leases are left.
    let cases: [(Int?, Int?, UInt32?, Int)] = [
      (nil, nil, nil, 3), (nil, 8, 8, 3), (nil, 0, 0, 3), (7, nil, 7, 3), (0, nil, 0, 3), (7, 7, 7, 3), (0, 0, 0, 3),
      (7, 8, 8, 2), (7, 0, 0, 2), (0, 8, 8, 2),
    ]
    for (old, new, told, leases) in cases {
      var rig = EngineRig()
      _ = rig.hear(alive(boot: old), at: 0)
      expectEqual(rig.hear(alive("part", "uuid:part", boot: old), at: 0), [])
      let what = "\(String(describing: old)) \(String(describing: new))"
      expectEqual(rig.hear(alive("part", boot: new), at: 5), [found("part", boot: told)], "\(what)")
      expectEqual(rig.engine.counters.openLeases, leases, "\(what)")
      expectEqual(rig.engine.brokenInvariants, [], "\(what)")
      // The root goes on as it was.
      expectEqual(rig.hear(alive(boot: old), at: 6), [], "\(what)")
    }
  }

  @Test("a root that loses the part whose LOCATION was in force has its own LOCATION in force again, at once")
  func splitOfLocation() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(alive("part", "uuid:part"), at: 0), [])
    expectEqual(
      rig.hear(alive("part", "uuid:part", location: second), at: 1),
      [
        changed(seen("tv", second), .location(from: tvLocation))
      ])
    expectEqual(
      rig.hear(alive("part", location: second), at: 2),
      [
        changed(seen(), .location(from: second)), found("part", second),
      ])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("a device that came back under another BOOTID at another address may go back to the first one at once")
  func backAtFirstAddress() {
    let there = "http://192.168.1.66/d.xml"
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    expectEqual(rig.hear(byebye(boot: 7), at: 10), [lost("tv", .byebye)])
    expectEqual(
      rig.hear(alive(location: there, boot: 8), from: other, at: 10.25), [found("tv", there, from: other, boot: 8)])
    expectEqual(rig.hear(byebye(boot: 8), from: other, at: 10.5), [lost("tv", .byebye)])
    let late = alive(location: there, boot: 8)
    expectEqual(rig.hear(late, from: other, at: 10.75), [rejected(.staleAfterByebye, late)])
    expectEqual(rig.hear(alive(boot: 8), at: 10.75), [found(boot: 8)])
  }

  @Test("an address that a device left by a byebye of its own is new again when the second after that byebye is over")
  func addressLeftBefore() {
    let (six, text) = (IPAddress("fe80::20")!, alive(location: "http://[fe80::20]/d.xml"))
    for (moment, isOver) in [(1.5, false), (1.999, false), (2, true), (5, true)] {
      var rig = EngineRig()
      _ = rig.hear(alive(), at: 0)
      expectEqual(rig.hear(text, from: six, at: 0), [])
      expectEqual(rig.hear(byebye(), from: six, at: 1), [])
      expectEqual(rig.hear(byebye(), at: moment), [lost("tv", .byebye)])
      let told = isOver ? found("tv", "http://[fe80::20]/d.xml", from: six) : rejected(.staleAfterByebye, text)
      expectEqual(rig.hear(text, from: six, at: moment + 0.5), [told], "\(moment)")
    }
  }

  @Test("hundreds of devices that said byebye at once are all forgotten, and their parts with them")
  func forgotten() {
    var rig = EngineRig()
    func location(_ number: Int) -> String { "http://192.168.1.20/\(number)" }
    for number in 0..<600 {
      _ = rig.hear(alive("d\(number)", location: location(number)), at: 0)
      _ = rig.hear(alive("p\(number)", "uuid:p\(number)", location: location(number)), at: 0)
    }
    expectEqual(rig.engine.counters.devicesPresent, 600)
    for number in 0..<600 { _ = rig.hear(byebye("d\(number)"), at: 1) }
    // As long as a device is remembered, what its part says brings it back; then the part stands for itself.
    for number in 0..<600 {
      expectEqual(
        rig.hear(alive("p\(number)", "uuid:p\(number)", location: location(number)), at: 5),
        [found("p\(number)", location(number))])
    }
    expectEqual(rig.engine.brokenInvariants, [])
  }
}
