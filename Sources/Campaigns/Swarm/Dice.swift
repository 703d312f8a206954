import RollcallPrimitives

/// Draws for one purpose, from a stream of its own: what one part of a scenario draws changes no other part.
struct Dice {
  private var stream: RandomStream

  init(_ seed: Seed, _ purpose: String) { stream = seed.stream("swarm/" + purpose) }

  mutating func happens(percent: UInt64) -> Bool { stream.happens(.percent(percent)) }

  /// Both ends included.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(stream.below(UInt64(range.upperBound - range.lowerBound) + 1))
  }

  /// - Precondition: there is something to pick from.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

  /// Some of these, each once, in the order in which they are drawn.
  mutating func some<Value>(_ count: Int, of values: [Value]) -> [Value] {
    var rest = values
    return (0..<min(count, values.count)).map { _ in rest.remove(at: number(0...rest.count - 1)) }
  }

  /// A length of time in tenths of a second, from and to so many seconds: what a person can read.
  mutating func interval(seconds range: ClosedRange<Int>) -> Interval {
    .milliseconds(Int64(number(range.lowerBound * 10...range.upperBound * 10)) * 100)
  }

  mutating func instant(seconds range: ClosedRange<Int>) -> Instant { .zero + interval(seconds: range) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: stream.next()) } }
}
