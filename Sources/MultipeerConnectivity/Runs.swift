/// The runs of one object, of which at most one goes on. The device is told the number of each, so that an event of a run
/// that has ended is known as one.
struct Runs {
  /// The number of the run that goes on.
  private(set) var current: Int?
  private var count = 0

  /// - Returns: the number of the new run; `nil`: one goes on already.
  mutating func begin() -> Int? {
    guard current == nil else { return nil }
    count += 1
    current = count
    return count
  }

  /// - Returns: the number of the run that went on.
  mutating func end() -> Int? {
    defer { current = nil }
    return current
  }

  /// - Returns: false if it is not the run that goes on.
  mutating func fail(_ run: Int) -> Bool {
    guard current == run else { return false }
    current = nil
    return true
  }
}
