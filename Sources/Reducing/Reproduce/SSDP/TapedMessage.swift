package import RollcallPrimitives
package import RollcallWire

/// A discovery message of a capture with its bytes, at the time at which the engine heard it.
package struct TapedMessage: Hashable, Sendable {
  package var frame: Int
  package var time: Instant
  package var interface: Int
  package var source: Endpoint
  package var destination: Endpoint
  package var hopLimit: UInt8
  package var payload: [UInt8]
  /// `nil`: no reader makes anything of it.
  package var kind: SSDPKind?
  /// Whether the host whose ears the engine has sent it.
  package var isOwn: Bool

  /// Whether it is of multicast DNS, by the port that it went to.
  package var isMulticastDNS: Bool { destination.port == Endpoint.mdnsPort }
}
