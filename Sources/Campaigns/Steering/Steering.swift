/// Where a campaign of drawn scenarios looks next.
///
/// The first seeds are a pilot: each is run as it is drawn. What happened in them says which facts are rare. From then on
/// every second seed is drawn several times, and the drawing is run that has most of what rare facts need. All of that
/// depends on the seeds of the campaign alone, so each shard performs the pilot for itself, and all shards agree about
/// every seed; the other half of the seeds stays as it is drawn, since a fault may need what no fact names.
package struct Steering: Hashable, Sendable {
  package static let pilotMaximum: UInt64 = 512

  /// How rare each fact was in the pilot, in the order of their declaration: 0 for those that are not rare.
  package let weights: [Int]

  /// So many seeds of a campaign are its pilot: a quarter of them, and no more than `pilotMaximum`.
  package static func pilotCount(of count: UInt64) -> UInt64 { min(count / 4, pilotMaximum) }

  /// - Parameter pilot: what happened in the runs of the pilot, in any order.
  package init(pilot: [Facts]) {
    // A fact is rare where a tenth of the runs have it, or less.
    let enough = pilot.count / 10 + 1
    weights = Fact.allCases.map { fact in max(0, enough - pilot.count { $0.contains(fact) }) }
  }

  /// The drawing of a seed that is run.
  package func drawing(of count: UInt64) -> DrawnSeed {
    let plain = DrawnSeed(count, drawing: 0)
    if count % 2 == 0 { return plain }
    var best = (seed: plain, score: score(plain.traits))
    for drawing in 1..<DrawnSeed.drawingCount {
      let seed = DrawnSeed(count, drawing: drawing)
      let points = score(seed.traits)
      // Of equal ones the first.
      if points > best.score { best = (seed, points) }
    }
    return best.seed
  }

  /// How much of what rare facts need is there.
  func score(_ traits: Traits) -> Int {
    zip(Fact.allCases, weights).reduce(0) { sum, one in
      traits.isSuperset(of: one.0.helps) ? sum + one.1 : sum
    }
  }
}
