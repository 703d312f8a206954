package import NIOCore  // the trait Live
import NIOPosix  // the trait Live

/// Where hosts of HCI are waited for.
package enum HCIPlace: Hashable, Sendable, CustomStringConvertible {
  case tcp(host: String, port: Int)
  case unix(path: String)

  /// `tcp:127.0.0.1:9000`, `tcp:[::1]:9000`, `unix:/tmp/hci`.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      // The system has no room for longer ones.
      guard !path.isEmpty, path.utf8.count <= 103 else { return nil }
      self = .unix(path: path)
      return
    }
    guard text.hasPrefix("tcp:") else { return nil }
    let place = text.dropFirst(4)
    guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]) else {
      return nil
    }
    var host = place[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { return nil }
    self = .tcp(host: String(host), port: Int(port))
  }

  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}

/// Sockets on which hosts of HCI connect, on the event loop of a run. All calls are on that loop.
package final class HCISockets: @unchecked Sendable {
  /// What becomes of the hosts outside, each with a number of its own, from 0.
  package enum Event {
    case connected(Int)
    case bytes(Int, [UInt8])
    case closed(Int)
  }

  /// A host that takes no more than this is cut off.
  static let pendingBytesMaximum = 1 << 20

  private let loop: any EventLoop
  private let tell: @Sendable (Event) -> Void
  private var listener: (any Channel)?
  private var channels: [Int: any Channel] = [:]
  private var pendingBytes: [Int: Int] = [:]
  private var count = 0

  package init(loop: any EventLoop, tell: @escaping @Sendable (Event) -> Void) { (self.loop, self.tell) = (loop, tell) }

  /// Waits for hosts there; may be called from any thread.
  /// - Parameter done: told on the loop where that is, with the port that the system chose where 0 was asked for, or why
  ///   it cannot be.
  package func listen(at place: HCIPlace, done: @escaping @Sendable (Result<HCIPlace, any Error>) -> Void) {
    loop.execute { self.bind(place).whenComplete(done) }
  }

  private func bind(_ place: HCIPlace) -> EventLoopFuture<HCIPlace> {
    let bootstrap = ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 16)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try self.accept(channel) }
      }
    let bound =
      switch place {
      case .tcp(let host, let port): bootstrap.bind(host: host, port: port)
      // A file that is in the way is somebody's: the system refuses.
      case .unix(let path): bootstrap.bind(unixDomainSocketPath: path)
      }
    return bound.map { channel in
      self.listener = channel
      guard case .tcp(let host, _) = place, let port = channel.localAddress?.port else { return place }
      return .tcp(host: host, port: port)
    }
  }

  package func send(_ bytes: [UInt8], to host: Int) {
    guard let channel = channels[host] else { return }
    pendingBytes[host, default: 0] += bytes.count
    if pendingBytes[host, default: 0] > HCISockets.pendingBytesMaximum { return close(host) }
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess { [weak self] in
      self?.pendingBytes[host]? -= bytes.count
    }
  }

  package func close(_ host: Int) { channels[host]?.close(promise: nil) }

  package func closeAll() {
    listener?.close(promise: nil)
    for host in channels.keys.sorted() { close(host) }
  }

  private func accept(_ channel: any Channel) throws {
    let host = count
    count += 1
    channels[host] = channel
    pendingBytes[host] = 0
    try channel.pipeline.syncOperations.addHandler(
      HCIHandler { [weak self] bytes in
        guard let self else { return }
        if let bytes { return self.tell(.bytes(host, bytes)) }
        self.channels[host] = nil
        self.pendingBytes[host] = nil
        self.tell(.closed(host))
      })
    tell(.connected(host))
  }
}

final class HCIHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  /// Bytes that came, or `nil` at the end.
  private let heard: ([UInt8]?) -> Void

  init(_ heard: @escaping ([UInt8]?) -> Void) { self.heard = heard }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    if buffer.readableBytes > 0 { heard(Array(buffer.readableBytesView)) }
  }

  func channelInactive(context: ChannelHandlerContext) { heard(nil) }
  // What went wrong ends in `channelInactive`.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
