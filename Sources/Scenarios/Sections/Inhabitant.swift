import RollcallDevices
package import RollcallPrimitives

/// One entry of `inhabitants:`: somebody, or several alike, on the network.
package struct InhabitantEntry: Hashable, Sendable {
  package var name: String
  /// How many; more than one are called name-1, name-2 …
  package var count: Int
  package var appear: Appearance
  package var host: HostSection
  package var kind: InhabitantKind

  package init(
    _ name: String, count: Int = 1, appear: Appearance = .at(.zero), host: HostSection = HostSection(),
    _ kind: InhabitantKind = .standard
  ) {
    self.name = name
    self.count = count
    self.appear = appear
    self.host = host
    self.kind = kind
  }

  /// The names of its members: its own where it is one.
  var memberNames: [String] { count == 1 ? [name] : (0..<max(0, count)).map { "\(name)-\($0 + 1)" } }

  /// Whether an engine can find it.
  var isDevice: Bool {
    switch kind {
    case .peripheral, .hciHost, .mdnsResponder, .nearbyPeer: true
    default: kind.lanDevice != nil
    }
  }

  /// Whether it is on a LAN.
  var hasInterfaces: Bool { if case .phone = kind { true } else { !hasRadio } }

  /// Whether it is on the air of Bluetooth.
  var hasRadio: Bool {
    switch kind {
    case .peripheral, .hciHost, .recordedPeripheral, .phone: true
    default: false
    }
  }
}

/// When somebody joins the network.
package enum Appearance: Hashable, Sendable {
  case at(Instant)
  /// Each at an instant of its own, uniform in the range.
  case within(ClosedRange<Instant>)
  /// Only when the timeline says so.
  case never
}
