import Foundation
import NIOCore  // the trait Live
import NIOPosix  // the trait Live

/// What the system says of an error, without the words of the library that met it: "Address already in use", where the
/// library names its own functions and the number, too. Errors of our own say what they say.
package enum SystemWords {
  package static func of(_ error: any Error) -> String {
    switch error {
    case let error as IOError: of(number: error.errnoCode)
    case let error as NIOConnectionError: error.connectionErrors.first.map { of($0.error) } ?? "it has no address"
    case let error as ChannelError: of(error)
    default: "\(error)"
    }
  }

  /// - Parameter number: the system's error number.
  package static func of(number: CInt) -> String { String(cString: strerror(number)) }

  private static func of(_ error: ChannelError) -> String {
    switch error {
    case .connectTimeout: of(number: ETIMEDOUT)
    case .writeMessageTooLarge: of(number: EMSGSIZE)
    case .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed, .eof: "it is closed"
    default: "it cannot be used"
    }
  }
}
