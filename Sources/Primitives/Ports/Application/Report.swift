/// What an engine tells its application. Every engine under test reports in these values, and verdicts need nothing else.
///
/// A run keeps many of them, and most are services, which are small: so what is larger lies elsewhere.
public enum Report: Hashable, Sendable {
  /// A device is there that was not there before.
  indirect case found(DeviceSighting)
  /// A device that was there is still there, but not as it was.
  indirect case changed(DeviceSighting, Change)
  /// A device that was there is gone.
  case lost(device: String, cause: LossCause)
  /// A search heard a service for the first time in this search.
  case service(ServiceSighting)
  /// A search is over; with everything it heard, in order of arrival.
  indirect case searchEnded(SearchOutcome)
  /// The description of a device was fetched, or could not be.
  indirect case description(DescriptionFetch)
  /// A connection to a peripheral, and what came of what was asked of it.
  indirect case peripheral(PeripheralReport)
  /// A nearby peer of a simulated host was told something.
  indirect case nearby(PeerReport)
  /// What the manager makes of all that: a device for the application.
  indirect case managed(ManagerReport)
  /// Something the application asked for cannot be done.
  indirect case failed(Failure)
  /// A datagram was refused.
  case rejected(Rejection)
}

// For code that handles all reports in one way.
extension Report {
  /// What it is called in lines: `found`, `searchEnded`.
  public var name: String {
    switch self {
    case .found: "found"
    case .changed: "changed"
    case .lost: "lost"
    case .service: "service"
    case .searchEnded: "searchEnded"
    case .description: "description"
    case .peripheral(let report): report.event.name
    case .nearby(let report): report.event.name
    case .managed(let report): report.event.name
    case .failed: "failed"
    case .rejected: "rejected"
    }
  }

  /// The device that it is about; `nil`: none.
  public var device: String? {
    switch self {
    case .found(let sighting), .changed(let sighting, _): sighting.device
    case .lost(let device, _): device
    case .service(let service): service.device
    case .description(let fetch): fetch.device
    case .peripheral(let report): report.device
    case .nearby(let report): report.device
    case .managed(let report): report.id
    case .searchEnded, .failed, .rejected: nil
    }
  }

  /// The report as if its search had this number; one that is about no search as it is.
  public func renumbered(_ search: SearchID) -> Report {
    switch self {
    case .service(let service): return .service(ServiceSighting(search: search, names: service.names))
    case .searchEnded(var outcome):
      outcome.search = search
      for index in outcome.services.indices { outcome.services[index].search = search }
      return .searchEnded(outcome)
    case .failed(var failure):
      if failure.search != nil { failure.search = search }
      return .failed(failure)
    case .found, .changed, .lost, .description, .peripheral, .nearby, .managed, .rejected: return self
    }
  }
}

public struct SearchOutcome: Hashable, Sendable {
  public var search: SearchID
  public var target: String
  public var services: [ServiceSighting]
  /// Whether the application stopped it before its time.
  public var wasStopped: Bool
  public init(search: SearchID, target: String, services: [ServiceSighting], wasStopped: Bool) {
    self.search = search
    self.target = target
    self.services = services
    self.wasStopped = wasStopped
  }
}

/// Something that was asked of an engine and cannot be done.
public struct Failure: Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case cannotJoin, cannotSend, noInterface, invalidSearch, searchIdUsed, invalidBrowse
    /// Devices cannot be read from the store, or not be kept there.
    case store
    /// Peripherals are looked for, and the radio is switched off, is not allowed to this program, or is not there.
    case bluetoothOff, bluetoothNotAllowed, noBluetooth
    /// What is to be looked for by radio is no UUID.
    case invalidScan
  }
  public var reason: Reason
  public var search: SearchID?
  public var interface: InterfaceID?
  /// What a person can do about it.
  public var explanation: String
  public init(reason: Reason, search: SearchID? = nil, interface: InterfaceID? = nil, explanation: String) {
    self.reason = reason
    self.search = search
    self.interface = interface
    self.explanation = explanation
  }

  /// The provider that cannot do it; `nil`: the store of an application, which belongs to none.
  public var provider: ProviderID? {
    switch reason {
    case .bluetoothOff, .bluetoothNotAllowed, .noBluetooth, .invalidScan: .bluetooth
    case .invalidBrowse: .peers
    case .cannotJoin, .cannotSend, .noInterface, .invalidSearch, .searchIdUsed: .standard
    case .store: nil
    }
  }
}

/// A datagram that was refused: why, and at which byte of its payload.
@frozen public struct Rejection: Hashable, Sendable, BitwiseCopyable {
  public var reason: RejectionReason
  /// Counts from the first byte of the payload.
  public var offset: Int
  @inlinable public init(_ reason: RejectionReason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}
