import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a device that lost some of its leases goes on with, and when that is told.
@Suite("What remains of a device") struct HeirTests {
  private let other = IPAddress(192, 168, 1, 30)
  private let third = IPAddress(192, 168, 1, 31)
  private let v6 = IPAddress("fe80::20")!
  private let v6Location = "http://[fe80::20]/d.xml"
  private let ten = IPAddress(10, 0, 0, 20)
  private let service = "urn:x:service:Y:1"

  private func location(_ number: Int) -> String { "http://192.168.1.20:8\(number)/d.xml" }

  private func news(_ number: Int, from old: Int) -> Effect {
    changed(seen("tv", location(number)), .location(from: location(old)))
  }

  /// An engine with a second interface, which is up at 10.0.0.2/8.
  private func twoInterfaces() -> EngineRig {
    var rig = EngineRig()
    _ = rig.bring(1, [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)], at: 0)
    return rig
  }

  /// A device whose LOCATION 1 is in force until 1001 s though its only message names LOCATION 0 and holds until 7 s.
  private func promised() -> EngineRig {
    var rig = twoInterfaces()
    _ = rig.hear(alive("tv", service, location: location(0), maxAge: "1000"), at: 0)
    expectEqual(rig.hear(alive("tv", service, location: location(1), maxAge: "1000"), at: 1), [news(1, from: 0)])
    expectEqual(rig.hear(alive("tv", service, location: location(0), maxAge: "5"), at: 2), [])
    return rig
  }

  // MARK: Who takes over

  @Test("a path with nothing left gives way to the other, though its LOCATION, or the lack of one, is still promised")
  func emptyPath() {
    for name in [nil, "http://tv.local/d.xml"] {
      var rig = twoInterfaces()
      _ = rig.hear(alive(location: name, maxAge: "10"), at: 0)
      expectEqual(rig.hear(alive(location: name, maxAge: "20"), from: ten, on: 1, at: 0), [])
      expectEqual(
        rig.run(until: 100),
        [
          Timed(at(10), changed(seen("tv", name, from: ten, on: 1), .address(from: EngineRig.tv))),
          Timed(at(20), lost("tv", .expired)),
        ])
    }
  }

  @Test("a path on which something without LOCATION is left keeps the LOCATION that is still promised there")
  func promisedPath() {
    var rig = promised()
    expectEqual(rig.hear(alive("tv", "uuid:tv", location: nil, maxAge: "100"), at: 3), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: "http://10.0.0.20/d.xml"), from: ten, on: 1, at: 3), [])
    expectEqual(rig.run(until: 8), [])
    let elsewhere = seen("tv", "http://10.0.0.20/d.xml", from: ten, on: 1)
    expectEqual(rig.run(until: 103), [Timed(at(103), changed(elsewhere, .location(from: location(1))))])
  }

  @Test("on another path the oldest message that has a LOCATION takes over, not the oldest one")
  func locationElsewhere() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(alive("tv", service, location: nil), from: v6, at: 1), [])
    expectEqual(rig.hear(alive(location: v6Location), from: v6, at: 2), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: "http://[fe80::20]:81/"), from: v6, at: 3), [])
    expectEqual(rig.hear(byebye(), at: 4), [changed(seen("tv", v6Location, from: v6), .location(from: tvLocation))])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("where nothing has a LOCATION the oldest message on the path takes over, and else the oldest anywhere")
  func withoutLocation() {
    var rig = EngineRig { $0.byebyePolicy = .eachPart }
    expectEqual(rig.hear(alive("tv", "uuid:tv", location: nil), from: v6, at: 0), [found("tv", nil, from: v6)])
    expectEqual(rig.hear(alive(), at: 1), [changed(seen(), .location(from: nil))])
    expectEqual(rig.hear(alive("tv", service, location: nil), from: other, at: 2), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: nil), from: third, at: 3), [])
    expectEqual(rig.hear(byebye(), at: 4), [changed(seen("tv", nil, from: other), .location(from: tvLocation))])

    rig = EngineRig()
    let later = IPAddress("fe80::21")!
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(alive("tv", "uuid:tv", location: nil), from: v6, at: 1), [])
    expectEqual(rig.hear(alive("tv", service, location: nil), from: later, at: 2), [])
    expectEqual(rig.hear(byebye(), at: 3), [changed(seen("tv", nil, from: v6), .location(from: tvLocation))])
  }

  @Test("a message that is revoked takes its LOCATION with it at once; one that expires leaves what is promised")
  func revoked() {
    var rig = EngineRig { $0.byebyePolicy = .eachPart }
    _ = rig.hear(alive(location: location(0)), at: 0)
    expectEqual(rig.hear(alive("tv", service, location: location(1)), at: 1), [])
    expectEqual(rig.hear(byebye(), at: 2), [news(1, from: 0)])
    expectEqual(rig.hear(byebye("tv", service), at: 3), [lost("tv", .byebye)])
  }

  @Test("what comes in force holds for as long as its own message and is no news before that")
  func promiseOfHeir() {
    var rig = EngineRig()
    _ = rig.hear(alive(location: location(0), maxAge: "10"), at: 0)
    expectEqual(rig.hear(alive("tv", "uuid:tv", location: location(1), maxAge: "100"), from: other, at: 0), [])
    let (second, far) = (alive("tv", "hnap:1", location: location(2)), alive("tv", "hnap:2", location: location(1)))
    for text in [second, far] { expectEqual(rig.hear(text, from: third, at: 0), []) }
    let heir = seen("tv", location(1), from: other)
    expectEqual(rig.run(until: 20), [Timed(at(10), changed(heir, .location(from: location(0))))])
    for text in [second, far] { expectEqual(rig.hear(text, from: third, at: 20), []) }
    expectEqual(rig.hear(alive("tv", "uuid:tv", location: location(1), maxAge: "100"), from: other, at: 30), [])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  // MARK: Interfaces

  @Test("a device that has nothing on the interface that goes is left as it is, whatever its messages name")
  func nothingThere() {
    var rig = promised()
    expectEqual(rig.bring(1, [], at: 4), [])
    expectEqual(rig.run(until: 100), [Timed(at(7), lost("tv", .expired))])
  }

  @Test("an interface that goes changes nothing where a message on the other has the LOCATION in force")
  func carried() {
    var rig = twoInterfaces()
    _ = rig.hear(alive(location: location(0)), at: 0)
    expectEqual(rig.hear(alive(location: location(1)), at: 1), [news(1, from: 0)])
    expectEqual(rig.hear(alive("tv", service, location: location(1)), at: 2), [])
    // The oldest message is back at the LOCATION before.
    expectEqual(rig.hear(alive(location: location(0)), at: 3), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: nil), on: 1, at: 4), [])
    expectEqual(rig.bring(1, [], at: 5), [])
    expectEqual(rig.engine.counters.openLeases, 2)
  }

  // MARK: What ends within a second

  /// A device that says at `start` that it is at LOCATION 0 for 100 s, then that it is at 1 for as long, and then that
  /// it is at 0 for 1000 s: LOCATION 1 is in force until its promise is over, and until somebody says otherwise.
  private func turns(_ rig: inout EngineRig, boot: Int?, from start: Double) {
    let heard = rig.hear(alive(location: location(0), maxAge: "100", boot: boot), at: start)
    expectEqual(heard.last, found("tv", location(0), boot: boot.map { UInt32($0) }))
    expectEqual(rig.hear(alive(location: location(1), maxAge: "90", boot: boot), at: start + 10).count, 1)
    expectEqual(rig.hear(alive(location: location(0), maxAge: "1000", boot: boot), at: start + 20), [])
  }

  @Test("the end of a promise is no news by itself: the next message tells it")
  func endOfPromise() {
    var rig = EngineRig()
    turns(&rig, boot: nil, from: 0)
    expectEqual(rig.run(until: 500), [])
    expectEqual(rig.hear(alive(location: location(0)), at: 500), [news(0, from: 1)])
  }

  @Test("that a device was about to end is forgotten when it boots anew")
  func newBoot() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "60", boot: 7), at: 0)
    _ = rig.hear(alive("tv", service, maxAge: "60", boot: 7), at: 0.5)
    expectEqual(rig.run(until: 60.25), [])
    turns(&rig, boot: 8, from: 60.25)
    expectEqual(rig.run(until: 500), [])
  }

  @Test("a device that is heard again just before its end keeps the LOCATION that is still promised")
  func promisedAndHeard() {
    var rig = EngineRig()
    _ = rig.hear(alive(location: location(0), maxAge: "60"), at: 0)
    let text = alive("tv", "uuid:tv", location: location(0), maxAge: "60")
    expectEqual(rig.hear(text, at: 0), [])
    let told = rig.hear(alive("tv", "uuid:tv", location: location(1), maxAge: "1000"), at: 0.25)
    expectEqual(told, [news(1, from: 0)])
    expectEqual(rig.hear(text, at: 0.5), [])
    expectEqual(rig.run(until: 60.25), [])
    expectEqual(rig.hear(text, at: 60.25), [])
    expectEqual(rig.run(until: 500), [Timed(at(120.25), lost("tv", .expired))])
  }

  @Test("a device that was about to end twice, and was heard again each time, tells no more by that")
  func heardAgainTwice() {
    var rig = EngineRig { $0.byebyePolicy = .eachPart }
    _ = rig.hear(alive(location: location(0), maxAge: "60"), at: 0)
    _ = rig.hear(alive("tv", "uuid:tv", location: location(0), maxAge: "60"), at: 0.5)
    _ = rig.hear(alive("tv", service, location: location(0), maxAge: "60"), at: 0.5)
    // LOCATION 0 is promised for long by a message that is revoked.
    _ = rig.hear(alive("tv", "hnap:1", location: location(0), maxAge: "1000"), at: 1)
    expectEqual(rig.hear(byebye("tv", "hnap:1"), at: 2), [])
    expectEqual(rig.run(until: 60), [])
    let told = rig.hear(alive("tv", service, location: location(1), maxAge: "1"), at: 60.25)
    expectEqual(told, [news(1, from: 0)])
    // One message ends when the other would have ended, which now ends within a second.
    expectEqual(rig.run(until: 60.5), [])
    expectEqual(rig.hear(alive("tv", service, location: location(0), maxAge: "100"), at: 60.75), [])
    expectEqual(rig.run(until: 500), [Timed(at(160.75), lost("tv", .expired))])
  }

  @Test("a message that comes twice at one moment counts as one, also between the ends of two families")
  func twiceAtOnce() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "60"), at: 0)
    _ = rig.hear(alive(location: v6Location, maxAge: "60"), from: v6, at: 0.5)
    expectEqual(rig.run(until: 60.25), [])
    for _ in [1, 2] { expectEqual(rig.hear(alive(location: v6Location, maxAge: "60"), from: v6, at: 60.25), []) }
    expectEqual(
      rig.run(until: 1_000),
      [
        Timed(at(60.5), changed(seen("tv", v6Location, from: v6), .location(from: tvLocation))),
        Timed(at(120.25), lost("tv", .expired)),
      ])
  }
}
