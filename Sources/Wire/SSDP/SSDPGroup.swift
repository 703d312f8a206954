public import RollcallPrimitives

extension Endpoint {
  /// Where SSDP multicast goes, by family: `239.255.255.250:1900` or `[ff02::c]:1900`.
  @inlinable public static func ssdp(_ family: IPAddress.Family) -> Endpoint {
    Endpoint(family == .v4 ? .ssdpGroup4 : .ssdpGroup6, port: 1_900)
  }
  @inlinable public static func ssdp(isV6: Bool) -> Endpoint { ssdp(isV6 ? .v6 : .v4) }
}
