import Foundation
import RollcallScenarios

/// Pearson's test of a sample against the uniform distribution.
enum ChiSquare {
  static let bins = Distribution.partCount

  /// The bin of a value from 0 to 1, which belongs to the last.
  static func bin(of value: Double) -> Int { min(bins - 1, Int(value * Double(bins))) }

  /// The chance that a uniform sample looks at least this uneven, by how many of it fell into each of equal bins.
  static func uniformity(of counts: [Int]) -> Double {
    let expected = Double(counts.reduce(0, +)) / Double(counts.count)
    let statistic = counts.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
    return survival(statistic, degrees: counts.count - 1)
  }

  /// P(X > x) for a chi-square distribution; `x` is not negative.
  static func survival(_ x: Double, degrees: Int) -> Double {
    let a = Double(degrees) / 2
    let z = x / 2
    let logScale = a * log(z) - z - lgamma(a)
    if z < a + 1 {
      // The series of the lower incomplete gamma function.
      var term = 1 / a
      var sum = term
      var n = a
      while term > sum * 1e-15 {
        n += 1
        term *= z / n
        sum += term
      }
      return max(0, 1 - sum * exp(logScale))
    }
    // The continued fraction of the upper one, by Lentz.
    var b = z + 1 - a
    var c = 1e300
    var d = 1 / b
    var h = d
    for i in 1...500 {
      let an = -Double(i) * (Double(i) - a)
      b += 2
      d = 1 / (an * d + b)
      c = b + an / c
      let delta = c * d
      h *= delta
      if abs(delta - 1) < 1e-15 { break }
    }
    return h * exp(logScale)
  }
}
