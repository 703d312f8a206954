import RollcallPrimitives
import RollcallWire

// What an application and the web apps that it joined say to each other.
extension DeviceConnections {
  private mutating func tell(_ id: String, _ session: LaunchSession, _ event: WebAppReport.Event) {
    add(News(id: id, event: .webApp(WebAppReport(session, event))))
  }

  /// Why a web app cannot be joined beside those that are; `nil`: it can.
  func refusal(of deed: AppRequest.Deed, _ link: ServiceLink) -> ConnectionFailure? {
    guard deed.isJoin else { return nil }
    // Those that are joined if every answer says so.
    let joining = link.requests.map(\.request.deed).filter(\.isJoin).map(\.app)
    let apps = Set(link.channels.map(\.session.appID) + joining)
    if apps.count < limits.channelsMaximum || apps.contains(deed.app) { return nil }
    return ConnectionFailure(.busy, "expected at most \(limits.channelsMaximum) web apps that are joined at a time")
  }

  /// A web app was joined: from now on it is heard. What was joined of it before has ended.
  /// - Parameter message: the answer that says so.
  mutating func openChannel(_ session: LaunchSession, _ message: SSAPMessage, _ index: Int) {
    let named = message.payload["appId"]?.string
    let app = named.flatMap { (1...SSAPMessage.idByteCountMaximum).contains($0.utf8.count) ? $0 : nil }
    let former = links[index].channels.first { $0.session.appID == session.appID }
    links[index].channels.removeAll { $0.session.appID == session.appID }
    links[index].channels.append(
      ServiceLink.Channel(session: session, app: app ?? session.appID, messageID: message.id))
    if let former, former.session != session { tell(links[index].id, former.session, .ended) }
  }

  /// A web app says something.
  mutating func hear(_ message: SSAPMessage, _ index: Int) {
    if faults.contains(.webAppsUnheard) { return }
    for channel in links[index].channels where channel.app == message.from {
      tell(links[index].id, channel.session, .said(WebAppMessage(message.payload)))
    }
  }

  /// Takes what is said later of a web app that was joined: that it is there no more.
  mutating func review(_ message: SSAPMessage, _ index: Int) {
    guard message.kind == .response || message.kind == .error, message.payload["state"]?.string != "CONNECTED",
      let channel = links[index].channels.first(where: { $0.messageID == message.id }),
      !faults.contains(.webAppEndsUnnoticed)
    else { return }
    endChannel(channel.session, index)
  }

  /// A session is over.
  mutating func endChannel(_ session: LaunchSession, _ index: Int) {
    guard let place = links[index].channels.firstIndex(where: { $0.session == session }) else { return }
    links[index].channels.remove(at: place)
    tell(links[index].id, session, .ended)
  }

  /// The connection of a device has ended: requests that are not answered yet, and web apps that were joined.
  mutating func finishAll(of link: ServiceLink, _ failure: ConnectionFailure) {
    for one in link.requests { answer(one.request, of: link.id, .failed(failure)) }
    for channel in link.channels { tell(link.id, channel.session, .ended) }
  }

  /// Says something to a web app, or leaves it.
  /// - Returns: why that cannot be done; `nil`: it is done.
  mutating func talk(_ request: AppRequest, _ index: Int, into outbox: inout Outbox) -> ConnectionFailure? {
    let (id, app) = (links[index].id, request.deed.app)
    guard let place = links[index].channels.firstIndex(where: { $0.session == request.deed.session }) else {
      return ConnectionFailure(.notConnected, "expected a web app that was joined, \(app) is not")
    }
    let channel = links[index].channels[place]
    if case .send(_, let message) = request.deed {
      guard let payload = message.payload else { return ConnectionFailure(.badRequest, "expected a value of JSON") }
      links[index].socket.send(SSAPMessage.peer(to: channel.app, payload).text, into: &outbox)
      answer(request, of: id, .sent)
    } else {
      links[index].socket.send(SSAPMessage(.unsubscribe, id: channel.messageID).text, into: &outbox)
      answer(request, of: id, .left)
      endChannel(channel.session, index)
    }
    return nil
  }
}

extension WebAppMessage {
  fileprivate init(_ payload: JSONValue) {
    self = payload.string.map { .text($0) } ?? .json(payload.line)
  }

  /// As it is sent; `nil`: it is no value of JSON.
  fileprivate var payload: JSONValue? {
    switch self {
    case .text(let text): .string(text)
    case .json(let text): try? JSONReader.read(Array(text.utf8))
    }
  }

  /// Why it cannot be sent.
  func complaint(countMaximum: Int) -> String? {
    if text.utf8.count > countMaximum {
      return "expected at most \(countMaximum) bytes for the web app, found \(text.utf8.count)"
    }
    guard case .json(let text) = self else { return nil }
    do throws(JSONFault) {
      _ = try JSONReader.read(Array(text.utf8))
      return nil
    } catch {
      return "expected a value of JSON for the web app, found \(error.reason.rawValue) at byte \(error.offset)"
    }
  }
}
