import RollcallPrimitives
import RollcallReporting

/// Curves as words and numbers, for people.
package enum CurveWords {
  /// `65.3 % (63.8 to 66.7)`.
  static func share(_ estimate: ShareEstimate) -> String {
    if estimate.total == 0 { return "-" }
    let (low, high) = (Decimals.text(estimate.low * 100, 1), Decimals.text(estimate.high * 100, 1))
    return "\(Decimals.text(estimate.share * 100, 1)) % (\(low) to \(high))"
  }

  /// `4.08 s (3.96 to 4.21)`; `never`, where less than that share of all runs found all of them.
  static func time(_ estimate: QuantileEstimate) -> String {
    guard let value = estimate.value else { return "never" }
    return "\(seconds(value)) s (\(estimate.low.map(seconds) ?? "?") to \(estimate.high.map(seconds) ?? "?"))"
  }

  static func share(_ place: Curve.Place) -> String {
    let theory = place.theory.map { ", in theory \(Decimals.text($0.share * 100, 1)) %" } ?? ""
    return "\(place.text): all found in \(share(place.found)) of \(PlainWords.count(place.runCount, "run"))\(theory)"
  }

  static func median(_ place: Curve.Place) -> String {
    let theory = place.theory.map { ", in theory \($0.median.map { seconds($0) + " s" } ?? "never")" } ?? ""
    return "\(place.text): half of \(PlainWords.count(place.runCount, "run")) by \(time(place.median))\(theory)"
  }

  private static func seconds(_ interval: Interval) -> String { Decimals.text(Double(interval.nanoseconds) / 1e9, 2) }

  /// The cells of a table: a row for each point of the sweep behind a heading; a row of one cell begins another curve.
  package static func rows(_ source: CurveSet) -> [[String]] {
    let hasTheory = source.curves.contains { $0.places.contains { $0.theory != nil } }
    var rows: [[String]] = [heading(source.axis, hasTheory)]
    for curve in source.curves {
      if !curve.name.isEmpty { rows.append([curve.name]) }
      for place in curve.places { rows.append(row(place, hasTheory)) }
    }
    return rows
  }

  /// The same in columns.
  package static func table(_ source: CurveSet) -> [String] {
    let rows = rows(source)
    // A heading of a curve is a line of its own.
    var widths = [Int](repeating: 0, count: rows[0].count)
    for row in rows where row.count > 1 {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    return rows.map { row -> String in
      if row.count == 1 { return row[0] }
      let cells = row.enumerated().map { column, cell -> String in
        column == 0 ? cell.padded(to: widths[0]) : cell.rightAligned(to: widths[column])
      }
      return "  " + cells.joined(separator: "  ")
    }
  }

  private static func heading(_ axis: String, _ hasTheory: Bool) -> [String] {
    var cells: [String] = [axis, "runs", "all found (95 %)"]
    if hasTheory { cells.append("theory") }
    cells.append("half of the runs by")
    if hasTheory { cells.append("theory") }
    cells.append("nine in ten by")
    if hasTheory { cells.append("theory") }
    return cells
  }

  private static func row(_ place: Curve.Place, _ hasTheory: Bool) -> [String] {
    func inTheory(_ interval: Interval?) -> String {
      place.theory == nil ? "-" : interval.map { seconds($0) + " s" } ?? "never"
    }
    var cells: [String] = [place.text, "\(place.runCount)", share(place.found)]
    if hasTheory { cells.append(place.theory.map { Decimals.text($0.share * 100, 1) + " %" } ?? "-") }
    cells.append(time(place.median))
    if hasTheory { cells.append(inTheory(place.theory?.median)) }
    cells.append(time(place.ninetieth))
    if hasTheory { cells.append(inTheory(place.theory?.ninetieth)) }
    return cells
  }
}
