package import RollcallDoors

/// The phone that the managers of an application run on: the one thing below this module.
///
/// A manager attaches once, in its initialiser. From then on it makes requests, and the phone answers with events that
/// it pushes into the manager's door. The phone never runs application code: the door puts each callback on the
/// manager's queue. One phone serves many managers, each by its number.
///
/// What the door does itself, so that a phone need not: it makes the objects and keeps them one for each identifier, it
/// refuses requests in a state that does not allow them, and it drops events that come too late (of a scan that has
/// ended, of a link that is gone, of an object that nobody holds).
package protocol VirtualPhone: AnyObject, Sendable {
  /// What the person has allowed this application. Asked for at any time, before the first manager too.
  var authorization: CBManagerAuthorization { get }

  /// The queues of the managers on this phone; a world waits for them to be empty before its time moves on.
  var queues: DoorQueues { get }

  /// Whether an application is told of each connection that it loses because the radio goes off. The reference text
  /// says only that they are lost.
  var tellsOfLinksLostWithPower: Bool { get }

  /// Whether `CBCentralManager.supports(_:)` says yes to extended scanning and connecting.
  var supportsExtendedScanAndConnect: Bool { get }

  /// A central manager was made. The phone answers with `.state`, after `.willRestore` if the identifier is that of an
  /// earlier manager with something to restore.
  ///
  /// It may push from within this call, but then a callback on another queue can overtake the statement in which the
  /// application stores its manager. Real phones are slower than that, and applications rely on it: push when time
  /// moves.
  func attach(_ door: any PhoneDoor, as setup: ManagerSetup) -> ManagerNumber

  /// The manager is gone: its scan ends, its connections are given up, and its door hears nothing more.
  func detach(_ manager: ManagerNumber)

  /// A command. It returns at once; what comes of it are events.
  func perform(_ request: PhoneRequest, for manager: ManagerNumber)

  /// Those of `identifiers` that this phone has seen, connected to or bonded with; the others are left out.
  func known(_ identifiers: [UUID], to manager: ManagerNumber) -> [KnownPeripheral]

  /// The peripherals that any application of this phone is connected to, with one of `services`; nil means all.
  func connected(withAnyOf services: [AttributeUUID]?, to manager: ManagerNumber) -> [KnownPeripheral]

  /// How many bytes one write takes on the present connection.
  func maximumWriteLength(_ peripheral: UUID, withResponse: Bool, for manager: ManagerNumber) -> Int

  /// Whether a write without response would find room now. After a no, `.readyToWrite` follows.
  func hasRoomToWrite(_ peripheral: UUID, for manager: ManagerNumber) -> Bool

  /// The application did what the documentation forbids. It has no effect, and never stops the application.
  func heard(_ misuse: APIMisuse)
}

extension VirtualPhone {
  package var tellsOfLinksLostWithPower: Bool { false }
  package var supportsExtendedScanAndConnect: Bool { false }
  package func heard(_ misuse: APIMisuse) { APIMisuse.report(misuse) }
}

/// Where a phone pushes the events of one manager. It may be called from any thread and returns at once.
package protocol PhoneDoor: AnyObject, Sendable {
  func push(_ event: PhoneEvent)
}

/// A manager's number, given by the phone.
package struct ManagerNumber: Hashable, Sendable {
  package let value: Int

  package init(_ value: Int) { self.value = value }
}

/// How a central manager was made.
package struct ManagerSetup: Hashable, Sendable {
  /// The application's name for this manager over its launches.
  package var restoreIdentifier: String?
  /// Whether the person is to be told that the radio is off.
  package var showsPowerAlert: Bool

  package init(restoreIdentifier: String? = nil, showsPowerAlert: Bool = true) {
    self.restoreIdentifier = restoreIdentifier
    self.showsPowerAlert = showsPowerAlert
  }
}

/// A peripheral that the phone knows: its identifier on this phone, and the name to show for it.
package struct KnownPeripheral: Hashable, Sendable {
  package var identifier: UUID
  package var name: String?

  package init(identifier: UUID, name: String? = nil) {
    self.identifier = identifier
    self.name = name
  }
}

/// The phone that new managers attach to.
package enum PhoneLink {
  /// The phone of this task, and of callbacks of a manager that is attached to it.
  @TaskLocal package static var current: (any VirtualPhone)?

  private static let standing = Guarded<(any VirtualPhone)?>(nil)

  /// The phone where no task says another.
  package static var standard: (any VirtualPhone)? {
    get { standing.current }
    set { standing.withLock { $0 = newValue } }
  }

  package static var phone: (any VirtualPhone)? { current ?? standard }
}
