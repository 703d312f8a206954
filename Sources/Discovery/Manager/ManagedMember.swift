import RollcallPrimitives
import RollcallWire

/// One device of the directory, as the manager sees it.
struct ManagedMember {
  /// What is known of its description.
  enum Description {
    /// There is none to wait for.
    case none
    case awaited
    case read(DescribedDevice)
    /// It cannot be had, or not be read.
    case missing
  }

  var sighting: DeviceSighting
  /// The host that its description is on, where the application wants it to be reached there; `nil`: it is reached
  /// where it was heard.
  var announcedHost: IPAddress?
  /// Its place among all that were found.
  var number: UInt32
  /// What it announced or answered, in the order in which it did.
  private var announced: [(owner: String, type: String)] = []
  /// What of that counts: what the application looks for, and each owner that is not that of the one before.
  private(set) var heard: [HeardOffer] = []
  var description = Description.none
  /// What an application can use of it; empty: the manager tells of no such device.
  private(set) var services: [ManagerReport.Service] = []
  /// By what it may be one with others; without repetitions.
  private(set) var keys: [MergeKey] = []
  /// Those among them that it says of another device.
  private(set) var claims: [MergeKey] = []
  /// What the application is told of it beside its services.
  private(set) var part = ManagerReport.Part()
  /// What its data says, as the rules of the application read it.
  var data: [MergeKey] = []
  /// The device that it is part of.
  var group = none
  /// Of the UUID that is its name.
  private let ownKey: MergeKey?

  init(sighting: DeviceSighting, number: UInt32) {
    (self.sighting, self.number) = (sighting, number)
    ownKey = sighting.device.uuidOfName.map { MergeKey(uuid: $0) }
  }

  /// At a place that is free.
  static let gone = ManagedMember(
    sighting: DeviceSighting(device: "", provider: .application, locator: Locator(.peer(0))), number: .max)
  var isGone: Bool { number == .max }

  var name: String { sighting.device }
  var described: DescribedDevice? { if case .read(let device) = description { device } else { nil } }
  private var isMissing: Bool { if case .missing = description { true } else { false } }
  var isAwaited: Bool { if case .awaited = description { true } else { false } }
  /// What people call it.
  private var label: String? { described?.name ?? sighting[.name]?.text }

  /// Where it is reached; `nil`: the application found it itself and does not know.
  private var address: DeviceAddress? {
    if let announcedHost { return .ip(announcedHost) }
    return sighting.locator.address == .ip(IPAddress(v4: 0)) ? nil : sighting.locator.address
  }
  /// The same; `nil`: that is not on a network, either.
  private var ipAddress: IPAddress? { if case .ip(let address)? = address { address } else { nil } }
  /// Where it was heard; `nil`: not on a network, or the application found it itself and does not know.
  var heardAddress: IPAddress? {
    if case .ip(let address) = sighting.locator.address, address != IPAddress(v4: 0) { address } else { nil }
  }

  /// Whether this is one of its services, as the state of a device has it.
  func offers(_ service: ManagerReport.Service) -> Bool {
    services.contains { $0.id == service.id && $0.owner == service.owner }
  }

  /// Whether it offers the same service as somebody else does, by an owner of its own.
  func offersItsOwn(_ service: ManagerReport.Service) -> Bool {
    services.contains { $0.id == service.id && !isSameDevice($0.owner, service.owner) }
  }

  /// How a manager looks at its members.
  struct Rules {
    /// Whether a member is of no use before its description is there.
    var waits: Bool
    var merging: DiscoverySetup.MergePolicy
    var addressing: DiscoverySetup.AddressPolicy
    var identity: [IdentityRule]
    var faults: ManagerFaults
  }

  /// Works out anew what it is for others. What makes it no other, as a type that nobody looks for, ends here.
  /// - Returns: the keys that it had before; `nil`: it is what it was.
  mutating func workOut(_ index: inout RegistrationIndex, _ rules: Rules) -> [MergeKey]? {
    locate(rules.addressing)
    let offered = match(&index, waits: rules.waits, rules.faults)
    // One of no use stays out of everything.
    if services.isEmpty, offered.isEmpty { return nil }
    let before = (services, keys, claims, part)
    (services, keys, claims) = (offered, [], [])
    identify(rules.merging, rules.identity, rules.faults)
    part = madePart
    return before == (services, keys, claims, part) ? nil : before.1
  }

  /// Takes one more type that it announces or answers, behind those of before.
  /// - Returns: whether that may make it another one.
  mutating func announce(owner: String, type: String, _ index: inout RegistrationIndex) -> Bool {
    let count = heard.count
    announced.append((owner, type))
    hear(from: announced.count - 1, &index)
    return heard.count > count
  }

  /// Whether it announced anything yet.
  var announces: Bool { !announced.isEmpty }

  /// Takes all that it announces or answers now.
  /// - Returns: whether that may make it another one.
  mutating func announce(_ types: [(owner: String, type: String)], _ index: inout RegistrationIndex) -> Bool {
    let before = heard
    announced = types
    hearAgain(&index)
    return heard != before
  }

  /// Looks at everything that it announces, as these registrations ask.
  mutating func hearAgain(_ index: inout RegistrationIndex) {
    heard.removeAll()
    hear(from: 0, &index)
  }

  private mutating func hear(from first: Int, _ index: inout RegistrationIndex) {
    var last = first == 0 ? name : announced[first - 1].owner
    for offer in announced[first...] {
      let meets = index.wants(metBy: offer.type)
      if meets != 0 || offer.owner != last { heard.append(HeardOffer(owner: offer.owner, meets: meets)) }
      last = offer.owner
    }
  }

  private var madePart: ManagerReport.Part {
    var part = ManagerReport.Part(address: address)
    part.port = sighting[.port]?.number
    part.location = sighting.location
    part.uuid = ownKey == nil ? keys.first { $0.kind == .uuid }?.text : nil
    part.name = label
    guard let described else { return part }
    (part.manufacturer, part.model) = (described.manufacturer, described.model)
    (part.modelDescription, part.modelNumber) = (described.modelDescription, described.modelNumber)
    part.applicationURL = described.applicationURL
    return part
  }

  /// What it offers of what the application looks for.
  private func match(
    _ index: inout RegistrationIndex, waits: Bool, _ faults: ManagerFaults
  ) -> [ManagerReport.Service] {
    if isAwaited, waits { return [] }
    if isMissing, faults.contains(.undescribedHidden) { return [] }
    if sighting.provider.describes { return matchTypes(&index, faults) }
    let offered = (sighting[.services]?.text ?? "").split(separator: " ")
    return index.registrations.filter { registration in
      registration.provider == sighting.provider
        && offered.contains { isSameDevice(String($0), registration.filter) }
    }.map { ManagerReport.Service(id: $0.id, owner: name) }
  }

  /// Works out by what it may be one with others.
  private mutating func identify(
    _ policy: DiscoverySetup.MergePolicy, _ rules: [IdentityRule], _ faults: ManagerFaults
  ) {
    // A device of no use joins nobody.
    if services.isEmpty { return }
    if let ownKey { add(ownKey) }
    for udn in described?.udns ?? [] { if let uuid = udn.uuidOfName { add(MergeKey(uuid: uuid)) } }
    // Mostly it is the same one again.
    var last = name
    for offer in heard where offer.owner != last {
      last = offer.owner
      if let uuid = last.uuidOfName { add(MergeKey(uuid: uuid)) }
    }
    for key in uuidsInText { add(key) }
    if !rules.isEmpty { identify(by: rules) }
    if faults.contains(.nameIsEnough), let label { add(MergeKey(uuid: label)) }
    guard let address = ipAddress else { return }
    if let host = sighting[.host]?.text { add(MergeKey(host: host, at: address)) }
    switch policy {
    case .uuid: break
    case .addressAndName: if let label { add(MergeKey(name: label, at: address)) }
    case .address: add(MergeKey(address))
    }
  }

  /// What it says of another device, and what another one may say of it.
  private mutating func identify(by rules: [IdentityRule]) {
    let own = keys.filter { $0.kind == .uuid }.map { MergeKey(saidUUID: $0) }
    let text = sighting[.txt]?.text
    for key in data + rules.compactMap({ rule in text.flatMap { rule.key(inText: $0) } }) where !own.contains(key) {
      if !claims.contains(key) { claims.append(key) }
      add(key)
    }
    for key in own { add(key) }
    switch address {
    case .ip(let address)?: addOwn(MergeKey(said: address))
    case .radio(let address)?: addOwn(MergeKey(saidBits: address.bits))
    case .peer?, nil: break
    }
  }

  /// Its own: it says nothing of another device by it.
  private mutating func addOwn(_ key: MergeKey) {
    claims.removeAll { $0 == key }
    add(key)
  }

  private mutating func add(_ key: MergeKey) {
    if !keys.contains(key) { keys.append(key) }
  }

  /// UUIDs that it says of itself beside its name. Of a service of multicast DNS: values of its text with 32 hexadecimal
  /// digits. Of a device that the application found: the one that the application says, whatever it looks like.
  private var uuidsInText: [MergeKey] {
    guard let text = sighting[.txt]?.text else { return [] }
    if sighting.provider == .application {
      guard text.hasPrefix(ProvidedDevice.uuidKey) else { return [] }
      return [MergeKey(uuid: text.dropFirst(ProvidedDevice.uuidKey.count))]
    }
    return TXTRecord.strings(inText: text).compactMap { pair in
      pair.firstIndex(of: "=").map { MergeKey(uuid: pair[pair.index(after: $0)...]) }
    }.filter(\.hasDigitsOfUUID)
  }
}
