import RollcallPrimitives

extension DiscoverySetup {
  /// What has to be browsed for.
  var browses: [ServiceBrowse] { registrations.compactMap(\.browse) }
}

extension ServiceRegistration {
  /// What has to be browsed for; `nil`: it is no service of multicast DNS.
  fileprivate var browse: ServiceBrowse? {
    guard provider == .peers else { return nil }
    // Sightings name the domain as well.
    return .type(filter.hasSuffix(".local") ? String(filter.dropLast(6)) : filter)
  }
}
