import RollcallPrimitives
import RollcallWire

// Services that are controlled over a WebSocket (webOS).
extension DeviceConnections {
  /// Opens the WebSocket of a service.
  mutating func link(_ id: String, _ service: ReachableService, at now: Instant, into outbox: inout Outbox) {
    guard links.count < limits.linksMaximum else {
      let explanation = "expected at most \(limits.linksMaximum) connections at a time"
      return fail(id, ConnectionFailure(.busy, explanation), at: now, into: &outbox)
    }
    let url = "http://\(Endpoint(service.host, port: SSAPMessage.port))\(SSAPMessage.path)"
    do throws(DescriptionFetch.Failure) {
      let socket = try open(url, of: service, byteCountMaximum: SSAPMessage.byteCountMaximum, into: &outbox)
      links.append(
        ServiceLink(id: id, service, socket, limit: requestLimit(from: now), remembered: key(of: service)))
    } catch {
      fail(id, ConnectionFailure(.unreachable, error.explanation), at: now, into: &outbox)
    }
  }

  mutating func receive(_ signal: StreamSignal, _ index: Int, at now: Instant, into outbox: inout Outbox) {
    let stream = links[index].socket.stream
    for event in links[index].socket.receive(signal, into: &outbox) {
      // What came before may have ended it.
      guard let index = links.firstIndex(where: { $0.socket.stream == stream }) else { return }
      switch event {
      case .opened: register(index, into: &outbox)
      case .text(let text): take(text, index, at: now, into: &outbox)
      case .ended(let failure): end(index, failure, at: now, into: &outbox)
      }
    }
  }

  mutating func advanceLinks(to now: Instant, into outbox: inout Outbox) {
    while let index = links.firstIndex(where: { $0.limit <= now }) {
      let link = links[index]
      let failure =
        link.stage == .asking
        ? ConnectionFailure(
          .pairingTimedOut,
          "expected the user to answer on the screen of the device within \(limits.typingPatience)")
        : timedOut(link.socket.endpoint)
      fail(link.id, failure, at: now, into: &outbox)
    }
    for index in links.indices {
      let late = links[index].requests.filter { $0.limit <= now }
      links[index].requests.removeAll { $0.limit <= now }
      for one in late {
        answer(one.request, of: links[index].id, .failed(timedOut(links[index].socket.endpoint)))
      }
    }
  }

  /// Ends the WebSockets of a device in good order.
  mutating func closeLinks(
    of id: String, _ failure: ConnectionFailure, at now: Instant, into outbox: inout Outbox
  ) {
    for index in links.indices where links[index].id == id {
      links[index].socket.close(into: &outbox)
      if links[index].socket.awaitsEnd { closing.add(links[index].socket.stream, at: now, into: &outbox) }
      finishAll(of: links[index], failure)
    }
    links.removeAll { $0.id == id }
  }

  /// The WebSocket has ended, or is of no use.
  private mutating func end(
    _ index: Int, _ failure: ConnectionFailure, at now: Instant, into outbox: inout Outbox
  ) {
    let link = links.remove(at: index)
    if link.socket.awaitsEnd { closing.add(link.socket.stream, at: now, into: &outbox) }
    finishAll(of: link, failure)
    guard let index = self.index(of: link.id) else { return }
    guard connections[index].isReady else { return fail(link.id, failure, at: now, into: &outbox) }
    if faults.contains(.linkLossIgnored) { return }
    connections.remove(at: index)
    giveUp(link.id, failure, at: now, into: &outbox)
    tell(link.id, .disconnected(.linkLost))
  }

  // MARK: - Registering

  private mutating func register(_ index: Int, into outbox: inout Outbox) {
    links[index].stage = .registering
    let access: SSAPMessage.Access = links[index].service.pairing == .prompt ? .full : .open
    let message = SSAPMessage.register(id: links[index].nextID(), key: links[index].remembered, access)
    links[index].socket.send(message.text, into: &outbox)
  }

  private mutating func take(_ text: String, _ index: Int, at now: Instant, into outbox: inout Outbox) {
    let stage = links[index].stage
    guard let message = SSAPMessage.read(text) else {
      links[index].socket.close(into: &outbox)
      let explanation = "expected a message of webOS from \(links[index].socket.endpoint), found something else"
      return end(index, ConnectionFailure(.badResponse, explanation), at: now, into: &outbox)
    }
    if stage == .ready { return finish(message, index) }
    guard message.id == ServiceLink.registrationID else { return }
    switch message.kind {
    case .response where message.asksUser && stage == .registering: askUser(index, at: now, into: &outbox)
    case .registered: admit(index, message.clientKey, at: now, into: &outbox)
    case .error:
      let id = links[index].id
      let (reason, expected): (ConnectionFailure.Reason, String) =
        message.status == 403
        ? (.pairingCancelled, "expected the user to agree on the screen of the device, the user declined")
        : (.status, "expected \(links[index].service.id) to let the application in, it refused")
      let status = message.status.map { " (status \($0))" } ?? ""
      fail(id, ConnectionFailure(reason, status: message.status, expected + status), at: now, into: &outbox)
    case .response, .register, .request, .subscribe, .unsubscribe, .peer, .hello, .other: break
    }
  }

  private mutating func askUser(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    let (id, service) = (links[index].id, links[index].service)
    // What was given in an earlier launch is worth nothing any more.
    if links[index].remembered != nil { forget(service.id, of: service.owner) }
    if faults.contains(.readyUnpaired) { return admit(index, nil, at: now, into: &outbox) }
    links[index].stage = .asking
    links[index].limit = faults.contains(.typingAwaitedForEver) ? .never : now + limits.typingPatience
    tell(id, .pairingRequired(service: service.id, .prompt))
  }

  private mutating func admit(_ index: Int, _ key: String?, at now: Instant, into outbox: inout Outbox) {
    let (id, service, remembered) = (links[index].id, links[index].service, links[index].remembered)
    links[index].stage = .ready
    links[index].limit = .never
    if service.pairing == .prompt, let key, key != remembered {
      let given = RememberedKey(owner: service.owner, service: service.id, key: key)
      note(given)
      tell(id, .paired(given))
    }
    guard let index = self.index(of: id), connections[index].waiting.first == service else { return }
    connections[index].waiting.removeFirst()
    prepareNext(index, at: now, into: &outbox)
  }

  // MARK: - Apps

  /// - Returns: why nothing is asked; `nil`: something is.
  mutating func ask(
    _ request: AppRequest, of id: String, _ service: ReachableService, at now: Instant, into outbox: inout Outbox
  ) -> ConnectionFailure? {
    let index = links.firstIndex { link in
      link.id == id && link.stage == .ready && link.service.id == service.id && link.service.owner == service.owner
    }
    guard let index else {
      return ConnectionFailure(.notConnected, "expected a connection to \(service.id), there is none")
    }
    if links[index].requests.count >= limits.exchangesMaximum { return tooManyRequests }
    if let refusal = refusal(of: request.deed, links[index]) { return refusal }
    if links[index].socket.isFull {
      return ConnectionFailure(.busy, "expected \(links[index].socket.endpoint) to take what is sent, it takes nothing")
    }
    if request.deed.isTalk { return talk(request, index, into: &outbox) }
    let messageID = links[index].nextID()
    links[index].requests.append(
      ServiceLink.Request(id: messageID, request: request, limit: requestLimit(from: now)))
    links[index].socket.send(request.deed.ssap.message(id: messageID).text, into: &outbox)
    return nil
  }

  /// Takes the answer to a request, or what a web app says.
  private mutating func finish(_ message: SSAPMessage, _ index: Int) {
    if message.kind == .peer { return hear(message, index) }
    // What is said later of the same thing, and what nobody asked.
    guard let place = links[index].requests.firstIndex(where: { $0.id == message.id }) else {
      return review(message, index)
    }
    let (id, service) = (links[index].id, links[index].service)
    let request = links[index].requests.remove(at: place).request
    let outcome = outcome(request.deed, service, message)
    switch outcome {
    case .joined(let session) where session.kind == .webApp:
      note(session, of: id)
      openChannel(session, message, index)
    case .launched(let session), .joined(let session): note(session, of: id)
    case .state, .closed, .sent, .left, .failed: break
    }
    answer(request, of: id, outcome)
    let isOver =
      switch outcome {
      case .closed: true
      case .failed(let failure): failure.reason == .sessionGone
      case .launched, .joined, .state, .sent, .left: false
      }
    if isOver, let session = request.deed.session { endChannel(session, index) }
  }

  private func outcome(
    _ deed: AppRequest.Deed, _ service: ReachableService, _ message: SSAPMessage
  ) -> AppReport.Outcome {
    func failed(_ reason: ConnectionFailure.Reason, _ explanation: String) -> AppReport.Outcome {
      .failed(ConnectionFailure(reason, status: message.status, explanation))
    }
    let gone = failed(.sessionGone, "expected the session of \(deed.app) that was launched, it is there no more")
    let payload = message.payload
    guard message.kind == .response, payload["returnValue"]?.bool != false else {
      guard message.status == 404 else {
        let found = message.status.map { "status \($0)" } ?? "a refusal"
        return failed(.status, "expected an answer about \(deed.app), found \(found)")
      }
      switch deed {
      case .close, .join, .send, .leave: return gone
      case .launch, .launchWebApp, .state, .joinWebApp:
        return failed(.noSuchApp, "expected an app called \(deed.app), the device knows none (status 404)")
      }
    }
    /// The session that the device names.
    func named(_ kind: SessionKind) -> LaunchSession? {
      guard let text = payload["sessionId"]?.string, (1...SSAPMessage.idByteCountMaximum).contains(text.utf8.count)
      else { return nil }
      return LaunchSession(appID: deed.app, sessionID: text, serviceID: service.id, kind: kind)
    }
    let unnamed = failed(.badResponse, "expected the id of the session of \(deed.app), found none")
    let isConnected = payload["state"]?.string == "CONNECTED"
    switch deed {
    case .launch: return named(.app).map { .launched($0) } ?? unnamed
    case .launchWebApp: return named(.webApp).map { .launched($0) } ?? unnamed
    case .close: return .closed
    case .state:
      guard let runs = payload["running"]?.bool else {
        return failed(.badResponse, "expected the state of \(deed.app), found none")
      }
      return .state(runs ? payload["visible"]?.bool == false ? .hidden : .running : .stopped)
    case .join(.known(let session)):
      let isThere = session.kind == .app ? payload["running"]?.bool == true : isConnected
      return isThere || faults.contains(.goneSessionJoined) ? .joined(session) : gone
    case .joinWebApp:
      guard isConnected else {
        return failed(.sessionGone, "expected the web app \(deed.app) to run, it does not")
      }
      return named(.webApp).map { .joined($0) } ?? unnamed
    case .join(.latest), .send, .leave: return gone
    }
  }
}

extension AppRequest.Deed {
  /// As it is asked of a webOS television.
  fileprivate var ssap: SSAPRequest {
    switch self {
    case .launch(let app, let content): .launch(app: app, content: content)
    case .launchWebApp(let app, let content): .launchWebApp(app, content: content)
    case .state(let app): .appState(app: app, session: nil)
    case .joinWebApp(let app): .connectToApp(app, session: nil)
    case .join(.known(let session)) where session.kind == .webApp:
      .connectToApp(session.appID, session: session.sessionID)
    case .join(.known(let session)): .appState(app: session.appID, session: session.sessionID)
    case .close(.known(let session)) where session.kind == .webApp:
      .closeWebApp(session.appID, session: session.sessionID)
    case .close(.known(let session)): .close(app: session.appID, session: session.sessionID)
    // Known by now, or nothing that is asked; an app with no name is refused by every device.
    case .join(.latest), .close(.latest), .send, .leave: .appState(app: "", session: nil)
    }
  }
}
