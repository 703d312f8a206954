package import RollcallPrimitives
import RollcallReporting

/// What came of fetching a description, in the lines of `discover`, where interfaces have names.
package enum DescriptionLine {
  /// `{"kind":"description","time":…,"device":…,"location":…,"interface":…,"cause":…,"outcome":"fetched"|"failed",…}`.
  /// - Parameter interfaces: names, by number.
  package static func json(_ fetch: DescriptionFetch, at time: Instant, interfaces: [String]) -> String {
    var line = JSONLine(kind: "description")
    line.add("time", time.description)
    let number = Int(fetch.interface.number)
    ReportLine.add(fetch, interface: interfaces.indices.contains(number) ? interfaces[number] : nil, to: &line)
    return line.closed
  }

  /// A few letters for a table.
  static func short(_ fetch: DescriptionFetch) -> String {
    switch fetch.outcome {
    case .fetched(let document): "\(document.status) \(document.body.count) B"
    case .failed(let failure):
      failure.reason == .status ? "status \(failure.status ?? 0)" : failure.reason.rawValue
    }
  }
}
