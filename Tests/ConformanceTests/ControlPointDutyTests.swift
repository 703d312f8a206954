import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a control point makes of leases, answers and BOOTIDs, at the bounds of its times and a nanosecond beyond.
@Suite("Duties of control points judged at their bounds")
struct ControlPointDutyTests {
  private typealias Step = Course.Step

  private static let device = "uuid:" + Said.uuid
  private static let otherDevice = "uuid:" + Said.otherUUID
  private static let root = "upnp:rootdevice"

  private func seconds(_ count: Int64, _ nanoseconds: Int64 = 0) -> Interval { .at(count * 1_000, nanoseconds) }

  private func hears(_ said: Said, _ time: Interval) -> Step { said.later(time).heard() }
  private func sends(_ said: Said, _ time: Interval) -> Step { said.later(time).sent() }
  private func tells(_ report: Report, _ time: Interval) -> Step { Course.note(.told(report), at: time) }

  private func sighting(_ device: String, _ bootID: UInt32?) -> DeviceSighting {
    DeviceSighting(
      device: device, location: nil, source: IPAddress(192, 168, 1, 10), interface: InterfaceID(0), bootID: bootID)
  }
  private func found(
    _ time: Interval, _ device: String = ControlPointDutyTests.device, _ bootID: UInt32? = 7
  ) -> Step { tells(.found(sighting(device, bootID)), time) }
  private func lost(_ cause: LossCause, _ time: Interval) -> Step {
    tells(.lost(device: ControlPointDutyTests.device, cause: cause), time)
  }
  private func asks(_ number: UInt32, _ time: Interval = .zero) -> Step {
    Course.note(.asked(search: number), at: time)
  }
  private func ends(_ number: UInt32, _ time: Interval, wasStopped: Bool = false) -> Step {
    let outcome = SearchOutcome(
      search: SearchID(number), target: "ssdp:all", services: [], wasStopped: wasStopped)
    return tells(.searchEnded(outcome), time)
  }
  private func leased(_ maxAge: Int, _ time: Interval = .zero) -> Step {
    hears(.alive(["CACHE-CONTROL": "max-age=\(maxAge)"]), time)
  }

  // MARK: - Leases

  /// What is judged of `UDA-1.2.2-CP-EXPIRE` and of `UDA-1.2.2-CP-ANYALIVE`.
  private func expect(
    _ tallies: [String], _ parts: [Step]..., until end: Interval, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let judgement = Course.judged(parts.flatMap { $0 }, until: end)
    let found = [judgement.sum(.expire), judgement.sum(.anyAlive)]
    expectEqual(found, tallies, "\(judgement.lines)", sourceLocation: sourceLocation)
  }

  @Test("a device is given up from a second before to a second after its lease ends, and not kept longer")
  func leases() {
    let start = [hears(.alive(), .zero), found(.zero)]
    let end = seconds(3_600)
    expect(["0 1 0", "0 0 0"], start, [lost(.expired, seconds(1_799, -1))], until: end)
    expect(["1 0 0", "1 0 0"], start, [lost(.expired, seconds(1_799))], until: end)
    expect(["1 0 0", "1 0 0"], start, [lost(.expired, seconds(1_801))], until: end)
    expect(["0 1 0", "0 0 0"], start, [lost(.expired, seconds(1_801, 1))], until: end)
    expect(["0 0 0", "0 0 0"], start, until: seconds(1_801))
    expect(["0 1 0", "0 0 0"], start, until: seconds(1_801, 1))
    let renewed = start + [hears(.alive(), seconds(900))]
    expect(["0 1 0", "0 0 0"], renewed, [lost(.expired, seconds(1_800))], until: end)
    expect(["1 0 0", "1 0 0"], renewed, [lost(.expired, seconds(2_700))], until: end)
    // What is lost otherwise has not expired, and after a byebye each control point decides for itself.
    expect(["0 0 0", "0 0 0"], start, [lost(.byebye, seconds(1_900))], until: end)
    let left = [hears(.notify("byebye"), seconds(5)), lost(.expired, seconds(9))]
    expect(["0 0 0", "0 0 0"], start, left, until: end)
    // After a loss leases begin anew, shorter ones as well.
    let anew = [lost(.byebye, seconds(50)), leased(0, seconds(60)), found(seconds(60)), lost(.expired, seconds(61))]
    expect(["1 0 0", "1 0 0"], start, anew, until: end)
    // Of a device that was found otherwise no lease is known.
    let unheard = [hears(.alive(["USN": "uuid:\(Said.otherUUID)::\(Said.type)"]), .zero), found(.zero)]
    expect(["0 0 0", "0 0 0"], unheard, [lost(.expired, seconds(5))], until: seconds(9))
    expect(["0 0 0", "0 0 0"], unheard, until: seconds(9))
  }

  @Test("a lease that is broken names its device and the entry of its loss, and at the end of a run no entry")
  func leaseFindings() {
    func rows(_ parts: [Step]..., until end: Interval) -> [String] {
      let judgement = Course.judged(parts.flatMap { $0 }, until: end)
      return judgement.rows.filter { $0.finding.clause == .expire }.map { row in
        "\(row.finding.position) at \(row.finding.time): \(row.device ?? "no device")"
      }
    }
    let start = [hears(.alive(), .zero), found(.zero)]
    let device = ControlPointDutyTests.device
    expectEqual(rows(start, [lost(.expired, seconds(9))], until: seconds(99)), ["3 at 1009.000000000: \(device)"])
    expectEqual(rows(start, until: seconds(1_802)), ["0 at 2802.000000000: \(device)"])
  }

  @Test("leases of up to a day count, and those that grow shorter are for each control point to decide")
  func leaseLengths() {
    let end = seconds(90_000)
    func kept(_ maxAge: Int) -> [Step] { [leased(maxAge), found(.zero)] }
    expect(["1 0 0", "1 0 0"], kept(86_400), [lost(.expired, seconds(86_400))], until: end)
    expect(["0 1 0", "0 0 0"], kept(86_400), [lost(.expired, seconds(100))], until: end)
    expect(["0 0 0", "0 0 0"], kept(86_401), [lost(.expired, seconds(100))], until: end)
    expect(["1 0 0", "1 0 0"], kept(0), [lost(.expired, seconds(1))], until: end)
    expect(["0 1 0", "0 0 0"], kept(0), [lost(.expired, seconds(1, 1))], until: end)
    let open = [hears(.alive(["CACHE-CONTROL": nil]), .zero), found(.zero)]
    expect(["0 0 0", "0 0 0"], open, [lost(.expired, seconds(5))], until: end)
    expect(["0 0 0", "0 0 0"], kept(100), [leased(99, seconds(1)), lost(.expired, seconds(2))], until: end)
    expect(["0 1 0", "0 0 0"], kept(100), [leased(100, seconds(1)), lost(.expired, seconds(100, -1))], until: end)
    expect(["1 0 0", "1 0 0"], kept(100), [leased(100, seconds(1)), lost(.expired, seconds(100))], until: end)
  }

  @Test("the lease of a part keeps a device whose own has ended, and that of all that share its description")
  func sharedLeases() {
    let own: KeyValuePairs<String, String?> = [
      "CACHE-CONTROL": "max-age=1000", "NT": ControlPointDutyTests.root, "USN": "uuid:\(Said.uuid)::upnp:rootdevice",
    ]
    let both = [hears(.alive(own), .zero), hears(.alive(), .zero), found(.zero)]
    let end = seconds(2_000)
    expect(["0 0 0", "0 1 0"], both, [lost(.expired, seconds(1_000))], until: end)
    expect(["0 1 0", "0 0 0"], both, [lost(.expired, seconds(1_000, -1))], until: end)
    expect(["1 0 0", "1 0 0"], both, [lost(.expired, seconds(1_800))], until: end)

    func two(_ location: String) -> [Step] {
      let other = Said.alive(["USN": "uuid:\(Said.otherUUID)::\(Said.type)", "LOCATION": location])
      let named = found(.zero, ControlPointDutyTests.otherDevice)
      return [leased(100), hears(other, .zero), found(.zero), named]
    }
    let same = two("http://192.168.1.10:49152/description.xml")
    let apart = two("http://192.168.1.10:49152/other.xml")
    expect(["1 0 0", "1 0 0"], same, [lost(.expired, seconds(100))], until: seconds(1_801))
    expect(["1 0 0", "1 0 0"], same, [lost(.expired, seconds(1_000))], until: seconds(1_801))
    expect(["0 1 0", "0 0 0"], apart, [lost(.expired, seconds(1_000))], until: seconds(1_801))
    expect(["0 0 0", "0 0 0"], same, until: seconds(1_801))
    expect(["0 2 0", "0 0 0"], same, until: seconds(1_801, 1))
    // Devices without LOCATION share nothing.
    let bare = [
      hears(.alive(["CACHE-CONTROL": "max-age=100", "LOCATION": nil]), .zero),
      hears(.alive(["LOCATION": nil, "USN": "uuid:\(Said.otherUUID)::\(Said.type)"]), .zero),
      found(.zero), found(.zero, ControlPointDutyTests.otherDevice),
    ]
    expect(["0 1 0", "0 0 0"], bare, [lost(.expired, seconds(1_000))], until: seconds(1_801))
  }

  // MARK: - Searches and answers

  @Test("an answer was asked for up to ten seconds after MX has run since the last copy of a search of its socket")
  func solicited() {
    let asked = [asks(1), sends(.search(), .zero)]
    func answer(_ time: Interval) -> Step { hears(.answer(), time) }
    func expect(_ tally: String, _ parts: [Step]..., line: SourceLocation = #_sourceLocation) {
      Course.expect(.unsolicited, tally, parts.flatMap { $0 }, until: seconds(99), sourceLocation: line)
    }
    expect("0 0 0", asked, [answer(seconds(13))])
    expect("0 0 0", asked, [answer(seconds(13)), found(seconds(13))])
    expect("1 0 0", asked, [answer(seconds(13, 1))])
    expect("0 1 0", asked, [answer(seconds(13, 1)), found(seconds(13, 1))])
    // What is found later has another reason.
    expect("1 0 0", asked, [answer(seconds(13, 1)), found(seconds(13, 2))])
    let copied = asked + [sends(.search(), seconds(1))]
    expect("0 0 0", copied, [answer(seconds(14))])
    expect("1 0 0", copied, [answer(seconds(14, 1))])
    expect("1 0 0", asked, [hears(Said.answer().with { $0.to.port = 50_001 }, seconds(1))])
    // A unicast search, and an MX below one, count for a second.
    for said in [Said.unicastSearch(), .search(["MX": "0"])] {
      expect("0 0 0", [asks(1), sends(said, .zero), answer(seconds(11))])
      expect("1 0 0", [asks(1), sends(said, .zero), answer(seconds(11, 1))])
    }
    // A program beside the control point may have asked from the same address.
    func other(_ said: Said, _ time: Interval) -> Step { said.later(time).sent(by: 1) }
    expect("0 0 0", [asks(1), other(.search(), .zero), answer(seconds(13))])
    expect("1 0 0", [asks(1), other(.search(), .zero), answer(seconds(13, 1))])
    let twice = [asks(1), other(.search(), seconds(1)), other(.search(["MX": "1"]), seconds(2))]
    expect("0 0 0", twice, [answer(seconds(14))])
    expect("1 0 0", twice, [answer(seconds(14, 1))])
    let longer = [asks(1), other(.search(["MX": "1"]), seconds(1)), other(.search(), seconds(2))]
    expect("0 0 0", longer, [answer(seconds(15))])
    expect("1 0 0", longer, [answer(seconds(15, 1))])
    let second = Said.search().with { $0.from.port = 50_001 }
    let toSecond = hears(Said.answer().with { $0.to.port = 50_001 }, seconds(13))
    expect("0 0 0", [asks(1), other(.search(), .zero), other(second, .zero)], [answer(seconds(13)), toSecond])
    // A device that is there already is no longer found by an answer.
    expect("0 0 0", [hears(.alive(), .zero), found(.zero), answer(seconds(50))])
  }

  @Test("a search is waited for until MX has run since its last copy, each search by its own socket")
  func waits() {
    func expect(_ tally: String, _ parts: [Step]..., line: SourceLocation = #_sourceLocation) {
      Course.expect(.searchWait, tally, parts.flatMap { $0 }, until: seconds(99), sourceLocation: line)
    }
    let rows: [(said: Said, seconds: Int64)] = [(.search(), 3), (.search(["MX": "0"]), 1), (.unicastSearch(), 1)]
    for row in rows {
      let asked = [asks(1), sends(row.said, .zero)]
      expect("0 1 0", asked, [ends(1, seconds(row.seconds, -1))])
      expect("1 0 0", asked, [ends(1, seconds(row.seconds))])
      let copied = asked + [sends(row.said, seconds(1))]
      expect("0 1 0", copied, [ends(1, seconds(row.seconds + 1, -1))])
      expect("1 0 0", copied, [ends(1, seconds(row.seconds + 1))])
    }
    let asked = [asks(1), sends(.search(), .zero)]
    expect("0 0 0", asked, [ends(1, seconds(1), wasStopped: true)])
    expect("1 0 0", asked, [ends(1, seconds(3)), ends(1, seconds(3))])
    let second = Said.search().with { $0.from.port = 50_001 }
    let two = asked + [asks(2, seconds(1)), sends(second, seconds(1))]
    expect("1 1 0", two, [ends(1, seconds(3)), ends(2, seconds(4, -1))])
    expect("2 0 0", two, [ends(1, seconds(3)), ends(2, seconds(4))])
    // The last copy says how long.
    let longer = asked + [sends(.search(["MX": "5"]), seconds(1))]
    expect("0 1 0", longer, [ends(1, seconds(6, -1))])
    expect("1 0 0", longer, [ends(1, seconds(6))])
    // A search before any that was asked for is none of these.
    expect("0 0 0", [hears(.alive(), .zero), sends(.search(), .zero), ends(1, seconds(3))])
  }

  // MARK: - BOOTIDs

  @Test("another BOOTID is told of before time goes on; one that NEXTBOOTID named is no loss")
  func boots() {
    func alive(_ bootID: String, _ time: Interval) -> Step { hears(.alive(["BOOTID.UPNP.ORG": bootID]), time) }
    func expect(_ tallies: [String], _ parts: [Step]..., line: SourceLocation = #_sourceLocation) {
      let judgement = Course.judged(parts.flatMap { $0 }, until: seconds(99))
      let found = [judgement.sum(.bootIDDiffers), judgement.sum(.updateReceived)]
      expectEqual(found, tallies, "\(judgement.lines)", sourceLocation: line)
    }
    let start = [alive("7", .zero), found(.zero), alive("7", seconds(1))]
    let (second, third) = ([alive("8", seconds(9))], [alive("9", seconds(9))])
    expect(["0 1 0", "0 0 0"], start, second)
    expect(["0 1 0", "0 0 0"], start, [alive("6", seconds(9))])
    expect(["0 0 0", "0 0 0"], start, [alive("7", seconds(9))])
    // 0 is a BOOTID like any other.
    expect(["0 1 0", "0 0 0"], start, [alive("0", seconds(9))])
    expect(["0 1 0", "0 0 0"], [alive("0", .zero), found(.zero), alive("0", seconds(1))], second)
    expect(["1 0 0", "0 0 0"], start, second, [lost(.rebooted, seconds(9))])
    expect(["0 1 0", "0 0 0"], start, second, [lost(.rebooted, seconds(9, 1))])
    expect(["0 1 0", "0 0 0"], start, second, [lost(.byebye, seconds(9))])
    let changed = sighting(ControlPointDutyTests.device, 8)
    expect(["1 0 0", "0 0 0"], start, second, [tells(.changed(changed, .bootID(from: 7)), seconds(9))])
    expect(["0 1 0", "0 0 0"], start, second, [tells(.changed(changed, .configID(from: 7)), seconds(9))])
    // Told already, when the BOOTID before was last heard.
    let before = [lost(.rebooted, seconds(1)), found(seconds(1))]
    expect(["1 0 0", "0 0 0"], start, before, second)
    // A device that is not there has nothing to be told of.
    expect(["0 0 0", "0 0 0"], start, [lost(.byebye, seconds(2))], second)

    let update = [hears(.notify("update"), seconds(8))]
    expect(["0 0 0", "1 0 0"], start, update, second)
    expect(["0 0 0", "0 1 0"], start, update, second, [lost(.rebooted, seconds(9))])
    expect(["0 0 0", "1 0 0"], start, update, second, [lost(.rebooted, seconds(9, 1))])
    expect(["0 1 0", "0 0 0"], start, update, third)

    // Of two devices at the same time each is told of by itself.
    let otherDevice = ControlPointDutyTests.otherDevice
    func other(_ bootID: String, _ time: Interval) -> Step {
      hears(.alive(["BOOTID.UPNP.ORG": bootID, "USN": "\(otherDevice)::\(Said.type)"]), time)
    }
    let both = [
      alive("7", .zero), other("7", .zero), found(.zero), found(.zero, otherDevice),
      alive("7", seconds(1)), other("7", seconds(1)), alive("8", seconds(9)), other("8", seconds(9)),
    ]
    expect(["1 1 0", "0 0 0"], both, [lost(.rebooted, seconds(9))])
  }

  @Test("a report that is missing is told before anything later that the control point hears, sends or asks for")
  func order() {
    func alive(_ bootID: String, _ time: Interval) -> Step { hears(.alive(["BOOTID.UPNP.ORG": bootID]), time) }
    let start = [alive("7", .zero), found(.zero), alive("7", seconds(1)), alive("8", seconds(9))]
    let breach = Said.alive(["HOST": nil]).later(seconds(11)).sent(by: 2)
    let clauses: [ClauseID] = [.bootIDDiffers, .aliveHost]
    for next in [alive("8", seconds(10)), sends(.search(), seconds(10)), asks(1, seconds(10))] {
      let judgement = Course.judged(start + [next, breach], until: seconds(99))
      let told = judgement.rows.map(\.finding.clause).filter { clauses.contains($0) }
      expectEqual(told, clauses, "\(judgement.lines)")
    }
  }

  @Test("a control point is bound by UDA 1.1 where it claims it, or where it tells of BOOTIDs")
  func claims() {
    func talk(_ version: String, _ bootID: UInt32?) -> [Step] {
      let search = Said.search(["USER-AGENT": "OS/1.0 UPnP/\(version) Product/1.0"])
      let named = found(.zero, ControlPointDutyTests.device, bootID)
      return [asks(1), sends(search, .zero), hears(.alive(), .zero), named]
    }
    let other = [hears(.alive(["BOOTID.UPNP.ORG": "8"]), seconds(9))]
    Course.expect(.bootIDDiffers, "0 0 0", talk("1.0", nil), other)
    Course.expect(.bootIDDiffers, "1 0 0", talk("1.1", nil), other)
    Course.expect(.bootIDDiffers, "1 0 0", talk("1.0", 7), other)
    func changed(_ bootID: UInt32?) -> [Step] {
      [tells(.changed(sighting(ControlPointDutyTests.device, bootID), .configID(from: 1)), seconds(1))]
    }
    Course.expect(.bootIDDiffers, "0 0 0", talk("1.0", nil), changed(nil), other)
    Course.expect(.bootIDDiffers, "1 0 0", talk("1.0", nil), changed(7), other)
  }

  // MARK: - What is kept

  @Test("a device that the application holds is not dropped to make room")
  func heldDevices() {
    let start = [hears(.alive(), .zero), found(.zero)]
    let holds = [Course.note(.holds(device: ControlPointDutyTests.device), at: seconds(2))]
    let lets = [Course.note(.lets(device: ControlPointDutyTests.device), at: seconds(3))]
    Course.expect(.boundedCache, "1 0 0", start, [lost(.evicted, seconds(5))])
    Course.expect(.boundedCache, "0 1 0", start, holds, [lost(.evicted, seconds(5))])
    Course.expect(.boundedCache, "1 0 0", start, holds, lets, [lost(.evicted, seconds(5))])
    let other = [Course.note(.holds(device: ControlPointDutyTests.otherDevice), at: seconds(2))]
    Course.expect(.boundedCache, "1 0 0", start, other, [lost(.evicted, seconds(5))])
  }

  @Test("a device that is heard over both families is found once, and a part that was united is found no more")
  func families() {
    let v4 = [hears(.alive(), .zero)]
    let v6 = [hears(Said.alive(["HOST": "[FF02::C]:1900"]).overIPv6(), seconds(1))]
    Course.expect(.dualStack, "1 0 0", v4, [found(.zero)], v6)
    Course.expect(.dualStack, "0 1 0", v4, [found(.zero)], v6, [found(seconds(1))])
    Course.expect(.dualStack, "0 0 0", v4, [found(.zero)], v6, [lost(.byebye, seconds(2)), found(seconds(3))])
    Course.expect(.dualStack, "0 0 0", v4, [found(.zero)])
    Course.expect(.dualStack, "0 0 0", v6, [found(seconds(1))])
    Course.expect(.dualStack, "0 0 0", v4, v6)
    let part = ControlPointDutyTests.otherDevice
    let two = v4 + [hears(.alive(["USN": "\(part)::\(Said.type)"]), .zero), found(.zero), found(.zero, part)]
    let united = tells(.changed(sighting(ControlPointDutyTests.device, 7), .united(part: part)), seconds(1))
    Course.expect(.dualStack, "0 1 0", two, [found(seconds(2), part)])
    Course.expect(.dualStack, "0 0 0", two, [united, found(seconds(2), part)])
    // The part may be the first that was heard, and one that was never heard.
    let first = tells(.changed(sighting(part, 7), .united(part: ControlPointDutyTests.device)), seconds(1))
    Course.expect(.dualStack, "0 0 0", two, [first, found(seconds(2))])
    Course.expect(.dualStack, "0 0 0", v4, [found(.zero), united, found(seconds(2), part)])
  }
}
