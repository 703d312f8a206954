package import RollcallPrimitives
package import RollcallWire

/// Makes connectable devices of the devices of the directory: what is one thing for a person is one device, and the
/// application is told of those that can do what it needs.
///
/// It hears the reports of the engine, and tells in reports of its own. Where the engine fetches descriptions, a device is
/// told when its description is there, or when it is known that it cannot be had.
package struct DeviceManager: Sendable {
  package internal(set) var configuration: ManagerConfiguration
  private let awaitsDescriptions: Bool

  /// With those that are gone, whose places others take.
  var members: [ManagedMember] = []
  private var freePlaces: [Int32] = []
  private var places: [DeviceName: Int32] = [:]
  /// The place that was asked for last: mostly the next thing is about the same device.
  private var lastPlace: Int32 = 0
  private var foundTotal: UInt32 = 0
  /// Who has a key, in the order of places in which they came to it.
  var sharers: [MergeKey: [Int32]] = [:]
  /// What is known of the descriptions of present devices, by LOCATION.
  private var documents: [String: Document] = [:]
  /// Members that are to be looked at anew, in order, each once.
  private var changed: [Int32] = []
  /// Members of which the devices are to be worked out anew, in order, each once.
  var affected: [Int32] = []
  private var marks: [UInt8] = []
  /// While devices are worked out anew: in which part a member is; -1: in none.
  var positions: [Int32] = []
  /// Devices that lost a member that is gone.
  var shaken: [UInt32] = []

  var devices: [ManagedDevice?] = []
  var freeDevices: [UInt32] = []
  var deviceTotal: UInt32 = 0
  /// How often one of `allDevices` was made, was not as before, or went: who shows them looks at them when it is another.
  var changeCount: UInt64 = 0
  var memory: DeviceMemory
  /// What the application keeps for its next launch; `nil`: nothing.
  var keeper: DeviceKeeper?
  /// Of the application, after the first one.
  var launchCount = 0
  /// Whether it runs when the store has answered: it was not stopped meanwhile.
  var startsWhenLoaded = true
  var connections: DeviceConnections
  /// Devices of the directory that nobody answered for, to be asked for again.
  var unreached: [String] = []
  /// Ids that devices have now.
  var idsInUse: Set<String> = []
  private var registrations: RegistrationIndex
  var soughtTypes: [String] { registrations.soughtTypes }
  var combinations: [[String]: Combination] = [:]

  package internal(set) var isRunning = true
  /// It never searches, whatever the setup says.
  var onlyListens = false
  /// When it searches next.
  var nextSearch = Instant.never
  var searchTotal: UInt32 = 0

  private struct Document {
    var description: ManagedMember.Description
    /// Members with this LOCATION, in order.
    var owners: [Int32] = []
    /// Attempts in a row that failed for a reason that may pass.
    var failureCount = 0
    /// When it is asked for again; `.never`: it is not.
    var retryAt = Instant.never
  }

  /// When descriptions are asked for again, in no order; an entry counts if the document says the same.
  private var retries: [(at: Instant, location: String)] = []
  /// The first of them.
  private(set) var nextRetry = Instant.never

  /// - Parameter awaitsDescriptions: whether descriptions are fetched.
  package init(_ configuration: ManagerConfiguration, awaitsDescriptions: Bool) {
    (self.configuration, self.awaitsDescriptions) = (configuration, awaitsDescriptions)
    connections = DeviceConnections(
      userAgent: configuration.userAgent, user: configuration.user, allowsLoopback: configuration.allowsLoopback,
      seed: configuration.idSeed, faults: configuration.connectionFaults)
    memory = DeviceMemory(configuration.idSeed)
    keeper = configuration.store.map { DeviceKeeper($0, configuration.faults) }
    isRunning = keeper == nil
    registrations = RegistrationIndex(configuration.registrations)
    remember(configuration.setup.remembered)
  }

  private mutating func remember(_ devices: [RememberedDevice]) {
    memory.note(devices)
    for key in devices.flatMap(\.keys) { connections.note(key) }
  }

  func isOn(_ fault: ManagerFaults) -> Bool { configuration.faults.contains(fault) }

  // MARK: - What the engine reports

  package mutating func take(_ report: Report, at now: Instant) {
    switch report {
    case .found(let sighting): find(sighting)
    case .changed(let sighting, let change):
      if case .united(let part) = change { lose(part) }
      update(sighting)
    case .lost(let name, _): lose(name)
    case .description(let fetch): describe(fetch, at: now)
    case .service(let answer): if isOn(.retriesWithEachAnswer) { hurry(answer.device, at: now) }
    default: break
    }
  }

  /// A device announces or answers one more type, behind those of before.
  /// - Returns: whether that suffices; else all that it announces has to be told.
  package mutating func note(_ name: String, announcesNext type: String, owner: String) -> Bool {
    guard let place = place(of: name) else { return true }
    if !members[Int(place)].announces { return false }
    if members[Int(place)].announce(owner: owner, type: type, &registrations) { change(place) }
    return true
  }

  /// What a device announces or answers now.
  package mutating func note(_ name: String, announces types: [(owner: String, type: String)]) {
    guard let place = place(of: name) else { return }
    if members[Int(place)].announce(types, &registrations) { change(place) }
  }

  private mutating func place(of name: String) -> Int32? {
    if Int(lastPlace) < members.count, members[Int(lastPlace)].name == name { return lastPlace }
    guard let place = places[DeviceName(name)] else { return nil }
    lastPlace = place
    return place
  }

  /// What a peripheral says in its data now.
  package mutating func note(_ name: String, says fields: AdvertisedFields) {
    guard let place = place(of: name) else { return }
    let data = configuration.identityRules.compactMap { $0.key(in: fields) }
    if members[Int(place)].data == data { return }
    members[Int(place)].data = data
    change(place)
  }

  private mutating func find(_ sighting: DeviceSighting) {
    let place = freePlaces.last ?? Int32(members.count)
    if let known = places.updateValue(place, forKey: DeviceName(sighting.device)) {
      places[DeviceName(sighting.device)] = known
      return update(sighting)
    }
    let member = ManagedMember(sighting: sighting, number: foundTotal)
    foundTotal &+= 1
    if Int(place) == members.count {
      members.append(member)
      marks.append(0)
      positions.append(-1)
    } else {
      members[Int(place)] = member
      freePlaces.removeLast()
    }
    lastPlace = place
    attach(place)
    change(place)
  }

  private mutating func update(_ sighting: DeviceSighting) {
    guard let place = place(of: sighting.device) else { return }
    let isElsewhere = members[Int(place)].sighting.location != sighting.location
    if isElsewhere { detach(place) }
    members[Int(place)].sighting = sighting
    if isElsewhere { attach(place) }
    change(place)
  }

  private mutating func lose(_ name: String) {
    guard let place = places.removeValue(forKey: DeviceName(name)) else { return }
    touch(place)
    unindex(place, members[Int(place)].keys)
    detach(place)
    for device in devices(around: place) { leave(device, place) }
    members[Int(place)] = .gone
    freePlaces.append(place)
  }

  // MARK: - Descriptions

  /// Joins those with its LOCATION.
  private mutating func attach(_ place: Int32) {
    guard awaitsDescriptions, members[Int(place)].sighting.provider.describes else { return }
    guard let location = members[Int(place)].sighting.location else {
      // What was read before still tells what the device is.
      if members[Int(place)].described == nil { members[Int(place)].description = .missing }
      return
    }
    documents[location, default: Document(description: .awaited)].owners.append(place)
    if case .read(let device) = documents[location]?.description {
      members[Int(place)].description = .read(device)
    } else if members[Int(place)].described == nil {
      members[Int(place)].description = documents[location]?.description ?? .awaited
    }
  }

  private mutating func detach(_ place: Int32) {
    guard let location = members[Int(place)].sighting.location, documents[location] != nil else { return }
    documents[location]?.owners.removeAll { $0 == place }
    if documents[location]?.owners.isEmpty == true { documents[location] = nil }
  }

  private mutating func describe(_ fetch: DescriptionFetch, at now: Instant) {
    noteAttempt(fetch, at: now)
    guard let location = fetch.location, documents[location] != nil else {
      // No LOCATION: that device alone.
      guard let place = places[DeviceName(fetch.device)], members[Int(place)].isAwaited else { return }
      members[Int(place)].description = .missing
      return change(place)
    }
    if case .fetched(let document) = fetch.outcome, var read = DescribedDevice(document.body) {
      read.applicationURL = document.applicationURL
      if isOn(.oldDescriptionKept), case .read = documents[location]?.description { return }
      documents[location]?.description = .read(read)
    } else if case .awaited = documents[location]?.description {
      documents[location]?.description = .missing
    } else {
      // What was read before is better than nothing.
      return
    }
    guard let document = documents[location] else { return }
    for place in document.owners {
      if case .missing = document.description, members[Int(place)].described != nil { continue }
      members[Int(place)].description = document.description
      change(place)
    }
  }

  /// From the first attempt that failed to the next one; three times as long after each further one, an hour at most (D49).
  static let retryDelay = Interval.seconds(10)
  private static let retryDelayMaximum = Interval.hours(1)

  /// Notes whether a description is to be asked for again: a failure that may pass must not hide a device for ever.
  private mutating func noteAttempt(_ fetch: DescriptionFetch, at now: Instant) {
    guard let location = fetch.location, documents[location] != nil else { return }
    let isHasty = isOn(.retriesWithEachAnswer)
    guard let failure = fetch.failure, failure.mayPass || isHasty, !isOn(.neverRetries) else {
      documents[location]?.failureCount = 0
      documents[location]?.retryAt = .never
      return
    }
    let count = documents[location]?.failureCount ?? 0
    var delay = DeviceManager.retryDelay
    for _ in 0..<min(count, 8) { delay = min(delay * 3, DeviceManager.retryDelayMaximum) }
    documents[location]?.failureCount = count + 1
    if !isHasty { retry(location, at: now + delay) }
  }

  private mutating func retry(_ location: String, at due: Instant) {
    documents[location]?.retryAt = due
    retries.append((due, location))
    nextRetry = min(nextRetry, due)
  }

  /// A planted fault: an answer to a search is enough to ask for a description that could not be had.
  private mutating func hurry(_ name: String, at now: Instant) {
    guard let place = place(of: name), let location = members[Int(place)].sighting.location,
      documents[location]?.failureCount ?? 0 > 0
    else { return }
    documents[location]?.failureCount = 0
    retry(location, at: now)
  }

  /// The devices of which descriptions are to be asked for again now: one for each LOCATION.
  package mutating func takeRetries(at now: Instant) -> [DeviceSighting] {
    guard nextRetry <= now else { return [] }
    let due = retries.filter { $0.at <= now }
    retries.removeAll { $0.at <= now }
    nextRetry = retries.map(\.at).min() ?? .never
    return due.compactMap { entry in
      guard let document = documents[entry.location], document.retryAt == entry.at, let owner = document.owners.first
      else { return nil }
      documents[entry.location]?.retryAt = .never
      return members[Int(owner)].sighting
    }
  }

  // MARK: - What is to be done

  /// This member is to be looked at anew.
  private mutating func change(_ place: Int32) {
    if marks[Int(place)] & 1 != 0 { return }
    marks[Int(place)] |= 1
    changed.append(place)
  }

  /// The devices around this member are to be worked out anew.
  private mutating func affect(_ place: Int32) {
    if marks[Int(place)] & 2 != 0 { return }
    marks[Int(place)] |= 2
    affected.append(place)
  }

  /// Everybody that this member is one with, or may be.
  private mutating func touch(_ place: Int32) { touch(place, by: members[Int(place)].keys) }

  private mutating func touch(_ place: Int32, by keys: [MergeKey]) {
    affect(place)
    let group = members[Int(place)].group
    if group != none { for other in devices[Int(group)]?.members ?? [] { affect(other) } }
    for key in keys {
      // One more than may join, so that the last one that leaves is noticed.
      guard let all = sharers[key], all.count <= DeviceManager.sharersMaximum + 1 else { continue }
      for other in all { affect(other) }
    }
  }

  private mutating func unindex(_ place: Int32, _ keys: [MergeKey]) {
    for key in keys {
      if sharers[key]?.count == 1 {
        sharers[key] = nil
      } else {
        sharers[key]?.removeAll { $0 == place }
      }
    }
  }

  private mutating func leave(_ device: UInt32, _ place: Int32) {
    devices[Int(device)]?.members.removeAll { $0 == place }
    if !shaken.contains(device) { shaken.append(device) }
  }

  private var memberRules: ManagedMember.Rules {
    ManagedMember.Rules(
      waits: configuration.waitsForDescriptions && !isOn(.toldBeforeDescribed),
      merging: isOn(.mergesNothing) ? .uuid : isOn(.serviceIsDevice) ? .addressAndName : configuration.merging,
      addressing: configuration.addressing, identity: isOn(.identityRulesIgnored) ? [] : configuration.identityRules,
      faults: configuration.faults)
  }

  /// Tells what came of everything since the last call.
  package mutating func settle(at now: Instant, into outbox: inout Outbox) {
    if changed.isEmpty && affected.isEmpty || isLoading { return }
    let rules = memberRules
    for place in changed {
      marks[Int(place)] &= ~1
      if members[Int(place)].isGone { continue }
      guard let former = members[Int(place)].workOut(&registrations, rules) else { continue }
      touch(place, by: former)
      unindex(place, former)
      for key in members[Int(place)].keys { sharers[key, default: []].append(place) }
      touch(place)
    }
    changed.removeAll(keepingCapacity: true)
    // Whoever is one with somebody affected is affected.
    var next = 0
    while next < affected.count {
      touch(affected[next])
      next += 1
    }
    for place in affected { marks[Int(place)] &= ~2 }
    regroup(at: now, into: &outbox)
    affected.removeAll(keepingCapacity: true)
    shaken.removeAll(keepingCapacity: true)
  }

  // MARK: - What the application asks for

  /// Goes on as another setup says: devices of before are lost, and what is there is looked at anew.
  /// - Parameter runs: whether the application is told of it; else it is when it starts.
  mutating func begin(_ setup: DiscoverySetup, runs: Bool = true, at now: Instant, into outbox: inout Outbox) {
    isRunning = false
    tellAll(at: now, into: &outbox)
    configuration.setup = setup
    if onlyListens { configuration.setup.searches = false }
    connections.forgetKeys()
    remember(setup.remembered)
    register(setup.registrations, at: now, into: &outbox)
    guard runs else { return }
    isRunning = true
    tellAll(at: now, into: &outbox)
    searchSoon(at: now)
  }

  /// Takes these services for those that the application can use: what is there is looked at anew.
  private mutating func register(
    _ services: [ServiceRegistration], at now: Instant, into outbox: inout Outbox
  ) {
    configuration.setup.registrations = services
    registrations = RegistrationIndex(services)
    combinations.removeAll()
    for place in members.indices where !members[place].isGone {
      members[place].hearAgain(&registrations)
      change(Int32(place))
      // A service that a device had before may be able to do something else.
      affect(Int32(place))
    }
    settle(at: now, into: &outbox)
  }

  package mutating func take(_ command: ManagerCommand, at now: Instant, into outbox: inout Outbox) {
    switch command {
    case .begin(let setup): begin(setup, at: now, into: &outbox)
    case .register(let services):
      let known = soughtTypes
      register(services, at: now, into: &outbox)
      if soughtTypes.contains(where: { !known.contains($0) }) { searchSoon(at: now) }
    case .start:
      startsWhenLoaded = true
      if isRunning || isLoading { return }
      isRunning = true
      searchSoon(at: now)
      tellAll(at: now, into: &outbox)
    case .stop:
      startsWhenLoaded = false
      if !isRunning { return }
      isRunning = false
      nextSearch = .never
      tellAll(at: now, into: &outbox)
    case .filter(let filters):
      if isOn(.filtersStartOver), isRunning {
        isRunning = false
        tellAll(at: now, into: &outbox)
        isRunning = true
      }
      configuration.filters = filters
      combinations.removeAll()
      tellAll(at: now, into: &outbox)
    case .pairing(let level):
      configuration.pairingLevel = level
      combinations.removeAll()
      tellAll(at: now, into: &outbox)
    case .rescan: searchSoon(at: now)
    case .relaunch: relaunch(at: now, into: &outbox)
    case .removeAll: keeper?.removeAll(into: &outbox)
    case .device(let name, let command): take(command, of: name, at: now, into: &outbox)
    // The directory hears of these, and its reports come here.
    case .provide, .withdraw: break
    }
  }
}

/// A device for an application: members of the directory that are one thing.
struct ManagedDevice {
  var id: String
  /// Its place among all that were made.
  var number: UInt32
  /// In the order in which they were found.
  var members: [Int32]
  /// The one service of them that it stands for; `nil`: it stands for all.
  var service: String?
  var state: ManagerReport.State
  /// The application was told that it is there.
  var isTold = false
  /// Its id was given before, in this run or in one that is stored.
  var isKnown = false
}
