// Devices say the same again and again: what was heard lately is found again, with all that was read of it.

/// Payloads that were let go and can be recalled, by a key made of their bytes.
@usableFromInline struct RecallTable: ~Copyable {
  /// So many are kept: some 4 MB of the smallest buffers.
  @usableFromInline static let payloadCountMaximum = 4_096
  @usableFromInline static let bucketCount = 8_192
  /// So many may share a bucket.
  @usableFromInline static let chainMaximum = 16

  /// The first payload of a bucket, and what it is told by: nearly always there is no other.
  @usableFromInline struct Bucket: BitwiseCopyable {
    @usableFromInline var key: UInt64 = 0
    @usableFromInline var memory: UnsafeMutableRawPointer?
    /// −1: the bucket is empty.
    @usableFromInline var slot: Int32 = -1
    init() {}
  }
  @usableFromInline let buckets: UnsafeMutablePointer<Bucket>
  /// Every payload that can be recalled.
  @usableFromInline var ring: [Int32] = []
  /// Where in the ring the next one is looked for that makes room.
  @usableFromInline var hand = 0

  init() {
    buckets = .allocate(capacity: RecallTable.bucketCount)
    buckets.initialize(repeating: Bucket(), count: RecallTable.bucketCount)
  }

  deinit { buckets.deallocate() }

  @inlinable @inline(__always) static func bucket(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: key &>> 51)
  }
}

extension PayloadStore {
  /// What `store` does, where the same bytes may have been here lately: such a payload is held again, with its digest
  /// and its note. Bytes are compared in full.
  public func recall(_ bytes: UnsafeRawBufferPointer) -> Payload {
    let count = bytes.count
    guard count >= PayloadStore.laneBytes, count <= PayloadStore.classes[1], let base = bytes.baseAddress else {
      return store(bytes)
    }
    let key = PayloadStore.recallKey(base, count)
    let table = core.pointee.recall ?? makeRecallTable()
    let bucket = table.pointee.buckets + RecallTable.bucket(key)
    var index = bucket.pointee.slot
    if index >= 0, bucket.pointee.key == key, let memory = bucket.pointee.memory,
      PayloadStore.isSame(base, memory + PayloadStore.noteBytes, count),
      let payload = recalled(index, count)
    {
      return payload
    }
    var chained = 0
    while index >= 0 {
      let slot = core.pointee.slots + Int(index)
      if slot.pointee.recallKey == key, PayloadStore.isSame(base, slot.pointee.memory + PayloadStore.noteBytes, count),
        let payload = recalled(index, count)
      {
        return payload
      }
      index = slot.pointee.next
      chained &+= 1
    }
    // Whoever makes keys meet on purpose finds that his payloads are not remembered.
    return chained < RecallTable.chainMaximum ? remember(bytes, key, table) : store(bytes)
  }

  /// The payload in this slot, held once more, if it has so many bytes.
  @inline(__always) private func recalled(_ index: Int32, _ count: Int) -> Payload? {
    let slot = core.pointee.slots + Int(index)
    guard Int(slot.pointee.recallCount) == count else { return nil }
    slot.pointee.references &+= 1
    slot.pointee.wasRecalled = true
    return Payload(slot: UInt32(truncatingIfNeeded: index), count: UInt32(truncatingIfNeeded: count))
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
    let bucket = table.pointee.buckets + RecallTable.bucket(key)
    slot.pointee.recallKey = key
    slot.pointee.recallCount = payload.count
    slot.pointee.wasRecalled = false
    slot.pointee.next = bucket.pointee.slot
    lead(bucket, Int32(truncatingIfNeeded: payload.slot))
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

  private func unlink(_ index: Int32, _ table: UnsafeMutablePointer<RecallTable>) {
    let slots = core.pointee.slots
    let bucket = table.pointee.buckets + RecallTable.bucket(slots[Int(index)].recallKey)
    var other = bucket.pointee.slot
    if other == index { return lead(bucket, slots[Int(index)].next) }
    while slots[Int(other)].next != index { other = slots[Int(other)].next }
    slots[Int(other)].next = slots[Int(index)].next
  }

  /// Puts a slot in front of its bucket; −1 leaves the bucket empty.
  private func lead(_ bucket: UnsafeMutablePointer<RecallTable.Bucket>, _ index: Int32) {
    bucket.pointee.slot = index
    if index < 0 { return }
    bucket.pointee.key = core.pointee.slots[Int(index)].recallKey
    bucket.pointee.memory = core.pointee.slots[Int(index)].memory
  }

  /// So many bytes are looked at at once.
  private static let laneBytes = 16

  /// Tells nearly all payloads apart, at a sixth of the cost of a digest: sums of words, and sums of those sums.
  @inline(__always) private static func recallKey(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var sum = SIMD2<UInt64>(UInt64(truncatingIfNeeded: count), 0)
    var sums = sum
    var offset = 0
    while offset &+ 2 &* laneBytes <= count {
      let (first, second) = (lane(bytes, offset), lane(bytes, offset &+ laneBytes))
      sums &+= sum &+ sum &+ first &+ first &+ second
      sum &+= first &+ second
      offset &+= 2 &* laneBytes
    }
    if offset &+ laneBytes <= count {
      sum &+= lane(bytes, offset)
      sums &+= sum
    }
    // The last bytes, some of them again.
    sum &+= lane(bytes, count &- laneBytes)
    sums &+= sum
    let first = (sum[0] ^ sums[1] &<< 32 ^ sums[1] &>> 32) &* 0x9E37_79B9_7F4A_7C15
    let second = (sum[1] ^ sums[0] &<< 32 ^ sums[0] &>> 32) &* 0xE703_7ED1_A0B4_28DB
    return first ^ second &>> 29 ^ second
  }

  /// Whether two runs of `count` bytes, at least one lane, are the same.
  @inline(__always) private static func isSame(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int
  ) -> Bool {
    var other = lane(left, count &- laneBytes) ^ lane(right, count &- laneBytes)
    var more = SIMD2<UInt64>.zero
    var offset = 0
    while offset &+ 2 &* laneBytes <= count {
      other |= lane(left, offset) ^ lane(right, offset)
      more |= lane(left, offset &+ laneBytes) ^ lane(right, offset &+ laneBytes)
      offset &+= 2 &* laneBytes
    }
    if offset &+ laneBytes <= count { more |= lane(left, offset) ^ lane(right, offset) }
    other |= more
    return other[0] | other[1] == 0
  }

  @inline(__always) private static func lane(_ bytes: UnsafeRawPointer, _ offset: Int) -> SIMD2<UInt64> {
    bytes.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
  }
}
