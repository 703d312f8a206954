/// Frames that belong together, as ranges: bounded, however many they are.
package struct FrameRanges: Hashable, Sendable {
  /// In the order in which they came; the first `rangesMaximum`.
  package private(set) var ranges: [ClosedRange<Int>] = []
  /// Frames altogether.
  package private(set) var count = 0
  /// Frames that no range lists.
  package private(set) var unlistedCount = 0
  package private(set) var last = 0

  package static let rangesMaximum = 12

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

/// What frames are called: by their number, and by their file too where several files make one replay.
package struct FrameNames: Hashable, Sendable {
  /// A name for each file of a merged replay; empty where there is one file.
  package var labels: [String] = []

  package init(labels: [String] = []) { self.labels = labels }

  /// Short names for files: what is left of their paths where they differ.
  package init(paths: [String]) {
    let parts = paths.map { $0.split(separator: "/").map(String.init) }
    guard parts.count > 1 else { return }
    // Whatever all have in common in front and behind says nothing.
    let shortest = parts.map(\.count).min() ?? 0
    var front = 0
    while front < shortest - 1, parts.allSatisfy({ $0[front] == parts[0][front] }) { front += 1 }
    var behind = 0
    while behind < shortest - front - 1,
      parts.allSatisfy({ $0[$0.count - 1 - behind] == parts[0][parts[0].count - 1 - behind] })
    { behind += 1 }
    var names = parts.map { $0[front..<($0.count - behind)].joined(separator: "/") }
    let endings = [".pcapng.gz", ".pcap.gz", ".pcapng", ".pcap"]
    for ending in endings where names.allSatisfy({ $0.hasSuffix(ending) && $0.count > ending.count }) {
      names = names.map { String($0.dropLast(ending.count)) }
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) { names[index] += "#\(index + 1)" }
    labels = names
  }

  private static let fileShift = 40

  /// One number for a frame of a file, from 0; in the first file it is the frame's own.
  package static func number(file: Int, frame: Int) -> Int { file << fileShift | frame }
  package static func file(of number: Int) -> Int { number >> fileShift }
  package static func frame(of number: Int) -> Int { number & (1 << fileShift - 1) }

  /// The name of a frame's file; `nil` where there is one file.
  package func file(of number: Int) -> String? {
    let file = FrameNames.file(of: number)
    return file < labels.count ? labels[file] : nil
  }

  /// `12`, or `eth0:12`.
  package func text(_ number: Int) -> String {
    let file = FrameNames.file(of: number)
    return (file < labels.count ? labels[file] + ":" : "") + String(FrameNames.frame(of: number))
  }

  /// Without the file where that is the one of `earlier`.
  func text(_ number: Int, after earlier: Int) -> String {
    FrameNames.file(of: number) == FrameNames.file(of: earlier) ? String(FrameNames.frame(of: number)) : text(number)
  }
}
