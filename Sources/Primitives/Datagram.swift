/// One UDP datagram as a host sends or hears it.
@frozen public struct Datagram: Hashable, Sendable, BitwiseCopyable {
  public var source: Endpoint
  public var destination: Endpoint
  /// The interface of the host that sends or hears it.
  public var interface: InterfaceID
  /// TTL or hop limit.
  public var hopLimit: UInt8
  public var payload: Payload

  @inlinable public init(
    source: Endpoint, destination: Endpoint, interface: InterfaceID, hopLimit: UInt8, payload: Payload
  ) {
    self.source = source
    self.destination = destination
    self.interface = interface
    self.hopLimit = hopLimit
    self.payload = payload
  }
}
