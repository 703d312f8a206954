/// What a central manager asks its phone to do. Attributes are named by their handles: a service by the range that it
/// fills, a characteristic by the handle of its value.
package enum PhoneRequest: Hashable, Sendable {
  /// Another scan takes the place of the one before, and tells of each peripheral anew.
  case startScan(ScanRequest)
  /// Of the scan with this number.
  case stopScan(Int)

  /// Ends in exactly one `.connected` or `.failedToConnect` with this link, unless it is cancelled. It never times out.
  case connect(UUID, link: Int, ConnectOptions)
  /// Ends the link, or the attempt: always answered with one `.disconnected` of this link. A link that is gone already
  /// is not answered again.
  case cancelConnection(UUID, link: Int)
  case registerForConnectionEvents(services: [AttributeUUID]?, peripherals: [UUID]?)

  /// Answered with `.services`; nil means all.
  case discoverServices(UUID, [AttributeUUID]?)
  /// Answered with `.includedServices`.
  case discoverIncludedServices(UUID, service: ClosedRange<UInt16>, [AttributeUUID]?)
  /// Answered with `.characteristics`.
  case discoverCharacteristics(UUID, service: ClosedRange<UInt16>, [AttributeUUID]?)
  /// Answered with `.descriptors`.
  case discoverDescriptors(UUID, characteristic: UInt16)

  /// Of a characteristic or a descriptor; answered with `.value`.
  case read(UUID, UInt16)
  /// Of a characteristic or a descriptor; answered with `.written` if a response is asked for.
  case write(UUID, UInt16, [UInt8], withResponse: Bool)
  /// Answered with `.notifying`.
  case subscribe(UUID, characteristic: UInt16, Subscription)
  /// Answered with `.strength`.
  case readStrength(UUID)
}

/// One scan. The door numbers them, so that an event of a scan that has ended is known as one.
package struct ScanRequest: Hashable, Sendable {
  package var number: Int
  /// Peripherals with any of these; nil means all. Never empty.
  package var services: [AttributeUUID]?
  /// Peripherals that look for any of these count as well.
  package var solicited: [AttributeUUID]
  /// An event for each packet, not one for each peripheral.
  package var allowsDuplicates: Bool

  package init(
    number: Int, services: [AttributeUUID]? = nil, solicited: [AttributeUUID] = [], allowsDuplicates: Bool = false
  ) {
    self.number = number
    self.services = services
    self.solicited = solicited
    self.allowsDuplicates = allowsDuplicates
  }
}

/// What the application asks of a connection.
package struct ConnectOptions: Hashable, Sendable {
  /// Seconds of virtual time to wait before the attempt.
  package var startDelay: Double = 0
  /// A link that is lost is sought again: `.disconnected` says so, and `.connected` of the same link follows.
  package var reconnects = false
  package var requiresANCS = false
  package var bridgesTransports = false
  /// What the person is to be told while the application is in the background.
  package var tellsOfConnection = false
  package var tellsOfDisconnection = false
  package var tellsOfNotifications = false

  package init() {}
}

package enum Subscription: Hashable, Sendable {
  case off
  case notifications
  case indications
}
