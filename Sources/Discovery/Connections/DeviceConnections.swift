package import RollcallPrimitives
import RollcallWire

/// A service of a device, as a connection reaches it.
struct ReachableService: Hashable, Sendable {
  /// Under which it was registered, and the device or part that offers it.
  var id: String
  var owner: String
  /// How the user has to agree before it can be used; `none`: not at all.
  var pairing: PairingKind
  /// How it is controlled; `nil`: in no way that is known here.
  var control: ServiceControl?
  /// Where the device was heard.
  var source: IPAddress
  var interface: InterfaceID
  /// Where its apps are; `nil`: it did not say.
  var applicationURL: String?
  /// Where it is reached, if that is not where it was heard.
  var announcedHost: IPAddress?

  /// Where it is reached; what is asked of it is checked against where it was heard.
  var host: IPAddress { announcedHost ?? source }
}

/// The protocol by which a service is controlled, the one that can do more first.
enum ServiceControl: Hashable, Sendable, CaseIterable {
  /// Messages of a WebSocket: apps and web apps.
  case webOS
  /// Apps as DIAL has them.
  case dial
}

/// The person who uses the application, as a scenario has them: what they type when a device shows a number.
package struct TypingUser: Hashable, Sendable {
  package var key: String
  /// From the moment at which they are asked.
  package var delay: Interval
  package init(key: String, delay: Interval = .zero) { (self.key, self.delay) = (key, delay) }
}

/// Connects to devices for an application: pairs services where the user has to agree, and launches, joins and closes apps.
///
/// A part of the manager, which says what devices there are: streams in, events out. Each request about an app has one
/// answer, and each connection that is asked for ends with `ready` or `failed`, and after `ready` with `disconnected`.
struct DeviceConnections: Sendable {
  struct Limits: Hashable, Sendable {
    /// For one request and its response.
    var requestPatience = Interval.seconds(10)
    /// For the user to type what a device shows.
    var typingPatience = Interval.seconds(60)
    /// Requests under way at a time.
    var exchangesMaximum = 16
    /// WebSockets at a time.
    var linksMaximum = 16
    /// Of a response.
    var bodyBytesMaximum = DIALApp.byteCountMaximum
    /// Of the name of an app, and of what it is to show (DIAL 2.2, section 6.1: 4 KB at least).
    var appBytesMaximum = 255
    var contentBytesMaximum = 4_096
    /// Of what is said to a web app: written as JSON it is six times as long at most.
    var messageBytesMaximum = 8_192
    /// Web apps that are joined on one device at a time.
    var channelsMaximum = 16
    /// Sessions that are kept for requests about the latest one; beyond it the first is forgotten.
    var sessionsMaximum = 256
    /// Keys that are kept; beyond it the one that was noted first is forgotten.
    var keysMaximum = 1_024
  }

  /// What became of a device, for the application.
  struct News {
    var id: String
    var event: ManagerReport.Event
  }

  /// What a response is the answer to.
  enum Purpose {
    /// What was sent; a key may be that of an earlier launch.
    case pairing(NetcastPairing, isRemembered: Bool)
    /// Nobody waits for the answer.
    case farewell
    case app(AppRequest, ReachableService, url: String)
  }

  struct Pending {
    var id: String
    var purpose: Purpose
    var exchange: HTTPExchange
    var limit: Instant
  }

  struct Connection {
    var id: String
    /// Services that have to be paired or linked, the first of them now.
    var waiting: [ReachableService]
    /// Services that were paired with a number.
    var paired: [ReachableService] = []
    var isReady = false
    /// The device shows a number, and the user may type it until then.
    var isTyping = false
    var typeBy = Instant.never
    /// When the user of a scenario types.
    var typesAt = Instant.never
  }

  /// Streams have numbers from here on, so that they are none of those that fetch descriptions.
  static let firstStream: UInt32 = 0x4000_0000

  let limits = Limits()
  let userAgent: String
  let faults: ConnectionFaults
  /// Who types in a scenario; `nil`: nobody but the application.
  let user: TypingUser?
  private let allowsLoopback: Bool
  private var interfaces = HostInterfaces()
  /// In the order in which they were asked for.
  var connections: [Connection] = []
  /// What users typed, here or in earlier launches of the application: for each service once, the latest last.
  private(set) var keys: [RememberedKey] = []
  /// Sessions that were launched or joined, the latest last.
  var sessions: [(id: String, session: LaunchSession)] = []
  /// In the order in which they were sent.
  private(set) var pending: [Pending] = []
  /// WebSockets to services of devices that are connected or about to be, in the order in which they were opened.
  var links: [ServiceLink] = []
  private var dice: RandomStream
  private var streamCount: UInt32 = 0
  var closing: ClosingStreams
  private var news: [News] = []

  /// - Parameter seed: what the keys and masks of WebSockets are drawn from.
  init(
    userAgent: String, user: TypingUser? = nil, allowsLoopback: Bool = false, seed: Seed = Seed(0),
    faults: ConnectionFaults = []
  ) {
    (self.userAgent, self.user, self.allowsLoopback, self.faults) = (userAgent, user, allowsLoopback, faults)
    dice = seed.stream("manager/web-sockets")
    closing = ClosingStreams(countMaximum: limits.exchangesMaximum, patience: limits.requestPatience)
  }

  /// When the next thing is due.
  var deadline: Instant {
    var next = closing.deadline
    for one in pending { next = min(next, one.limit) }
    for connection in connections { next = min(next, connection.typesAt, connection.typeBy) }
    for link in links { next = min(next, link.deadline) }
    return next
  }

  /// What the application is to be told, once.
  mutating func takeNews() -> [News] {
    defer { news = [] }
    return news
  }

  mutating func tell(_ id: String, _ report: ConnectionReport) { add(News(id: id, event: .connection(report))) }
  mutating func tell(_ id: String, _ report: AppReport) { add(News(id: id, event: .app(report))) }
  mutating func add(_ one: News) { news.append(one) }

  func index(of id: String) -> Int? { connections.firstIndex { $0.id == id } }

  // MARK: - What is given

  mutating func take(_ change: InterfaceChange) { interfaces.take(change) }

  /// - Parameter services: those of the device; `nil`: there is no such device.
  mutating func take(
    _ command: DeviceCommand, of id: String, _ services: [ReachableService]?, at now: Instant, into outbox: inout Outbox
  ) {
    switch command {
    case .connect:
      guard let services else {
        let failure = ConnectionFailure(.noDevice, "expected a device that the application was told of, found none")
        return tell(id, .failed(failure))
      }
      connect(id, services, at: now, into: &outbox)
    case .disconnect: disconnect(id, at: now, into: &outbox)
    case .pair(let key): pair(id, key, at: now, into: &outbox)
    case .cancelPairing: endTyping(id, .pairingCancelled, "the user does not agree", at: now, into: &outbox)
    case .app(let request): take(request, of: id, services ?? [], at: now, into: &outbox)
    }
  }

  mutating func receive(_ signal: StreamSignal, at now: Instant, into outbox: inout Outbox) {
    guard let stream = signal.stream, stream.number > DeviceConnections.firstStream else { return }
    if let link = links.firstIndex(where: { $0.socket.stream == stream }) {
      return receive(signal, link, at: now, into: &outbox)
    }
    guard let index = pending.firstIndex(where: { $0.exchange.stream == stream }) else {
      if case .ended = signal { closing.remove(stream) }
      return
    }
    pending[index].exchange.receive(signal, into: &outbox)
    guard let result = Result(pending[index].exchange) else { return }
    let one = pending.remove(at: index)
    closing.end(one.exchange, isWhole: true, at: now, into: &outbox)
    finish(one, result, at: now, into: &outbox)
  }

  mutating func advance(to now: Instant, into outbox: inout Outbox) {
    while let index = pending.firstIndex(where: { $0.limit <= now }) {
      let one = pending.remove(at: index)
      closing.end(one.exchange, isWhole: false, at: now, into: &outbox)
      finish(one, .failed(timedOut(one.exchange.endpoint)), at: now, into: &outbox)
    }
    advanceLinks(to: now, into: &outbox)
    closing.advance(to: now, into: &outbox)
    while let connection = connections.first(where: { $0.typesAt <= now }) {
      pair(connection.id, user?.key ?? "", at: now, into: &outbox)
    }
    while let connection = connections.first(where: { $0.typeBy <= now }) {
      endTyping(
        connection.id, .pairingTimedOut, "expected the user to type the number within \(limits.typingPatience)",
        at: now,
        into: &outbox)
    }
  }

  /// The device is gone.
  mutating func lose(_ id: String, at now: Instant, into outbox: inout Outbox) {
    guard let index = index(of: id), !faults.contains(.outlivesDevice) else { return }
    let connection = connections.remove(at: index)
    let failure = ConnectionFailure(.deviceLost, "the device is gone")
    giveUp(id, failure, at: now, into: &outbox)
    tell(id, connection.isReady ? .disconnected(.deviceLost) : .failed(failure))
  }

  // MARK: - Keys

  mutating func note(_ key: RememberedKey) {
    forget(key.service, of: key.owner)
    if faults.contains(.keysForgotten) { return }
    if keys.count >= limits.keysMaximum { keys.removeFirst() }
    keys.append(key)
  }

  /// Another application begins, or the same one anew: it says what it remembers.
  mutating func forgetKeys() { keys.removeAll() }

  mutating func forget(_ service: String, of owner: String) {
    keys.removeAll { $0.service == service && isSameDevice($0.owner, owner) }
  }

  /// What its user typed for a service, or what the service gave; `nil`: nothing yet.
  func key(of service: ReachableService) -> String? {
    keys.first { isSameDevice($0.owner, service.owner) && $0.service == service.id }?.key
  }

  // MARK: - Requests

  /// By when something that is asked now has to be answered.
  func requestLimit(from now: Instant) -> Instant {
    faults.contains(.waitsForEver) ? .never : now + limits.requestPatience
  }

  func timedOut(_ endpoint: Endpoint) -> ConnectionFailure {
    ConnectionFailure(.timedOut, "expected an answer of \(endpoint) within \(limits.requestPatience), none came")
  }

  var tooManyRequests: ConnectionFailure {
    ConnectionFailure(.busy, "expected at most \(limits.exchangesMaximum) requests at a time")
  }

  /// Sends a request to a URL of the device.
  /// - Returns: why that cannot be done; `nil`: it is under way.
  mutating func ask(
    _ id: String, _ purpose: Purpose, _ method: String, _ url: String, of service: ReachableService,
    contentType: String? = nil, body: [UInt8] = [], userAgent: String? = nil, at now: Instant, into outbox: inout Outbox
  ) -> ConnectionFailure? {
    if pending.count >= limits.exchangesMaximum { return tooManyRequests }
    do throws(DescriptionFetch.Failure) {
      let target = try target(url, of: service)
      let stream = makeStream()
      var request = HTTPRequest(
        path: target.path, authority: target.authority, userAgent: userAgent ?? self.userAgent)
      (request.method, request.contentType, request.body) = (method, contentType, body)
      let exchange = HTTPExchange(
        stream, to: target.endpoint, on: service.interface, request, bodyBytesMaximum: limits.bodyBytesMaximum,
        into: &outbox)
      pending.append(Pending(id: id, purpose: purpose, exchange: exchange, limit: requestLimit(from: now)))
      return nil
    } catch {
      return ConnectionFailure(.unreachable, error.explanation)
    }
  }

  private mutating func makeStream() -> StreamID {
    streamCount &+= 1
    return StreamID(DeviceConnections.firstStream &+ streamCount)
  }

  /// Opens a WebSocket to the device.
  mutating func open(
    _ url: String, of service: ReachableService, byteCountMaximum: Int, into outbox: inout Outbox
  ) throws(DescriptionFetch.Failure) -> WebSocketClient {
    let target = try target(url, of: service)
    return WebSocketClient(
      makeStream(), to: target, on: service.interface, userAgent: userAgent, byteCountMaximum: byteCountMaximum,
      dice: RandomStream(mixing: dice.next(), dice.next()), into: &outbox)
  }

  /// A URL of the device, or of a host on its link: nowhere else is anything sent, whatever a device says.
  func target(_ url: String, of service: ReachableService) throws(DescriptionFetch.Failure) -> DescriptionTarget {
    let known = interfaces.addresses(of: service.interface)
    let target = try DescriptionTarget.check(
      url, sender: service.source, subnets: known, allowsLoopback: allowsLoopback)
    let host = target.endpoint.address
    guard known.contains(where: { $0.address.sharesPrefix($0.prefixBits, with: host) }) else {
      throw DescriptionFetch.Failure(
        .interfaceGone, "expected an address of ours on the link of \(host), there is none")
    }
    return target
  }

  /// Everything that is under way with a device ends; requests about apps are answered.
  mutating func giveUp(_ id: String, _ failure: ConnectionFailure, at now: Instant, into outbox: inout Outbox) {
    let gone = pending.filter { $0.id == id }
    pending.removeAll { $0.id == id }
    for one in gone {
      closing.end(one.exchange, isWhole: false, at: now, into: &outbox)
      if case .app(let request, _, _) = one.purpose { answer(request, of: id, .failed(failure)) }
    }
    for link in links where link.id == id { finishAll(of: link, failure) }
    for index in links.indices where links[index].id == id { links[index].socket.reset(into: &outbox) }
    links.removeAll { $0.id == id }
  }

  private mutating func finish(
    _ one: Pending, _ result: Result, at now: Instant, into outbox: inout Outbox
  ) {
    switch one.purpose {
    case .farewell: break
    case .pairing(let message, let isRemembered):
      finishPairing(one.id, message, isRemembered: isRemembered, result, at: now, into: &outbox)
    case .app(let request, let service, let url): finish(request, of: one.id, service, url, result)
    }
  }
}

extension StreamEnd {
  /// What became of a connection, for people.
  var word: String {
    switch self {
    case .refused: "refused"
    case .timedOut: "not answered"
    case .unreachable: "not possible: nobody has the address"
    case .finished, .reset: "ended"
    }
  }
}

extension DeviceConnections {
  /// What came of a request.
  enum Result {
    /// The whole response is there.
    case response(HTTPResponseHead, body: [UInt8])
    case failed(ConnectionFailure)

    /// - Returns: `nil`: it goes on.
    init?(_ exchange: HTTPExchange) {
      let (reader, endpoint) = (exchange.reader, exchange.endpoint)
      switch (exchange.end, reader.state) {
      case (.refused, _), (.timedOut, _), (.unreachable, _):
        let word = exchange.end?.word ?? ""
        self = .failed(
          ConnectionFailure(
            .unreachable, "expected somebody to answer at \(endpoint), the connection was \(word)"))
      case (_, .needsMore): return nil
      case (_, .complete):
        guard let head = reader.head else { return nil }
        self = .response(head, body: reader.body)
      case (_, .refused(let refusal)):
        self = .failed(
          ConnectionFailure(
            .badResponse, status: reader.head?.status,
            "expected a response of HTTP from \(endpoint), found \(refusal.reason.rawValue) at byte \(refusal.offset)"))
      }
    }
  }
}

/// Faults that can be planted into connections: what the switches of the engine turn on there.
package struct ConnectionFaults: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A device is ready though the user has not agreed.
  package static let readyUnpaired = ConnectionFaults(rawValue: 1)
  /// What the user typed is right, whatever the device says.
  package static let wrongKeyTaken = ConnectionFaults(rawValue: 2)
  /// The user has any time to type.
  package static let typingAwaitedForEver = ConnectionFaults(rawValue: 4)
  /// A connection goes on though the device is gone.
  package static let outlivesDevice = ConnectionFaults(rawValue: 8)
  /// A session is joined though the device says that it is over.
  package static let goneSessionJoined = ConnectionFaults(rawValue: 16)
  /// A device has any time to answer.
  package static let waitsForEver = ConnectionFaults(rawValue: 32)
  /// The user is asked to agree though the application wants no pairing.
  package static let pairsUnasked = ConnectionFaults(rawValue: 64)
  /// A device stays ready though the connection to one of its services has ended.
  package static let linkLossIgnored = ConnectionFaults(rawValue: 128)
  /// What was typed or given is not kept.
  package static let keysForgotten = ConnectionFaults(rawValue: 256)
  /// Nothing that a web app says is told.
  package static let webAppsUnheard = ConnectionFaults(rawValue: 512)
  /// That a web app runs no more is not told while the connection to its device stands.
  package static let webAppEndsUnnoticed = ConnectionFaults(rawValue: 1_024)
}
