extension PublishedService {
  /// One for the service and for each that it includes, two for each characteristic, one for each descriptor, and one for the subscription of a
  /// characteristic that notifies or indicates.
  static func handleCount(of service: CBMutableService) -> Int {
    (service.characteristics ?? []).reduce(1 + included(by: service).count) { count, characteristic in
      count + 2 + (characteristic.descriptors?.count ?? 0) + (notifies(characteristic) ? 1 : 0)
    }
  }

  private static func included(by service: CBMutableService) -> [UInt16] {
    (service.includedServices ?? []).compactMap(\.handle)
  }

  private static func notifies(_ characteristic: CBCharacteristic) -> Bool {
    !characteristic.properties.isDisjoint(
      with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])
  }

  /// Gives handles from `first` on; there have to be `handleCount` of them.
  init(_ service: CBMutableService, from first: UInt16) {
    var last = first
    func taken() -> UInt16 {
      last += 1
      return last
    }
    let included = Self.included(by: service)
    for _ in included { _ = taken() }
    let found = (service.characteristics ?? []).map { characteristic in
      _ = taken()
      let handle = taken()
      let subscription = Self.notifies(characteristic) ? taken() : nil
      let descriptors = (characteristic.descriptors ?? []).map { descriptor in
        PublishedDescriptor(
          handle: taken(), uuid: descriptor.uuid.attribute, value: CBDescriptor.bytes(of: descriptor.value))
      }
      return PublishedCharacteristic(
        handle: handle, uuid: characteristic.uuid.attribute, properties: characteristic.properties,
        permissions: (characteristic as? CBMutableCharacteristic)?.permissions ?? [],
        value: characteristic.value.map { Array($0) }, subscription: subscription, descriptors: descriptors)
    }
    self.init(
      handles: first...last, uuid: service.uuid.attribute, isPrimary: service.isPrimary,
      included: included, characteristics: found)
  }
}

extension CBMutableService {
  /// The object of a service that is published already.
  convenience init(_ published: PublishedService) {
    self.init(type: CBUUID(published.uuid), primary: published.isPrimary)
    characteristics = published.characteristics.map { found in
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(found.uuid), properties: found.properties, value: found.value.map { Data($0) },
        permissions: found.permissions)
      if !found.descriptors.isEmpty {
        characteristic.descriptors = found.descriptors.map { descriptor in
          CBMutableDescriptor(
            type: CBUUID(descriptor.uuid), value: CBDescriptor.value(of: descriptor.value, for: descriptor.uuid))
        }
      }
      return characteristic
    }
  }
}

extension CBDescriptor {
  /// The bytes on the air of a value that an application has set: text, a number of two bytes, or Data.
  static func bytes(of value: Any?) -> [UInt8] {
    switch value {
    case let data as Data: Array(data)
    case let text as String: Array(text.utf8)
    case let number as NSNumber: [UInt8(number.uint16Value & 0xFF), UInt8(number.uint16Value >> 8)]
    default: []
    }
  }
}
