extension Scenario {
  /// Reads a scenario and checks it.
  /// - Parameter file: stands in front of every error.
  /// - Throws: `ScenarioErrors`: up to twenty of what is wrong, in the order of the file.
  package init(yaml: String, file: String) throws(ScenarioErrors) {
    switch Composer.tree(of: yaml) {
    case .success(let tree): self = try Scenario.checked(tree, file: file)
    case .failure(let stop): throw ScenarioErrors([stop.complaint.error(in: file)])
    }
  }

  /// The scenario as YAML that reads back as an equal value.
  package var yaml: String { tree.yaml }

  var tree: Tree { Form<Scenario>.scenario.write(self, false) }
  /// With every default written out, so that a sweep finds what the document left out.
  var fullTree: Tree { Form<Scenario>.scenario.write(self, true) }

  static func checked(_ tree: Tree, file: String) throws(ScenarioErrors) -> Scenario {
    var reader = Reader()
    let scenario = Form<Scenario>.scenario.read(tree, &reader)
    var complaints = reader.complaints
    if complaints.isEmpty, let scenario {
      complaints = scenario.complaints(in: tree)
      if complaints.isEmpty { complaints = SweepChecks(scenario, in: tree).complaints }
      if complaints.isEmpty { return scenario }
    }
    let ordered = complaints.enumerated().sorted { ($0.element.mark, $0.offset) < ($1.element.mark, $1.offset) }
    throw ScenarioErrors(ordered.prefix(ScenarioErrors.countMaximum).map { $0.element.error(in: file) })
  }

  /// What the parts do not agree on, with the places in the tree that it was read from.
  func complaints(in tree: Tree) -> [Complaint] {
    var found = ScenarioChecks(self).complaints
    if found.isEmpty {
      var world = WorldBuilder(self)
      if let complaint = world.build() { found = [complaint] }
    }
    return found.map { Complaint(path: $0.path, mark: tree.place(of: $0.path), message: $0.message) }
  }
}

extension Scenario {
  package static let seedsMaximum: UInt64 = 1_000_000

  /// Seeds as `seeds:` has them: `7`, or `1..200`; at most `seedsMaximum`. `nil` for anything else.
  package static func seeds(_ text: String) -> ClosedRange<UInt64>? {
    guard case .value(let range) = Number.range(text, { Number.whole($0, upTo: .max) }) else { return nil }
    return range.upperBound - range.lowerBound < seedsMaximum ? range : nil
  }
}
