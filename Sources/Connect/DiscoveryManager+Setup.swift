public import RollcallPrimitives

// What the application needs.
extension DiscoveryManager {
  /// A device is told if it meets one of these, or if there are none. While it searches, other filters give exactly the
  /// losses and finds that follow.
  public var capabilityFilters: [CapabilityFilter] {
    get { setup.filters }
    set {
      change { $0.filters = newValue }
      ask(.filter(newValue))
    }
  }

  /// Whether capabilities count for which the user has to agree at the device; off by default.
  public var pairingLevel: PairingLevel {
    get { setup.pairingLevel }
    set {
      change { $0.pairingLevel = newValue }
      ask(.pairing(newValue))
    }
  }

  /// The services that are looked for; those of the Connect SDK by default. While it searches, others give exactly the
  /// losses and finds that follow, and new types are searched for at once. It listens over Bluetooth while one of them
  /// is found by that.
  public var registrations: [ServiceRegistration] {
    get { setup.registrations }
    set {
      change { $0.registrations = newValue }
      ask(.register(newValue))
    }
  }

  /// Where devices say which other devices they are one thing with; none by default, 16 at most. Takes effect with the
  /// next start.
  public var identityRules: [IdentityRule] {
    get { setup.identityRules }
    set { change { $0.identityRules = newValue } }
  }

  /// What makes two devices of the network one. Takes effect with the next start.
  public var merging: DiscoverySetup.MergePolicy {
    get { setup.merging }
    set { change { $0.merging = newValue } }
  }

  /// Under which address a device of the network is shown and connected: `.heard` by default, the one that it was heard
  /// from; or `.announced`, that of the host which its description is on. Takes effect with the next start.
  public var addressing: DiscoverySetup.AddressPolicy {
    get { setup.addressing }
    set { change { $0.addressing = newValue } }
  }
}
