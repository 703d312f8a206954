/// Whether a manager can work. The numbers are an order: below `poweredOff`, peripherals are no longer valid.
public enum CBManagerState: Int, CaseIterable, Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}

/// The name of a central manager's state before there was one for all managers.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBCentralManagerState: Int, Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}

/// The name of a peripheral manager's state before there was one for all managers.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBPeripheralManagerState: Int, Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}

/// Whether this application may use Bluetooth.
public enum CBManagerAuthorization: Int, CaseIterable, Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case allowedAlways = 3
}

@available(*, deprecated, message: "use CBManagerAuthorization")
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case authorized = 3
}

/// How a peripheral stands to this application.
public enum CBPeripheralState: Int, CaseIterable, Sendable {
  case disconnected = 0
  case connecting = 1
  case connected = 2
  case disconnecting = 3
}

public enum CBCharacteristicWriteType: Int, Sendable {
  case withResponse = 0
  case withoutResponse = 1
}

/// What may be done with the value of a characteristic.
public struct CBCharacteristicProperties: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let broadcast = CBCharacteristicProperties(rawValue: 0x1)
  public static let read = CBCharacteristicProperties(rawValue: 0x2)
  public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x4)
  public static let write = CBCharacteristicProperties(rawValue: 0x8)
  public static let notify = CBCharacteristicProperties(rawValue: 0x10)
  public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
  public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}

/// What a central may do with an attribute that this application publishes.
public struct CBAttributePermissions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let readable = CBAttributePermissions(rawValue: 0x1)
  public static let writeable = CBAttributePermissions(rawValue: 0x2)
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x4)
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x8)
}

/// What another application's connection did.
public enum CBConnectionEvent: Int, Sendable {
  case peerDisconnected = 0
  case peerConnected = 1
}

/// What connections of other applications are to be told of.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// An array of CBUUID: peripherals with any of these services.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// An array of UUID: these peripherals.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}

/// How long a central may keep a peripheral manager waiting.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  case low = 0
  case medium = 1
  case high = 2
}

/// The number of an L2CAP channel's service.
public typealias CBL2CAPPSM = UInt16
