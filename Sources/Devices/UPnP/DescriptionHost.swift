import RollcallPrimitives
import RollcallWire

/// The HTTP side of a root device: it listens where LOCATION leads, and answers requests for the description.
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
  private var lastStream: UInt32 = 0
  /// Since the start.
  private var requestCount = 0

  init(_ television: TelevisionPlan) { self.television = Television(television) }

  /// A device that has vanished keeps its listeners and says nothing.
  var isMute: Bool {
    get { connections.isMute }
    set { connections.isMute = newValue }
  }

  /// When the next thing is due.
  var deadline: Instant { connections.deadline }

  /// The process begins anew.
  mutating func start() {
    (isMute, requestCount) = (false, 0)
    television.start()
  }

  /// Listens where it ought to, and nowhere else; a device that listens nowhere has no connections.
  mutating func listen(at wanted: [Place], into outbox: inout Outbox) {
    if isMute { return }
    for (index, entry) in listeners.enumerated().reversed() where !wanted.contains(entry.place) {
      outbox.want(StreamEffect.reset(entry.stream))
      listeners.remove(at: index)
    }
    if wanted.isEmpty { connections.reset(into: &outbox) }
    for place in wanted where !listeners.contains(where: { $0.place == place }) {
      lastStream += 1
      listeners.append((place, StreamID(lastStream)))
      let anywhere = Endpoint(IPAddress(v4: 0), port: place.port)
      outbox.want(StreamEffect.listen(StreamID(lastStream), at: anywhere, place.interface))
    }
  }

  /// - Parameters:
  ///   - own: where the device says that it is, for the place at which it was asked.
  ///   - answer: the whole answer to a request for the description, with the fields that go with it and how many
  ///     requests came before it; `nil`: nothing is said.
  mutating func receive(
    _ signal: StreamSignal, habits: DescriptionHabits, at now: Instant, into outbox: inout Outbox,
    own: (Endpoint) -> Endpoint,
    answer: (HTTPRequestHead, _ fields: [(name: String, value: String)], _ requests: Int) -> [UInt8]?
  ) {
    var count = requestCount
    var television = television
    _ = connections.receive(signal, at: now, into: &outbox) { request in
      let bytes: [UInt8]?
      switch request.reading {
      case .incomplete: bytes = nil
      case .refused(let status): bytes = HTTPResponse.refusal(status).bytes()
      case .head(let head):
        if let other = television.answer(head, body: request.body, at: own(request.local)) {
          return HTTPConnections.Answer(other.bytes(isHead: head.method == "HEAD"))
        }
        bytes = answer(head, television.descriptionField(at: own(request.local)).map { [$0] } ?? [], count)
      }
      count += 1
      var reply = HTTPConnections.Answer(bytes ?? [])
      reply.delay = habits.delay
      reply.isEndless = habits.framing == .endless && !habits.saysNothing
      return reply
    }
    requestCount = count
    self.television = television
  }

  mutating func advance(to now: Instant, into outbox: inout Outbox) { _ = connections.advance(to: now, into: &outbox) }
}
