/// One entry of the queue: when, in which order among equals, and what.
///
/// 16 bytes. The high 36 bits of `key` are the sequence number, so that entries of the same instant leave in the order
/// in which they were pushed; the low 28 bits are the caller's.
struct QueueEntry: BitwiseCopyable {
  static let valueBits: UInt64 = 28
  var time: Int64
  var key: UInt64

  @inline(__always) init(time: Int64, key: UInt64) { (self.time, self.key) = (time, key) }
  @inline(__always) var value: UInt32 { UInt32(truncatingIfNeeded: key & (1 &<< QueueEntry.valueBits &- 1)) }
  @inline(__always) static func < (left: QueueEntry, right: QueueEntry) -> Bool {
    // The two words as one number, of which the lower borrows from the higher: half the instructions. Times are not
    // negative, so no difference overflows.
    let (_, borrows) = left.key.subtractingReportingOverflow(right.key)
    return left.time &- right.time &- (borrows ? 1 : 0) < 0
  }
}

/// The order of a run: entries leave by (instant, sequence), always.
///
/// A calendar of 2¹⁴ buckets of 2¹⁸ ns (0.26 ms each, 4.3 s in all), each a chain of 128-byte chunks, with a two-level
/// bitmap over them; the bucket whose time has come is sorted at once. What is pushed into it after that waits in a small
/// 4-ary heap, and what lies beyond the calendar in another. Pushes and pops cost a few dozen nanoseconds however much is pending; the total order is part of
/// the contract, and a plain heap gives the same one (`EventQueueTests`).
struct EventQueue: ~Copyable {
  private static let bucketShift = Int64(SortedRun.timeBits)
  private static let bucketCount = 1 << 14
  private static let chunkBytes = 128
  /// Entries in a chunk; its first 16 bytes hold the next chunk (Int32) and the count (Int32).
  private static let chunkEntries = 7
  /// So many chunks are made ready at a time.
  private static let freshChunks = 32
  /// Buckets with fewer entries are not shown before they leave.
  private static let shownMinimum = 4

  private var sequence: UInt64 = 0
  private(set) var count = 0
  /// The current bucket.
  private var near = SortedRun(capacity: 1_024)
  /// What was pushed for the current bucket, or an earlier one, when that was sorted already.
  private var late = QuaternaryHeap(capacity: 64)
  private var far = QuaternaryHeap(capacity: 64)
  /// Whether there is a bucket that `newBucket` has not shown.
  private(set) var hasNewBucket = false
  /// Number of the bucket whose entries are in `near`.
  private var current: Int64 = 0

  private var chunks: UnsafeMutableRawPointer
  private var chunkCapacity = 1_024
  private var chunksUsed = 0
  private var freeChunk: Int32 = -1
  private let heads: UnsafeMutablePointer<Int32>
  private let bits: UnsafeMutablePointer<UInt64>
  private let summary: UnsafeMutablePointer<UInt64>

  init() {
    chunks = .allocate(byteCount: chunkCapacity * EventQueue.chunkBytes, alignment: EventQueue.chunkBytes)
    heads = .allocate(capacity: EventQueue.bucketCount)
    heads.initialize(repeating: -1, count: EventQueue.bucketCount)
    bits = .allocate(capacity: EventQueue.bucketCount / 64)
    bits.initialize(repeating: 0, count: EventQueue.bucketCount / 64)
    summary = .allocate(capacity: EventQueue.bucketCount / 4_096)
    summary.initialize(repeating: 0, count: EventQueue.bucketCount / 4_096)
  }

  deinit {
    chunks.deallocate()
    heads.deallocate()
    bits.deallocate()
    summary.deallocate()
  }

  /// Adds an entry that leaves at `time` (not before the last one popped), after all that were pushed for that instant.
  @inline(__always) mutating func push(_ value: UInt32, at time: Int64) {
    sequence &+= 1
    count &+= 1
    file(QueueEntry(time: time, key: sequence &<< QueueEntry.valueBits | UInt64(value)))
  }

  /// The instant of the next entry; `nil` when there is none.
  @inline(__always) mutating func nextTime() -> Int64? { first()?.time }

  /// The next entry, which stays; `nil`: there is none.
  @inline(__always) mutating func first() -> QueueEntry? {
    if near.isEmpty, late.count == 0, !advance() { return nil }
    return isLateNext ? late.first : near.first
  }

  /// Takes the next entry.
  /// - Precondition: there is one.
  @inline(__always) mutating func pop() -> QueueEntry { pop(until: .max)! }

  /// Takes the next entry if it leaves at `end` or before; `nil`: it does not, or there is none.
  @inline(__always) mutating func pop(until end: Int64) -> QueueEntry? {
    if near.isEmpty || late.count > 0 { return popBeside(until: end) }
    if near.first.time > end { return nil }
    count &-= 1
    return near.pop()
  }

  /// The same where the current bucket has no entry left, or has late ones.
  @inline(never) private mutating func popBeside(until end: Int64) -> QueueEntry? {
    if near.isEmpty, late.count == 0, !advance() { return nil }
    let isLate = isLateNext
    if (isLate ? late.first : near.first).time > end { return nil }
    count &-= 1
    return isLate ? late.pop() : near.pop()
  }

  /// Whether the next entry is a late one.
  /// - Precondition: one is near or late.
  @inline(__always) private var isLateNext: Bool { late.count > 0 && (near.isEmpty || late.first < near.first) }

  /// Entries that leave soon: those of the current bucket. Good until the queue changes.
  @inline(__always) mutating func newBucket() -> UnsafeBufferPointer<QueueEntry> {
    hasNewBucket = false
    return near.all
  }

  /// Adds an entry to the bucket of its instant. Whatever is rare ends with a call: so nothing has to outlive one.
  @inline(__always) private mutating func file(_ entry: QueueEntry) {
    let bucket = entry.time &>> EventQueue.bucketShift
    // Buckets after the current one: one comparison for both ends of the calendar.
    guard UInt64(bitPattern: bucket &- current &- 1) < UInt64(EventQueue.bucketCount &- 1) else {
      return fileBeside(entry)
    }
    let slot = Int(truncatingIfNeeded: bucket) & (EventQueue.bucketCount &- 1)
    let first = heads[slot]
    if first >= 0 {
      let chunk = chunks + Int(first) &* EventQueue.chunkBytes
      let filled = fill(of: chunk)
      if filled < EventQueue.chunkEntries {
        entries(of: chunk)[filled] = entry
        chunk.storeBytes(of: Int32(truncatingIfNeeded: filled &+ 1), toByteOffset: 4, as: Int32.self)
        return
      }
    }
    if freeChunk < 0 { return fileInFreshChunk(entry, slot) }
    fileInFreeChunk(entry, slot)
  }

  /// Adds an entry to a bucket without a chunk that has room for it.
  @inline(__always) private mutating func fileInFreeChunk(_ entry: QueueEntry, _ slot: Int) {
    let index = freeChunk
    let first = heads[slot]
    let chunk = chunks + Int(index) &* EventQueue.chunkBytes
    freeChunk = chunk.load(as: Int32.self)
    chunk.storeBytes(of: first, as: Int32.self)
    chunk.storeBytes(of: 1, toByteOffset: 4, as: Int32.self)
    entries(of: chunk)[0] = entry
    heads[slot] = index
    if first < 0 {
      let word = slot &>> 6
      bits[word] |= 1 &<< UInt64(truncatingIfNeeded: slot & 63)
      summary[word &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: word & 63)
    }
  }

  /// The same where no chunk is free: makes some ready.
  @inline(never) private mutating func fileInFreshChunk(_ entry: QueueEntry, _ slot: Int) {
    if chunksUsed == chunkCapacity { growChunks() }
    let end = min(chunksUsed &+ EventQueue.freshChunks, chunkCapacity)
    var index = end
    while index > chunksUsed {
      index &-= 1
      (chunks + index &* EventQueue.chunkBytes).storeBytes(of: freeChunk, as: Int32.self)
      freeChunk = Int32(truncatingIfNeeded: index)
    }
    chunksUsed = end
    fileInFreeChunk(entry, slot)
  }

  /// Adds an entry whose time has come with the current bucket, or that lies beyond the calendar.
  @inline(never) private mutating func fileBeside(_ entry: QueueEntry) {
    if entry.time &>> EventQueue.bucketShift <= current { late.push(entry) } else { far.push(entry) }
  }

  /// The entries of a chunk, behind its two numbers.
  @inline(__always) private func entries(of chunk: UnsafeMutableRawPointer) -> UnsafeMutablePointer<QueueEntry> {
    (chunk + 16).assumingMemoryBound(to: QueueEntry.self)
  }

  @inline(__always) private func fill(of chunk: UnsafeMutableRawPointer) -> Int {
    Int(chunk.load(fromByteOffset: 4, as: Int32.self))
  }

  @inline(never) private mutating func growChunks() {
    chunkCapacity *= 2
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: chunkCapacity * EventQueue.chunkBytes, alignment: EventQueue.chunkBytes)
    larger.copyMemory(from: chunks, byteCount: chunksUsed * EventQueue.chunkBytes)
    chunks.deallocate()
    chunks = larger
  }

  /// The first filled bucket at or after `slot`, round the ring.
  /// - Precondition: one is filled.
  @inline(__always) private mutating func firstFilled(from slot: Int) -> Int {
    var word = slot &>> 6
    let here = bits[word] & (~0 &<< UInt64(truncatingIfNeeded: slot & 63))
    if here != 0 { return word &<< 6 | here.trailingZeroBitCount }
    // The words after this one; the last of them is this one again, with the buckets before `slot`.
    word = (word &+ 1) & (EventQueue.bucketCount / 64 &- 1)
    var top = word &>> 6
    var rest = summary[top] & (~0 &<< UInt64(truncatingIfNeeded: word & 63))
    while rest == 0 {
      top = (top &+ 1) & (EventQueue.bucketCount / 4_096 &- 1)
      rest = summary[top]
    }
    word = top &<< 6 | rest.trailingZeroBitCount
    return word &<< 6 | bits[word].trailingZeroBitCount
  }

  /// Whether the first of what is far lies in the calendar now.
  @inline(__always) private var isFarInReach: Bool {
    far.count > 0 && (far.first.time &>> EventQueue.bucketShift) &- current < Int64(EventQueue.bucketCount)
  }

  @inline(never) private mutating func fileFar() {
    while isFarInReach { file(far.pop()) }
  }

  /// Moves on to the next bucket that holds something; `false`: none does.
  /// - Precondition: the current bucket has no entry left.
  @inline(never) private mutating func advance() -> Bool {
    if count == 0 { return false }
    let ring = EventQueue.bucketCount &- 1
    if count == far.count {
      current = far.first.time &>> EventQueue.bucketShift
    } else {
      let start = Int(truncatingIfNeeded: current &+ 1) & ring
      // What is far lies beyond the whole ring.
      current = current &+ 1 &+ Int64((firstFilled(from: start) &- start) & ring)
    }
    // One of the current bucket is late now.
    if isFarInReach { fileFar() }
    let slot = Int(truncatingIfNeeded: current) & ring
    let first = heads[slot]
    if first < 0 { return true }
    heads[slot] = -1
    let word = slot &>> 6
    let others = bits[word] & ~(1 &<< UInt64(truncatingIfNeeded: slot & 63))
    bits[word] = others
    if others == 0 { summary[word &>> 6] &= ~(1 &<< UInt64(truncatingIfNeeded: word & 63)) }
    // The newest chunk comes first. They hang together, and so they are given back.
    var chunk = chunks + Int(first) &* EventQueue.chunkBytes
    while true {
      near.prepend(entries(of: chunk), fill(of: chunk))
      let next = chunk.load(as: Int32.self)
      if next < 0 { break }
      chunk = chunks + Int(next) &* EventQueue.chunkBytes
    }
    chunk.storeBytes(of: freeChunk, as: Int32.self)
    freeChunk = first
    near.sort()
    hasNewBucket = near.count >= EventQueue.shownMinimum
    return true
  }
}

/// A heap with four children a node, in memory of its own.
struct QuaternaryHeap: ~Copyable {
  private var entries: UnsafeMutablePointer<QueueEntry>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    entries = .allocate(capacity: capacity)
  }

  deinit { entries.deallocate() }

  @inline(__always) var first: QueueEntry { entries[0] }

  @inline(never) private mutating func grow() {
    let larger = UnsafeMutablePointer<QueueEntry>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: entries, count: count)
    entries.deallocate()
    entries = larger
    capacity *= 2
  }

  @inline(__always) mutating func push(_ entry: QueueEntry) {
    if count == capacity { grow() }
    var index = count
    count &+= 1
    while index > 0 {
      let parent = (index &- 1) &>> 2
      if !(entry < entries[parent]) { break }
      entries[index] = entries[parent]
      index = parent
    }
    entries[index] = entry
  }

  @inline(__always) mutating func pop() -> QueueEntry {
    let top = entries[0]
    count &-= 1
    let last = entries[count]
    var index = 0
    while true {
      let first = index &<< 2 &+ 1
      if first >= count { break }
      var smallest = first
      var sibling = first &+ 1
      let end = min(first &+ 4, count)
      while sibling < end {
        if entries[sibling] < entries[smallest] { smallest = sibling }
        sibling &+= 1
      }
      if !(entries[smallest] < last) { break }
      entries[index] = entries[smallest]
      index = smallest
    }
    entries[index] = last
    return top
  }
}
