package import RollcallPrimitives

/// Where a host is reached on one of its interfaces.
package struct SessionPlace: Hashable, Sendable {
  package var endpoint: Endpoint
  package var interface: InterfaceID
  /// Of the network that the address is in.
  package var prefixBits: Int

  package init(_ endpoint: Endpoint, on interface: InterfaceID, prefixBits: Int = 0) {
    (self.endpoint, self.interface, self.prefixBits) = (endpoint, interface, prefixBits)
  }
}
