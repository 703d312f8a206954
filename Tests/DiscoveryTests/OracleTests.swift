import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

/// `brokenInvariants` is what other tests ask whether the books are in order: it has to say no to each kind of disorder.
///
/// Each test takes sound books and puts one entry wrong; the complaints are compared as a whole.
@Suite("What is wrong with the books") struct OracleTests {
  private let sound = OracleTests.books()

  /// The books of an engine that knows devices of every kind:
  ///
  /// | device | UUIDs | leases | |
  /// |---|---|---|---|
  /// | 0, a root at location 0 | 0, and 1 without a lease | 0, 1 | |
  /// | 1 and 2, which stand for themselves at location 1 | 2 and 3 | 3, 5 and 4 | 1 is held |
  /// | 3, a root that said byebye | 4 | none | |
  /// | 4, a root that moved from location 2 to 3 | 5 | 7 | |
  ///
  /// Leases 2 and 6 are free again.
  private static func books() -> LeaseTable {
    let second = "http://192.168.1.20:81/d.xml"
    var rig = EngineRig { $0.byebyePolicy = .eachPart }
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("tv", "uuid:tv"), at: 0)
    _ = rig.hear(alive("idle", "uuid:idle"), at: 0)
    _ = rig.hear(alive("one", "uuid:one", location: second), at: 0)
    _ = rig.hear(alive("two", "uuid:two", location: second), at: 0)
    _ = rig.hear(alive("one", "urn:x:device:Y:1", usn: "uuid:one::other", location: second), at: 0)
    _ = rig.hear(alive("gone", location: nil), at: 0)
    _ = rig.hear(alive("mover", location: "http://192.168.1.20:82/d.xml"), at: 0)
    _ = rig.hear(alive("mover", location: "http://192.168.1.30/d.xml"), from: IPAddress(192, 168, 1, 30), at: 1)
    _ = rig.command(.hold(device: "uuid:one"), at: 2)
    _ = rig.hear(byebye("idle", "uuid:idle"), at: 2)
    _ = rig.hear(byebye("gone"), at: 2)
    return rig.engine.ssdp.table
  }

  /// What is said of the books after a change.
  private func complaints(_ change: (inout LeaseTable) -> Void) -> [String] {
    var books = sound
    change(&books)
    return books.brokenInvariants()
  }

  @Test("of sound books nothing is said")
  func isSound() {
    expectEqual(complaints { _ in }, [])
    // What the other tests count on.
    let counts = [
      sound.leases.count, sound.devices.count, sound.parts.count, sound.uuids.capacity, sound.targets.capacity,
      sound.locations.capacity, sound.sources.records.count,
    ]
    expectEqual(counts, [8, 5, 6, 6, 7, 4, 2])
    #expect(sound.counters.openLeases == 6 && sound.counters.devicesPresent == 4 && sound.idlePartCount == 1)
    #expect(sound.claims.map(\.root) == [0, none, none, 4] && sound.claims.map(\.firstSolo) == [none, 2, none, none])
  }

  @Test("a device has a name of its own, counts its leases and parts, and is present with leases or remembered without")
  func devices() {
    expectEqual(complaints { $0.devices[2].root = 0 }, ["device 2 is not named after a part of its own"])
    // Of two parts the second may give the name; then the first is the one that has none, and should not be idle.
    expectEqual(
      complaints { $0.devices[0].root = 1 },
      [
        "device 0 is not named after a part of its own", "part 1 is idle, or the reverse",
      ])
    expectEqual(complaints { $0.devices[1].leaseCount = 3 }, ["device 1 counts its leases wrong"])
    expectEqual(complaints { $0.devices[0].partCount = 3 }, ["device 0 counts its parts wrong"])
    expectEqual(
      complaints { $0.devices[3].isPresent = true },
      [
        "device 3 is present without a lease, or the reverse", "device 3 is held and can be evicted, or the reverse",
        "devices are counted wrong",
      ])
    expectEqual(
      complaints { $0.devices[2].isPresent = false },
      [
        "device 2 is present without a lease, or the reverse", "device 2 is held and can be evicted, or the reverse",
        "device 2 is neither present nor remembered", "devices are counted wrong",
      ])
    expectEqual(complaints { $0.devices[3].wasEnded = false }, ["device 3 is neither present nor remembered"])
  }

  @Test("who is held cannot be evicted, and who is not can")
  func held() {
    expectEqual(complaints { $0.devices[1].isHeld = false }, ["device 1 is held and can be evicted, or the reverse"])
    expectEqual(complaints { $0.devices[0].isHeld = true }, ["device 0 is held and can be evicted, or the reverse"])
    expectEqual(
      complaints { $0.evictionOrder.set(1, .zero) }, ["device 1 is held and can be evicted, or the reverse"])
    expectEqual(
      complaints { $0.evictionOrder = DeadlineHeap() },
      [0, 2, 4].map { "device \($0) is held and can be evicted, or the reverse" })
  }

  @Test("a part knows its device and its last lease, and is idle where it has none and names nothing")
  func parts() {
    expectEqual(complaints { $0.parts[3].device = 0 }, ["part 3 does not know its device 2"])
    expectEqual(complaints { $0.parts[2].lastLease = 3 }, ["part 2 does not know its last lease"])
    expectEqual(
      complaints { $0.parts[1].isIdle = false },
      [
        "part 1 is idle, or the reverse", "0 parts are idle, 1 counted",
      ])
    expectEqual(
      complaints { $0.parts[0].isIdle = true },
      [
        "part 0 is idle, or the reverse", "2 parts are idle, 1 counted",
      ])
    expectEqual(
      complaints { $0.parts[4].isIdle = true },
      [
        "part 4 is idle, or the reverse", "2 parts are idle, 1 counted",
      ])
  }

  @Test("a lease is live, stands in the list of its part, can be found, and ends once")
  func leases() {
    expectEqual(complaints { $0.leases[4].isLive = false }, ["lease 4 is in the list of part 3 and not its own"])
    expectEqual(
      complaints { $0.leases[4].part = 2 },
      [
        "lease 4 is in the list of part 3 and not its own", "lease 4 cannot be found",
      ])
    expectEqual(complaints { $0.leases[5].previous = none }, ["lease 5 does not know who stands before it"])
    expectEqual(complaints { $0.leases[4].path = 1 }, ["lease 4 cannot be found"])
    expectEqual(
      complaints { $0.leaseDeadlines.remove(4) }, ["lease 4 never ends", "6 leases are there, 5 end"])
    expectEqual(complaints { $0.leaseDeadlines.set(6, .zero) }, ["6 leases are there, 7 end"])
    expectEqual(
      complaints { $0.leaseDeadlines = DeadlineHeap() },
      [0, 1, 3, 5, 4, 7].map { "lease \($0) never ends" } + ["6 leases are there, 0 end"])
  }

  @Test("a location belongs to a root that is there, and lists those that stand for themselves in it, in order")
  func locations() {
    expectEqual(complaints { $0.claims[0].root = 3 }, ["location 0 belongs to a root that is gone"])
    expectEqual(complaints { $0.claims[0].root = 2 }, ["location 0 belongs to no root"])
    expectEqual(
      complaints { $0.devices[1].location = 0 },
      [
        "device 1 is listed at location 1", "locations are held otherwise than counted",
      ])
    expectEqual(
      complaints { $0.devices[1].isRoot = true }, ["root 1 is listed among those that stand for themselves"])
    expectEqual(complaints { $0.devices[1].previousSolo = none }, ["device 1 does not know who stands before it"])
    expectEqual(complaints { $0.devices[2].previousSolo = 1 }, ["device 2 does not know who stands before it"])
  }

  @Test("names and addresses are held as often as somebody has them, and all is counted")
  func counts() {
    expectEqual(complaints { $0.uuids.retain(1) }, ["UUIDs are held otherwise than counted"])
    expectEqual(complaints { $0.targets.retain(6) }, ["targets are held otherwise than counted"])
    expectEqual(complaints { $0.locations.retain(2) }, ["locations are held otherwise than counted"])
    expectEqual(complaints { $0.sources.retain(0) }, ["addresses are held otherwise than counted"])
    expectEqual(complaints { $0.sources.countLease(1, 1) }, ["leases of addresses are counted wrong"])
    expectEqual(complaints { $0.sources.countLease(0, -1) }, ["leases of addresses are counted wrong"])
    expectEqual(complaints { $0.counters.openLeases += 1 }, ["6 leases are there, 7 counted"])
    expectEqual(complaints { $0.counters.devicesPresent -= 1 }, ["devices are counted wrong"])
  }

  @Test("a lease has at most 48 bytes, and the UUID that it is of at most 24")
  func recordSizes() {
    #expect(MemoryLayout<LeaseRecord>.stride <= 48)
    #expect(MemoryLayout<PartRecord>.stride <= 24)
  }
}
