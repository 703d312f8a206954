import Foundation
import RollcallReporting

/// The terminal that this process writes to.
enum Terminal {
  static let manners = TerminalManners(
    environment: ProcessInfo.processInfo.environment, isOutputTerminal: Output.isTerminal,
    isErrorTerminal: Output.isErrorTerminal)

  /// Columns of lines that go to standard output; `nil`: they stay as long as they are. Asked anew each time, since
  /// a window changes.
  static var columns: Int? {
    var size = winsize()
    if Output.isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return manners.columns
  }

  /// Columns of a line on standard error.
  static var errorWidth: Int {
    var size = winsize()
    if Output.isErrorTerminal, ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return manners.columns ?? 100
  }

  /// A line as it fits the terminal; where it goes to a file it stays as it is.
  static func fitted(_ line: String, to file: String? = nil) -> [String] {
    TextLayout.wrapped(line, width: file == nil ? columns : nil)
  }
}
