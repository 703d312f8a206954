package import RollcallPrimitives
package import RollcallWire

/// A service as a responder has described it.
package struct ExaminedService: Hashable, Sendable {
  package var pointer: DNSRecord
  package var name: ServiceInstanceName
  package var service: DNSRecord?
  package var text: DNSRecord?
}

/// A responder: everything that one address said.
package struct ResponderSubject: Hashable, Sendable {
  static let servicesMaximum = 64
  static let addressesMaximum = 64

  package var address: IPAddress
  package var firstHeard: Instant
  package var services: [ExaminedService] = []
  /// Its A and AAAA records, by owner.
  package var addresses: [DNSRecord] = []

  init(address: IPAddress, at now: Instant) { (self.address, firstHeard) = (address, now) }

  /// The name of the host: where its services are, or whose address it speaks from.
  package var host: DNSName? {
    for one in services { if case .srv(_, _, _, let target)? = one.service?.data { return target } }
    return addresses.first { $0.data == .address(address) }?.name
  }

  /// What is asked for: the first service of which most is known.
  package var service: ExaminedService? {
    services.first { $0.service != nil && $0.text != nil } ?? services.first { $0.service != nil } ?? services.first
  }

  /// An address record of its host.
  package var hostAddress: DNSRecord? {
    guard let host else { return nil }
    return addresses.first { $0.name == host && $0.data == .address(address) } ?? addresses.first { $0.name == host }
  }

  mutating func learn(_ record: DNSRecord) {
    if record.ttlSeconds == 0 { return }
    switch record.data {
    case .ptr(let target):
      guard record.name != ServiceType.enumerationName, let name = try? ServiceInstanceName(target),
        name.type.domainName == record.name, !services.contains(where: { $0.name.domainName == target }),
        services.count < ResponderSubject.servicesMaximum
      else { return }
      services.append(ExaminedService(pointer: record, name: name))
    case .srv, .txt:
      guard let place = services.firstIndex(where: { $0.name.domainName == record.name }) else { return }
      if record.type == .srv { services[place].service = record } else { services[place].text = record }
    case .address:
      if addresses.count < ResponderSubject.addressesMaximum, !addresses.contains(record) { addresses.append(record) }
    default: break
    }
  }
}
