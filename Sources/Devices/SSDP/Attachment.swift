import RollcallPrimitives
import RollcallWire

/// One interface of an inhabitant, with the address of each family that it uses there.
struct Attachment: Hashable, Sendable {
  var interface: InterfaceID
  var isUp: Bool
  private(set) var v4: InterfaceAddress?
  /// The address of IPv4 as text; nothing where there is none.
  private(set) var v4Text = DottedDecimal()
  private(set) var v6: InterfaceAddress?
  /// How many messages of a set were announced from here since the start: what a byebye has to revoke.
  var announced4: UInt8 = 0
  var announced6: UInt8 = 0

  init(_ change: InterfaceChange) {
    interface = change.interface
    isUp = change.isUp
    guard change.isUp else { return }
    v4 = change.addresses.first { $0.address.family == .v4 }
    if let v4 { v4Text = DottedDecimal(v4.address) }
    // ff02::c has link-local scope, and so has what is said there (UDA-A-GROUP6, UDA-A-LOC6).
    let v6s = change.addresses.filter { $0.address.family == .v6 }
    v6 = v6s.first { $0.address.isLinkLocal } ?? v6s.first
  }

  func address(_ isV6: Bool) -> IPAddress? { isUp ? (isV6 ? v6 : v4)?.address : nil }

  mutating func setAddress(_ address: IPAddress) {
    if address.family == .v6 {
      v6 = InterfaceAddress(address, prefixBits: v6?.prefixBits ?? 64)
    } else {
      v4 = InterfaceAddress(address, prefixBits: v4?.prefixBits ?? 24)
      v4Text = DottedDecimal(address)
    }
  }

  func announced(_ isV6: Bool) -> UInt8 { isV6 ? announced6 : announced4 }
  mutating func setAnnounced(_ count: UInt8, _ isV6: Bool) {
    if isV6 { announced6 = count } else { announced4 = count }
  }
}

/// A family on an interface, as a bit: two bits for each attachment, IPv4 first.
struct Lanes: OptionSet, Hashable, Sendable {
  let rawValue: UInt32
  init(rawValue: UInt32) { self.rawValue = rawValue }
  init(_ attachment: Int, isV6: Bool) { rawValue = 1 &<< UInt32(2 &* attachment &+ (isV6 ? 1 : 0)) }

  /// An inhabitant uses at most this many interfaces; more are ignored.
  static let attachmentCountMaximum = 16
}

extension [Attachment] {
  /// Every family of every interface that is up.
  var lanes: Lanes {
    var lanes = Lanes()
    for index in indices {
      if self[index].address(false) != nil { lanes.insert(Lanes(index, isV6: false)) }
      if self[index].address(true) != nil { lanes.insert(Lanes(index, isV6: true)) }
    }
    return lanes
  }

  func index(of interface: InterfaceID) -> Int? { firstIndex { $0.interface == interface } }

  /// Takes note of a change, for inhabitants that need no more than to know where they are.
  mutating func take(_ change: InterfaceChange) {
    if let index = index(of: change.interface) {
      self[index] = Attachment(change)
    } else if count < Lanes.attachmentCountMaximum {
      append(Attachment(change))
    }
  }

  /// Asks for the groups of every interface that is up.
  func join(into outbox: inout Outbox) {
    for attachment in self {
      if attachment.address(false) != nil { outbox.join(.ssdp(.v4), on: attachment.interface) }
      if attachment.address(true) != nil { outbox.join(.ssdp(.v6), on: attachment.interface) }
    }
  }
}
