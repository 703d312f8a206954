package import RollcallPrimitives
package import RollcallWire

/// The engine that finds and loses devices.
///
/// A provider for each protocol turns signals into sightings; the directory holds the devices of all of them and makes
/// the reports. The providers are SSDP, Bluetooth LE and multicast DNS. A value: same configuration, same signals, same
/// instants, same effects, in every process. Everything that is due at or before `now` happens before a signal is looked at, so effects come in
/// order of time and a message at the very end of a lease finds the device gone.
package struct DiscoveryEngine: Machine {
  /// The devices that the engine holds now.
  package internal(set) var directory: Directory
  var ssdp: SSDPProvider
  var bluetooth: BluetoothProvider
  var services: ServiceProvider
  /// Its deadline: kept here for the same reason as that of the client.
  var servicesDue = Instant.never
  /// Fetches what the reports of the providers make worth fetching; `nil`: the application does that.
  var descriptions: DescriptionClient?
  /// Whether there is one: asked four times a message, and of the client itself it takes a call.
  private var fetches = false
  /// Its deadline: kept here, since reading it there copies the client, and a driver asks after every call.
  private var descriptionsDue = Instant.never
  /// When the first of all has something to do: kept here, since a driver asks twice a message.
  private var due = Instant.never
  private var isStopped = false
  /// Makes devices for the application of all that; `nil`: nobody asked for them.
  package internal(set) var manager: DeviceManager?
  /// Its deadline: kept here for the same reason.
  var managerDue = Instant.never
  /// Devices that the application found itself.
  var provided = ProvidedDevices()
  /// As they were told last: a manager that begins late has to know them.
  var interfaces = HostInterfaces()
  /// What a manager searches for stands in a capture already.
  var managerOnlyListens = false

  package init(_ configuration: EngineConfiguration = EngineConfiguration()) {
    directory = Directory(seed: configuration.hashSeed)
    ssdp = SSDPProvider(configuration)
    bluetooth = BluetoothProvider(
      silence: configuration.peripheralSilence, scan: configuration.scan,
      countMaximum: configuration.limits.peripherals, faults: configuration.switches.ofBluetooth,
      centralFaults: configuration.switches.ofConnections)
    services = ServiceProvider(
      configuration.browse, seed: configuration.querySeed, faults: configuration.switches.ofServices)
    if !configuration.asksForServices { services.onlyListen() }
    if configuration.descriptions == .fetch { fetchDescriptions(within: configuration.descriptionLimits) }
    if let manager = configuration.manager {
      manage(manager)
      browse(for: manager.setup.browses)
    }
    noteDue()
  }

  /// Fetches descriptions from now on; before the first signal.
  package mutating func fetchDescriptions(within limits: DescriptionClient.Limits) {
    fetches = true
    descriptions = DescriptionClient(
      limits: limits, userAgent: configuration.userAgent ?? "Rollcall/1.0",
      faults: configuration.switches.ofDescriptions
    )
  }

  /// Asks for no service from now on, and only listens to what is said of services; before the first signal.
  package mutating func onlyListenToServices() { services.onlyListen() }
  /// Looks for these services from the start, too; before the first signal.
  package mutating func browse(for services: [ServiceBrowse]) { self.services.begin(with: services) }

  package var configuration: EngineConfiguration { ssdp.table.configuration }
  package var counters: EngineCounters { ssdp.table.counters }
  /// Where the engine's messages are read; a driver that wants to know them as well need not read them again.
  package var intake: SSDPIntake { ssdp.controlPoint.intake }
  /// Searches that are open, adopted ones included.
  package var openSearchCount: Int { ssdp.controlPoint.sessions.count }

  /// The open searches by hand that a datagram is an answer to; the engine has accepted it.
  mutating func searchesByHand(answeredBy datagram: Datagram, in payloads: PayloadStore) -> [SearchID] {
    ssdp.searchesByHand(answeredBy: datagram, in: payloads)
  }
  /// Whether every copy of a search that was sent so far was refused.
  func hasSentNothing(of search: SearchID) -> Bool { ssdp.controlPoint.isUnsent(search) }

  /// How its radio listens for peripherals now; `nil`: it does not.
  package var radioScan: ScanPolicy? { bluetooth.listens }
  /// The connections to peripherals that stand.
  package var links: [CentralLink] { bluetooth.links }
  /// All devices that the manager made of what is found, in the order in which it did, whether they suit the application or not.
  package var managedDevices: [(id: String, state: ManagerReport.State)] { manager?.allDevices ?? [] }
  /// Another number whenever these are others, or not as before; `nil`: there is no manager.
  package var managedChanges: UInt64? { manager?.changeCount }

  /// Mutating, so that it is read in place: the engine is large.
  package var deadline: Instant? {
    mutating get { due == .never ? nil : due }
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    let first = outbox.count
    advance(to: now, into: &outbox)
    if !isStopped { take(signal, at: now, into: &outbox) }
    if manager != nil || beginsManager(signal, outbox) { askManager(signal, from: first, at: now, into: &outbox) }
    noteDue()
  }

  @inline(__always) private mutating func take(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    let first = outbox.count
    switch signal {
    case .datagram(let datagram):
      // Everything of multicast DNS that concerns a browser goes to its port (RFC 6762 §5.2, §6).
      if datagram.destination.port == Endpoint.mdnsPort {
        services.receive(datagram, at: now, &directory, into: &outbox)
        servicesDue = services.deadline
      } else {
        ssdp.receive(datagram, at: now, &directory, into: &outbox)
      }
    case .value(let id):
      let value = outbox.values[id]
      if case .streams(let signal) = value {
        descriptions?.receive(signal, at: now, into: &outbox)
        return
      }
      if case .radio = value { return bluetooth.receive(value, at: now, &directory, into: &outbox) }
      if case .host(.interface(let change)) = value {
        interfaces.take(change)
        descriptions?.take(change)
      }
      ssdp.receive(value, at: now, &directory, into: &outbox)
      bluetooth.receive(value, at: now, &directory, into: &outbox)
      services.receive(value, at: now, &directory, into: &outbox)
      servicesDue = services.deadline
      switch value {
      case .application(.stopDescriptions): descriptions?.stop(at: now, into: &outbox)
      case .application(.stop):
        descriptions?.stop(at: now, into: &outbox)
        // After that the engine hears nothing any more, and nobody asks by it.
        letManagerOnlyListen()
        isStopped = true
      default: break
      }
    }
    showReports(from: first, at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    let first = outbox.count
    advance(to: now, into: &outbox)
    if manager != nil { askManager(nil, from: first, at: now, into: &outbox) }
    noteDue()
  }

  /// To be called last by whatever gives anybody something to do.
  @inline(__always) private mutating func noteDue() {
    if fetches { descriptionsDue = descriptions?.deadline ?? .never }
    due = nextDue
  }

  /// What `due` has to be.
  @inline(__always) private var nextDue: Instant {
    min(min(ssdp.deadline, bluetooth.deadline), min(servicesDue, min(descriptionsDue, managerDue)))
  }

  @inline(__always) private mutating func advance(to now: Instant, into outbox: inout Outbox) {
    let first = outbox.count
    directory.now = now
    // Of providers that have something to do, the one goes first whose time comes first.
    while case let next = min(bluetooth.deadline, servicesDue), next <= now, next != .never {
      ssdp.advance(to: next, &directory, into: &outbox)
      bluetooth.advance(to: next, &directory, into: &outbox)
      if servicesDue <= next {
        services.advance(to: next, &directory, into: &outbox)
        servicesDue = services.deadline
      }
    }
    ssdp.advance(to: now, &directory, into: &outbox)
    directory.now = now
    showReports(from: first, at: now, into: &outbox)
    if fetches { descriptions?.advance(to: now, into: &outbox) }
  }

  /// Shows the client the reports that stand in the outbox from a position on.
  @inline(__always) mutating func showReports(
    from first: Int, at now: Instant, into outbox: inout Outbox
  ) {
    if !fetches { return }
    // What the client adds itself is not for it.
    for position in first..<outbox.count {
      if case .application(let report) = outbox[position] { descriptions?.take(report, at: now, into: &outbox) }
    }
  }
}

extension DiscoveryEngine {
  /// What should hold between two calls and does not: for tests and fuzzing, since it looks at everything.
  package var brokenInvariants: [String] {
    func count(_ provider: ProviderID) -> Int { directory.present.count { $0.sighting.provider == provider } }
    return ssdp.brokenInvariants(devicesInDirectory: count(.ssdp))
      + bluetooth.brokenInvariants(devicesInDirectory: count(.bluetooth))
      + services.brokenInvariants(devicesInDirectory: count(.peers))
      + (servicesDue == services.deadline ? [] : ["the services' deadline is not the one that is kept"])
      + (due == nextDue ? [] : ["the engine's deadline is not the one that is kept"])
  }

  /// How many places each kind of record takes, used or waiting to be used again: for tests of what is kept.
  package var recordCounts: [Int] {
    let table = ssdp.table
    return [
      table.leases.count, table.devices.count, table.parts.count, table.histories.count, table.uuids.capacity,
      table.targets.capacity, table.locations.capacity, table.sources.records.count,
    ]
  }
}
