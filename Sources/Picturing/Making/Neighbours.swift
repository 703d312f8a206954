import RollcallPrimitives

/// Which stations have an address, and which are members of a group, as far as the entries of a trace say it.
struct Neighbours {
  private struct Membership: Hashable {
    var station: Int
    var interface: InterfaceID
  }

  private let cast: TraceCast
  /// What each station knows of its interfaces, by number.
  private var interfaces: [[InterfaceID: InterfaceChange]]
  private var owners: [IPAddress: [Int]] = [:]
  private var members: [Endpoint: [Membership]] = [:]

  /// Of larger groups losses are not looked for.
  static let membersMaximum = 256

  init(_ cast: TraceCast) {
    self.cast = cast
    interfaces = cast.stations.map { _ in [:] }
  }

  mutating func take(_ change: InterfaceChange, of station: Int) {
    for one in interfaces[station][change.interface]?.addresses ?? [] {
      owners[one.address]?.removeAll { $0 == station }
    }
    interfaces[station][change.interface] = change
    for one in change.addresses { add(station, to: one.address) }
  }

  mutating func take(_ effect: LANEffect, of station: Int) {
    switch effect {
    case .join(let group, let interface):
      let membership = Membership(station: station, interface: interface)
      if !members[group, default: []].contains(membership) { members[group, default: []].append(membership) }
    case .leave(let group, let interface):
      members[group]?.removeAll { $0 == Membership(station: station, interface: interface) }
    case .readdress(let address, _): add(station, to: address)
    }
  }

  /// An address that a station took is told of once more with the next change of its interface.
  private mutating func add(_ station: Int, to address: IPAddress) {
    if !owners[address, default: []].contains(station) { owners[address, default: []].append(station) }
  }

  /// The station that has an address, where exactly one has it.
  func owner(of address: IPAddress) -> Int? {
    let stations = owners[address] ?? []
    return stations.count == 1 ? stations[0] : nil
  }

  func isKnown(_ address: IPAddress) -> Bool { !(owners[address] ?? []).isEmpty }

  /// The stations that ought to hear a datagram that a station sends; `nil`: there are too many to look for losses.
  func listeners(to datagram: RecordedDatagram, from station: Int) -> [Int]? {
    let destination = datagram.destination
    guard destination.address.isMulticast else {
      return owner(of: destination.address).map { $0 == station ? [] : [$0] } ?? []
    }
    let group = members[destination] ?? []
    if group.count > Neighbours.membersMaximum { return nil }
    var found: [Int] = []
    for one in group where one.station != station && !found.contains(one.station) {
      if isBeside(one, datagram, from: station) { found.append(one.station) }
    }
    return found
  }

  /// Whether an interface is up, and on the network that the datagram is sent on.
  private func isBeside(_ one: Membership, _ datagram: RecordedDatagram, from station: Int) -> Bool {
    guard let change = interfaces[one.station][one.interface], change.isUp else { return false }
    let (own, other) = (cast.stations[station].segments, cast.stations[one.station].segments)
    let (left, right) = (Int(datagram.interface.number), Int(one.interface.number))
    if own.indices.contains(left), other.indices.contains(right) { return own[left] == other[right] }
    let source = datagram.source.address
    return change.addresses.contains { address in
      address.address.family == source.family && address.address.sharesPrefix(address.prefixBits, with: source)
    }
  }
}
