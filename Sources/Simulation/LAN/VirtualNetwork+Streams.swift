import RollcallPrimitives

/// What streams need of the LAN: which port has an address, whether a segment gets there, and when.
extension VirtualNetwork {
  /// The port of an interface that is up, and its address for a stream to `remote`; `nil`: it has none.
  func origin(of host: Int, _ interface: InterfaceID, to remote: IPAddress) -> (port: Int, address: IPAddress)? {
    guard let port = portIndex(host, interface), ports[port].isUp else { return nil }
    let candidates = ports[port].addresses.map(\.address).filter { $0.family == remote.family }
    guard let first = candidates.first else { return nil }
    return (port, candidates.first { $0.isLinkLocal == remote.isLinkLocal } ?? first)
  }

  /// The port that has `address` on the segment of `port`, else the way out of the segment.
  func owner(of address: IPAddress, near port: Int) -> Int? {
    addresses.port(of: address, on: ports[port].segment) ?? wayOut(near: port)
  }

  /// The port that takes what is for nobody on the segment of `port`; `nil`: there is none.
  func wayOut(near port: Int) -> Int? { wayOut(of: ports[port].segment) }

  /// All ports that have `address` on the segment of `port`, the owner first.
  func holders(of address: IPAddress, near port: Int) -> [Int] {
    owner(of: address, near: port).map { [$0] + companions[$0, default: []] } ?? []
  }

  /// Whether a port has an address: its own, that of the host of which it is another program, or, as the way out, any.
  func holds(_ address: IPAddress, _ port: Int) -> Bool {
    if wayOut(near: port) == port { return true }
    guard let owner = owner(of: address, near: port) else { return false }
    return owner == port || !companions.isEmpty && companions[owner, default: []].contains(port)
  }

  func host(of port: Int) -> Int { Int(ports[port].host) }
  func interface(of port: Int) -> InterfaceID { ports[port].interface }

  /// Whether segments get from one port to the other, and what acknowledges them back.
  func isOpen(from: Int, to: Int) -> Bool {
    guard ports[from].isUp, ports[to].isUp else { return false }
    if partitions.isEmpty { return true }
    let (near, far) = (Int(ports[from].host), Int(ports[to].host))
    return !isBlocked(from: near, to: far) && !isBlocked(from: far, to: near)
  }

  /// How many bytes of a stream fit into one packet on the way between two ports.
  func segmentBytesMaximum(from: Int, to: Int, family: IPAddress.Family) -> Int {
    let mtu = min(ports[from].outbound.compiled.pointee.rule.mtu, ports[to].inbound.compiled.pointee.rule.mtu)
    return max(64, mtu - (family == .v4 ? 40 : 60))
  }

  /// Sends `byteCount` bytes in segments, one right behind the other; no bytes are one segment of flags.
  ///
  /// What a link would damage is lost, since a checksum covers it. What a link would send twice arrives once.
  /// - Returns: how many bytes get there before the first lost segment, and when; `nil`: the first segment is lost.
  mutating func carry(
    _ byteCount: Int, from: Int, to: Int, family: IPAddress.Family, draws: inout RandomStream
  ) -> (byteCount: Int, arrival: Instant)? {
    let (outbound, inbound) = (ports[from].outbound, ports[to].inbound)
    if outbound.losesNothing, outbound.hasConstantLatency, inbound.losesNothing, inbound.hasConstantLatency {
      return (byteCount, now + .nanoseconds(outbound.constantLatency &+ inbound.constantLatency))
    }
    let room = segmentBytesMaximum(from: from, to: to, family: family)
    // The header of TCP is 12 bytes longer than that of UDP, which the link adds.
    let headerBytes = (family == .v4 ? 20 : 40) + 12
    var sent = 0
    var arrival: Int64 = 0
    repeat {
      let segment = min(room, byteCount - sent)
      let draw = draws.next()
      var overflow = false
      guard
        let first = ports[from].outbound.pass(
          byteCount: segment, isMulticast: false, headerBytes: headerBytes, draw: draw, at: now.nanoseconds,
          overflow: &overflow),
        let second = ports[to].inbound.pass(
          byteCount: segment, isMulticast: false, headerBytes: headerBytes, draw: draw, at: first.arrival,
          overflow: &overflow),
        !first.isCorrupt, !second.isCorrupt
      else {
        statistics.streamSegmentsLost += 1
        return sent == 0 ? nil : (sent, Instant(nanoseconds: arrival))
      }
      sent += segment
      arrival = max(arrival, second.arrival)
    } while sent < byteCount
    return (sent, Instant(nanoseconds: arrival))
  }

  /// How long an acknowledgement takes: a lost one is made up for by the next.
  func delay(from: Int, to: Int, draws: inout RandomStream) -> Interval {
    var stream = ports[from].outbound.stream(draw: draws.next())
    return .nanoseconds(ports[from].outbound.delay(&stream) &+ ports[to].inbound.delay(&stream))
  }
}
