import Foundation

/// Why something cannot be written, in one sentence.
package struct OutputFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
  /// Whether nobody reads any more: the end of a pipe is closed. Tools end quietly then.
  var isClosedPipe = false

  package init(_ description: String) { self.description = description }

  /// - Parameter number: the system's error number.
  init(_ name: String, _ number: CInt) {
    let isClosed = number == EBADF && name == Output.standardName
    description = "\(name): cannot be written: " + (isClosed ? "it is closed" : OutputFailure.words(number))
    isClosedPipe = number == EPIPE
  }

  static func words(_ number: CInt) -> String { String(cString: strerror(number)) }
}
