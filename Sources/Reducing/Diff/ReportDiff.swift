package import RollcallPrimitives
import RollcallReplaying
package import RollcallReporting

/// Two lists of reports side by side, from the first that differs.
package struct ReportDiff {
  package struct Options: Sendable {
    /// Times that are no further apart count as equal.
    package var within = Interval.zero
    package var comparesTimes = true
    /// Rows that differ and are kept; all are counted.
    package var rows = 12
    /// Equal reports that are shown before the first difference.
    package var context = 2
    package init() {}
  }

  package enum Mark: String, Hashable, Sendable { case equal, changed, onlyA, onlyB }

  package struct Row: Sendable {
    package var mark: Mark
    package var a: WrittenReport?
    package var b: WrittenReport?
  }

  package let a: DiffSide
  package let b: DiffSide
  package let options: Options
  /// Index of the first reports that differ; `nil`: all are equal.
  package private(set) var first: Int?
  package private(set) var rows: [Row] = []
  package private(set) var changedCount = 0
  package private(set) var onlyACount = 0
  package private(set) var onlyBCount = 0
  /// The datagram that made the difference; `nil` where none can be named.
  package internal(set) var datagram: DiffDatagram?
  /// What each side made of it.
  package internal(set) var madeA: [String] = []
  package internal(set) var madeB: [String] = []

  /// Whether no report differs, of those that were made; equal are the sides only where both were read whole.
  package var isEqual: Bool { first == nil }
  /// Whether a side was not read whole, so that reports are missing which nobody knows.
  package var isIncomplete: Bool { a.problems.isIncomplete || b.problems.isIncomplete }

  /// Reports that come back within so many are found again.
  private static let reach = 32

  package init(_ a: DiffSide, _ b: DiffSide, options: Options = Options()) {
    (self.a, self.b, self.options) = (a, b, options)
    let count = min(a.reports.count, b.reports.count)
    var index = 0
    while index < count, isSame(a.reports[index], b.reports[index]) { index += 1 }
    if index == a.reports.count, index == b.reports.count { return }
    first = index
    for before in max(0, index - options.context)..<index {
      rows.append(Row(mark: .equal, a: a.reports[before], b: b.reports[before]))
    }
    align(from: index)
    findDatagram(index)
  }

  // MARK: Comparing

  /// Whether both sides count time from the same moment.
  var isOneClock: Bool { a.base == nil || b.base == nil || a.base == b.base }

  /// Time since the side's own start; where both have one clock, since the start of either.
  package func since(_ report: WrittenReport, _ side: DiffSide) -> Interval {
    let base = isOneClock ? a.base ?? b.base : side.base
    return report.time - (base ?? (a.reports.first ?? b.reports.first)?.time ?? report.time)
  }

  /// Frame numbers say something only about one and the same file.
  var comparesPlaces: Bool {
    if a.kind == .scenario || b.kind == .scenario { return false }
    return a.kind == .reports || b.kind == .reports || a.path == b.path
  }

  private func isSame(_ left: WrittenReport, _ right: WrittenReport) -> Bool {
    guard left.saysSame(as: right) else { return false }
    if comparesPlaces, left.place != right.place { return false }
    if !options.comparesTimes { return true }
    let apart = since(left, a) - since(right, b)
    return apart.nanoseconds.magnitude <= UInt64(max(0, options.within.nanoseconds))
  }

  // MARK: Aligning

  private mutating func align(from start: Int) {
    var (left, right) = (start, start)
    while left < a.reports.count || right < b.reports.count {
      if left < a.reports.count, right < b.reports.count, isSame(a.reports[left], b.reports[right]) {
        add(Row(mark: .equal, a: a.reports[left], b: b.reports[right]))
        (left, right) = (left + 1, right + 1)
        continue
      }
      let (inA, inB) = gap(left, right)
      explain(left..<(left + inA), right..<(right + inB))
      (left, right) = (left + inA, right + inB)
    }
  }

  /// How many reports of each side stand before the next that both have; without one in reach, a stretch of both.
  private func gap(_ left: Int, _ right: Int) -> (Int, Int) {
    let (restA, restB) = (a.reports.count - left, b.reports.count - right)
    for sum in 1...(2 * ReportDiff.reach) {
      for inA in max(0, sum - ReportDiff.reach)...min(sum, ReportDiff.reach) {
        let inB = sum - inA
        guard inA < restA, inB < restB else { continue }
        if isSame(a.reports[left + inA], b.reports[right + inB]) { return (inA, inB) }
      }
    }
    return (min(restA, ReportDiff.reach), min(restB, ReportDiff.reach))
  }

  /// Reports of a stretch that the sides do not share: what says the same at another time is one that changed, all
  /// others stand alone, in order of time.
  private mutating func explain(_ lefts: Range<Int>, _ rights: Range<Int>) {
    var right = rights.lowerBound
    var alone: [Row] = []
    func flush(_ rows: inout [Row]) -> [Row] {
      let sorted = rows.enumerated().sorted { (since($0.element), $0.offset) < (since($1.element), $1.offset) }
      rows = []
      return sorted.map(\.element)
    }
    for left in lefts {
      let twin = (right..<rights.upperBound).first { b.reports[$0].saysSame(as: a.reports[left]) }
      guard let twin else {
        alone.append(Row(mark: .onlyA, a: a.reports[left], b: nil))
        continue
      }
      for other in right..<twin { alone.append(Row(mark: .onlyB, a: nil, b: b.reports[other])) }
      for row in flush(&alone) { add(row) }
      add(Row(mark: .changed, a: a.reports[left], b: b.reports[twin]))
      right = twin + 1
    }
    for other in right..<rights.upperBound { alone.append(Row(mark: .onlyB, a: nil, b: b.reports[other])) }
    for row in flush(&alone) { add(row) }
  }

  private func since(_ row: Row) -> Interval {
    if let left = row.a { return since(left, a) }
    return row.b.map { since($0, b) } ?? .zero
  }

  private mutating func add(_ row: Row) {
    switch row.mark {
    case .equal: break
    case .changed: changedCount += 1
    case .onlyA: onlyACount += 1
    case .onlyB: onlyBCount += 1
    }
    let shown = rows.count - min(options.context, first ?? 0)
    if shown < options.rows { rows.append(row) }
  }
}
