// Devices say the same again and again: what was heard lately is found again, with all that was read of it.

/// Payloads that were let go and can be recalled, by their digest.
@usableFromInline struct RecallTable: ~Copyable {
  /// So many are kept: some 3 MB of the smallest buffers.
  @usableFromInline static let payloadCountMaximum = 2_560
  @usableFromInline static let bucketCount = 4_096

  /// The first payload of each bucket; −1: it is empty.
  @usableFromInline let buckets: UnsafeMutablePointer<Int32>
  /// Every payload that can be recalled.
  @usableFromInline var ring: [Int32] = []
  /// Where in the ring the next one is looked for that makes room.
  @usableFromInline var hand = 0

  init() {
    buckets = .allocate(capacity: RecallTable.bucketCount)
    buckets.initialize(repeating: -1, count: RecallTable.bucketCount)
  }

  deinit { buckets.deallocate() }

  @inlinable @inline(__always) static func bucket(_ digest: UInt64) -> Int {
    Int(truncatingIfNeeded: digest &>> 52)
  }
}

extension PayloadStore {
  /// What `store` does, where the same bytes may have been here lately: such a payload is held again, with its digest
  /// and its note. Bytes are compared in full.
  public func recall(_ bytes: UnsafeRawBufferPointer) -> Payload {
    let count = bytes.count
    guard count > 0, count <= PayloadStore.classes[1], let base = bytes.baseAddress else { return store(bytes) }
    let digest = Digest.hash(bytes) | 1
    let table = core.pointee.recall ?? makeRecallTable()
    let bucket = RecallTable.bucket(digest)
    var index = table.pointee.buckets[bucket]
    while index >= 0 {
      let slot = core.pointee.slots + Int(index)
      if slot.pointee.digest == digest, Int(slot.pointee.recallCount) == count,
        PayloadStore.isSame(base, slot.pointee.memory + PayloadStore.noteBytes, count)
      {
        slot.pointee.references &+= 1
        slot.pointee.wasRecalled = true
        return Payload(slot: UInt32(truncatingIfNeeded: index), count: UInt32(truncatingIfNeeded: count))
      }
      index = slot.pointee.next
    }
    return remember(bytes, digest, table)
  }

  private func makeRecallTable() -> UnsafeMutablePointer<RecallTable> {
    let table = UnsafeMutablePointer<RecallTable>.allocate(capacity: 1)
    table.initialize(to: RecallTable())
    core.pointee.recall = table
    return table
  }

  /// Stores bytes so that they can be recalled when they are let go.
  private func remember(
    _ bytes: UnsafeRawBufferPointer, _ digest: UInt64, _ table: UnsafeMutablePointer<RecallTable>
  ) -> Payload {
    var place = table.pointee.ring.count
    if place == RecallTable.payloadCountMaximum {
      place = makeRoom(table)
      if place < 0 { return store(bytes) }
    }
    let payload = store(bytes)
    let slot = core.pointee.slots + Int(payload.slot)
    let bucket = RecallTable.bucket(digest)
    slot.pointee.digest = digest
    slot.pointee.recallCount = payload.count
    slot.pointee.wasRecalled = false
    slot.pointee.next = table.pointee.buckets[bucket]
    table.pointee.buckets[bucket] = Int32(truncatingIfNeeded: payload.slot)
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
    let bucket = RecallTable.bucket(slots[Int(index)].digest)
    var other = table.pointee.buckets[bucket]
    if other == index {
      table.pointee.buckets[bucket] = slots[Int(index)].next
      return
    }
    while slots[Int(other)].next != index { other = slots[Int(other)].next }
    slots[Int(other)].next = slots[Int(index)].next
  }

  /// Whether two runs of `count` bytes are the same; `right` has `paddingBytes` more behind them, `left` has not.
  @inline(__always) private static func isSame(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int
  ) -> Bool {
    var offset = 0
    while offset &+ 32 <= count {
      let a = left.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
      let b = right.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
      let other = a ^ b
      if other[0] | other[1] | other[2] | other[3] != 0 { return false }
      offset &+= 32
    }
    while offset &+ 8 <= count {
      if left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset &+= 8
    }
    while offset < count {
      if left.load(fromByteOffset: offset, as: UInt8.self) != right.load(fromByteOffset: offset, as: UInt8.self) {
        return false
      }
      offset &+= 1
    }
    return true
  }
}
