import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Leases of two families that end one after the other") struct FamilyLeaseTests {
  let v6 = IPAddress("fe80::20")!
  let v6Location = "http://[fe80::20]/d.xml"

  /// A device that was heard over IPv4 at 0 s and over IPv6 `later`, for 60 s each.
  private func rig(later: Double) -> EngineRig {
    var rig = EngineRig()
    _ = rig.bring(
      0, [InterfaceAddress(EngineRig.ours, prefixBits: 24), InterfaceAddress(IPAddress("fe80::2")!, prefixBits: 64)],
      at: 0)
    expectEqual(rig.hear(alive(maxAge: "60"), at: 0), [found()])
    expectEqual(rig.hear(alive(location: v6Location, maxAge: "60"), from: v6, at: later), [])
    return rig
  }

  @Test("are one end where no more than a second lies between them", arguments: [0.0, 0.001, 0.999, 1.0])
  func together(later: Double) {
    var rig = rig(later: later)
    expectEqual(rig.run(until: 1_000), [Timed(at(60 + later), lost("tv", .expired))])
  }

  @Test("are told one by one where more does")
  func apart() {
    var rig = rig(later: 1.001)
    expectEqual(
      rig.run(until: 1_000),
      [
        Timed(at(60), changed(seen("tv", v6Location, from: v6), .location(from: tvLocation))),
        Timed(at(61.001), lost("tv", .expired)),
      ])
  }

  @Test("and a device that is heard again between them has the other LOCATION, from when the lease would have ended")
  func heardAgain() {
    var rig = rig(later: 0.5)
    expectEqual(rig.run(until: 60.25), [])
    expectEqual(rig.hear(alive(location: v6Location, maxAge: "60"), from: v6, at: 60.25), [])
    expectEqual(
      rig.run(until: 1_000),
      [
        Timed(at(60.5), changed(seen("tv", v6Location, from: v6), .location(from: tvLocation))),
        Timed(at(120.25), lost("tv", .expired)),
      ])
  }

  @Test("and one that is heard again over the first family keeps its LOCATION without a word")
  func heardAgainBefore() {
    var rig = rig(later: 0.5)
    expectEqual(rig.run(until: 60.25), [])
    expectEqual(rig.hear(alive(maxAge: "60"), at: 60.25), [])
    expectEqual(rig.run(until: 1_000), [Timed(at(120.25), lost("tv", .expired))])
  }

  @Test("the last of several leases decides, not the first")
  func several() {
    var rig = rig(later: 0.001)
    _ = rig.hear(alive("tv", "urn:x:service:Y:1", location: v6Location, maxAge: "61"), from: v6, at: 0.5)
    expectEqual(
      rig.run(until: 1_000),
      [
        Timed(at(60), changed(seen("tv", v6Location, from: v6), .location(from: tvLocation))),
        Timed(at(61.5), lost("tv", .expired)),
      ])
  }
}

@Suite("Leases") struct LeaseTests {
  @Test("a device is lost exactly max-age after its newest message (UDA-1.2.2-CP-EXPIRE)")
  func newestMessage() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "100"), at: 0)
    _ = rig.hear(alive(maxAge: "60"), at: 70)
    expectEqual(rig.run(until: 129.999), [])
    expectEqual(rig.run(until: 500), [Timed(at(130), lost("tv", .expired))])
    expectEqual(rig.engine.deadline, nil)
    expectEqual(rig.engine.counters.openLeases, 0)
  }

  @Test("a shorter max-age shortens the lease")
  func shorter() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "1800"), at: 0)
    _ = rig.hear(alive(maxAge: "10"), at: 5)
    expectEqual(rig.engine.deadline, at(15))
    expectEqual(rig.run(until: 5_000), [Timed(at(15), lost("tv", .expired))])
  }

  @Test("one valid message of any part keeps the device (UDA-1.2.2-CP-ANYALIVE)")
  func anyPart() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "100"), at: 0)
    _ = rig.hear(alive("tv", "urn:x:service:Y:1", maxAge: "50"), at: 90)
    expectEqual(rig.run(until: 1_000), [Timed(at(140), lost("tv", .expired))])
  }

  @Test("early and double wakes do nothing")
  func earlyWake() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "100"), at: 0)
    expectEqual(rig.wake(at: 0), [])
    expectEqual(rig.wake(at: 99), [])
    expectEqual(rig.wake(at: 100), [lost("tv", .expired)])
    expectEqual(rig.wake(at: 100), [])
  }

  @Test("a late wake tells of the losses in order of time")
  func lateWake() {
    var rig = EngineRig()
    _ = rig.hear(alive("c", maxAge: "30"), at: 0)
    _ = rig.hear(alive("a", maxAge: "10"), at: 1)
    _ = rig.hear(alive("b", maxAge: "20"), at: 2)
    _ = rig.hear(alive("a", maxAge: "40"), at: 3)
    expectEqual(rig.wake(at: 60), [lost("b", .expired), lost("c", .expired), lost("a", .expired)])
  }

  @Test("a message at the very end of the lease finds the device gone, and finds it again")
  func atTheEnd() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "100"), at: 0)
    expectEqual(rig.hear(alive(maxAge: "100"), at: 100), [lost("tv", .expired), found()])
  }

  @Test("max-age 0 is present for no time (D21)")
  func zero() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(maxAge: "0"), at: 7), [found()])
    expectEqual(rig.engine.deadline, at(7))
    expectEqual(rig.wake(at: 7), [lost("tv", .expired)])
  }

  @Test("without CACHE-CONTROL the lease is 1800 s, and counted (D22)")
  func byDefault() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: nil), at: 0)
    expectEqual(rig.run(until: 3_000), [Timed(at(1_800), lost("tv", .expired))])
    expectEqual(rig.engine.counters.leasesByDefault, 1)
  }

  @Test("a lease is cut to the longest there is (H-CP-MAXAGE)", arguments: ["2147483647", "99999999999999999999"])
  func cut(maxAge: String) {
    var rig = EngineRig { $0.leaseMaximumSeconds = 5_000 }
    _ = rig.hear(alive(maxAge: maxAge), at: 1)
    expectEqual(rig.run(until: 10_000), [Timed(at(5_001), lost("tv", .expired))])
  }

  @Test("a device that expired is found again at its next message")
  func again() {
    var rig = EngineRig()
    _ = rig.hear(alive(maxAge: "1"), at: 0)
    _ = rig.run(until: 1)
    expectEqual(rig.hear(alive(), at: 1.001), [found()])
  }

  @Test("against a plain model: ten thousand random messages, every loss at its instant")
  func model() {
    var random = Seed(20_261_121).stream("leases")
    var rig = EngineRig { $0.tombstone = .zero }
    // What should be: deadlines by uuid and target.
    var leases: [String: [String: Instant]] = [:]
    var clock = 0.0
    for _ in 0..<10_000 {
      clock += Double(random.below(200)) / 1_000
      var expected: [Effect] = []
      var due: [(Instant, String)] = []
      for (uuid, targets) in leases {
        let end = targets.values.max()!
        if end <= at(clock) { due.append((end, uuid)) }
        let left = targets.filter { $0.value > at(clock) }
        leases[uuid] = left.isEmpty ? nil : left
      }
      // Which goes first of those that end at one instant is the engine's choice.
      due.sort { $0 < $1 }
      let losses = due.map { lost($0.1, .expired) }
      let uuid = "d\(random.below(60))"
      let target = "urn:x:service:S\(random.below(5)):1"
      var text: String
      if random.below(5) == 0 {
        text = byebye(uuid, target)
        // One for what is not announced says nothing.
        if leases[uuid]?[target] != nil {
          leases[uuid] = nil
          expected.append(lost(uuid, .byebye))
        }
      } else {
        let maxAge = 1 + random.below(20)
        text = alive(uuid, target, maxAge: "\(maxAge)")
        if leases[uuid] == nil { expected.append(found(uuid)) }
        leases[uuid, default: [:]][target] = at(clock) + .seconds(Int64(maxAge))
      }
      let got = rig.hear(text, at: clock)
      expectEqual(Set(got.dropLast(expected.count)), Set(losses))
      expectEqual(Array(got.suffix(expected.count)), expected)
      if Set(due.map { $0.0 }).count == due.count { expectEqual(got, losses + expected) }
    }
    #expect(rig.engine.counters.devicesEver > 500)
    #expect(rig.engine.counters.openLeases >= leases.values.reduce(0) { $0 + $1.count })
  }
}
