/// Why a server did not do what a request of the attribute protocol asks for: one byte. Numbers without a meaning are
/// kept as they are.
@frozen public struct AttributeError: RawRepresentable, Error, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable public static var invalidHandle: AttributeError { AttributeError(rawValue: 0x01) }
  @inlinable public static var readNotPermitted: AttributeError { AttributeError(rawValue: 0x02) }
  @inlinable public static var writeNotPermitted: AttributeError { AttributeError(rawValue: 0x03) }
  @inlinable public static var invalidPDU: AttributeError { AttributeError(rawValue: 0x04) }
  @inlinable public static var insufficientAuthentication: AttributeError { AttributeError(rawValue: 0x05) }
  @inlinable public static var requestNotSupported: AttributeError { AttributeError(rawValue: 0x06) }
  @inlinable public static var invalidOffset: AttributeError { AttributeError(rawValue: 0x07) }
  @inlinable public static var insufficientAuthorization: AttributeError { AttributeError(rawValue: 0x08) }
  @inlinable public static var prepareQueueFull: AttributeError { AttributeError(rawValue: 0x09) }
  @inlinable public static var attributeNotFound: AttributeError { AttributeError(rawValue: 0x0A) }
  /// The attribute's value cannot be read in parts.
  @inlinable public static var attributeNotLong: AttributeError { AttributeError(rawValue: 0x0B) }
  @inlinable public static var insufficientEncryptionKeySize: AttributeError { AttributeError(rawValue: 0x0C) }
  @inlinable public static var invalidAttributeValueLength: AttributeError { AttributeError(rawValue: 0x0D) }
  @inlinable public static var unlikelyError: AttributeError { AttributeError(rawValue: 0x0E) }
  @inlinable public static var insufficientEncryption: AttributeError { AttributeError(rawValue: 0x0F) }
  @inlinable public static var unsupportedGroupType: AttributeError { AttributeError(rawValue: 0x10) }
  @inlinable public static var insufficientResources: AttributeError { AttributeError(rawValue: 0x11) }
  /// The client has to discover the attributes anew.
  @inlinable public static var databaseOutOfSync: AttributeError { AttributeError(rawValue: 0x12) }
  @inlinable public static var valueNotAllowed: AttributeError { AttributeError(rawValue: 0x13) }
  @inlinable public static var writeRequestRejected: AttributeError { AttributeError(rawValue: 0xFC) }
  /// The descriptor that turns notifications on has not the value that the request needs.
  @inlinable public static var improperlyConfigured: AttributeError { AttributeError(rawValue: 0xFD) }
  @inlinable public static var procedureInProgress: AttributeError { AttributeError(rawValue: 0xFE) }
  @inlinable public static var outOfRange: AttributeError { AttributeError(rawValue: 0xFF) }

  /// Whether the meaning is a matter of the application: 0x80 ... 0x9F.
  public var isOfApplication: Bool { 0x80...0x9F ~= rawValue }
  /// Whether the meaning is common to all profiles and services: 0xE0 ... 0xFF.
  public var isOfCommonProfile: Bool { 0xE0...0xFF ~= rawValue }

  /// As the standard calls it; `nil` for a number that it reserves.
  public var name: String? {
    switch self {
    case .invalidHandle: "Invalid Handle"
    case .readNotPermitted: "Read Not Permitted"
    case .writeNotPermitted: "Write Not Permitted"
    case .invalidPDU: "Invalid PDU"
    case .insufficientAuthentication: "Insufficient Authentication"
    case .requestNotSupported: "Request Not Supported"
    case .invalidOffset: "Invalid Offset"
    case .insufficientAuthorization: "Insufficient Authorization"
    case .prepareQueueFull: "Prepare Queue Full"
    case .attributeNotFound: "Attribute Not Found"
    case .attributeNotLong: "Attribute Not Long"
    case .insufficientEncryptionKeySize: "Insufficient Encryption Key Size"
    case .invalidAttributeValueLength: "Invalid Attribute Value Length"
    case .unlikelyError: "Unlikely Error"
    case .insufficientEncryption: "Insufficient Encryption"
    case .unsupportedGroupType: "Unsupported Group Type"
    case .insufficientResources: "Insufficient Resources"
    case .databaseOutOfSync: "Database Out Of Sync"
    case .valueNotAllowed: "Value Not Allowed"
    case .writeRequestRejected: "Write Request Rejected"
    case .improperlyConfigured: "Client Characteristic Configuration Descriptor Improperly Configured"
    case .procedureInProgress: "Procedure Already in Progress"
    case .outOfRange: "Out of Range"
    default: isOfApplication ? "Application Error" : isOfCommonProfile ? "Common Profile and Service Error" : nil
    }
  }
}

extension AttributeError: CustomStringConvertible {
  /// `Attribute Not Found (0x0A)`, or the number alone.
  public var description: String {
    let digits = String(rawValue, radix: 16, uppercase: true)
    let number = rawValue < 16 ? "0x0" + digits : "0x" + digits
    return name.map { "\($0) (\(number))" } ?? number
  }
}
