// Devices say the same again and again: what was heard lately is found again, with all that was read of it. What is
// never said again must not push that out, nor walk through all those buffers: a payload is remembered when it comes
// for the second time. A message that comes with another DATE is the same message.

/// Payloads that were let go and can be recalled, by a key made of their bytes.
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
  /// again, with its note. Bytes are compared in full, but for those that `setLoose` speaks of.
  public func recall(_ bytes: UnsafeRawBufferPointer) -> Payload {
    let count = bytes.count
    guard count >= Digest.laneBytes, count <= PayloadStore.classes[1], let base = bytes.baseAddress else {
      return store(bytes)
    }
    // Digits do not count, nor the lower halves of other bytes: what may differ most is what a DATE says.
    let key = Digest.sum(base, count, mask: 0xF0F0_F0F0_F0F0_F0F0)
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
      return store(bytes)
    }
    // Payloads of a sender that makes keys meet on purpose are not remembered.
    return probes < RecallTable.probesMaximum ? remember(bytes, key, table) : store(bytes)
  }

  /// Whether the payload is one that `recall` may find again, so that a note beside it is of use.
  @inlinable public func mayRecall(_ payload: Payload) -> Bool { checked(payload).pointee.recallCount != 0 }

  /// Says which bytes of a payload may be others without any difference to what stands in its note: a DATE, which a
  /// device writes into every message anew.
  ///
  /// `recall` then finds it for bytes that are the same but for these, if they are printable ASCII without blanks at
  /// the ends, and gives it the new ones. An empty range: there are none.
  @inlinable public func setLoose(_ range: Range<Int>, of payload: Payload) {
    let slot = checked(payload)
    guard range.upperBound <= Int(payload.count) else { return }
    slot.pointee.looseStart = UInt16(truncatingIfNeeded: range.lowerBound)
    slot.pointee.looseCount = UInt16(truncatingIfNeeded: range.count)
  }

  /// The payload that this entry stands for, held once more, if it has these bytes, or may have them.
  @inline(__always)
  private func recalled(_ entry: UInt64, _ key: UInt64, _ base: UnsafeRawPointer, _ count: Int) -> Payload? {
    let index = UInt32(truncatingIfNeeded: entry) &- 1
    let slot = core.pointee.slots + Int(index)
    guard slot.pointee.recallKey == key, Int(slot.pointee.recallCount) == count else { return nil }
    if !PayloadStore.isSame(base, slot.pointee.memory + PayloadStore.noteBytes, count) {
      guard slot.pointee.looseCount > 0, slot.pointee.references == 0, loosen(slot, base, count) else { return nil }
    }
    slot.pointee.references &+= 1
    slot.pointee.wasRecalled = true
    return Payload(slot: index, count: UInt32(truncatingIfNeeded: count))
  }

  /// Gives a payload other bytes where it may have them; whether these are the same but for those.
  @inline(never)
  private func loosen(_ slot: UnsafeMutablePointer<Slot>, _ base: UnsafeRawPointer, _ count: Int) -> Bool {
    let known = slot.pointee.memory + PayloadStore.noteBytes
    let start = Int(slot.pointee.looseStart)
    let end = start &+ Int(slot.pointee.looseCount)
    guard PayloadStore.isEqual(base, known, start), PayloadStore.isEqual(base + end, known + end, count &- end) else {
      return false
    }
    for offset in start..<end {
      let byte = base.load(fromByteOffset: offset, as: UInt8.self)
      let isEnd = offset == start || offset == end &- 1
      guard byte > 0x20 && byte < 0x7F || byte == 0x20 && !isEnd else { return false }
    }
    (known + start).copyMemory(from: base + start, byteCount: end &- start)
    slot.pointee.digest = 0
    return true
  }

  /// Whether two runs of any length are the same.
  private static func isEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    if count >= Digest.laneBytes { return isSame(left, right, count) }
    for offset in 0..<count
    where left.load(fromByteOffset: offset, as: UInt8.self) != right.load(fromByteOffset: offset, as: UInt8.self) {
      return false
    }
    return true
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
      if place < 0 { return store(bytes) }
    }
    let payload = store(bytes)
    let slot = core.pointee.slots + Int(payload.slot)
    slot.pointee.recallKey = key
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
    var hole = RecallTable.home(slots[Int(index)].recallKey)
    while UInt32(truncatingIfNeeded: places[hole]) != UInt32(bitPattern: index) &+ 1 { hole = RecallTable.after(hole) }
    let mask = RecallTable.placeCount &- 1
    var next = RecallTable.after(hole)
    while places[next] != 0 {
      let home = RecallTable.home(slots[Int(UInt32(truncatingIfNeeded: places[next]) &- 1)].recallKey)
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
