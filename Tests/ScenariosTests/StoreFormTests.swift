import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

@Suite("What an application keeps, in scenarios") struct StoreFormTests {
  private static func text(_ store: String, _ rest: String = "") -> String {
    "scenario: a\nduration: 9s\nengine: {manager: {\(store)}}\ninhabitants: {tv: {kind: root-device}}\n" + rest
  }

  @Test("the policy, the deeds, the failures and what is remembered are read, and printed so that they are read again")
  func roundTrip() throws {
    for (word, policy) in [("discovered", .keepsDiscovered), ("connected", .connectedOnly)]
      as [(String, DeviceStorePolicy)]
    {
      let yaml = StoreFormTests.text(
        "store: \(word)",
        """
        timeline: [{at: 1s, manager: relaunch}, {at: 2s, manager: remove-all}]
        faults: [{at: 5s, store: denied}, {at: 3s, until: 4s, store: full}, {at: 5s, store: damaged}]
        expect: [{device-remembered: tv, called: Den, offers: [DLNA]}, {failed: store}]
        """)
      let scenario = try Scenario(yaml: yaml, file: "x.yaml")
      expectEqual(scenario.engine.configuration.manager?.store, policy)
      expectEqual(scenario.timeline.map(\.deed), [.manager(.relaunch), .manager(.removeAll)])
      expectEqual(scenario.faults.map(\.kind), [.store(.denied), .store(.full), .store(.damaged)])
      expectEqual(try Scenario(yaml: scenario.yaml, file: "y.yaml"), scenario)
    }
    expectEqual(try Scenario(yaml: StoreFormTests.text(""), file: "x.yaml").engine.configuration.manager?.store, nil)
  }

  @Test("a failure lasts until its end, or until the network heals; of two that begin together the later one counts")
  func plan() throws {
    func plan(_ rest: String, store: String = "store: discovered") throws -> StorePlan? {
      try Scenario(yaml: StoreFormTests.text(store, rest), file: "x.yaml").resolved().store
    }
    func trouble(_ at: Int64, _ until: Instant, _ failure: StoreFailure) -> StorePlan.Trouble {
      StorePlan.Trouble(host: 0, at: .zero + .seconds(at), until: until, failure)
    }
    let faults = "faults: [{at: 5s, store: denied}, {at: 3s, until: 4s, store: full}, {at: 5s, store: damaged}]\n"
    expectEqual(
      try plan(faults)?.troubles,
      [trouble(3, .zero + .seconds(4), .full), trouble(5, .never, .denied), trouble(5, .never, .damaged)])
    let heal = Instant.zero + .seconds(6)
    expectEqual(
      try plan(faults + "heal: 6s\n")?.troubles,
      [trouble(3, .zero + .seconds(4), .full), trouble(5, heal, .denied), trouble(5, heal, .damaged)])
    expectEqual(try plan("")?.troubles, [])
    expectEqual(try plan("", store: ""), nil)
  }

  @Test(
    "what needs a store is refused without one",
    arguments: [
      "timeline: [{at: 1s, manager: remove-all}]", "faults: [{at: 1s, store: full}]",
      "expect: [{device-remembered: tv}]", "expect: [{never: {device-remembered: any}}]",
    ])
  func withoutStore(rest: String) {
    let error = #expect(throws: ScenarioErrors.self) {
      try Scenario(yaml: StoreFormTests.text("", rest), file: "x.yaml").resolved()
    }
    let message = "the application keeps no devices: 'manager' of 'engine' needs the key 'store'"
    #expect("\(error.map { "\($0)" } ?? "")".contains(message))
  }

  @Test(
    "a slip is refused where it stands",
    arguments: [
      ("store: all", "", "unknown policy 'all'"), ("store: connected", "faults: [{at: 1s, store: lost}]", "'lost'"),
      ("store: connected", "timeline: [{at: 1s, manager: restart}]", "'restart'"),
      ("store: connected", "expect: [{device-remembered: tv, again: true}]", "'again' stands only beside"),
    ])
  func slips(store: String, rest: String, expected: String) {
    let error = #expect(throws: ScenarioErrors.self) {
      try Scenario(yaml: StoreFormTests.text(store, rest), file: "x.yaml").resolved()
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(expected))
  }

  @Test("an application that keeps nothing can be started anew, too")
  func relaunchAlone() throws {
    let yaml = StoreFormTests.text("", "timeline: [{at: 1s, manager: relaunch}]")
    expectEqual(try Scenario(yaml: yaml, file: "x.yaml").resolved().commands.map(\.command), [.manager(.relaunch)])
  }
}
