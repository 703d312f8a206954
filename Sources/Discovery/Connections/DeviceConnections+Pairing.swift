import RollcallPrimitives
import RollcallWire

// From `connect` to `ready`: services are linked (webOS), or paired by a user who types what a television shows (Netcast).
extension DeviceConnections {
  mutating func connect(
    _ id: String, _ services: [ReachableService], at now: Instant, into outbox: inout Outbox
  ) {
    // It is connected, or about to be: that is told once.
    if index(of: id) != nil { return }
    if let other = services.first(where: { $0.pairing == .prompt && $0.control != .webOS }) {
      let explanation =
        "expected a service that is paired with a number or by webOS, found \(other.id), which asks on its screen"
      return tell(id, .failed(ConnectionFailure(.unsupported, explanation)))
    }
    let waiting = services.filter { service in
      service.control == .webOS || service.pairing == .pin && !faults.contains(.readyUnpaired)
    }
    connections.append(Connection(id: id, waiting: waiting))
    prepareNext(connections.count - 1, at: now, into: &outbox)
  }

  /// Pairs or links the next service; behind the last one the device is ready.
  mutating func prepareNext(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    let id = connections[index].id
    guard let service = connections[index].waiting.first else {
      connections[index].isReady = true
      return tell(id, .ready)
    }
    if service.control == .webOS { return link(id, service, at: now, into: &outbox) }
    if let known = key(of: service) {
      send(hello(known), isRemembered: true, id, service, at: now, into: &outbox)
    } else {
      send(.showKey, id, service, at: now, into: &outbox)
    }
  }

  private func hello(_ key: String) -> NetcastPairing { .hello(key: key, port: NetcastPairing.port) }

  /// Sends what pairing needs; what cannot be sent ends the attempt.
  private mutating func send(
    _ message: NetcastPairing, isRemembered: Bool = false, _ id: String, _ service: ReachableService, at now: Instant,
    into outbox: inout Outbox
  ) {
    let purpose = Purpose.pairing(message, isRemembered: isRemembered)
    if let failure = post(message, purpose, id, service, at: now, into: &outbox) {
      fail(id, failure, at: now, into: &outbox)
    }
  }

  private mutating func post(
    _ message: NetcastPairing, _ purpose: Purpose, _ id: String, _ service: ReachableService, at now: Instant,
    into outbox: inout Outbox
  ) -> ConnectionFailure? {
    let url = "http://\(Endpoint(service.host, port: NetcastPairing.port))\(NetcastPairing.path)"
    return ask(
      id, purpose, "POST", url, of: service, contentType: NetcastPairing.contentType, body: message.bytes,
      userAgent: NetcastPairing.userAgent, at: now, into: &outbox)
  }

  /// The user typed something.
  mutating func pair(_ id: String, _ key: String, at now: Instant, into outbox: inout Outbox) {
    // Nothing was asked, or something was typed already.
    guard let index = index(of: id), connections[index].isTyping, let service = connections[index].waiting.first else {
      return
    }
    connections[index].isTyping = false
    (connections[index].typeBy, connections[index].typesAt) = (.never, .never)
    guard (1...NetcastPairing.keyByteCountMaximum).contains(key.utf8.count) else {
      _ = post(.cancel, .farewell, id, service, at: now, into: &outbox)
      let explanation =
        "expected 1 to \(NetcastPairing.keyByteCountMaximum) bytes that the user typed, found \(key.utf8.count)"
      return fail(id, ConnectionFailure(.badRequest, explanation), at: now, into: &outbox)
    }
    send(hello(key), id, service, at: now, into: &outbox)
  }

  /// The user will not agree: what the screen shows disappears.
  mutating func endTyping(
    _ id: String, _ reason: ConnectionFailure.Reason, _ explanation: String, at now: Instant, into outbox: inout Outbox
  ) {
    if links.contains(where: { $0.id == id && $0.stage == .asking }) {
      return fail(id, ConnectionFailure(reason, explanation), at: now, into: &outbox)
    }
    guard let index = index(of: id), connections[index].isTyping, let service = connections[index].waiting.first else {
      return
    }
    fail(id, ConnectionFailure(reason, explanation), at: now, into: &outbox)
    _ = post(.cancel, .farewell, id, service, at: now, into: &outbox)
  }

  mutating func finishPairing(
    _ id: String, _ message: NetcastPairing, isRemembered: Bool, _ result: Result, at now: Instant,
    into outbox: inout Outbox
  ) {
    guard let index = index(of: id), let service = connections[index].waiting.first else { return }
    let status: Int
    switch result {
    case .failed(let failure): return fail(id, failure, at: now, into: &outbox)
    case .response(let head, _): status = head.status
    }
    let isRight = status == 200 || status == 401 && faults.contains(.wrongKeyTaken)
    switch (message, status) {
    case (.showKey, 200):
      connections[index].isTyping = true
      if !faults.contains(.typingAwaitedForEver) { connections[index].typeBy = now + limits.typingPatience }
      if let user { connections[index].typesAt = now + user.delay }
      tell(id, .pairingRequired(service: service.id, .pin))
    case (.hello(let key, _), _) where isRight:
      if !isRemembered {
        let typed = RememberedKey(owner: service.owner, service: service.id, key: key)
        note(typed)
        tell(id, .paired(typed))
      }
      connections[index].paired.append(connections[index].waiting.removeFirst())
      prepareNext(index, at: now, into: &outbox)
    // What was typed in an earlier launch is right no more: the user is asked anew.
    case (.hello, 401) where isRemembered:
      forget(service.id, of: service.owner)
      send(.showKey, id, service, at: now, into: &outbox)
    case (.hello, 401):
      let explanation = "expected the number on the screen of the device, found another one (status 401)"
      fail(id, ConnectionFailure(.wrongKey, status: 401, explanation), at: now, into: &outbox)
    default:
      let explanation = "expected status 200 for \(service.id), found \(status)"
      fail(id, ConnectionFailure(.status, status: status, explanation), at: now, into: &outbox)
    }
  }

  /// The connection does not come about.
  mutating func fail(
    _ id: String, _ failure: ConnectionFailure, at now: Instant, into outbox: inout Outbox
  ) {
    guard let index = index(of: id) else { return }
    connections.remove(at: index)
    giveUp(id, failure, at: now, into: &outbox)
    tell(id, .failed(failure))
  }

  mutating func disconnect(_ id: String, at now: Instant, into outbox: inout Outbox) {
    guard let index = index(of: id) else { return }
    let connection = connections.remove(at: index)
    let failure = ConnectionFailure(.notConnected, "the application disconnected")
    closeLinks(of: id, failure, at: now, into: &outbox)
    giveUp(id, failure, at: now, into: &outbox)
    for service in connection.paired {
      _ = post(.leave(port: NetcastPairing.port), .farewell, id, service, at: now, into: &outbox)
    }
    if connection.isTyping, let service = connection.waiting.first {
      _ = post(.cancel, .farewell, id, service, at: now, into: &outbox)
    }
    tell(id, .disconnected(.asked))
  }
}
