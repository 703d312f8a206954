package import RollcallPrimitives

/// Programs on the host that serves: they have its address, as all inhabitants have.
///
/// Inside, such a program has an address that no host has, so that what is meant for it is not meant for the inhabitants.
struct OwnHost: Sendable {
  /// Alias and address for each interface and family, in the order in which they came.
  private var names: [(alias: IPAddress, address: IPAddress, interface: InterfaceID)] = []

  /// The address that a program with this one has inside.
  /// - Parameter bits: of the subnet's prefix. Its address of all zeros is on the link, and no host's (RFC 1122, section 3.2.1.3;
  ///   RFC 4291, section 2.6.1); where there is none, a reserved one stands for it.
  mutating func alias(of address: IPAddress, prefixBits bits: Int, on interface: InterfaceID) -> IPAddress {
    if let known = names.first(where: { $0.address == address && $0.interface == interface }) { return known.alias }
    var alias = address.masked(bits)
    if alias == address || names.contains(where: { $0.alias == alias }) {
      alias =
        address.family == .v4
        ? IPAddress(v4: 0xFFFF_FFFE - UInt32(names.count))
        : IPAddress(v6High: 0x0100_0000_0000_0000, low: .max - UInt64(names.count))
    }
    names.append((alias, address, interface))
    return alias
  }

  /// The real address of one that was given; `nil`: it is somebody else's.
  func address(of alias: IPAddress) -> IPAddress? { names.first { $0.alias == alias }?.address }
}

/// What was sent a short time ago, to know it when the group brings it back: another program of this host may send from the
/// same address and port.
package struct RecentlySent: Sendable {
  package static let window = Interval.seconds(5)
  /// More are not told apart from others: then everything from an own port counts as own.
  package static let countMaximum = 65_536

  private var times: [UInt64: Instant] = [:]
  /// In the order in which they were sent, from `first` on.
  private var order: [(digest: UInt64, at: Instant)] = []
  private var first = 0
  private var overflowUntil = Instant.zero

  package init() {}

  package mutating func note(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    forget(before: now)
    guard order.count - first < RecentlySent.countMaximum else {
      overflowUntil = now + RecentlySent.window
      return
    }
    let digest = Digest.hash(bytes)
    times[digest] = now
    order.append((digest, now))
  }

  package mutating func contains(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> Bool {
    forget(before: now)
    return now < overflowUntil || times[Digest.hash(bytes)] != nil
  }

  private mutating func forget(before now: Instant) {
    while first < order.count, order[first].at + RecentlySent.window <= now {
      // It may have been sent again.
      if times[order[first].digest] == order[first].at { times[order[first].digest] = nil }
      first += 1
    }
    if first > 1_024, first * 2 > order.count {
      order.removeFirst(first)
      first = 0
    }
  }
}

extension IPAddress {
  /// With all bits behind the prefix zero.
  fileprivate func masked(_ bits: Int) -> IPAddress {
    // A shift by 64 bits or more leaves 0.
    func mask(_ bits: Int) -> UInt64 { ~(UInt64.max >> UInt64(max(0, bits))) }
    switch family {
    case .v4: return IPAddress(v4: UInt32(truncatingIfNeeded: low) & UInt32(truncatingIfNeeded: mask(bits) >> 32))
    case .v6: return IPAddress(v6High: high & mask(bits), low: low & mask(bits - 64))
    }
  }
}
