import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("BOOTID and update") struct BootTests {
  @Test("a different BOOTID, higher or lower, is a reboot (UDA-1.2.4-BOOT-DIFF)", arguments: [8, 6])
  func reboot(next: Int) {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(boot: 7), at: 0), [found(boot: 7)])
    _ = rig.hear(alive("tv", "uuid:tv", boot: 7), at: 0)
    expectEqual(
      rig.hear(alive("tv", "uuid:tv", boot: next), at: 5), [lost("tv", .rebooted), found(boot: UInt32(next))])
    expectEqual(rig.engine.counters.openLeases, 1)
    expectEqual(rig.hear(alive(boot: next), at: 5), [])
  }

  @Test("leading zeros do not make another BOOTID (UDA-1.2.2-BOOT-ZEROS)")
  func zeros() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    expectEqual(rig.hear(alive(extra: "BOOTID.UPNP.ORG: 0007"), at: 5), [])
  }

  @Test("a late message of the boot before is refused for as long as a tombstone")
  func late() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    _ = rig.hear(alive(boot: 8), at: 5)
    let text = alive(boot: 7)
    expectEqual(rig.hear(text, at: 5.999), [rejected(.staleBootID, text)])
    expectEqual(rig.hear(text, at: 6), [lost("tv", .rebooted), found(boot: 7)])
  }

  @Test("a BOOTID that is missing is unknown, not changed (D42, D43)")
  func missing() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(), at: 0), [found()])
    expectEqual(rig.hear(alive(boot: 7), at: 1), [])
    expectEqual(rig.hear(alive("tv", "urn:x:service:Y:1"), at: 2), [])
    expectEqual(rig.hear(alive(boot: 8), at: 3), [lost("tv", .rebooted), found(boot: 8)])
  }

  @Test("a device and its parts stay known as one over a reboot, also if a part speaks first")
  func membership() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    _ = rig.hear(alive("part", "uuid:part", boot: 7), at: 0)
    expectEqual(rig.hear(alive("part", "uuid:part", boot: 8), at: 5), [lost("tv", .rebooted), found(boot: 8)])
    expectEqual(rig.hear(alive(boot: 8), at: 5), [])
  }

  @Test("the same BOOTID from another address is a device with two addresses (UDA-1.2-BOOT-MULTIHOME)")
  func multihomed() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    for turn in 1..<5 {
      expectEqual(rig.hear(alive(boot: 7), from: IPAddress(192, 168, 1, 30), at: Double(turn)), [])
      expectEqual(rig.hear(alive(boot: 7), at: Double(turn) + 0.5), [])
    }
  }

  @Test("a different BOOTID from another address is a device that moved")
  func movedAway() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    let (address, location) = (IPAddress(192, 168, 1, 30), "http://192.168.1.30/d.xml")
    expectEqual(
      rig.hear(alive(location: location, boot: 8), from: address, at: 1),
      [
        lost("tv", .rebooted), found("tv", location, from: address, boot: 8),
      ])
  }

  @Test("update records NEXTBOOTID and the device is present throughout (UDA-1.2.4-UPD-CP)")
  func announced() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    expectEqual(rig.hear(update(boot: 7, next: 8), at: 5), [changed(seen(boot: 8), .bootID(from: 7))])
    expectEqual(rig.hear(update("tv", "uuid:tv", boot: 7, next: 8), at: 5), [])
    expectEqual(rig.hear(alive(boot: 8), at: 6), [])
    expectEqual(rig.hear(alive(boot: 9), at: 9), [lost("tv", .rebooted), found(boot: 9)])
  }

  @Test("an alive that an update overtook is refused, and does not renew")
  func overtaken() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "100", boot: 7), at: 0)
    _ = rig.hear(update(boot: 7, next: 8), at: 5)
    let text = alive(maxAge: "100", boot: 7)
    expectEqual(rig.hear(text, at: 5.5), [rejected(.staleBootID, text)])
    expectEqual(rig.run(until: 1_000), [Timed(at(100), lost("tv", .expired))])
  }

  @Test("update makes no device and renews nothing")
  func updateAlone() {
    var rig = EngineRig()
    expectEqual(rig.hear(update(boot: 7, next: 8), at: 0), [])
    _ = rig.hear(alive(maxAge: "100", boot: 8), at: 1)
    _ = rig.hear(update(boot: 8, next: 9), at: 90)
    expectEqual(rig.run(until: 1_000), [Timed(at(101), lost("tv", .expired))])
  }

  @Test(
    "an update from an address that never announced the device is refused, and nothing is forgotten (D82, UDA-1.2.4-UPD-WHEN)"
  )
  func foreignUpdate() {
    let stranger = IPAddress(192, 168, 1, 66)
    let forged = update(boot: 7, next: 4_711)
    for announcer in [alive(boot: 7), alive()] {
      var rig = EngineRig()
      _ = rig.hear(announcer, at: 0)
      expectEqual(rig.hear(forged, from: stranger, at: 5), [rejected(.foreignUpdate, forged)])
      expectEqual(rig.hear(alive(boot: 7), at: 5.5), [])
      expectEqual(rig.hear(alive(boot: 7), at: 50), [])
    }
    var open = EngineRig { $0.updateSource = .anyAddress }
    _ = open.hear(alive(boot: 7), at: 0)
    expectEqual(open.hear(forged, from: stranger, at: 5), [changed(seen(boot: 4_711), .bootID(from: 7))])
    // An update that says nothing new is no matter of who says it.
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 8), at: 0)
    expectEqual(rig.hear(update(boot: 7, next: 8), from: stranger, at: 5), [])
  }

  @Test("each address of a device with two may say what comes next, the one that it had before as well")
  func updateFromEitherAddress() {
    let other = IPAddress(192, 168, 1, 30)
    for speaker in [EngineRig.tv, other] {
      var rig = EngineRig()
      _ = rig.hear(alive(boot: 7), at: 0)
      _ = rig.hear(alive(boot: 7), from: other, at: 1)
      expectEqual(rig.hear(update(boot: 7, next: 8), from: speaker, at: 5), [changed(seen(boot: 8), .bootID(from: 7))])
      expectEqual(rig.hear(alive(boot: 8), from: other, at: 6), [])
    }
  }

  @Test("a device that moved is found where it is, though its update from there is refused")
  func updateAfterMove() {
    var rig = EngineRig()
    let (address, location) = (IPAddress(192, 168, 1, 30), "http://192.168.1.30/d.xml")
    _ = rig.hear(alive(boot: 7), at: 0)
    let early = update(boot: 7, next: 8)
    expectEqual(rig.hear(early, from: address, at: 5), [rejected(.foreignUpdate, early)])
    expectEqual(
      rig.hear(alive(location: location, boot: 8), from: address, at: 6),
      [
        lost("tv", .rebooted), found("tv", location, from: address, boot: 8),
      ])
    // From now on it is known there.
    expectEqual(
      rig.hear(update(boot: 8, next: 9), from: address, at: 20),
      [
        changed(seen("tv", location, from: address, boot: 9), .bootID(from: 8))
      ])
    let late = update(boot: 9, next: 10)
    expectEqual(rig.hear(late, at: 30), [rejected(.foreignUpdate, late)])
  }

  @Test("BOOTID and NEXTBOOTID take every value of 31 bits, start over, and count by being other")
  func wraps() {
    let last = 2_147_483_647
    var rig = EngineRig()
    expectEqual(rig.hear(alive(boot: last), at: 0), [found(boot: UInt32(last))])
    expectEqual(rig.hear(update(boot: last, next: 0), at: 5), [changed(seen(boot: 0), .bootID(from: UInt32(last)))])
    expectEqual(rig.hear(alive(boot: 0), at: 6), [])
    expectEqual(rig.hear(alive(boot: last), at: 7), [lost("tv", .rebooted), found(boot: UInt32(last))])
  }

  @Test("the message of the boot before is refused up to the last nanosecond of a second, after an update as well")
  func lateBound() {
    for moment in [5.999, 6.0] {
      var rig = EngineRig()
      _ = rig.hear(alive(boot: 7), at: 0)
      _ = rig.hear(update(boot: 7, next: 8), at: 5)
      let text = alive(boot: 7)
      expectEqual(
        rig.hear(text, at: moment),
        (moment < 6 ? [rejected(.staleBootID, text)] : [lost("tv", .rebooted), found(boot: 7)]))
    }
  }

  @Test("an update of a boot that was never heard tells of the reboot between")
  func unheard() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    expectEqual(rig.hear(update(boot: 8, next: 9), at: 5), [lost("tv", .rebooted), found(boot: 9)])
  }
}
