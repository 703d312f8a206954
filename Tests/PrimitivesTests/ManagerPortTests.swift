import RollcallExpectations
import RollcallPrimitives
import Testing

/// What passes between an engine with a manager and its application: each value has a digest of its own, and its text reads
/// back as the same value.
@Suite("The port of the application: the manager") struct ManagerPortTests {
  private static let names = ["", "-", "a b", "TV\u{202E}", "\\", "Küche"]

  /// What becomes of connections and apps.
  private static var connections: [ManagerReport.Event] {
    let failures =
      ConnectionFailure.Reason.allCases.map { ConnectionFailure($0, "e") }
      + names.map { ConnectionFailure(.status, $0) }
      + [ConnectionFailure(.status, status: 404, "e"), ConnectionFailure(.status, status: -1, "e")]
    let sessions =
      names.flatMap { name in
        [
          LaunchSession(appID: name, sessionID: "s", serviceID: "v"),
          LaunchSession(appID: "a", sessionID: name, serviceID: "v"),
          LaunchSession(appID: "a", sessionID: "s", serviceID: name),
        ]
      } + [LaunchSession(appID: "a", sessionID: "s", serviceID: "v", kind: .webApp)]
    var reports: [ConnectionReport] = [.ready]
    reports += ConnectionEnd.allCases.map { .disconnected($0) }
    reports += failures.map { .failed($0) }
    for name in names {
      reports += PairingKind.allCases.map { .pairingRequired(service: name, $0) }
      reports += [
        .paired(RememberedKey(owner: name, service: "s", key: "k")),
        .paired(RememberedKey(owner: "o", service: name, key: "k")),
        .paired(RememberedKey(owner: "o", service: "s", key: name)),
      ]
    }
    var outcomes: [AppReport.Outcome] = [.closed]
    outcomes += sessions.map { .launched($0) } + sessions.map { .joined($0) } + AppState.allCases.map { .state($0) }
    outcomes += failures.map { .failed($0) }
    let requests = [0, 7, UInt32.max].map { AppReport(request: $0, .closed) }
    return reports.map { .connection($0) } + (outcomes.map { AppReport(request: 1, $0) } + requests).map { .app($0) }
  }

  /// What is asked of a device.
  private static var deviceCommands: [DeviceCommand] {
    var deeds: [AppRequest.Deed] = []
    for name in names {
      deeds += [
        .launch(app: name, content: nil), .launch(app: "a", content: name), .state(app: name),
        .launchWebApp(app: name, content: nil), .launchWebApp(app: "a", content: name), .joinWebApp(app: name),
        .join(.latest(app: name)), .close(.latest(app: name)),
        .join(.known(LaunchSession(appID: name, sessionID: "s", serviceID: "v"))),
        .close(.known(LaunchSession(appID: "a", sessionID: name, serviceID: "v"))),
        .close(.known(LaunchSession(appID: "a", sessionID: "s", serviceID: name))),
      ]
    }
    deeds.append(.join(.known(LaunchSession(appID: "a", sessionID: "s", serviceID: "v", kind: .webApp))))
    return [.connect, .disconnect, .cancelPairing] + names.map { .pair(key: $0) }
      + deeds.map { .app(AppRequest(1, $0)) } + [0, UInt32.max].map { .app(AppRequest($0, .state(app: "a"))) }
  }

  @Test("every report of the manager")
  func reports() {
    typealias State = ManagerReport.State
    func service(_ id: String, _ owner: String) -> ManagerReport.Service { .init(id: id, owner: owner) }
    var states = [
      State(), State(address: .ip(IPAddress(10, 0, 0, 9))), State(address: .peer(7)),
      State(services: [service("a", "b")]),
      State(services: [service("b", "a")]), State(services: [service("a", "b"), service("a", "c")]),
      State(capabilities: [Capability("a")]), State(members: ["a"]), State(evidence: ["a"]),
      State(members: ["a", "b"]), State(members: ["b", "a"]), State(members: ["a b"]),
    ]
    for name in ManagerPortTests.names {
      states += [
        State(name: name), State(model: name), State(manufacturer: name), State(services: [service(name, "x")]),
        State(services: [service("x", name)]), State(capabilities: [Capability(name), Capability("z")]),
        State(members: [name, "z"]), State(evidence: [name, "z"]),
      ]
    }
    var values: [Report] = states.map { .managed(ManagerReport("id", .updated, $0)) }
    values += ManagerPortTests.names.map { .managed(ManagerReport($0, .updated, State())) }
    let (a, b) = (Capability("a"), Capability("b"))
    let events: [ManagerReport.Event] = [
      .found(isKnown: false), .found(isKnown: true), .lost, .capabilities(added: [], removed: []),
      .capabilities(added: [a], removed: []), .capabilities(added: [], removed: [a]),
      .capabilities(added: [a, b], removed: []), .capabilities(added: [a], removed: [b]),
    ]
    values += ManagerPortTests.connections.map { .managed(ManagerReport("id", $0, State(name: "n"))) }
    values += events.map { .managed(ManagerReport("id", $0, State(name: "n"))) }
    expectDistinct(values, sum: 0xE643_13A2_3AA7_35C2)
  }

  @Test("what is known of the parts of a device, and which of them offers a service")
  func parts() {
    typealias State = ManagerReport.State
    typealias Part = ManagerReport.Part
    var parts: [Part] = [Part(), Part(address: .ip(IPAddress(10, 0, 0, 9))), Part(address: .peer(7))]
    func vary(_ change: (inout Part) -> Void) {
      var part = Part()
      change(&part)
      parts.append(part)
    }
    vary { $0.port = 0 }
    vary { $0.port = .max }
    for name in ManagerPortTests.names {
      vary { $0.location = name }
      vary { $0.uuid = name }
      vary { $0.name = name }
      vary { $0.manufacturer = name }
      vary { $0.model = name }
      vary { $0.modelDescription = name }
      vary { $0.modelNumber = name }
      vary { $0.applicationURL = name }
    }
    var states: [State] = parts.map { State(parts: [$0]) }
    states.append(State(parts: [parts[0], parts[1]]))
    for part in [0, 1] {
      let service = ManagerReport.Service(id: "a", owner: "b", part: part)
      states.append(State(services: [service], parts: [parts[0], parts[1]]))
    }
    let values: [Report] = states.map { .managed(ManagerReport("id", .updated, $0)) }
    expectDistinct(values)
    let text = values[values.count - 1].text
    #expect(text.hasSuffix(" 1"))
    #expect((try? Report(text: String(text.dropLast()) + "2")) == nil)
  }

  @Test("everything that is asked of the manager")
  func commands() {
    func filters(_ lists: [[String]]) -> [CapabilityFilter] {
      lists.map { CapabilityFilter($0.map { Capability($0) }) }
    }
    var setups = [DiscoverySetup()]
    func vary(_ change: (inout DiscoverySetup) -> Void) {
      var setup = DiscoverySetup()
      change(&setup)
      setups.append(setup)
    }
    vary { $0.registrations = [] }
    vary { $0.registrations = ServiceRegistration.standard.reversed() }
    for name in ManagerPortTests.names {
      vary { $0.registrations = [ServiceRegistration(name, filter: "f")] }
      vary { $0.registrations = [ServiceRegistration("i", filter: name)] }
      vary { $0.registrations = [ServiceRegistration("i", filter: "f", requires: [name])] }
      vary { $0.registrations = [ServiceRegistration("i", filter: "f", capabilities: [name])] }
      vary { $0.registrations = [ServiceRegistration("i", filter: "f", pairedCapabilities: [name])] }
    }
    for provider in ProviderID.allCases where provider != .standard {
      vary { $0.registrations = [ServiceRegistration("i", provider, filter: "f")] }
    }
    for kind in PairingKind.allCases {
      vary { $0.registrations = [ServiceRegistration("k", filter: "f", pairing: kind)] }
    }
    for policy in DiscoverySetup.MergePolicy.allCases where policy != .addressAndName { vary { $0.merging = policy } }
    for level in PairingLevel.allCases where level != .off { vary { $0.pairingLevel = level } }
    vary { $0.remembered = [RememberedDevice(id: "a", owners: [])] }
    vary { $0.remembered = [RememberedDevice(id: "a", owners: ["uuid:b"])] }
    vary { $0.remembered = [RememberedDevice(id: "a", owners: []), RememberedDevice(id: "b", owners: ["c", "d"])] }
    for name in ManagerPortTests.names {
      vary {
        $0.remembered = [
          RememberedDevice(id: "a", owners: [], keys: [RememberedKey(owner: name, service: "s", key: "k")])
        ]
      }
      vary {
        $0.remembered = [
          RememberedDevice(id: "a", owners: ["o"], keys: [RememberedKey(owner: "o", service: name, key: name)])
        ]
      }
    }
    let sources: [IdentityRule.Source] =
      [0, 1, .max].map { .manufacturerData(company: $0) }
      + [BluetoothUUID(short: 0xFE9F), BluetoothUUID(high: 1, low: 2)].map { .serviceData($0) }
      + ManagerPortTests.names.map { .text(key: $0) }
    for source in sources { vary { $0.identityRules = [IdentityRule(source, .uuid)] } }
    for form in IdentityRule.Form.allCases where form != .uuid {
      vary { $0.identityRules = [IdentityRule(.text(key: "a"), form)] }
    }
    vary { $0.identityRules = [IdentityRule(.text(key: "a"), .uuid, at: 255)] }
    vary { $0.identityRules = [IdentityRule(.text(key: "a"), .uuid), IdentityRule(.text(key: "b"), .uuid)] }
    vary { $0.searches = false }
    vary { $0.maximumWaitSeconds = 5 }
    vary { $0.broadcasts = 1 }
    vary { $0.rescan = nil }
    vary { $0.rescan = .seconds(10) }
    vary { $0.filters = filters([["a", "b"]]) }
    vary { $0.filters = filters([["a"], ["b"]]) }
    vary { $0.filters = filters([[]]) }
    var values: [Command] = setups.map { .manager(.begin($0)) }
    values += [ManagerCommand.start, .stop, .rescan].map { .manager($0) }
    values += PairingLevel.allCases.map { .manager(.pairing($0)) }
    values += [[], [[]], [["a"]], [["a", "b"]], [["a"], ["b"]], [["a b"]]].map { .manager(.filter(filters($0))) }
    values += ManagerPortTests.names.map { .act(.rename(to: $0)) }
    values += ManagerPortTests.deviceCommands.map { .manager(.device("d", $0)) }
    values += ManagerPortTests.names.map { .manager(.device($0, .connect)) }
    values += ManagerPortTests.names.map { .manager(.withdraw($0)) }
    let plain = ProvidedDevice(id: "i", services: [])
    values.append(.manager(.provide(plain)))
    for name in ManagerPortTests.names {
      let devices = [
        ProvidedDevice(id: name, services: []), ProvidedDevice(id: "i", name: name, services: []),
        ProvidedDevice(id: "i", address: name, services: []), ProvidedDevice(id: "i", services: [name]),
        ProvidedDevice(id: "i", services: [], uuid: name), ProvidedDevice(id: "i", services: [name, "b"]),
      ]
      values += devices.map { .manager(.provide($0)) }
    }
    expectDistinct(values, sum: 0x6EC5_91DA_1FF1_DD2F)
  }

  @Test("that the application is started anew or forgets, what it remembers then, and that it cannot")
  func launches() {
    let reports: [Report] = [
      .managed(ManagerReport("id", .remembered, ManagerReport.State(name: "n"))),
      .managed(ManagerReport("id", .remembered, ManagerReport.State())),
      .managed(ManagerReport("id", .lost, ManagerReport.State())), .failed(Failure(reason: .store, explanation: "e")),
    ]
    expectDistinct(reports)
    expectDistinct([ManagerCommand.relaunch, .removeAll, .rescan].map { Command.manager($0) })
  }

  @Test("what is said to web apps and by them")
  func webApps() {
    let sessions = ["a", "b"].map { LaunchSession(appID: "w", sessionID: $0, serviceID: "v", kind: .webApp) }
    var messages: [WebAppMessage] = []
    for name in ManagerPortTests.names { messages += [.text(name), .json(name)] }
    var deeds: [AppRequest.Deed] = messages.map { .send(.latest(app: "w"), $0) }
    for session in sessions { deeds += [.send(.known(session), .text("x")), .leave(.known(session))] }
    deeds.append(.leave(.latest(app: "w")))
    let commands: [Command] = deeds.map { .manager(.device("d", .app(AppRequest(1, $0)))) }
    expectDistinct(commands)
    var events: [ManagerReport.Event] = [AppReport.Outcome.sent, .left, .closed].map {
      .app(AppReport(request: 1, $0))
    }
    events += messages.map { .webApp(WebAppReport(sessions[0], .said($0))) }
    events += sessions.map { .webApp(WebAppReport($0, .ended)) }
    let reports: [Report] = events.map { .managed(ManagerReport("id", $0, ManagerReport.State(name: "n"))) }
    expectDistinct(reports)
    for deed in deeds {
      let text = DeviceCommand.app(AppRequest(1, deed)).text
      #expect(text == "say something to w" || text == "leave w")
    }
  }

  @Test("how far apart the copies of a search are, where an application says it")
  func spacing() {
    var setups = [DiscoverySetup()]
    for spacing in [Interval.zero, .seconds(1), .milliseconds(1_500)] {
      var setup = DiscoverySetup()
      setup.spacing = spacing
      setups.append(setup)
    }
    let values: [Command] = setups.map { .manager(.begin($0)) }
    expectDistinct(values)
  }

  @Test("where a device is reached, where an application says it")
  func addressing() {
    var setups = [DiscoverySetup()]
    for rescan in [nil, Interval.seconds(10)] {
      var setup = DiscoverySetup()
      (setup.addressing, setup.rescan) = (.announced, rescan)
      setups.append(setup)
    }
    let values: [Command] = setups.map { .manager(.begin($0)) }
    expectDistinct(values)
  }

  @Test("the services that are looked for from now on")
  func registered() {
    var lists: [[ServiceRegistration]] = [[]]
    lists.append([ServiceRegistration("a", filter: "f"), ServiceRegistration("b", filter: "f")])
    lists += ManagerPortTests.names.map { [ServiceRegistration($0, filter: "f")] }
    lists += ManagerPortTests.names.map { [ServiceRegistration("i", .bluetooth, filter: $0)] }
    let values: [Command] = lists.map { .manager(.register($0)) }
    expectDistinct(values)
  }

  @Test("what an application provides has bounds")
  func provided() {
    func complaint(_ change: (inout ProvidedDevice) -> Void) -> String? {
      var device = ProvidedDevice(
        id: "a", name: "n", address: "10.0.0.1", services: ["s"], uuid: "00000000-0000-4000-8000-000000000001")
      change(&device)
      return device.complaint
    }
    let long = String(repeating: "a", count: 200)
    expectEqual(complaint { _ in }, nil)
    expectEqual(complaint { ($0.name, $0.address, $0.uuid) = (nil, nil, nil) }, nil)
    expectEqual(complaint { $0.id = long }, nil)
    expectEqual(complaint { $0.id = long + "a" }, "expected an id of 1 to 200 bytes without blanks, found 201")
    expectEqual(complaint { $0.id = "" }, "expected an id of 1 to 200 bytes without blanks, found 0")
    expectEqual(complaint { $0.id = "a b" }, "expected an id of 1 to 200 bytes without blanks, found 3")
    expectEqual(complaint { $0.name = String(repeating: "a", count: 256) }, nil)
    expectEqual(
      complaint { $0.name = String(repeating: "a", count: 257) }, "expected a name of at most 256 bytes, found 257")
    expectEqual(complaint { $0.address = "x" }, "expected an address of IP, found 'x'")
    expectEqual(complaint { $0.services = (0..<32).map { "\($0)" } }, nil)
    expectEqual(complaint { $0.services = (0..<33).map { "\($0)" } }, "expected at most 32 services, found 33")
    for service in ["", "a b", "a;b", long + "a"] {
      expectEqual(
        complaint { $0.services = ["s", service] }, "expected names of services of 1 to 200 bytes without blanks")
    }
    expectEqual(complaint { $0.uuid = "" }, "expected a UUID, found 0 bytes")
    expectEqual(complaint { $0.uuid = String(repeating: "0", count: 65) }, "expected a UUID, found 65 bytes")
  }

  @Test("capabilities have groups, and the Any form of a group is met by each of them and by nothing else")
  func capabilities() {
    expectEqual(Capability("MediaControl.Play.Now").group, "MediaControl")
    expectEqual(Capability("Plain").group, "Plain")
    expectEqual(Capability("").group, "")
    #expect(Capability.any("G").isMet(by: Capability("G.One")))
    #expect(Capability.any("G").isMet(by: Capability.any("G")))
    #expect(Capability.any("G").isMet(by: Capability("G")))
    #expect(!Capability.any("G").isMet(by: Capability("GG.One")))
    #expect(!Capability("G.One").isMet(by: Capability.any("G")))
    #expect(!Capability("G.One").isMet(by: Capability("G.Two")))
    // No group of its own: it asks for itself.
    #expect(Capability("G.One.Any").isMet(by: Capability("G.One.Any")))
    #expect(!Capability("G.One.Any").isMet(by: Capability("G.One")))
    #expect(!Capability("Any").isMet(by: Capability("X.One")))
    #expect(Capability("A") < Capability("B"))
    let filter = CapabilityFilter([.any("G"), Capability("H.One")])
    #expect(filter.isMet(by: [Capability("H.One"), Capability("G.Two")]))
    #expect(!filter.isMet(by: [Capability("H.Two"), Capability("G.Two")]))
    #expect(CapabilityFilter([]).isMet(by: []))
  }
}
