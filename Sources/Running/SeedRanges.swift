/// Seeds in the order in which they were run, as ranges.
package struct SeedRanges: Hashable, Sendable, CustomStringConvertible {
  package private(set) var ranges: [ClosedRange<UInt64>] = []
  package private(set) var count = 0

  package init() {}

  package mutating func add(_ seed: UInt64) {
    count += 1
    if let last = ranges.last, last.upperBound < seed, last.upperBound + 1 == seed {
      ranges[ranges.count - 1] = last.lowerBound...seed
    } else {
      ranges.append(seed...seed)
    }
  }

  package var isEmpty: Bool { count == 0 }

  /// Each as `--seeds` takes it: `3`, `7..12`.
  package var texts: [String] {
    ranges.map { $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)..\($0.upperBound)" }
  }

  package var description: String { texts.joined(separator: " ") }
}
