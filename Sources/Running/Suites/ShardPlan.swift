/// Which runs of a suite one shard of it performs.
///
/// Shards have equally many runs, or one more, as far as parts that stay whole allow it: a point with an expectation
/// over its seeds is judged over all of them, so one shard has all of its runs. Such parts are given out first, the
/// largest first, each to the shard that has the fewest runs. All other runs are dealt in turn to the shards that have
/// the fewest, so that the runs of one scenario, which take equally long, are spread over all shards.
///
/// It depends on nothing but its arguments: each shard is worked out where it is performed, without the others.
package struct ShardPlan: Hashable, Sendable {
  /// Numbers of runs that are dealt one by one, a fixed distance apart.
  package struct Deal: Hashable, Sendable {
    package var first: Int
    package var stride: Int
    package var count: Int

    /// Those of them that are in a range of numbers; `nil`: none.
    func within(_ range: Range<Int>) -> Deal? {
      let gap = max(0, range.lowerBound - first)
      let skipped = gap / stride + (gap % stride == 0 ? 0 : 1)
      guard skipped < count else { return nil }
      let start = first + skipped * stride
      guard start < range.upperBound else { return nil }
      let room = (range.upperBound - 1 - start) / stride + 1
      return Deal(first: start, stride: stride, count: min(count - skipped, room))
    }
  }

  /// The parts that stay whole and belong to this shard, by their places in the list that was given.
  package private(set) var wholes: Set<Int> = []
  /// In the order of their first numbers.
  package private(set) var deals: [Deal] = []

  /// - Parameters:
  ///   - index: of the shard, from 1.
  ///   - count: how many shards there are.
  ///   - weights: the number of runs of each part that stays whole.
  ///   - singles: how many runs there are beside those; they are numbered from 0.
  package init(_ index: Int, of count: Int, wholes weights: [Int], singles: Int) {
    // Shards beyond these get no whole part.
    let kept = min(count, weights.count)
    var loads = [Int](repeating: 0, count: kept)
    for place in weights.indices.sorted(by: { (-weights[$0], $0) < (-weights[$1], $1) }) {
      let least = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
      loads[least] += weights[place]
      if least == index - 1 { wholes.insert(place) }
    }
    // Runs are dealt to the shards at the lowest level until they have as many as the next ones, which join them then.
    let order = loads.indices.sorted { (loads[$0], $0) < (loads[$1], $1) }
    var members = count - kept
    var rank: Int? = index > kept ? index - kept - 1 : nil
    var (level, start, next) = (0, 0, 0)
    while start < singles {
      while next < order.count, loads[order[next]] <= level {
        if order[next] == index - 1 { rank = members }
        members += 1
        next += 1
      }
      var taken = singles - start
      if next < order.count {
        let (room, overflow) = members.multipliedReportingOverflow(by: loads[order[next]] - level)
        if !overflow { taken = min(taken, room) }
        level = loads[order[next]]
      }
      if let rank, rank < taken {
        deals.append(Deal(first: start + rank, stride: members, count: (taken - rank - 1) / members + 1))
      }
      start += taken
    }
  }
}
