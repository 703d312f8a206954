import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Sets of announcements: whole or in part, renewed, repeated, revoked, and who sends them.
@Suite("Sets judged at their bounds")
struct SetBoundTests {
  private typealias Step = Course.Step

  private static let root = "upnp:rootdevice"

  private func seconds(_ count: Int64, _ nanoseconds: Int64 = 0) -> Interval { .at(count * 1_000, nanoseconds) }

  private func alive(_ time: Interval, _ target: String = Said.type, lease: String = "max-age=1800") -> Said {
    Said.alive(["NT": target, "USN": "uuid:\(Said.uuid)::\(target)", "CACHE-CONTROL": lease]).later(time)
  }

  private func byebye(_ time: Interval, _ target: String = Said.type) -> Said {
    Said.part("byebye", target, at: time)
  }

  /// The message of the root at each of these seconds.
  private func roots(_ times: Int64...) -> [Said] { times.map { alive(seconds($0), SetBoundTests.root) } }

  /// In a run and in a capture.
  private func expect(
    _ clause: ClauseID, _ tallies: [String], _ parts: [Said]..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let talk = parts.flatMap { $0 }
    let found = [Course.judged(talk.map { $0.sent() }).sum(clause), Said.judged(talk).sum(clause)]
    expectEqual(found, tallies, "\(clause)", sourceLocation: sourceLocation)
  }

  // MARK: - In part

  @Test("what is renewed twice while something else of the set that stands is not renewed at all is renewed in part")
  func renewedInPart() {
    let set = Said.set(at: .zero)
    expect(.noPartial, ["1 0 0", "1 0 0"], set, roots(100))
    expect(.noPartial, ["1 1 0", "1 0 1"], set, roots(100, 200))
    expect(.noPartial, ["1 2 0", "1 0 2"], set, roots(100, 200, 300))
    expect(.noPartial, ["0 0 0", "0 0 0"], roots(0, 100, 200))
    // What came at the same moment as the first of the two is renewed with it, and what has expired stands no more.
    expect(.noPartial, ["3 0 0", "3 0 0"], roots(0), [alive(.zero)], roots(100), [alive(seconds(100))], roots(200))
    expect(.noPartial, ["1 1 0", "1 0 1"], roots(0), [alive(.zero)], roots(100, 200))
    expect(.noPartial, ["2 0 0", "2 0 0"], roots(0), [alive(.zero, lease: "max-age=100")], roots(100, 200))
    expect(.noPartial, ["1 1 0", "1 0 1"], roots(0), [alive(.zero, lease: "max-age=101")], roots(100, 200))
  }

  @Test("byebyes are in part where something of the set stands that is not revoked with the rest")
  func revokedInPart() {
    let set = Said.set(at: .zero)
    let (revoked, back) = ([byebye(seconds(100), SetBoundTests.root)], roots(300))
    expect(.noPartial, ["0 1 0", "0 0 1"], set, revoked, back)
    expect(.noPartial, ["1 0 0", "1 0 0"], set, Said.set("byebye", at: seconds(100)), back)
    expect(.noPartial, ["0 0 0", "0 0 0"], roots(0), revoked, back)
    expect(.noPartial, ["1 0 0", "1 0 0"], roots(0), [alive(.zero, lease: "max-age=100")], revoked, back)
    expect(.noPartial, ["0 1 0", "0 0 1"], roots(0), [alive(.zero, lease: "max-age=101")], revoked, back)
    // What came at the very moment of a byebye is not older than it.
    expect(.noPartial, ["3 0 0", "3 0 0"], roots(0), [alive(.zero)], roots(100), [byebye(seconds(100))], back)
  }

  // MARK: - Repetitions

  @Test("a set is sent again as a whole after a start and after a departure, and each of its messages as often")
  func repetitions() {
    let (whole, once) = (Said.sets(at: .zero), Said.set(at: .zero))
    let quiet = [Said.silence(until: seconds(300))]
    expect(.repeatSet, ["1 0 0", "1 0 0"], whole, Said.set(at: seconds(100)), quiet)
    expect(.repeatSet, ["0 1 0", "0 0 1"], once, quiet)
    let left = Said.set("byebye", at: seconds(100))
    expect(.repeatSet, ["1 1 0", "1 0 1"], whole, left, Said.set(at: seconds(200)), quiet)
    // Each set is counted by itself.
    let late = roots(200, 201) + [alive(seconds(202)), alive(seconds(203))]
    expect(.repeatSet, ["1 1 0", "1 1 0"], whole, left, late, quiet)
    // The last that was revoked is no repetition where it is announced first.
    let services = [alive(seconds(200), Said.service), alive(seconds(201), Said.service)]
    let types = [alive(seconds(202)), alive(seconds(203))]
    expect(.repeatSet, ["1 1 0", "1 1 0"], whole, left, services, types, quiet)
    expect(.repeatSet, ["1 0 0", "1 0 0"], roots(0, 1), quiet)
    // Right behind itself: all of them, and only some of them.
    let doubled = roots(0, 1) + [alive(seconds(2)), alive(seconds(3))]
    expect(.repeatSet, ["0 1 0", "0 1 0"], doubled, quiet)
    expect(.repeatSet, ["0 1 0", "0 0 1"], roots(0, 1), [alive(seconds(2))], quiet)
    expect(.repeatSet, ["1 0 0", "1 0 0"], roots(0), [alive(seconds(1))], roots(2), [alive(seconds(3))], quiet)

    let uneven = roots(0, 1) + [alive(seconds(1))]
    expect(.serviceOne, ["0 1 0", "0 0 1"], uneven, quiet)
    expect(.serviceOne, ["1 1 0", "1 0 1"], uneven, roots(100), [alive(seconds(100))], quiet)
    expect(.serviceOne, ["1 0 0", "1 0 0"], roots(0), [alive(.zero)], roots(1), [alive(seconds(1))], quiet)
    // How long a burst may pause the max-age of the first message says: a fifth of ten seconds.
    let short = [alive(.zero, SetBoundTests.root, lease: "max-age=10"), alive(.zero)]
    expect(.serviceOne, ["1 0 0", "1 0 0"], short, [Said.silence(until: seconds(2))])
    expect(.serviceOne, ["0 0 0", "0 0 0"], short, [Said.silence(until: seconds(2, -1))])
  }

  @Test("messages that come for ten seconds after a change of the host are no repetitions")
  func busyHosts() {
    func run(_ times: Int64...) -> [Step] { times.map { alive(seconds($0)).sent() } }
    let (five, six) = (run(0, 8, 9, 10, 11), run(0, 8, 9, 10, 11, 12))
    for deed in [TraceEvent.Deed.update, .move, .relocate, .reconfigure] {
      Course.expect(.repeatMaximum, "3 0 0", [Course.deed(deed, at: .zero)], five)
      Course.expect(.repeatMaximum, "3 1 0", [Course.deed(deed, at: .zero)], six)
    }
    let last = [alive(seconds(10, -1)).sent(), alive(seconds(11)).sent(), alive(seconds(12)).sent()]
    Course.expect(.repeatMaximum, "4 0 0", [Course.deed(.update, at: .zero)], run(0, 8, 9), last)
    Course.expect(.repeatMaximum, "3 0 0", [Course.up(0, "192.168.1.10/24", at: .zero)], five)
    Course.expect(.repeatMaximum, "3 1 0", [Course.up(0, "192.168.1.10/24", at: .zero)], six)
    Course.expect(.repeatMaximum, "2 1 0", [Course.deed(.send, at: .zero)], five)
    // The fourth is one too many, and it is told once.
    Course.expect(.repeatMaximum, "1 0 0", run(0, 1, 2))
    Course.expect(.repeatMaximum, "1 1 0", run(0, 1, 2, 3, 4))
    Course.expect(.repeatMaximum, "2 1 0", run(0, 1, 2, 6, 7, 8, 9))
  }

  @Test("a hundred and twenty-eight messages of a device at one address are followed")
  func largeSets() {
    func violated(_ count: Int64) -> Int {
      let set = (0..<count).map { Said.named("urn:x-y:service:s\($0):1", at: .at($0)) }
      let again = (1...3).map { (second: Int64) -> Said in
        Said.named("urn:x-y:service:s\(count - 1):1", at: .at(count + second * 1_000))
      }
      return Said.judged(set + again).total(.repeatMaximum).violated
    }
    expectEqual(violated(128), 1)
    expectEqual(violated(129), 0)
  }

  // MARK: - Leases

  @Test("a lease runs out only where the device stayed: a crash, a byebye or a lost address ends it before")
  func endedLeases() {
    let start = [alive(.zero).sent()]
    let known = [Course.up(0, "192.168.1.10/24", at: .zero)] + start
    func crash(_ time: Interval) -> [Step] { [Course.deed(.crash, at: time), alive(seconds(2_000)).sent()] }
    Course.expect(.renew, "0 0 0", start, crash(seconds(100)))
    Course.expect(.renew, "0 0 0", start, crash(seconds(1_800)))
    Course.expect(.renew, "0 1 0", start, crash(seconds(1_800, 1)))
    let end = seconds(3_000)
    Course.expect(.renew, "0 0 0", start, [byebye(seconds(1_800)).sent()], until: end)
    Course.expect(.renew, "0 1 0", start, [byebye(seconds(1_800, 1)).sent()], until: end)
    Course.expect(.renew, "0 0 0", known, [Course.down(0, at: seconds(5))], until: end)
    Course.expect(.renew, "0 0 0", known, [Course.up(0, "192.168.1.12/24", at: seconds(5))], until: end)
    Course.expect(.renew, "0 1 0", known, [Course.up(0, "192.168.1.10/24", at: seconds(5))], until: end)
    // An address on the same interface takes the place of the one before.
    let moved = alive(seconds(5)).by(IPAddress(192, 168, 1, 12))
    Course.expect(.renew, "0 0 0", start, [moved.sent()], until: seconds(1_801))
    Course.expect(.renew, "0 1 0", start, [moved.sent(over: 1)], until: seconds(1_801))
    // A renewal comes after a pause of fifteen seconds, or of a fifth of a short max-age.
    for (lease, pause) in [(10, 2_000), (74, 14_800), (75, 15_000), (1_800, 15_000)] as [(Int, Int64)] {
      func again(_ time: Interval) -> [Step] {
        [Interval.zero, time].map { alive($0, lease: "max-age=\(lease)").sent() }
      }
      Course.expect(.renew, "0 0 0", again(.at(pause)))
      Course.expect(.renew, "1 0 0", again(.at(pause, 1)))
    }
    // No lease that is known, no end of it.
    Course.expect(.renew, "0 0 0", [alive(.zero, lease: "max-age=0").sent()], until: end)
    Course.expect(.renew, "0 0 0", [alive(.zero, lease: "max-age").sent()], until: end)
    // A run lasts as long as anything is heard in it.
    Course.expect(.renew, "0 0 0", start, [alive(seconds(1_800)).heard(by: 1)])
    Course.expect(.renew, "0 1 0", start, [alive(seconds(1_801)).heard(by: 1)])
    Course.expect(.renew, "0 0 0", start, [Course.deed(.send, at: seconds(1_800))])
    Course.expect(.renew, "0 1 0", start, [Course.deed(.send, at: seconds(1_801))])
  }

  @Test("a crash ends a burst, a run of repetitions and byebyes, and the set behind it is the first of a start")
  func crashes() {
    func sent(_ times: Int64...) -> [Step] { times.map { alive(seconds($0), SetBoundTests.root).sent() } }
    func crash(_ milliseconds: Int64) -> [Step] { [Course.deed(.crash, at: .at(milliseconds))] }
    let type = [alive(.zero).sent()]
    Course.expect(.repeatMaximum, "1 0 0", sent(0, 1, 2), crash(2_500), sent(3, 4, 5))
    Course.expect(.serviceOne, "1 0 0", sent(0), type, crash(1_000), sent(2), until: seconds(30))
    Course.expect(.noPartial, "0 0 0", sent(0), type, [byebye(seconds(5)).sent()], crash(6_000), sent(100))
    let (whole, once) = (Said.sets(at: .zero).map { $0.sent() }, Said.set(at: seconds(300)).map { $0.sent() })
    Course.expect(.repeatSet, "1 1 0", whole, crash(200_000), once, until: seconds(400))
  }

  @Test("sixty renewals of the first message of a set are tested, and they may not all come at one share of max-age")
  func renewals() {
    /// The length of max-age in ten-thousandths.
    let unit = Interval.milliseconds(180)
    func talk(_ shares: [Int64]) -> [Said] {
      var time = Interval.zero
      return [alive(time)]
        + shares.map { share in
          time = time + unit * share
          return alive(time)
        }
    }
    let (heldHere, brokenHere, open) = (["1 0 0", "1 0 0"], ["0 1 0", "0 1 0"], ["0 0 1", "0 0 1"])
    let spread = (0..<20).map { Int64(1_000 + 200 * $0) }
    expect(.renewHalf, heldHere, talk(spread))
    expect(.renewHalf, open, talk(Array(spread.dropLast())))
    expect(.renewHalf, heldHere, talk(spread + [5_000, 5_000, 5_000]))
    // Within one hundredth of max-age they are all at one time.
    let close = (0..<20).map { Int64(2_000 + 5 * $0) }
    expect(.renewHalf, heldHere, talk(close + [2_100]))
    expect(.renewHalf, brokenHere, talk(close + [2_099]))
    // Sixteen of twenty near one end: the range that was seen, with a mean distance added on each side, decides.
    let low = [1_000] + Array(repeating: Int64(1_133), count: 15)
    expect(.renewHalf, heldHere, talk(low + [1_380, 1_380, 1_380, 1_380]))
    expect(.renewHalf, brokenHere, talk(low + [1_381, 1_381, 1_381, 1_381]))
    // Nineteen that are early enough say nothing, where the others are not too many.
    let half = Array(repeating: Int64(5_000), count: 41)
    expect(.renewHalf, open, talk(Array(repeating: 4_999, count: 19) + half))
    expect(.renewHalf, brokenHere, talk(Array(repeating: 2_500, count: 30) + Array(half.prefix(30))))
    expect(.renewHalf, brokenHere, talk(Array(repeating: 6_000, count: 61)))
    let set = (0..<10).flatMap { (round: Int64) -> [Said] in
      [SetBoundTests.root, Said.type, Said.service].enumerated().map { place, target in
        alive(.at(round * 400_000 + Int64(place)), target)
      }
    }
    expect(.renewHalf, open, set)
  }

  // MARK: - Starts

  @Test("waits before the first announcement are tested from thirty starts on, and each begins where the host was away")
  func starts() {
    func talk(_ waits: [Int64], of unit: Interval = .milliseconds(1), end: TraceEvent.Deed = .leave) -> [Step] {
      waits.enumerated().flatMap { place, wait -> [Step] in
        let time = seconds(Int64(place) * 1_000)
        return [
          Course.deed(.appear, at: time), alive(time + unit * wait, SetBoundTests.root).sent(),
          Course.deed(end, at: time + seconds(500)),
        ]
      }
    }
    let even = (1...30).map { Int64($0 * 100) }
    Course.expect(.startJitter, "1 0 0", talk(even))
    Course.expect(.startJitter, "1 0 0", talk(even, end: .vanish))
    Course.expect(.startJitter, "0 0 1", talk(Array(even.dropLast())))
    Course.expect(.startJitter, "0 1 0", talk(Array(repeating: 1_000, count: 30)))
    // Of a host 512 are kept.
    let many = Course.judged(talk(Array(repeating: 1_000, count: 512) + [5_000])).rows.map(\.finding)
    expectEqual(many.filter { $0.clause == .startJitter }.map(\.found), ["512 waits of at most 1.000000000 seconds"])
    // From no wait at all to a thirtieth above the largest, twenty-one of eleven nanoseconds are as many as may be.
    let low = Array(repeating: Int64(11), count: 21) + Array(repeating: 30, count: 9)
    Course.expect(.startJitter, "1 0 0", talk(low, of: .nanoseconds(1)))
    // A host that ended before it announced itself has not started.
    for deed in [TraceEvent.Deed.leave, .vanish, .crash, .reboot] {
      let steps = [Course.deed(.appear, at: .zero), Course.deed(deed, at: seconds(1)), alive(seconds(2)).sent()]
      Course.expect(.startJitter, "0 0 0", steps)
    }
    // After a crash, in a restart and in an update a host was never away.
    for deed in [TraceEvent.Deed.crash, .reboot, .update] {
      Course.expect(.startJitter, "0 0 1", talk(even, end: deed))
    }
  }

  // MARK: - UUIDs

  private func named(_ uuid: String, _ time: Interval, _ location: String = "http://192.168.1.10/d.xml") -> Said {
    Said.alive(["NT": SetBoundTests.root, "USN": "uuid:\(uuid)::upnp:rootdevice", "LOCATION": location]).later(time)
  }

  @Test("a root has the same UUID after each start and each move of its host")
  func stableNames() {
    let first = [named(Said.uuid, .zero).sent()]
    let (same, other) = ([named(Said.uuid, seconds(5)).sent()], [named(Said.otherUUID, seconds(5)).sent()])
    for deed in [TraceEvent.Deed.leave, .vanish, .crash, .reboot, .move] {
      let told = [Course.deed(deed, at: seconds(1))]
      Course.expect(.uuidStable, "1 0 0", first, told, same)
      Course.expect(.uuidStable, "0 1 0", first, told, other)
    }
    Course.expect(.uuidStable, "0 0 0", first, [Course.deed(.update, at: seconds(1))], other)
    Course.expect(.uuidStable, "0 0 0", first, other)
    let crash = [Course.deed(.crash, at: seconds(1))]
    Course.expect(.uuidStable, "0 1 0", first, crash, other, [named(Said.uuid, seconds(6)).sent()])
    // Another device of the host is no root.
    let part = [Said.named(Said.type, Said.otherUUID, at: seconds(2)).sent()]
    Course.expect(.uuidStable, "1 0 0", first, crash, part, same)
    Course.expect(.uuidStable, "0 0 0", first, [Course.deed(.appear, at: seconds(1))], other)
    // Of a host of a number from a million on (2 to the power of 20) only messages are judged.
    var start = Course.deed(.appear, at: .zero)
    start.host = 1 << 20
    let far = [named(Said.uuid, seconds(1)), byebye(seconds(100), SetBoundTests.root), named(Said.uuid, seconds(200))]
    Course.expect(.uuidStable, "1 0 0", [start], far.map { $0.sent(by: 1 << 20) })
    Course.expect(.startJitter, "0 0 0", [start], far.map { $0.sent(by: 1 << 20) })
    let twice = [Course.deed(.appear, at: .zero), named(Said.uuid, seconds(1)).sent()]
    Course.expect(.uuidStable, "0 1 0", twice, [Course.deed(.appear, at: seconds(2))], other)
  }

  @Test("in a capture a root that comes back has kept its UUID, and another of its LOCATION may be the same one")
  func doubtfulNames() {
    let first = named(Said.uuid, .zero)
    Said.expect(.uuidStable, "0 0 0", [first, named(Said.uuid, seconds(1))])
    let other = [named(Said.otherUUID, seconds(1)), named(Said.otherUUID, seconds(2))]
    Said.expect(.uuidStable, "0 0 1", [first], other)
    Said.expect(.uuidStable, "0 0 0", [first, named(Said.otherUUID, seconds(1), "http://192.168.1.10/other.xml")])
    // Two that say no LOCATION have none in common.
    let nameless = [Said.uuid, Said.otherUUID].map { uuid -> Said in
      Said.alive(["NT": SetBoundTests.root, "USN": "uuid:\(uuid)::upnp:rootdevice", "LOCATION": nil])
    }
    Said.expect(.uuidStable, "0 0 0", nameless)
    let back = [named(Said.uuid, seconds(2)), named(Said.uuid, seconds(3))]
    Said.expect(.uuidStable, "1 0 0", [first, byebye(seconds(1), SetBoundTests.root)], back)
    Said.expect(.uuidStable, "0 0 0", [first, byebye(seconds(1))], back)
    // Sixteen roots of a party are remembered.
    func several(_ count: Int) -> [Said] {
      (0..<count).map { named(String(Said.uuid.dropLast(2)) + String($0 + 16, radix: 16), seconds(Int64($0))) }
    }
    Said.expect(.uuidStable, "0 0 14", several(15))
    for count in 16...18 { Said.expect(.uuidStable, "0 0 15", several(count)) }
  }

  @Test("addresses that take turns are one device on one host, and without BOOTIDs it stays open")
  func sharedNames() {
    func said(_ bootID: String?, _ host: UInt8, _ time: Int64) -> Said {
      Said.alive(["BOOTID.UPNP.ORG": bootID]).later(seconds(time)).by(IPAddress(192, 168, 1, host))
    }
    Said.expect(.uuidUnique, "1 0 1", [said(nil, 10, 0), said(nil, 11, 5), said(nil, 10, 9)])
    Said.expect(.uuidUnique, "1 0 1", [said("7", 10, 0), said(nil, 11, 5), said("7", 10, 9)])
    Said.expect(.uuidUnique, "1 0 0", [said("7", 10, 0), said("7", 11, 5), said("7", 10, 9)])
    Said.expect(.uuidUnique, "1 0 0", [said("7", 10, 0), said("8", 11, 5), said("9", 12, 9), said("7", 10, 12)])
    Said.expect(.uuidUnique, "0 2 0", [said("7", 10, 0), said("8", 11, 5), said("7", 10, 9), said("8", 11, 13)])
    // A BOOTID of 0 is one as any other.
    Said.expect(.uuidUnique, "0 1 0", [said("0", 10, 0), said("8", 11, 5), said("0", 10, 9)])
    Said.expect(.uuidUnique, "0 1 0", [said("8", 10, 0), said("0", 11, 5), said("8", 10, 9)])
    Said.expect(.uuidUnique, "1 0 0", [said("0", 10, 0), said("0", 11, 5), said("0", 10, 9)])
    let last = said("7", 10, 6).with { $0.at = seconds(6, -1) }
    let two = [said("7", 10, 0).sent(), said("7", 11, 5).sent(by: 1)]
    Course.expect(.uuidUnique, "1 0 0", two, [last.sent()])
    Course.expect(.uuidUnique, "0 1 0", two, [said("7", 10, 6).sent()])
    let one = [said("7", 10, 0).sent(), said("7", 11, 5).sent(over: 1), said("7", 10, 9).sent()]
    Course.expect(.uuidUnique, "1 0 0", one)
  }
}
