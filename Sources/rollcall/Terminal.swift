import Foundation
import RollcallReporting

/// The terminal that this process writes to.
enum Terminal {
  static let manners = TerminalManners(
    environment: ProcessInfo.processInfo.environment, isOutputTerminal: Output.isTerminal,
    isErrorTerminal: Output.isErrorTerminal)

  /// Columns of lines that go to standard output; `nil`: they stay as long as they are. Asked anew each time, since
  /// a window changes.
  static var columns: Int? { width(of: STDOUT_FILENO) ?? manners.columns }

  /// Columns of a line on standard error.
  static var errorWidth: Int { width(of: STDERR_FILENO) ?? manners.columns ?? 100 }

  /// Columns of the window behind a descriptor; `nil`: it is no terminal, or does not say.
  private static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// A line as it fits the terminal; where it goes to a file it stays as it is.
  static func fitted(_ line: String, to file: String? = nil) -> [String] {
    TextLayout.wrapped(line, width: file == nil ? columns : nil)
  }
}
