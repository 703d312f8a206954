import RollcallScenarios

extension ScenarioFile {
  /// One line on the radios that are for hosts outside: in a run nobody has them. `nil`: there are none.
  package var unlentRadios: String? {
    let names = scenario.inhabitants.filter { if case .hciHost = $0.kind { true } else { false } }.map(\.name)
    guard !names.isEmpty else { return nil }
    return "\(path): nobody is at \(names.joined(separator: ", ")): a run lends nobody the radio of an hci-host; "
      + "rollcall serve-hci \(path) does"
  }
}
