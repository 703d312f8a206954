public import Foundation
import RollcallDoors

/// A service, a characteristic or a descriptor.
open class CBAttribute: NSObject {
  /// Where it is in the attributes of the peripheral, and whether it still is.
  struct Place {
    var handle: UInt16?
    var isValid = true
  }

  private let type: CBUUID
  let place: Guarded<Place>

  init(uuid: CBUUID, handle: UInt16?) {
    type = uuid
    place = Guarded(Place(handle: handle))
    super.init()
  }

  open var uuid: CBUUID { type }

  var handle: UInt16? { place.withLock { $0.isValid ? $0.handle : nil } }

  /// The peripheral that it was found on.
  var home: CBPeripheral? { nil }

  /// The connection is over, or the peripheral has changed: whoever still holds the object cannot use it.
  func invalidate() { place.withLock { $0.isValid = false } }
}

/// A service of a peripheral.
open class CBService: CBAttribute {
  struct Content {
    var isPrimary: Bool
    var included: [CBService]?
    var characteristics: [CBCharacteristic]?
  }

  let content: Guarded<Content>
  let handles: ClosedRange<UInt16>?

  init(uuid: CBUUID, isPrimary: Bool, handles: ClosedRange<UInt16>?, peripheral: CBPeripheral?) {
    content = Guarded(Content(isPrimary: isPrimary))
    self.handles = handles
    self.peripheral = peripheral
    super.init(uuid: uuid, handle: handles?.lowerBound)
  }

  /// The peripheral that it was found on.
  open internal(set) weak var peripheral: CBPeripheral?

  open var isPrimary: Bool { content.withLock { $0.isPrimary } }
  /// Nil until they were asked for.
  open var includedServices: [CBService]? { content.withLock { $0.included } }
  /// Nil until they were asked for.
  open var characteristics: [CBCharacteristic]? { content.withLock { $0.characteristics } }

  override var home: CBPeripheral? { peripheral }

  override func invalidate() {
    super.invalidate()
    for characteristic in characteristics ?? [] { characteristic.invalidate() }
  }
}

/// A value of a service.
open class CBCharacteristic: CBAttribute {
  struct Content {
    var properties: CBCharacteristicProperties
    var value: Data?
    var descriptors: [CBDescriptor]?
    var isNotifying = false
    var isBroadcasted = false
    /// Changes of the subscription that the peripheral has not answered.
    var changesUnderWay = 0
  }

  let content: Guarded<Content>

  init(uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?, handle: UInt16?, service: CBService?) {
    content = Guarded(Content(properties: properties, value: value))
    self.service = service
    super.init(uuid: uuid, handle: handle)
  }

  open internal(set) weak var service: CBService?

  open var properties: CBCharacteristicProperties { content.withLock { $0.properties } }
  /// What was read or told last.
  open var value: Data? { content.withLock { $0.value } }
  /// Nil until they were asked for.
  open var descriptors: [CBDescriptor]? { content.withLock { $0.descriptors } }
  open var isNotifying: Bool { content.withLock { $0.isNotifying } }
  @available(*, deprecated, message: "no value is broadcast")
  open var isBroadcasted: Bool { content.withLock { $0.isBroadcasted } }

  override var home: CBPeripheral? { service?.peripheral }

  override func invalidate() {
    super.invalidate()
    for descriptor in descriptors ?? [] { descriptor.invalidate() }
    content.withLock { $0.isNotifying = false }
  }
}

/// Something that is said about a characteristic.
open class CBDescriptor: CBAttribute {
  private let held: Guarded<Any?>

  init(uuid: CBUUID, value: Any?, handle: UInt16?, characteristic: CBCharacteristic?) {
    held = Guarded(value)
    self.characteristic = characteristic
    super.init(uuid: uuid, handle: handle)
  }

  open internal(set) weak var characteristic: CBCharacteristic?

  /// A String, an NSNumber or Data, by the UUID.
  open var value: Any? { held.current }

  override var home: CBPeripheral? { characteristic?.service?.peripheral }

  func hold(_ bytes: [UInt8]) {
    let value = Self.value(of: bytes, for: uuid.attribute)
    held.withLock { $0 = value }
  }

  /// Text is text, and the three fields of bits are one number of two bytes; everything else is Data.
  static func value(of bytes: [UInt8], for uuid: AttributeUUID) -> Any {
    switch uuid {
    case AttributeUUID(0x2901): return String(decoding: bytes, as: UTF8.self)
    case AttributeUUID(0x2900), AttributeUUID(0x2902), AttributeUUID(0x2903):
      // The lowest byte is the first; of more than two the others are shifted out.
      let number = bytes.reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
      return NSNumber(value: number)
    default: return Data(bytes)
    }
  }
}
