import Primitives

/// Gives every interface its addresses, so that a newcomer at the end of the document moves nobody.
///
/// Addresses that the document names are taken first. Every other interface starts at a place that the hash of its
/// inhabitant's name gives and takes the first free run from there, inhabitants in the order of the document, the
/// engine first: members of a counted inhabitant have successive addresses. The network's own address, the first host (the
/// router) and the broadcast address are given to nobody.
struct AddressPlan {
  /// Host numbers that are taken, by segment.
  private var taken: [Set<UInt64>]
  private let names: [String]
  private let subnets: [InterfaceAddress]

  /// The names of the segments and their subnets, as many of both.
  init(_ names: [String], _ subnets: [InterfaceAddress]) {
    (self.names, self.subnets) = (names, subnets)
    taken = names.map { _ in [] }
  }

  /// Keeps `count` addresses from `address` free of others, if they lie in the subnet.
  mutating func reserve(_ address: IPAddress, count: Int, segment: Int) {
    let subnet = subnets[segment]
    guard address.family == .v4 else { return }
    for member in 0..<UInt64(max(0, count)) {
      let next = IPAddress(v4: UInt32(truncatingIfNeeded: address.low &+ member))
      if next.sharesPrefix(subnet.prefixBits, with: subnet.address) {
        taken[segment].insert(next.low - subnet.address.low)
      }
    }
  }

  /// Whether an address that the document names is already somebody's.
  func isTaken(_ address: IPAddress, segment: Int) -> Bool {
    let subnet = subnets[segment]
    return address.family == .v4 && address.sharesPrefix(subnet.prefixBits, with: subnet.address)
      && taken[segment].contains(address.low - subnet.address.low)
  }

  /// The first of `count` successive free addresses; `nil` where the subnet has no such room.
  mutating func give(_ count: Int, name: String, segment: Int) -> IPAddress? {
    // Numbers 2 ..< size - 1.
    let room = (UInt64(1) << UInt64(32 - subnets[segment].prefixBits)) - 3
    let wanted = UInt64(max(1, count))
    guard wanted <= room else { return nil }
    let starts = room - wanted + 1
    var digest = Digest()
    digest.combine(name)
    digest.combine(names[segment])
    let first = digest.state.multipliedFullWidth(by: starts).high
    var offset: UInt64 = 0
    while offset < starts {
      let start = 2 + (first + offset) % starts
      guard let blocker = (start..<(start + wanted)).last(where: { taken[segment].contains($0) }) else {
        taken[segment].formUnion(start..<(start + wanted))
        return IPAddress(v4: UInt32(truncatingIfNeeded: subnets[segment].address.low + start))
      }
      // No start up to the blocker can work; one that wraps around goes on by one.
      offset += blocker - start + 1
    }
    return nil
  }

  /// The link-local IPv6 address of a host: 62 bits of a hash leave no room for collisions that matter.
  func linkLocal(name: String, interface: Int) -> IPAddress {
    var digest = Digest()
    digest.combine(name)
    digest.combine(UInt64(interface) &+ 0xFE80)
    // The bit that says "made by the hardware" stays off.
    return IPAddress(v6High: 0xFE80_0000_0000_0000, low: digest.state & ~(1 << 57))
  }
}
