package import RollcallPrimitives

/// A device in a list to pick from.
package protocol PickableDevice: Sendable {
  var id: String { get }
  /// What is known of it.
  var state: ManagerReport.State { get }
  /// Whether it is being connected, and whether it is ready.
  var isConnecting: Bool { get }
  var isConnected: Bool { get }
}

/// The devices that a person can pick one from, in order, and the one that they picked: what the picker of an application
/// and that of a terminal show.
///
/// A device is put in when it is found and whenever it is not as it was, and taken out when it is lost. Devices are sorted by name,
/// without regard to the case of letters; those without a name come last, by address.
package struct PickerList<Device: PickableDevice>: Sendable {
  private struct Key: Comparable, Sendable {
    /// 0: it has a name; else what kind of address it has.
    var rank = 0
    var name = ""
    var high: UInt64 = 0
    var low: UInt64 = 0
    var id: String

    init(_ device: Device) {
      id = device.id
      let state = device.state
      if let text = state.name {
        name = text.lowercased()
        return
      }
      switch state.address {
      case .ip(let address): (rank, high, low) = (address.family == .v4 ? 1 : 2, address.high, address.low)
      case .radio(let address): (rank, low) = (3, address.bits)
      case .peer(let number): (rank, low) = (4, number)
      case nil: rank = 5
      }
    }

    static func < (left: Key, right: Key) -> Bool {
      (left.rank, left.name, left.high, left.low, left.id) < (right.rank, right.name, right.high, right.low, right.id)
    }
  }

  private var entries: [(key: Key, device: Device)] = []
  /// By the id of the device.
  private var keyOf: [String: Key] = [:]
  private var selectedID: String?

  package init(_ devices: [Device] = []) { for device in devices { put(device) } }

  package var devices: [Device] { entries.map(\.device) }
  package var count: Int { entries.count }

  /// The device of this id; `nil`: there is none.
  package func device(withID id: String) -> Device? { keyOf[id].map { entries[place(of: $0)].device } }

  /// There is this device now, or it is not as it was.
  package mutating func put(_ device: Device) {
    let key = Key(device)
    if let former = keyOf[device.id] { entries.remove(at: place(of: former)) }
    keyOf[device.id] = key
    entries.insert((key, device), at: place(of: key))
  }

  /// A device is gone; if it was picked, none is.
  package mutating func remove(id: String) {
    guard let key = keyOf.removeValue(forKey: id) else { return }
    entries.remove(at: place(of: key))
    if selectedID == id { selectedID = nil }
  }

  // MARK: - The one that was picked

  /// The device that was picked, as it is now; `nil`: none was, or it is gone.
  package var selected: Device? { selectedID.flatMap { device(withID: $0) } }
  /// Whether that is being connected, and whether it is ready.
  package var isConnecting: Bool { selected?.isConnecting == true }
  package var isConnected: Bool { selected?.isConnected == true }

  /// Picks the device of this id; `nil`: none.
  /// - Returns: whether the selection is now this one: a device that is not there cannot be picked.
  package mutating func select(id: String?) -> Bool {
    if let id, keyOf[id] == nil { return false }
    selectedID = id
    return true
  }

  /// Where the entry with this key stands, or belongs.
  private func place(of key: Key) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
