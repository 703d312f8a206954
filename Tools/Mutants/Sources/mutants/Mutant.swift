/// One small change of one source file, compiled in beside the original and chosen at start by its number.
struct Mutant {
  /// Known by function and text, not by line, so that a row of the table survives edits elsewhere.
  struct Key: Hashable, Comparable {
    /// The file below `Sources`, without `.swift`.
    var file: String
    /// The enclosing types and the declaration, as in `LeaseTable.sight(_:at:into:)`.
    var function: String
    /// `ORIGINAL -> CHANGED`, white space folded.
    var text: String
    /// 1-based, among mutants of the function with the same text.
    var ordinal: Int

    static func < (a: Key, b: Key) -> Bool {
      (a.file, a.function, a.text, a.ordinal) < (b.file, b.function, b.text, b.ordinal)
    }
  }

  /// From 1 on; 0 is the program without a change.
  var number: Int
  var key: Key
  var change: Change
  /// Of the original file.
  var line: Int

  var room: String { String(key.file.prefix { $0 != "/" }) }
}

/// The kinds of change.
enum Change: String, CaseIterable {
  case negatedCondition = "condition negated"
  case shiftedBound = "bound shifted"
  case turnedComparison = "comparison turned round"
  case equality = "equality negated"
  case logic = "and/or exchanged"
  case arithmetic = "operator exchanged"
  case constant = "constant moved"
  case literal = "Boolean negated"
  case armsSwapped = "arms swapped"
  case statement = "statement dropped"
  case argument = "argument dropped"
  case end = "other end taken"
  case fallback = "fallback taken"
}

/// A piece of a source file that has alternatives.
final class Site {
  enum Form { case expression, statement }
  struct Alternative {
    var change: Change
    /// What stands in place of the original; for statements without text nothing does.
    var text: String
    /// How a person reads it, without white space to speak of.
    var label: String
    var key = Mutant.Key(file: "", function: "", text: "", ordinal: 0)
    var number = 0
  }

  /// Bytes of the original file.
  let range: Range<Int>
  let form: Form
  let function: String
  /// The body of the function that it stands in: where nothing else is known, an error in there counts against it.
  let body: Range<Int>
  var alternatives: [Alternative] = []
  var children: [Site] = []

  init(range: Range<Int>, form: Form, function: String, body: Range<Int>) {
    (self.range, self.form, self.function, self.body) = (range, form, function, body)
  }
}
