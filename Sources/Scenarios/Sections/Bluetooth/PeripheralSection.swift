package import RollcallDevices
package import RollcallPrimitives
package import RollcallSimulation
import RollcallWire

/// `kind: peripheral` — advertises over Bluetooth LE, and is on no LAN.
package struct PeripheralSection: Hashable, Sendable {
  package var kind: PeripheralPlan.Kind
  package var isExtended = false
  /// `nil`: a static random one, made of its name.
  package var address: RadioAddress?
  /// How often it takes another private address; `nil`: it keeps the one that it has.
  package var rotation: Interval?
  package var interval: Interval
  package var fast: PeripheralPlan.Fast?
  package var saying: PeripheralPlan.Saying
  /// What it says after `reconfigure`; `nil`: the same.
  package var otherSaying: PeripheralPlan.Saying?
  package var quirks: [PeripheralQuirk]
  package var gatt: [GATTPlan.Service]
  /// After `reconfigure`; `nil`: the same.
  package var otherGATT: [GATTPlan.Service]?
  /// ATT_MTU, in bytes.
  package var mtu: UInt16
  package var connectionsMaximum: Int

  package init(
    kind: PeripheralPlan.Kind = .connectable, address: RadioAddress? = nil, rotation: Interval? = nil,
    interval: Interval = .milliseconds(100), fast: PeripheralPlan.Fast? = nil,
    saying: PeripheralPlan.Saying = PeripheralSection.plainSaying, otherSaying: PeripheralPlan.Saying? = nil,
    quirks: [PeripheralQuirk] = [], gatt: [GATTPlan.Service] = [], otherGATT: [GATTPlan.Service]? = nil,
    mtu: UInt16 = 247, connectionsMaximum: Int = 1
  ) {
    (self.gatt, self.otherGATT, self.mtu, self.connectionsMaximum) = (gatt, otherGATT, mtu, connectionsMaximum)
    self.kind = kind
    self.address = address
    self.rotation = rotation
    self.interval = interval
    self.fast = fast
    self.saying = saying
    self.otherSaying = otherSaying
    self.quirks = quirks
  }

  /// General discoverable, and not for BR/EDR.
  package static let plainSaying: PeripheralPlan.Saying = {
    var fields = AdvertisedFields()
    fields.flags = 6
    return PeripheralPlan.Saying(fields)
  }()

  func plan(named name: String) -> PeripheralPlan {
    PeripheralPlan(
      kind: kind, isExtended: isExtended,
      address: rotation.map { .rotating(every: $0) } ?? .fixed(address ?? PeripheralSection.address(named: name)),
      interval: interval, fast: fast, saying: saying, otherSaying: otherSaying, quirks: quirks,
      gatt: GATTPlan(gatt, mtu: mtu), otherGATT: otherGATT.map { GATTPlan($0, mtu: mtu) },
      connectionsMaximum: connectionsMaximum)
  }

  /// A static random address: its two highest bits are 1.
  static func address(named name: String) -> RadioAddress {
    var digest = Digest()
    digest.combine(name)
    digest.combine(0xB1E)
    return RadioAddress(bits: digest.state & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, isRandom: true)
  }
}

/// `radio:` of a host — where its Bluetooth radio is, and how well it sends and hears.
package struct RadioSection: Hashable, Sendable {
  package var position: Position
  /// In dBm.
  package var transmitPower: Int
  /// The weakest packet that it receives, in dBm.
  package var sensitivity: Int
  package var loss: Loss

  package init(position: Position = Position(), transmitPower: Int = 0, sensitivity: Int = -95, loss: Loss = .none) {
    self.position = position
    self.transmitPower = transmitPower
    self.sensitivity = sensitivity
    self.loss = loss
  }
}

/// Somebody walks, or is carried, in a straight line.
package struct WalkDeed: Hashable, Sendable {
  package var who: String
  package var to: Position
  /// Zero: it is there at once.
  package var duration: Interval

  package init(who: String = "", to: Position = Position(), duration: Interval = .zero) {
    (self.who, self.to, self.duration) = (who, to, duration)
  }
}
