import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Synchronization
import Testing
import RollcallTrace

/// What a verdict that is not good tells: what was expected, who is missing, and the nearest reports with their causes.
@Suite("What a failure tells")
struct FailureTellingTests {
  private static let world = """
    scenario: Many reports around a window
    duration: 60s
    inhabitants:
      tv: {kind: root-device, profile: basic, address: 192.168.1.20, start-jitter: 0s, quirks: [answersImmediately]}
      lamp: {kind: root-device, profile: basic, address: 192.168.1.21, start-jitter: 0s, max-age: 30s,
        quirks: [noRenewal, answersImmediately, rootOnly, dropsRepeats]}
      pen:
        kind: script
        address: 192.168.1.66
        lines:
          - {at: 22s, from: 192.168.1.20, text: "hello"}
          - {at: 23s, text: "NOTIFY * HTTP/1.1\\r\\n\\r\\n"}
          - {at: 24s, from: 192.168.1.21, text: ""}
    timeline:
      - {at: 4s, leave: tv}
      - {at: 6s, appear: tv}
      - {at: 8s, leave: tv}
      - {at: 10s, appear: tv}
      - {at: 12s, leave: tv}
      - {at: 14s, appear: tv}
      - {at: 16s, leave: tv}
      - {at: 18s, appear: tv}
      - {at: 20s, search: {id: 1, target: upnp:rootdevice, mx: 1s, broadcasts: 1}}
      - {at: 40s, search: {id: 2, mx: 9s}}
    faults:
      - {at: 55s, interface-down: {who: engine}}
    """

  /// Expectations, and indented below each what is told around it: before it with -, in it with =, behind it with +.
  private static let table = """
    {found: tv, within: 6s..14s, times: 1}
      -0 found tv, -4 lost tv, =6 found tv, =8 lost tv, =10 found tv, +16 lost tv, +18 found tv
    {lost: tv, at: 10s}
      -6 found tv, -8 lost tv, =10 found tv, +12 lost tv, +14 found tv
    {lost: tv, within: 6000000001ns..7999999999ns}
      -4 lost tv, -6 found tv, +8 lost tv, +10 found tv
    {never: {found: tv}, within: 9s..30s}
      -6 found tv, -8 lost tv, =10 found tv, +12 lost tv, +14 found tv
    {never: {found: each}, within: 1s..10s}
      -0 found tv, -4 lost tv, =6 found tv, +8 lost tv, +10 found tv
    {found: tv, within: 20s..54s}
      -16 lost tv, -18 found tv, =22 rejected startLine, +55 lost tv
    {found: lamp, within: 20s..60s}
      -0 found lamp, =24 rejected empty, =50 lost lamp
    {lost: {any-of: [tv, lamp]}, at: 52s}
      -24 rejected empty, -50 lost lamp, +55 lost tv
    {lost: any, cause: stopped}
      =0 found tv, =0 found lamp, =4 lost tv
    {changed: lamp}
      =0 found lamp, =24 rejected empty, =50 lost lamp
    {rejected: badMX}
      =22 rejected startLine, =23 rejected missingField, =24 rejected empty
    {rejected: any, within: 23500ms..23600ms}
      -22 rejected startLine, -23 rejected missingField, +24 rejected empty
    {failed: cannotJoin}
      =40 failed invalidSearch
    {search-ended: {search: 1, services: 9}}
      =21.100000000 search-ended 1, =40 failed invalidSearch
    {service: {search: 1, of: lamp}, times: 2}
      =0 found lamp, =20 service 1, =24 rejected empty
    {service: {}, times: 0}
      =20 service 1, =20 service 1, =21.100000000 search-ended 1
    {present: {at: 6s, count: 1}}
      -0 found lamp, -4 lost tv, =6 found tv, +8 lost tv, +10 found tv
    {present: {at: 54s, devices: [lamp]}}
      -24 rejected empty, -50 lost lamp, +55 lost tv
    {never: {lost: tv}, after: {found: tv, within: 50s}}
      -0 found tv, =4 lost tv, +6 found tv, +8 lost tv
    {never: {found: lamp}, after: {lost: lamp, within: 11s}}
      -24 rejected empty, -50 lost lamp
    {found: any, times: 0..1, after: {rejected: badMX, within: 1s}}
      -50 lost lamp, -55 lost tv
    {always: {devices-at-most: 1}}
      nothing
    {rejected: badMX, times: 0..3}
      nothing
    """

  /// Gathers what a suite hands over.
  private final class Gathered: Sendable { let runs = Mutex<[SuiteRun]>([]) }

  private func suiteRun(_ text: String) throws -> SuiteRun {
    let file = ScenarioFile(path: "near.yaml", scenario: try Scenario(yaml: text, file: "near.yaml"))
    let gathered = Gathered()
    try Suite(files: [file], options: Suite.Options()).run { run in gathered.runs.withLock { $0.append(run) } }
    return try #require(gathered.runs.withLock { $0.first })
  }

  private func text(_ expectations: [String], in world: String = FailureTellingTests.world) -> String {
    world + "\nexpect:\n" + expectations.map { "  - \($0)\n" }.joined()
  }

  private func mark(_ one: NearbyReport) -> String {
    let words = ExpectationBoundTests.short(ReportText.line(one.report)).split(separator: " ")
    let side = one.side == .before ? "-" : one.side == .within ? "=" : "+"
    return side + ExpectationBoundTests.short("\(one.time)") + " " + words.prefix(2).joined(separator: " ")
  }

  @Test(
    "the last two reports before the window, the first three in it and the first two behind it are told, of whom it is")
  func around() throws {
    let lines = Self.table.split(separator: "\n")
    let expectations = lines.filter { $0.first != " " }.map(String.init)
    let run = try suiteRun(text(expectations))
    expectEqual(run.nearby.map(\.id), expectations.indices.map { "e\($0 + 1)" })
    for (number, nearby) in run.nearby.enumerated() {
      let told = nearby.reports.isEmpty ? "nothing" : nearby.reports.map(mark).joined(separator: ", ")
      expectEqual(told, String(lines[number * 2 + 1].drop { $0 == " " }), "\(expectations[number])")
    }
  }

  @Test(
    "each of them has what made it: a message with its sender, a clock, a command or an interface, and where it stands")
  func causes() throws {
    let text = text(Self.table.split(separator: "\n").filter { $0.first != " " }.map(String.init))
    let run = try suiteRun(text)
    let resolved = try Scenario(yaml: text, file: "near.yaml").resolved()
    let whole = Run.perform(
      resolved, seed: Seed(1), options: RunOptions(recordedHosts: Array(resolved.hosts.indices), watchedHost: 0))
    var causes: [Int: String] = [:]
    for one in run.nearby.flatMap(\.reports) {
      let entry = whole.trace[one.cause.entry - 1]
      #expect(entry.time == one.time && entry.station == 0 && entry.isInput)
      var isDatagram = false
      if case .received = entry.content { isDatagram = true }
      expectEqual((one.cause.frame != nil), isDatagram, "\(one.cause.text)")
      causes[one.cause.entry] = ExpectationBoundTests.short("\(one.time)") + " " + one.cause.text
    }
    let ordered = causes.keys.sorted().map { causes[$0] ?? "" }
    let (tv, lamp) = ("from 192.168.1.20:1900 (tv)", "from 192.168.1.21:1900 (lamp)")
    expectEqual(
      ordered,
      [
        "0 notify-alive upnp:rootdevice \(tv)", "0 notify-alive upnp:rootdevice \(lamp)",
        "4 notify-byebye upnp:rootdevice \(tv)", "6 notify-alive upnp:rootdevice \(tv)",
        "8 notify-byebye upnp:rootdevice \(tv)", "10 notify-alive upnp:rootdevice \(tv)",
        "12 notify-byebye upnp:rootdevice \(tv)", "14 notify-alive upnp:rootdevice \(tv)",
        "16 notify-byebye upnp:rootdevice \(tv)", "18 notify-alive upnp:rootdevice \(tv)",
        "20 response upnp:rootdevice \(lamp)", "20 response upnp:rootdevice \(tv)", "21.100000000 its own clock",
        "22 a datagram of 5 bytes \(tv)", "23 unknown from 192.168.1.66:1900 (pen)", "24 a datagram of 0 bytes \(lamp)",
        "40 command search 2 ssdp:all mx 9 x3", "50 its own clock", "55 interface 0 down",
      ])
  }

  // MARK: In words

  @Test("what was expected is told with its event, device, count and window, and with the moment that decided")
  func words() throws {
    let table = [
      ("{lost: tv, after: {found: tv, within: 2s..30s}}", "lost of tv, 1..×, from 12 to 40", "40"),
      ("{found: tv, times: 2}", "found of tv, 2×, from 0 to 40", "10"),
      ("{found: {any-of: [tv, lamp]}, times: 5..}", "found, 5..×, from 0 to 40", "10"),
      ("{lost: each, times: 1}", "lost of tv, 1×, from 0 to 40", "8"),
      ("{never: {lost: lamp, cause: byebye}}", "no lost (byebye) from 0 to 40", "40"),
      (
        "{service: {search: 8, target: upnp:rootdevice}, times: 9}",
        "service in search 8 upnp:rootdevice, 9×, from 0 to 40", "20"
      ),
      ("{search-ended: {services: 3..8}, times: 2}", "end of search with 3..8 services, 2×, from 0 to 40", "22"),
      ("{failed: noInterface}", "failed (noInterface), 1..×, from 0 to 40", "40"),
      ("{rejected: badMX, at: 40s}", "rejected (badMX), 1..×, from 40 to 40", "40"),
      ("{changed: tv, what: boot-id, within: 1s..2s}", "changed (boot-id) of tv, 1..×, from 1 to 2", "2"),
      ("{present: {at: 4s, devices: [lamp, tv]}}", "exactly 2 devices at 4: tv lamp", "4"),
      ("{present: {at: 4s, count: 2..3}}", "2..3 devices at 4", "4"),
      ("{always: {entries-at-most: 7}}", "at most 7 entries", "-"),
      (
        "{never: {found: lamp}, after: {lost: lamp, within: 1s}}",
        "a window for found of lamp that ends before the run does, at 40", "-"
      ),
    ]
    let verdicts = try ExpectationBoundTests.run(table.map { $0.0 }, in: ExpectationBoundTests.town).verdicts
    expectEqual(verdicts.count, table.count)
    for (row, verdict) in zip(table, verdicts) {
      expectEqual(ExpectationBoundTests.short(verdict.expected), row.1, "\(row.0)")
      #expect(verdict.time.map { ExpectationBoundTests.short("\($0)") } ?? "-" == row.2, "\(row.0)")
    }
  }

  @Test("six devices are named, of seven the first six")
  func manyDevices() throws {
    for count in [6, 7] {
      let world = """
        scenario: A street
        duration: 5s
        inhabitants: {lamp: {kind: root-device, count: \(count), start-jitter: 0s}}
        """
      let verdicts = try ExpectationBoundTests.run(["{present: {at: 1s, devices: []}}"], in: world).verdicts
      let found = try #require(verdicts.first?.found)
      expectEqual(found.split(separator: " ").count { $0.hasPrefix("uuid:") }, 6)
      expectEqual(found.hasSuffix(" …"), (count == 7))
    }
  }

  // MARK: Convergence

  @Test("from convergence to the end what the engine knows is the truth, at both ends and at every instant between")
  func converged() throws {
    func ghost(_ seconds: Int) -> String {
      TinyCapture.alive("ghost", location: "http://192.168.1.66/", maxAge: seconds)
    }
    let (own, tv) = ("192.168.1.66", "192.168.1.20")
    let byebye = TinyCapture.byebye("ff349908-4c0f-4cda-b7bd-1dcd8bd8a7ea")
    let seen = "violated found uuid:ghost http://192.168.1.66/ 192.168.1.66 if0"
    let back = "  - {at: 30s, vanish: tv}\n  - {at: 30s, appear: tv}\n"
    // Who is there from 20 s on, comes at 30 s or goes at 35 s is found and lost as it should be.
    let cases: [(line: (String, String, String)?, deeds: String, answer: String)] = [
      (nil, "", "held"), (("0s", own, ghost(20)), "", "held"),
      (("1ns", own, ghost(20)), "", "violated not expected: uuid:ghost"), (("21s", own, ghost(5)), "", seen),
      (("38s", own, ghost(5)), "", "violated not expected: uuid:ghost"), (("38s", own, ghost(2)), "", seen),
      (("18s", tv, byebye), "", "violated missing: tv"), (("25s", tv, byebye), "", "violated missing: tv"),
      (("25s", tv, byebye), back, "violated lost tv byebye"),
      (nil, "  - {at: 15s, vanish: tv}\n", "violated not expected: tv"),
      (nil, "  - {at: 25s, vanish: tv}\n", "violated not expected: tv"),
    ]
    let around = [
      "", "", "-0.000000001 found uuid:ghost, +20.000000001 lost uuid:ghost",
      "=21 found uuid:ghost, +26 lost uuid:ghost",
    ]
    for (number, (line, deeds, answer)) in cases.enumerated() {
      let world = """
        scenario: A network heals
        duration: 40s
        heal: 10s
        converge: 10s
        inhabitants:
          tv: {kind: root-device, address: 192.168.1.20, start-jitter: 0s, quirks: [noRenewal]}
          lamp: {kind: root-device, appear: 20s, start-jitter: 0s}
          hall: {kind: root-device, appear: 30s, start-jitter: 0s}
          door: {kind: root-device, start-jitter: 0s}

        """
      let more = (line.map { ExpectationBoundTests.script([$0]) } ?? "") + "timeline:\n  - {at: 35s, leave: door}\n"
      let run = try suiteRun(text(["{converged: true}"], in: world + more + deeds))
      expectEqual(run.verdicts.map(ExpectationBoundTests.answer), [answer], "\(number)")
      if number < around.count {
        expectEqual(run.nearby.flatMap(\.reports).map(mark).joined(separator: ", "), around[number])
      }
    }
  }

  // MARK: Other matters

  @Test("around a failure about nearby peers or devices for the application stand their reports, of anybody or of one")
  func matters() throws {
    let stick = """
      scenario: A stick that stays
      duration: 40s
      engine: {descriptions: fetch, manager: {services: [dial]}}
      inhabitants:
        stick: {kind: root-device, profile: dial-stick, friendly-name: Attic}
      """
    let managed = try suiteRun(
      text(["{device-lost: any, within: 20s..30s}", "{device-lost: stick, within: 20s..30s}"], in: stick))
    expectEqual(
      managed.nearby.map { one in one.reports.contains { if case .managed = $0.report { true } else { false } } },
      [true, true])
    let peers = """
      scenario: A peer that declines
      duration: 45s
      inhabitants:
        tv: {kind: nearby-peer, answers: declines, answers-after: 2s}
        phone: {kind: nearby-peer, invites: each, advertises: false}
      """
    let nearby = try suiteRun(text(["{peer-connected: any}", "{peer-connected: phone}"], in: peers))
    expectEqual(
      nearby.nearby.map { one in one.reports.contains { if case .nearby = $0.report { true } else { false } } },
      [true, true])
  }

  // MARK: Nothing to look at

  @Test("an expectation about each of no devices was not tested, whatever else was reported")
  func nobody() throws {
    let lines = [("1s", "192.168.1.66", TinyCapture.alive("Root", location: "http://192.168.1.66/"))]
    let world =
      "scenario: No device of the scenario\nduration: 5s\ninhabitants:\n" + ExpectationBoundTests.script(lines)
    let expectations = ["{found: each}", "{found: each, times: 0}", "{never: {lost: each}}", "{found: any}"]
    let verdicts = try ExpectationBoundTests.run(expectations, in: world).verdicts
    expectEqual(verdicts.map(\.outcome), [.vacuous, .vacuous, .vacuous, .held])
  }

  @Test("vacuous-ok waives what was not tested and nothing else; one breach makes a run fail, whatever was not tested")
  func waived() throws {
    let quiet = "{id: quiet, rejected: any, times: 0..5}"
    let cases: [([String], String, [Verdict.Outcome], RunOutcome)] = [
      (["{found: tv}", quiet], "", [.held, .vacuous], .vacuous),
      (["{found: tv}", quiet], "vacuous-ok: [quiet]", [.held, .waived], .passed),
      (["{found: tv, times: 9}", quiet], "", [.violated, .vacuous], .failed),
      ([quiet, "{found: tv, times: 9}"], "vacuous-ok: [quiet, e2]", [.waived, .violated], .failed),
    ]
    for (expectations, more, outcomes, outcome) in cases {
      let result = try ExpectationBoundTests.run(expectations, in: ExpectationBoundTests.town, more: more)
      #expect(result.verdicts.map(\.outcome) == outcomes && result.outcome == outcome, "\(more)")
    }
  }
}
