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

  /// Works out what a root device offers, by what it and its parts announced and by its description.
  mutating func matchTypes(_ index: inout RegistrationIndex, _ faults: ManagerFaults) {
    var all: UInt64 = 0
    var first: UInt64 = 0
    var offers: [(owner: String, meets: UInt64)] = []
    func add(_ offer: OfferedType, _ index: inout RegistrationIndex) {
      let meets = index.wants(metBy: offer.type)
      all |= meets
      if meets & index.filters == 0 { return }
      if first == 0 { first = meets & index.filters }
      if faults.contains(.embeddedIgnored), !isSameDevice(offer.owner, name) { return }
      if let known = offers.firstIndex(where: { isSameDevice($0.owner, offer.owner) }) {
        offers[known].meets |= meets
      } else {
        offers.append((offer.owner, meets))
      }
    }
    for offer in announced { add(offer, &index) }
    let stranger = faults.contains(.udnIsAnotherDevice) ? nil : udnOfStranger
    for var offer in described?.types ?? [] {
      if let stranger, isSameDevice(offer.owner, stranger) { offer.owner = name }
      add(offer, &index)
    }
    if offers.isEmpty { return }
    for (number, registration) in index.registrations.enumerated() where registration.provider == .ssdp {
      let needed = index.required[number]
      guard all & needed == needed || faults.contains(.requirementsIgnored) else { continue }
      if faults.contains(.firstTypeOnly), index.filter[number] & first == 0 { continue }
      for offer in offers where offer.meets & index.filter[number] != 0 {
        services.append(ManagerReport.Service(id: registration.id, owner: offer.owner))
      }
    }
  }

  /// The UDN of the root of its description, where no device of that document has its UUID: then the root is this device
  /// under another UUID (A10, UDA-1.2.2-USN-UDN). A part that was heard before its root is in the document itself.
  private var udnOfStranger: String? {
    guard let udns = described?.udns, !udns.contains(where: { isSameDevice($0, name) }) else { return nil }
    return udns.first
  }
}
