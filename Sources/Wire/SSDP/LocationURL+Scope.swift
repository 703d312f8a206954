public import RollcallPrimitives

/// Whether a control point may fetch from an address that somebody else's datagram named (H-CP-SSRF).
///
/// Without this rule one forged datagram makes every control point on the network send a request to a host of the
/// attacker's choice (D46, D79). Pure functions of addresses; a host name is judged by what it resolved to.
public enum LocationScope {
  public enum Reason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// 0.0.0.0/8 or `::`.
    case unspecified
    case loopback
    case multicast
    /// 255.255.255.255, or the last address of a subnet.
    case broadcast
    /// An IPv6 URL in a datagram that came over IPv4, or the other way round (D69).
    case familyMismatch
    /// A link-local host named by a sender that is not link-local itself.
    case linkLocal
    /// Our own address, named by somebody else: a service of this host that was never announced.
    case receiver
    /// Neither the sender nor on a subnet of the interface; or the sender itself is not on the link and names another.
    case offLink
  }

  /// Why the host is refused; `nil` where a fetch may go ahead.
  ///
  /// `subnets` are the addresses of the interface that heard the message. IPv4 addresses in IPv6 clothes
  /// (`::ffff:127.0.0.1`) are judged as what they are. `allowsLoopback` lets a loopback sender name loopback
  /// hosts: for tests on one machine. It holds on a loopback interface; where `subnets` is empty, nobody knows the
  /// interface.
  public static func judge(
    host: IPAddress, sender: IPAddress, subnets: [InterfaceAddress], allowsLoopback: Bool = false
  ) -> Reason? {
    let host = unmapped(host)
    let sender = unmapped(sender)
    if host.isUnspecified || host.family == .v4 && host.low >> 24 == 0 { return .unspecified }
    if host.isLoopback {
      let mayBeLoopback = subnets.isEmpty || subnets.contains { $0.address.isLoopback }
      guard allowsLoopback, sender.isLoopback, mayBeLoopback else { return .loopback }
    }
    if host.isMulticast { return .multicast }
    if host.isBroadcast || subnets.contains(where: { isBroadcast(host, of: $0) }) { return .broadcast }
    if host.family != sender.family { return .familyMismatch }
    // A loopback sender is this machine by any of its addresses.
    if host == sender || host.isLoopback { return nil }
    if host.isLinkLocal, !sender.isLinkLocal { return .linkLocal }
    if subnets.contains(where: { $0.address == host }) { return .receiver }
    if host.isLinkLocal, host.family == .v6 { return nil }
    let isSenderOnLink = sender.isLinkLocal || subnets.contains { $0.address.sharesPrefix($0.prefixBits, with: sender) }
    let isHostOnLink = subnets.contains { $0.address.sharesPrefix($0.prefixBits, with: host) }
    return isSenderOnLink && isHostOnLink ? nil : .offLink
  }

  /// The IPv4 address inside `::ffff:a.b.c.d`; any other address as it is.
  public static func unmapped(_ address: IPAddress) -> IPAddress {
    guard address.family == .v6, address.high == 0, address.low >> 32 == 0xFFFF else { return address }
    return IPAddress(v4: UInt32(truncatingIfNeeded: address.low))
  }

  /// A subnet of 31 or 32 bits has no broadcast address.
  static func isBroadcast(_ address: IPAddress, of subnet: InterfaceAddress) -> Bool {
    guard address.family == .v4, subnet.address.family == .v4, (1...30).contains(subnet.prefixBits) else {
      return false
    }
    let hostMask = UInt64(0xFFFF_FFFF) >> UInt64(subnet.prefixBits)
    return subnet.address.sharesPrefix(subnet.prefixBits, with: address) && address.low & hostMask == hostMask
  }
}
