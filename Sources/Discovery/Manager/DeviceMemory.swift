import RollcallPrimitives

/// Which ids devices had, by their UUIDs, so that one that comes back is the one that it was.
struct DeviceMemory: Sendable {
  /// UUIDs that are remembered; beyond it the one that was noted first is forgotten.
  static let countMaximum = 65_536

  private var ids: [String: String] = [:]
  /// The id that a UUID had before its present one: two devices were taken for one, or one for two.
  private var formerIDs: [String: String] = [:]
  /// How many UUIDs have an id.
  private var uses: [String: Int] = [:]
  /// In the order in which they were noted, from `first` on.
  private var order: [String] = []
  private var first = 0
  private var dice: RandomStream

  /// - Parameter launch: of the application, from 0: each draws ids of its own.
  init(_ seed: Seed, launch: Int = 0) { dice = seed.stream("manager/ids" + (launch == 0 ? "" : "/\(launch)")) }

  func id(of uuid: String) -> String? { ids[uuid] }
  /// The id that a UUID had before its present one, where no other UUID has that now.
  func formerID(of uuid: String) -> String? { formerIDs[uuid].flatMap { uses[$0] == nil ? $0 : nil } }

  mutating func note(_ devices: [RememberedDevice]) {
    for device in devices {
      for owner in device.owners { note(device.id, of: DeviceMemory.key(owner)) }
    }
  }

  /// Under what a device of the directory, or a part of one, is remembered.
  static func key(_ owner: String) -> String { owner.uuidOfName.map { MergeKey(uuid: $0).text } ?? owner }

  mutating func note(_ id: String, of uuid: String) {
    let before = ids.updateValue(id, forKey: uuid)
    if before == id { return }
    uses[id, default: 0] += 1
    if let before {
      release(before)
      // What it had first counts for as long as it does not have that again.
      if formerIDs[uuid] == nil || formerIDs[uuid] == id { formerIDs[uuid] = before }
      return
    }
    if order.count - first >= DeviceMemory.countMaximum {
      if let gone = ids.removeValue(forKey: order[first]) { release(gone) }
      formerIDs[order[first]] = nil
      first += 1
      if first * 2 > order.count {
        order.removeFirst(first)
        first = 0
      }
    }
    order.append(uuid)
  }

  private mutating func release(_ id: String) {
    guard let count = uses[id] else { return }
    uses[id] = count > 1 ? count - 1 : nil
  }

  /// A new one, in the form of a UUID of version 4 (RFC 9562 §5.4).
  mutating func makeID() -> String {
    let high = dice.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = dice.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let (a, b) = (high.hexadecimal, low.hexadecimal)
    return "\(a.prefix(8))-\(a.dropFirst(8).prefix(4))-\(a.suffix(4))-\(b.prefix(4))-\(b.dropFirst(4))"
  }
}
