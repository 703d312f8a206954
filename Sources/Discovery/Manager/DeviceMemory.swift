import RollcallPrimitives

/// Which ids devices had, by their UUIDs, so that one that comes back is the one that it was.
struct DeviceMemory: Sendable {
  /// UUIDs that are remembered; beyond it the one that was noted first is forgotten.
  static let countMaximum = 65_536

  private var ids: [String: String] = [:]
  /// In the order in which they were noted, from `first` on.
  private var order: [String] = []
  private var first = 0
  private var dice: RandomStream

  /// - Parameter launch: of the application, from 0: each draws ids of its own.
  init(_ seed: Seed, launch: Int = 0) { dice = seed.stream("manager/ids" + (launch == 0 ? "" : "/\(launch)")) }

  func id(of uuid: String) -> String? { ids[uuid] }

  mutating func note(_ devices: [RememberedDevice]) {
    for device in devices {
      for owner in device.owners { note(device.id, of: DeviceMemory.key(owner)) }
    }
  }

  /// Under what a device of the directory, or a part of one, is remembered.
  static func key(_ owner: String) -> String { owner.uuidOfName.map { MergeKey(uuid: $0).text } ?? owner }

  mutating func note(_ id: String, of uuid: String) {
    if ids.updateValue(id, forKey: uuid) != nil { return }
    if order.count - first >= DeviceMemory.countMaximum {
      ids[order[first]] = nil
      first += 1
      if first * 2 > order.count {
        order.removeFirst(first)
        first = 0
      }
    }
    order.append(uuid)
  }

  /// A new one, in the form of a UUID of version 4 (RFC 9562 §5.4).
  mutating func makeID() -> String {
    let high = dice.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = dice.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let (a, b) = (high.hexadecimal, low.hexadecimal)
    return "\(a.prefix(8))-\(a.dropFirst(8).prefix(4))-\(a.suffix(4))-\(b.prefix(4))-\(b.dropFirst(4))"
  }
}
