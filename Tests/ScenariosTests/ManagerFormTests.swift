import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

/// The manager of an engine in YAML: what each of its keys sets, at its bounds, and what is refused and where.
@Suite("Managers of devices in YAML") struct ManagerFormTests {
  private static func yaml(_ keys: String) -> String { "scenario: a\nengine: {manager: {\(keys)}}\n" }

  private func manager(_ keys: String) throws -> ManagerConfiguration? {
    let scenario = try Scenario(yaml: Self.yaml(keys), file: "x.yaml")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x.yaml"), scenario)
    return scenario.engine.configuration.manager
  }

  @Test("each key sets what it names, and reads back as the same")
  func keys() throws {
    try expectEqual(manager(""), ManagerConfiguration())
    var wanted = ManagerConfiguration()
    wanted.setup.pairingLevel = .on
    wanted.setup.merging = .uuid
    wanted.setup.addressing = .announced
    wanted.setup.searches = false
    wanted.setup.maximumWaitSeconds = 5
    wanted.setup.broadcasts = 10
    wanted.setup.rescan = .seconds(7)
    wanted.store = .connectedOnly
    wanted.setup.filters = [
      CapabilityFilter([Capability("A.Any"), Capability("B.C")]), CapabilityFilter([Capability]()),
    ]
    try expectEqual(
      manager(
        "pairing-level: everywhere, merging: uuid, addressing: announced, searches: false, mx: 5, broadcasts: 10, "
          + "rescan: 7s, store: connected, filters: [[A.Any, B.C], []]"), wanted)
    // Each word of each policy.
    var plain = ManagerConfiguration()
    for (word, level) in [("never", PairingLevel.off), ("where-needed", .protected), ("everywhere", .on)] {
      plain.setup.pairingLevel = level
      try expectEqual(manager("pairing-level: \(word)"), plain)
    }
    plain = ManagerConfiguration()
    let policies: [(word: String, merging: DiscoverySetup.MergePolicy)] = [
      ("uuid", .uuid), ("address-and-name", .addressAndName), ("address", .address),
    ]
    for (word, merging) in policies {
      plain.setup.merging = merging
      try expectEqual(manager("merging: \(word)"), plain)
    }
    // Without a time there is one round; the time of the default is no other word.
    plain = ManagerConfiguration()
    plain.setup.rescan = nil
    try expectEqual(manager("rescan: 0s"), plain)
    try expectEqual(manager("rescan: 30s"), ManagerConfiguration())
  }

  @Test("services are known ones by name or have all that they are found by, and rules have one source each")
  func lists() throws {
    let lamp = ServiceRegistration(
      "X", .bluetooth, filter: "180f", requires: ["r:1", "r:2"], capabilities: ["A.B"], pairing: .pin,
      pairedCapabilities: ["C.D"])
    let services =
      "services: [dlna, {id: X, found-by: bluetooth, filter: 180f, requires: [r:1, r:2], capabilities: [A.B], "
      + "pairing: pin, paired-capabilities: [C.D]}, dial]"
    try expectEqual(manager(services)?.setup.registrations, [.dlna, lamp, .dial])
    try expectEqual(manager("services: []")?.setup.registrations, [])
    try expectEqual(manager("")?.setup.registrations, ServiceRegistration.standard)
    let rules =
      "identity-rules: [{manufacturer: 65535, form: ipv4, at: 255}, {service-data: FE0F, form: bluetooth, at: 1}, "
      + "{text: bt, form: uuid, at: 0}]"
    try expectEqual(
      manager(rules)?.setup.identityRules,
      [
        IdentityRule(.manufacturerData(company: .max), .ipv4, at: 255),
        IdentityRule(.serviceData(BluetoothUUID(short: 0xFE0F)), .bluetooth, at: 1),
        IdentityRule(.text(key: "bt"), .uuid),
      ])
  }

  @Test("a number is taken at both ends of its range and no farther, a list up to its length")
  func bounds() {
    func complaint(_ keys: String) -> String {
      do {
        _ = try Scenario(yaml: Self.yaml(keys), file: "x.yaml")
        return "none"
      } catch {
        return error.description
      }
    }
    let start = "engine: {manager: {".utf8.count + 1
    for (key, range) in [("mx", 1...5), ("broadcasts", 1...10)] as [(String, ClosedRange<Int>)] {
      for good in [range.lowerBound, range.upperBound] { expectEqual(complaint("\(key): \(good)"), "none") }
      for bad in [range.lowerBound - 1, range.upperBound + 1] {
        expectEqual(
          complaint("\(key): \(bad)"),
          "x.yaml:2:\(start + key.utf8.count + 2): error: '\(bad)' is not a whole number from \(range.lowerBound) to "
            + "\(range.upperBound) such as 3 (at engine.manager.\(key))")
      }
    }
    func rules(_ count: Int) -> String {
      let all = (0..<count).map { "{manufacturer: \($0), form: uuid}" }
      return "identity-rules: [\(all.joined(separator: ", "))]"
    }
    expectEqual(complaint(rules(16)), "none")
    let list = start + "identity-rules: ".utf8.count
    expectEqual(
      complaint(rules(17)),
      "x.yaml:2:\(list): error: a list of 17, at most 16 are allowed (at engine.manager.identity-rules)")
    let place = "(at engine.manager.identity-rules[0])"
    for (rule, message) in [
      ("{text: bt, form: uuid, at: 1}", "'at' stands only beside 'manufacturer' and 'service-data' \(place)"),
      ("{form: uuid}", "missing one of the keys manufacturer, service-data, text \(place)"),
    ] {
      expectEqual(complaint("identity-rules: [\(rule)]"), "x.yaml:2:\(list + 1): error: \(message)")
    }
    // An id is that of one service, whether it is known by a name or not.
    for services in ["dial, dial", "dial, {id: DIAL, filter: x}", "{id: DIAL, filter: x}, {id: DIAL, filter: y}"] {
      expectEqual(
        complaint("services: [\(services)]"),
        "x.yaml:2:\(start - 1): error: two services are called 'DIAL' (at engine.manager)")
    }
    expectEqual(complaint("services: [dial, {id: Dial, filter: x}]"), "none")
  }
}
