package import RollcallPrimitives

/// The figures of a browser for services. Those of RFC 6762 are the defaults.
package struct BrowserPolicy: Hashable, Sendable {
  /// Whether it asks at all. One that only listens, to a capture for example, may not hear every answer: it takes no
  /// query of others for a hint that a record is wrong (§10.5).
  package var asks = true
  /// Before the first query of a series (§5.2).
  package var queryDelay: ClosedRange<Interval> = .milliseconds(20) ... .milliseconds(120)
  /// From the first query to the second; it doubles up to the longest (§5.2).
  package var queryInterval = Interval.seconds(1)
  package var queryIntervalMaximum = Interval.minutes(60)
  /// In percent of the TTL, each with a jitter of so many more (§5.2).
  package var refreshPercents: [Int64] = [80, 85, 90, 95]
  package var refreshJitterPercent: Int64 = 2
  /// What a record with TTL 0, or one that was replaced, still has (§10.1, §10.2).
  package var goodbyeDelay = Interval.seconds(1)
  /// Queries after a hint that a record is wrong, and the time for an answer (§10.4).
  package var reconfirmCount = 2
  package var reconfirmGap = Interval.seconds(2)
  package var reconfirmTime = Interval.seconds(10)
  /// After so many queries of others, a record that is not in a response within this time is gone (§10.5).
  package var unansweredCount = 2
  package var unansweredTime = Interval.seconds(10)
  /// A record is not multicast again within this time, except to a probe (§6).
  package var repeatTime = Interval.seconds(1)
  /// Somebody's question stands for one of ours that is due within this time (§7.3).
  package var duplicateQuestionTime = Interval.seconds(1)
  /// A longer TTL counts as this one.
  package var ttlSecondsMaximum: UInt32 = 86_400
  /// Payload bytes of a query.
  package var packetBytes = 1_440

  // Bounds: what goes beyond them is rejected.
  /// Records in the cache, on all interfaces.
  package var recordsMaximum = 100_000
  /// Records from one address.
  package var recordsPerSender = 2_048
  /// Records of one name and type, other than PTR.
  package var recordsPerName = 16
  /// Types that nobody asked for and that are browsed because they were heard of.
  package var typesMaximum = 256
  package init() {}
}
