package import RollcallReporting

/// Frames that belong together, as ranges: bounded, however many they are.
package struct FrameRanges: Hashable, Sendable {
  /// In the order in which they came; the first `rangesMaximum`.
  package private(set) var ranges: [ClosedRange<Int>] = []
  /// Frames altogether.
  package private(set) var count = 0
  /// Frames that no range lists.
  package private(set) var unlistedCount = 0
  package private(set) var last = 0

  static let rangesMaximum = 12

  package init() {}
  package init(_ frame: Int) { add(frame) }

  package var first: Int { ranges.first?.lowerBound ?? 0 }

  package mutating func add(_ frame: Int) {
    if count > 0, frame == last { return }
    count += 1
    last = frame
    // Frames of several files take turns, so a range may go on behind another one.
    let open = unlistedCount == 0 ? ranges.indices.suffix(4).last { ranges[$0].upperBound + 1 == frame } : nil
    if let open {
      ranges[open] = ranges[open].lowerBound...frame
    } else if ranges.count < FrameRanges.rangesMaximum {
      ranges.append(frame...frame)
    } else {
      unlistedCount += 1
    }
  }

  /// Joins two: of one file the greater frame is the last, of two files that of `other`.
  package mutating func add(_ other: FrameRanges) {
    if other.count == 0 { return }
    let before = last
    for range in other.ranges { for frame in range { add(frame) } }
    count += other.unlistedCount
    unlistedCount += other.unlistedCount
    last = FrameNames.file(of: before) == FrameNames.file(of: other.last) ? max(before, other.last) : other.last
  }

  /// `frame 7`, `frames 8–12`; with gaps `frames 8…57`.
  package func short(_ names: FrameNames = FrameNames()) -> String {
    if count == 0 { return "" }
    if count == 1 { return "frame " + names.text(first) }
    let isWhole = ranges.count == 1 && unlistedCount == 0
    return "frames " + names.text(first) + (isWhole ? "–" : "…") + names.text(last, after: first)
  }

  /// Each range as text: `8-18`, `20`.
  package func texts(_ names: FrameNames = FrameNames()) -> [String] {
    ranges.map { range in
      range.count == 1
        ? names.text(range.lowerBound)
        : names.text(range.lowerBound) + "-" + names.text(range.upperBound, after: range.lowerBound)
    }
  }
}
