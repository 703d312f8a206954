package import RollcallPrimitives

/// A report with the time at which it was made and the station that made it.
package struct TimedReport: Hashable, Sendable {
  package var time: Instant
  package var station: UInt32
  package var report: Report
  package init(time: Instant, station: UInt32, report: Report) {
    (self.time, self.station, self.report) = (time, station, report)
  }
}

/// Refused datagrams, counted by reason, the first of them listed: a flood is a counter, not growth.
package struct RejectionTally: Hashable, Sendable {
  package static let listedMaximum = 100_000
  package private(set) var listed: [(time: Instant, rejection: Rejection)] = []
  private var counts: [Int] = Array(repeating: 0, count: RejectionReason.allCases.count)

  package init() {}

  package mutating func add(_ rejection: Rejection, at time: Instant) {
    counts[RejectionTally.position(of: rejection.reason)] += 1
    if listed.count < RejectionTally.listedMaximum { listed.append((time, rejection)) }
  }

  /// How often each reason occurred, in the order in which reasons are declared; zeros left out.
  package var byReason: [(reason: RejectionReason, count: Int)] {
    zip(RejectionReason.allCases, counts).filter { $0.1 > 0 }.map { ($0.0, $0.1) }
  }

  package func count(of reason: RejectionReason) -> Int { counts[RejectionTally.position(of: reason)] }

  package var total: Int { counts.reduce(0, +) }

  private static func position(of reason: RejectionReason) -> Int {
    RejectionReason.allCases.firstIndex(of: reason) ?? 0
  }

  package static func == (left: RejectionTally, right: RejectionTally) -> Bool { left.counts == right.counts }
  package func hash(into hasher: inout Hasher) { hasher.combine(counts) }
}
