// Devices say the same again and again: what was heard lately is found again, with all that was read of it. What is
// never said again, such as every message with a DATE, must not push that out, nor walk through all those buffers: a
// payload is remembered when it comes for the second time.

/// Payloads that were let go and can be recalled, by the digest of their bytes.
@usableFromInline struct RecallTable: ~Copyable {
  /// So many are kept: some 4 MB of the smallest buffers.
  @usableFromInline static let payloadCountMaximum = 4_096
  @usableFromInline static let placeCount = 8_192
  /// So many places are looked at for one payload.
  @usableFromInline static let probesMaximum = 16

  /// By key: the low half of it, and the number of the slot + 1; 0: free. What does not fit its place stands behind it.
  @usableFromInline let places: UnsafeMutablePointer<UInt64>
  /// What came by lately and is not remembered, by a part of its key; 0: nothing did.
  @usableFromInline let strangers: UnsafeMutablePointer<UInt32>
  /// Every payload that can be recalled.
  @usableFromInline var ring: [Int32] = []
  /// Where in the ring the next one is looked for that makes room.
  @usableFromInline var hand = 0

  init() {
    places = .allocate(capacity: RecallTable.placeCount)
    places.initialize(repeating: 0, count: RecallTable.placeCount)
    strangers = .allocate(capacity: RecallTable.placeCount)
    strangers.initialize(repeating: 0, count: RecallTable.placeCount)
  }

  deinit {
    places.deallocate()
    strangers.deallocate()
  }

  /// The place where what has this key stands, or behind which it stands.
  @inlinable @inline(__always) static func home(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key &>> 51) }
  @inlinable @inline(__always) static func after(_ place: Int) -> Int { (place &+ 1) & (placeCount &- 1) }
}

extension PayloadStore {
  /// What `store` does, where the same bytes may have been here lately, and more than once: such a payload is held
  /// again, with its digest and its note. Bytes are compared in full.
  public func recall(_ bytes: UnsafeRawBufferPointer) -> Payload {
    let count = bytes.count
    guard count >= Digest.laneBytes, count <= PayloadStore.classes[1], let base = bytes.baseAddress else {
      return store(bytes)
    }
    let key = Digest.sum(bytes) | 1
    let table = core.pointee.recall ?? makeRecallTable()
    let home = RecallTable.home(key)
    var place = home
    var probes = 0
    while true {
      let entry = table.pointee.places[place]
      if entry == 0 { break }
      if entry &>> 32 == key & 0xFFFF_FFFF, let payload = recalled(entry, key, base, count) { return payload }
      place = RecallTable.after(place)
      probes &+= 1
    }
    let stranger = UInt32(truncatingIfNeeded: key) | 1
    if table.pointee.strangers[home] != stranger {
      table.pointee.strangers[home] = stranger
      return store(bytes, digest: key)
    }
    // Whoever makes keys meet on purpose finds that his payloads are not remembered.
    return probes < RecallTable.probesMaximum ? remember(bytes, key, table) : store(bytes, digest: key)
  }

  /// Whether the payload is one that `recall` may find again, so that a note beside it is of use.
  @inlinable public func mayRecall(_ payload: Payload) -> Bool { checked(payload).pointee.recallCount != 0 }

  /// The payload that this entry stands for, held once more, if it has these bytes.
  @inline(__always)
  private func recalled(_ entry: UInt64, _ key: UInt64, _ base: UnsafeRawPointer, _ count: Int) -> Payload? {
    let index = UInt32(truncatingIfNeeded: entry) &- 1
    let slot = core.pointee.slots + Int(index)
    guard slot.pointee.digest == key, Int(slot.pointee.recallCount) == count,
      PayloadStore.isSame(base, slot.pointee.memory + PayloadStore.noteBytes, count)
    else { return nil }
    slot.pointee.references &+= 1
    slot.pointee.wasRecalled = true
    return Payload(slot: index, count: UInt32(truncatingIfNeeded: count))
  }

  private func store(_ bytes: UnsafeRawBufferPointer, digest: UInt64) -> Payload {
    let payload = store(bytes)
    core.pointee.slots[Int(payload.slot)].digest = digest
    return payload
  }

  private func makeRecallTable() -> UnsafeMutablePointer<RecallTable> {
    let table = UnsafeMutablePointer<RecallTable>.allocate(capacity: 1)
    table.initialize(to: RecallTable())
    core.pointee.recall = table
    return table
  }

  /// Stores bytes so that they can be recalled when they are let go.
  private func remember(
    _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ table: UnsafeMutablePointer<RecallTable>
  ) -> Payload {
    var place = table.pointee.ring.count
    if place == RecallTable.payloadCountMaximum {
      place = makeRoom(table)
      if place < 0 { return store(bytes, digest: key) }
    }
    let payload = store(bytes, digest: key)
    let slot = core.pointee.slots + Int(payload.slot)
    slot.pointee.recallCount = payload.count
    slot.pointee.wasRecalled = false
    var free = RecallTable.home(key)
    while table.pointee.places[free] != 0 { free = RecallTable.after(free) }
    table.pointee.places[free] = key &<< 32 | UInt64(payload.slot &+ 1)
    if place == table.pointee.ring.count {
      table.pointee.ring.append(Int32(truncatingIfNeeded: payload.slot))
    } else {
      table.pointee.ring[place] = Int32(truncatingIfNeeded: payload.slot)
    }
    return payload
  }

  /// Forgets a payload that nobody holds, rather one that was not recalled for a while; its place, −1: all are held.
  private func makeRoom(_ table: UnsafeMutablePointer<RecallTable>) -> Int {
    let count = table.pointee.ring.count
    for _ in 0..<(2 * count) {
      let place = table.pointee.hand
      table.pointee.hand = place &+ 1 == count ? 0 : place &+ 1
      let index = table.pointee.ring[place]
      let slot = core.pointee.slots + Int(index)
      if slot.pointee.references > 0 { continue }
      if slot.pointee.wasRecalled {
        slot.pointee.wasRecalled = false
        continue
      }
      unlink(index, table)
      slot.pointee.recallCount = 0
      free(Int(index))
      return place
    }
    return -1
  }

  /// Takes a slot out of its place; those behind it move up, unless that would put them before their home.
  private func unlink(_ index: Int32, _ table: UnsafeMutablePointer<RecallTable>) {
    let (slots, places) = (core.pointee.slots, table.pointee.places)
    var hole = RecallTable.home(slots[Int(index)].digest)
    while UInt32(truncatingIfNeeded: places[hole]) != UInt32(bitPattern: index) &+ 1 { hole = RecallTable.after(hole) }
    let mask = RecallTable.placeCount &- 1
    var next = RecallTable.after(hole)
    while places[next] != 0 {
      let home = RecallTable.home(slots[Int(UInt32(truncatingIfNeeded: places[next]) &- 1)].digest)
      if (next &- home) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = RecallTable.after(next)
    }
    places[hole] = 0
  }

  /// Whether two runs of `count` bytes, at least one lane, are the same.
  @inline(__always) private static func isSame(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int
  ) -> Bool {
    var other = Digest.lane(left, count &- Digest.laneBytes) ^ Digest.lane(right, count &- Digest.laneBytes)
    var more = SIMD2<UInt64>.zero
    var offset = 0
    while offset &+ 2 &* Digest.laneBytes <= count {
      other |= Digest.lane(left, offset) ^ Digest.lane(right, offset)
      more |= Digest.lane(left, offset &+ Digest.laneBytes) ^ Digest.lane(right, offset &+ Digest.laneBytes)
      offset &+= 2 &* Digest.laneBytes
    }
    if offset &+ Digest.laneBytes <= count { more |= Digest.lane(left, offset) ^ Digest.lane(right, offset) }
    other |= more
    return other[0] | other[1] == 0
  }
}
