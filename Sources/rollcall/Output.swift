import Foundation
import RollcallReporting

extension Output {
  /// Columns for text that is laid out: of the terminal, or what COLUMNS says, else 100.
  static var width: Int { Terminal.columns ?? 100 }

  typealias Colour = PaintedText.Colour

  /// Colours a word where a person looks at it.
  static func paint(_ text: String, _ colour: Colour) -> PaintedText { PaintedText(text, colour) }
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
    Output.status("\(bar) \(done)/\(total) \(what)")
  }

  /// Takes the bar away, so that a line can be printed in its place.
  func clear() {
    if isShown { Output.status(nil) }
    drawn = -1
  }
}
