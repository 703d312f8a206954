import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// The manager and what it looks for, each key alone: what it sets, how it is written, and what is said against it.
@Suite("Words of the manager in YAML") struct ManagerWordTests {
  /// What is said, where nothing is read.
  private func refused<Value: Equatable & Sendable>(_ form: Form<Value>, _ yaml: String) throws -> [String] {
    let (value, said) = try FormBench.read(form, yaml)
    expectEqual(value, nil, "\(yaml)")
    return said
  }

  // MARK: The manager

  private func check(_ yaml: String, _ change: (inout ManagerConfiguration) -> Void) throws {
    var wanted = ManagerConfiguration()
    change(&wanted)
    let (value, said) = try FormBench.read(Form<ManagerConfiguration>.manager, "{\(yaml)}")
    expectEqual(value, wanted, "\(yaml)")
    expectEqual(said, [])
    expectEqual(Form<ManagerConfiguration>.manager.write(wanted, false).flow, "{\(yaml)}")
  }

  @Test("each key of a manager sets one thing, and is all that is written")
  func keys() throws {
    try check("") { _ in }
    try check("services: []") { $0.setup.registrations = [] }
    try check("services: [roku, dial]") { $0.setup.registrations = [.roku, .dial] }
    try check("filters: [[]]") { $0.setup.filters = [CapabilityFilter([])] }
    try check("filters: [[A.B, C.D], [E.F]]") { manager in
      manager.setup.filters = [
        CapabilityFilter([Capability("A.B"), Capability("C.D")]), CapabilityFilter([Capability("E.F")]),
      ]
    }
    try check("pairing-level: where-needed") { $0.setup.pairingLevel = .protected }
    try check("pairing-level: everywhere") { $0.setup.pairingLevel = .on }
    try check("merging: uuid") { $0.setup.merging = .uuid }
    try check("merging: address") { $0.setup.merging = .address }
    try check("addressing: announced") { $0.setup.addressing = .announced }
    try check("identity-rules: [{text: bt, form: uuid}]") { manager in
      manager.setup.identityRules = [IdentityRule(.text(key: "bt"), .uuid)]
    }
    try check("profile: connect-sdk-ios") { $0.profile = .connectSDKiOS }
    try check("profile: connect-sdk-android") { $0.profile = .connectSDKAndroid }
    try check("searches: false") { $0.setup.searches = false }
    try check("mx: 1") { $0.setup.maximumWaitSeconds = 1 }
    try check("mx: 5") { $0.setup.maximumWaitSeconds = 5 }
    try check("broadcasts: 1") { $0.setup.broadcasts = 1 }
    try check("broadcasts: 10") { $0.setup.broadcasts = 10 }
    try check("rescan: 1ns") { $0.setup.rescan = Interval(nanoseconds: 1) }
    try check("rescan: 0s") { $0.setup.rescan = nil }
    try check("store: discovered") { $0.store = .keepsDiscovered }
    try check("store: connected") { $0.store = .connectedOnly }
  }

  @Test("defaults of a manager are read, and not written")
  func defaults() throws {
    let form = Form<ManagerConfiguration>.manager
    let rows = [
      "services: [dial, dlna, webos, netcast, roku]", "filters: []", "pairing-level: never",
      "merging: address-and-name", "addressing: heard", "identity-rules: []", "searches: true", "mx: 3",
      "broadcasts: 3", "rescan: 30s",
    ]
    for yaml in rows {
      let (value, said) = try FormBench.read(form, "{\(yaml)}")
      expectEqual(value, ManagerConfiguration(), "\(yaml)")
      expectEqual(said, [], "\(yaml)")
    }
    let all = rows.joined(separator: ", ")
    expectEqual(form.write(ManagerConfiguration(), true).flow, "{\(all)}")
  }

  @Test("the message about a slip in a key of a manager says what is known")
  func slips() throws {
    let form = Form<ManagerConfiguration>.manager
    let rows: [(yaml: String, said: String)] = [
      ("pairing-level: zzz", "unknown level 'zzz'; known are never, where-needed, everywhere"),
      ("merging: zzz", "unknown policy 'zzz'; known are uuid, address-and-name, address"),
      ("addressing: zzz", "unknown policy 'zzz'; known are heard, announced"),
      ("profile: zzz", "unknown profile 'zzz'; known are connect-sdk-ios, connect-sdk-android"),
      ("store: zzz", "unknown policy 'zzz'; known are discovered, connected"),
      ("searches: zzz", "'zzz' is not true or false such as true"),
      ("rescan: 30", "'30' has no unit: a duration is written such as 250ms or 3s"),
      ("filters: [A.B]", "expected a list, found 'A.B'"), ("services: dial", "expected a list, found 'dial'"),
      ("filters: [[\"\"]]", "'' is not a capability such as MediaControl.Play"),
      ("services: [dial, roku, dial]", "two services are called 'DIAL'"),
    ]
    for (yaml, said) in rows { try expectEqual(refused(form, "{\(yaml)}"), [said], "\(yaml)") }
  }

  // MARK: Services

  private func check(service yaml: String, _ change: (inout ServiceRegistration) -> Void) throws {
    var wanted = ServiceRegistration("X", filter: "180F")
    change(&wanted)
    let all = "{id: X, \(yaml)}"
    let (value, said) = try FormBench.read(Form<ServiceRegistration>.registration, all)
    expectEqual(value, wanted, "\(yaml)")
    expectEqual(said, [])
    expectEqual(Form<ServiceRegistration>.registration.write(wanted, false).flow, all)
  }

  @Test("a service is written by its name where it is a known one in all, else with all that is different")
  func services() throws {
    let form = Form<ServiceRegistration>.registration
    let known: [(name: String, registration: ServiceRegistration)] = [
      ("dial", .dial), ("dlna", .dlna), ("webos", .webOS), ("netcast", .netcast), ("roku", .roku),
      ("media-server", .mediaServer), ("gateway", .gateway),
    ]
    for (name, registration) in known {
      expectEqual(FormBench.read(form, .scalar(name)).value, registration, "\(name)")
      expectEqual(form.write(registration, false), .scalar(name))
      var other = registration
      other.requires.append("urn:other")
      #expect(form.write(other, false).entries != nil, "\(name)")
      expectEqual(FormBench.read(form, form.write(other, false)).value, other, "\(name)")
    }
    try check(service: "filter: 180F") { _ in }
    try check(service: "found-by: bluetooth, filter: 180F") { $0.provider = .bluetooth }
    try check(service: "found-by: peers, filter: 180F") { $0.provider = .peers }
    try check(service: "found-by: application, filter: 180F") { $0.provider = .application }
    try check(service: "filter: 180F, requires: [b, a]") { $0.requires = ["b", "a"] }
    try check(service: "filter: 180F, capabilities: [A.B]") { $0.capabilities = [Capability("A.B")] }
    try check(service: "filter: 180F, pairing: pin") { $0.pairing = .pin }
    try check(service: "filter: 180F, pairing: prompt") { $0.pairing = .prompt }
    try check(service: "filter: 180F, paired-capabilities: [A.B]") { $0.pairedCapabilities = [Capability("A.B")] }
    expectEqual(
      form.write(ServiceRegistration("X", filter: "f"), true).flow,
      "{id: X, found-by: ssdp, filter: f, requires: [], capabilities: [], pairing: none, paired-capabilities: []}")
  }

  @Test("the message about a slip in a service says what is known, and nothing is read")
  func serviceSlips() throws {
    let form = Form<ServiceRegistration>.registration
    let words = "dial, dlna, webos, netcast, roku, media-server, gateway"
    let rows: [(yaml: String, said: [String])] = [
      ("zzz", ["unknown known service 'zzz'; known are \(words)"]),
      ("[]", ["expected a known service such as dial, found an empty list"]),
      ("{}", ["missing key 'id'", "missing key 'filter'"]), ("{id: X}", ["missing key 'filter'"]),
      ("{filter: f}", ["missing key 'id'"]),
      ("{id: \"\", filter: f}", ["'' is not an id such as Chromecast"]),
      (
        "{id: X, filter: \"\"}",
        ["'' is not a type such as urn:schemas-upnp-org:device:MediaRenderer:1, _airplay._tcp.local"]
      ),
      (
        "{id: X, filter: f, found-by: zzz}",
        ["unknown provider 'zzz'; known are ssdp, bluetooth, peers, application"]
      ),
      ("{id: X, filter: f, pairing: zzz}", ["unknown kind of pairing 'zzz'; known are none, pin, prompt"]),
      (
        "{id: X, filter: f, requires: [\"\"]}",
        ["'' is not a type such as urn:schemas-upnp-org:service:AVTransport:1"]
      ),
      ("{id: X, filter: f, found-by: bluetooth}", ["'f' is no UUID of Bluetooth, such as 180F"]),
    ]
    for (yaml, said) in rows { try expectEqual(refused(form, yaml), said, "\(yaml)") }
    func said(_ count: Int) -> [String] {
      let requires = FormBench.many(count, .scalar("a"))
      let service = Tree.mapping([("id", .scalar("X")), ("filter", .scalar("f")), ("requires", requires)])
      return FormBench.read(form, service).said
    }
    expectEqual(said(16), [])
    expectEqual(said(17), ["a list of 17, at most 16 are allowed"])
  }

  // MARK: Requests

  @Test("a request to the manager asks for exactly one thing")
  func requests() throws {
    let form = Form<ManagerCommand>.managerCommand
    let keys = ["services", "filters"]
    for (one, other) in [(0, 1), (1, 0)] {
      try expectEqual(
        refused(form, "{\(keys[one]): [], \(keys[other]): []}"),
        ["'\(keys[other])' cannot stand beside '\(keys[one])': only one of them"])
    }
    for key in keys {
      try expectEqual(
        refused(form, "{\(key): [], pairing-level: never}"),
        ["'pairing-level' cannot stand beside '\(key)': only one of them"])
      try expectEqual(
        refused(form, "{pairing-level: never, \(key): []}"),
        ["'\(key)' cannot stand beside 'pairing-level': only one of them"])
    }
    let rows: [(yaml: String, said: String)] = [
      ("{}", "missing one of the keys services, filters, pairing-level"),
      ("zzz", "unknown what is asked of it 'zzz'; known are start, stop, rescan, relaunch, remove-all"),
      ("[]", "expected what is asked of it such as start, found an empty list"),
      ("{pairing-level: zzz}", "unknown level 'zzz'; known are never, where-needed, everywhere"),
      ("{services: [roku, dial, roku]}", "two services are called '\(ServiceRegistration.roku.id)'"),
    ]
    for (yaml, said) in rows { try expectEqual(refused(form, yaml), [said], "\(yaml)") }
    let levels: [(word: String, level: PairingLevel)] = [
      ("never", .off), ("where-needed", .protected), ("everywhere", .on),
    ]
    for (word, level) in levels {
      let yaml = "{pairing-level: \(word)}"
      try expectEqual(FormBench.read(form, yaml).value, .pairing(level))
      expectEqual(form.write(.pairing(level), false).flow, yaml)
    }
  }
}
