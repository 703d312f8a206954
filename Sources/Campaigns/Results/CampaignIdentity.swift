import RollcallScenarios

/// What a campaign is: results of another one are never put among its own.
package struct CampaignIdentity: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Scenarios that are drawn from their seeds.
    case swarm
    /// All points of one scenario, as its YAML has them, each under all seeds.
    case plan(yaml: String)
  }

  package var kind: Kind
  package var seeds: ClosedRange<UInt64>
  /// Of the program that performs the runs.
  package var version: String

  package init(_ kind: Kind, seeds: ClosedRange<UInt64>, version: String) {
    (self.kind, self.seeds, self.version) = (kind, seeds, version)
  }

  /// `1..200`, with both ends also where they are equal.
  var seedsText: String { "\(seeds.lowerBound)..\(seeds.upperBound)" }

  /// The same as it is stored.
  var fields: [(key: String, value: String)] {
    let (word, plan): (String, String) =
      switch kind {
      case .swarm: ("swarm", "")
      case .plan(let yaml): ("plan", yaml)
      }
    return [
      ("kind", word), ("plan", plan), ("seeds", seedsText), ("version", version),
      ("facts", Fact.allCases.map(\.rawValue).joined(separator: " ")),
    ]
  }

  /// Reads what `fields` writes; `nil`: that is something else.
  init?(stored: [String: String]) {
    guard let kind = stored["kind"], let plan = stored["plan"], let version = stored["version"],
      let seeds = stored["seeds"].flatMap({ Scenario.seeds($0) })
    else { return nil }
    switch kind {
    case "swarm": self.init(.swarm, seeds: seeds, version: version)
    case "plan": self.init(.plan(yaml: plan), seeds: seeds, version: version)
    default: return nil
    }
  }

  /// What differs, for people; `nil`: nothing.
  func difference(from other: [String: String]) -> String? {
    for (key, value) in fields where other[key] != value {
      switch key {
      case "plan": return "of another scenario"
      case "facts": return "of a version that knows other facts"
      default: return "expected \(key) \(value), found \(other[key] ?? "none")"
      }
    }
    return nil
  }
}
