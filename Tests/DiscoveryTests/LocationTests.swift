import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("LOCATION and address") struct LocationTests {
  let second = "http://192.168.1.20:81/d.xml"
  let moved = IPAddress(192, 168, 1, 30)

  @Test("a new LOCATION is a change, never lost and found (D59)")
  func change() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("tv", "uuid:tv"), at: 0)
    expectEqual(rig.hear(alive(location: second), at: 1), [changed(seen("tv", second), .location(from: tvLocation))])
    expectEqual(rig.hear(alive("tv", "uuid:tv", location: second), at: 1), [])
  }

  @Test("two LOCATIONs that take turns are one change (D50)")
  func alternate() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    var effects: [Effect] = []
    for turn in 1..<20 {
      effects += rig.hear(alive(location: turn % 2 == 0 ? tvLocation : second), at: Double(turn))
    }
    expectEqual(effects, [changed(seen("tv", second), .location(from: tvLocation))])
  }

  @Test("the LOCATION before comes in force again when the promise of the one in force is over")
  func backAgain() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "100"), at: 0)
    _ = rig.hear(alive(location: second, maxAge: "100"), at: 10)
    expectEqual(rig.hear(alive(maxAge: "100"), at: 50), [])
    expectEqual(rig.hear(alive(maxAge: "100"), at: 109), [])
    expectEqual(rig.hear(alive(maxAge: "100"), at: 110), [changed(seen(), .location(from: second))])
  }

  @Test("another NT of the same USN may have a LOCATION of its own (D25)")
  func otherTarget() {
    var rig = EngineRig()
    _ = rig.hear(alive("tv", "uuid:tv"), at: 0)
    for turn in 1..<6 {
      expectEqual(rig.hear(alive("tv", "hnap:Cam", usn: "uuid:tv", location: second), at: Double(turn)), [])
      expectEqual(rig.hear(alive("tv", "uuid:tv"), at: Double(turn) + 0.5), [])
    }
  }

  @Test("when the messages of the LOCATION in force run out, another that is alive takes over")
  func takesOver() {
    var rig = EngineRig()
    _ = rig.hear(alive("tv", "uuid:tv", maxAge: "10"), at: 0)
    _ = rig.hear(alive("tv", "hnap:Cam", location: second, maxAge: "30"), at: 0)
    expectEqual(
      rig.run(until: 100),
      [
        Timed(at(10), changed(seen("tv", second), .location(from: tvLocation))),
        Timed(at(30), lost("tv", .expired)),
      ])
  }

  @Test("another address with the same LOCATION is a change of address, once while both are alive")
  func address() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    expectEqual(
      rig.hear(alive(), from: moved, at: 1), [changed(seen(from: moved), .address(from: EngineRig.tv))])
    expectEqual(rig.hear(alive(), at: 2), [])
    expectEqual(rig.hear(alive(), from: moved, at: 3), [])
  }

  @Test("address and LOCATION that change together are one report")
  func both() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    let location = "http://192.168.1.30/d.xml"
    expectEqual(
      rig.hear(alive(location: location), from: moved, at: 1),
      [
        changed(seen("tv", location, from: moved), .location(from: tvLocation))
      ])
  }

  @Test(
    "a LOCATION that cannot be fetched makes the device present without one (D44...D47)",
    arguments: [
      "", "/d.xml", "*", "http://:8000/d.xml", "http://192.168.1.20:0/", "http://127.0.0.1/d.xml",
      "http://8.8.8.8/d.xml", "ftp://192.168.1.20/d.xml",
    ])
  func unusable(location: String) {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(location: location), at: 0), [found("tv", nil)])
    expectEqual(rig.hear(alive(location: location), at: 1), [])
    expectEqual(rig.hear(alive(), at: 2), [changed(seen(), .location(from: nil))])
    // What says nothing usable takes nothing away.
    expectEqual(rig.hear(alive(location: location), at: 3), [])
  }

  @Test("without the policy every LOCATION is reported as it was sent")
  func policyOff() {
    var rig = EngineRig { $0.locationPolicy = .off }
    expectEqual(rig.hear(alive(location: "http://8.8.8.8/d.xml"), at: 0), [found("tv", "http://8.8.8.8/d.xml")])
  }

  @Test("a host on the sender's link is fine, and so is a name")
  func onLink() {
    var rig = EngineRig()
    expectEqual(
      rig.hear(alive(location: "http://192.168.1.77/d.xml"), at: 0), [found("tv", "http://192.168.1.77/d.xml")])
    expectEqual(rig.hear(alive("b", location: "http://tv.local/d.xml"), at: 0), [found("b", "http://tv.local/d.xml")])
  }

  @Test("CONFIGID is told once for each new value, and only by the root's device messages (D42)")
  func configID() {
    var rig = EngineRig()
    _ = rig.hear(alive(config: 1), at: 0)
    expectEqual(rig.hear(alive("tv", "uuid:tv", config: 2), at: 5), [changed(seen(), .configID(from: 1))])
    expectEqual(rig.hear(alive(config: 2), at: 5), [])
    expectEqual(rig.hear(alive(config: 1), at: 5.5), [])
    expectEqual(rig.hear(alive("tv", "urn:x:service:Y:1", config: 9), at: 7), [])
    expectEqual(rig.hear(alive(), at: 8), [])
    expectEqual(rig.hear(alive(config: 1), at: 9), [changed(seen(), .configID(from: 2))])
  }
}
