import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Phones and the people who use them in YAML: what is read, what is written, what is refused and where.
@Suite("Phones in YAML") struct PhoneFormTests {
  private func read(_ yaml: String) throws -> Scenario { try Scenario(yaml: "scenario: a\n" + yaml, file: "x.yaml") }

  private func user(_ keys: String) throws -> PhoneUser {
    let scenario = try read("engine: {user: {\(keys)}}\ninhabitants: {ben: {kind: phone, user: {\(keys)}}}")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x.yaml"), scenario)
    expectEqual(scenario.inhabitants.map(\.kind), [.phone(PhoneSection(user: scenario.engine.user))])
    return scenario.engine.user
  }

  @Test("each key of a user sets what it names, and reads back as the same")
  func keys() throws {
    var expected = PhoneUser()
    try expectEqual(user(""), expected)
    for (word, answer) in [("ignore", PhoneUser.Answer.ignore), ("decline", .decline), ("accept", .accept)] {
      expected.answer = answer
      try expectEqual(user("invitations: \(word)"), expected)
    }
    expected.answerDelay = .seconds(2)
    expected.selectDelay = .milliseconds(30)
    (expected.doneDelay, expected.cancelDelay) = (.seconds(4), .minutes(5))
    let rest = "invitations: accept, invitations-after: 2s, selects-after: 30ms, done-after: 4s, cancel-after: 5m"
    try expectEqual(user(rest), expected)
    expected.selects = .each
    try expectEqual(user(rest + ", selects: each"), expected)
    expected.selects = .named(["Ben", "Büro 2", "each"])
    try expectEqual(user(rest + ", selects: [Ben, Büro 2, each]"), expected)
  }

  @Test(
    "a slip is refused where it stands, with what to write",
    arguments: [
      (
        "engine: {user: {invitations: acept}}",
        "2:30: error: unknown answer 'acept', did you mean 'accept'? (at engine.user.invitations)"
      ),
      (
        "engine: {user: {invitations: later}}",
        "2:30: error: unknown answer 'later'; known are accept, decline, ignore (at engine.user.invitations)"
      ),
      (
        "engine: {user: {invitations-after: 2}}",
        "2:36: error: '2' has no unit: a duration is written such as 250ms or 3s (at engine.user.invitations-after)"
      ),
      (
        "engine: {user: {selects: Ben}}",
        "2:26: error: 'Ben' is not each or a list of names such as [Ben, Cem] (at engine.user.selects)"
      ),
      (
        "engine: {user: {selects: {name: Ben}}}",
        "2:26: error: expected each or a list of names such as [Ben, Cem], found a mapping (at engine.user.selects)"
      ),
      (
        "engine: {user: {selects: [Ben, '']}}",
        "2:32: error: '' is not a label of a name such as living-room (at engine.user.selects[1])"
      ),
      (
        "engine: {user: {done: 2s}}",
        "2:17: error: unknown key 'done'; known are invitations, invitations-after, selects, selects-after, "
          + "done-after, cancel-after, types, types-after (at engine.user)"
      ),
      (
        "engine: {user: {cancel-after: never}}",
        "2:31: error: 'never' is not a duration such as 250ms or 3s (at engine.user.cancel-after)"
      ),
      ("engine: {user: accept}", "2:16: error: expected a mapping, found 'accept' (at engine.user)"),
      (
        "inhabitants: {ben: {kind: phone, user: {invitations: accpt}}}",
        "2:54: error: unknown answer 'accpt', did you mean 'accept'? (at inhabitants.ben.user.invitations)"
      ),
      (
        "inhabitants: {ben: {kind: phone, invitations: accept}}",
        "2:34: error: unknown key 'invitations'; known are"
      ),
      (
        "inhabitants: {ben: {kind: phone, appear: 3s}}",
        "2:42: error: a phone is there from the start, and silent until its application speaks (at "
          + "inhabitants.ben.appear)"
      ),
      (
        "inhabitants: {ben: {kind: phone}}\ntimeline: [{at: 1s, leave: ben}]",
        "3:28: error: 'ben' is a phone: it cannot leave (at timeline[0].leave)"
      ),
      (
        "inhabitants: {ben: {kind: phone}}\nexpect: [{found: ben}]",
        "3:18: error: 'ben' is no root device, no peripheral and no host with services (at expect[0].found)"
      ),
    ])
  func slips(yaml: String, expected: String) {
    let error = #expect(throws: ScenarioErrors.self) { try read(yaml) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix("x.yaml:" + expected), "\(text)")
  }

  @Test("a phone has an address and a radio where it is, the engine beside it too, and the explanation shows the user")
  func resolution() throws {
    let world = try read(
      """
      engine: {user: {selects: [Cem]}, radio: {position: {east: 2m}}}
      inhabitants: {ben: {kind: phone, address: 192.168.1.9, radio: {position: {east: 3m}}}, cem: {kind: phone, count: 2}}
      timeline: [{at: 1s, walk: {who: ben, to: {east: 5m}}}]
      """
    ).resolved()
    expectEqual(world.hosts.map(\.name), ["engine", "ben", "cem-1", "cem-2"])
    expectEqual(world.hosts.dropFirst().map(\.role), Array(repeating: .other(.phone(PhoneUser())), count: 3))
    expectEqual(world.plan.hosts[1].interfaces[0].addresses.map(\.address), [IPAddress(192, 168, 1, 9)])
    expectEqual(world.radio?.radios.map { $0?.position.x }, [2_000, 3_000, 0, 0])
    expectEqual(world.radio?.radios[1]?.walks.count, 1)
    expectEqual(world.devices, [])
    let lines = world.explanation.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
    let user = "invitations: ignore, invitations-after: 0s, "
    #expect(lines.contains("user: {\(user)selects: [Cem], selects-after: 0s, types-after: 0s}"))
    expectEqual(lines.filter { $0 == "user: {\(user)selects-after: 0s, types-after: 0s}" }.count, 2)
  }
}
