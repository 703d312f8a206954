import RollcallDiscovery
import RollcallExpectations
import RollcallReducing
import RollcallRunning
import RollcallScenarios
import Testing

/// The steps of the shrinker one by one, and the failure that all of them have to keep.
@Suite("Steps of the shrinker")
struct ShrinkStepTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var fault: PlantedFault?
    /// A scenario of twenty seconds, without its title and its length.
    var body: String
    /// How the failure is called.
    var kind: String
    /// What is left, without the title.
    var left: String
    /// Name of each step that tried something, how often, and how often it kept what it tried; empty: not looked at.
    var steps: [String]
    /// What people read; empty: not looked at.
    var removed: [String]

    init(
      _ name: String, planting fault: PlantedFault? = nil, _ body: String, keeps kind: String, _ length: String,
      _ left: String, steps: [String] = [], removed: [String] = []
    ) {
      (testDescription, self.fault, self.body, self.kind) = (name, fault, body, kind)
      (self.steps, self.removed) = (steps, removed)
      self.left = "duration: \(length)\n" + left
      if case .engine(let one)? = fault { self.left += "\nbites: engine.\(one.rawValue)" }
    }
  }

  private static func scenario(_ body: String, _ seconds: Int? = nil) throws -> Scenario {
    try Scenario(yaml: "scenario: Small\n" + (seconds.map { "duration: \($0)s\n" } ?? "") + body, file: "small.yaml")
  }

  private func check(_ one: Case) throws {
    let options = Shrinker.Options(seed: 1, fault: one.fault)
    var shrinker = try Shrinker(try Self.scenario(one.body, 20), options: options)
    let outcome = shrinker.shrink()
    let left = try Self.scenario(one.left)
    expectEqual(outcome.kind.description, one.kind)
    expectEqual(outcome.scenario.document.flow, left.document.flow)
    #expect(!outcome.wasCut)
    if !one.steps.isEmpty { expectEqual(outcome.passes.map { "\($0.name) \($0.tried) \($0.kept)" }, one.steps) }
    if !one.removed.isEmpty { expectEqual(outcome.removed, one.removed) }
    // What is left fails in the same manner, and nothing of it can go.
    var again = try Shrinker(outcome.scenario, options: options)
    let second = again.shrink()
    #expect(second.kind.description == one.kind && second.scenario == outcome.scenario)
    #expect(second.removed.isEmpty && second.passes.allSatisfy { $0.kept == 0 })
  }

  // MARK: The failure alone

  private static let tv = "inhabitants: {tv: {kind: root-device}}\n"
  private static let two = "inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device}}\n"
  private static let four = "inhabitants: {tv: {kind: root-device, count: 3}, lamp: {kind: root-device}}\n"
  private static let leaves = "timeline: [{at: 5s, leave: tv}]\n"
  private static let returns = "timeline: [{at: 6s, leave: tv}, {at: 9s, appear: tv}]\n"
  private static let asks = "timeline: [{at: 5s, search: {target: upnp:rootdevice, mx: 1s}}]\n"

  static let manners: [Case] = [
    Case(
      "too early", "\(two)timeline: [{at: 2s, leave: lamp}, {at: 5s, leave: tv}]\nexpect: [{lost: tv, at: 10s}]",
      keeps: "it happened too early", "10s", "\(tv)\(leaves)expect: [{lost: tv, at: 10s}]",
      removed: ["1 of 2 inhabitants: lamp", "1 of 2 entries of the timeline", "10s of 20s"]),
    // Without two of these habits it would never be lost, which is another failure.
    Case(
      "too late",
      """
      inhabitants: {tv: {kind: root-device, quirks: [maxAge(15), noRenewal, noServer]}}
      expect: [{lost: tv, at: 10s}]
      """, keeps: "it happened too late", "16s",
      """
      inhabitants: {tv: {kind: root-device, quirks: [maxAge(15), noRenewal]}}
      expect: [{lost: tv, at: 10s}]
      """),
    Case(
      "never, with the deeds that its device is in",
      """
      inhabitants: {tv: {kind: root-device}, hub: {kind: root-device}, lamp: {kind: root-device, count: 2}}
      timeline:
        - {at: 2s, leave: hub}
        - {at: 3s, search: {mx: 1s}}
        - {at: 6s, leave: tv}
        - {at: 9s, appear: tv}
        - {at: 10s, leave: lamp-2}
      expect: [{lost: tv, cause: expired, at: 18s}]
      """, keeps: "it never happened", "18s", "\(tv)\(returns)expect: [{lost: tv, cause: expired, at: 18s}]",
      steps: ["inhabitants 3 2", "timeline 1 1", "time 1 1", "keys 2 0", "inhabitants 1 0"],
      removed: ["2 of 3 inhabitants: hub, lamp ×2", "3 of 5 entries of the timeline", "2s of 20s"]),
    Case(
      "with the searches that it is about",
      """
      \(two)timeline:
        - {at: 2s, leave: lamp}
        - {at: 3s, search: {mx: 1s}}
        - {at: 9s, search: {target: upnp:rootdevice, mx: 1s}}
      expect: [{service: {search: 2, of: tv}, at: 18s}]
      """, keeps: "it happened too early", "18s",
      """
      \(tv)timeline: [{at: 3s, search: {}}, {at: 9s, search: {}}]
      expect: [{service: {search: 2, of: tv}, at: 18s}]
      """),
    Case(
      "of several members one is left, with its bare name",
      """
      inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device, count: 3}}
      timeline: [{at: 2s, leave: tv}, {at: 6s, leave: lamp-2}, {at: 10s, leave: lamp-3}]
      expect: [{lost: lamp-3, at: 18s}]
      """, keeps: "it happened too early", "18s",
      """
      inhabitants: {lamp: {kind: root-device}}
      timeline: [{at: 6s, leave: lamp}, {at: 10s, leave: lamp}]
      expect: [{lost: lamp, at: 18s}]
      """,
      removed: ["1 of 2 inhabitants: tv", "2 of 3 members of lamp", "1 of 3 entries of the timeline", "2s of 20s"]),
    Case(
      "too few", "\(two)expect: [{found: tv, times: 2}]", keeps: "too few", "20s",
      "\(tv)expect: [{found: tv, times: 2}]"),
    // In a shorter run everything is missing: it has the time that it asks for, and no more.
    Case(
      "never in all of the run", "\(two)expect: [{lost: tv}]", keeps: "it never happened", "20s",
      "\(tv)expect: [{lost: tv}]", steps: ["inhabitants 2 1"]),
    Case(
      "never in a window", "\(two)expect: [{lost: tv, within: 3s..9s}]", keeps: "it never happened", "9s",
      "\(tv)expect: [{lost: tv, within: 3s..9s}]"),
    Case(
      "too many", "\(two)\(returns)expect: [{found: tv, times: 1}]", keeps: "too many", "9100ms",
      "\(tv)\(returns)expect: [{found: tv, times: 1}]"),
    Case(
      "forbidden", "\(two)expect: [{never: {found: tv}}]", keeps: "what must not be was", "100ms",
      "\(tv)expect: [{never: {found: tv}}]"),
    Case(
      "missing", "\(two)\(leaves)expect: [{present: {at: 15s, devices: [tv, lamp]}}]",
      keeps: "a device is missing", "15s", "\(tv)\(leaves)expect: [{present: {at: 15s, devices: [tv]}}]"),
    Case(
      "surplus", "\(two)expect: [{present: {at: 15s, devices: [tv]}}]", keeps: "a device is there that must not be",
      "15s", "inhabitants: {lamp: {kind: root-device}}\nexpect: [{present: {at: 15s, devices: []}}]"),
    Case(
      "missing and surplus",
      """
      inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device}, hub: {kind: root-device}}
      \(leaves)expect: [{present: {at: 15s, devices: [tv, hub]}}]
      """, keeps: "a device is missing and another there that must not be", "15s",
      "\(two)\(leaves)expect: [{present: {at: 15s, devices: [tv]}}]"),
    // With one device less it would be off by another number.
    Case(
      "two short", "\(four)expect: [{present: {at: 15s, count: 6}}]", keeps: "too few, off by 2", "15s",
      "\(four)expect: [{present: {at: 15s, count: 6}}]"),
    Case(
      "two over", "\(four)expect: [{present: {at: 15s, count: 2}}]", keeps: "too many, off by 2", "15s",
      "\(four)expect: [{present: {at: 15s, count: 2}}]"),
    Case(
      "three services short", "\(four)\(asks)expect: [{search-ended: {services: 7}}]",
      keeps: "too few services, off by 3", "8100ms", "\(four)\(asks)expect: [{search-ended: {services: 7}}]"),
    // With none of them it would be off by as much, the other way.
    Case(
      "two services over", "\(four)\(asks)expect: [{search-ended: {services: 2}}]",
      keeps: "too many services, off by 2", "8100ms", "\(four)\(asks)expect: [{search-ended: {services: 2}}]"),
    Case(
      "over a bound", "\(four)expect: [{always: {entries-at-most: 7}}]", keeps: "too many", "100ms",
      "inhabitants: {tv: {kind: root-device, count: 2}}\nexpect: [{always: {entries-at-most: 7}}]"),
    Case(
      "vacuous", "inhabitants: {app: {kind: control-point}}\nexpect: [{never: {lost: any}}]",
      keeps: "nothing was put to the test", "20s", "expect: [{never: {lost: any}}]"),
  ]

  @Test(
    "without a planted fault what fails goes on failing in its manner and by as much, and all else goes",
    arguments: manners)
  func manner(_ one: Case) throws { try check(one) }

  // MARK: With a planted fault

  /// A datagram of a script: all of it, or what is left of it.
  private static func notify(_ uuid: String, _ kind: String, isWhole: Bool = false) -> String {
    let (host, end) = isWhole ? (#"HOST: 239.255.255.250:1900\r\n"#, #"\r\n"#) : ("", "")
    return #"{text: "NOTIFY * HTTP/1.1\r\n\#(host)NT: x\r\nNTS: ssdp:\#(kind)\r\nUSN: uuid:\#(uuid)::x\r\n\#(end)"}"#
  }
  private static let alive = #""NOTIFY * HTTP/1.1", "NTS: ssdp:alive", "NT: {nt}", "USN: {usn}""#
  private static let byebye = #""NOTIFY * HTTP/1.1", "NTS: ssdp:byebye", "NT: {nt}", "USN: {usn}""#
  private static let bitten = """
    bites: tv.noRenewal
    inhabitants: {tv: {kind: root-device, max-age: 9s, quirks: [noServer]}, hub: {kind: root-device}}
    timeline: [{at: 9s, leave: hub}]
    expect: [{never: {lost: tv}}, {lost: hub}]
    """

  static let planted: [Case] = [
    // Datagrams that go take their numbers along, and header lines go one by one.
    Case(
      "script", planting: .engine(.byebyeIgnored),
      """
      inhabitants:
        box:
          kind: script
          lines:
            - \(notify("a", "alive", isWhole: true))
            - \(notify("b", "alive", isWhole: true))
            - \(notify("b", "byebye", isWhole: true))
        hub: {kind: root-device}
      timeline:
        - {at: 1s, send: {who: box, script: 0}}
        - {at: 2s, send: {who: box, script: 1}}
        - {at: 9s, send: {who: box, script: 2}}
        - {at: 10s, leave: hub}
      expect: [{lost: "uuid:b", at: 9s}]
      """, keeps: "it never happened", "9s",
      """
      inhabitants:
        box:
          kind: script
          lines:
            - \(notify("b", "alive"))
            - \(notify("b", "byebye"))
      timeline: [{at: 2s, send: {who: box}}, {at: 9s, send: {who: box, script: 1}}]
      expect: [{lost: "uuid:b", at: 9s}]
      """,
      steps: [
        "inhabitants 2 1", "timeline 6 1", "datagrams 6 1", "time 6 1", "keys 6 0", "header lines 24 4",
        "inhabitants 1 0", "timeline 3 0", "datagrams 3 0", "time 4 0", "keys 5 0", "header lines 9 0",
      ],
      removed: [
        "1 of 2 inhabitants: hub", "2 of 4 entries of the timeline", "1 of 3 spelled-out datagrams", "11s of 20s",
      ]),
    Case(
      "recorded", planting: .engine(.byebyeIgnored),
      """
      inhabitants:
        old:
          kind: recorded
          address: 192.168.1.50
          sets: {all: [{nt: upnp:rootdevice, usn: "uuid:a::upnp:rootdevice"}, {nt: x, usn: "uuid:a::x"}]}
          says:
            - {at: [1s, 4s], set: all, lines: [\(alive)]}
            - {at: [5s], set: all, lines: [\(alive), "LOCATION: http://192.168.1.50/"]}
            - {at: [9s], set: all, pace: [0s, 10ms], lines: [\(byebye)]}
      expect: [{lost: any, times: 1}]
      """, keeps: "it never happened", "9s",
      """
      inhabitants:
        old:
          kind: recorded
          sets: {all: [{nt: x, usn: "uuid:a::x"}]}
          says: [{at: [1s, 4s], set: all, lines: [\(alive)]}, {at: [9s], set: all, lines: [\(byebye)]}]
      expect: [{lost: any, times: 1}]
      """,
      steps: [
        "inhabitants 1 0", "datagrams 5 1", "time 10 2", "keys 35 3", "inhabitants 1 0", "datagrams 3 0", "time 4 0",
        "keys 21 0",
      ],
      removed: ["1 of 3 spelled-out datagrams", "11s of 20s"]),
    // Where the world gets smaller, what the sound engine counts in it is the new count.
    Case(
      "devices counted", planting: .engine(.byebyeIgnored),
      """
      inhabitants: {lamp: {kind: root-device, count: 5}}
      timeline: [{at: 4s, leave: lamp-2}, {at: 5s, leave: lamp-5}]
      expect: [{found: each}, {present: {at: 15s, count: 3}}]
      """, keeps: "too many", "4100ms",
      """
      inhabitants: {lamp: {kind: root-device, count: 2}}
      timeline: [{at: 4s, leave: lamp-2}]
      expect: [{present: {at: 4100ms, count: 1}}]
      """,
      steps: [
        "inhabitants 1 0", "members 3 0", "timeline 3 1", "time 12 3", "keys 2 0", "inhabitants 1 0", "members 3 2",
        "timeline 1 0", "time 4 0", "keys 2 0", "inhabitants 1 0", "members 1 0",
      ],
      removed: ["3 of 5 members of lamp", "1 of 2 expectations", "1 of 2 entries of the timeline", "15900ms of 20s"]),
    Case(
      "losses counted", planting: .engine(.byebyeIgnored),
      """
      inhabitants: {lamp: {kind: root-device, count: 4}, tv: {kind: root-device}}
      timeline: [{at: 4s, leave: lamp-2}, {at: 5s, leave: lamp-3}, {at: 6s, leave: tv}]
      expect: [{lost: any, times: 3}]
      """, keeps: "it never happened", "4100ms",
      "inhabitants: {lamp: {kind: root-device}}\ntimeline: [{at: 4s, leave: lamp}]\nexpect: [{lost: any, times: 1}]"),
    Case(
      "services counted", planting: .engine(.substringTarget),
      """
      inhabitants:
        good: {kind: root-device, count: 2, quirks: [opaqueTarget(ab)]}
        odd: {kind: root-device, quirks: [opaqueTarget(abc), substringMatch]}
      timeline: [{at: 9s, search: {target: ab, mx: 1s}}]
      expect: [{search-ended: {services: 2}}]
      """, keeps: "too many services", "13s",
      """
      inhabitants: {odd: {kind: root-device, quirks: [opaqueTarget(abc), substringMatch]}}
      timeline: [{at: 9s, search: {target: ab, mx: 1s}}]
      expect: [{search-ended: {services: 0}}]
      """),
    Case(
      "links and faults", planting: .engine(.byebyeIgnored),
      """
      network: {segments: {lan: {}, hall: {subnet: 192.168.2.0/24}}}
      engine: {interfaces: [{segment: lan}, {segment: hall}]}
      inhabitants:
        tv: {kind: root-device, interfaces: [{segment: lan}, {segment: hall}]}
        app: {kind: control-point, segment: hall}
      \(leaves)faults:
        - {at: 2s, until: 3s, interface-down: {who: tv, interface: 1}}
        - {at: 15s, interface-down: {who: engine, interface: 1}}
      expect: [{lost: tv, cause: byebye, within: 3s..18s}]
      """, keeps: "it never happened", "5400ms",
      "\(tv)\(leaves)expect: [{lost: tv, cause: byebye, within: 3s..5400ms}]",
      steps: [
        "inhabitants 2 1", "timeline 1 0", "faults 1 1", "links 1 1", "time 10 2", "keys 1 0", "inhabitants 1 0",
        "timeline 1 0",
      ],
      removed: ["1 of 2 inhabitants: app", "2 of 2 faults", "14600ms of 20s", "rules of the network"]),
    Case(
      "long lists and keys", planting: .engine(.requiresServer),
      """
      engine: {tombstone: 2s, limits: {entries-total: 500}}
      inhabitants:
        tv:
          kind: root-device
          quirks: [noExt, noHost, lfOnly, noServer, titleCaseNames, vendorFields]
          max-age: 100s
      expect: [{found: tv, within: 0s..5s, times: 1}]
      """, keeps: "it never happened", "100ms",
      """
      inhabitants: {tv: {kind: root-device, quirks: [noServer]}}
      expect: [{found: tv, within: 0s..100ms, times: 1}]
      """,
      steps: ["inhabitants 1 0", "time 3 3", "keys 9 5", "inhabitants 1 0", "keys 2 0"]),
    Case(
      "names in lists", planting: .engine(.foreignByebyeAccepted),
      """
      inhabitants:
        hub: {kind: root-device}
        tv: {kind: root-device}
        foe: {kind: byebye-spoofer, victims: [hub, tv]}
      expect: [{never: {lost: tv}}]
      """, keeps: "what must not be was", "10s",
      """
      inhabitants: {tv: {kind: root-device}, foe: {kind: byebye-spoofer, victims: [tv]}}
      expect: [{never: {lost: tv}}]
      """,
      steps: ["inhabitants 6 1", "time 6 1", "keys 2 0", "inhabitants 3 0"]),
    // The habit that a bite plants stays out of the scenario, and its device stays in.
    Case(
      "bite", planting: .bite, bitten, keeps: "what must not be was", "9400ms",
      "bites: tv.noRenewal\ninhabitants: {tv: {kind: root-device, max-age: 9s}}\nexpect: [{never: {lost: tv}}]"),
    Case(
      "another fault than the bite", planting: .engine(.byebyeIgnored), bitten, keeps: "it never happened", "9s",
      "inhabitants: {hub: {kind: root-device}}\ntimeline: [{at: 9s, leave: hub}]\nexpect: [{lost: hub}]"),
  ]

  @Test("with a planted fault what is left fails with it and holds without it", arguments: planted)
  func oracle(_ one: Case) throws { try check(one) }
}
