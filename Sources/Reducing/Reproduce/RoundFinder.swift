import RollcallPrimitives
import RollcallScenarios

/// Cuts what a host said in one form into rounds of sets, and finds which rounds are the same set again.
struct RoundFinder {
  struct Spoken {
    var time: Instant
    var advert: RecordedSection.Advert
  }

  /// The same adverts in the same order, again and again.
  struct Cluster {
    var adverts: [RecordedSection.Advert]
    var starts: [Instant]
    /// From the start of each round to each message.
    var offsets: [[Interval]]

    var messageCount: Int { adverts.count * starts.count }
  }

  static let roundMaximum = 256

  /// A pause as long as this ends a round: five times the usual one, from a tenth of a second to a whole one.
  private static func pause(_ spoken: [Spoken]) -> Interval {
    let gaps = zip(spoken.dropFirst(), spoken).map { $0.time - $1.time }.filter { $0 < .seconds(1) }.sorted()
    guard !gaps.isEmpty else { return .seconds(1) }
    return min(.seconds(1), max(.milliseconds(100), gaps[gaps.count / 2] * 5))
  }

  /// - Parameter spoken: in order of time.
  static func clusters(_ spoken: [Spoken]) -> [Cluster] {
    var rounds: [[Spoken]] = []
    let pause = pause(spoken)
    for one in spoken {
      if let last = rounds.last?.last, let first = rounds.last?.first, one.time - last.time < pause,
        one.advert != first.advert, rounds[rounds.count - 1].count < roundMaximum
      {
        rounds[rounds.count - 1].append(one)
      } else {
        rounds.append([one])
      }
    }
    var clusters: [Cluster] = []
    for round in rounds {
      let adverts = round.map(\.advert)
      let offsets = round.map { $0.time - round[0].time }
      if let place = clusters.firstIndex(where: { $0.adverts == adverts }) {
        clusters[place].starts.append(round[0].time)
        clusters[place].offsets.append(offsets)
      } else {
        clusters.append(Cluster(adverts: adverts, starts: [round[0].time], offsets: [offsets]))
      }
    }
    return clusters
  }

  /// The pause after which a host goes on with a set, where it kept to a beat: the median of at least two gaps of a
  /// second or more, none of which is off by more than a quarter.
  static func beat(_ starts: [Instant]) -> Interval? {
    let gaps = zip(starts.dropFirst(), starts).map { $0 - $1 }
    guard gaps.count >= 2 else { return nil }
    let median = gaps.sorted()[gaps.count / 2]
    guard median >= .seconds(1), gaps.allSatisfy({ $0 * 4 >= median * 3 && $0 * 4 <= median * 5 }) else { return nil }
    return median
  }
}

/// How times are written: to the millisecond for people, and finer where order would be lost.
package enum TimeGrain: Int64, Hashable, Sendable, CaseIterable {
  case milliseconds = 1_000_000
  case microseconds = 1_000
  case nanoseconds = 1

  func rounded(_ interval: Interval) -> Interval {
    let half = interval.nanoseconds < 0 ? -rawValue / 2 : rawValue / 2
    return .nanoseconds((interval + .nanoseconds(half)).nanoseconds / rawValue * rawValue)
  }

  /// How far a round may be off the common pace and still share it.
  var slack: Interval { self == .milliseconds ? .milliseconds(8) : .zero }

  /// One pace for all rounds, or one for each.
  func paces(_ offsets: [[Interval]]) -> (shared: [Interval], each: [[Interval]]) {
    let all = offsets.map { $0.map(rounded) }
    guard let first = all.first else { return ([], []) }
    if first.count < 2 { return ([], []) }
    let isShared = all.allSatisfy { zip($0, first).allSatisfy { ($0 - $1) <= slack && ($1 - $0) <= slack } }
    if !isShared { return ([], all) }
    // All at once needs no words.
    return (first.allSatisfy { $0 == .zero } ? [] : first, [])
  }
}
