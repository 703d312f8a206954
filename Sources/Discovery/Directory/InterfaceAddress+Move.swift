import RollcallPrimitives

extension [InterfaceAddress] {
  /// Whether an interface with these addresses, that has others now, is on another network for a family: it had some of
  /// it and has some, and none of now is on a subnet of before. Link-local addresses of IPv6 are on one subnet
  /// everywhere, so they tell nothing.
  func haveMoved(to others: [InterfaceAddress], _ family: IPAddress.Family) -> Bool {
    let (old, new) = (filter { $0.address.family == family }, others.filter { $0.address.family == family })
    if old.isEmpty || new.isEmpty { return false }
    return !old.contains { former in new.contains { former.isBeside($0) } }
  }
}

extension InterfaceAddress {
  /// Whether both are on one subnet; where they say different sizes, on the larger one.
  fileprivate func isBeside(_ other: InterfaceAddress) -> Bool {
    address.sharesPrefix(min(prefixBits, other.prefixBits), with: other.address)
  }
}
