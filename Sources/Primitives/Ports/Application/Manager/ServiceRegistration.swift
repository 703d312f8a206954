/// A kind of service that an application can use: how devices with it are found, and what they can do by it.
public struct ServiceRegistration: Hashable, Sendable {
  /// What the application calls it, as the Connect SDK does: `DIAL`, `DLNA`.
  public var id: String
  /// Which provider finds it.
  public var provider: ProviderID
  /// SSDP: the ST to search for, and the type that a device has to have, in this version or a later one. Multicast DNS: the
  /// type of the service, `_airplay._tcp.local`. Bluetooth: the UUID of a service that is advertised.
  public var filter: String
  /// Types of services that the description has to have as well, in the root or an embedded device.
  public var requires: [String] = []
  public var capabilities: [Capability] = []
  public var pairing: PairingKind = .none
  /// What it can do beyond that for a user who paired.
  public var pairedCapabilities: [Capability] = []

  public init(
    _ id: String, _ provider: ProviderID = .standard, filter: String, requires: [String] = [],
    capabilities: [String] = [], pairing: PairingKind = .none, pairedCapabilities: [String] = []
  ) {
    (self.id, self.provider, self.filter, self.requires) = (id, provider, filter, requires)
    self.capabilities = capabilities.map { Capability($0) }
    self.pairing = pairing
    self.pairedCapabilities = pairedCapabilities.map { Capability($0) }
  }

  /// What it can do at this level.
  package func capabilities(at level: PairingLevel) -> [Capability] {
    switch level {
    case .off: capabilities
    case .protected: capabilities.isEmpty ? pairedCapabilities : capabilities
    case .on: capabilities + pairedCapabilities
    }
  }
}
