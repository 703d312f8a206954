package import RollcallPrimitives
import RollcallWire

/// The subscriptions to the events of one root device, and the messages that it sends to subscribers.
///
/// The first message of a subscription has the values of all evented variables; nothing changes them, so no other follows. A
/// subscription that was not renewed in time is over.
package struct EventPublisher: Sendable {
  /// Subscriptions at a time; a further one is refused.
  static let subscriptionsMaximum = 32
  /// What a subscriber may ask for at most, and gets where it asks for no number.
  static let durationSecondsMaximum: UInt32 = 1_800
  /// The answer to the subscription has to be there first (UDA 2.0, section 4.1.2).
  static let firstEventDelay = Interval.milliseconds(100)
  /// A message that was not answered by then is given up (UDA 2.0, section 4.3.2).
  static let patience = Interval.seconds(30)

  /// A service whose events can be subscribed to.
  struct Service: Hashable, Sendable {
    var path: String
    /// Its evented variables with their values.
    var properties: [SOAPCall.Argument]
  }

  /// The device that publishes.
  package struct Publisher {
    /// The id of a subscription by its number: `uuid:` and a UUID that no other has.
    var sid: (UInt64) -> String
    /// SERVER of answers, and USER-AGENT of messages.
    var product: String
    /// Before an answer leaves.
    var answerDelay: Interval
    /// The interface on whose subnet an address is; `nil`: none.
    var interface: (IPAddress) -> InterfaceID?

    package init(
      sid: @escaping (UInt64) -> String, product: String, answerDelay: Interval,
      interface: @escaping (IPAddress) -> InterfaceID?
    ) {
      (self.sid, self.product, self.answerDelay, self.interface) = (sid, product, answerDelay, interface)
    }
  }

  private struct Subscription: Hashable, Sendable {
    var sid: String
    var path: String
    var until: Instant
  }

  private struct Delivery: Sendable {
    var stream: StreamID
    var endpoint: Endpoint
    var interface: InterfaceID
    /// Empty: they were written.
    var bytes: [UInt8]
    /// When it begins, then when it is given up.
    var due: Instant
    var isBegun = false
  }

  private var subscriptions: [Subscription] = []
  private var deliveries: [Delivery] = []
  /// Since the device was made.
  private var subscriptionTotal: UInt64 = 0

  package init() {}

  package var deadline: Instant { deliveries.reduce(.never) { min($0, $1.due) } }

  package func owns(_ stream: StreamID) -> Bool { deliveries.contains { $0.stream == stream } }

  /// Ends all of it.
  package mutating func reset(into outbox: inout Outbox) {
    for delivery in deliveries where delivery.isBegun { outbox.want(StreamEffect.reset(delivery.stream)) }
    (subscriptions, deliveries) = ([], [])
  }

  // MARK: - Requests

  /// - Parameter nextStream: a number for a stream that the device opens.
  mutating func answer(
    _ request: EventRequest, for service: Service, by publisher: Publisher, nextStream: () -> StreamID, at now: Instant
  ) -> HTTPResponse {
    subscriptions.removeAll { $0.until <= now }
    switch request {
    case .refused(let status): return .refusal(status)
    case .unsubscribe(let sid):
      guard let place = place(of: sid, service) else { return .refusal(412) }
      subscriptions.remove(at: place)
      return HTTPResponse(status: 200)
    case .renew(let sid, let seconds):
      guard let place = place(of: sid, service) else { return .refusal(412) }
      let granted = EventPublisher.granted(seconds)
      subscriptions[place].until = now + .seconds(Int64(granted))
      return EventPublisher.accepted(sid, granted, publisher)
    case .subscribe(let callbacks, let seconds):
      // A device that sends to other networks what anybody asks for can be used against them (UDA 2.0, section 4.1.1).
      let targets = callbacks.compactMap { EventPublisher.target($0, publisher) }
      guard let target = targets.first else { return .refusal(412) }
      guard subscriptions.count < EventPublisher.subscriptionsMaximum else { return .refusal(503) }
      subscriptionTotal += 1
      let sid = publisher.sid(subscriptionTotal)
      let granted = EventPublisher.granted(seconds)
      subscriptions.append(Subscription(sid: sid, path: service.path, until: now + .seconds(Int64(granted))))
      let message = EventMessage(sid: sid, sequence: 0, properties: service.properties)
      deliveries.append(
        Delivery(
          stream: nextStream(), endpoint: target.endpoint, interface: target.interface,
          bytes: message.bytes(path: target.path, authority: target.authority, userAgent: publisher.product),
          due: now + publisher.answerDelay + EventPublisher.firstEventDelay))
      return EventPublisher.accepted(sid, granted, publisher)
    }
  }

  private func place(of sid: String, _ service: Service) -> Int? {
    subscriptions.firstIndex { $0.sid == sid && $0.path == service.path }
  }

  private static func granted(_ seconds: UInt32?) -> UInt32 {
    min(max(seconds ?? durationSecondsMaximum, 1), durationSecondsMaximum)
  }

  private static func accepted(_ sid: String, _ seconds: UInt32, _ publisher: Publisher) -> HTTPResponse {
    HTTPResponse(
      status: 200, fields: [("SERVER", publisher.product), ("SID", sid), ("TIMEOUT", "Second-\(seconds)")])
  }

  private struct Target {
    var endpoint: Endpoint
    var interface: InterfaceID
    var path: String
    var authority: String
  }

  private static func target(_ url: String, _ publisher: Publisher) -> Target? {
    guard case .url(let parts) = LocationURL.check(url), parts.scheme == .http, let address = parts.address,
      let interface = publisher.interface(address)
    else { return nil }
    let endpoint = Endpoint(address, port: parts.port)
    return Target(
      endpoint: endpoint, interface: interface, path: String(decoding: Array(url.utf8)[parts.path], as: UTF8.self),
      authority: endpoint.description)
  }

  // MARK: - Messages

  /// What becomes of a stream that the device opened.
  package mutating func receive(_ signal: StreamSignal, into outbox: inout Outbox) {
    switch signal {
    case .room(let stream, let count):
      guard let place = deliveries.firstIndex(where: { $0.stream == stream }) else { return }
      let bytes = deliveries[place].bytes
      guard !bytes.isEmpty, bytes.count <= Int(count) else { return }
      deliveries[place].bytes = []
      outbox.want(StreamEffect.write(stream, bytes))
    // Whatever it answers, the message was sent.
    case .bytes: break
    case .ended(let stream, let end):
      guard let place = deliveries.firstIndex(where: { $0.stream == stream }) else { return }
      deliveries.remove(at: place)
      if end == .finished { outbox.want(StreamEffect.finish(stream)) }
    case .opened, .accepted: break
    }
  }

  package mutating func advance(to now: Instant, into outbox: inout Outbox) {
    for place in deliveries.indices where deliveries[place].due <= now && !deliveries[place].isBegun {
      deliveries[place].isBegun = true
      deliveries[place].due = now + EventPublisher.patience
      outbox.want(
        StreamEffect.connect(deliveries[place].stream, to: deliveries[place].endpoint, deliveries[place].interface))
    }
    for delivery in deliveries where delivery.isBegun && delivery.due <= now {
      outbox.want(StreamEffect.reset(delivery.stream))
    }
    deliveries.removeAll { $0.isBegun && $0.due <= now }
  }
}
