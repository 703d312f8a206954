// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

public let CBATTErrorDomain = "CBATTErrorDomain"

/// An error that a peripheral's attribute server answers with.
public struct CBATTError: Error, _BridgedStoredNSError, Sendable {
  public let _nsError: NSError

  public init(_nsError error: NSError) {
    precondition(error.domain == CBATTErrorDomain, "an error of \(error.domain) is no CBATTError")
    _nsError = error
  }

  public static var _nsErrorDomain: String { CBATTErrorDomain }
  public static var errorDomain: String { CBATTErrorDomain }

  public enum Code: Int, _ErrorCodeProtocol, CaseIterable, Sendable {
    public typealias _ErrorType = CBATTError

    case success = 0
    case invalidHandle = 1
    case readNotPermitted = 2
    case writeNotPermitted = 3
    case invalidPdu = 4
    case insufficientAuthentication = 5
    case requestNotSupported = 6
    case invalidOffset = 7
    case insufficientAuthorization = 8
    case prepareQueueFull = 9
    case attributeNotFound = 10
    case attributeNotLong = 11
    case insufficientEncryptionKeySize = 12
    case invalidAttributeValueLength = 13
    case unlikelyError = 14
    case insufficientEncryption = 15
    case unsupportedGroupType = 16
    case insufficientResources = 17
  }
}

extension CBATTError {
  public static var success: Code { .success }
  public static var invalidHandle: Code { .invalidHandle }
  public static var readNotPermitted: Code { .readNotPermitted }
  public static var writeNotPermitted: Code { .writeNotPermitted }
  public static var invalidPdu: Code { .invalidPdu }
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  public static var requestNotSupported: Code { .requestNotSupported }
  public static var invalidOffset: Code { .invalidOffset }
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  public static var prepareQueueFull: Code { .prepareQueueFull }
  public static var attributeNotFound: Code { .attributeNotFound }
  public static var attributeNotLong: Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  public static var unlikelyError: Code { .unlikelyError }
  public static var insufficientEncryption: Code { .insufficientEncryption }
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  public static var insufficientResources: Code { .insufficientResources }
}

/// An error as a plain value: what the phone tells.
package enum PhoneError: Error, Hashable, Sendable {
  case bluetooth(CBError.Code)
  /// The code of an ATT error response. Those from 0x80 on belong to the application or a profile.
  case attribute(UInt8)

  /// What a delegate is given. On Linux `as? CBATTError` looks at the type alone, so the typed error is given wherever
  /// its code has a name; a code without one can only be an NSError of the same domain.
  var asError: any Error {
    switch self {
    case .bluetooth(let code):
      return CBError(code, userInfo: [NSLocalizedDescriptionKey: code.words])
    case .attribute(let number):
      let info = [NSLocalizedDescriptionKey: "The device answered with the attribute error \(number)."]
      guard let code = CBATTError.Code(rawValue: Int(number)) else {
        return NSError(domain: CBATTErrorDomain, code: Int(number), userInfo: info)
      }
      return CBATTError(code, userInfo: info)
    }
  }
}
