package import RollcallPrimitives

// What the manager tells its application, as a part of a JSON line and read back.
extension ReportLine {
  static func add(_ report: ManagerReport, to line: inout JSONLine) {
    line.add(fixed: ",\"layer\":\"manager\",\"event\":\"managed\"")
    line.add("device", report.id)
    line.add("managed", raw: JSONLine.object { addFields(of: report, to: &$0) })
  }

  private static func addFields(of report: ManagerReport, to line: inout JSONLine) {
    line.add("what", report.event.name)
    switch report.event {
    case .found(let isKnown): line.add("isKnown", isKnown)
    case .capabilities(let added, let removed):
      line.add("added", added.map(\.name))
      line.add("removed", removed.map(\.name))
    case .updated, .lost: break
    }
    add(report.state, to: &line)
  }

  /// What is known of a device for the application: here and in the lines of `discover`.
  package static func add(_ state: ManagerReport.State, to line: inout JSONLine) {
    if let name = state.name { line.add("name", name) } else { line.addNull("name") }
    if let model = state.model { line.add("model", model) }
    if let manufacturer = state.manufacturer { line.add("manufacturer", manufacturer) }
    if let address = state.address { line.add("address", address.description) }
    let services = state.services.map { service in
      JSONLine.object {
        $0.add("id", service.id)
        $0.add("owner", service.owner)
      }
    }
    line.add("services", raw: "[" + services.joined(separator: ",") + "]")
    line.add("capabilities", state.capabilities.map(\.name))
    line.add("members", state.members)
    line.add("evidence", state.evidence)
  }
}

/// What stands in a line of what the manager told.
struct ManagedFields: Decodable {
  struct Service: Decodable {
    var id: String
    var owner: String
  }
  var what: String
  var isKnown: Bool?
  var added: [String]?
  var removed: [String]?
  var name: String?
  var model: String?
  var manufacturer: String?
  var address: String?
  var services: [Service]
  var capabilities: [String]
  var members: [String]
  var evidence: [String]

  /// `nil`: the fields are not those of such a report.
  func report(_ id: String) -> ManagerReport? {
    let event: ManagerReport.Event
    switch what {
    case "found":
      guard let isKnown else { return nil }
      event = .found(isKnown: isKnown)
    case "updated": event = .updated
    case "lost": event = .lost
    case "capabilities":
      guard let added, let removed else { return nil }
      event = .capabilities(added: added.map { Capability($0) }, removed: removed.map { Capability($0) })
    default: return nil
    }
    if let address, DeviceAddress(address) == nil { return nil }
    let state = ManagerReport.State(
      name: name, model: model, manufacturer: manufacturer, address: address.flatMap { DeviceAddress($0) },
      services: services.map { ManagerReport.Service(id: $0.id, owner: $0.owner) },
      capabilities: capabilities.map { Capability($0) }, members: members, evidence: evidence)
    return ManagerReport(id, event, state)
  }
}
