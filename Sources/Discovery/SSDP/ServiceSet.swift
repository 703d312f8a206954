import Primitives

/// The (USN, ST) pairs that a search has heard: each once, by its bytes, for as long as the search lasts.
struct ServiceSet {
  /// Number of bytes of the USN, then those of ST; its high bit: the USN ends with them, and they are not kept twice.
  private static let headerBytes = 8
  private static let isAtEnd: UInt32 = 1 << 31

  private var offsets: [UInt32] = []
  private var slots = SlotTable()
  private var arena: [UInt8] = []
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed ^ 0x589965CC75374CC3 }

  /// Forgets all pairs and keeps the room, for the next search; what is large is given back.
  mutating func removeAll() {
    let isSmall = offsets.count <= 256
    offsets.removeAll(keepingCapacity: isSmall)
    slots.removeAll(keepingCapacity: isSmall)
    arena.removeAll(keepingCapacity: isSmall)
  }

  /// Adds a pair; whether it is new.
  mutating func insert(usn: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer) -> Bool {
    var counts = (UInt32(truncatingIfNeeded: usn.count), UInt32(truncatingIfNeeded: target.count))
    let rest = usn.count - target.count
    let isAtEnd =
      rest >= 0 && KeyBytes.equal(UnsafeRawBufferPointer(rebasing: usn[rest...]), target, folding: false)
    if isAtEnd { counts.1 |= ServiceSet.isAtEnd }
    let usnHash = UInt64(KeyBytes.hash(usn, seed: seed, folding: false))
    let targetHash = isAtEnd ? 0 : UInt64(KeyBytes.hash(target, seed: seed, folding: false))
    let hash = KeyBytes.hash(usnHash &<< 32 | UInt64(counts.1), targetHash, seed: seed)
    let known = arena.withUnsafeBytes { arena in
      slots.find(hash) { number in
        let offset = Int(offsets[Int(number)])
        guard arena.loadUnaligned(fromByteOffset: offset, as: UInt32.self) == counts.0,
          arena.loadUnaligned(fromByteOffset: offset &+ 4, as: UInt32.self) == counts.1
        else { return false }
        let start = offset &+ ServiceSet.headerBytes
        let end = start &+ usn.count
        return KeyBytes.equal(UnsafeRawBufferPointer(rebasing: arena[start..<end]), usn, folding: false)
          && (isAtEnd
            || KeyBytes.equal(
              UnsafeRawBufferPointer(rebasing: arena[end..<(end &+ target.count)]), target, folding: false))
      }
    }
    if known != none { return false }
    precondition(arena.count < 1 << 31, "services of a search are bounded before they come here")
    let number = UInt32(offsets.count)
    offsets.append(UInt32(arena.count))
    withUnsafeBytes(of: counts.0) { arena.append(contentsOf: $0) }
    withUnsafeBytes(of: counts.1) { arena.append(contentsOf: $0) }
    arena.append(contentsOf: usn)
    if !isAtEnd { arena.append(contentsOf: target) }
    slots.insert(hash, number)
    return true
  }
}

/// Of which leases a search was told: the serial of each, by number.
///
/// A lease that ends gives its number to another, whose serial differs; so nothing need be forgotten. It is a shortcut:
/// what it does not know, a `ServiceSet` does.
struct ToldLeases {
  /// Leases of higher numbers are looked up by name.
  private static let numbersMaximum = 1 << 16
  private var serials: [UInt32] = []

  @inline(__always) func holds(_ lease: UInt32, _ serial: UInt32) -> Bool {
    let number = Int(lease)
    return number < serials.count && serials[number] == serial
  }

  mutating func note(_ lease: UInt32, _ serial: UInt32) {
    let number = Int(lease)
    guard number < ToldLeases.numbersMaximum else { return }
    if number >= serials.count {
      let count = min(max(number + 1, serials.count * 2, 64), ToldLeases.numbersMaximum)
      serials.append(contentsOf: repeatElement(0, count: count - serials.count))
    }
    serials[number] = serial
  }
}
