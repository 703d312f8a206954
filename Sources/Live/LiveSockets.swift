import NIOCore  // the trait Live
import NIOPosix  // the trait Live
package import RollcallPrimitives

/// A datagram as a socket heard it; the bytes are good until the call returns.
package struct HeardDatagram {
  package var source: Endpoint
  package var destination: Endpoint
  package var interface: InterfaceID
  /// TTL or hop limit that it came with; 0: the system did not tell.
  package var hopLimit: UInt8
  package var bytes: UnsafeRawBufferPointer

  package init(
    source: Endpoint, destination: Endpoint, interface: InterfaceID, hopLimit: UInt8, bytes: UnsafeRawBufferPointer
  ) {
    (self.source, self.destination, self.interface) = (source, destination, interface)
    (self.hopLimit, self.bytes) = (hopLimit, bytes)
  }
}

/// The UDP sockets of a live run: one for each group on each interface, one for each address and port that is sent from.
///
/// Lives on one event loop. What the system refuses comes back as a `Refusal`, a turn of the loop later, so that a
/// machine is never called while it is being called.
final class LiveSockets: @unchecked Sendable {
  /// The most sockets for sending that are kept open; the least recently used one is closed for a new one.
  static let sourcesMaximum = 1_024
  /// The most datagrams that are read from one socket before the others, and before timers.
  static let turnMaximum = 64

  fileprivate struct Door {
    var interface: InterfaceID
    /// What is bound: the group, or the address and port as the machine names it.
    var endpoint: Endpoint
    /// The port that the system gave instead, where the one that was asked for is taken.
    var actualPort: UInt16
    var descriptor: CInt
    var channel: (any Channel)?
    /// What was sent before the channel was ready.
    var waiting: [(to: SocketAddress, hopLimit: UInt8, bytes: ByteBuffer, refusal: Refusal)] = []
    var isGroup: Bool
    var lastHopLimit: UInt8 = 0
    var lastWasMulticast = false
    var lastUse: UInt64 = 0
  }

  private let loop: any EventLoop
  private var doors: [UInt32: Door] = [:]
  /// Keys of `doors` in the order in which they were opened: what is iterated.
  private var order: [UInt32] = []
  private var sources: [Key: UInt32] = [:]
  private var nextKey: UInt32 = 0
  private var uses: UInt64 = 0
  private var dropsOfClosed = 0

  private struct Key: Hashable {
    var endpoint: Endpoint
    var interface: InterfaceID
  }

  /// The system's number of an interface; `nil`: it is gone.
  var systemIndex: (InterfaceID) -> UInt32? = { _ in nil }
  var hear: (HeardDatagram) -> Void = { _ in }
  var refuse: (Refusal, String) -> Void = { _, _ in }
  /// A port that was taken, and the one that is used instead; `nil`: ports are not given up.
  var movesTakenPorts = true
  private(set) var sentCount = 0

  private var keeper: Doorkeeper?
  /// Keys of the doors that the keeper waits at, in the order in which he has their descriptors.
  private var kept: [UInt32] = []
  private var isOver = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)

  init(loop: any EventLoop) { self.loop = loop }

  deinit { buffer.deallocate() }

  /// Begins to hear; `false`: the system has no descriptors left.
  func begin() -> Bool {
    keeper = Doorkeeper(loop: loop) { [weak self] places in self?.fetch(places) }
    return keeper != nil
  }

  /// Behind `closeAll`; from a thread that may wait.
  func end() {
    keeper?.end()
    keeper = nil
  }

  /// Hears what waits at these doors, and says which doors there are now.
  private func fetch(_ places: [Int]) -> [CInt]? {
    for place in places {
      guard kept.indices.contains(place), let door = doors[kept[place]] else { continue }
      for _ in 0..<LiveSockets.turnMaximum {
        // What is heard may close the door.
        guard doors[kept[place]] != nil else { break }
        let arrival = SystemSocket.receive(from: door.descriptor, into: buffer)
        if case .empty = arrival { break }
        guard case .datagram(let source, let hopLimit, let count) = arrival else { continue }
        received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), from: source, hopLimit: hopLimit, door)
      }
    }
    if isOver { return nil }
    kept = order.filter { doors[$0]?.channel != nil }
    return kept.compactMap { doors[$0]?.descriptor }
  }

  // MARK: Groups

  func join(_ group: Endpoint, on interface: InterfaceID) {
    leave(group, on: interface)
    let refusal = Refusal(deed: .join, interface: interface, address: group.address, port: group.port)
    guard let index = systemIndex(interface) else { return later(refusal, "the interface is gone") }
    do {
      let socket = try SystemSocket.listening(to: group, on: index)
      open(socket, Door(interface, group, socket, isGroup: true), refusal)
    } catch { later(refusal, SystemWords.of(error)) }
  }

  func leave(_ group: Endpoint, on interface: InterfaceID) {
    for key in order where doors[key].map({ $0.isGroup && $0.interface == interface }) == true {
      if doors[key]?.endpoint == group { close(key) }
    }
  }

  // MARK: Sending

  /// Opens a socket ahead of time, where what is sent there has to be heard.
  func open(_ endpoint: Endpoint, on interface: InterfaceID) {
    _ = source(endpoint, interface, refusalOf(endpoint, endpoint.address, interface))
  }

  func send(_ datagram: Datagram, _ payload: UnsafeRawBufferPointer) {
    let interface = datagram.interface
    let destination = datagram.destination
    let refusal = refusalOf(datagram.source, destination.address, interface)
    guard let key = source(datagram.source, interface, refusal), let index = systemIndex(interface) else { return }
    let isScoped =
      destination.address.family == .v6 && (destination.address.isLinkLocal || destination.address.isMulticast)
    let address = SocketAddress(destination, scope: isScoped ? index : 0)
    let bytes = ByteBuffer(bytes: payload)
    uses += 1
    doors[key]?.lastUse = uses
    if doors[key]?.channel == nil {
      doors[key]?.waiting.append((address, datagram.hopLimit, bytes, refusal))
    } else {
      write(key, address, datagram.hopLimit, bytes, refusal)
    }
  }

  private func refusalOf(_ source: Endpoint, _ address: IPAddress, _ interface: InterfaceID) -> Refusal {
    Refusal(deed: .send, interface: interface, address: address, port: source.port)
  }

  private func source(_ endpoint: Endpoint, _ interface: InterfaceID, _ refusal: Refusal) -> UInt32? {
    if let known = sources[Key(endpoint: endpoint, interface: interface)] { return known }
    guard let index = systemIndex(interface) else {
      later(refusal, "the interface is gone")
      return nil
    }
    if sources.count >= LiveSockets.sourcesMaximum { closeLeastUsed() }
    let isShared = LiveSockets.isShared(endpoint.port)
    do {
      let socket: SystemSocket
      do { socket = try .bound(to: endpoint, on: index, isShared: isShared) } catch {
        guard error.isPortTaken, movesTakenPorts else { throw error }
        socket = try .bound(to: Endpoint(endpoint.address, port: 0), on: index, isShared: false)
      }
      return open(socket, Door(interface, endpoint, socket, isGroup: false), refusal)
    } catch {
      later(refusal, SystemWords.of(error))
      return nil
    }
  }

  private func write(
    _ key: UInt32, _ address: SocketAddress, _ hopLimit: UInt8, _ bytes: ByteBuffer, _ refusal: Refusal
  ) {
    guard let door = doors[key], let channel = door.channel else { return }
    let isMulticast = refusal.address.isMulticast
    if door.lastHopLimit != hopLimit || door.lastWasMulticast != isMulticast {
      SystemSocket.setHopLimit(hopLimit, of: door.descriptor, refusal.address.family, isMulticast: isMulticast)
      doors[key]?.lastHopLimit = hopLimit
      doors[key]?.lastWasMulticast = isMulticast
    }
    sentCount += 1
    channel.writeAndFlush(AddressedEnvelope(remoteAddress: address, data: bytes)).whenFailure { [weak self] error in
      self?.later(refusal, "sending to \(refusal.address): \(SystemWords.of(error))")
    }
  }

  // MARK: Doors

  @discardableResult private func open(_ socket: SystemSocket, _ door: Door, _ refusal: Refusal) -> UInt32 {
    nextKey += 1
    let key = nextKey
    doors[key] = door
    order.append(key)
    if !door.isGroup { sources[Key(endpoint: door.endpoint, interface: door.interface)] = key }
    DatagramBootstrap(group: loop)
      // The doorkeeper reads.
      .channelOption(.autoRead, value: false)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Deaf()) }
      }
      .withBoundSocket(socket.descriptor)
      .whenComplete { result in
        switch result {
        case .success(let channel): self.isReady(key, channel)
        case .failure(let error):
          self.forget(key)
          self.later(refusal, SystemWords.of(error))
        }
      }
    return key
  }

  private func isReady(_ key: UInt32, _ channel: any Channel) {
    guard doors[key] != nil else { return channel.close(promise: nil) }
    doors[key]?.channel = channel
    let waiting = doors[key]?.waiting ?? []
    doors[key]?.waiting = []
    for item in waiting { write(key, item.to, item.hopLimit, item.bytes, item.refusal) }
    keeper?.ring()
  }

  /// A datagram has come through a door.
  private func received(_ bytes: UnsafeRawBufferPointer, from peer: Endpoint, hopLimit: UInt8, _ door: Door) {
    // A port of our own is known by the name that the machine gave to it.
    let own = peer.port >= 1_024 ? named(peer, on: door.interface) : nil
    hear(
      HeardDatagram(
        source: own ?? peer, destination: door.endpoint, interface: door.interface, hopLimit: hopLimit, bytes: bytes))
  }

  private func named(_ actual: Endpoint, on interface: InterfaceID) -> Endpoint? {
    for key in order {
      guard let door = doors[key], !door.isGroup, door.actualPort != door.endpoint.port else { continue }
      if door.actualPort == actual.port, door.endpoint.address == actual.address { return door.endpoint }
    }
    return nil
  }

  /// Whether something is sent from here.
  func isOwn(_ endpoint: Endpoint, on interface: InterfaceID) -> Bool {
    sources[Key(endpoint: endpoint, interface: interface)] != nil
  }

  // MARK: Ends

  /// Closes everything on an interface that went away, or whose addresses did.
  func close(on interface: InterfaceID, except addresses: [IPAddress] = []) {
    for key in order {
      guard let door = doors[key], door.interface == interface else { continue }
      let stays = door.isGroup ? !addresses.isEmpty : addresses.contains(door.endpoint.address)
      if !stays { close(key) }
    }
  }

  func closeAll() {
    for key in order { close(key) }
    isOver = true
    keeper?.ring()
  }

  /// Datagrams that the system dropped before they were read.
  var dropCount: Int {
    order.reduce(dropsOfClosed) { $0 + (doors[$1].map { SystemSocket.dropCount(of: $0.descriptor) } ?? 0) }
  }

  /// Whether several programs of one machine have the port together: those of the groups of SSDP and multicast DNS.
  private static func isShared(_ port: UInt16) -> Bool { port == 1_900 || port == Endpoint.mdnsPort }

  private func closeLeastUsed() {
    let oldest = order.filter {
      doors[$0].map { !$0.isGroup && !LiveSockets.isShared($0.endpoint.port) } == true
    }
    .min { (doors[$0]?.lastUse ?? 0) < (doors[$1]?.lastUse ?? 0) }
    if let oldest { close(oldest) }
  }

  private func close(_ key: UInt32) {
    if let door = doors[key] { dropsOfClosed += SystemSocket.dropCount(of: door.descriptor) }
    let channel = doors[key]?.channel
    forget(key)
    channel?.close(promise: nil)
  }

  private func forget(_ key: UInt32) {
    guard let door = doors.removeValue(forKey: key) else { return }
    order.removeAll { $0 == key }
    if !door.isGroup { sources[Key(endpoint: door.endpoint, interface: door.interface)] = nil }
    keeper?.ring()
  }

  private func later(_ refusal: Refusal, _ why: String) { loop.execute { self.refuse(refusal, why) } }
}

extension LiveSockets.Door {
  fileprivate init(_ interface: InterfaceID, _ endpoint: Endpoint, _ socket: SystemSocket, isGroup: Bool) {
    (self.interface, self.endpoint, self.isGroup) = (interface, endpoint, isGroup)
    (descriptor, actualPort) = (socket.descriptor, isGroup ? endpoint.port : socket.port)
  }
}

/// The end of a channel that only sends.
private final class Deaf: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  // An ICMP error to one datagram says nothing about the socket.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
