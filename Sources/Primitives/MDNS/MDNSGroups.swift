extension IPAddress {
  /// The group of multicast DNS over IPv4, 224.0.0.251 (RFC 6762 §3).
  @inlinable public static var mdnsGroup4: IPAddress { IPAddress(v4: 0xE000_00FB) }
  /// The group of multicast DNS over IPv6, ff02::fb (RFC 6762 §3).
  @inlinable public static var mdnsGroup6: IPAddress { IPAddress(v6High: 0xFF02_0000_0000_0000, low: 0xFB) }
}

extension Endpoint {
  /// Where everything of multicast DNS is sent to and from (RFC 6762 §3).
  @inlinable public static var mdnsPort: UInt16 { 5_353 }

  /// The group of a family, with its port.
  @inlinable public static func mdns(_ family: IPAddress.Family) -> Endpoint {
    Endpoint(family == .v4 ? .mdnsGroup4 : .mdnsGroup6, port: mdnsPort)
  }
}
