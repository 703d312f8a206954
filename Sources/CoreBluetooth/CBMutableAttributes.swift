public import Foundation
import RollcallDoors

/// A service that this application publishes.
open class CBMutableService: CBService {
  public init(type UUID: CBUUID, primary isPrimary: Bool) {
    super.init(uuid: UUID, isPrimary: isPrimary, handles: nil, peripheral: nil)
  }

  open override var includedServices: [CBService]? {
    get { super.includedServices }
    set { content.withLock { $0.included = newValue } }
  }

  open override var characteristics: [CBCharacteristic]? {
    get { super.characteristics }
    set {
      content.withLock { $0.characteristics = newValue }
      for characteristic in newValue ?? [] { characteristic.service = self }
    }
  }
}

/// A characteristic that this application publishes. With a value it is read from there; without one each read is asked
/// of the delegate.
open class CBMutableCharacteristic: CBCharacteristic {
  struct Offer {
    var permissions: CBAttributePermissions
    var subscribers: [CBCentral]?
  }

  let offer: Guarded<Offer>

  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) {
    offer = Guarded(Offer(permissions: permissions))
    super.init(uuid: UUID, properties: properties, value: value, handle: nil, service: nil)
  }

  open var permissions: CBAttributePermissions {
    get { offer.withLock { $0.permissions } }
    set { offer.withLock { $0.permissions = newValue } }
  }

  /// Those that are told of new values. Nil if it is not published.
  open var subscribedCentrals: [CBCentral]? { offer.withLock { $0.subscribers } }

  open override var properties: CBCharacteristicProperties {
    get { super.properties }
    set { content.withLock { $0.properties = newValue } }
  }

  open override var value: Data? {
    get { super.value }
    set { content.withLock { $0.value = newValue } }
  }

  open override var descriptors: [CBDescriptor]? {
    get { super.descriptors }
    set {
      content.withLock { $0.descriptors = newValue }
      for descriptor in newValue ?? [] { descriptor.characteristic = self }
    }
  }
}

/// A descriptor that this application publishes. Only words about the characteristic and its format can be.
open class CBMutableDescriptor: CBDescriptor {
  public init(type UUID: CBUUID, value: Any?) {
    super.init(uuid: UUID, value: value, handle: nil, characteristic: nil)
  }
}
