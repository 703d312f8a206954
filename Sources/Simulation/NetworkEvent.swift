package import RollcallPrimitives

/// What the network has to say next, at `VirtualNetwork.now`.
package enum NetworkEvent {
  /// The machine of a host wanted to be woken about now.
  case wake(host: Int)
  /// A datagram arrived at one host.
  case datagram(Datagram, host: Int)
  /// A multicast datagram arrived at many hosts at once, but not at its sender, who may stand in the list; the list is
  /// good until the next event is asked for.
  case multicast(Datagram, receivers: UnsafeBufferPointer<Receiver>, sender: Receiver)
  /// The operating system of a host refused a join or a send.
  case refused(host: Int, Refusal)
  /// An interface of a host came, went or changed.
  case interface(host: Int, InterfaceChange)
  /// An appointment that was made with `schedule(_:at:)`.
  case appointment(Int)
}

/// A host that hears a multicast datagram, and on which interface.
package struct Receiver: Hashable, BitwiseCopyable {
  package var host: UInt32
  package var interface: InterfaceID
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
