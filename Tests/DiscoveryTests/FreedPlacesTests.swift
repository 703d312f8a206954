import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What becomes of the places of those that went: others take all of them, and no list is cut.
@Suite("Places of those that went") struct FreedPlacesTests {
  private let root = "upnp:rootdevice"

  @Test("devices at addresses of their own that come after as many others take the places of these, and no more")
  func addresses() {
    var rig = EngineRig()
    for round in 0..<4 {
      for number in 0..<5 {
        let (uuid, source) = ("r\(round)-\(number)", IPAddress(192, 168, UInt8(1 + round), UInt8(30 + number)))
        expectEqual(
          rig.hear(alive(uuid, location: nil, maxAge: "\(3 + number)"), from: source, at: Double(10 * round)),
          [found(uuid, nil, from: source)])
      }
      // Leases, devices, parts, pasts, and the names of UUIDs, targets, LOCATIONs and addresses.
      expectEqual(rig.engine.recordCounts, [5, 5, 5, 0, 5, 1, 0, 5], "round \(round)")
      let ends = (0..<5).map { Timed(at(Double(10 * round + 3 + $0)), lost("r\(round)-\($0)", .expired)) }
      expectEqual(rig.run(until: Double(10 * round + 9)), ends)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test(
    "a UUID that becomes a root of its own and moves away leaves the others at its LOCATION together",
    arguments: ["d1", "d2", "d3"])
  func movedAway(mover: String) {
    let away = "http://192.168.1.20:81/d.xml"
    let others = ["d1", "d2", "d3"].filter { $0 != mover }
    var rig = EngineRig()
    for uuid in ["d1", "d2", "d3"] {
      expectEqual(rig.hear(alive(uuid, "uuid:" + uuid, maxAge: uuid == mover ? "10" : "1800"), at: 0), [found(uuid)])
    }
    expectEqual(rig.hear(alive(mover, root, location: away), at: 1), [])
    expectEqual(rig.run(until: 15), [Timed(at(10), changed(seen(mover, away), .location(from: tvLocation)))])
    expectEqual(rig.engine.brokenInvariants, [])
    // A root that announces itself at that LOCATION takes all of them in, the newest first.
    let united = others.reversed().map { changed(seen(), .united(part: "uuid:" + $0)) }
    expectEqual(rig.hear(alive(), at: 20), [found()] + united)
    expectEqual(rig.engine.counters.devicesPresent, 2)
    expectEqual(rig.engine.brokenInvariants, [])
  }
}
