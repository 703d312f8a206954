import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@Suite("Devices for an application in scenarios") struct DeviceFormTests {
  private static let head =
    "scenario: a\nengine: {manager: {}}\ninhabitants: {tv: {kind: root-device, apps: [X], pairing-key: '1'}}\n"

  @Test("every deed and every expectation is read, and printed so that it is read again")
  func roundTrip() throws {
    let deeds = [
      "connect-device: tv", "disconnect-device: tv", "cancel-pairing: tv", "type-key: {who: tv, key: '1'}",
      "launch: {who: tv, app: X}", "launch: {who: tv, app: X, content: a b}", "ask-app: {who: tv, app: ''}",
      "join-app: {who: tv, app: X}", "close-app: {who: tv, app: X}", "tell-web-app: {who: tv, app: X, text: ''}",
      "tell-web-app: {who: tv, app: X, json: '{'}", "leave-web-app: {who: tv, app: X}",
    ]
    let events = [
      "device-ready: tv", "device-disconnected: tv, ended: device-lost", "device-not-connected: tv, why: wrong-key",
      "pairing-required: tv", "device-paired: tv", "app-launched: tv, app: X", "app-joined: tv, app: X",
      "app-state: tv, is: running", "app-closed: tv", "app-failed: tv, why: session-gone", "web-app-told: tv",
      "web-app-left: tv", "web-app-said: tv, app: X, says: a b", "web-app-said: tv, says-json: '[1]'",
      "web-app-ended: tv, app: X",
    ]
    let yaml =
      DeviceFormTests.head + "timeline:\n" + deeds.map { "  - {at: 1s, \($0)}\n" }.joined() + "expect:\n"
      + events.map { "  - {\($0)}\n" }.joined()
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    let commands = scenario.timeline.compactMap { entry -> DeviceCommand? in
      if case .device(let deed) = entry.deed { deed.command } else { nil }
    }
    let requests: [AppRequest.Deed] = [
      .launch(app: "X", content: nil), .launch(app: "X", content: "a b"), .state(app: ""), .join(.latest(app: "X")),
      .close(.latest(app: "X")), .send(.latest(app: "X"), .text("")), .send(.latest(app: "X"), .json("{")),
      .leave(.latest(app: "X")),
    ]
    expectEqual(
      commands,
      [.connect, .disconnect, .cancelPairing, .pair(key: "1")] + requests.map { .app(AppRequest(0, $0)) })
    expectEqual(try Scenario(yaml: scenario.yaml, file: "y.yaml"), scenario)
    // Each detail is that of its own expectation.
    let patterns = scenario.expectations.compactMap { expectation -> ManagedPattern? in
      guard case .happens(let happens) = expectation.kind else { return nil }
      return if case .managed(let pattern) = happens.event { pattern } else { nil }
    }
    func places(_ isGiven: (ManagedPattern) -> Bool) -> [Int] { patterns.indices.filter { isGiven(patterns[$0]) } }
    expectEqual(patterns.count, events.count)
    expectEqual(places { $0.end != nil }, [1])
    expectEqual(places { $0.why != nil }, [2, 9])
    expectEqual(places { $0.why == .wrongKey }, [2])
    expectEqual(places { $0.app == "X" }, [5, 6, 12, 14])
    expectEqual(places { $0.state == .running }, [7])
    expectEqual(places { $0.message == .text("a b") }, [12])
    expectEqual(places { $0.message == .json("[1]") }, [13])
    // In the run each request has the number of its entry.
    let numbers = try scenario.resolved().commands.compactMap { command -> UInt32? in
      guard case .manager(.device(_, .app(let request))) = command.command else { return nil }
      return request.number
    }
    expectEqual(numbers, [5, 6, 7, 8, 9, 10, 11, 12])
  }

  @Test("services that are looked for from then on are read, and printed so that they are read again")
  func registered() throws {
    let yaml =
      DeviceFormTests.head + """
        timeline:
          - {at: 1s, manager: {services: [dial, {id: Lamp, found-by: bluetooth, filter: 180f}]}}
          - {at: 2s, manager: {services: []}}
        """
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    let commands = try scenario.resolved().commands.map(\.command)
    let lamp = ServiceRegistration("Lamp", .bluetooth, filter: "180f")
    expectEqual(commands, [.manager(.register([.dial, lamp])), .manager(.register([]))])
    expectEqual(try Scenario(yaml: scenario.yaml, file: "y.yaml"), scenario)
  }

  @Test(
    "a slip is refused where it stands",
    arguments: [
      ("timeline: [{at: 1s, connect-device: radio}]", "unknown inhabitant 'radio'"),
      ("timeline: [{at: 1s, launch: {who: tv}}]", "missing key 'app'"),
      ("timeline: [{at: 1s, type-key: {who: radio, key: '1'}}]", "unknown inhabitant 'radio'"),
      ("expect: [{device-ready: tv, why: busy}]", "'why' stands only beside 'device-not-connected' or 'app-failed'"),
      ("expect: [{app-failed: tv, ended: asked}]", "'ended' stands only beside 'device-disconnected'"),
      ("expect: [{app-closed: tv, app: X}]", "'app' stands only beside 'app-launched', 'app-joined', "),
      ("timeline: [{at: 1s, tell-web-app: {who: tv, app: X}}]", "missing one of the keys text, json"),
      ("expect: [{web-app-ended: tv, says: x}]", "'says' stands only beside 'web-app-said'"),
      ("expect: [{web-app-said: tv, says: x, says-json: '1'}]", "and without 'says-json'"),
      ("expect: [{app-launched: tv, is: running}]", "'is' stands only beside 'app-state'"),
      ("expect: [{app-failed: tv, why: bad}]", "unknown reason 'bad'"),
      ("timeline: [{at: 1s, manager: {services: [dial, dial]}}]", "two services are called 'DIAL'"),
      (
        "timeline: [{at: 1s, manager: {services: [{id: Lamp, found-by: bluetooth, filter: lamp}]}}]",
        "'lamp' is no UUID of Bluetooth, such as 180F"
      ),
    ])
  func slips(yaml: String, expected: String) {
    let error = #expect(throws: ScenarioErrors.self) {
      try Scenario(yaml: DeviceFormTests.head + yaml, file: "x.yaml").resolved()
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(expected))
  }

  @Test(
    "what needs a manager is refused without one",
    arguments: [
      "timeline: [{at: 1s, connect-device: tv}]", "timeline: [{at: 1s, launch: {who: tv, app: X}}]",
      "timeline: [{at: 1s, manager: start}]", "expect: [{device-found: tv}]", "expect: [{never: {device-lost: any}}]",
      "expect: [{found: tv, after: {device-ready: tv, within: 1s}}]",
    ])
  func withoutManager(yaml: String) {
    let error = #expect(throws: ScenarioErrors.self) {
      try Scenario(yaml: "scenario: a\ninhabitants: {tv: {kind: root-device}}\n" + yaml, file: "x.yaml").resolved()
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("the engine has no manager: 'engine' needs the key 'manager'"))
  }
}
