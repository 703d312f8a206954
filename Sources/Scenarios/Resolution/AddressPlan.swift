import RollcallPrimitives

/// Gives every interface its addresses, so that one more inhabitant at the end of the document
/// changes no other's.
///
/// Addresses that the document names are taken first. Every other interface starts at a place that the hash of its
/// inhabitant's name gives and takes the first free run from there, inhabitants in the order of the document, the
/// engine first: members of a counted inhabitant have successive addresses. The network's own address, the first host (the
/// router) and the broadcast address are given to nobody.
struct AddressPlan {
  /// Addresses that are taken, by segment.
  private var taken: [Set<IPAddress>]
  private let names: [String]
  private let subnets: [InterfaceAddress]

  /// The names of the segments and their subnets, as many of both.
  init(_ names: [String], _ subnets: [InterfaceAddress]) {
    (self.names, self.subnets) = (names, subnets)
    taken = names.map { _ in [] }
  }

  /// Keeps `count` addresses that the document names, from `address` on; the first of them that is already somebody's,
  /// if one is.
  mutating func reserve(_ address: IPAddress, count: Int, segment: Int) -> IPAddress? {
    for member in 0..<max(0, count) {
      let next = address.advanced(by: member)
      if !taken[segment].insert(next).inserted { return next }
    }
    return nil
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
    let network = subnets[segment].address.low
    func address(_ number: UInt64) -> IPAddress { IPAddress(v4: UInt32(truncatingIfNeeded: network + number)) }
    var offset: UInt64 = 0
    while offset < starts {
      let start = 2 + (first + offset) % starts
      let numbers = start..<(start + wanted)
      guard let blocker = numbers.last(where: { taken[segment].contains(address($0)) }) else {
        taken[segment].formUnion(numbers.map(address))
        return address(start)
      }
      // No start up to the blocker can work; behind the last start comes the first.
      offset += min(blocker - start + 1, starts - (start - 2))
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
