package import RollcallPrimitives
package import RollcallScenarios

/// How often all devices are found, and how soon, along one axis of a sweep.
package struct Curve: Hashable, Sendable {
  /// What was measured at one point of the sweep, and what theory says of it.
  package struct Place: Hashable, Sendable {
    /// The value of the axis, as the sweep has it.
    package var text: String
    /// Where it stands on the axis.
    package var x: Double
    package var runCount: Int
    package var found: ShareEstimate
    package var median: QuantileEstimate
    package var ninetieth: QuantileEstimate
    /// `nil`: there is no theory of such a scenario.
    package var theory: Theory?
  }

  package struct Theory: Hashable, Sendable {
    package var share: Double
    /// `nil`: in less than half of all runs it happens at all.
    package var median: Interval?
    package var ninetieth: Interval?
  }

  /// The values of the other axes, as `network.link.loss=10%`; empty where there are none.
  package var name: String
  /// The same in short: `loss 10%`.
  package var label: String
  package var places: [Place]
}

/// The curves of a campaign over a sweep.
package struct CurveSet: Hashable, Sendable {
  package let title: String
  /// The place in the document that the last axis of the sweep changes; empty where nothing is swept.
  package let axis: String
  /// What the numbers of the axis are: `%`, `s` or nothing.
  package let unit: String
  package private(set) var curves: [Curve]

  /// - Parameters:
  ///   - points: of the sweep, the last axis fastest.
  ///   - records: in the order of their keys.
  package init(_ title: String, _ points: [Point], _ records: [RunRecord]) {
    self.title = title
    axis = points.first?.values.last?.path ?? ""
    let numbers = points.compactMap { AxisNumber($0.values.last?.text ?? "") }
    let isNumeric = numbers.count == points.count && Set(numbers.map(\.unit)).count == 1
    unit = isNumeric ? numbers.first?.unit ?? "" : ""
    var curves: [Curve] = []
    var next = 0
    for (number, point) in points.enumerated() {
      let first = next
      while next < records.count, records[next].key.point == number { next += 1 }
      let others = point.values.dropLast()
      let name = others.map { "\($0.path)=\($0.text)" }.joined(separator: " ")
      if curves.last?.name != name {
        let label = others.map { "\($0.path.split(separator: ".").last ?? "") \($0.text)" }.joined(separator: ", ")
        curves.append(Curve(name: name, label: label, places: []))
      }
      let x = isNumeric ? numbers[number].value : Double(curves[curves.count - 1].places.count)
      curves[curves.count - 1].places.append(CurveSet.place(point, x, records[first..<next]))
    }
    self.curves = curves
  }

  /// Its first places, so many; of the curves those that still have some.
  package func first(_ count: Int) -> CurveSet {
    var (part, rest) = (self, count)
    part.curves = curves.compactMap { curve in
      if rest == 0 { return nil }
      var curve = curve
      curve.places = Array(curve.places.prefix(rest))
      rest -= curve.places.count
      return curve
    }
    return part
  }

  private static func place(_ point: Point, _ x: Double, _ records: ArraySlice<RunRecord>) -> Curve.Place {
    let times = records.compactMap(\.foundAfter).sorted()
    let theory = (try? point.scenario.resolved()).flatMap { SearchTheory($0) }.map { theory in
      Curve.Theory(
        share: theory.chance(after: nil), median: theory.quantile(0.5), ninetieth: theory.quantile(0.9))
    }
    return Curve.Place(
      text: point.values.last?.text ?? "", x: x, runCount: records.count,
      found: ShareEstimate(records.count { $0.hasFoundAll }, of: records.count),
      median: QuantileEstimate(times, of: records.count, 0.5),
      ninetieth: QuantileEstimate(times, of: records.count, 0.9), theory: theory)
  }
}

/// A value of a sweep that stands for a number: `10%`, `3s`, `250ms`, `5`.
struct AxisNumber: Hashable {
  var value: Double
  var unit: String

  init?(_ text: String) {
    if let count = Int(text) {
      (value, unit) = (Double(count), "")
    } else if text.hasSuffix("%"), let share = Double(text.dropLast()) {
      (value, unit) = (share, "%")
    } else if let interval = Interval(text) {
      (value, unit) = (Double(interval.nanoseconds) / 1e9, "s")
    } else {
      return nil
    }
  }
}
