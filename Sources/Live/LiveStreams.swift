import NIOCore  // the trait Live
import NIOPosix  // the trait Live
import RollcallPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The streams of a machine on real sockets.
///
/// Lives on the event loop of a run. What becomes of a stream is told in a later turn of the loop than the wish, never
/// while a machine is being called.
final class LiveStreams: @unchecked Sendable {
  /// Streams at a time.
  static let streamsMaximum = 4_096

  private let loop: any EventLoop
  private let interface: (InterfaceID) -> LiveInterface?
  private let tell: (StreamSignal) -> Void
  private let refused: (InterfaceID, String) -> Void
  private var streams: [StreamID: LiveStream] = [:]
  private var listeners: [StreamID: [any Channel]] = [:]
  private var acceptedCount: UInt32 = 0
  private var isOver = false

  /// - Parameters:
  ///   - interface: what is known of an interface now.
  ///   - tell: called on the event loop.
  ///   - refused: the same, with the system's words about a listener that cannot be.
  init(
    loop: any EventLoop, interface: @escaping (InterfaceID) -> LiveInterface?, tell: @escaping (StreamSignal) -> Void,
    refused: @escaping (InterfaceID, String) -> Void = { _, _ in }
  ) {
    (self.loop, self.interface, self.tell, self.refused) = (loop, interface, tell, refused)
  }

  func want(_ effect: StreamEffect) {
    switch effect {
    case .connect(let id, let remote, let interface): connect(id, to: remote, interface)
    case .listen(let id, let local, let interface): listen(id, at: local, interface)
    case .write(let id, let bytes): streams[id]?.write(bytes)
    case .finish(let id): streams[id]?.finish()
    case .reset(let id):
      for channel in listeners.removeValue(forKey: id) ?? [] { channel.close(promise: nil) }
      streams.removeValue(forKey: id)?.reset()
    case .pause(let id): streams[id]?.setReading(false)
    case .resume(let id): streams[id]?.setReading(true)
    }
  }

  /// Closes everything; nothing is told any more.
  func closeAll() {
    isOver = true
    for id in listeners.keys.sorted() { for channel in listeners[id] ?? [] { channel.close(promise: nil) } }
    for id in streams.keys.sorted() { streams[id]?.reset() }
    (streams, listeners) = ([:], [:])
  }

  // MARK: - Ends of wishes

  private func tellLater(_ signals: [StreamSignal]) {
    loop.execute {
      for signal in signals where !self.isOver { self.tell(signal) }
    }
  }

  /// Streams that are not over.
  var openCount: Int { streams.count }

  /// Both sides have ended a stream, and were told so.
  fileprivate func forget(_ stream: LiveStream) {
    loop.execute { if self.streams[stream.id] === stream { self.streams[stream.id] = nil } }
  }

  /// What a channel says of its stream, if the machine still has it.
  fileprivate func heard(_ signal: StreamSignal, of stream: LiveStream, isOver ends: Bool = false) {
    // A write may be taken while the machine that wrote is still being called.
    loop.execute {
      guard !self.isOver, self.streams[stream.id] === stream else { return }
      if ends { self.streams[stream.id] = nil }
      self.tell(signal)
    }
  }

  // MARK: - Opening

  private func connect(_ id: StreamID, to remote: Endpoint, _ interface: InterfaceID) {
    guard streams[id] == nil, listeners[id] == nil else { return }
    let known = self.interface(interface)
    let host = remote.address
    let own = known?.addresses.first { $0.address.sharesPrefix($0.prefixBits, with: host) }
    guard let known, known.isUp, let own, streams.count < LiveStreams.streamsMaximum else {
      return tellLater([.ended(id, .unreachable)])
    }
    let stream = LiveStream(id, self)
    streams[id] = stream
    func address(_ endpoint: Endpoint) -> SocketAddress {
      SocketAddress(endpoint, scope: endpoint.address.isLinkLocal ? known.index : 0)
    }
    ClientBootstrap(group: loop)
      // As long as a virtual stream tries.
      .connectTimeout(.seconds(63))
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(stream.handler) }
      }
      .bind(to: address(Endpoint(own.address, port: 0)))
      .connect(to: address(remote))
      .whenComplete { result in
        switch result {
        case .success(let channel):
          guard self.streams[id] === stream, !stream.wasReset else { return channel.close(promise: nil) }
          let local = channel.localAddress?.endpoint ?? Endpoint(own.address, port: 0)
          self.heard(.opened(id, local: local), of: stream)
          self.heard(.room(id, byteCount: UInt32(StreamSize.bufferBytes)), of: stream)
          stream.opened(channel)
        case .failure(let error):
          let isRefused = (error as? IOError)?.errnoCode == ECONNREFUSED
          let isLate = if case ChannelError.connectTimeout = error { true } else { false }
          self.heard(.ended(id, isRefused ? .refused : isLate ? .timedOut : .unreachable), of: stream, isOver: true)
        }
      }
  }

  private func listen(_ id: StreamID, at local: Endpoint, _ interface: InterfaceID) {
    guard streams[id] == nil, listeners[id] == nil, let known = self.interface(interface), known.isUp else {
      return tellLater([.ended(id, .unreachable)])
    }
    let addresses = local.address.isUnspecified ? known.addresses.map(\.address) : [local.address]
    listeners[id] = []
    for own in addresses {
      let endpoint = Endpoint(own, port: local.port)
      ServerBootstrap(group: loop)
        .serverChannelOption(.backlog, value: 256)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try self.accept(channel, by: id, at: endpoint) }
        }
        .bind(to: SocketAddress(endpoint, scope: own.isLinkLocal ? known.index : 0))
        .whenComplete { result in
          switch result {
          case .success(let channel):
            if self.listeners[id] == nil { channel.close(promise: nil) } else { self.listeners[id]?.append(channel) }
          case .failure(let error):
            self.refused(interface, "listening at \(endpoint): \(SystemWords.of(error))")
            guard let others = self.listeners.removeValue(forKey: id) else { return }
            for channel in others { channel.close(promise: nil) }
            self.tellLater([.ended(id, .refused)])
          }
        }
    }
  }

  private func accept(_ channel: any Channel, by listener: StreamID, at local: Endpoint) throws {
    guard !isOver, streams.count < LiveStreams.streamsMaximum else { throw ChannelError.ioOnClosedChannel }
    repeat { acceptedCount &+= 1 } while streams[StreamID(0 &- acceptedCount)] != nil
    let stream = LiveStream(StreamID(0 &- acceptedCount), self)
    stream.opened(channel)
    try channel.pipeline.syncOperations.addHandler(stream.handler)
    streams[stream.id] = stream
    let remote = channel.remoteAddress?.endpoint ?? Endpoint(local.address, port: 0)
    heard(.accepted(stream.id, listener: listener, local: local, remote: remote), of: stream)
    heard(.room(stream.id, byteCount: UInt32(StreamSize.bufferBytes)), of: stream)
  }
}

/// One stream on a socket.
private final class LiveStream: @unchecked Sendable {
  let id: StreamID
  private unowned let owner: LiveStreams
  private(set) lazy var handler = LiveStreamHandler(self)
  /// `nil`: it does not stand yet.
  private var channel: (any Channel)?
  private var roomBytes = StreamSize.bufferBytes
  private var isReading = true
  private(set) var wasReset = false
  private var hasFinished = false
  private var heardFinish = false
  /// The system said that something went wrong.
  var hasFailed = false

  init(_ id: StreamID, _ owner: LiveStreams) { (self.id, self.owner) = (id, owner) }

  /// It stands; what its machine wanted of it before is done now.
  func opened(_ channel: any Channel) {
    self.channel = channel
    if !isReading { setReading(false) }
    if hasFinished { sendFinish() }
  }

  func write(_ bytes: [UInt8]) {
    guard !hasFinished, !bytes.isEmpty else { return }
    // Before it stands there is no room.
    guard let channel, bytes.count <= roomBytes else {
      owner.heard(.ended(id, .reset), of: self, isOver: true)
      return reset()
    }
    roomBytes -= bytes.count
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess { [weak self] in
      guard let self, !self.hasFinished else { return }
      self.roomBytes += bytes.count
      self.owner.heard(.room(self.id, byteCount: UInt32(bytes.count)), of: self)
    }
  }

  func finish() {
    guard !hasFinished else { return }
    hasFinished = true
    sendFinish()
  }

  private func sendFinish() {
    guard let channel else { return }
    // What was written goes out first.
    channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
      if self.heardFinish { channel.close(promise: nil) } else { channel.close(mode: .output, promise: nil) }
    }
  }

  /// Without a wait the system tells the other side that it is over, and not that it has finished.
  func reset() {
    wasReset = true
    guard let channel else { return }
    if let socket = channel as? any SocketOptionProvider {
      socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
    } else {
      channel.close(promise: nil)
    }
  }

  func setReading(_ isReading: Bool) {
    self.isReading = isReading
    _ = channel?.setOption(.autoRead, value: isReading)
    if isReading { channel?.read() }
  }

  // MARK: What the channel says

  func received(_ bytes: [UInt8]) {
    for piece in StreamSize.pieces(of: bytes) { owner.heard(.bytes(id, piece), of: self) }
  }

  func inputClosed() {
    guard !heardFinish else { return }
    heardFinish = true
    owner.heard(.ended(id, .finished), of: self, isOver: hasFinished)
    if hasFinished { channel?.close(promise: nil) }
  }

  func closed() {
    if hasFinished, heardFinish { return owner.forget(self) }
    // Where this side has finished, the end of the other is the end of the channel, without an event of its own.
    owner.heard(.ended(id, hasFinished && !hasFailed ? .finished : .reset), of: self, isOver: true)
  }
}

private final class LiveStreamHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let stream: LiveStream

  init(_ stream: LiveStream) { self.stream = stream }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    if buffer.readableBytes > 0 { stream.received(Array(buffer.readableBytesView)) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { stream.inputClosed() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) { stream.closed() }
  // A reset ends in `channelInactive`.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    stream.hasFailed = true
    context.close(promise: nil)
  }
}
