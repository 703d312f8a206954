/// What an application asks of a manager before it begins.
public struct DiscoverySetup: Hashable, Sendable {
  /// When two devices of the directory are one thing for a person.
  ///
  /// Under every policy a UUID that both have makes them one, and so does a host name of multicast DNS with its address.
  public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
    /// Nothing else does.
    case uuid
    /// One address and one name for people, without regard to the case of letters.
    case addressAndName
    /// One address: as the Connect SDK has it on iOS.
    case address
  }

  /// Under which address a device of the network is shown, compared with others, and connected.
  public enum AddressPolicy: String, Hashable, Sendable, CaseIterable {
    /// The one that it was heard from: as the Connect SDK has it on Android.
    case heard
    /// That of the host which its description is on, where that is said as an address; else the one that it was heard
    /// from. As the Connect SDK has it on iOS: a device that another host announces is reached itself.
    case announced
  }

  /// The services that the application can use; ids are different.
  public var registrations: [ServiceRegistration] = ServiceRegistration.standard
  public var filters: [CapabilityFilter] = []
  public var pairingLevel: PairingLevel = .off
  public var merging: MergePolicy = .addressAndName
  public var addressing: AddressPolicy = .heard
  /// Where devices say which other devices they are one with; a device that is not there makes nobody one.
  public var identityRules: [IdentityRule] = []
  /// Whether it searches, or only listens to what is found anyway.
  public var searches = true
  /// MX of its searches in seconds, 1 ... 5, and how often each is sent.
  public var maximumWaitSeconds = 3
  public var broadcasts = 3
  /// From one copy of a search to the next, at most MX; `nil`: MX.
  public var spacing: Interval?
  /// From one round of searches to the next; `nil`: there is one round.
  public var rescan: Interval? = .seconds(30)

  /// Devices that were known in an earlier launch of the application: they have the ids that they had.
  public var remembered: [RememberedDevice] = []

  public init() {}
}

/// The id of a device, and under which names it was known.
public struct RememberedDevice: Hashable, Sendable {
  public var id: String
  /// Of its services, as `ManagerReport.Service` has them: `uuid:…`, `ble:…`, `peer:…`.
  public var owners: [String]
  /// What its user typed when it was paired.
  public var keys: [RememberedKey]
  public init(id: String, owners: [String], keys: [RememberedKey] = []) {
    (self.id, self.owners, self.keys) = (id, owners, keys)
  }
}

/// What a user typed to pair one service of a device.
public struct RememberedKey: Hashable, Sendable {
  /// Of the service, as `ManagerReport.Service` has it.
  public var owner: String
  public var service: String
  public var key: String
  public init(owner: String, service: String, key: String) {
    (self.owner, self.service, self.key) = (owner, service, key)
  }
}

extension DiscoverySetup {
  func write(to words: inout WordWriter) {
    words.add(merging.rawValue)
    words.add(pairingLevel.rawValue)
    words.add(searches ? "searches" : "listens")
    words.add(maximumWaitSeconds)
    words.add("x\(broadcasts)")
    if let spacing {
      words.add("every")
      words.add(spacing.description)
    }
    words.add(rescan.map(\.description) ?? "once")
    if addressing != .heard { words.add(addressing.rawValue) }
    words.registrations(registrations)
    words.add(filters.count)
    for filter in filters { words.names(filter.capabilities.map(\.name)) }
    words.add(identityRules.count)
    for rule in identityRules { rule.write(to: &words) }
    words.add(remembered.count)
    for device in remembered {
      words.name(device.id)
      words.names(device.owners)
      words.add(device.keys.count)
      for key in device.keys { key.write(to: &words) }
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    self.init()
    merging = try words.value(MergePolicy.self, "what makes two devices one")
    pairingLevel = try words.value(PairingLevel.self, "off, protected or on")
    searches = words.take("searches")
    if !searches { try words.word("listens") }
    maximumWaitSeconds = try words.number("MX in seconds")
    let copies = try words.next("the number of copies, as in x3")
    guard copies.first == "x", let count = Int(copies.dropFirst()), "x\(count)" == copies else {
      throw words.error("the number of copies, as in x3")
    }
    broadcasts = count
    if words.take("every") { spacing = try words.interval() }
    rescan = words.take("once") ? nil : try words.interval()
    if words.take(AddressPolicy.announced.rawValue) { addressing = .announced }
    registrations = try words.registrations()
    filters = try words.filters()
    let rules: UInt8 = try words.number("how many rules there are")
    for _ in 0..<rules { identityRules.append(try IdentityRule(from: &words)) }
    let devices: UInt32 = try words.number("how many devices are remembered")
    for _ in 0..<devices {
      let id = try words.name("the id of a device")
      var device = RememberedDevice(id: id, owners: try words.names("who offers a service"))
      let keys: UInt16 = try words.number("how many keys there are")
      for _ in 0..<keys { device.keys.append(try RememberedKey(from: &words)) }
      remembered.append(device)
    }
  }
}

extension RememberedKey {
  func write(to words: inout WordWriter) {
    words.name(owner)
    words.name(service)
    words.name(key)
  }

  init(from words: inout WordReader) throws(WordError) {
    owner = try words.name("who offers a service")
    service = try words.name("the id of a service")
    key = try words.name("what was typed")
  }
}

extension ServiceRegistration {
  fileprivate func write(to words: inout WordWriter) {
    words.name(id)
    words.add(provider.rawValue)
    words.name(filter)
    words.names(requires)
    words.names(capabilities.map(\.name))
    words.add(pairing.rawValue)
    words.names(pairedCapabilities.map(\.name))
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    id = try words.name("the id of a service")
    provider = try words.value(ProviderID.self, "a provider")
    filter = try words.name("what a service is found by")
    requires = try words.names("a type")
    capabilities = try words.names("a capability").map { Capability($0) }
    pairing = try words.value(PairingKind.self, "none, pin or prompt")
    pairedCapabilities = try words.names("a capability").map { Capability($0) }
  }
}

extension WordWriter {
  mutating func registrations(_ list: [ServiceRegistration]) {
    add(list.count)
    for registration in list { registration.write(to: &self) }
  }
}

extension WordReader {
  mutating func registrations() throws(WordError) -> [ServiceRegistration] {
    let count: UInt8 = try number("how many services there are")
    var list: [ServiceRegistration] = []
    for _ in 0..<count { list.append(try ServiceRegistration(from: &self)) }
    return list
  }

  mutating func filters() throws(WordError) -> [CapabilityFilter] {
    let count: UInt8 = try number("how many filters there are")
    var filters: [CapabilityFilter] = []
    for _ in 0..<count { filters.append(CapabilityFilter(try names("a capability").map { Capability($0) })) }
    return filters
  }
}
