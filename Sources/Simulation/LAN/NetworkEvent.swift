public import RollcallPrimitives

/// A datagram that arrived, and the hosts that are given it now; good until `VirtualNetwork.release`.
@usableFromInline package struct Delivery: BitwiseCopyable {
  @usableFromInline package var datagram: Datagram
  /// In the order in which they are given it.
  @usableFromInline package var receivers: UnsafeBufferPointer<Receiver>
  /// Is not given it though it stands in the list.
  @usableFromInline package var sender: Receiver
  /// `Gate.mark` of the datagram.
  @usableFromInline var mark: UInt64 = 0
  @usableFromInline var time = Instant.zero

  package init() {
    datagram = Datagram(
      source: Endpoint(IPAddress(v4: 0), port: 0), destination: Endpoint(IPAddress(v4: 0), port: 0),
      interface: InterfaceID(0), hopLimit: 0, payload: .none)
    receivers = UnsafeBufferPointer(start: nil, count: 0)
    sender = .nobody
  }
}

/// A host that hears a datagram, and on which interface.
@frozen public struct Receiver: Hashable, BitwiseCopyable {
  public var host: UInt32
  public var interface: InterfaceID

  @inlinable init(host: UInt32, interface: InterfaceID) { (self.host, self.interface) = (host, interface) }

  /// Spelled out, since what the compiler makes would be a call for each receiver from the module of its machine.
  @inlinable public static func == (left: Receiver, right: Receiver) -> Bool {
    left.host == right.host && left.interface.number == right.interface.number
  }

  static var nobody: Receiver { Receiver(host: .max, interface: InterfaceID(.max)) }
}

/// What became of the traffic of a run.
package struct NetworkStatistics: Hashable, Sendable {
  /// Datagrams that machines sent; a multicast counts once.
  package var transmitted = 0
  /// Datagrams that machines were given; a multicast counts once a receiver.
  package var delivered = 0
  package var lost = 0
  package var duplicated = 0
  package var corrupted = 0
  package var queueOverflows = 0
  /// Dropped because the receiving process was too slow.
  package var bufferOverflows = 0
  package var partitioned = 0
  /// Unicast to an address that nobody has.
  package var unreachable = 0
  /// Sent or arriving on an interface that is down.
  package var interfaceDown = 0
  /// Multicast that a snooping switch did not forward to a host that had joined.
  package var notForwarded = 0
  /// Segments of streams; each was sent again.
  package var streamSegmentsLost = 0
  package init() {}
}

/// A membership message as it passed a host that is being watched: IGMP or ICMPv6 bytes.
package struct MembershipFrame: Hashable, Sendable {
  package var time: Instant
  package var interface: InterfaceID
  package var source: IPAddress
  package var destination: IPAddress
  package var message: [UInt8]
}
