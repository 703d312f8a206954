package import RollcallPrimitives

// What a nearby peer was told, as a part of a JSON line and read back.
extension ReportLine {
  static func add(_ report: PeerReport, to line: inout JSONLine) {
    line.add(fixed: ",\"event\":\"nearby\"")
    line.add("device", report.device)
    line.add("peer", report.peer)
    line.add("name", report.name)
    line.add("nearby", raw: JSONLine.object { add(report.event, to: &$0) })
  }

  private static func add(_ event: PeerReport.Event, to line: inout JSONLine) {
    line.add("what", event.name)
    switch event {
    case .lost, .invitationEnded, .connecting, .connected, .notConnected: break
    case .found(let info): line.add("info", info)
    case .invited(let byteCount): line.add("bytes", byteCount)
    case .message(let byteCount, let count, let total, let isReliable):
      line.add("bytes", byteCount)
      line.add("count", count)
      line.add("total", total)
      line.add("isReliable", isReliable)
    case .disorder(let expected, let found):
      line.add("expected", expected)
      line.add("found", found)
    case .streamEnded(let isIncoming, let byteCount, let ending), .fileEnded(let isIncoming, let byteCount, let ending):
      line.add("isIncoming", isIncoming)
      line.add("bytes", byteCount)
      line.add("cause", ending.rawValue)
    case .refused(let what): line.add("request", what.rawValue)
    }
  }
}

/// What stands in a line of what a nearby peer was told.
struct NearbyFields: Decodable {
  var what: String
  var info: [String]?
  var bytes: Int?
  var count: Int?
  var total: Int?
  var isReliable: Bool?
  var expected: Int?
  var found: Int?
  var isIncoming: Bool?
  var cause: String?
  var request: String?

  /// `nil`: the fields are not those of such an event.
  var event: PeerReport.Event? {
    switch what {
    case "found": return info.map { .found(info: $0) }
    case "lost": return .lost
    case "invited": return .invited(contextByteCount: bytes)
    case "invitationEnded": return .invitationEnded
    case "connecting": return .connecting
    case "connected": return .connected
    case "notConnected": return .notConnected
    case "message":
      guard let bytes, let count, let total, let isReliable else { return nil }
      return .message(byteCount: bytes, count: count, total: total, isReliable: isReliable)
    case "disorder":
      guard let expected, let found else { return nil }
      return .disorder(expected: expected, found: found)
    case "streamEnded", "fileEnded":
      guard let isIncoming, let bytes, let ending = cause.flatMap({ PeerReport.Ending(rawValue: $0) }) else {
        return nil
      }
      return what == "fileEnded"
        ? .fileEnded(isIncoming: isIncoming, byteCount: bytes, ending)
        : .streamEnded(isIncoming: isIncoming, byteCount: bytes, ending)
    case "refused": return request.flatMap { PeerReport.Refusal(rawValue: $0) }.map { .refused($0) }
    default: return nil
    }
  }
}

extension PeerReport {
  /// With what a scenario calls the peers in the place of their names as devices.
  package func named(_ names: [String: String]) -> PeerReport {
    PeerReport(names[device] ?? device, peer: names[peer] ?? (peer == device ? peer : name), named: name, event)
  }

  /// `phone: tv connected`, where the devices have names for people.
  package var sentence: String { "\(device): " + (peer == device ? "" : "\(peer) ") + event.text }
}
