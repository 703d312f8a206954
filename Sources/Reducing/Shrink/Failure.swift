package import RollcallDiscovery
import RollcallPrimitives
package import RollcallRunning
package import RollcallScenarios
package import RollcallSessions
import RollcallTrace

/// What is planted so that a scenario fails, and what is not planted when it has to pass: the oracle of a shrinker.
///
/// With it a smaller scenario is worth keeping only if it fails with the fault and holds without it. Without a fault
/// there is only the failure itself to go by, and what the failing expectation speaks of is left alone.
package enum PlantedFault: Hashable, Sendable {
  case engine(EngineSwitch)
  /// In every nearby peer.
  case peers(PeerFault)
  /// What the scenario names in `bites:`, whatever that is.
  case bite

  func plant(_ scenario: Scenario) -> Scenario? {
    switch self {
    case .engine(let one):
      var copy = scenario
      copy.engine.configuration.switches.insert(one)
      return copy
    case .peers(let one):
      var copy = scenario
      copy.plant(one)
      return copy
    case .bite: return scenario.bitten
    }
  }
}

/// How an expectation failed: two runs fail the same way when all of this is equal.
package struct FailureKind: Hashable, Sendable, CustomStringConvertible {
  /// Which expectation of the scenario that was given, from 0.
  package var expectation: Int
  package enum Manner: String, Hashable, Sendable {
    case never = "it never happened"
    case early = "it happened too early"
    case late = "it happened too late"
    case tooFew = "too few"
    case tooMany = "too many"
    case fewServices = "too few services"
    case manyServices = "too many services"
    case forbidden = "what must not be was"
    case missing = "a device is missing"
    case surplus = "a device is there that must not be"
    case missingAndSurplus = "a device is missing and another there that must not be"
    case vacuous = "nothing was put to the test"
  }
  package var manner: Manner
  /// For bounds and counts where no oracle tells a loss from a shrunk world: how far off.
  package var distance: Int?

  package var description: String { manner.rawValue + (distance.map { ", off by \($0)" } ?? "") }
}

extension FailureKind {
  /// How `verdict` failed; `nil`: it did not.
  package init?(_ verdict: Verdict, _ expectation: Expectation, position: Int, _ evidence: Judge.Evidence) {
    self.expectation = position
    distance = nil
    switch verdict.outcome {
    case .held, .waived: return nil
    case .vacuous: manner = .vacuous
    case .violated:
      guard let reason = verdict.reason else { return nil }
      (manner, distance) = FailureKind.manner(reason)
    }
    guard manner == .never, case .happens(let happens) = expectation.kind,
      case .searchEnded(let ended) = happens.event, let services = ended.services
    else { return }
    // The search that did end: whether it heard too little or too much, and by how much.
    let outcomes = evidence.reports.compactMap { entry -> Int? in
      guard case .searchEnded(let outcome) = entry.report,
        (ended.search ?? outcome.search.number) == outcome.search.number
      else { return nil }
      return outcome.services.count
    }
    guard let found = outcomes.first else { return }
    if found < services.minimum {
      (manner, distance) = (.fewServices, services.minimum - found)
    } else if let maximum = services.maximum, found > maximum {
      (manner, distance) = (.manyServices, found - maximum)
    }
  }

  private static func manner(_ reason: VerdictReason) -> (Manner, distance: Int?) {
    switch reason {
    case .count(let miss):
      if miss.count > 0 { return (miss.count < miss.times.minimum ? .tooFew : .tooMany, nil) }
      guard let nearest = miss.nearest else { return (.never, nil) }
      return (nearest.time < miss.window.lowerBound ? .early : .late, nil)
    case .forbidden, .changeAfterConvergence: return (.forbidden, nil)
    case .devices(_, _, let missing, let surplus, _):
      if !missing.isEmpty, !surplus.isEmpty { return (.missingAndSurplus, nil) }
      return (missing.isEmpty ? .surplus : .missing, nil)
    case .deviceCount(_, let wanted, let present):
      let isShort = present.count < wanted.minimum
      return (
        isShort ? .tooFew : .tooMany,
        isShort ? wanted.minimum - present.count : present.count - (wanted.maximum ?? present.count)
      )
    case .peak, .share, .sampleOutside, .unevenSample: return (.tooMany, nil)
    case .broken: return (.forbidden, nil)
    case .notKept: return (.never, nil)
    case .notTested, .nothingHappened, .neverHappened, .noSeedTells, .tooFewSamples: return (.vacuous, nil)
    }
  }
}
