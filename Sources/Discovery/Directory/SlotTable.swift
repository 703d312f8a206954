/// No record: the number that no table gives away.
let none = UInt32.max

/// An open-addressing index from hashes to record numbers; the records themselves lie elsewhere.
///
/// A slot is the hash in the high half and the record number + 1 in the low half, 0 is free. The home of a slot can be
/// read off the slot, so growing and removing need no key, and removing moves followers up instead of leaving marks.
struct SlotTable {
  private var slots: [UInt64]
  private var mask: Int
  private(set) var count = 0

  /// Takes no room before the first record.
  init() { (slots, mask) = ([], -1) }

  /// The record with this hash for which `matches` holds; `none` if there is no such record.
  @inline(__always) func find(_ hash: UInt32, where matches: (UInt32) -> Bool) -> UInt32 {
    if count == 0 { return none }
    var position = Int(hash) & mask
    while true {
      let slot = slots[position]
      if slot == 0 { return none }
      if UInt32(truncatingIfNeeded: slot &>> 32) == hash {
        let record = UInt32(truncatingIfNeeded: slot) &- 1
        if matches(record) { return record }
      }
      position = (position &+ 1) & mask
    }
  }

  /// Adds a record that is not there yet.
  mutating func insert(_ hash: UInt32, _ record: UInt32) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    place(UInt64(hash) &<< 32 | UInt64(record &+ 1))
    count += 1
  }

  mutating func remove(_ hash: UInt32, _ record: UInt32) {
    let wanted = UInt64(hash) &<< 32 | UInt64(record &+ 1)
    var hole = Int(hash) & mask
    while slots[hole] != wanted {
      precondition(slots[hole] != 0, "a record that is not in its table")
      hole = (hole &+ 1) & mask
    }
    var next = (hole &+ 1) & mask
    while slots[next] != 0 {
      let home = Int(truncatingIfNeeded: slots[next] &>> 32) & mask
      // A follower moves up unless that would put it before its home.
      if (next &- home) & mask >= (next &- hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next &+ 1) & mask
    }
    slots[hole] = 0
    count -= 1
  }

  mutating func removeAll(keepingCapacity: Bool) {
    if keepingCapacity {
      if count > 0 { for index in slots.indices { slots[index] = 0 } }
    } else {
      (slots, mask) = ([], -1)
    }
    count = 0
  }

  private mutating func place(_ slot: UInt64) {
    var position = Int(truncatingIfNeeded: slot &>> 32) & mask
    while slots[position] != 0 { position = (position &+ 1) & mask }
    slots[position] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: max(16, old.count * 2))
    mask = slots.count - 1
    for slot in old where slot != 0 { place(slot) }
  }
}
