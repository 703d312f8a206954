import RollcallPrimitives
import RollcallWire

extension ProviderID {
  /// Whether its devices announce types of parts and services, and have a document that lists them.
  var describes: Bool { self == .ssdp }
}

extension ManagedMember {
  /// Works out where it is reached.
  mutating func locate(_ policy: DiscoverySetup.AddressPolicy) {
    announcedHost = policy == .announced ? sighting.location.flatMap { ManagedMember.host(of: $0) } : nil
  }

  /// The host of a LOCATION; `nil`: it is a name, which nobody is asked for, or no address of one host.
  private static func host(of location: String) -> IPAddress? {
    guard case .url(let url) = LocationURL.check(location), let host = url.address.map(LocationScope.unmapped),
      !host.isMulticast, !host.isBroadcast, !host.isUnspecified
    else { return nil }
    return host
  }

  /// What a root device offers, by what it and its parts announced and by its description.
  func matchTypes(_ index: inout RegistrationIndex, _ faults: ManagerFaults) -> [ManagerReport.Service] {
    var all: UInt64 = 0
    var first: UInt64 = 0
    var offers: [HeardOffer] = []
    let filters = index.filters
    func add(_ offer: HeardOffer) {
      all |= offer.meets
      if offer.meets & filters == 0 { return }
      if first == 0 { first = offer.meets & filters }
      if faults.contains(.embeddedIgnored), !isSameDevice(offer.owner, name) { return }
      if let known = offers.firstIndex(where: { isSameDevice($0.owner, offer.owner) }) {
        offers[known].meets |= offer.meets
      } else {
        offers.append(offer)
      }
    }
    for offer in heard { add(offer) }
    if let described {
      let stranger = faults.contains(.udnIsAnotherDevice) ? nil : udnOfStranger
      for offer in described.types {
        let isOwn = stranger.map { isSameDevice(offer.owner, $0) } ?? false
        add(HeardOffer(owner: isOwn ? name : offer.owner, meets: index.wants(metBy: offer.type)))
      }
    }
    if offers.isEmpty { return [] }
    var services: [ManagerReport.Service] = []
    for (number, filter) in index.filter.enumerated() where filter != 0 {
      let needed = index.required[number]
      guard all & needed == needed || faults.contains(.requirementsIgnored) else { continue }
      if faults.contains(.firstTypeOnly), filter & first == 0 { continue }
      for offer in offers where offer.meets & filter != 0 {
        services.append(ManagerReport.Service(id: index.registrations[number].id, owner: offer.owner))
      }
    }
    return services
  }

  /// The UDN of the root of its description, where no device of that document has its UUID: then the root is this device
  /// under another UUID (A10, UDA-1.2.2-USN-UDN). A part that was heard before its root is in the document itself.
  private var udnOfStranger: String? {
    guard let udns = described?.udns, !udns.contains(where: { isSameDevice($0, name) }) else { return nil }
    return udns.first
  }
}
