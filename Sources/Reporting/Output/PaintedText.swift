import RollcallPrimitives

/// Text with colours in it: words from anywhere, and colours that are the tool's own.
///
/// `"\(painted) \(word)"` makes one of pieces. The words are made safe to look at when they are printed, and the colours
/// are put around them then, where a person looks.
package struct PaintedText: ExpressibleByStringInterpolation, Hashable, Sendable {
  package enum Colour: Int, Sendable {
    case green = 32
    case red = 31
    case yellow = 33
    case dim = 2
  }

  struct Piece: Hashable, Sendable {
    var text: String
    var colour: Colour?
  }
  private(set) var pieces: [Piece]

  package init(_ text: String, _ colour: Colour? = nil) { pieces = [Piece(text: text, colour: colour)] }
  package init(stringLiteral value: String) { self.init(value) }
  package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  package static func + (left: PaintedText, right: PaintedText) -> PaintedText {
    var sum = left
    sum.pieces += right.pieces
    return sum
  }

  /// As it is printed.
  package func text(isColoured: Bool) -> String {
    pieces.map { piece in
      let text = PlainText.shown(piece.text)
      guard isColoured, let colour = piece.colour else { return text }
      return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }.joined()
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate(set) var pieces: [Piece] = []
    package init(literalCapacity: Int, interpolationCount: Int) {}
    package mutating func appendLiteral(_ literal: String) { pieces.append(Piece(text: literal)) }
    package mutating func appendInterpolation(_ painted: PaintedText) { pieces += painted.pieces }
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      pieces.append(Piece(text: value.description))
    }
  }
}

extension PaintedText: CustomStringConvertible {
  /// Without colours.
  package var description: String { text(isColoured: false) }
}
