// The host: what the operating system says of its interfaces, of permissions and of power. A machine wants nothing here.

/// What the host of a machine says.
public enum HostSignal: Hashable, Sendable {
  case interface(InterfaceChange)
  case refused(Refusal)
  /// The user allowed or denied something, or has not been asked.
  case permission(Permission, PermissionState)
  /// The Bluetooth radio of the host.
  case power(PowerState)
}

/// A network interface came, went, or changed its addresses.
public struct InterfaceChange: Hashable, Sendable {
  public var interface: InterfaceID
  public var isUp: Bool
  /// Addresses of the interface, with the number of bits that name its subnet; empty when it is down.
  public var addresses: [InterfaceAddress]

  public init(interface: InterfaceID, isUp: Bool, addresses: [InterfaceAddress]) {
    (self.interface, self.isUp, self.addresses) = (interface, isUp, addresses)
  }

  /// Whether it is up and has this address.
  package func hasAddress(_ address: IPAddress) -> Bool { isUp && addresses.contains { $0.address == address } }

  /// The same interface with another address in the place of the first of its family, on the same subnet.
  package func readdressed(to address: IPAddress) -> InterfaceChange {
    guard isUp, let place = addresses.firstIndex(where: { $0.address.family == address.family }) else { return self }
    var copy = self
    copy.addresses[place].address = address
    return copy
  }
}

/// An address with its prefix length in bits.
public struct InterfaceAddress: Hashable, Sendable {
  public var address: IPAddress
  public var prefixBits: Int
  public init(_ address: IPAddress, prefixBits: Int) { (self.address, self.prefixBits) = (address, prefixBits) }
}

extension [InterfaceAddress] {
  /// The address that a family sends from: for IPv6 a link-local one where there is one, as the groups are of that
  /// scope; `nil`: there is none of the family.
  package func source(_ family: IPAddress.Family) -> IPAddress? {
    let own = filter { $0.address.family == family }
    return (own.first { family == .v6 && $0.address.isLinkLocal } ?? own.first)?.address
  }
}

/// The operating system said no: a group could not be joined, or a datagram could not be sent.
public struct Refusal: Hashable, Sendable {
  public enum Deed: String, Hashable, Sendable { case join, send }
  public var deed: Deed
  public var interface: InterfaceID
  /// The group that was to be joined, or the destination that was to be sent to.
  public var address: IPAddress
  /// The port of the socket that was refused: of a join the port beside the group.
  public var port: UInt16
  public init(deed: Deed, interface: InterfaceID, address: IPAddress, port: UInt16) {
    (self.deed, self.interface, self.address, self.port) = (deed, interface, address, port)
  }
}

/// What a user has to allow.
public enum Permission: String, Hashable, Sendable, CaseIterable { case bluetooth, localNetwork }

public enum PermissionState: String, Hashable, Sendable, CaseIterable { case undetermined, restricted, denied, allowed }

public enum PowerState: String, Hashable, Sendable, CaseIterable { case unknown, resetting, unsupported, off, on }

extension HostSignal: PortValue {
  public static var port: PortNumber { .host }
  public static var verbs: [String] { ["interface", "refused", "permission", "power"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .interface(let change):
      digest.combine(1, UInt64(change.interface.number) &<< 1 | (change.isUp ? 1 : 0))
      digest.combine(UInt64(change.addresses.count))
      for address in change.addresses {
        digest.combine(address.address)
        digest.combine(UInt64(truncatingIfNeeded: address.prefixBits))
      }
    case .refused(let refusal):
      digest.combine(2, UInt64(refusal.interface.number) &<< 16 | UInt64(refusal.port))
      digest.combine(refusal.deed.rawValue)
      digest.combine(refusal.address)
    case .permission(let permission, let state):
      digest.combine(3)
      digest.combine(permission.rawValue)
      digest.combine(state.rawValue)
    case .power(let state):
      digest.combine(4)
      digest.combine(state.rawValue)
    }
  }

  public func write(to words: inout WordWriter) {
    switch self {
    case .interface(let change):
      words.add("interface")
      words.add(change.interface.number)
      words.add(change.isUp ? "up" : "down")
      for address in change.addresses { words.add("\(address.address)/\(address.prefixBits)") }
    case .refused(let refusal):
      words.add("refused")
      words.add(refusal.deed.rawValue)
      words.add(refusal.interface)
      words.add(refusal.address)
      words.add("port")
      words.add(refusal.port)
    case .permission(let permission, let state):
      words.add("permission")
      words.add(permission.rawValue)
      words.add(state.rawValue)
    case .power(let state):
      words.add("power")
      words.add(state.rawValue)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    switch verb {
    case "interface": self = .interface(try InterfaceChange(from: &words))
    case "refused": self = .refused(try Refusal(from: &words))
    case "permission":
      let permission = try words.value(Permission.self, "bluetooth or localNetwork")
      self = .permission(
        permission, try words.value(PermissionState.self, "undetermined, restricted, denied or allowed"))
    case "power": self = .power(try words.value(PowerState.self, "unknown, resetting, unsupported, off or on"))
    default: throw words.error("interface, refused, permission or power")
    }
  }
}

extension InterfaceChange {
  fileprivate init(from words: inout WordReader) throws(WordError) {
    interface = InterfaceID(try words.number("the number of an interface"))
    let state = try words.next("up or down")
    guard state == "up" || state == "down" else { throw words.error("up or down") }
    isUp = state == "up"
    addresses = []
    while !words.rest.isEmpty {
      let expected = "an address with its prefix, as in 192.168.1.2/24"
      let parts = try words.next(expected).split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let address = IPAddress(parts[0]), let bits = Int(digits: parts[1]),
        String(bits) == parts[1]
      else { throw words.error(expected) }
      addresses.append(InterfaceAddress(address, prefixBits: bits))
    }
  }
}

extension Refusal {
  fileprivate init(from words: inout WordReader) throws(WordError) {
    guard let deed = Deed(rawValue: String(try words.next("join or send"))) else { throw words.error("join or send") }
    self.deed = deed
    interface = try words.interface()
    address = try words.address()
    try words.word("port")
    port = try words.number("the number of a port")
  }
}
