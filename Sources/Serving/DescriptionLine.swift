import RollcallCapture
package import RollcallDiscovery
import RollcallPrimitives
import RollcallReporting

/// What came of fetching a description, for machines and for people. A line of its own kind: it is no report of the
/// engine and stands in no trace.
package enum DescriptionLine {
  /// `{"kind":"description","time":…,"device":…,"location":…,"interface":…,"cause":…,"outcome":"fetched"|"failed",…}`.
  /// - Parameter interfaces: names, by number.
  package static func json(_ fetch: DescriptionFetch, interfaces: [String]) -> String {
    var line = JSONLine(kind: "description")
    line.add("time", fetch.ended.description)
    line.add("device", fetch.device)
    if let location = fetch.location { line.add("location", location) } else { line.addNull("location") }
    let number = Int(fetch.interface.number)
    if interfaces.indices.contains(number) {
      line.add("interface", interfaces[number])
    } else {
      line.addNull("interface")
    }
    line.add("cause", fetch.cause.rawValue)
    line.add("seconds", (fetch.ended - fetch.began).decimal)
    line.add("redirects", fetch.redirects)
    switch fetch.outcome {
    case .fetched(let document):
      line.add("outcome", "fetched")
      line.add("status", document.status)
      line.add("bytes", document.body.count)
      line.add("sha256", document.body.withUnsafeBytes { SHA256.hex(of: $0) })
      if let type = document.contentType { line.add("contentType", type) } else { line.addNull("contentType") }
    case .failed(let failure):
      line.add("outcome", "failed")
      line.add("status", failure.status)
      line.add("reason", failure.reason.rawValue)
      line.add("explanation", failure.explanation)
    }
    return line.closed
  }

  /// One line, without its time.
  package static func text(_ fetch: DescriptionFetch) -> String {
    let head = "description \(fetch.device) \(fetch.location ?? "-")"
    let way = fetch.redirects.map { " -> \($0)" }.joined()
    let milliseconds = (fetch.ended - fetch.began).nanoseconds / 1_000_000
    switch fetch.outcome {
    case .fetched(let document):
      return "\(head)\(way) \(document.status) \(document.body.count) bytes in \(milliseconds) ms"
    case .failed(let failure):
      return "\(head)\(way) failed \(failure.reason.rawValue) after \(milliseconds) ms: \(failure.explanation)"
    }
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
