import RollcallPrimitives
import RollcallWire

/// Finds services of multicast DNS, each as a device of its own.
///
/// A service is named `peer:` and its instance name, as text. It is reached under the first of its addresses; what
/// changes of that address, of its host, its port and its text is an event each. Other addresses change nothing.
struct ServiceProvider: Provider {
  private(set) var browser: ServiceBrowser
  private let faults: ServiceFaults

  static var id: ProviderID { .peers }

  init(_ browser: ServiceBrowser) { (self.browser, faults) = (browser, browser.faults) }

  init(_ browses: [ServiceBrowse], seed: Seed, faults: ServiceFaults) {
    self.init(ServiceBrowser(seed: seed, name: "engine", faults: faults))
    begin(with: browses)
  }

  /// Asks nothing from now on; before the first signal.
  mutating func onlyListen() { browser.onlyListen() }
  mutating func begin(with browses: [ServiceBrowse]) { browser.begin(with: browses) }

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
    if case .application(.reconfirm(let device)) = value { reconfirm(device, at: now) }
    browser.receive(value, at: now, into: &outbox)
    tell(&directory, into: &outbox)
  }

  /// The application could not reach a device: a service is asked for again, and lost unless its host answers
  /// (RFC 6762 §10.4). Until then it is there.
  ///
  /// - Parameter device: its name in the directory; what is no service, or none that is known, is left alone.
  mutating func reconfirm(_ device: String, at now: Instant) {
    guard let name = device.serviceOfName.flatMap({ DNSName(String($0)) }), let service = try? ServiceInstanceName(name)
    else { return }
    browser.reconfirm(service, at: now)
  }

  private mutating func tell(_ directory: inout Directory, into outbox: inout Outbox) {
    for event in browser.takeEvents() {
      switch event {
      case .found(let service): directory.found(sighting(service))
      case .changed(let service, let old): tell(service, old, &directory)
      case .lost(let service, let cause): directory.lost(sighting(service).device, cause)
      }
    }
    directory.report(into: &outbox)
  }

  private func tell(_ service: FoundService, _ old: FoundService, _ directory: inout Directory) {
    let (new, before) = (sighting(service), sighting(old))
    if faults.contains(.foundPerInterface), service.interfaces.count > old.interfaces.count { directory.found(new) }
    if !faults.contains(.changesIgnored) {
      if new.locator != before.locator { directory.changed(new, .address(from: before.locator.address)) }
      for name in [DeviceAttribute.Name.host, .port] where new[name] != before[name] {
        directory.changed(new, .attribute(name, from: before[name]))
      }
    }
    // Not all of a long text is shown, but all of it counts.
    if service.txt != old.txt, !faults.contains(.textIgnored) {
      directory.changed(new, .attribute(.txt, from: before[.txt]))
    }
  }

  private func sighting(_ service: FoundService) -> DeviceSighting {
    // A service that is found has an address.
    let locator = service.locators.first ?? Locator(.ip(IPAddress(v4: 0)))
    var sighting = DeviceSighting(
      device: "peer:\(service.name.domainName)", provider: ServiceProvider.id, locator: locator,
      attributes: [
        DeviceAttribute(.name, .text(service.name.instance)),
        DeviceAttribute(.services, .text(service.name.type.domainName.description)),
        DeviceAttribute(.host, .text(service.host.description)),
        DeviceAttribute(.port, .number(UInt32(service.port))),
      ])
    let text = TXTRecord.text(of: service.txt)
    if !text.isEmpty { sighting[.txt] = .text(text) }
    return sighting
  }

  func brokenInvariants(devicesInDirectory: Int) -> [String] {
    let present = browser.present.count
    return browser.brokenInvariants
      + (present == devicesInDirectory
        ? [] : ["\(present) services are present, \(devicesInDirectory) in the directory"])
  }
}

extension FoundService {
  fileprivate var interfaces: Set<InterfaceID> { Set(locators.compactMap(\.interface)) }
}
