import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import Testing

@testable import RollcallScenarios

/// The planted fault of a scenario: how it is written, and what is planted where.
@Suite("Bites of a scenario") struct BiteTests {
  private let form = Form<Bite>.bite

  @Test("the word before the first dot says where a fault is planted, and the rest says which fault")
  func words() {
    let table: [(text: String, bite: Bite)] = [
      ("engine.byebyeIgnored", .engine(.byebyeIgnored)),
      ("manager.connect-sdk-ios", .manager(.connectSDKiOS)),
      ("manager.connect-sdk-android", .manager(.connectSDKAndroid)),
      ("manager.noRenewal", .inhabitant("manager", .noRenewal)),
      ("manager.noProbing", .responder("manager", .noProbing)),
      ("peers.info-dropped", .peers(.infoDropped)), ("peers.stream-cut", .peers(.streamCut)),
      ("tv.noRenewal", .inhabitant("tv", .noRenewal)), ("tv.maxAge(60)", .inhabitant("tv", .maxAge(60))),
      ("tv.unicastNotify(10.0.0.1)", .inhabitant("tv", .unicastNotify(IPAddress(10, 0, 0, 1)))),
      ("box.noProbing", .responder("box", .noProbing)), ("engines.noProbing", .responder("engines", .noProbing)),
    ]
    for (text, bite) in table {
      let (value, said) = FormBench.read(form, .scalar(text))
      expectEqual(value, bite, "\(text)")
      expectEqual(said, [], "\(text)")
      expectEqual(form.write(bite, false), .scalar(text))
    }
  }

  @Test("an unknown word is reported once, with the kind of fault")
  func unknown() {
    let table: [(text: String, start: String)] = [
      ("engine.byebyeIgnore", "unknown switch 'byebyeIgnore', did you mean 'byebyeIgnored'?"),
      ("peers.info-droped", "unknown fault 'info-droped', did you mean 'info-dropped'?"),
      ("peers.noRenewal", "unknown fault 'noRenewal'"), ("engine.noRenewal", "unknown switch 'noRenewal'"),
      ("manager.byebyeIgnored", "unknown quirk 'byebyeIgnored'"),
      ("tv.connect-sdk-ios", "unknown quirk 'connect-sdk-ios'"), ("tv.info-dropped", "unknown quirk 'info-dropped'"),
      ("tv.noRenewl", "unknown quirk 'noRenewl', did you mean 'noRenewal'?"),
      ("tv.maxAge(soon)", "the quirk 'maxAge' takes a number of seconds such as 60, not 'soon'"),
    ]
    for (text, start) in table {
      let (value, said) = FormBench.read(form, .scalar(text))
      expectEqual(value, nil, "\(text)")
      expectEqual(said.count, 1, "\(text)")
      #expect(said.first?.hasPrefix(start) == true, "\(text): \(said)")
    }
    let kinds = "expected engine.<switch>, manager.<profile>, peers.<fault> or <inhabitant>.<quirk>, found"
    expectEqual(FormBench.read(form, .scalar("engine")).said, ["\(kinds) 'engine'"])
    expectEqual(FormBench.read(form, .list([.scalar("a.b")])).said, ["\(kinds) a list"])
  }

  // MARK: Planting

  private let tv = InhabitantEntry("tv", count: 2)
  private let box = InhabitantEntry("box", .mdnsResponder(MDNSResponderSection()))
  private let peer = InhabitantEntry("ann", .nearbyPeer(NearbyPeerPlan()))

  private func scenario(_ bite: Bite?) -> Scenario { Scenario("a", bites: bite, inhabitants: [tv, box, peer]) }

  @Test("a bite changes the one part that it names, and nothing else")
  func planted() throws {
    var wanted = scenario(.engine(.byebyeIgnored))
    wanted.engine.configuration.switches.insert(.byebyeIgnored)
    expectEqual(scenario(.engine(.byebyeIgnored)).bitten, wanted)

    var managed = scenario(.manager(.connectSDKAndroid))
    expectEqual(managed.bitten, nil)
    managed.engine.configuration.manager = ManagerConfiguration()
    wanted = managed
    wanted.engine.configuration.manager?.profile = .connectSDKAndroid
    expectEqual(managed.bitten, wanted)

    wanted = scenario(.peers(.streamCut))
    var plan = NearbyPeerPlan()
    plan.sessions.faults.insert(.streamCut)
    wanted.inhabitants[2].kind = .nearbyPeer(plan)
    expectEqual(scenario(.peers(.streamCut)).bitten, wanted)

    for name in ["tv", "tv-1", "tv-2"] {
      wanted = scenario(.inhabitant(name, .noRenewal))
      wanted.inhabitants[0].kind = .rootDevice(RootDeviceSection(quirks: [.noRenewal]))
      expectEqual(scenario(.inhabitant(name, .noRenewal)).bitten, wanted, "\(name)")
    }

    wanted = scenario(.responder("box", .noProbing))
    var section = MDNSResponderSection()
    section.quirks = [.noProbing]
    wanted.inhabitants[1].kind = .mdnsResponder(section)
    expectEqual(scenario(.responder("box", .noProbing)).bitten, wanted)
  }

  @Test("a bite without a place for it is planted nowhere")
  func nowhere() {
    let bites: [Bite?] = [
      nil, .manager(.connectSDKiOS), .inhabitant("box", .noRenewal), .inhabitant("ann", .noRenewal),
      .inhabitant("tv-3", .noRenewal), .inhabitant("nobody", .noRenewal), .responder("tv", .noProbing),
      .responder("nobody", .noProbing),
    ]
    for bite in bites { expectEqual(scenario(bite).bitten, nil) }
  }

  // MARK: The engine

  @Test("the engine is configured with what its user types and as the profile of its manager has it")
  func configuration() {
    var section = EngineSection()
    expectEqual(section.configurationWithUser, EngineConfiguration())
    section.configuration.typingUser = TypingUser(key: "9")
    expectEqual(section.configurationWithUser, EngineConfiguration())
    section.user.typed = "1234"
    section.user.typeDelay = .seconds(2)
    section.configuration.userAgent = "App/4"
    section.configuration.manager = ManagerConfiguration()
    var wanted = section.configuration
    wanted.typingUser = TypingUser(key: "1234", delay: .seconds(2))
    expectEqual(section.configurationWithUser, wanted)
    for profile in ManagerProfile.allCases {
      section.configuration.manager?.profile = profile
      wanted.manager?.profile = profile
      expectEqual(section.configurationWithUser, profile.applied(to: wanted), "\(profile.rawValue)")
      #expect(section.configurationWithUser != wanted, "\(profile.rawValue)")
    }
  }
}
