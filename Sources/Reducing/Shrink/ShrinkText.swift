import RollcallPrimitives
import RollcallReporting
import RollcallRunning
package import RollcallScenarios

/// What a shrinker did, for people: the steps, and the scenario with comments that say what is gone.
package enum ShrinkText {
  /// A table of the passes: tried, kept, and the size behind each.
  package static func table(_ outcome: Shrinker.Outcome) -> [String] {
    var lines = [row("step", "tried", "kept", "left")]
    lines.append(row("as given", "", "", outcome.before.description))
    lines += outcome.passes.map { row($0.name, "\($0.tried)", "\($0.kept)", $0.size.description) }
    return lines
  }

  static func row(_ name: String, _ tried: String, _ kept: String, _ left: String) -> String {
    name.padded(to: 14) + tried.rightAligned(to: 7) + kept.rightAligned(to: 7) + "  " + left
  }

  /// The shrunk scenario as a file.
  /// - Parameters:
  ///   - path: of what was shrunk.
  ///   - point: the values of its sweep, if it had one.
  package static func yaml(_ outcome: Shrinker.Outcome, of path: String, seed: UInt64, point: [Point.Value] = [])
    -> String
  {
    var printer = ScenarioPrinter()
    let values = point.map { "\($0.path)=\($0.text)" }.joined(separator: " ")
    printer.header = ["Shrunk from \(path)" + (values.isEmpty ? "" : " at \(values)") + ", seed \(seed)."]
    if !outcome.removed.isEmpty {
      printer.header.append("Gone without changing the failure: " + outcome.removed.joined(separator: "; ") + ".")
    }
    let found = outcome.verdict.found
    let shown = found.count > 120 ? found.prefix(120) + " …" : found
    var note = ["Fails: expected \(outcome.verdict.expected); found \(shown)."]
    if let bites = outcome.scenario.bites {
      note = ["With \(BiteText.name(bites)) planted: \(note[0].lowercasedFirst)"]
    }
    printer.note(TreePath([.key("expect")]), note)
    return printer.text(of: outcome.scenario)
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
