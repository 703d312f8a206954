import RollcallPrimitives

/// The interfaces of this host, as the driver told of them.
///
/// A path is one interface and one address family. One that nobody told of but that carries datagrams counts as up
/// with no addresses, so that a driver that hears more than it knows loses nothing.
struct InterfaceTable {
  struct Interface {
    var id: InterfaceID
    var addresses: [InterfaceAddress] = []
    /// Groups that were joined, by family.
    var hasJoined4 = false
    var hasJoined6 = false
  }

  private(set) var all: [Interface] = []
  // Beside `all`, so that a look-up touches no array of addresses.
  private var ids: [InterfaceID] = []
  private var areUp: [Bool] = []

  /// Grows with every change of addresses: what was judged by them has to be judged again.
  private(set) var version: UInt32 = 0

  /// More are not taken.
  static let countMaximum = 64

  /// The place of an interface; `nil` for one that does not fit or is down.
  @inline(__always) mutating func slotThatIsUp(_ id: InterfaceID) -> Int? {
    for slot in ids.indices where ids[slot] == id { return areUp[slot] ? slot : nil }
    return add(id)
  }

  func slot(of id: InterfaceID) -> Int? { ids.firstIndex(of: id) }

  /// The place of an interface, new if need be; `nil` if there is no room.
  mutating func add(_ id: InterfaceID) -> Int? {
    if let slot = slot(of: id) { return slot }
    guard all.count < InterfaceTable.countMaximum else { return nil }
    all.append(Interface(id: id))
    ids.append(id)
    areUp.append(true)
    return all.count - 1
  }

  mutating func update(_ slot: Int, isUp: Bool, addresses: [InterfaceAddress]) {
    all[slot].addresses = addresses
    areUp[slot] = isUp
    version &+= 1
  }

  mutating func setJoined(_ slot: Int, _ family: IPAddress.Family, _ joined: Bool) {
    if family == .v4 { all[slot].hasJoined4 = joined } else { all[slot].hasJoined6 = joined }
  }

  func hasJoined(_ slot: Int, _ family: IPAddress.Family) -> Bool {
    family == .v4 ? all[slot].hasJoined4 : all[slot].hasJoined6
  }

  @inline(__always) static func path(_ slot: Int, _ family: IPAddress.Family) -> UInt16 {
    UInt16(truncatingIfNeeded: slot &* 2 &+ (family == .v6 ? 1 : 0))
  }
  func interface(ofPath path: UInt16) -> InterfaceID { ids[Int(path) / 2] }
}
