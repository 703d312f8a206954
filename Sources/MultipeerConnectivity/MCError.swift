// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

public let MCErrorDomain = "MCErrorDomain"

/// An error of the framework itself. Errors of layers below keep their own domains.
public struct MCError: Error, _BridgedStoredNSError, Sendable {
  public let _nsError: NSError

  public init(_nsError error: NSError) {
    precondition(error.domain == MCErrorDomain, "an error of \(error.domain) is no MCError")
    _nsError = error
  }

  public static var _nsErrorDomain: String { MCErrorDomain }
  public static var errorDomain: String { MCErrorDomain }

  public enum Code: Int, _ErrorCodeProtocol, CaseIterable, Sendable {
    public typealias _ErrorType = MCError

    case unknown = 0
    case notConnected = 1
    case invalidParameter = 2
    case unsupported = 3
    case timedOut = 4
    case cancelled = 5
    case unavailable = 6
  }
}

extension MCError {
  public static var unknown: Code { .unknown }
  public static var notConnected: Code { .notConnected }
  public static var invalidParameter: Code { .invalidParameter }
  public static var unsupported: Code { .unsupported }
  public static var timedOut: Code { .timedOut }
  public static var cancelled: Code { .cancelled }
  public static var unavailable: Code { .unavailable }
}
