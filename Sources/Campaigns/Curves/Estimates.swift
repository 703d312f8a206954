package import RollcallPrimitives

/// A share of runs, and where the true one lies: with 95 % confidence, after Wilson (1927), which holds near 0 and 1 too.
package struct ShareEstimate: Hashable, Sendable {
  package let count: Int
  package let total: Int
  package let low: Double
  package let high: Double

  package var share: Double { total == 0 ? 0 : Double(count) / Double(total) }

  /// The normal deviate of which 2.5 % are larger.
  static let deviate = 1.959963984540054

  package init(_ count: Int, of total: Int) {
    (self.count, self.total) = (count, total)
    let (n, z) = (Double(total), ShareEstimate.deviate)
    let share = Double(count) / n
    let scale = 1 + z * z / n
    let middle = (share + z * z / (2 * n)) / scale
    let half = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot() / scale
    // Rounding must not put an end beyond what is possible; where nothing was run, anything is.
    low = count == 0 ? 0 : middle - half
    high = count == total ? 1 : middle + half
  }
}

/// A quantile of a length of time, and where the true one lies: between two of the values that were measured, with at least
/// 95 % confidence, whatever their distribution is.
package struct QuantileEstimate: Hashable, Sendable {
  /// `nil`: it never came in so many runs.
  package let value: Interval?
  /// `nil`: nothing is known of that end.
  package let low: Interval?
  package let high: Interval?

  /// - Parameters:
  ///   - sorted: the values that were measured, in rising order.
  ///   - total: of all runs; in those without a value it never came.
  ///   - quantile: between 0 and 1, both excluded.
  package init(_ sorted: [Interval], of total: Int, _ quantile: Double) {
    func measured(_ rank: Int?) -> Interval? {
      guard let rank, rank <= sorted.count else { return nil }
      return sorted[rank - 1]
    }
    let ranks = QuantileEstimate.ranks(of: total, quantile)
    value = measured(max(1, Int((quantile * Double(total)).rounded(.up))))
    (low, high) = (measured(ranks.low), measured(ranks.high))
  }

  /// The ranks, from 1, of the values between which a quantile lies: below the first and above the second it is with a
  /// chance of 2.5 % at most each. `nil`: there are too few values to say so.
  static func ranks(of total: Int, _ quantile: Double) -> (low: Int?, high: Int?) {
    let chances = binomial(total, quantile)
    // The value of rank l is above the quantile where fewer than l of all are below.
    var (low, below): (Int?, Double) = (nil, 0)
    for count in 0..<total {
      below += chances[count]
      if below > 0.025 { break }
      low = count + 1
    }
    var (high, above): (Int?, Double) = (nil, 0)
    for count in stride(from: total, to: 0, by: -1) {
      above += chances[count]
      if above > 0.025 { break }
      high = count
    }
    return (low, high)
  }

  /// The chances of 0, 1 … of `total`, each with this chance: by ratios from the most likely one on, so that nothing
  /// large or small is ever raised to a power.
  static func binomial(_ total: Int, _ chance: Double) -> [Double] {
    // The most likely one weighs 1; the others are filled in.
    var weights = [Double](repeating: 1, count: total + 1)
    let top = min(total, Int(Double(total + 1) * chance))
    let odds = chance / (1 - chance)
    for count in top..<total {
      weights[count + 1] = weights[count] * Double(total - count) / Double(count + 1) * odds
    }
    for count in stride(from: top, to: 0, by: -1) {
      weights[count - 1] = weights[count] * Double(count) / Double(total - count + 1) / odds
    }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }
}

/// Numbers as they are printed: the same on every machine.
package enum Decimals {
  /// With so many decimals, rounded.
  package static func text(_ value: Double, _ places: Int) -> String {
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    var sign = value < 0 ? "-" : ""
    guard value.magnitude < 1e12 else { return sign + "∞" }
    let scaled = Int((value.magnitude * Double(scale)).rounded())
    if scaled == 0 { sign = "" }
    if places == 0 { return "\(sign)\(scaled)" }
    let fraction = "\(scaled % scale)"
    return "\(sign)\(scaled / scale)." + String(repeating: "0", count: places - fraction.utf8.count) + fraction
  }
}
