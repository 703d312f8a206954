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
    case .connection(let report): addFields(of: report, to: &line)
    case .app(let report): addFields(of: report, to: &line)
    case .webApp(let report): addFields(of: report, to: &line)
    case .updated, .lost, .remembered: break
    }
    add(report.state, to: &line)
  }

  private static func addFields(of report: WebAppReport, to line: inout JSONLine) {
    add(report.session, to: &line)
    switch report.event {
    case .said(.text(let text)): line.add("text", text)
    case .said(.json(let text)): line.add("json", text)
    case .ended: line.add("ended", true)
    }
  }

  private static func add(_ session: LaunchSession, to line: inout JSONLine) {
    line.add("app", session.appID)
    line.add("session", session.sessionID)
    line.add("service", session.serviceID)
    if session.kind != .app { line.add("type", session.kind.rawValue) }
  }

  private static func addFields(of report: ConnectionReport, to line: inout JSONLine) {
    switch report {
    case .ready: break
    case .disconnected(let end): line.add("cause", end.rawValue)
    case .failed(let failure): add(failure, to: &line)
    case .pairingRequired(let service, let kind):
      line.add("service", service)
      line.add("pairing", kind.rawValue)
    case .paired(let key):
      line.add("service", key.service)
      line.add("owner", key.owner)
      line.add("key", key.key)
    }
  }

  private static func addFields(of report: AppReport, to line: inout JSONLine) {
    line.add("request", Int(report.request))
    line.add("outcome", report.outcome.name)
    switch report.outcome {
    case .launched(let session), .joined(let session): add(session, to: &line)
    case .state(let state): line.add("state", state.rawValue)
    case .failed(let failure): add(failure, to: &line)
    case .closed, .sent, .left: break
    }
  }

  private static func add(_ failure: ConnectionFailure, to line: inout JSONLine) {
    line.add("reason", failure.reason.rawValue)
    if let status = failure.status { line.add("status", status) }
    line.add("explanation", failure.explanation)
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
        if !state.parts.isEmpty { $0.add("part", service.part) }
      }
    }
    line.add("services", raw: "[" + services.joined(separator: ",") + "]")
    line.add("capabilities", state.capabilities.map(\.name))
    line.add("members", state.members)
    line.add("evidence", state.evidence)
    if state.parts.isEmpty { return }
    let parts = state.parts.map { part in JSONLine.object { add(part, to: &$0) } }
    line.add("parts", raw: "[" + parts.joined(separator: ",") + "]")
  }

  private static func add(_ part: ManagerReport.Part, to line: inout JSONLine) {
    if let address = part.address { line.add("address", address.description) }
    if let port = part.port { line.add("port", Int(port)) }
    if let location = part.location { line.add("location", location) }
    if let uuid = part.uuid { line.add("uuid", uuid) }
    if let name = part.name { line.add("name", name) }
    if let manufacturer = part.manufacturer { line.add("manufacturer", manufacturer) }
    if let model = part.model { line.add("model", model) }
    if let description = part.modelDescription { line.add("modelDescription", description) }
    if let number = part.modelNumber { line.add("modelNumber", number) }
    if let url = part.applicationURL { line.add("applicationURL", url) }
  }
}

/// What stands in a line of what the manager told.
struct ManagedFields: Decodable {
  struct Service: Decodable {
    var id: String
    var owner: String
    var part: Int?
  }
  struct Part: Decodable {
    var address: String?
    var port: UInt32?
    var location: String?
    var uuid: String?
    var name: String?
    var manufacturer: String?
    var model: String?
    var modelDescription: String?
    var modelNumber: String?
    var applicationURL: String?

    /// `nil`: its address is none.
    var value: ManagerReport.Part? {
      var part = ManagerReport.Part()
      if let address {
        guard let known = DeviceAddress(address) else { return nil }
        part.address = known
      }
      (part.port, part.location, part.uuid, part.applicationURL) = (port, location, uuid, applicationURL)
      (part.name, part.manufacturer, part.model) = (name, manufacturer, model)
      (part.modelDescription, part.modelNumber) = (modelDescription, modelNumber)
      return part
    }
  }
  var what: String
  var isKnown: Bool?
  var added: [String]?
  var removed: [String]?
  // Of connections and apps.
  var cause: String?
  var reason: String?
  var status: Int?
  var explanation: String?
  var service: String?
  var pairing: String?
  var owner: String?
  var key: String?
  var request: UInt32?
  var outcome: String?
  var app: String?
  var session: String?
  var type: String?
  var state: String?
  // Of web apps.
  var text: String?
  var json: String?
  var ended: Bool?
  var name: String?
  var model: String?
  var manufacturer: String?
  var address: String?
  var services: [Service]
  var capabilities: [String]
  var members: [String]
  var evidence: [String]
  var parts: [Part]?

  /// `nil`: the fields are not those of such a report.
  func report(_ id: String) -> ManagerReport? {
    let event: ManagerReport.Event
    switch what {
    case "found":
      guard let isKnown else { return nil }
      event = .found(isKnown: isKnown)
    case "updated": event = .updated
    case "lost": event = .lost
    case "remembered": event = .remembered
    case "capabilities":
      guard let added, let removed else { return nil }
      event = .capabilities(added: added.map { Capability($0) }, removed: removed.map { Capability($0) })
    case "app":
      guard let request, let outcome = appOutcome else { return nil }
      event = .app(AppReport(request: request, outcome))
    case "web-app":
      guard let launchSession, let webAppEvent else { return nil }
      event = .webApp(WebAppReport(launchSession, webAppEvent))
    default:
      guard let connection else { return nil }
      event = .connection(connection)
    }
    if let address, DeviceAddress(address) == nil { return nil }
    let parts = (self.parts ?? []).compactMap(\.value)
    let services = self.services.map { ManagerReport.Service(id: $0.id, owner: $0.owner, part: $0.part ?? 0) }
    guard parts.count == self.parts?.count ?? 0,
      parts.isEmpty || services.allSatisfy({ parts.indices.contains($0.part) })
    else { return nil }
    let state = ManagerReport.State(
      name: name, model: model, manufacturer: manufacturer, address: address.flatMap { DeviceAddress($0) },
      services: services, capabilities: capabilities.map { Capability($0) }, members: members, evidence: evidence,
      parts: parts)
    return ManagerReport(id, event, state)
  }

  private var connection: ConnectionReport? {
    switch what {
    case "ready": .ready
    case "disconnected": cause.flatMap { ConnectionEnd(rawValue: $0) }.map { .disconnected($0) }
    case "connection-failed": failure.map { .failed($0) }
    case "pairing-required":
      pairing.flatMap { PairingKind(rawValue: $0) }.flatMap { kind in
        service.map { .pairingRequired(service: $0, kind) }
      }
    case "paired":
      service.flatMap { service in
        owner.flatMap { owner in key.map { .paired(RememberedKey(owner: owner, service: service, key: $0)) } }
      }
    default: nil
    }
  }

  private var appOutcome: AppReport.Outcome? {
    switch outcome {
    case "launched": launchSession.map { .launched($0) }
    case "joined": launchSession.map { .joined($0) }
    case "state": state.flatMap { AppState(rawValue: $0) }.map { .state($0) }
    case "closed": .closed
    case "sent": .sent
    case "left": .left
    case "failed": failure.map { .failed($0) }
    default: nil
    }
  }

  private var webAppEvent: WebAppReport.Event? {
    if let text { return .said(.text(text)) }
    if let json { return .said(.json(json)) }
    return ended == true ? .ended : nil
  }

  private var launchSession: LaunchSession? {
    guard let app, let session, let service, let kind = SessionKind(rawValue: type ?? SessionKind.app.rawValue) else {
      return nil
    }
    return LaunchSession(appID: app, sessionID: session, serviceID: service, kind: kind)
  }

  private var failure: ConnectionFailure? {
    guard let reason = reason.flatMap({ ConnectionFailure.Reason(rawValue: $0) }), let explanation else { return nil }
    return ConnectionFailure(reason, status: status, explanation)
  }
}
