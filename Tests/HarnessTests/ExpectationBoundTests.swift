import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

/// Each kind of expectation at its bounds: what it has to take, and what it has to refuse.
@Suite("Expectations at their bounds")
struct ExpectationBoundTests {
  /// A television is found at 2, 6 and 10 s and lost at 4 and 8 s; a lamp is found at 3 s and lost at 40 s, the end.
  static let town = """
    scenario: Reports at given instants
    duration: 40s
    inhabitants:
      tv: {kind: root-device, profile: basic, address: 192.168.1.20, appear: 2s, start-jitter: 0s,
        quirks: [answersImmediately]}
      lamp: {kind: root-device, profile: basic, address: 192.168.1.21, appear: 3s, start-jitter: 0s,
        quirks: [answersImmediately]}
    timeline:
      - {at: 4s, leave: tv}
      - {at: 6s, appear: tv}
      - {at: 8s, leave: tv}
      - {at: 10s, appear: tv, id: third}
      - {at: 12s, search: {id: 7, target: upnp:rootdevice, mx: 1s, broadcasts: 1}}
      - {at: 20s, search: {id: 8, target: ssdp:all, mx: 3s, broadcasts: 1}}
      - {at: 22s, stop-search: 8}
      - {at: 30s, search: {id: 9, mx: 9s}}
      - {at: 31s, search: {id: 10, target: upnp:rootdevice, mx: 1s, broadcasts: 1}}
      - {at: 40s, leave: lamp}
    faults:
      - {id: deaf, at: 30500ms, until: 31s, refuse-multicast-sends: engine}
    """

  static func run(_ expectations: [String], in world: String, more: String = "") throws -> RunResult {
    let text = world + "\nexpect:\n" + expectations.map { "  - \($0)\n" }.joined() + more
    return Run.perform(try Scenario(yaml: text, file: "bounds.yaml").resolved(), seed: Seed(1))
  }

  /// With the names of the scenario, and without zeros that say nothing.
  static func short(_ text: String) -> String {
    var text = text.replacing(".000000000", with: "")
    for (name, address, uuid) in [
      ("tv", "192.168.1.20", "uuid:ff349908-4c0f-4cda-b7bd-1dcd8bd8a7ea"),
      ("lamp", "192.168.1.21", "uuid:f66a68ee-dcd8-4387-9d24-17240138988b"),
    ] {
      text = text.replacing(uuid, with: name)
        .replacing(" http://\(address):49152/description.xml \(address) if0", with: "")
    }
    return text
  }

  static func answer(_ verdict: Verdict) -> String {
    let found = verdict.isBad ? " " + short(verdict.found) : ""
    let cut = verdict.untestedWindows == 0 ? "" : ", \(verdict.untestedWindows) cut"
    return verdict.outcome.rawValue + found + cut
  }

  /// - Parameter table: lines with an answer, and indented below it the expectations that have it, semicolons between.
  private func compare(_ table: String, in world: String = ExpectationBoundTests.town) throws {
    var rows: [(expectation: String, answer: String)] = []
    var answer = ""
    for line in table.split(separator: "\n") {
      if line.first != " " {
        answer = String(line)
      } else {
        for part in line.split(separator: ";") { rows.append((String(part.drop { $0 == " " }), answer)) }
      }
    }
    let verdicts = try Self.run(rows.map(\.expectation), in: world).verdicts
    expectEqual(verdicts.count, rows.count)
    for (row, verdict) in zip(rows, verdicts) { expectEqual(Self.answer(verdict), row.answer, "\(row.expectation)") }
  }

  @Test("both ends of a window are inside, a nanosecond outside is not; of two reports equally near the first is told")
  func windows() throws {
    try compare(
      """
      held
        {found: tv, at: 2s}; {found: tv, within: 2s..3s, times: 1}; {found: tv, within: 0s..2s, times: 1}
        {lost: lamp, at: 40s}; {lost: tv, cause: byebye, times: 2}
      violated only 0.000000001 s before: 2 found tv boot 1
        {found: tv, within: 2000000001ns..3s}; {found: tv, at: 2000000001ns}
      violated only 0.000000001 s after: 2 found tv boot 1
        {found: tv, within: 0s..1999999999ns}; {found: tv, at: 1999999999ns}
      violated only 2 s before: 2 found tv boot 1
        {found: tv, at: 4s}
      violated only 1.999999999 s after: 6 found tv boot 2
        {found: tv, at: 4000000001ns}
      violated only 1 s before: 6 found tv boot 2
        {found: tv, within: 7s..8s}
      violated only 1 s after: 10 found tv boot 3
        {found: tv, within: 8500ms..9s}
      violated only 0.000000001 s after: 40 lost lamp byebye
        {lost: lamp, within: 0s..39999999999ns}
      violated it never happened
        {lost: tv, cause: expired}
      """)
  }

  @Test("a count holds from its least to its most and not one beyond, for each device on its own or for all together")
  func counts() throws {
    try compare(
      """
      held
        {found: tv, times: 3}; {found: tv, times: 2..3}; {found: tv, times: 3..4}; {found: tv, times: 3..}
        {found: any, times: 0..4}; {found: any, within: 0s..1999999999ns, times: 0}
        {found: {any-of: [lamp, tv]}, times: 4}; {lost: each}
      violated 3×: 2, 6, 10
        {found: tv, times: 2}; {found: tv, times: 4}; {found: tv, times: 1..2}; {found: tv, times: 4..5}
        {found: tv, times: 4..}; {found: each, times: 1}
      violated 4×: 2, 3, 6, 10
        {found: any, times: 0..3}; {found: any, times: 0}; {found: {any-of: [lamp, tv]}, times: 3}
      violated 10×: 12, 12, 20, 20, … 20
        {service: {}, times: 9}
      violated 1×: 3
        {found: {each-of: [lamp, tv]}, times: 3}
      violated 2×: 4, 8
        {lost: each, times: 1}
      """)
  }

  @Test("what must never be is refused at both ends of its window, of any device that is meant; the first is told")
  func never() throws {
    try compare(
      """
      held
        {never: {found: tv}, within: 2000000001ns..5999999999ns}; {never: {lost: each}, within: 0s..3999999999ns}
        {never: {lost: lamp}, within: 0s..39999999999ns}; {never: {lost: any, cause: expired}}
      violated found tv boot 1
        {never: {found: tv}, within: 2s..3s}; {never: {found: tv}, within: 1s..7s}
        {never: {found: {any-of: [lamp, tv]}}, within: 0s..40s}
      violated found tv boot 2
        {never: {found: tv}, within: 5s..6s}; {never: {found: {each-of: [lamp, tv]}}, within: 4s..7s}
      violated found lamp boot 1
        {never: {found: {each-of: [tv, lamp]}}, within: 2500ms..5s}
      violated lost lamp byebye
        {never: {lost: lamp}}
      """)
  }

  @Test("after something else each window counts on its own, from end to end, as far as the run goes")
  func after() throws {
    try compare(
      """
      held
        {found: tv, after: {lost: tv, within: 2s}, times: 1}
        {found: tv, after: {lost: tv, within: 2s..5999999999ns}, times: 1}
        {found: any, after: {lost: tv, within: 32s}, times: 1..}
        {never: {lost: lamp}, after: {search-ended: {search: 8}, within: 0s..17999999999ns}}
        {never: {found: lamp}, after: {lost: lamp, within: 0s}}
        {found: tv, after: {timeline: third, within: 0s}, times: 1}; {found: tv, after: {timeline: t3, within: 2s}}
        {failed: any, after: {fault: deaf, within: 500ms}, times: 2}; {failed: any, after: {mended: deaf, within: 0s}}
      held, 1 cut
        {lost: tv, after: {found: tv, within: 2s..31s}, times: 0..2}
        {found: any, after: {lost: tv, within: 33s}, times: 1..}
        {found: any, after: {lost: tv, within: 32000000001ns}, times: 2..}
      held, 2 cut
        {found: any, after: {lost: tv, within: 36000000001ns}, times: 1..}
        {found: any, after: {lost: tv, within: 36000000001ns}, times: 2..}
        {lost: each, after: {found: each, within: 2s..37s}}
      violated only 4 s before: 8 lost tv byebye
        {lost: tv, after: {found: tv, within: 2s..30s}}
      violated only 2 s before: 8 lost tv byebye
        {lost: tv, after: {found: tv, within: 2s}}; {lost: each, after: {found: each, within: 2s}}
      violated only 0.000000001 s after: 4 lost tv byebye
        {lost: tv, after: {found: tv, within: 0s..1999999999ns}}
      violated only 0.000000001 s before: 4 lost tv byebye
        {lost: tv, after: {found: tv, within: 2000000001ns..3s}}
      violated only 0.000000001 s after: 6 found tv boot 2
        {found: tv, after: {lost: tv, within: 0s..1999999999ns}}
      violated 2×: 6, 10
        {found: tv, after: {lost: tv, within: 2s..6s}, times: 1}
        {found: any, after: {lost: tv, within: 36000000001ns}, times: 0..1}
      vacuous the run ended before each of its 2 windows did, 2 cut
        {found: any, after: {lost: tv, within: 36000000001ns}, times: 3..}
        {found: any, after: {lost: tv, within: 36000000001ns}, times: 0..2}
        {found: any, after: {lost: tv, within: 36000000001ns}, times: 1..2}
      violated lost lamp byebye
        {never: {lost: lamp}, after: {search-ended: {search: 8}, within: 18s}}
        {never: {lost: lamp}, after: {search-ended: {search: 8}, within: 18s..20s}}
      vacuous the run ended before its window did, 1 cut
        {never: {lost: lamp}, after: {search-ended: {search: 8}, within: 18000000001ns..20s}}
        {never: {found: lamp}, after: {lost: lamp, within: 1s}}; {found: lamp, after: {lost: each, within: 1s}}
      vacuous what it counts from never happened
        {never: {found: lamp}, after: {lost: lamp, cause: expired, within: 1s}}
      violated only 0.000000001 s before: 10 found tv boot 3
        {found: tv, after: {timeline: third, within: 1ns..30s}}
      violated only 0.000000001 s before: 6 found tv boot 2
        {found: tv, after: {timeline: t2, within: 1ns..3999999999ns}}
      violated only 0.000000001 s after: 31 failed cannotSend search 10 if0
        {failed: any, after: {fault: deaf, within: 0s..499999999ns}}
      """)
  }

  @Test("who is there at an instant is who was found and not lost up to it, that instant included")
  func present() throws {
    try compare(
      """
      held
        {present: {at: 1999999999ns, devices: []}}; {present: {at: 2s, devices: [tv]}}
        {present: {at: 2999999999ns, devices: [tv]}}; {present: {at: 3s, devices: [lamp, tv]}}
        {present: {at: 3s, count: 2}}; {present: {at: 3999999999ns, count: 2}}; {present: {at: 6s, count: 2..2}}
        {present: {at: 39999999999ns, devices: [lamp, tv]}}; {present: {at: 40s, devices: [tv]}}
        {present: {at: 0s, count: 0}}
      violated not expected: tv
        {present: {at: 2s, devices: []}}; {present: {at: 3s, devices: [lamp]}}
      violated not expected: lamp
        {present: {at: 3s, devices: [tv]}}
      violated 2: tv lamp
        {present: {at: 3s, count: 3..}}; {present: {at: 3s, count: 0..1}}
      violated 1: lamp
        {present: {at: 4s, count: 2}}
      violated missing: tv
        {present: {at: 4s, devices: [tv, lamp]}}
      violated missing: tv; not expected: lamp
        {present: {at: 4s, devices: [tv]}}
      violated missing: lamp
        {present: {at: 40s, devices: [lamp, tv]}}
      violated 0: none
        {present: {at: 0s, count: 1..}}
      """)
  }

  @Test("services, searches, failures, refusals and peaks: each condition has to hold, and each bound is exact")
  func otherKinds() throws {
    try compare(
      """
      held
        {service: {search: 7}, times: 2}; {service: {search: 8}, times: 8}; {service: {}, times: 10}
        {service: {search: 8, of: tv}, times: 4}; {service: {of: each}, times: 5}
        {service: {search: 8, target: upnp:rootdevice}, times: 2}
        {service: {search: 8, of: lamp, target: upnp:rootdevice}, times: 1}
        {service: {target: upnp:rootdevice}, times: 4}
        {search-ended: {search: 7, services: 2, stopped: false}, at: 13100ms}
        {search-ended: {search: 8, stopped: true}, times: 1}; {search-ended: {stopped: true}, times: 1}
        {search-ended: {stopped: false}, times: 1}; {search-ended: {services: 2..8}, times: 2}
        {search-ended: {}, times: 2}; {failed: any, times: 3}; {failed: invalidSearch, times: 1}
        {failed: cannotSend, times: 2}; {never: {rejected: any}}; {always: {devices-at-most: 2}}
        {always: {entries-at-most: 8}}
      violated it never happened
        {service: {search: 7, target: ssdp:all}}; {service: {search: 9}}; {search-ended: {search: 7, services: 1}}
        {search-ended: {search: 7, services: 3..}}; {search-ended: {search: 7, stopped: true}}
        {search-ended: {search: 9}}; {failed: noInterface}; {rejected: any}
      violated 1×: 22
        {search-ended: {services: 3..8}, times: 2}
      violated 2 at the peak
        {always: {devices-at-most: 1}}; {always: {entries-at-most: 8, devices-at-most: 1}}
      violated 8 at the peak
        {always: {entries-at-most: 7}}; {always: {entries-at-most: 7, devices-at-most: 1}}
      """)
  }

  /// A script that sends these messages, at these times, from these addresses.
  static func script(_ lines: [(String, String, String)]) -> String {
    "  pen:\n    kind: script\n    address: 192.168.1.66\n    lines:\n"
      + lines.map { at, source, text in
        let escaped = text.replacing("\"", with: "\\\"").replacing("\n", with: "\\r\\n")
        return "      - {at: \(at), from: \(source), text: \"\(escaped)\"}\n"
      }.joined()
  }

  private static func alive(
    _ uuid: String, _ target: String = "upnp:rootdevice", path: String, boot: Int, config: Int = 1
  ) -> String {
    TinyCapture.alive(
      uuid, target, location: "http://192.168.1.66/" + path,
      more: "BOOTID.UPNP.ORG: \(boot)\nCONFIGID.UPNP.ORG: \(config)\n")
  }

  @Test("changes are told apart by what changed, losses by their cause, and devices by their UUID in any case")
  func changes() throws {
    let (own, other) = ("192.168.1.66", "192.168.1.67")
    let update =
      "NOTIFY * HTTP/1.1\nHOST: 239.255.255.250:1900\nLOCATION: http://192.168.1.66/b\nNT: upnp:rootdevice\n"
      + "NTS: ssdp:update\nUSN: uuid:Root::upnp:rootdevice\nBOOTID.UPNP.ORG: 1\nCONFIGID.UPNP.ORG: 1\n"
      + "NEXTBOOTID.UPNP.ORG: 2\n\n"
    let lines = [
      ("1s", own, Self.alive("Part", "urn:x-y:service:z:1", path: "a", boot: 1)),
      ("2s", own, Self.alive("Root", path: "a", boot: 1)), ("3s", own, Self.alive("Root", path: "b", boot: 1)),
      ("4s", own, Self.alive("Root", path: "b", boot: 1, config: 2)), ("5s", own, update),
      ("7s", own, Self.alive("Root", path: "b", boot: 3, config: 2)),
      ("9s", other, Self.alive("Root", path: "b", boot: 3, config: 2)), ("11s", other, TinyCapture.byebye("Root")),
      ("12s", own, TinyCapture.alive("Idle", location: "http://192.168.1.66/i", maxAge: 3)),
    ]
    let world = "scenario: What one host says\nduration: 20s\ninhabitants:\n" + Self.script(lines)
    try compare(
      """
      held
        {found: any, times: 4}; {found: "uuid:Root", times: 2}; {found: "uuid:ROOT", at: 2s}; {lost: any, times: 3}
        {lost: any, cause: rebooted, at: 7s}; {lost: any, cause: byebye, at: 11s}
        {lost: any, cause: expired, at: 15s}; {changed: any, times: 4}; {changed: any, what: united, at: 2s}
        {changed: any, what: location, at: 3s}; {changed: any, what: config-id, at: 4s}
        {changed: any, what: boot-id, at: 5s}; {changed: any, what: location, times: 1}
        {never: {changed: any, what: config-id}, within: 4000000001ns..20s}; {present: {at: 1s, count: 1}}
        {present: {at: 2s, count: 1}}; {present: {at: 7s, count: 1}}; {present: {at: 11s, count: 0}}
        {present: {at: 10999999999ns, count: 1}}; {present: {at: 15s, count: 0}}
        {present: {at: 14999999999ns, count: 1}}
      violated it never happened
        {found: "uuid:Roots"}; {found: "uuid:Roo"}; {lost: "uuid:root", cause: expired}
        {changed: any, what: address, at: 9s}; {changed: any, what: address, times: 1}; {changed: "uuid:part"}
        {rejected: any}
      violated 1×: 7
        {lost: any, cause: rebooted, times: 2}
      violated 4×: 2, 3, 4, 5
        {changed: any, times: 5}
      violated changed uuid:Root http://192.168.1.66/b 192.168.1.66 if0 boot 1 configID from 1
        {never: {changed: any, what: config-id}, within: 0s..4s}
      """, in: world)
  }

  @Test("a run may use up its budget of entries and no entry more")
  func budget() throws {
    let entries = try Self.run(["{found: tv}"], in: Self.town).entries
    let cases: [(UInt64, String?)] = [(entries, nil), (entries - 1, "more than \(entries - 1) trace entries")]
    for (count, reached) in cases {
      let result = try Self.run(["{found: tv}"], in: Self.town, more: "budget: {entries: \(count)}")
      #expect(result.reachedBudget == reached && result.outcome == (reached == nil ? .passed : .budget))
    }
  }
}
