import RollcallPrimitives

extension [InterfaceAddress] {
  /// The address that a family sends from: for IPv6 a link-local one where there is one, as the groups are of that
  /// scope; `nil`: there is none of the family.
  func source(_ family: IPAddress.Family) -> IPAddress? {
    let own = filter { $0.address.family == family }
    return (own.first { family == .v6 && $0.address.isLinkLocal } ?? own.first)?.address
  }
}
