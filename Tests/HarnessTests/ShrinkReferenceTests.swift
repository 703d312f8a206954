import RollcallDiscovery
import RollcallExpectations
import RollcallReducing
import RollcallRunning
import RollcallScenarios
import Testing

/// What goes along with something that goes, and what stays though it looks alike.
@Suite("References in a scenario that shrinks")
struct ShrinkReferenceTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var fault: EngineSwitch?
    /// A scenario of twenty seconds, without its title and its length.
    var body: String
    /// What is left, without the title.
    var left: String
    /// What people read.
    var removed: [String]
  }

  private static func scenario(_ body: String) throws -> Scenario {
    try Scenario(yaml: "scenario: Small\n" + body, file: "small.yaml")
  }

  private static let tv = "inhabitants: {tv: {kind: root-device}}\n"
  private static let three =
    "inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device}, hub: {kind: root-device}}\n"
  private static let leaves = "timeline: [{at: 5s, leave: tv}]\n"

  /// A television beside so many others.
  private static func crowd(_ count: Int) -> String {
    let others = (0..<count).map { "x\($0): {kind: root-device}" }.joined(separator: ", ")
    return "inhabitants: {tv: {kind: root-device}, \(others)}\n"
  }

  static let cases: [Case] = [
    Case(
      testDescription: "a fault that outlasts what is left of the run has no end any more",
      body: """
        inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device}}
        \(leaves)faults:
          - {at: 4s, until: 15s, interface-down: {who: tv}}
          - {at: 2s, until: 19s, interface-down: {who: lamp}}
        expect: [{lost: tv, within: 3s..9s}]
        """,
      left: "duration: 9s\n\(tv)\(leaves)faults: [{at: 4s, interface-down: {who: tv}}]\n"
        + "expect: [{lost: tv, within: 3s..9s}]",
      removed: ["1 of 2 inhabitants: lamp", "1 of 2 faults", "11s of 20s"]),
    Case(
      testDescription: "the last member has the bare name in lists of others, in faults and in expectations",
      fault: .foreignByebyeAccepted,
      body: """
        inhabitants: {lamp: {kind: root-device, count: 3}, foe: {kind: byebye-spoofer, victims: [lamp-2]}}
        faults: [{at: 2s, until: 3s, interface-down: {who: lamp-2}}]
        expect: [{never: {lost: lamp-2, cause: byebye}}]
        """,
      left: """
        duration: 10s
        inhabitants: {lamp: {kind: root-device}, foe: {kind: byebye-spoofer, victims: [lamp]}}
        expect: [{never: {lost: lamp, cause: byebye}}]
        bites: engine.foreignByebyeAccepted
        """,
      removed: ["2 of 3 members of lamp", "1 of 1 faults", "10s of 20s"]),
    Case(
      testDescription: "deeds of all members and of another are about the one that is expected, of a like name are not",
      body: """
        inhabitants: {lamp: {kind: root-device, count: 2}, lampion: {kind: root-device}}
        timeline: [{at: 2s, leave: lampion}, {at: 5s, leave: lamp}, {at: 6s, appear: lamp-1}]
        expect: [{lost: lamp-2, cause: expired, at: 18s}]
        """,
      left: """
        duration: 18s
        inhabitants: {lamp: {kind: root-device}}
        timeline: [{at: 5s, leave: lamp}, {at: 6s, appear: lamp}]
        expect: [{lost: lamp, cause: expired, at: 18s}]
        """,
      removed: [
        "1 of 2 inhabitants: lampion", "1 of 2 members of lamp", "1 of 3 entries of the timeline", "2s of 20s",
      ]),
    Case(
      testDescription: "an answer that came too late is about searches, so that they stay",
      body: """
        \(tv)timeline: [{at: 5s, search: {target: upnp:rootdevice, mx: 1s}}, {at: 6s, leave: tv}]
        expect: [{rejected: searchOver}]
        """,
      left: "duration: 20s\ntimeline: [{at: 5s, search: {}}]\nexpect: [{rejected: searchOver}]",
      removed: ["1 of 1 inhabitants: tv", "1 of 2 entries of the timeline"]),
    Case(
      testDescription: "what is called like an inhabitant does not go with it",
      body: """
        inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device}}
        timeline: [{at: 5s, id: lamp, leave: tv}]
        expect: [{never: {lost: tv}}]
        """,
      left: "duration: 5s\n\(tv)\(leaves)expect: [{never: {lost: tv}}]",
      removed: ["1 of 2 inhabitants: lamp", "15s of 20s"]),
    Case(
      testDescription: "names go out of both sides of a partition, which goes with the last name of a side",
      body: """
        \(three)\(leaves)faults:
          - {at: 4s, partition: {from: [tv, lamp], to: [engine, hub]}}
          - {at: 3s, partition: {from: [lamp], to: [hub]}}
        expect: [{lost: tv, within: 3s..9s}]
        """,
      left: "duration: 9s\n\(tv)\(leaves)faults: [{at: 4s, partition: {from: [tv], to: [engine]}}]\n"
        + "expect: [{lost: tv, within: 3s..9s}]",
      removed: ["2 of 3 inhabitants: lamp, hub", "1 of 2 faults", "11s of 20s"]),
    Case(
      testDescription: "datagrams to somebody who goes go along",
      body: """
        inhabitants:
          tv: {kind: root-device}
          lamp: {kind: root-device}
          pen:
            kind: script
            lines: [{at: 1s, text: "a", to: lamp}, {at: 2s, text: "b", to: engine}, {at: 3s, text: "c", to: tv}]
        expect: [{rejected: startLine, times: 0}, {rejected: any, times: 2}]
        """,
      left: """
        duration: 2s
        inhabitants: {pen: {kind: script, lines: [{at: 2s, text: b}]}}
        expect: [{rejected: startLine, times: 0}]
        """,
      removed: [
        "2 of 3 inhabitants: tv, lamp", "1 of 2 expectations", "2 of 3 spelled-out datagrams", "18s of 20s",
      ]),
    Case(
      testDescription: "names go out of a list of which any may be",
      body: """
        \(three)timeline: [{at: 5s, leave: lamp}]
        expect: [{never: {lost: {any-of: [tv, lamp, hub]}}}]
        """,
      left: """
        duration: 5s
        inhabitants: {lamp: {kind: root-device}}
        timeline: [{at: 5s, leave: lamp}]
        expect: [{never: {lost: {any-of: [lamp]}}}]
        """,
      removed: ["2 of 3 inhabitants: tv, hub", "15s of 20s"]),
    Case(
      testDescription: "what nobody could find out in the whole run is not looked for in a shorter one",
      body: "\(tv)timeline: [{at: 15s, leave: tv}]\nexpect: [{never: {found: any}, after: {lost: tv, within: 6s}}]",
      left: "duration: 20s\n\(tv)timeline: [{at: 15s, leave: tv}]\n"
        + "expect: [{never: {found: any}, after: {lost: tv, within: 6s}}]",
      removed: []),
    Case(
      testDescription: "eight that went are named",
      body: "\(crowd(8))\(leaves)expect: [{never: {lost: tv}}]",
      left: "duration: 5s\n\(tv)\(leaves)expect: [{never: {lost: tv}}]",
      removed: ["8 of 9 inhabitants: x0, x1, x2, x3, x4, x5, x6, x7", "15s of 20s"]),
    Case(
      testDescription: "of nine that went eight are named",
      body: "\(crowd(9))\(leaves)expect: [{never: {lost: tv}}]",
      left: "duration: 5s\n\(tv)\(leaves)expect: [{never: {lost: tv}}]",
      removed: ["9 of 10 inhabitants: x0, x1, x2, x3, x4, x5, x6, x7 …", "15s of 20s"]),
  ]

  @Test("what goes takes along what speaks of it, and nothing else", arguments: cases)
  func left(_ one: Case) throws {
    let options = Shrinker.Options(seed: 1, fault: one.fault.map { .engine($0) })
    var shrinker = try Shrinker(try Self.scenario("duration: 20s\n" + one.body), options: options)
    let outcome = shrinker.shrink()
    let expected = try Self.scenario(one.left)
    expectEqual(outcome.scenario.document.flow, expected.document.flow)
    expectEqual(outcome.removed, one.removed)
    #expect(!outcome.wasCut)
  }
}
