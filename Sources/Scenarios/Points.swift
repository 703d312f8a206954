/// One concrete scenario of a sweep.
package struct Point: Hashable, Sendable {
  package struct Value: Hashable, Sendable {
    /// The place in the document: `network.link.loss`.
    package var path: String
    /// The value in YAML's flow style: `10%`.
    package var text: String

    package init(path: String, text: String) { (self.path, self.text) = (path, text) }
  }
  /// In the order of the sweep; empty where there is none.
  package var values: [Value]
  /// Without a sweep of its own.
  package var scenario: Scenario

  package init(values: [Value], scenario: Scenario) { (self.values, self.scenario) = (values, scenario) }
}

extension Scenario {
  static let pointsMaximum = 10_000

  /// How many points the sweep has; 1 without one.
  var pointCount: Int {
    sweep.reduce(1) { count, axis in
      let (product, overflow) = count.multipliedReportingOverflow(by: axis.values.count)
      return overflow ? .max : product
    }
  }

  /// Unfolds the sweep: the cartesian product, the last axis fastest. A scenario without sweep is its only point.
  package func points(file: String = "scenario") throws(ScenarioErrors) -> [Point] {
    var base = self
    base.sweep = []
    if sweep.isEmpty { return [Point(values: [], scenario: base)] }
    guard pointCount <= Scenario.pointsMaximum else {
      throw ScenarioErrors([
        ScenarioError(file: file, line: 0, column: 0, message: "a sweep has at most \(Scenario.pointsMaximum) points")
      ])
    }
    let tree = base.fullTree
    var points: [Point] = []
    for number in 0..<pointCount {
      var rest = number
      var chosen: [Tree] = []
      for axis in sweep.reversed() {
        chosen.append(axis.values[rest % axis.values.count])
        rest /= axis.values.count
      }
      var changed = tree
      var values: [Point.Value] = []
      for (axis, value) in zip(sweep, chosen.reversed()) {
        guard let next = changed.replacing(axis.path, with: value) else {
          let message = "there is no '\(axis.path)' in the document"
          throw ScenarioErrors([ScenarioError(file: file, line: 0, column: 0, message: message)])
        }
        changed = next
        values.append(Point.Value(path: axis.path.description, text: value.flow))
      }
      var scenario = try Scenario.checked(changed, file: file)
      // The swept document was written anew: its expectations still stand where the file has them.
      for (number, expectation) in expectations.enumerated() where number < scenario.expectations.count {
        scenario.expectations[number].place = expectation.place
      }
      points.append(Point(values: values, scenario: scenario))
    }
    return points
  }
}

/// Tries every value of a sweep on its own, so that a slip in one is found where it stands.
struct SweepChecks {
  private(set) var complaints: [Complaint] = []

  /// Values of a sweep times nodes of the document: what may be read to check one.
  static let workMaximum = 2_000_000

  init(_ scenario: Scenario, in tree: Tree) {
    guard !scenario.sweep.isEmpty, let entry = tree.entries?.first(where: { $0.key == "sweep" }) else { return }
    let section = TreePath().appending("sweep")
    if scenario.pointCount > Scenario.pointsMaximum {
      complaints.append(
        Complaint(path: section, mark: entry.keyMark, message: "a sweep has at most \(Scenario.pointsMaximum) points"))
      return
    }
    // The document as it will be unfolded: what was left out may be swept too.
    var base = scenario
    base.sweep = []
    let plain = base.fullTree
    if scenario.sweep.reduce(0, { $0 + $1.values.count }) * plain.nodeCount > SweepChecks.workMaximum {
      complaints.append(
        Complaint(path: section, mark: entry.keyMark, message: "too many values for a document of this size"))
      return
    }
    for (number, axis) in scenario.sweep.enumerated() {
      let name = axis.path.description
      let mark = entry.value.entries.map { $0[number].keyMark } ?? entry.keyMark
      let path = section.appending(name)
      if case .key("sweep")? = axis.path.steps.first {
        complaints.append(Complaint(path: path, mark: mark, message: "a sweep cannot sweep itself"))
        continue
      }
      for value in axis.values {
        guard let changed = plain.replacing(axis.path, with: value) else {
          complaints.append(Complaint(path: path, mark: mark, message: "there is no '\(name)' in the document"))
          break
        }
        var reader = Reader()
        let read = Form<Scenario>.scenario.read(changed, &reader)
        let first = reader.complaints.first ?? read?.complaints(in: changed).first
        if var complaint = first {
          // What was complained about stands in the sweep, or because of it.
          if complaint.mark.line == 0 { complaint.mark = value.mark.line == 0 ? mark : value.mark }
          complaint.message = "with \(name) = \(value.flow): \(complaint.message)"
          complaints.append(complaint)
        }
      }
    }
  }
}
