extension IPAddress {
  /// The SSDP group of IPv4, 239.255.255.250.
  @inlinable public static var ssdpGroup4: IPAddress { IPAddress(v4: 0xEFFF_FFFA) }
  /// The SSDP group of IPv6 with link-local scope, ff02::c.
  @inlinable public static var ssdpGroup6: IPAddress { IPAddress(v6High: 0xFF02_0000_0000_0000, low: 0xC) }
  /// The SSDP group of IPv6 with site-local scope, ff05::c.
  @inlinable public static var ssdpGroup6Site: IPAddress { IPAddress(v6High: 0xFF05_0000_0000_0000, low: 0xC) }
}
