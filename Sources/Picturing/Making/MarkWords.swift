import RollcallPrimitives
import RollcallReducing
import RollcallReporting

/// What marks say of messages and of reports.
enum MarkWords {
  /// A message in a line and by its parts; who sent it to whom stands first.
  /// - Parameter byteCount: of the message; `nil`: not known.
  static func of(_ message: DiffDatagram, byteCount: Int?) -> (title: String, fields: [Picture.Fact]) {
    var fields: [Picture.Fact] = []
    if let source = message.source { fields.append(Picture.Fact("from", source.description)) }
    if let destination = message.destination { fields.append(Picture.Fact("to", destination.description)) }
    if let advertiser = message.advertiser { fields.append(Picture.Fact("address", advertiser.description)) }
    fields += message.fields.map { Picture.Fact($0.name, $0.value) }
    if let byteCount { fields.append(Picture.Fact("bytes", "\(byteCount)")) }
    return (title(of: message, byteCount), fields)
  }

  /// The type with what it is about: what is announced, searched, asked for or answered.
  private static func title(of message: DiffDatagram, _ byteCount: Int?) -> String {
    if message.type == "unknown" { return byteCount.map { "\($0) bytes" } ?? "a datagram" }
    let about = message.fields.first { aboutNames.contains($0.name) }
    return message.type + (about.map { " " + $0.value } ?? "")
  }

  private static let aboutNames = ["NT", "ST", "asks", "answers", "name"]

  static func kind(of report: Report) -> Picture.Mark.Kind {
    switch report {
    case .found: .found
    case .changed: .changed
    case .lost: .lost
    default: .report
    }
  }

  /// A report in a few words, with the whole line behind them.
  static func of(_ report: Report, cast: TraceCast) -> (title: String, fields: [Picture.Fact]) {
    let line = ReportText.line(report, names: cast.peerNames)
    let title: String
    switch report {
    case .found(let sighting): title = "found \(cast.name(of: sighting.device))"
    case .changed(let sighting, _): title = "changed \(cast.name(of: sighting.device))"
    case .lost(let device, let cause): title = "lost \(cast.name(of: device)) (\(cause.rawValue))"
    case .service(let service): title = "service of \(cast.name(of: service.device))"
    case .searchEnded(let outcome): title = "search \(outcome.search.number) ended"
    case .description(let fetch): title = "description of \(cast.name(of: fetch.device))"
    default: title = PictureText.shown(line, scalarsMaximum: 72)
    }
    return (title, [Picture.Fact("report", line)])
  }
}
