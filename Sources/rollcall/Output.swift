import Foundation
import Harness
import Primitives

/// Where lines go: standard output or a file, in large writes.
final class Output {
  private let writer: LineWriter

  init(path: String?) throws {
    let handle: FileHandle
    if let path {
      guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
      else { throw Complaint("\(path): cannot be written") }
      handle = file
    } else {
      handle = .standardOutput
    }
    writer = LineWriter { handle.write(Data($0)) }
  }

  func line(_ text: String) { writer.line(text) }
  func line(_ write: (inout JSONLine) -> Void) { writer.line(write) }
  func line(_ report: Report, time: Instant, frame: Int?) { writer.line(report, time: time, frame: frame) }

  func flush() { writer.flush() }

  static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  /// Columns for text that is laid out: of the terminal, or what COLUMNS says, else 100.
  static var width: Int { Terminal.columns ?? 100 }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Colours a word where a person looks at it.
  static func paint(_ text: String, _ colour: Colour) -> String {
    Terminal.manners.usesColour
      ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
  enum Colour: Int {
    case green = 32
    case red = 31
    case yellow = 33
    case dim = 2
  }
}

/// A bar on standard error while something long goes on; nothing at all when that is no terminal.
final class ProgressBar {
  private let total: Int
  private let isShown: Bool
  private var drawn = -1

  init(total: Int, isQuiet: Bool = false) {
    self.total = total
    isShown = Terminal.manners.drawsProgress && !isQuiet && total > 1
  }

  func show(_ done: Int, _ what: String) {
    guard isShown else { return }
    let width = 30
    let filled = done * width / max(1, total)
    if done != total, filled == drawn, done % 16 != 0 { return }
    drawn = filled
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    write("\r\u{1B}[K\(bar) \(done)/\(total) \(what)")
  }

  /// Takes the bar away, so that a line can be printed in its place.
  func clear() {
    if isShown { write("\r\u{1B}[K") }
    drawn = -1
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
