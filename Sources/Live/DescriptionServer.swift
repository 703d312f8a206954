import NIOCore
import NIOPosix
package import RollcallPrimitives
import RollcallWire

/// Serves device descriptions over HTTP: one listener for each address and port, a bounded number of short connections.
///
/// Lives on the event loop of a run, and ends with it.
package final class DescriptionServer: @unchecked Sendable {
  /// The document at a path of a listener.
  package enum Answer {
    case document([UInt8])
    /// A document, and who is told whether all of it was taken.
    case measured([UInt8], (Bool) -> Void)
    /// The page is said to be elsewhere.
    case redirect(String)
    /// There is no such path.
    case unknown
    /// Nobody is there: the connection is closed without a word.
    case nobody
  }

  /// Connections at a time; more are closed at once.
  static let connectionsMaximum = 512
  /// A connection that has not got its answer by then is closed.
  static let patience = TimeAmount.seconds(10)

  private let loop: any EventLoop
  private let answer: (Endpoint, String) -> Answer
  /// Who asks, while `answer` is asked.
  package fileprivate(set) var client: IPAddress?
  /// Told of the response that was made last, whether all of it was taken.
  fileprivate var whenWritten: ((Bool) -> Void)?
  fileprivate var connectionCount = 0
  package private(set) var servedCount = 0
  package private(set) var refusedCount = 0

  /// - Parameter answer: asked on the event loop, for a listener and a path.
  package init(on run: LiveRun, answer: @escaping (Endpoint, String) -> Answer) {
    loop = run.eventLoop
    self.answer = answer
  }

  /// Listens; what cannot be bound is said by name.
  /// - Parameter scope: the system's number of the interface, for a link-local IPv6 address.
  package func listen(at endpoint: Endpoint, scope: UInt32) throws {
    let address = SocketAddress(endpoint, scope: endpoint.address.isLinkLocal ? scope : 0)
    _ = try ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(DescriptionConnection(server: self, listener: endpoint))
        }
      }
      .bind(to: address).wait()
  }

  fileprivate func response(to head: HTTPRequestHead, at listener: Endpoint) -> [UInt8]? {
    whenWritten = nil
    let isHead = head.method == "HEAD"
    switch answer(listener, head.path) {
    case .nobody: return nil
    case .unknown:
      refusedCount += 1
      return HTTPResponse.refusal(404).bytes(isHead: isHead)
    case .measured(let body, let report):
      whenWritten = report
      return HTTPResponse.description(body).bytes(isHead: isHead)
    case .redirect(let location):
      return HTTPResponse.redirect(to: location).bytes(isHead: isHead)
    case .document(let body):
      guard isHead || head.method == "GET" else {
        refusedCount += 1
        return HTTPResponse.readOnly.bytes()
      }
      servedCount += 1
      return HTTPResponse.description(body).bytes(isHead: isHead)
    }
  }

  fileprivate func refusal(_ status: Int) -> [UInt8] {
    refusedCount += 1
    return HTTPResponse.refusal(status).bytes()
  }
}

/// One connection: a request, an answer, the end.
private final class DescriptionConnection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: DescriptionServer
  private let listener: Endpoint
  private var received: [UInt8] = []
  private var isAnswered = false
  private var isCounted = false
  private var isTimedOut = false

  init(server: DescriptionServer, listener: Endpoint) { (self.server, self.listener) = (server, listener) }

  func channelActive(context: ChannelHandlerContext) {
    guard server.connectionCount < DescriptionServer.connectionsMaximum else {
      context.close(promise: nil)
      return
    }
    server.connectionCount += 1
    isCounted = true
    let channel = context.channel
    channel.eventLoop.assumeIsolated().scheduleTask(in: DescriptionServer.patience) {
      self.isTimedOut = true
      channel.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if isCounted { server.connectionCount -= 1 }
    isCounted = false
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isAnswered else { return }
    received += unwrapInboundIn(data).readableBytesView
    let reply: [UInt8]?
    switch HTTPRequestHead.read(received) {
    case .incomplete: return
    case .refused(let status): reply = server.refusal(status)
    case .head(let head):
      server.client = context.remoteAddress?.endpoint?.address
      reply = server.response(to: head, at: listener)
    }
    isAnswered = true
    received = []
    guard let reply else { return context.close(promise: nil) }
    let channel = context.channel
    let report = server.whenWritten
    server.whenWritten = nil
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: reply))).assumeIsolated().whenComplete { result in
      // Whose time is over may have read on.
      if case .success = result { report?(true) } else if !self.isTimedOut { report?(false) }
      channel.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
