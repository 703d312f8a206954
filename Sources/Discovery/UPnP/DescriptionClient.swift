package import RollcallPrimitives
import RollcallWire

/// Fetches the descriptions of devices over HTTP, as reports ask for them: bounded in size, time, redirects and
/// connections, from addresses on the link of the interface that heard the device, and from nowhere else.
///
/// Part of the engine: streams in, reports out. Every LOCATION ends in one report, whatever becomes of it.
package struct DescriptionClient: Sendable {
  package struct Limits: Hashable, Sendable {
    package var bodyBytesMaximum = 1 << 20
    /// For a whole fetch, redirects included.
    package var patience = Interval.seconds(10)
    package var redirectsMaximum = 2
    /// Whether hosts are asked that share a link with no interface of ours: a replay knows no interfaces.
    package var asksBeyondLinks = false
    package var queue = DescriptionQueue.Limits()
    package init() {}
  }

  /// One description under way.
  private struct Attempt {
    var request: DescriptionQueue.Request
    var began: Instant
    /// `nil`: nothing was asked yet.
    var exchange: HTTPExchange?
    var redirects: [String] = []
  }

  private let limits: Limits
  private let userAgent: String
  private let faults: DescriptionFaults
  private var queue: DescriptionQueue
  private var interfaces = HostInterfaces()
  /// In the order in which they were begun.
  private var attempts: [Attempt] = []
  private var streamCount: UInt32 = 0
  private var closing: ClosingStreams
  private var isPumping = false
  private var isStopped = false
  /// The most fetches that were under way at a time.
  package private(set) var attemptsPeak = 0

  package init(limits: Limits = Limits(), userAgent: String, faults: DescriptionFaults = []) {
    (self.limits, self.userAgent, self.faults) = (limits, userAgent, faults)
    var own = limits.queue
    if faults.contains(.allAtOnce) { (own.connectionsMaximum, own.connectionsPerHostMaximum) = (.max, .max) }
    queue = DescriptionQueue(limits: own)
    closing = ClosingStreams(countMaximum: limits.queue.waitingMaximum, patience: limits.patience)
  }

  /// When the first of the fetches has taken too long; all have the same patience.
  package var deadline: Instant {
    min(attempts.first.map { $0.began + patience } ?? .never, closing.deadline)
  }
  private var patience: Interval { faults.contains(.patienceMissing) ? .nanoseconds(.max) : limits.patience }

  // MARK: - What is given

  package mutating func take(_ change: InterfaceChange) { interfaces.take(change) }

  /// A report of the engine.
  package mutating func take(_ report: Report, at now: Instant, into outbox: inout Outbox) {
    if isStopped { return }
    if case .changed = report, faults.contains(.notAgain) { return }
    let known = interfaces
    tell(queue.take(report) { known.addresses(of: $0) }, into: &outbox)
    pump(at: now, into: &outbox)
  }

  /// The descriptions of these devices are wanted once more.
  package mutating func fetchAgain(_ devices: [DeviceSighting], at now: Instant, into outbox: inout Outbox) {
    if isStopped { return }
    let known = interfaces
    for device in devices {
      tell(queue.fetchAgain(device) { known.addresses(of: $0) }, into: &outbox)
    }
    pump(at: now, into: &outbox)
  }

  package mutating func receive(_ signal: StreamSignal, at now: Instant, into outbox: inout Outbox) {
    guard let stream = signal.stream else { return }
    guard let index = attempts.firstIndex(where: { $0.exchange?.stream == stream }) else {
      if case .ended = signal { closing.remove(stream) }
      return
    }
    attempts[index].exchange?.receive(signal, into: &outbox)
    switch signal {
    case .ended(_, let end): ended(index, end, at: now, into: &outbox)
    case .bytes: proceed(index, at: now, into: &outbox)
    case .opened, .room, .accepted: break
    }
  }

  package mutating func advance(to now: Instant, into outbox: inout Outbox) {
    while let first = attempts.first, first.began + patience <= now {
      let reader = first.exchange?.reader
      fail(
        0, .timedOut, status: reader?.head?.status,
        "expected the whole response within \(limits.patience), \(reader?.byteCount ?? 0) bytes came",
        at: first.began + limits.patience, into: &outbox)
    }
    closing.advance(to: now, into: &outbox)
  }

  /// The engine ends: what is under way or waits is reported as stopped.
  package mutating func stop(at now: Instant, into outbox: inout Outbox) {
    if isStopped { return }
    isStopped = true
    while !attempts.isEmpty { fail(0, .stopped, "the run ended first", at: now, into: &outbox) }
    let failure = DescriptionFetch.Failure(.stopped, "the run ended first")
    tell(queue.waiting.map { DescriptionQueue.Refusal($0, failure) }, into: &outbox)
  }

  // MARK: - Fetches

  private mutating func pump(at now: Instant, into outbox: inout Outbox) {
    if isPumping { return }
    isPumping = true
    defer { isPumping = false }
    while !isStopped, let request = queue.next() {
      attempts.append(Attempt(request: request, began: now))
      attemptsPeak = max(attemptsPeak, attempts.count)
      connect(attempts.count - 1, to: request.target, at: now, into: &outbox)
    }
  }

  private mutating func connect(
    _ index: Int, to target: DescriptionTarget, at now: Instant, into outbox: inout Outbox
  ) {
    let interface = attempts[index].request.interface
    let host = target.endpoint.address
    let known = interfaces.addresses(of: interface)
    // A host beyond a router may announce itself; it is not asked either.
    let isOnLink = known.contains { $0.address.sharesPrefix($0.prefixBits, with: host) }
    guard isOnLink || limits.asksBeyondLinks || faults.contains(.redirectsUnchecked) else {
      return fail(
        index, known.isEmpty ? .interfaceGone : .outOfScope,
        "expected an address of ours on the link of \(host), there is none\(known.isEmpty ? " any more" : "")", at: now,
        into: &outbox)
    }
    streamCount &+= 1
    let request = HTTPRequest(path: target.path, authority: target.authority, userAgent: userAgent)
    attempts[index].exchange = HTTPExchange(
      StreamID(streamCount), to: target.endpoint, on: interface, request,
      bodyBytesMaximum: faults.contains(.unbounded) ? 1 << 30 : limits.bodyBytesMaximum, into: &outbox)
  }

  /// The stream of a fetch ended by itself.
  private mutating func ended(_ index: Int, _ end: StreamEnd, at now: Instant, into outbox: inout Outbox) {
    let host = attempts[index].request.target.endpoint
    switch end {
    case .finished, .reset: proceed(index, at: now, into: &outbox)
    case .refused:
      fail(index, .connectionRefused, "expected somebody to listen at \(host)", at: now, into: &outbox)
    case .unreachable, .timedOut:
      fail(
        index, .cannotConnect,
        "expected a connection to \(host), " + (end == .timedOut ? "no answer came" : "nobody has the address"),
        at: now, into: &outbox)
    }
  }

  /// Looks at what came of a response.
  private mutating func proceed(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    guard let reader = attempts[index].exchange?.reader else { return }
    if case .refused(let refusal) = reader.state {
      let reason: DescriptionFetch.Reason =
        switch refusal.reason {
        case .bodyTooLong: .tooLong
        case .noResponse, .cutShort: .closedEarly
        default: .badResponse
        }
      if refusal.reason == .cutShort, let head = reader.head, faults.contains(.cutAccepted) {
        return end(index, .fetched(document(head, reader)), at: now, into: &outbox)
      }
      return fail(
        index, reason, status: reader.head?.status,
        "expected a response with a body of at most \(limits.bodyBytesMaximum) bytes, found "
          + "\(refusal.reason.rawValue) at byte \(refusal.offset)", at: now, into: &outbox)
    }
    guard let head = reader.head else { return }
    if [301, 302, 303, 307, 308].contains(head.status), let reference = head.value(of: "location"),
      !faults.contains(.redirectsIgnored)
    {
      return follow(index, reference, head.status, at: now, into: &outbox)
    }
    // Nobody waits for the body of a refusal.
    guard head.status == 200 || faults.contains(.statusIgnored) else {
      return fail(
        index, .status, status: head.status, "expected 200, found \(head.status)", at: now, into: &outbox)
    }
    guard reader.state == .complete else { return }
    end(index, .fetched(document(head, reader)), at: now, into: &outbox)
  }

  private func document(_ head: HTTPResponseHead, _ reader: HTTPResponseReader) -> DescriptionFetch.Document {
    DescriptionFetch.Document(
      status: head.status, body: reader.body, contentType: head.value(of: "content-type"),
      applicationURL: head.value(of: "application-url"))
  }

  private mutating func follow(
    _ index: Int, _ reference: String, _ status: Int, at now: Instant, into outbox: inout Outbox
  ) {
    let (request, redirects) = (attempts[index].request, attempts[index].redirects)
    let url = URLReference.resolve(reference, against: redirects.last ?? request.location)
    if url == request.location || redirects.contains(url) {
      return fail(
        index, .redirectLoop, status: status, "\(url) leads back to itself", at: now, into: &outbox)
    }
    guard redirects.count < limits.redirectsMaximum else {
      return fail(
        index, .tooManyRedirects, status: status, "expected at most \(limits.redirectsMaximum), next is \(url)",
        at: now, into: &outbox)
    }
    do throws(DescriptionFetch.Failure) {
      var links = interfaces.addresses(of: request.interface)
      if faults.contains(.redirectsUnchecked) { links.append(InterfaceAddress(IPAddress(v4: 0), prefixBits: 0)) }
      let target = try DescriptionTarget.check(
        url, sender: request.source, subnets: links, allowsLoopback: limits.queue.allowsLoopback)
      attempts[index].redirects.append(url)
      leave(index, at: now, into: &outbox)
      connect(index, to: target, at: now, into: &outbox)
    } catch {
      fail(
        index, .redirectRefused, status: status,
        "redirected to \(url): \(error.explanation) (\(error.reason.rawValue))", at: now, into: &outbox)
    }
  }

  // MARK: - Ends

  private mutating func fail(
    _ index: Int, _ reason: DescriptionFetch.Reason, status: Int? = nil, _ explanation: String, at now: Instant,
    into outbox: inout Outbox
  ) {
    end(
      index, .failed(DescriptionFetch.Failure(reason, status: status, explanation)), at: now, into: &outbox)
  }

  private mutating func end(
    _ index: Int, _ outcome: DescriptionFetch.Outcome, at now: Instant, into outbox: inout Outbox
  ) {
    leave(index, at: now, into: &outbox)
    let attempt = attempts.remove(at: index)
    let request = attempt.request
    outbox.report(
      .description(
        DescriptionFetch(
          device: request.device, location: request.location, cause: request.cause, interface: request.interface,
          duration: now - attempt.began, redirects: attempt.redirects, outcome: outcome)))
    let refusals = queue.finish(request)
    if isStopped { return }
    tell(refusals, into: &outbox)
    pump(at: now, into: &outbox)
  }

  /// The stream of a fetch is of no use any more, if it has one.
  private mutating func leave(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    guard let exchange = attempts[index].exchange else { return }
    attempts[index].exchange = nil
    closing.end(exchange, isWhole: exchange.reader.state == .complete && !isStopped, at: now, into: &outbox)
  }

  private func tell(_ refusals: [DescriptionQueue.Refusal], into outbox: inout Outbox) {
    for refusal in refusals {
      outbox.report(
        .description(
          DescriptionFetch(
            device: refusal.device, location: refusal.location, cause: refusal.cause, interface: refusal.interface,
            duration: .zero, outcome: .failed(refusal.failure))))
    }
  }
}
