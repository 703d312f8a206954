import RollcallPrimitives

// The manager, which hears what the engine reports, and searches by it.
extension DiscoveryEngine {
  /// Makes devices for the application from now on.
  mutating func manage(_ own: ManagerConfiguration) {
    var own = own
    own.faults.formUnion(configuration.switches.ofManager)
    own.connectionFaults.formUnion(configuration.switches.ofDeviceConnections)
    if let userAgent = configuration.userAgent { own.userAgent = userAgent }
    own.user = configuration.typingUser
    own.allowsLoopback = configuration.descriptionLimits.queue.allowsLoopback
    own.idSeed = configuration.querySeed
    manager = DeviceManager(own, awaitsDescriptions: descriptions != nil)
    ssdp.noteTypes()
    bluetooth.notesData = !own.setup.identityRules.isEmpty
    bluetooth.begin(seeking: own.setup.radioServices, asks: own.setup.searches)
  }

  /// Makes devices of what is there and of what comes, from now on, as this setup says; devices of before are lost.
  private mutating func begin(_ setup: DiscoverySetup, at now: Instant, into outbox: inout Outbox) {
    let browses = manager?.configuration.setup.browses ?? []
    if manager == nil {
      manage(ManagerConfiguration(setup))
      if managerOnlyListens { manager?.onlyListen() }
      for change in interfaces.all { manager?.take(change, at: now) }
      let present = directory.present.map(\.sighting)
      for sighting in present { manager?.take(.found(sighting), at: now) }
      ssdp.noteAllTypes()
      descriptions?.fetchAgain(present.filter(\.provider.describes), at: now, into: &outbox)
    }
    browse(for: setup, insteadOf: browses, at: now, into: &outbox)
    bluetooth.notesData = !setup.identityRules.isEmpty
    bluetooth.noteAllData()
    manager?.begin(setup, at: now, into: &outbox)
    listen(at: now, into: &outbox)
  }

  /// Looks for other services than before.
  private mutating func register(
    _ registrations: [ServiceRegistration], at now: Instant, into outbox: inout Outbox
  ) {
    guard let former = manager?.configuration.setup.browses else { return }
    manager?.take(.register(registrations), at: now, into: &outbox)
    if let setup = manager?.configuration.setup { browse(for: setup, insteadOf: former, at: now, into: &outbox) }
    listen(at: now, into: &outbox)
  }

  /// Browses for what this setup wants, and says which of its services cannot be looked for.
  /// - Parameter former: what was browsed for the manager before.
  private mutating func browse(
    for setup: DiscoverySetup, insteadOf former: [ServiceBrowse], at now: Instant, into outbox: inout Outbox
  ) {
    let browses = setup.browses
    for browse in former where !browses.contains(browse) && !configuration.browse.contains(browse) {
      services.receive(.application(.stopBrowsing(browse)), at: now, &directory, into: &outbox)
    }
    for browse in browses {
      services.receive(.application(.browse(browse)), at: now, &directory, into: &outbox)
    }
    servicesDue = services.deadline
    for failure in setup.radioFailures + setup.registrations.typeFailures { outbox.report(.failed(failure)) }
  }

  /// Listens by radio for what the manager looks for now: nothing while it is stopped.
  private mutating func listen(at now: Instant, into outbox: inout Outbox) {
    let (sought, asks) = (manager?.soughtByRadio ?? [], manager?.configuration.searches ?? false)
    bluetooth.seek(sought, asks: asks, at: now, &directory, into: &outbox)
  }

  /// The manager searches no more.
  package mutating func letManagerOnlyListen() {
    managerOnlyListens = true
    manager?.onlyListen()
  }

  /// Whether the application asks for a manager that is not there yet.
  func beginsManager(_ signal: Signal, _ outbox: borrowing Outbox) -> Bool {
    guard case .value(let id) = signal, case .application(.manager(.begin)) = outbox.values[id] else { return false }
    return true
  }

  /// Shows the manager what was asked of it and the reports from a position on, and does what it wants.
  ///
  /// - Parameter signal: what was given; `nil`: time alone.
  mutating func askManager(_ signal: Signal?, from first: Int, at now: Instant, into outbox: inout Outbox) {
    if case .value(let id) = signal {
      switch outbox.values[id] {
      case .application(.manager(.begin(let setup))): begin(setup, at: now, into: &outbox)
      case .host(.interface(let change)): manager?.take(change, at: now)
      case .application(.manager(.provide(let device))):
        provided.provide(device, &directory)
        directory.report(into: &outbox)
      case .application(.manager(.withdraw(let id))):
        provided.withdraw(id, &directory)
        directory.report(into: &outbox)
      case .application(.manager(.register(let registrations))):
        register(registrations, at: now, into: &outbox)
      case .application(.manager(let command)):
        manager?.take(command, at: now, into: &outbox)
        switch command {
        case .stop: listen(at: now, into: &outbox)
        // One that waits for its store listens when that has answered.
        case .start, .relaunch: if manager?.isLoading == false { listen(at: now, into: &outbox) }
        default: break
        }
      case .streams(let signal): manager?.receive(signal, at: now, into: &outbox)
      case .store(let signal):
        let wasLoading = manager?.isLoading
        manager?.receive(signal, at: now, into: &outbox)
        if wasLoading == true, manager?.isLoading == false { listen(at: now, into: &outbox) }
      default: break
      }
    }
    let hasNews = tellManager(from: first, at: now, into: &outbox)
    // Most messages say again what is known.
    if case .datagram? = signal, !hasNews, managerDue > now { return }
    if let next = manager?.deadline, next <= now {
      manager?.advanceConnections(to: now, into: &outbox)
      manager?.keeper?.advance(to: now)
      let position = outbox.count
      for search in manager?.takeSearches(at: now) ?? [] {
        ssdp.receive(.application(.search(search)), at: now, &directory, into: &outbox)
      }
      showReports(from: position, at: now, into: &outbox)
      if let again = manager?.takeRetries(at: now), !again.isEmpty {
        descriptions?.fetchAgain(again, at: now, into: &outbox)
      }
      tellManager(from: position, at: now, into: &outbox)
    }
    reconfirmUnreached(at: now)
    manager?.keep(from: first, at: now, into: &outbox)
    managerDue = manager?.deadline ?? .never
  }

  /// Services of devices that nobody answered for when the manager connected are asked for again (RFC 6762 §10.4).
  private mutating func reconfirmUnreached(at now: Instant) {
    guard let unreached = manager?.takeUnreached(), !unreached.isEmpty else { return }
    for device in unreached { services.reconfirm(device, at: now) }
    servicesDue = services.deadline
  }

  /// - Returns: whether there was anything.
  @discardableResult
  private mutating func tellManager(from first: Int, at now: Instant, into outbox: inout Outbox) -> Bool {
    let hasNews = outbox.count > first || ssdp.hasOtherTypes || bluetooth.hasOtherData
    for position in first..<outbox.count {
      if case .application(let report) = outbox[position] { manager?.take(report, at: now) }
    }
    ssdp.takeOtherTypes {
      manager?.note($0, announcesNext: $1, owner: $2) ?? true
    } all: {
      manager?.note($0, announces: $1)
    }
    bluetooth.takeOtherData { name, fields in manager?.note(name, says: fields) }
    manager?.settle(at: now, into: &outbox)
    return hasNews
  }
}
