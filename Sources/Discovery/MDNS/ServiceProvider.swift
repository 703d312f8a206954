import RollcallPrimitives
import RollcallWire

/// Finds services of multicast DNS, each as a device of its own.
///
/// A service is named `peer:` and its instance name, as text. Of what changes only the address that it is reached under
/// first, its interface with it, is an event of the directory; host, port and text are the browser's to tell.
struct ServiceProvider: Provider {
  private(set) var browser: ServiceBrowser

  static var id: ProviderID { .peers }

  init(_ browser: ServiceBrowser) { self.browser = browser }

  var deadline: Instant { browser.deadline ?? .never }

  mutating func advance(to now: Instant, _ directory: inout Directory, into outbox: inout Outbox) {
    while deadline <= now, deadline != .never {
      let next = deadline
      directory.now = next
      browser.wake(at: next, into: &outbox)
      tell(&directory, into: &outbox)
    }
    directory.now = now
  }

  mutating func receive(
    _ datagram: Datagram, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    browser.receive(.datagram(datagram), at: now, into: &outbox)
    tell(&directory, into: &outbox)
  }

  mutating func receive(
    _ value: SignalValue, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    browser.receive(value, at: now, into: &outbox)
    tell(&directory, into: &outbox)
  }

  private mutating func tell(_ directory: inout Directory, into outbox: inout Outbox) {
    for event in browser.takeEvents() {
      switch event {
      case .found(let service): directory.found(sighting(service))
      case .changed(let service, let old):
        let (new, before) = (sighting(service), sighting(old))
        if new.locator != before.locator { directory.changed(new, .address(from: before.locator.address)) }
      case .lost(let service, let cause): directory.lost(sighting(service).device, cause)
      }
    }
    directory.report(into: &outbox)
  }

  private func sighting(_ service: FoundService) -> DeviceSighting {
    // A service that is found has an address.
    let locator = service.locators.first ?? Locator(.ip(IPAddress(v4: 0)))
    return DeviceSighting(
      device: "peer:\(service.name.domainName)", provider: ServiceProvider.id, locator: locator,
      attributes: [
        DeviceAttribute(.name, .text(service.name.instance)),
        DeviceAttribute(.services, .text(service.name.type.domainName.description)),
      ])
  }

  func brokenInvariants(devicesInDirectory: Int) -> [String] {
    let present = browser.present.count
    return browser.brokenInvariants
      + (present == devicesInDirectory
        ? [] : ["\(present) services are present, \(devicesInDirectory) in the directory"])
  }
}
