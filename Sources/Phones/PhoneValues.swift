import CoreBluetooth
import RollcallPrimitives
import RollcallWire

// Values of the engine and of the air in those of the doors.
extension CoreBluetooth.AdvertisedFields {
  init(_ fields: RollcallWire.AdvertisedFields) {
    self.init()
    localName = fields.name
    // The overflow area is no data of a manufacturer.
    manufacturerData = fields.manufacturerData.first { OverflowArea(manufacturerData: $0) == nil }
    for data in fields.serviceData { serviceData[AttributeUUID(data.service)] = data.data }
    services = fields.services.map { AttributeUUID($0) }
    solicitedServices = fields.solicitedServices.map { AttributeUUID($0) }
    transmitPower = fields.transmitPower.map { Int($0) }
  }
}

extension AttributeUUID {
  init(_ uuid: BluetoothUUID) {
    let high = (0..<8).map { UInt8(truncatingIfNeeded: uuid.high >> UInt64(56 - 8 * $0)) }
    let low = (0..<8).map { UInt8(truncatingIfNeeded: uuid.low >> UInt64(56 - 8 * $0)) }
    self = AttributeUUID(bytes: high + low) ?? AttributeUUID(0)
  }
}

extension RadioAddress {
  /// The order in which a phone goes through addresses; a public and a random one may have the same bits.
  func precedes(_ other: RadioAddress) -> Bool {
    bits == other.bits ? !isRandom && other.isRandom : bits < other.bits
  }
}

extension FoundService {
  init(_ service: GATTService) {
    self.init(handles: service.handles, uuid: AttributeUUID(service.uuid), isPrimary: service.isPrimary)
  }
}

extension LinkEnd {
  /// As an application is told of it; `nil`: it asked for it, or is told by other means.
  var code: CBError.Code? {
    switch self {
    case .closedByPeer: .peripheralDisconnected
    case .timedOut: .connectionTimeout
    case .notEstablished: .connectionFailed
    case .refused: .connectionLimitReached
    case .closed, .radioOff: nil
    }
  }
}

extension PermissionState {
  init(_ authorization: CBManagerAuthorization) {
    switch authorization {
    case .notDetermined: self = .undetermined
    case .restricted: self = .restricted
    case .denied: self = .denied
    case .allowedAlways: self = .allowed
    }
  }
}

extension GATTFailure {
  var phoneError: PhoneError {
    switch reason {
    case .refused: .attribute(error ?? 0x0E)
    case .notConnected, .disconnected: .bluetooth(.notConnected)
    case .unknownAttribute: .bluetooth(.invalidHandle)
    case .notOffered: .attribute(request == .read ? 0x02 : request == .write ? 0x03 : 0x06)
    case .tooLong: .attribute(0x0D)
    case .timedOut: .bluetooth(.connectionTimeout)
    case .alreadyConnected, .badAnswer, .tooMany: .bluetooth(.unknown)
    }
  }
}
