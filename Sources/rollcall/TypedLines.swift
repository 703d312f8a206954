import Foundation
import Synchronization

/// The lines that a person types, read on a thread of their own, since a terminal keeps its reader waiting.
final class TypedLines: Sendable {
  /// A person types no more than this ahead; what comes beyond it is left out.
  private static let countMaximum = 100
  private let lines = Mutex<[String]>([])

  init() {
    Thread { [self] in
      while let line = readLine() { lines.withLock { if $0.count < TypedLines.countMaximum { $0.append(line) } } }
    }.start()
  }

  /// What was typed since the last call.
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines.removeAll() }
      return lines
    }
  }
}
