import RollcallPrimitives
import RollcallWire

// Apps on a device, as DIAL has them (DIAL 2.2, section 6).
extension DeviceConnections {
  mutating func answer(_ request: AppRequest, of id: String, _ outcome: AppReport.Outcome) {
    tell(id, AppReport(request: request.number, outcome))
  }

  mutating func take(
    _ request: AppRequest, of id: String, _ services: [ReachableService], at now: Instant, into outbox: inout Outbox
  ) {
    if let failure = begin(request, of: id, services, at: now, into: &outbox) {
      answer(request, of: id, .failed(failure))
    }
  }

  /// - Returns: why nothing is asked of the device; `nil`: something is.
  private mutating func begin(
    _ request: AppRequest, of id: String, _ services: [ReachableService], at now: Instant, into outbox: inout Outbox
  ) -> ConnectionFailure? {
    guard let index = index(of: id), connections[index].isReady else {
      return ConnectionFailure(.notConnected, "expected a device that is ready, this one is not connected")
    }
    if let complaint = request.deed.complaint(limits) { return ConnectionFailure(.badRequest, complaint) }
    var request = request
    if let app = request.deed.latest {
      guard let session = sessions.last(where: { $0.id == id && $0.session.appID == app })?.session else {
        return ConnectionFailure(.sessionGone, "expected a session of \(app), none was launched")
      }
      request.deed = request.deed.with(session)
    }
    guard let service = service(for: request.deed, services) else {
      let wanted = request.deed.session.map { " called \($0.serviceID)" } ?? ""
      let kind = request.deed.kind == .app ? "apps" : "web apps"
      return ConnectionFailure(.unsupported, "expected a service that launches \(kind)\(wanted), found none")
    }
    if service.control == .webOS { return self.ask(request, of: id, service, at: now, into: &outbox) }
    func ask(_ method: String, _ url: String, contentType: String? = nil, _ body: [UInt8] = []) -> ConnectionFailure? {
      self.ask(
        id, .app(request, service, url: url), method, url, of: service, contentType: contentType, body: body, at: now,
        into: &outbox)
    }
    if case .close(.known(let session)) = request.deed { return ask("DELETE", session.sessionID) }
    guard let base = service.applicationURL else {
      return ConnectionFailure(
        .unsupported, "expected the field Application-URL beside the description of \(service.id), found none")
    }
    let url = (base.hasSuffix("/") ? base : base + "/") + DIALApp.segment(request.deed.app)
    switch request.deed {
    case .launch(_, let content):
      return ask("POST", url, contentType: "text/plain; charset=utf-8", Array((content ?? "").utf8))
    case .state, .join, .close, .launchWebApp, .joinWebApp: return ask("GET", url)
    case .send, .leave:
      return ConnectionFailure(.unsupported, "expected a web app, found \(request.deed.app), which is an app")
    }
  }

  /// The service that does it: that of the session, or the one that can do most.
  private func service(for deed: AppRequest.Deed, _ services: [ReachableService]) -> ReachableService? {
    let wanted = deed.session?.serviceID
    for control in ServiceControl.allCases where deed.kind == .app || control == .webOS {
      let service = services.first { $0.control == control && (wanted == nil || wanted == $0.id) }
      if let service { return service }
    }
    return nil
  }

  /// Keeps a session for requests about the latest one, once however often it is joined.
  mutating func note(_ session: LaunchSession, of id: String) {
    sessions.removeAll { $0.id == id && $0.session == session }
    if sessions.count >= limits.sessionsMaximum { sessions.removeFirst() }
    sessions.append((id, session))
  }

  mutating func finish(
    _ request: AppRequest, of id: String, _ service: ReachableService, _ url: String, _ result: Result
  ) {
    switch result {
    case .failed(let failure): answer(request, of: id, .failed(failure))
    case .response(let head, let body):
      let outcome = outcome(request.deed, service, url, head, body)
      switch outcome {
      case .launched(let session), .joined(let session): note(session, of: id)
      case .state, .closed, .sent, .left, .failed: break
      }
      answer(request, of: id, outcome)
    }
  }

  private func outcome(
    _ deed: AppRequest.Deed, _ service: ReachableService, _ url: String, _ head: HTTPResponseHead, _ body: [UInt8]
  ) -> AppReport.Outcome {
    let status = head.status
    func failed(_ reason: ConnectionFailure.Reason, _ explanation: String) -> AppReport.Outcome {
      .failed(ConnectionFailure(reason, status: status, explanation))
    }
    let gone = "expected the session of \(deed.app) that was launched, it is there no more"
    switch (deed, status) {
    case (.close, 200), (.close, 204): return .closed
    case (.close, 404): return failed(.sessionGone, gone)
    case (_, 404): return failed(.noSuchApp, "expected an app called \(deed.app), the device knows none (status 404)")
    case (.launch(let app, _), 200), (.launch(let app, _), 201):
      guard let location = head.value(of: "location") else {
        return failed(.badResponse, "expected LOCATION of the app that was launched, found none")
      }
      let instance = URLReference.resolve(location, against: url)
      do throws(DescriptionFetch.Failure) { _ = try target(instance, of: service) } catch {
        return failed(.badResponse, error.explanation)
      }
      return .launched(LaunchSession(appID: app, sessionID: instance, serviceID: service.id))
    case (.state, 200), (.join, 200):
      guard let app = DIALApp.read(body) else {
        return failed(.badResponse, "expected a document of DIAL with the state of \(deed.app)")
      }
      let state = AppState(app)
      guard case .join(.known(let session)) = deed else { return .state(state) }
      let isSame = app.instance.map { URLReference.resolve($0, against: url + "/") } == session.sessionID
      guard isSame && (state == .running || state == .hidden) || faults.contains(.goneSessionJoined) else {
        return failed(.sessionGone, gone)
      }
      return .joined(session)
    default: return failed(.status, "expected status 200 or 201, found \(status)")
    }
  }
}

extension AppState {
  fileprivate init(_ app: DIALApp) {
    switch app.state {
    case "running": self = .running
    case "stopped": self = .stopped
    case "hidden": self = .hidden
    case let state where state.hasPrefix("installable"): self = .installable
    default: self = .other
    }
  }
}

extension AppRequest.Deed {
  /// The name of the app.
  var app: String {
    switch self {
    case .launch(let app, _), .launchWebApp(let app, _), .state(let app), .joinWebApp(let app): app
    case .join, .close, .send, .leave: reference?.app ?? ""
    }
  }

  /// The session that it is about; `nil`: it is about an app.
  private var reference: AppRequest.Session? {
    switch self {
    case .join(let session), .close(let session), .send(let session, _), .leave(let session): session
    case .launch, .launchWebApp, .state, .joinWebApp: nil
    }
  }

  /// The same, where it is known.
  var session: LaunchSession? {
    if case .known(let session) = reference { session } else { nil }
  }

  /// Whether it is about what an application and a web app say to each other, and not asked of the device.
  var isTalk: Bool {
    switch self {
    case .send, .leave: true
    case .launch, .launchWebApp, .state, .joinWebApp, .join, .close: false
    }
  }

  /// Whether it joins a web app.
  var isJoin: Bool {
    switch self {
    case .joinWebApp: true
    case .join: kind == .webApp
    case .launch, .launchWebApp, .state, .close, .send, .leave: false
    }
  }

  /// What it is about.
  fileprivate var kind: SessionKind {
    switch self {
    case .launchWebApp, .joinWebApp: .webApp
    case .join, .close, .send, .leave: session?.kind ?? .app
    case .launch, .state: .app
    }
  }

  /// The app of which the latest session is meant.
  fileprivate var latest: String? {
    if case .latest(let app) = reference { app } else { nil }
  }

  /// The same of a session that is known.
  fileprivate func with(_ session: LaunchSession) -> AppRequest.Deed {
    switch self {
    case .join: .join(.known(session))
    case .close: .close(.known(session))
    case .send(_, let message): .send(.known(session), message)
    case .leave: .leave(.known(session))
    case .launch, .launchWebApp, .state, .joinWebApp: self
    }
  }

  /// Why it cannot be asked for.
  fileprivate func complaint(_ limits: DeviceConnections.Limits) -> String? {
    if !(1...limits.appBytesMaximum).contains(app.utf8.count) {
      return "expected the name of an app of 1 to \(limits.appBytesMaximum) bytes, found \(app.utf8.count)"
    }
    switch self {
    case .launch(_, let content?), .launchWebApp(_, let content?):
      if content.utf8.count <= limits.contentBytesMaximum { return nil }
      return "expected at most \(limits.contentBytesMaximum) bytes for the app, found \(content.utf8.count)"
    case .send(_, let message): return message.complaint(countMaximum: limits.messageBytesMaximum)
    case .launch, .launchWebApp, .state, .join, .joinWebApp, .close, .leave: return nil
    }
  }
}
