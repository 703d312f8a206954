import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What BOOTIDs, updates, byebyes and new addresses show in a run, at the bounds of the times between them.
@Suite("BOOTIDs, updates and moves judged at their bounds")
struct BootBoundTests {
  private typealias Step = Course.Step

  private static let root = "upnp:rootdevice"
  private static let near = "192.168.1.10/24"
  private static let far = "10.0.0.10/8"

  private func alive(
    _ bootID: String, _ time: Interval, _ target: String = BootBoundTests.root,
    _ edits: KeyValuePairs<String, String?> = [:]
  ) -> Said {
    let names: KeyValuePairs<String, String?> = [
      "NT": target, "USN": "uuid:\(Said.uuid)::\(target)", "BOOTID.UPNP.ORG": bootID,
    ]
    return BootBoundTests.edited(Said.alive(names).later(time), edits)
  }

  private func byebye(_ bootID: String, _ time: Interval, _ target: String = BootBoundTests.root) -> Said {
    let names: KeyValuePairs<String, String?> = [
      "NT": target, "USN": "uuid:\(Said.uuid)::\(target)", "BOOTID.UPNP.ORG": bootID,
    ]
    return Said.notify("byebye", names).later(time)
  }

  private func update(
    _ bootID: String, _ next: String, _ time: Interval, _ target: String = BootBoundTests.root,
    _ edits: KeyValuePairs<String, String?> = [:]
  ) -> Said {
    let names: KeyValuePairs<String, String?> = [
      "NT": target, "USN": "uuid:\(Said.uuid)::\(target)", "BOOTID.UPNP.ORG": bootID, "NEXTBOOTID.UPNP.ORG": next,
    ]
    return BootBoundTests.edited(Said.notify("update", names).later(time), edits)
  }

  private static func edited(_ said: Said, _ edits: KeyValuePairs<String, String?>) -> Said {
    var said = said
    for (name, value) in edits {
      var lines = said.text.components(of: "\r\n")
      lines.removeAll { $0.hasPrefix(name + ":") }
      if let value { lines.insert("\(name): \(value)", at: 1) }
      said.text = lines.joined(separator: "\r\n")
    }
    return said
  }

  // MARK: - Updates that are owed

  @Test("updates are owed from the moment when an interface comes, and missed a nanosecond after thirty seconds")
  func owedUpdates() {
    let start = [Course.up(0, BootBoundTests.near, at: .zero), alive("7", .at(1_000)).sent()]
    let gained = start + [Course.up(1, BootBoundTests.far, at: .at(10_000))]
    func updated(_ time: Interval) -> Step { update("7", "8", time).sent() }
    func expect(_ tally: String, _ steps: [Step]..., until end: Interval, line: SourceLocation = #_sourceLocation) {
      Course.expect(.updateWhen, tally, steps.flatMap { $0 }, until: end, sourceLocation: line)
    }
    expect("0 0 0", gained, until: .at(40_000))
    expect("0 1 0", gained, until: .at(40_000, 1))
    expect("1 0 0", gained, [updated(.at(10_000))], until: .at(20_000))
    expect("1 0 0", gained, [updated(.at(40_000))], until: .at(99_000))
    expect("0 1 0", start, [updated(.at(10_000, -1))], Array(gained.suffix(1)), until: .at(40_000, 1))
    // One that comes too late is none, and a second one in time does not undo the first.
    expect("0 1 0", gained, [updated(.at(40_000, 1))], until: .at(99_000))
    expect("1 0 0", gained, [updated(.at(20_000)), update("8", "9", .at(50_000)).sent()], until: .at(99_000))
    // What the host is told next settles whether they were missed.
    expect(
      "1 0 0", gained, [Course.deed(.update, at: .at(40_000)), updated(.at(40_000))], until: .at(99_000))
    expect(
      "0 1 0", gained, [Course.deed(.update, at: .at(40_000, 1)), updated(.at(40_000, 2))], until: .at(99_000))
    expect("0 1 0", gained, [Course.deed(.leave, at: .at(40_000, 1))], until: .at(99_000))
    expect("0 0 0", gained, [Course.deed(.leave, at: .at(40_000))], until: .at(99_000))
    expect("0 0 0", gained, [Course.deed(.crash, at: .at(15_000))], until: .at(99_000))
  }

  @Test("updates are owed for an address that is new, on another interface where the device stands announced")
  func gains() {
    let start = [Course.up(0, BootBoundTests.near, at: .zero), Course.up(1, BootBoundTests.far, at: .zero)]
    let announced = start + [alive("7", .at(1_000)).sent()]
    func expect(_ tally: String, _ steps: [Step]..., line: SourceLocation = #_sourceLocation) {
      Course.expect(.updateWhen, tally, steps.flatMap { $0 }, until: .at(99_000), sourceLocation: line)
    }
    expect("0 0 0", announced)
    expect("0 0 0", announced, [Course.up(1, BootBoundTests.far, at: .at(10_000))])
    expect("0 1 0", announced, [Course.up(1, "10.0.0.11/8", at: .at(10_000))])
    expect("0 1 0", announced, [Course.up(1, BootBoundTests.far, "10.0.0.11/8", at: .at(10_000))])
    expect("0 0 0", announced, [Course.down(1, at: .at(10_000))])
    expect(
      "0 1 0", announced, [Course.down(1, at: .at(10_000)), Course.up(1, BootBoundTests.far, at: .at(20_000))])
    // It stands announced on the interface alone that changes, or no longer.
    expect("0 0 0", announced, [Course.up(0, BootBoundTests.near, "10.0.0.9/8", at: .at(10_000))])
    expect(
      "0 0 0", announced, [byebye("7", .at(5_000)).sent(), Course.up(1, "10.0.0.11/8", at: .at(10_000))])
  }

  @Test("a move owes updates from its own time on, where the device stands announced on another interface as well")
  func movesAndUpdates() {
    let (other, new) = (IPAddress(10, 0, 0, 10), IPAddress(192, 168, 1, 11))
    let (first, second) = (alive("7", .zero).sent(), alive("7", .zero).by(other).sent(over: 1))
    let told = Course.deed(.move, at: .at(20_000))
    let moved = [told, alive("8", .at(21_000)).by(new).sent()]
    let updated = [update("8", "9", .at(30_000)).by(new).sent()]
    Course.expect(.updateWhen, "0 0 0", [first, second], moved, until: .at(50_000))
    Course.expect(.updateWhen, "0 1 0", [first, second], moved, until: .at(50_000, 1))
    Course.expect(.updateWhen, "1 0 0", [first, second], moved, updated, until: .at(99_000))
    Course.expect(.updateWhen, "0 0 0", [first], moved, until: .at(99_000))
    // Nothing is owed where the address before stands on.
    let joined = [told, alive("8", .at(21_000)).by(other).sent(over: 1)]
    Course.expect(.updateWhen, "0 0 0", [first], joined, until: .at(99_000))
  }

  // MARK: - Departures

  @Test("a device that leaves owes byebyes for thirty seconds, for whatever is valid when the first of them is sent")
  func departures() {
    func service(_ lease: String) -> Step {
      alive("7", .zero, Said.service, ["CACHE-CONTROL": "max-age=\(lease)"]).sent()
    }
    let stands = [alive("7", .zero).sent()]
    func gone(_ time: Interval) -> [Step] { [byebye("7", time).sent()] }
    func told(_ deed: TraceEvent.Deed) -> [Step] { [Course.deed(deed, at: .at(5_000))] }
    func expect(_ tally: String, _ steps: [Step]..., until end: Interval, line: SourceLocation = #_sourceLocation) {
      Course.expect(.byebyeSend, tally, steps.flatMap { $0 }, until: end, sourceLocation: line)
    }
    expect("1 0 0", [service("5")], stands, gone(.at(5_000)), until: .at(40_000))
    expect("0 1 0", [service("5")], stands, gone(.at(5_000, -1)), until: .at(40_000))
    // A lease of no seconds is over at once.
    expect("1 0 0", [service("0")], stands, gone(.at(500)), until: .at(40_000))
    expect("0 0 0", stands, told(.leave), until: .at(35_000))
    expect("0 1 0", stands, told(.leave), until: .at(35_000, 1))
    expect("0 0 0", stands, told(.leave), gone(.at(6_000)), until: .at(35_000))
    expect("1 0 0", stands, told(.leave), gone(.at(6_000)), until: .at(35_000, 1))
    // A byebye in the last of the thirty seconds counts, a later one does not.
    let both = [alive("7", .zero).sent(), alive("7", .zero, Said.service).sent()]
    func rest(_ time: Interval) -> [Step] { [byebye("7", time, Said.service).sent()] }
    expect("1 0 0", both, gone(.at(5_000)), rest(.at(35_000)), until: .at(36_000))
    expect("0 1 0", both, gone(.at(5_000)), rest(.at(35_000, 1)), until: .at(36_000))
    // An announcement shows that the departure is over.
    let back = [alive("8", .at(6_000)).sent()]
    expect("0 1 0", stands, told(.reboot), back, until: .at(7_000))
    expect("1 0 0", stands, told(.reboot), gone(.at(5_500)), back, until: .at(7_000))
    // A crash owes no byebyes, and neither does an interface that is down.
    for deed in [TraceEvent.Deed.crash, .vanish] { expect("0 0 0", stands, told(deed), back, until: .at(99_000)) }
    let lost = [Course.up(0, BootBoundTests.near, at: .zero)] + stands + [Course.down(0, at: .at(4_000))]
    expect("0 0 0", lost, told(.leave), until: .at(99_000))
    expect("0 0 0", told(.leave), until: .at(99_000))
    // A crash ends a departure that has begun, and an interface that keeps its address keeps what is announced.
    expect("0 0 0", both, gone(.at(5_000)), [Course.deed(.crash, at: .at(6_000))], until: .at(99_000))
    let kept = [
      Course.up(0, BootBoundTests.near, at: .zero), stands[0],
      Course.up(0, BootBoundTests.near, "192.168.1.9/24", at: .at(4_000)),
    ]
    expect("0 1 0", kept, told(.leave), until: .at(99_000))
    // What was missing once is not missed again, and an address that another one replaced is not left any more.
    let leaves = [alive("8", .at(40_000)).sent(), byebye("8", .at(45_000)).sent()]
    expect("1 1 0", both, told(.leave), leaves, until: .at(75_000, 1))
    let new = IPAddress(192, 168, 1, 11)
    let (there, farewell) = (alive("7", .at(1_000)).by(new).sent(), byebye("7", .at(6_000)).by(new).sent())
    expect("1 0 0", stands, [there], told(.leave), [farewell], until: .at(35_000, 1))
    // In a capture byebyes may be lost.
    let (root, part) = (alive("7", .zero), alive("7", .zero, Said.service))
    Said.expect(.byebyeSend, "0 0 1", [root, part, byebye("7", .at(5_000)), alive("8", .at(40_000))])
  }

  @Test("of the messages of a device 128 are remembered, each of which it revokes when it leaves")
  func manyMessages() {
    let talk = (0..<129).map { alive("7", .zero, "urn:rollcall-example:service:Part\($0):1").sent() }
    for (count, missing) in [(127, 127), (129, 128)] {
      let steps = Array(talk.prefix(count)) + [Course.deed(.leave, at: .at(5_000))]
      let findings = Course.judged(steps, until: .at(35_000, 1)).rows.map(\.finding)
      expectEqual(findings.filter { $0.clause == .byebyeSend }.map(\.found), ["none for \(missing) of them"])
    }
  }

  // MARK: - Another address

  @Test("thirty seconds after a move all that the old address had announced is revoked and announced from the new one")
  func moves() {
    let announced = [alive("7", .zero).sent(), alive("7", .at(1), Said.service).sent()]
    let told = [Course.deed(.move, at: .at(20_000))]
    let left = [byebye("7", .at(20_000)).sent(), byebye("7", .at(20_000), Said.service).sent()]
    let new = IPAddress(192, 168, 1, 11)
    let there: KeyValuePairs<String, String?> = ["LOCATION": "http://192.168.1.11:49152/description.xml"]
    func again(_ target: String) -> Step { alive("8", .at(21_000), target, there).by(new).sent() }
    let both = [again(BootBoundTests.root), again(Said.service)]
    let whole = announced + told + left + both
    func expect(_ tallies: [String], _ steps: [Step]..., until end: Interval, line: SourceLocation = #_sourceLocation) {
      let judgement = Course.judged(steps.flatMap { $0 }, until: end)
      let found = [judgement.sum(.addressChangeRevoke), judgement.sum(.addressChangeAnnounce)]
      expectEqual(found, tallies, "\(judgement.lines)", sourceLocation: line)
    }
    expect(["0 0 0", "0 0 0"], whole, until: .at(51_000))
    expect(["1 0 0", "1 0 0"], whole, until: .at(51_000, 1))
    expect(["1 0 0", "0 1 0"], announced, told, left, Array(both.prefix(1)), until: .at(51_000, 1))
    expect(["0 1 0", "1 0 0"], announced, told, Array(left.prefix(1)), both, until: .at(51_000, 1))
    // A part that was revoked before the move need not be announced; one that is revoked with it has to be.
    let before = [byebye("7", .at(20_000, -1), Said.service).sent()]
    let root = Array(both.prefix(1))
    expect(["1 0 0", "1 0 0"], announced, before, told, Array(left.prefix(1)), root, until: .at(51_000, 1))
    expect(
      ["1 0 0", "0 1 0"], announced, told, Array(left.reversed()), root, until: .at(51_000, 1))
    // The byebyes may come from the new address.
    let late = left.indices.map { place -> Step in
      byebye("7", .at(22_000), place == 0 ? BootBoundTests.root : Said.service).by(new).sent()
    }
    expect(["1 0 0", "1 0 0"], announced, told, both, late, until: .at(51_000, 1))
    // A departure ends the time in which it is looked at, and a crash forgives all.
    expect(["0 0 0", "0 0 0"], whole, [Course.deed(.leave, at: .at(51_000))], until: .at(99_000))
    expect(["1 0 0", "1 0 0"], whole, [Course.deed(.leave, at: .at(51_000, 1))], until: .at(99_000))
    expect(["0 0 0", "0 0 0"], whole, [Course.deed(.crash, at: .at(60_000))], until: .at(99_000))
    expect(
      ["0 0 0", "0 0 0"], announced, told, [Course.deed(.crash, at: .at(20_500))], both, until: .at(51_000, 1))
    // What comes after thirty seconds comes too late.
    func rest(_ time: Interval) -> [Step] { [alive("8", time, Said.service, there).by(new).sent()] }
    expect(["1 0 0", "1 0 0"], announced, told, left, root, rest(.at(51_000)), until: .at(99_000))
    expect(["1 0 0", "0 1 0"], announced, told, left, root, rest(.at(51_000, 1)), until: .at(99_000))
    let tardy = [byebye("8", .at(51_000, 1), Said.service).by(new).sent()]
    expect(["0 1 0", "1 0 0"], announced, told, Array(left.prefix(1)), both, tardy, until: .at(99_000))
    expect(["0 0 0", "0 0 0"], announced, both, until: .at(99_000))
  }

  @Test("an interface that changes its address moves what is announced there, one that was down in between does not")
  func changes() {
    let start = [Course.up(0, BootBoundTests.near, at: .zero), alive("7", .at(1_000)).sent()]
    let new = "192.168.1.11/24"
    let again = [alive("8", .at(21_000)).by(IPAddress(192, 168, 1, 11)).sent()]
    let changed = [Course.up(0, new, at: .at(20_000))]
    let down = [Course.down(0, at: .at(20_000)), Course.up(0, new, at: .at(20_500))]
    Course.expect(.addressChangeRevoke, "0 1 0", start, changed, again, until: .at(61_000))
    Course.expect(.addressChangeAnnounce, "1 0 0", start, changed, again, until: .at(61_000))
    Course.expect(.addressChangeRevoke, "0 0 0", start, down, again, until: .at(61_000))
    Course.expect(.addressChangeAnnounce, "0 0 0", start, down, again, until: .at(61_000))
  }

  @Test("in a capture sixteen addresses of a device are remembered, each of which it may have left for a new one")
  func addresses() {
    for (count, open) in [(15, 105), (16, 120), (17, 136), (18, 152)] as [(UInt8, Int)] {
      let talk = (0..<count).map { alive("7", .seconds(Int64($0))).by(IPAddress(192, 168, 2, $0 + 1)) }
      Said.expect(.addressChangeRevoke, "0 0 \(open)", talk)
    }
    // An answer is none of them, not even one that goes to the group.
    let answer = Said.answer().with { $0.to = Endpoint(.ssdpGroup4, port: 1_900) }
    let talk = [alive("7", .zero), answer.by(IPAddress(192, 168, 2, 1)).later(.at(1_000))]
    Said.expect(.addressChangeRevoke, "0 0 0", talk)
  }

  @Test("of hosts from number 2²⁰ on a run tells no moves: two addresses of one may be its own, as in a capture")
  func manyHosts() {
    let host: Int32 = 1 << 20
    let moved = alive("7", .at(1_000)).by(IPAddress(192, 168, 1, 11))
    Course.expect(.addressChangeRevoke, "0 0 1", [alive("7", .zero).sent(by: host), moved.sent(by: host)])
    Course.expect(.addressChangeRevoke, "0 0 0", [alive("7", .zero).sent(), moved.sent()])
  }

  // MARK: - BOOTIDs

  @Test("in a run a BOOTID changes where something happened that changes it, and once for each of these")
  func changingBootIDs() {
    let first = [alive("7", .zero).sent()]
    let second = [alive("8", .at(5_000)).sent()]
    let third = [alive("9", .at(6_000)).sent()]
    func told(_ deed: TraceEvent.Deed) -> [Step] { [Course.deed(deed, at: .at(4_000))] }
    Course.expect(.bootIDSame, "0 1 0", first, second)
    Course.expect(.bootIDSame, "1 1 0", first, second, [alive("7", .at(6_000)).sent()])
    for deed in [TraceEvent.Deed.update, .move, .crash, .vanish] {
      Course.expect(.bootIDSame, "0 0 0", first, told(deed), second)
      Course.expect(.bootIDSame, "0 1 0", first, told(deed), second, third)
    }
    Course.expect(.bootIDSame, "0 1 0", first, told(.reconfigure), second)
    let odd = [Said.alive(["NTS": "ssdp:else"]).later(.at(4_000)).sent()]
    Course.expect(.bootIDSame, "0 0 0", first, odd, second)
    Course.expect(.bootIDSame, "1 0 0", first, [byebye("7", .at(4_000)).sent()], second)
    // An interface that comes changes it, and so does another address of the interface, but not one of another.
    let start = [Course.up(0, BootBoundTests.near, at: .zero), alive("7", .at(1_000)).sent()]
    Course.expect(.bootIDSame, "0 0 0", start, [Course.up(1, BootBoundTests.far, at: .at(4_000))], second)
    Course.expect(.bootIDSame, "0 1 0", start, [Course.up(0, BootBoundTests.near, at: .at(4_000))], second)
    Course.expect(.bootIDSame, "0 0 0", first, [alive("8", .at(5_000)).by(IPAddress(192, 168, 1, 11)).sent()])
    let other = alive("8", .at(5_000)).by(IPAddress(10, 0, 0, 10)).sent(over: 1)
    Course.expect(.bootIDSame, "0 1 0", first, [other])
    // An update says what comes next, a byebye of a part says nothing.
    Course.expect(.bootIDSame, "1 0 0", first, [update("7", "8", .at(4_000)).sent()], second)
    Course.expect(.bootIDSame, "1 1 0", first, [update("7", "8", .at(4_000)).sent()], second, third)
    Course.expect(.bootIDSame, "0 1 0", first, [update("8", "9", .at(4_000)).sent()])
    Course.expect(.bootIDSame, "0 1 0", first, [byebye("8", .at(4_000)).sent()])
    Course.expect(.bootIDSame, "1 1 0", first, [byebye("7", .at(4_000), Said.type).sent()], second)
    // Answers have the value of the announcements.
    func answer(_ bootID: String) -> [Step] {
      let root: KeyValuePairs<String, String?> = [
        "ST": BootBoundTests.root, "USN": "uuid:\(Said.uuid)::upnp:rootdevice", "BOOTID.UPNP.ORG": bootID,
      ]
      return [Said.answer(root).later(.at(5_000)).sent()]
    }
    Course.expect(.bootIDSame, "1 0 0", first, answer("7"))
    Course.expect(.bootIDSame, "0 1 0", first, answer("8"))
    // A value of 0 is one as any other, also where NEXTBOOTID names it.
    let zero = [alive("0", .zero).sent()]
    Course.expect(.bootIDSame, "0 1 0", zero, [alive("1", .at(5_000)).sent()])
    Course.expect(.bootIDSame, "1 0 0", zero, [alive("0", .at(5_000)).sent()])
    let most = "2147483647"
    let turned = [alive(most, .zero).sent(), update(most, "0", .at(4_000)).sent()]
    Course.expect(.bootIDSame, "1 0 0", turned, answer("0"))
    // A message of no known kind is not asked for one.
    Course.expect(.bootIDEverywhere, "0 0 0", odd)
  }

  @Test("the first announcement after a start, and after an interface comes, has a BOOTID above the one before")
  func growingBootIDs() {
    let first = [alive("7", .zero).sent()]
    func again(_ bootID: String) -> [Step] { [alive(bootID, .at(6_000)).sent()] }
    for deed in [TraceEvent.Deed.crash, .vanish, .reboot, .leave] {
      let told = [Course.deed(deed, at: .at(4_000))]
      for (bootID, tally) in [("6", "0 1 0"), ("7", "0 1 0"), ("8", "1 0 0")] {
        Course.expect(.bootIDGrows, tally, first, told, again(bootID))
      }
      let part = [alive("7", .at(6_001), Said.service).sent()]
      Course.expect(.bootIDGrows, "0 1 0", first, told, again("7"), part)
    }
    Course.expect(.bootIDGrows, "0 0 0", first, [Course.deed(.update, at: .at(4_000))], again("7"))
    // After a crash a value of 0 has to be exceeded as well, and from another address the one before.
    let crash = [Course.deed(.crash, at: .at(4_000))]
    for (bootID, tally) in [("0", "0 1 0"), ("1", "1 0 0")] {
      Course.expect(.bootIDGrows, tally, [alive("0", .zero).sent()], crash, again(bootID))
    }
    for (bootID, tally) in [("7", "0 1 0"), ("8", "1 0 0")] {
      let moved = [alive(bootID, .at(6_000)).by(IPAddress(192, 168, 1, 11)).sent()]
      Course.expect(.bootIDGrows, tally, first, crash, moved)
    }
    let start = [Course.up(0, BootBoundTests.near, at: .zero)] + first
    let back = [Course.down(0, at: .at(4_000)), Course.up(0, BootBoundTests.near, at: .at(5_000))]
    let second = [Course.up(1, BootBoundTests.far, at: .at(4_000))]
    for (bootID, tally) in [("7", "0 1 0"), ("8", "1 0 0")] {
      Course.expect(.bootIDGrows, tally, start, back, again(bootID))
      let there = [alive(bootID, .at(6_000)).by(IPAddress(10, 0, 0, 10)).sent(over: 1)]
      Course.expect(.bootIDGrows, tally, start, second, there)
    }
  }

  @Test("the BOOTID to exceed is the one in force when the device comes back, and it is exceeded once")
  func floorsOfBootIDs() {
    func far(_ bootID: String, _ time: Interval) -> Step {
      alive(bootID, time).by(IPAddress(10, 0, 0, 10)).sent(over: 1)
    }
    // After the byebye on one interface the device has a lower one on the other.
    let up = [Course.up(0, BootBoundTests.near, at: .zero), Course.up(1, BootBoundTests.far, at: .zero)]
    let left = [
      alive("7", .at(1_000)).sent(), far("7", .at(1_000)), byebye("7", .at(4_000)).sent(), far("5", .at(5_000)),
    ]
    let crash = [Course.deed(.crash, at: .at(6_000))]
    let back = [Course.down(0, at: .at(6_000)), Course.up(0, BootBoundTests.near, at: .at(6_500))]
    for (bootID, tally) in [("5", "0 1 0"), ("6", "1 0 0")] {
      let again = [alive(bootID, .at(7_000)).sent()]
      Course.expect(.bootIDGrows, tally, up, left, crash, again)
      Course.expect(.bootIDGrows, tally, up, left, back, again)
    }
    let moves = [
      alive("8", .at(2_000)).sent(), alive("8", .at(3_000)).by(IPAddress(192, 168, 1, 11)).sent(),
      alive("8", .at(4_000)).sent(),
    ]
    Course.expect(.bootIDGrows, "1 0 0", [alive("7", .zero).sent(), byebye("7", .at(1_000)).sent()], moves)
  }

  // MARK: - Updates

  /// In a run and in a capture.
  private func expect(
    _ clause: ClauseID, _ tallies: [String], _ talk: [Said], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = [Course.judged(talk.map { $0.sent() }).sum(clause), Said.judged(talk).sum(clause)]
    expectEqual(found, tallies, "\(clause)", sourceLocation: sourceLocation)
  }

  @Test("NEXTBOOTID is above BOOTID and comes next, and the update of the root is the first of those that name it")
  func updates() {
    let (first, told) = (alive("7", .zero), update("7", "8", .at(4_000)))
    expect(.updateNext, ["1 0 0", "1 0 0"], [first, told, alive("8", .at(5_000)), alive("8", .at(6_000))])
    expect(.updateNext, ["1 0 0", "1 0 0"], [first, told, alive("7", .at(5_000)), alive("8", .at(6_000))])
    expect(.updateNext, ["0 1 0", "0 0 1"], [first, told, alive("9", .at(5_000))])
    for next in ["7", "6"] { expect(.updateNext, ["0 1 0", "0 1 0"], [first, update("7", next, .at(4_000))]) }
    let zero = alive("0", .zero)
    expect(.updateNext, ["0 1 0", "0 1 0"], [zero, update("0", "0", .at(4_000))])
    expect(.updateNext, ["1 0 0", "1 0 0"], [zero, update("0", "1", .at(4_000)), alive("1", .at(5_000))])
    let most = "2147483647"
    let turned = [alive(most, .zero), update(most, "0", .at(4_000)), alive("0", .at(5_000))]
    expect(.updateNext, ["1 0 0", "1 0 0"], turned)
    let crashed = [first.sent(), told.sent(), Course.deed(.crash, at: .at(4_500)), alive("9", .at(5_000)).sent()]
    Course.expect(.updateNext, "0 0 0", crashed)

    let type = update("7", "8", .at(4_000), Said.type)
    expect(.updateBefore, ["0 0 0", "0 0 0"], [first, told, update("7", "8", .at(4_001), Said.type)])
    expect(.updateBefore, ["0 1 0", "0 0 1"], [first, type, update("7", "8", .at(4_001))])
    let later = update("8", "9", .at(9_000), Said.type)
    expect(.updateBefore, ["1 2 0", "1 0 2"], [first, type, alive("8", .at(5_000)), later])
    expect(.updateBefore, ["1 1 0", "1 0 0"], [first, told, alive("8", .at(5_000)), update("7", "8", .at(5_000))])
  }

  @Test("LOCATION of an update is the one announced last or the one before it")
  func locations() {
    func at(_ place: Int) -> KeyValuePairs<String, String?> { ["LOCATION": "http://192.168.1.10/\(place)"] }
    func said(_ place: Int, _ time: Interval) -> Said { alive("7", time, BootBoundTests.root, at(place)) }
    let told = update("7", "8", .at(4_000), BootBoundTests.root, at(1))
    expect(.updateLocation, ["1 0 0", "1 0 0"], [said(1, .zero), told])
    expect(.updateLocation, ["1 0 0", "1 0 0"], [said(1, .zero), said(2, .at(1_000)), told])
    expect(.updateLocation, ["1 0 0", "1 0 0"], [said(1, .zero), said(2, .at(1_000)), said(2, .at(2_000)), told])
    expect(.updateLocation, ["0 1 0", "0 0 1"], [said(1, .zero), said(2, .at(1_000)), said(3, .at(2_000)), told])
    let other = update("7", "8", .at(4_000), Said.type, at(2))
    expect(.updateLocation, ["0 0 0", "0 0 0"], [said(1, .zero), other])
    // Announcements of UDA 1.1 bind, those of UDA 1.0 and those without a LOCATION do not.
    func server(_ version: String) -> KeyValuePairs<String, String?> { ["SERVER": "Linux/6 UPnP/\(version) Product/1"] }
    let plain = update("7", "8", .at(4_000))
    expect(.updateLocation, ["1 0 0", "1 0 0"], [alive("7", .zero, BootBoundTests.root, server("1.1")), plain])
    let newer = update("7", "8", .at(4_000), BootBoundTests.root, server("2.0"))
    expect(.updateLocation, ["0 0 0", "0 0 0"], [alive("7", .zero, BootBoundTests.root, server("1.0")), newer])
    expect(.updateLocation, ["0 0 0", "0 0 0"], [alive("7", .zero, BootBoundTests.root, ["LOCATION": nil]), plain])
  }

  @Test("a byebye repeats an announcement to the letter, and one that comes before it is in order once it has come")
  func pairs() {
    let gone = byebye("7", .at(1_000))
    expect(.byebyePair, ["1 0 0", "1 0 0"], [alive("7", .zero), gone])
    expect(.byebyePair, ["2 0 0", "2 0 0"], [byebye("7", .zero), gone, alive("7", .at(2_000))])
    expect(.byebyePair, ["0 1 0", "0 0 1"], [byebye("7", .zero), gone])
    expect(.byebyePair, ["0 1 0", "0 0 1"], [alive("7", .zero), byebye("7", .at(1_000), Said.type)])
    // In a capture an answer shows what was announced before it; in a run everything was heard.
    let answer = Said.answer(["ST": BootBoundTests.root, "USN": "uuid:\(Said.uuid)::upnp:rootdevice"])
    expect(.byebyePair, ["0 1 0", "1 0 0"], [answer, gone])
    expect(.byebyePair, ["0 1 0", "0 0 1"], [answer, byebye("7", .at(1_000), Said.type)])
    let loud = Said.notify(
      "byebye", ["NT": BootBoundTests.root, "USN": "uuid:\(Said.uuid.uppercased())::upnp:rootdevice"])
    expect(.byebyePair, ["0 1 0", "0 1 0"], [alive("7", .zero), loud.later(.at(1_000))])
  }
}
