import RollcallPrimitives
import RollcallWire

// What the device does on streams.

extension RootDevice {
  /// The friendly name in the description that the device serves, if it serves one.
  package mutating func setFriendlyName(_ name: String) {
    if !descriptionHosts.isEmpty { descriptionHosts[0].friendlyName = name }
  }

  mutating func take(_ signal: StreamSignal, at now: Instant, into outbox: inout Outbox) {
    guard let taken = descriptionHosts.popLast() else { return }
    var host = taken
    let (device, habits, name) = (self, blueprint.descriptionHabits, taken.friendlyName)
    let owner = DescriptionHost.Owner(
      habits: habits,
      publisher: EventPublisher.Publisher(
        sid: { "uuid:\(device.uuid.derived(1 << 32 + $0))" }, product: blueprint.description.serverText,
        answerDelay: habits.delay, interface: device.interface),
      own: device.announced, servicesPath: RootDevice.servicesPath(of: blueprint.description.path),
      document: { device.document(named: name) })
    host.receive(signal, of: owner, at: now, into: &outbox) { head, fields, requests in
      habits.answer(
        to: head, path: device.blueprint.description.path, fields: fields,
        document: { owner.document().bytes }, requests: requests, port: device.port)
    }
    descriptionHosts.append(host)
  }

  /// Where the device says that it is, when it is asked at `local`: a gateway reaches devices under other addresses than those that they
  /// announce.
  private func announced(at local: Endpoint) -> Endpoint {
    let isV6 = local.address.family == .v6
    let addresses = attachments.compactMap { $0.address(isV6) }
    if addresses.contains(local.address) { return local }
    return addresses.first.map { Endpoint($0, port: local.port) } ?? local
  }

  /// The interface on whose subnet an address is, its own addresses included; `nil`: none.
  private func interface(to address: IPAddress) -> InterfaceID? {
    attachments.first { attachment in
      guard attachment.isUp, let own = address.family == .v6 ? attachment.v6 : attachment.v4 else { return false }
      return own.address.sharesPrefix(own.prefixBits, with: address)
    }?.interface
  }

  /// Begins and ends to listen as the device comes and goes, and sends what is due.
  mutating func serveDescriptions(at now: Instant, into outbox: inout Outbox) {
    var places: [DescriptionHost.Place] = []
    if phase != .off {
      for attachment in attachments where attachment.address(false) != nil || attachment.address(true) != nil {
        places.append(DescriptionHost.Place(interface: attachment.interface, port: port))
        if blueprint.descriptionHabits.hasSecondPort {
          places.append(DescriptionHost.Place(interface: attachment.interface, port: port &+ 1))
        }
        for port in blueprint.description.television.ports where port != self.port {
          places.append(DescriptionHost.Place(interface: attachment.interface, port: port))
        }
      }
    }
    descriptionHosts[0].listen(at: places, into: &outbox)
    descriptionHosts[0].advance(to: now, into: &outbox)
  }
}
