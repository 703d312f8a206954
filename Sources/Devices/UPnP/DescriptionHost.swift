import RollcallPrimitives
import RollcallWire

/// The HTTP side of a root device: it listens where LOCATION leads, and answers requests for the description and for
/// everything that the description names.
struct DescriptionHost: Sendable {
  /// Where the device listens, or ought to.
  struct Place: Hashable, Sendable {
    var interface: InterfaceID
    var port: UInt16
  }

  /// As the description has it; `nil`: one made of the UUID.
  var friendlyName: String?
  var television: Television
  private var listeners: [(place: Place, stream: StreamID)] = []
  private var connections = HTTPConnections()
  private var events = EventPublisher()
  /// Of a webOS television.
  private var links: TelevisionLinks?
  private var lastStream: UInt32 = 0
  /// Since the start.
  private var requestCount = 0

  init(_ television: TelevisionPlan) {
    self.television = Television(television)
    links = television.webOS.map { TelevisionLinks($0) }
  }

  /// A device that has vanished keeps its listeners and says nothing.
  var isMute: Bool {
    get { connections.isMute }
    set { connections.isMute = newValue }
  }

  /// When the next thing is due.
  var deadline: Instant {
    isMute ? .never : min(connections.deadline, events.deadline, links?.deadline ?? .never)
  }

  /// The process begins anew.
  /// - Parameter hasForgotten: whether nothing is left of what it kept.
  mutating func start(hasForgotten: Bool, into outbox: inout Outbox) {
    (isMute, requestCount) = (false, 0)
    television.start()
    events.reset(into: &outbox)
    // Connections from before it lost its power are unknown to it.
    links?.reset(into: &outbox)
    if hasForgotten { links?.forget() }
  }

  /// Listens where it ought to, and nowhere else; a device that listens nowhere has no connections.
  mutating func listen(at wanted: [Place], into outbox: inout Outbox) {
    if isMute { return }
    for (index, entry) in listeners.enumerated().reversed() where !wanted.contains(entry.place) {
      outbox.want(StreamEffect.reset(entry.stream))
      listeners.remove(at: index)
    }
    if wanted.isEmpty {
      connections.reset(into: &outbox)
      events.reset(into: &outbox)
      links?.reset(into: &outbox)
    }
    for place in wanted where !listeners.contains(where: { $0.place == place }) {
      lastStream += 1
      listeners.append((place, StreamID(lastStream)))
      let anywhere = Endpoint(IPAddress(v4: 0), port: place.port)
      outbox.want(StreamEffect.listen(StreamID(lastStream), at: anywhere, place.interface))
    }
  }

  /// What the device knows of itself.
  struct Owner {
    var habits: DescriptionHabits
    var publisher: EventPublisher.Publisher
    /// Where the device says that it is, for the place at which it was asked.
    var own: (Endpoint) -> Endpoint
    /// The paths of its services begin with this.
    var servicesPath: String
    /// The description as it is now.
    var document: () -> DescriptionDocument
  }

  /// - Parameter answer: the whole answer to a request for the description, with the fields that go with it and how many
  ///   requests came before it; `nil`: nothing is said.
  mutating func receive(
    _ signal: StreamSignal, of owner: Owner, at now: Instant, into outbox: inout Outbox,
    answer: (HTTPRequestHead, _ fields: [(name: String, value: String)], _ requests: Int) -> [UInt8]?
  ) {
    if isOfLinks(signal) {
      switch signal {
      case .ended(let stream, let end) where isMute: if end != .finished { links?.remove(stream) }
      case _ where isMute: break
      case .accepted(let stream, _, _, _): links?.accept(stream, at: now, into: &outbox)
      default: links?.receive(signal, at: now, &television, into: &outbox)
      }
      return
    }
    if let stream = signal.stream, events.owns(stream) {
      if !isMute { events.receive(signal, into: &outbox) }
      return
    }
    let (habits, own) = (owner.habits, owner.own)
    var (count, lastStream) = (requestCount, lastStream)
    var (television, events) = (television, events)
    _ = connections.receive(signal, at: now, into: &outbox) { request in
      let bytes: [UInt8]?
      switch request.reading {
      case .incomplete: bytes = nil
      case .refused(let status): bytes = HTTPResponse.refusal(status).bytes()
      case .head(let head):
        if let other = television.answer(head, body: request.body, at: own(request.local)) {
          return HTTPConnections.Answer(other.bytes(isHead: head.method == "HEAD"))
        }
        if head.path.hasPrefix(owner.servicesPath), !habits.saysNothing,
          let other = ServiceRequest(head, of: owner.document())?.answer(
            body: request.body, &events, by: owner.publisher, at: now,
            nextStream: {
              lastStream += 1
              return StreamID(lastStream)
            })
        {
          var reply = HTTPConnections.Answer(other.bytes(isHead: head.method == "HEAD"))
          reply.delay = habits.delay
          return reply
        }
        bytes = answer(head, television.descriptionField(at: own(request.local)).map { [$0] } ?? [], count)
      }
      count += 1
      var reply = HTTPConnections.Answer(bytes ?? [])
      reply.delay = habits.delay
      reply.isEndless = habits.framing == .endless && !habits.saysNothing
      return reply
    }
    (requestCount, self.lastStream) = (count, lastStream)
    (self.television, self.events) = (television, events)
    links?.tellEnds(self.television, into: &outbox)
  }

  /// Whether it is about a WebSocket, or a connection that may become one.
  private func isOfLinks(_ signal: StreamSignal) -> Bool {
    guard let links else { return false }
    switch signal {
    case .accepted(_, _, let local, _): return local.port == SSAPMessage.port
    case .opened(let stream, _), .bytes(let stream, _), .room(let stream, _), .ended(let stream, _):
      return links.owns(stream)
    }
  }

  mutating func advance(to now: Instant, into outbox: inout Outbox) {
    _ = connections.advance(to: now, into: &outbox)
    if !isMute { events.advance(to: now, into: &outbox) }
    if !isMute { links?.advance(to: now, into: &outbox) }
  }
}
