import RollcallDevices
package import RollcallScenarios

/// How much of a scenario there is to read and to run.
package struct ScenarioSize: Hashable, Sendable, CustomStringConvertible {
  /// Hosts beside the engine, members of counted inhabitants one by one.
  package var inhabitants = 0
  package var timeline = 0
  package var faults = 0
  /// Datagrams and repeated utterances that scripts and recorded hosts spell out, and each hearing of a recorded packet.
  package var datagrams = 0
  /// Keys and values of the document; title, reason, tags, bite and seed aside.
  package var nodes = 0

  package init() {}

  package init(_ scenario: Scenario) {
    inhabitants = scenario.inhabitants.reduce(0) { $0 + $1.count }
    timeline = scenario.timeline.count
    faults = scenario.faults.count
    for entry in scenario.inhabitants {
      switch entry.kind {
      case .script(let section): datagrams += section.lines.count
      case .recorded(let section): datagrams += section.says.count + section.answers.count
      case .recordedPeripheral(let plan): datagrams += plan.packets.reduce(0) { $0 + $1.heard.count }
      default: break
      }
    }
    nodes = ScenarioSize.nodes(scenario.document)
  }

  static func nodes(_ document: Tree) -> Int {
    let aside = ["scenario", "why", "tags", "bites", "seed", "seeds", "budget"]
    return document.keyed.filter { !aside.contains($0.key) }.reduce(0) { $0 + 1 + $1.value.size }
  }

  package var description: String {
    var text = "\(inhabitants) inhabitants, \(timeline) deeds, \(faults) faults"
    if datagrams > 0 { text += ", \(datagrams) datagrams" }
    return text + ", \(nodes) nodes"
  }
}
