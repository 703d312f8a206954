import RollcallPrimitives

/// How much weaker a signal becomes on its way, in thousandths of a decibel. Integers and a table alone: libm differs
/// between processors, and a digest must not.
enum PathLoss {
  /// Of the first metre at 2.4 GHz: 20 · log10(2400) − 28 dB.
  static let firstMetre = 39_604
  /// Nearer than that the loss grows no smaller.
  static let minimum = 20_000

  /// 2 · ln(10) · 2³².
  private static let twoLogarithmsOf10: Int64 = 19_779_055_341

  /// - Parameters:
  ///   - squareDistance: in square millimetres.
  ///   - exponentTenths: the path-loss exponent n of 10 · n · log10(d / 1 m), in tenths.
  /// - Returns: at least 20 dB.
  static func thousandths(squareDistance: UInt64, exponentTenths: Int) -> Int {
    guard squareDistance > 0 else { return minimum }
    // log10(d / 1 m) = ln(d²) / (2 · ln 10) − 3, with d in millimetres.
    let scaled = Int64(FixedPoint.logarithm(squareDistance)) * 1_000 * Int64(exponentTenths)
    let loss = firstMetre + Int(scaled / twoLogarithmsOf10) - 3_000 * exponentTenths
    return max(minimum, loss)
  }

  /// The shadowing of one pair of radios, whichever of them sends; at most six deviations either way.
  static func shadowing(_ deviation: Int, _ left: String, _ right: String, _ seed: Seed) -> Int {
    if deviation == 0 { return 0 }
    let (first, second) = left < right ? (left, right) : (right, left)
    var stream = seed.stream("radio/\(first)/\(second)/shadowing")
    let width = Interval.nanoseconds(Int64(deviation))
    return Int((stream.normal(mean: width * 6, deviation: width) - width * 6).nanoseconds)
  }
}
