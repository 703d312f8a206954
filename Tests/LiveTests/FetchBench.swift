import RollcallDiscovery
import NIOCore
import NIOPosix
import RollcallPrimitives

@testable import RollcallLive

/// The engine's client and a server on the loopback, on one event loop: what the client reports is noted in order.
final class FetchBench: @unchecked Sendable {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let server: ScriptedServer
  private(set) var client: DescriptionClient
  private var streams: LiveStreams!
  private let loop: any EventLoop
  private let start = NIODeadline.now()
  private var fetches: [DescriptionFetch] = []
  private var wanted: (count: Int, promise: EventLoopPromise<Void>)?
  private var alarm: Scheduled<Void>?

  /// - Parameter own: the address of the interface; `nil`: it has none.
  init(
    own: IPAddress? = IPAddress(127, 0, 0, 1), _ configure: (inout DescriptionClient.Limits) -> Void = { _ in },
    answer: @escaping (String) -> ScriptedServer.Answer
  ) throws {
    loop = group.next()
    server = try ScriptedServer(on: loop, answer: answer)
    var limits = DescriptionClient.Limits()
    limits.queue.allowsLoopback = true
    configure(&limits)
    let interface = LiveInterface(
      name: "lo", index: 1, addresses: own.map { [InterfaceAddress($0, prefixBits: 8)] } ?? [])
    client = DescriptionClient(limits: limits, userAgent: "test")
    client.take(interface.change(as: InterfaceID(0)))
    streams = LiveStreams(
      loop: loop, interface: { _ in interface },
      tell: { [unowned self] signal in turn { $0.receive(signal, at: $1, into: &$2) } })
  }

  /// Calls the client, does what it wants, and wakes it when it asked for that.
  private func turn(_ call: (inout DescriptionClient, Instant, inout Outbox) -> Void) {
    let now = Instant(nanoseconds: (NIODeadline.now() - start).nanoseconds)
    var outbox = Outbox(payloads: PayloadStore())
    client.advance(to: now, into: &outbox)
    call(&client, now, &outbox)
    for effect in outbox.effects {
      switch effect {
      case .streams(let effect): streams.want(effect)
      case .application(.description(let fetch)):
        fetches.append(fetch)
        if let wanted, fetches.count == wanted.count { wanted.promise.succeed(()) }
      default: break
      }
    }
    alarm?.cancel()
    guard client.deadline < .never else { return }
    alarm = loop.scheduleTask(deadline: start + .nanoseconds(client.deadline.nanoseconds)) {
      self.turn { _, _, _ in }
    }
  }

  func sighting(_ device: String, _ location: String) -> DeviceSighting {
    DeviceSighting(
      device: device, location: location, source: IPAddress(127, 0, 0, 1), interface: InterfaceID(0), bootID: nil)
  }
  func find(_ device: String, path: String) {
    take(.found(sighting(device, "http://127.0.0.1:\(server.port)\(path)")))
  }
  func take(_ report: Report) { loop.execute { self.turn { $0.take(report, at: $1, into: &$2) } } }
  func stop() { loop.execute { self.turn { $0.stop(at: $1, into: &$2) } } }

  /// The first `count` lines, as soon as they are there; all that came, after a turn of the loop.
  func lines(_ count: Int) throws -> [String] {
    let promise = loop.makePromise(of: Void.self)
    loop.execute {
      if self.fetches.count >= count { promise.succeed(()) } else { self.wanted = (count, promise) }
    }
    try promise.futureResult.wait()
    return try loop.submit { self.fetches.map(self.line) }.wait()
  }

  func failure(of device: String) -> DescriptionFetch.Failure? {
    let fetch = fetches.first { $0.device == device }
    if case .failed(let failure) = fetch?.outcome { return failure }
    return nil
  }

  /// A port that nobody has.
  func closedPort() throws -> UInt16 {
    let other = try ScriptedServer(on: loop) { _ in .close }
    defer { try? other.close() }
    return other.port
  }

  func end() { try? group.syncShutdownGracefully() }

  private func line(_ fetch: DescriptionFetch) -> String {
    func path(_ url: String) -> String { "/" + url.split(separator: "/", maxSplits: 2).dropFirst(2).joined() }
    let way = fetch.redirects.map { " -> " + path($0) }.joined()
    let head = "\(fetch.device) \(fetch.location.map(path) ?? "-")\(way) "
    switch fetch.outcome {
    case .fetched(let document):
      return head + "\(document.status) " + String(decoding: document.body, as: UTF8.self)
    case .failed(let failure):
      return head + "failed \(failure.reason.rawValue)" + (failure.status.map { " \($0)" } ?? "")
    }
  }
}

/// A server that does as it is told, good or bad.
final class ScriptedServer: @unchecked Sendable {
  enum Answer {
    case bytes(String), bytesThenClose(String)
    /// Each in a packet of its own.
    case pieces([String])
    case close
    case silence
    /// A beginning, and then the same for ever.
    case endless(String, String)
    /// When so many have asked, all of them get it.
    case together(Int, String)
  }

  private var channel: (any Channel)!
  private let answer: (String) -> Answer
  private var waiting: [(any Channel, String)] = []
  /// In the order in which they came.
  private(set) var requests: [String] = []
  private(set) var clients: [IPAddress] = []
  private(set) var askedTogetherMaximum = 0

  init(on loop: any EventLoop, answer: @escaping (String) -> Answer) throws {
    self.answer = answer
    channel = try ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 64)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ScriptedConnection(self))
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  var port: UInt16 { UInt16(channel.localAddress?.port ?? 0) }
  var paths: [String] { requests.map { String($0.split(separator: " ")[1]) } }
  func close() throws { try channel.close().wait() }

  fileprivate func asked(_ request: String, _ channel: any Channel) {
    requests.append(request)
    if let client = channel.remoteAddress?.endpoint { clients.append(client.address) }
    switch answer(String(request.split(separator: " ")[1])) {
    case .bytes(let text): write(text, channel)
    case .bytesThenClose(let text): write(text, channel).whenComplete { _ in channel.close(promise: nil) }
    case .pieces(let texts): for text in texts { write(text, channel) }
    case .close: channel.close(promise: nil)
    case .silence: break
    case .endless(let beginning, let text):
      write(beginning, channel)
      again(text, channel)
    case .together(let count, let text):
      waiting.append((channel, text))
      askedTogetherMaximum = max(askedTogetherMaximum, waiting.count)
      guard waiting.count >= count else { return }
      let all = waiting
      waiting = []
      for (channel, text) in all { write(text, channel) }
    }
  }

  @discardableResult private func write(_ text: String, _ channel: any Channel) -> EventLoopFuture<Void> {
    channel.writeAndFlush(ByteBuffer(string: text))
  }
  private func again(_ text: String, _ channel: any Channel) {
    write(text, channel).whenSuccess { channel.eventLoop.execute { self.again(text, channel) } }
  }
}

private final class ScriptedConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let server: ScriptedServer
  private var received = ""

  init(_ server: ScriptedServer) { self.server = server }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += String(buffer: unwrapInboundIn(data))
    guard received.hasSuffix("\r\n\r\n") else { return }
    server.asked(received, context.channel)
    received = ""
  }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
