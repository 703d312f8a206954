// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

public let CBErrorDomain = "CBErrorDomain"

/// An error of Bluetooth itself: of a connection, a manager, an advertisement.
public struct CBError: Error, _BridgedStoredNSError, Sendable {
  public let _nsError: NSError

  public init(_nsError error: NSError) {
    precondition(error.domain == CBErrorDomain, "an error of \(error.domain) is no CBError")
    _nsError = error
  }

  public static var _nsErrorDomain: String { CBErrorDomain }
  public static var errorDomain: String { CBErrorDomain }

  public enum Code: Int, _ErrorCodeProtocol, CaseIterable, Sendable {
    public typealias _ErrorType = CBError

    case unknown = 0
    case invalidParameters = 1
    case invalidHandle = 2
    case notConnected = 3
    case outOfSpace = 4
    case operationCancelled = 5
    case connectionTimeout = 6
    case peripheralDisconnected = 7
    case uuidNotAllowed = 8
    case alreadyAdvertising = 9
    case connectionFailed = 10
    case connectionLimitReached = 11
    case unknownDevice = 12
    case operationNotSupported = 13
    case peerRemovedPairingInformation = 14
    case encryptionTimedOut = 15
    case tooManyLEPairedDevices = 16
    case leGattExceededBackgroundNotificationLimit = 17
    case leGattNearBackgroundNotificationLimit = 18

    /// The name had a slip in older SDKs.
    @available(*, deprecated, renamed: "unknownDevice")
    public static var unkownDevice: Code { .unknownDevice }
  }
}

extension CBError {
  public static var unknown: Code { .unknown }
  public static var invalidParameters: Code { .invalidParameters }
  public static var invalidHandle: Code { .invalidHandle }
  public static var notConnected: Code { .notConnected }
  public static var outOfSpace: Code { .outOfSpace }
  public static var operationCancelled: Code { .operationCancelled }
  public static var connectionTimeout: Code { .connectionTimeout }
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  public static var connectionFailed: Code { .connectionFailed }
  public static var connectionLimitReached: Code { .connectionLimitReached }
  public static var unknownDevice: Code { .unknownDevice }
  public static var operationNotSupported: Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
  public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
  public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }

  @available(*, deprecated, renamed: "unknownDevice")
  public static var unkownDevice: Code { .unknownDevice }
}

extension CBError.Code {
  /// One line for people. The words are this module's own.
  var words: String {
    switch self {
    case .unknown: "Something failed, and nothing says what."
    case .invalidParameters: "A parameter is not allowed."
    case .invalidHandle: "There is no attribute with this handle."
    case .notConnected: "There is no connection to the device."
    case .outOfSpace: "There is no room left for this."
    case .operationCancelled: "The operation was cancelled."
    case .connectionTimeout: "Nothing was heard of the device for too long."
    case .peripheralDisconnected: "The device ended the connection."
    case .uuidNotAllowed: "This UUID is kept for the system."
    case .alreadyAdvertising: "An advertisement is under way already."
    case .connectionFailed: "No connection came about."
    case .connectionLimitReached: "There are as many connections as there can be."
    case .unknownDevice: "The device is not known."
    case .operationNotSupported: "This cannot be done here."
    case .peerRemovedPairingInformation: "The device has forgotten its pairing."
    case .encryptionTimedOut: "The connection was not encrypted in time."
    case .tooManyLEPairedDevices: "There are as many paired devices as there can be."
    case .leGattExceededBackgroundNotificationLimit: "There were too many notifications in the background."
    case .leGattNearBackgroundNotificationLimit: "There were nearly too many notifications in the background."
    }
  }
}
