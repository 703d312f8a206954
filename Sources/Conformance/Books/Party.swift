package import RollcallPrimitives

/// The number of a party in one judgement, from 0 in the order in which they are first heard.
package struct PartyID: Hashable, Sendable, BitwiseCopyable {
  package var number: Int32
  package init(_ number: Int32) { self.number = number }
}

/// Somebody who is judged: a host in one of its two roles.
package struct Party: Hashable, Sendable {
  package enum Role: UInt8, Hashable, Sendable {
    /// It sends NOTIFYs and answers.
    case device
    /// It searches.
    case controlPoint

    package var name: String { self == .device ? "device" : "control point" }
  }

  package var address: DeviceAddress
  /// The number of the host in a trace; −1 in a capture.
  package var host: Int32
  package var role: Role
  /// The address, or in a trace the name of the host.
  package var name: String
  /// The highest edition that it claimed.
  package var claim = Edition.uda10
  package var messageCount = 0
  /// SERVER or USER-AGENT as it was first heard.
  package var product: String?
}

/// Who was heard: by address in a capture, by host in a trace.
struct PartyTable {
  /// More than these are one party without an address of its own.
  static let countMaximum = 4_096

  private var numbers = ByteTable(countMaximum: countMaximum)
  private(set) var parties: [Party] = []
  private let hosts: [String]
  private var others: PartyID?

  init(hosts: [String]) { self.hosts = hosts }

  mutating func number(
    of address: IPAddress, host: Int32, role: Party.Role, standard: Standard = .uda
  ) -> PartyID {
    let ends = host >= 0 ? (UInt64(0), UInt64(0)) : (address.high, address.low)
    let last = UInt64(truncatingIfNeeded: host &+ 1) &<< 16 | UInt64(address.family.rawValue) &* (host < 0 ? 1 : 0)
    // One address that speaks two protocols is two parties.
    let other: UInt64 = standard == .multicastDNS ? 1 &<< 63 : 0
    let key = (ends.0, ends.1, last &<< 1 | UInt64(role.rawValue) | other)
    let hash = Digest.fold(key.0 ^ key.2 ^ 0xA076_1D64_78BD_642F, key.1 ^ 0xE703_7ED1_A0B4_28DB)
    let found = withUnsafeBytes(of: key) { numbers.number(of: $0, hash: hash, isSame: Bytes.isSame) }
    if found < 0 { return crowd(role) }
    if Int(found) == parties.count {
      let name = host >= 0 && Int(host) < hosts.count ? hosts[Int(host)] : address.description
      parties.append(Party(address: .ip(address), host: host, role: role, name: name))
    }
    return PartyID(found)
  }

  /// A peripheral: by its address, in a trace as well, where one host may have had several.
  mutating func number(of address: RadioAddress, host: Int32) -> PartyID {
    let key = (address.bits, UInt64(address.isRandom ? 1 : 0), UInt64.max)
    let hash = Digest.fold(key.0 ^ 0x8EBC_6AF0_9C88_C6E3, key.1 ^ 0x5899_65CC_7537_4CC3)
    let found = withUnsafeBytes(of: key) { numbers.number(of: $0, hash: hash, isSame: Bytes.isSame) }
    if found < 0 { return crowd(.device) }
    if Int(found) == parties.count {
      let name = host >= 0 && Int(host) < hosts.count ? "\(hosts[Int(host)]) \(address)" : address.description
      parties.append(Party(address: .radio(address), host: host, role: .device, name: name))
    }
    return PartyID(found)
  }

  private mutating func crowd(_ role: Party.Role) -> PartyID {
    if let others { return others }
    let number = PartyID(Int32(parties.count))
    parties.append(Party(address: .ip(IPAddress(v4: 0)), host: -1, role: role, name: "all others"))
    others = number
    return number
  }

  mutating func hear(_ party: PartyID, claim: Edition, product: @autoclosure () -> String?) {
    let place = Int(party.number)
    parties[place].messageCount &+= 1
    let before = parties[place].claim
    if before.standard != claim.standard || before < claim { parties[place].claim = claim }
    if parties[place].product == nil, parties[place].messageCount <= 16 { parties[place].product = product() }
  }
}
