import Foundation
import RollcallReporting

extension Output {
  /// Columns for text that is laid out: of the terminal, or what COLUMNS says, else 100.
  static var width: Int { Terminal.columns ?? 100 }

  typealias Colour = PaintedText.Colour

  /// Colours a word where a person looks at it.
  static func paint(_ text: String, _ colour: Colour) -> PaintedText { PaintedText(text, colour) }
}
