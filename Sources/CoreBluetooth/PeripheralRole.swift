/// A phone that can be a peripheral as well. On a phone that is none of these, peripheral managers are `unsupported`.
package protocol PeripheralRolePhone: VirtualPhone {
  /// A peripheral manager was made. Numbers are those of central managers too; `detach` ends both kinds.
  func attach(_ door: any PeripheralRoleDoor, as setup: ManagerSetup) -> ManagerNumber

  func perform(_ request: PeripheralRoleRequest, for manager: ManagerNumber)

  /// Tells subscribed centrals of a value: all of them, or these. False if there is no room; `.readyToUpdate` follows.
  func update(_ characteristic: UInt16, _ bytes: [UInt8], to centrals: [UUID]?, for manager: ManagerNumber) -> Bool
}

/// Where a phone pushes the events of one peripheral manager. It may be called from any thread and returns at once.
package protocol PeripheralRoleDoor: AnyObject, Sendable {
  func push(_ event: PeripheralRoleEvent)
}

/// What a peripheral manager asks its phone to do.
package enum PeripheralRoleRequest: Sendable {
  /// Answered with `.published`.
  case publish(PublishedService)
  /// Of the service with this first handle.
  case withdraw(UInt16)
  case withdrawAll
  /// Answered with `.advertising`.
  case advertise(AdvertisedIdentity)
  case stopAdvertising
  /// The answer to `.read` or `.write` with this number: an ATT code, 0 for success, and what was read.
  case respond(Int, code: UInt8, [UInt8]?)
  case setLatency(CBPeripheralManagerConnectionLatency, UUID)
}

/// The two things that an application may advertise.
package struct AdvertisedIdentity: Hashable, Sendable {
  package var localName: String?
  package var services: [AttributeUUID]

  package init(localName: String? = nil, services: [AttributeUUID] = []) {
    self.localName = localName
    self.services = services
  }
}

/// A service with the handles that the door has given it. Reads of a characteristic or descriptor with a value are
/// answered by the phone; all others are asked of the application.
package struct PublishedService: Sendable {
  package var handles: ClosedRange<UInt16>
  package var uuid: AttributeUUID
  package var isPrimary: Bool
  /// The first handles of services that it includes.
  package var included: [UInt16] = []
  package var characteristics: [PublishedCharacteristic] = []

  package init(
    handles: ClosedRange<UInt16>, uuid: AttributeUUID, isPrimary: Bool = true, included: [UInt16] = [],
    characteristics: [PublishedCharacteristic] = []
  ) {
    self.handles = handles
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.included = included
    self.characteristics = characteristics
  }
}

package struct PublishedCharacteristic: Sendable {
  /// Of its value; the one before it is that of its declaration.
  package var handle: UInt16
  package var uuid: AttributeUUID
  package var properties: CBCharacteristicProperties
  package var permissions: CBAttributePermissions
  package var value: [UInt8]?
  /// Of the descriptor that holds subscriptions, for a characteristic that notifies or indicates.
  package var subscription: UInt16?
  package var descriptors: [PublishedDescriptor] = []

  package init(
    handle: UInt16, uuid: AttributeUUID, properties: CBCharacteristicProperties,
    permissions: CBAttributePermissions, value: [UInt8]? = nil, subscription: UInt16? = nil,
    descriptors: [PublishedDescriptor] = []
  ) {
    self.handle = handle
    self.uuid = uuid
    self.properties = properties
    self.permissions = permissions
    self.value = value
    self.subscription = subscription
    self.descriptors = descriptors
  }
}

package struct PublishedDescriptor: Hashable, Sendable {
  package var handle: UInt16
  package var uuid: AttributeUUID
  package var value: [UInt8]

  package init(handle: UInt16, uuid: AttributeUUID, value: [UInt8]) {
    self.handle = handle
    self.uuid = uuid
    self.value = value
  }
}

/// A central as the phone sees it.
package struct ConnectedCentral: Hashable, Sendable {
  package var identifier: UUID
  package var maximumUpdateLength: Int

  package init(identifier: UUID, maximumUpdateLength: Int) {
    self.identifier = identifier
    self.maximumUpdateLength = maximumUpdateLength
  }
}

/// What a phone tells one peripheral manager, in order.
package enum PeripheralRoleEvent: Sendable {
  case state(CBManagerState)
  /// Before the first `.state`, for a manager with the restore identifier of an earlier one.
  case willRestore(services: [PublishedService], advertised: AdvertisedIdentity?)
  case published(UInt16, PhoneError?)
  case advertising(PhoneError?)
  case subscribed(ConnectedCentral, characteristic: UInt16)
  case unsubscribed(ConnectedCentral, characteristic: UInt16)
  case read(Int, ConnectedCentral, characteristic: UInt16, offset: Int)
  /// All parts of one request; they are answered together.
  case write(Int, ConnectedCentral, [WrittenPart])
  case readyToUpdate
}

package struct WrittenPart: Hashable, Sendable {
  package var characteristic: UInt16
  package var offset: Int
  package var bytes: [UInt8]

  package init(characteristic: UInt16, offset: Int = 0, bytes: [UInt8]) {
    self.characteristic = characteristic
    self.offset = offset
    self.bytes = bytes
  }
}
