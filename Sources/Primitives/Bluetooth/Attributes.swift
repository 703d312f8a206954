// What a server of attributes has, as a client discovers it (GATT).

/// A group of attributes that belong together: a heart rate, a battery.
public struct GATTService: Hashable, Sendable {
  public var uuid: BluetoothUUID
  /// From its declaration to its last attribute.
  public var handles: ClosedRange<UInt16>
  public var isPrimary: Bool
  public init(_ uuid: BluetoothUUID, _ handles: ClosedRange<UInt16>, isPrimary: Bool = true) {
    (self.uuid, self.handles, self.isPrimary) = (uuid, handles, isPrimary)
  }
}

/// A value of a service that can be read, written or sent.
public struct GATTCharacteristic: Hashable, Sendable {
  /// The numbers are the bits of the declaration.
  public struct Properties: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let broadcast = Properties(rawValue: 1)
    public static let read = Properties(rawValue: 2)
    public static let writeWithoutResponse = Properties(rawValue: 4)
    public static let write = Properties(rawValue: 8)
    public static let notify = Properties(rawValue: 16)
    public static let indicate = Properties(rawValue: 32)
    public static let signedWrite = Properties(rawValue: 64)
    public static let extended = Properties(rawValue: 128)
  }
  public var uuid: BluetoothUUID
  /// Of the value; it is named by this handle everywhere.
  public var handle: UInt16
  public var properties: Properties
  public init(_ uuid: BluetoothUUID, _ handle: UInt16, _ properties: Properties) {
    (self.uuid, self.handle, self.properties) = (uuid, handle, properties)
  }
}

/// An attribute that says something of a characteristic.
public struct GATTDescriptor: Hashable, Sendable {
  public var uuid: BluetoothUUID
  public var handle: UInt16
  public init(_ uuid: BluetoothUUID, _ handle: UInt16) { (self.uuid, self.handle) = (uuid, handle) }
}

/// Which attribute is meant.
public enum GATTAttribute: Hashable, Sendable {
  case handle(UInt16)
  /// The value of the first characteristic of this UUID that was discovered.
  case characteristic(BluetoothUUID)
}

extension BluetoothUUID {
  // UUIDs that the protocol itself knows.
  public static let primaryService = BluetoothUUID(short: 0x2800)
  public static let secondaryService = BluetoothUUID(short: 0x2801)
  public static let include = BluetoothUUID(short: 0x2802)
  public static let characteristic = BluetoothUUID(short: 0x2803)
  public static let userDescription = BluetoothUUID(short: 0x2901)
  /// The descriptor that switches notifications on.
  public static let clientConfiguration = BluetoothUUID(short: 0x2902)
  public static let genericAccess = BluetoothUUID(short: 0x1800)
  public static let genericAttribute = BluetoothUUID(short: 0x1801)
  public static let deviceName = BluetoothUUID(short: 0x2A00)
  public static let appearance = BluetoothUUID(short: 0x2A01)
  public static let serviceChanged = BluetoothUUID(short: 0x2A05)
}
