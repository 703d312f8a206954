/// What a phone tells one central manager. Events of one manager are handled in the order in which they are pushed.
package enum PhoneEvent: Sendable {
  /// With any state but `poweredOn` the phone has ended the scan and dropped all links itself.
  case state(CBManagerState)
  /// Before the first `.state`, for a manager with the restore identifier of an earlier one.
  case willRestore(RestoredCentral)

  case discovered(Discovery)

  case connected(UUID, link: Int)
  case failedToConnect(UUID, link: Int, PhoneError)
  /// Without an error after `cancelConnection`, with one else. `timestamp` is in seconds since 2001, of virtual time.
  case disconnected(UUID, link: Int, PhoneError?, timestamp: CFAbsoluteTime, isReconnecting: Bool)
  /// Of another application's link, for who registered.
  case connectionEvent(KnownPeripheral, isConnected: Bool)
  case ancsAuthorization(UUID, Bool)

  case services(UUID, Result<[FoundService], PhoneError>)
  /// `service` is the first handle of the one that was asked.
  case includedServices(UUID, service: UInt16, Result<[FoundService], PhoneError>)
  case characteristics(UUID, service: UInt16, Result<[FoundCharacteristic], PhoneError>)
  case descriptors(UUID, characteristic: UInt16, Result<[FoundDescriptor], PhoneError>)

  /// The answer to a read, a notification or an indication.
  case value(UUID, UInt16, Result<[UInt8], PhoneError>)
  case written(UUID, UInt16, PhoneError?)
  case notifying(UUID, characteristic: UInt16, isOn: Bool, PhoneError?)
  case strength(UUID, Result<Int, PhoneError>)

  /// Services with these first handles are no longer what they were; services that are new may be there.
  case servicesModified(UUID, [UInt16])
  case nameChanged(UUID, String?)
  case readyToWrite(UUID)
}

/// One advertising event that a scan lets through.
package struct Discovery: Hashable, Sendable {
  /// The number of the scan.
  package var scan: Int
  package var identifier: UUID
  /// What `CBPeripheral.name` says from now on: the advertised name, until the GAP name is known.
  package var name: String?
  package var advertisement: AdvertisedFields
  /// In dBm; 127 means that it is not known.
  package var strength: Int

  package init(
    scan: Int, identifier: UUID, name: String? = nil, advertisement: AdvertisedFields = AdvertisedFields(),
    strength: Int = -50
  ) {
    self.scan = scan
    self.identifier = identifier
    self.name = name
    self.advertisement = advertisement
    self.strength = strength
  }
}

/// What was on the air. What was not is nil or empty, and has no key in the application's dictionary.
package struct AdvertisedFields: Hashable, Sendable {
  package var localName: String?
  /// With the company's number, low byte first.
  package var manufacturerData: [UInt8]?
  package var serviceData: [AttributeUUID: [UInt8]] = [:]
  package var services: [AttributeUUID] = []
  package var overflowServices: [AttributeUUID] = []
  package var solicitedServices: [AttributeUUID] = []
  package var transmitPower: Int?
  /// Of the packet of this event; nil if the packet's kind does not say.
  package var isConnectable: Bool?

  package init() {}
}

package struct FoundService: Hashable, Sendable {
  package var handles: ClosedRange<UInt16>
  package var uuid: AttributeUUID
  package var isPrimary: Bool

  package init(handles: ClosedRange<UInt16>, uuid: AttributeUUID, isPrimary: Bool = true) {
    self.handles = handles
    self.uuid = uuid
    self.isPrimary = isPrimary
  }
}

package struct FoundCharacteristic: Equatable, Sendable {
  /// The handle of its value.
  package var handle: UInt16
  package var uuid: AttributeUUID
  package var properties: CBCharacteristicProperties

  package init(handle: UInt16, uuid: AttributeUUID, properties: CBCharacteristicProperties) {
    self.handle = handle
    self.uuid = uuid
    self.properties = properties
  }
}

package struct FoundDescriptor: Hashable, Sendable {
  package var handle: UInt16
  package var uuid: AttributeUUID

  package init(handle: UInt16, uuid: AttributeUUID) {
    self.handle = handle
    self.uuid = uuid
  }
}

/// What was preserved of a manager when its application ended.
package struct RestoredCentral: Sendable {
  /// Connected or pending, with what had been discovered.
  package var peripherals: [RestoredPeripheral]
  /// The scan that goes on, if there is one. Its number is below that of every scan that the door makes.
  package var scan: ScanRequest?

  package init(peripherals: [RestoredPeripheral] = [], scan: ScanRequest? = nil) {
    self.peripherals = peripherals
    self.scan = scan
  }
}

package struct RestoredPeripheral: Sendable {
  package var known: KnownPeripheral
  /// What later events of this link say. It is below that of every link that the door makes.
  package var link: Int
  /// Else the attempt goes on.
  package var isConnected: Bool
  package var services: [RestoredService]

  package init(known: KnownPeripheral, link: Int, isConnected: Bool, services: [RestoredService] = []) {
    self.known = known
    self.link = link
    self.isConnected = isConnected
    self.services = services
  }
}

package struct RestoredService: Sendable {
  package var service: FoundService
  package var characteristics: [FoundCharacteristic]
  /// The handles of those that notify or indicate.
  package var notifying: [UInt16]

  package init(service: FoundService, characteristics: [FoundCharacteristic] = [], notifying: [UInt16] = []) {
    self.service = service
    self.characteristics = characteristics
    self.notifying = notifying
  }
}
