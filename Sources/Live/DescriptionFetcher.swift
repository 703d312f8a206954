package import RollcallDiscovery
package import NIOCore
import NIOPosix
package import RollcallPrimitives
import RollcallWire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fetches the descriptions of devices over HTTP, as an engine reports them: bounded in size, time, redirects and
/// connections, from addresses on the link of the interface that heard the device, and from nowhere else.
///
/// Lives on the event loop of a run. It tells the engine nothing, so a run with it and one without it have the same
/// trace. Every LOCATION ends in one call of `onFetch`, whatever becomes of it.
package final class DescriptionFetcher: @unchecked Sendable {
  package struct Limits: Hashable, Sendable {
    package var bodyBytesMaximum = 1 << 20
    /// For a whole fetch, redirects included.
    package var patience = Interval.seconds(10)
    var redirectsMaximum = 2
    package var queue = DescriptionQueue.Limits()
    package init() {}
  }

  private let loop: any EventLoop
  private let limits: Limits
  private let userAgent: String
  private let clock: () -> Instant
  private let interface: (InterfaceID) -> LiveInterface?
  private let onFetch: (DescriptionFetch) -> Void
  private var queue: DescriptionQueue
  /// In the order in which they were begun.
  private var active: [DescriptionAttempt] = []
  private var isPumping = false
  private var isStopped = false
  /// The most fetches that were under way at a time.
  package private(set) var activeMaximum = 0

  /// - Parameters:
  ///   - clock: of the run.
  ///   - interface: what is known of an interface now.
  ///   - onFetch: called on the event loop.
  package init(
    loop: any EventLoop, limits: Limits = Limits(), userAgent: String, clock: @escaping () -> Instant,
    interface: @escaping (InterfaceID) -> LiveInterface?, onFetch: @escaping (DescriptionFetch) -> Void
  ) {
    (self.loop, self.limits, self.userAgent, self.clock) = (loop, limits, userAgent, clock)
    (self.interface, self.onFetch) = (interface, onFetch)
    queue = DescriptionQueue(limits: limits.queue)
  }

  // MARK: On the loop

  /// A report of the engine.
  package func take(_ report: Report) {
    guard !isStopped else { return }
    tell(queue.take(report) { self.interface($0)?.addresses ?? [] })
    pump()
  }

  /// The run ends: what is under way or waits is reported as stopped.
  package func stop() {
    guard !isStopped else { return }
    isStopped = true
    let failure = DescriptionFetch.Failure(.stopped, "the run ended first")
    for attempt in active { end(attempt, .failed(failure)) }
    tell(queue.waiting.map { DescriptionQueue.Refusal($0, failure) })
  }

  private func tell(_ refusals: [DescriptionQueue.Refusal]) {
    let now = clock()
    for refusal in refusals {
      onFetch(
        DescriptionFetch(
          device: refusal.device, location: refusal.location, cause: refusal.cause, interface: refusal.interface,
          began: now, ended: now, outcome: .failed(refusal.failure)))
    }
  }

  /// Begins what may begin.
  private func pump() {
    guard !isPumping else { return }
    isPumping = true
    while !isStopped, let request = queue.next() {
      let attempt = DescriptionAttempt(
        request, reader: HTTPResponseReader(limits: .init(bodyBytesMaximum: limits.bodyBytesMaximum)), began: clock())
      active.append(attempt)
      activeMaximum = max(activeMaximum, active.count)
      attempt.alarm = loop.scheduleTask(in: .nanoseconds(limits.patience.nanoseconds)) { self.expire(attempt) }
      connect(attempt, to: request.target)
    }
    isPumping = false
  }

  private func end(_ attempt: DescriptionAttempt, _ outcome: DescriptionFetch.Outcome) {
    guard !attempt.isOver else { return }
    attempt.isOver = true
    attempt.alarm?.cancel()
    attempt.channel?.close(promise: nil)
    attempt.channel = nil
    active.removeAll { $0 === attempt }
    let request = attempt.request
    onFetch(
      DescriptionFetch(
        device: request.device, location: request.location, cause: request.cause, interface: request.interface,
        began: attempt.began, ended: clock(), redirects: attempt.redirects, outcome: outcome))
    let refusals = queue.finish(request)
    guard !isStopped else { return }
    tell(refusals)
    pump()
  }

  private func fail(
    _ attempt: DescriptionAttempt, _ reason: DescriptionFetch.Reason, status: Int? = nil, _ explanation: String
  ) {
    end(attempt, .failed(DescriptionFetch.Failure(reason, status: status, explanation)))
  }

  private func expire(_ attempt: DescriptionAttempt) {
    let count = attempt.reader.byteCount
    fail(
      attempt, .timedOut, status: attempt.reader.head?.status,
      "expected the whole response within \(limits.patience), \(count) bytes came")
  }

  // MARK: Connections

  private func connect(_ attempt: DescriptionAttempt, to target: DescriptionTarget) {
    let known = interface(attempt.request.interface)
    let host = target.endpoint.address
    let own = known?.addresses.first { $0.address.sharesPrefix($0.prefixBits, with: host) }
    guard let known, known.isUp, let own else {
      // A host beyond a router may announce itself; it is not asked either.
      let isGone = known.map { !$0.isUp || $0.addresses.isEmpty } ?? true
      return fail(
        attempt, isGone ? .interfaceGone : .outOfScope,
        "expected an address of ours on the link of \(host), there is none\(isGone ? " any more" : "")")
    }
    func address(_ endpoint: Endpoint) -> SocketAddress {
      SocketAddress(endpoint, scope: endpoint.address.isLinkLocal ? known.index : 0)
    }
    attempt.leg += 1
    let leg = attempt.leg
    let request = HTTPRequest(path: target.path, authority: target.authority, userAgent: userAgent).bytes
    ClientBootstrap(group: loop)
      .connectTimeout(.nanoseconds(limits.patience.nanoseconds))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            DescriptionClient(fetcher: self, attempt: attempt, leg: leg, request: request))
        }
      }
      .bind(to: address(Endpoint(own.address, port: 0)))
      .connect(to: address(target.endpoint))
      .whenComplete { result in
        switch result {
        case .success(let channel):
          if attempt.isOver || attempt.leg != leg { channel.close(promise: nil) } else { attempt.channel = channel }
        case .failure(let error):
          guard !attempt.isOver, attempt.leg == leg else { return }
          let isRefused = (error as? IOError)?.errnoCode == ECONNREFUSED
          let isLate = if case ChannelError.connectTimeout = error { true } else { false }
          self.fail(
            attempt, isRefused ? .connectionRefused : isLate ? .timedOut : .cannotConnect,
            "expected a connection to \(target.endpoint) from \(own.address), the system says: \(error)")
        }
      }
  }

  fileprivate func received(_ bytes: ByteBuffer, _ attempt: DescriptionAttempt, leg: Int) {
    guard !attempt.isOver, attempt.leg == leg else { return }
    bytes.withUnsafeReadableBytes { _ = attempt.reader.take($0) }
    progress(attempt)
  }

  fileprivate func closed(_ attempt: DescriptionAttempt, leg: Int) {
    guard !attempt.isOver, attempt.leg == leg else { return }
    attempt.reader.close()
    progress(attempt)
  }

  private func progress(_ attempt: DescriptionAttempt) {
    if case .refused(let refusal) = attempt.reader.state {
      let reason: DescriptionFetch.Reason =
        switch refusal.reason {
        case .bodyTooLong: .tooLong
        case .noResponse, .cutShort: .closedEarly
        default: .badResponse
        }
      return fail(
        attempt, reason, status: attempt.reader.head?.status,
        "expected a response with a body of at most \(limits.bodyBytesMaximum) bytes, found "
          + "\(refusal.reason.rawValue) at byte \(refusal.offset)")
    }
    guard let head = attempt.reader.head else { return }
    if [301, 302, 303, 307, 308].contains(head.status), let reference = head.value(of: "location") {
      return follow(reference, head.status, attempt)
    }
    // Nobody waits for the body of a refusal.
    guard head.status == 200 else {
      return fail(attempt, .status, status: head.status, "expected 200, found \(head.status)")
    }
    guard attempt.reader.state == .complete else { return }
    let document = DescriptionFetch.Document(
      status: 200, body: attempt.reader.body, contentType: head.value(of: "content-type"))
    end(attempt, .fetched(document))
  }

  private func follow(_ reference: String, _ status: Int, _ attempt: DescriptionAttempt) {
    let url = URLReference.resolve(reference, against: attempt.redirects.last ?? attempt.request.location)
    if url == attempt.request.location || attempt.redirects.contains(url) {
      return fail(attempt, .redirectLoop, status: status, "\(url) leads back to itself")
    }
    guard attempt.redirects.count < limits.redirectsMaximum else {
      return fail(
        attempt, .tooManyRedirects, status: status, "expected at most \(limits.redirectsMaximum), next is \(url)")
    }
    let request = attempt.request
    do throws(DescriptionFetch.Failure) {
      let target = try DescriptionTarget.check(
        url, sender: request.source, subnets: interface(request.interface)?.addresses ?? [],
        allowsLoopback: limits.queue.allowsLoopback)
      attempt.redirects.append(url)
      // The close is heard of at once, and is not the end of the fetch.
      attempt.leg += 1
      attempt.channel?.close(promise: nil)
      attempt.channel = nil
      attempt.reader = HTTPResponseReader(limits: attempt.reader.limits)
      connect(attempt, to: target)
    } catch {
      fail(
        attempt, .redirectRefused, status: status,
        "redirected to \(url): \(error.explanation) (\(error.reason.rawValue))")
    }
  }
}

/// One description under way.
private final class DescriptionAttempt: @unchecked Sendable {
  let request: DescriptionQueue.Request
  let began: Instant
  var reader: HTTPResponseReader
  var redirects: [String] = []
  /// Counts the connections; events of an earlier one are not for the present one.
  var leg = 0
  var channel: (any Channel)?
  var alarm: Scheduled<Void>?
  var isOver = false

  init(_ request: DescriptionQueue.Request, reader: HTTPResponseReader, began: Instant) {
    (self.request, self.reader, self.began) = (request, reader, began)
  }
}

/// One connection: a request, and what comes back.
private final class DescriptionClient: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let fetcher: DescriptionFetcher
  private let attempt: DescriptionAttempt
  private let leg: Int
  private let request: [UInt8]

  init(fetcher: DescriptionFetcher, attempt: DescriptionAttempt, leg: Int, request: [UInt8]) {
    (self.fetcher, self.attempt, self.leg, self.request) = (fetcher, attempt, leg, request)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
  }
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    fetcher.received(unwrapInboundIn(data), attempt, leg: leg)
  }
  func channelInactive(context: ChannelHandlerContext) { fetcher.closed(attempt, leg: leg) }
  // A reset ends in `channelInactive`.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
