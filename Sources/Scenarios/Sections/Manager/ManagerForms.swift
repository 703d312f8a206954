import RollcallDiscovery
import RollcallPrimitives

extension Form<ManagerConfiguration> {
  private static let standard = DiscoverySetup()

  static let manager = Form.record(
    ManagerConfiguration(),
    [
      .key(
        "services", \.setup.registrations, .registrations, default: standard.registrations,
        "The services that the application can use, each by the name of a known one or with all that it is found by."),
      .key(
        "filters", \.setup.filters, .filters, default: standard.filters,
        "What the application needs: lists of capabilities. All of one list are needed, any list suffices; without a "
          + "list every device will do."),
      .key(
        "pairing-level", \.setup.pairingLevel, pairingLevels, default: standard.pairingLevel,
        "Whether capabilities count for which the user has to agree at the device."),
      .key(
        "merging", \.setup.merging, .kebab("a policy"), default: standard.merging,
        "What makes two devices one, beside a UUID or a host name that both have."),
      .key(
        "addressing", \.setup.addressing, .kebab("a policy"), default: standard.addressing,
        "Where a device is shown and connected: at the address that it was heard from, or at the host that its LOCATION "
          + "names."),
      .key(
        "identity-rules", \.setup.identityRules, .list(of: .identityRule, countMaximum: IdentityRule.countMaximum),
        default: [], "Where devices say which other devices they are one with."),
      .optional(
        "profile", \.profile, .word("a profile", ManagerProfile.allCases.map { ($0.rawValue, $0) }),
        "Another manager that it behaves like; it needs a build with planted faults."),
      .key(
        "searches", \.setup.searches, .bool, default: standard.searches,
        "Whether it searches; else it hears what is announced."),
      .key(
        "mx", \.setup.maximumWaitSeconds, .integer(1...5), default: standard.maximumWaitSeconds, "MX of its searches."),
      .key("broadcasts", \.setup.broadcasts, .integer(1...10), default: standard.broadcasts, "How often each is sent."),
      .key(
        "rescan", \.rescanInterval, .duration, default: ManagerConfiguration().rescanInterval,
        "From one round of searches to the next; 0s: there is one round."),
      .optional(
        "store", \.store, .word("a policy", [("discovered", .keepsDiscovered), ("connected", .connectedOnly)]),
        "The devices that the application keeps for its next launch: every one that it discovered, for three days after "
          + "it was there last, or those alone that it was connected to; by default it keeps none."),
    ],
    check: { manager, tree, reader in manager.setup.registrations.canBeLookedFor(at: tree, &reader) }
  ).named("manager")

  // Not `off` and `on`: other readers of YAML take them for a Bool.
  static let pairingLevels = Form<PairingLevel>.word(
    "a level", [("never", .off), ("where-needed", .protected), ("everywhere", .on)])
}

extension [ServiceRegistration] {
  /// Whether each has an id of its own, and all together do not ask for too many types; complains of one that is wrong.
  fileprivate func canBeLookedFor(at tree: Tree, _ reader: inout Reader) -> Bool {
    let ids = map(\.id)
    if let twice = ids.first(where: { id in ids.count { $0 == id } > 1 }) {
      reader.complain("two services are called '\(twice)'", at: tree.mark)
      return false
    }
    guard let failure = typeFailures.first else { return true }
    reader.complain(failure.explanation, at: tree.mark)
    return false
  }
}

extension ManagerConfiguration {
  /// 0: there is one round.
  fileprivate var rescanInterval: Interval {
    get { setup.rescan ?? .zero }
    set { setup.rescan = newValue == .zero ? nil : newValue }
  }
}

extension Form<[CapabilityFilter]> {
  static let filters: Form = .list(
    of: Form<[Capability]>.capabilities.map({ list, _, _ in CapabilityFilter(list) }, back: { $0.capabilities }),
    countMaximum: 32)
}

extension Form<[Capability]> {
  static let capabilities: Form = .list(
    of: Form<String>.line("a capability", example: "MediaControl.Play").map(
      { name, _, _ in Capability(name) }, back: { $0.name }), countMaximum: 256)
}

extension Form<[ServiceRegistration]> {
  static let registrations: Form = .list(of: .registration, countMaximum: 32)
}

extension Form<ServiceRegistration> {
  /// The names under which scenarios know services.
  static let known: [(name: String, registration: ServiceRegistration)] = [
    ("dial", .dial), ("dlna", .dlna), ("webos", .webOS), ("netcast", .netcast), ("roku", .roku),
    ("media-server", .mediaServer), ("gateway", .gateway),
  ]

  static let registration: Form = .either(
    .word("a known service", known.map { ($0.name, $0.registration) }), or: custom,
    isSecond: { $0.entries != nil }, writesSecond: { one in !known.contains { $0.registration == one } })

  private static let type = Form<String>.line("a type", example: "urn:schemas-upnp-org:service:AVTransport:1")

  private static let custom = Form.record(
    ServiceRegistration("", filter: ""),
    [
      .required("id", \.id, .line("an id", example: "Chromecast"), "What the application calls it."),
      .key("found-by", \.provider, .kebab("a provider"), default: .standard, "The protocol that it is found by."),
      .required(
        "filter", \.filter,
        .line("a type", example: "urn:schemas-upnp-org:device:MediaRenderer:1, _airplay._tcp.local"),
        "What it is found by: ST, the type of a service of multicast DNS, or the UUID of one of Bluetooth."),
      .key(
        "requires", \.requires, .list(of: type, countMaximum: 16), default: [], "Services that the device needs, too."),
      .key("capabilities", \.capabilities, .capabilities, default: [], "What it can do."),
      .key(
        "pairing", \.pairing, .kebab("a kind of pairing"), default: .none, "How the user agrees, if it asks for that."),
      .key(
        "paired-capabilities", \.pairedCapabilities, .capabilities, default: [], "What it can do for who has paired."),
    ],
    check: { one, tree, reader in
      if one.provider != .bluetooth || BluetoothUUID(one.filter) != nil { return true }
      reader.complain("'\(one.filter)' is no UUID of Bluetooth, such as 180F", at: tree.mark)
      return false
    })
}

extension Form<ManagerCommand> {
  /// `start`, `stop`, `rescan`, `relaunch`, `remove-all`, `{services: […]}`, `{filters: […]}`, `{pairing-level: everywhere}`.
  static let managerCommand: Form = .either(
    .word("what is asked of it", plain), or: Draft.form, isSecond: { $0.entries != nil },
    writesSecond: { command in
      switch command {
      case .start, .stop, .rescan, .relaunch, .removeAll: false
      case .register, .filter, .pairing, .begin, .device, .provide, .withdraw: true
      }
    })

  private static let plain: [(name: String, value: ManagerCommand)] = [
    ("start", .start), ("stop", .stop), ("rescan", .rescan), ("relaunch", .relaunch), ("remove-all", .removeAll),
  ]

  private struct Draft: Sendable {
    var registrations: [ServiceRegistration]?
    var filters: [CapabilityFilter]?
    var level: PairingLevel?

    static let form = Form<Draft>.record(
      Draft(),
      [
        .optional(
          "services", \.registrations, .registrations, choice: Choice(name: "request"),
          "The services that it looks for from now on, and no others."),
        .optional(
          "filters", \.filters, .filters, choice: Choice(name: "request"), "What the application needs from now on."),
        .optional(
          "pairing-level", \.level, Form<ManagerConfiguration>.pairingLevels, choice: Choice(name: "request"),
          "Whether capabilities count from now on for which the user has to agree."),
      ],
      check: { draft, tree, reader in draft.registrations?.canBeLookedFor(at: tree, &reader) ?? true }
    ).map(
      { draft, _, _ in
        draft.registrations.map { ManagerCommand.register($0) } ?? draft.filters.map { .filter($0) }
          ?? draft.level.map { .pairing($0) }
      },
      back: { command in
        switch command {
        case .register(let registrations): Draft(registrations: registrations)
        case .filter(let filters): Draft(filters: filters)
        case .pairing(let level): Draft(level: level)
        case .start, .stop, .rescan, .relaunch, .removeAll, .begin, .device, .provide, .withdraw: Draft()
        }
      })
  }
}
