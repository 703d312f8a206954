import RollcallPrimitives

/// Something that a drawn scenario may have. Each seed draws which it has, so that some runs have much of one thing and
/// nothing of another: faults that hide behind each other are met alone, too.
package enum Trait: UInt8, Hashable, Sendable, CaseIterable {
  // Who is there.
  case lanDevices, peripherals, services, peers
  // The network.
  case twoSegments, bothFamilies, snooping
  case loss, bursts, delay, duplicates, reordering, corruption, slowLinks, smallPackets
  // What breaks.
  case partition, interfaceDown, badLink, refusals, radioOff, querierGone
  // What inhabitants do.
  case leaving, vanishing, crash, reboot, update, change, move, relocation, lateArrival, several, departure
  // What they are like.
  case quirks, lastLife, drift, rotation
  // The engine.
  case strict, descriptions, partsAlone, searches, lastSearch, holding, connections
  // Others on the network.
  case bystanders, flood, forger, junk, neverThere

  /// What reports call it.
  package var name: String { "\(self)" }

  /// How often a seed has it.
  var chance: Ratio {
    switch self {
    case .lanDevices: .percent(75)
    case .delay, .loss, .lateArrival, .neverThere, .querierGone, .departure: .percent(50)
    case .services, .partition, .radioOff, .leaving, .lastSearch: .percent(40)
    case .crash, .reboot, .quirks: .percent(35)
    case .peripherals, .interfaceDown, .badLink, .vanishing, .connections: .percent(30)
    case .peers, .bothFamilies, .duplicates, .reordering, .update, .change, .several, .lastLife, .drift, .descriptions,
      .bystanders:
      .percent(25)
    case .bursts, .move, .relocation, .strict, .rotation: .percent(20)
    case .twoSegments, .snooping, .refusals, .partsAlone, .junk: .percent(15)
    case .corruption, .slowLinks, .smallPackets, .holding, .forger: .percent(10)
    case .flood: .percent(7)
    case .searches: .percent(80)
    }
  }

  /// Those that say who is there; a scenario has at least one of them.
  static let families: [Trait] = [.lanDevices, .peripherals, .services, .peers]
}

/// Some traits.
package struct Traits: Hashable, Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt64 = 0

  package init(arrayLiteral traits: Trait...) { for trait in traits { insert(trait) } }

  package mutating func insert(_ trait: Trait) { bits |= 1 &<< UInt64(trait.rawValue) }
  package func contains(_ trait: Trait) -> Bool { bits &>> UInt64(trait.rawValue) & 1 != 0 }
  package func isSuperset(of other: Traits) -> Bool { bits & other.bits == other.bits }
  /// In the order of their declaration.
  package var list: [Trait] { Trait.allCases.filter(contains) }

  /// What a seed draws.
  init(_ seed: Seed) {
    var stream = seed.stream("swarm/traits")
    // One draw each, whatever came of the others.
    for trait in Trait.allCases where stream.happens(trait.chance) { insert(trait) }
    if !Trait.families.contains(where: { self.contains($0) }) { insert(.lanDevices) }
  }
}
