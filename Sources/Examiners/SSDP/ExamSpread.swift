import RollcallConformance
import RollcallPrimitives

/// How the waits of answers are spread over MX.
enum ExamSpread {
  /// The wait of one answer to each question, in millionths of what MX allows; none for a question without it.
  ///
  /// Where a device answers with many messages it is the same message each time: the first one to come of many waits
  /// less than an even share.
  static func waits(_ asked: some Sequence<(ask: ExamAsk, answers: [ExamAnswer])>) -> [Int64] {
    let asked = Array(asked)
    let usn = asked.flatMap(\.answers).compactMap(\.usn).min()
    return asked.compactMap { ask, answers in
      guard let answer = answers.first(where: { $0.usn == usn }), ask.window > .zero else { return nil }
      return min(1_000_000, max(0, (answer.time - ask.time).nanoseconds / (ask.window.nanoseconds / 1_000_000)))
    }
  }

  /// Whether the waits are not uniform from nothing to the longest, or that is below half of MX; `nil`: too few.
  static func isUneven(_ waits: [Int64]) -> Bool? {
    guard waits.count >= Distribution.delayCountMinimum, let longest = waits.max() else { return nil }
    return longest < 500_000
      || Distribution.isUneven(waits, from: 0, to: longest + longest / Int64(waits.count))
  }

  /// In words.
  static func text(_ waits: [Int64]) -> String {
    let sorted = waits.sorted()
    guard let first = sorted.first, let last = sorted.last else { return "no answers" }
    return
      "\(waits.count) answers to MX 1, 2 and 3 by turns, after 0.\(digits(first)) to 0.\(digits(last)) of MX, half of them within "
      + "0.\(digits(sorted[sorted.count / 2]))"
  }

  /// Thousandths of a share in millionths, three digits.
  private static func digits(_ millionths: Int64) -> String {
    let digits = String(min(999, millionths / 1_000))
    return String(repeating: "0", count: 3 - digits.utf8.count) + digits
  }
}
