/// Tests of samples, in whole numbers: the same verdict on every machine. Alpha is 0.001 in all of them.
package enum Distribution {
  /// Below so many values a test says nothing.
  static let intervalCountMinimum = 20
  package static let delayCountMinimum = 30
  /// More are not kept for one party.
  static let sampleCountMaximum = 512

  /// The test of Kolmogorov and Smirnov against the uniform distribution over `low ... high`: whether it rejects.
  ///
  /// The critical value is the asymptotic one, 1.9495 / √n, which is larger than the exact one and so rejects less.
  package static func isUneven(_ sample: [Int64], from low: Int64, to high: Int64) -> Bool {
    let count = Int64(sample.count)
    guard count > 0 else { return false }
    guard high > low else { return true }
    var distance: Int64 = 0
    for (place, value) in sample.sorted().enumerated() {
      let share = Distribution.millionths(of: min(high, max(low, value)) - low, in: high - low)
      distance = max(distance, share - Int64(place) * 1_000_000 / count, Int64(place + 1) * 1_000_000 / count - share)
    }
    return distance * distance * count > 3_800_550_000_000
  }

  /// - Parameter part: 0 ... `whole`, so the share is at most a million.
  private static func millionths(of part: Int64, in whole: Int64) -> Int64 {
    let product = part.magnitude.multipliedFullWidth(by: 1_000_000)
    return Int64(whole.magnitude.dividingFullWidth((product.high, product.low)).quotient)
  }

  /// The sign test: whether so many successes among so many tries are too many for a chance of one half.
  ///
  /// - Parameter tries: at most 60.
  package static func isTooOften(_ successes: Int, of tries: Int) -> Bool {
    guard (1...60).contains(tries) else { return false }
    var ways: UInt64 = 1
    var tail: UInt64 = 0
    for count in 1...tries {
      let product = ways.multipliedFullWidth(by: UInt64(tries - count + 1))
      ways = UInt64(count).dividingFullWidth((product.high, product.low)).quotient
      if count >= successes { tail += ways }
    }
    return tail <= (UInt64(1) << UInt64(tries)) / 1_000
  }
}
