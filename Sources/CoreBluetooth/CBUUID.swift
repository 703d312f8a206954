// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The UUID of a service, characteristic or descriptor. Two of them are equal if they mean the same sixteen bytes,
/// however each was spelled.
open class CBUUID: NSObject, NSCopying {
  private let spelled: [UInt8]
  let attribute: AttributeUUID

  private init(spelled: [UInt8], attribute: AttributeUUID) {
    self.spelled = spelled
    self.attribute = attribute
    super.init()
  }

  /// From four or eight digits, or the form with hyphens. Any other text is an error of the program, as at Apple's.
  public init(string theString: String) {
    guard let bytes = AttributeUUID.bytes(of: theString), let attribute = AttributeUUID(bytes: bytes) else {
      preconditionFailure("\"\(theString)\" is no UUID: 4 or 8 digits, or 32 digits with 4 hyphens")
    }
    spelled = bytes
    self.attribute = attribute
    super.init()
  }

  /// From two, four or sixteen bytes, most significant first.
  public init(data theData: Data) {
    let bytes = Array(theData)
    guard let attribute = AttributeUUID(bytes: bytes) else {
      preconditionFailure("a UUID has 2, 4 or 16 bytes, not \(bytes.count)")
    }
    spelled = bytes
    self.attribute = attribute
    super.init()
  }

  public init(nsuuid theUUID: UUID) {
    let bytes = withUnsafeBytes(of: theUUID.uuid) { Array($0) }
    guard let attribute = AttributeUUID(bytes: bytes) else { preconditionFailure("a UUID has 16 bytes") }
    spelled = bytes
    self.attribute = attribute
    super.init()
  }

  convenience init(_ attribute: AttributeUUID) {
    self.init(spelled: attribute.shortest, attribute: attribute)
  }

  /// The bytes as they were spelled.
  open var data: Data { Data(spelled) }

  /// The shortest spelling: 180D, or 32 digits with hyphens.
  open var uuidString: String { attribute.description }

  open override var description: String { uuidString }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CBUUID else { return false }
    return attribute == other.attribute
  }

  open override var hash: Int { attribute.hashValue }

  /// Nothing of it can change, so it is its own copy.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The descriptor with the extended properties of a characteristic; its value is an NSNumber.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// The descriptor with words about a characteristic; its value is a String.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// The descriptor with a central's subscription; its value is an NSNumber.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// The descriptor that turns broadcasts on; its value is an NSNumber.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// The descriptor with the format of a value; its value is Data.
public let CBUUIDCharacteristicFormatString = "2904"
/// The descriptor that lists formats; its value is Data.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// The descriptor with the bounds of a value; its value is Data.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// The descriptor with the times of observations; its value is Data.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// The characteristic in which a peripheral says the PSM of an L2CAP channel.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
