package import RollcallPrimitives
package import RollcallWire

/// The engine that finds and loses devices.
///
/// A provider for each protocol turns signals into sightings; the directory holds the devices of all of them and makes
/// the reports. Today the one provider is SSDP. A value: same configuration, same signals, same instants, same effects,
/// in every process. Everything that is due at or before `now` happens before a signal is looked at, so effects come in
/// order of time and a message at the very end of a lease finds the device gone.
package struct DiscoveryEngine: Machine {
  /// The devices that the engine holds now.
  package private(set) var directory = Directory()
  private(set) var ssdp: SSDPProvider
  private var isStopped = false

  package init(_ configuration: EngineConfiguration = EngineConfiguration()) { ssdp = SSDPProvider(configuration) }

  package var configuration: EngineConfiguration { ssdp.table.configuration }
  package var counters: EngineCounters { ssdp.table.counters }
  /// Where the engine's messages are read; a driver that wants to know them as well need not read them again.
  package var intake: SSDPIntake { ssdp.controlPoint.intake }
  /// Searches that are open, adopted ones included.
  package var openSearchCount: Int { ssdp.controlPoint.sessions.count }

  package var deadline: Instant? {
    let next = ssdp.deadline
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    advance(to: now, into: &outbox)
    guard !isStopped else { return }
    switch signal {
    case .datagram(let datagram): ssdp.receive(datagram, at: now, &directory, into: &outbox)
    case .value(let id):
      let value = outbox.values[id]
      ssdp.receive(value, at: now, &directory, into: &outbox)
      // After that the engine hears nothing any more.
      if value == .application(.stop) { isStopped = true }
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) { advance(to: now, into: &outbox) }

  @inline(__always) private mutating func advance(to now: Instant, into outbox: inout Outbox) {
    directory.now = now
    ssdp.advance(to: now, &directory, into: &outbox)
    directory.now = now
  }
}

extension DiscoveryEngine {
  /// What should hold between two calls and does not: for tests and fuzzing, since it looks at everything.
  package var brokenInvariants: [String] { ssdp.brokenInvariants(devicesInDirectory: directory.count) }

  /// How many places each kind of record takes, used or waiting to be used again: for tests of what is kept.
  package var recordCounts: [Int] {
    let table = ssdp.table
    return [
      table.leases.count, table.devices.count, table.parts.count, table.histories.count, table.uuids.capacity,
      table.targets.capacity, table.locations.capacity, table.sources.records.count,
    ]
  }
}
