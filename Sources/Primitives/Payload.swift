/// The bytes of one datagram in a `PayloadStore`: a ticket, not the bytes.
///
/// Copying a ticket copies eight bytes and counts nothing. It is good for as long as its holder was told: inside a
/// machine, until the call returns.
@frozen public struct Payload: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline var slot: UInt32
  /// Number of bytes, 0 ... 65 535.
  public var count: UInt32

  @inlinable init(slot: UInt32, count: UInt32) { (self.slot, self.count) = (slot, count) }

  /// What stands where there is no datagram yet: a ticket of no store.
  package static var none: Payload { Payload(slot: .max, count: 0) }
}

/// Where the bytes of datagrams live while they are under way: one buffer a datagram, however many hear it.
///
/// Buffers are recycled, each followed by `paddingBytes` readable zero bytes (readers may load whole words past the
/// end), each with a `note` beside it in which the first reader leaves its index, so that one multicast datagram is
/// read once and not once a receiver. A note begins as zeros and keeps what was left in it when its buffer is used
/// again. Not thread-safe: a store belongs to one driver.
public final class PayloadStore {
  /// Readable zero bytes after every payload.
  public static let paddingBytes = 64
  /// Bytes of scratch beside every payload, 16-byte aligned.
  public static let noteBytes = 384
  /// The largest payload of a UDP datagram that this store takes.
  public static let payloadBytesMaximum = 65_535

  @usableFromInline struct Slot {
    @usableFromInline var memory: UnsafeMutableRawPointer
    /// The class of its size.
    @usableFromInline let size: UInt32
    @usableFromInline var references: Int32
    @usableFromInline var digest: UInt64
    /// What stands in the note: 0 nothing; other numbers belong to the reader that wrote it.
    @usableFromInline var noteKind: UInt32
    /// The next free one.
    @usableFromInline var next: Int32
    /// What the first reader made of the bytes.
    @usableFromInline var reading: Unmanaged<AnyObject>?
    @usableFromInline init(memory: UnsafeMutableRawPointer, size: UInt32) {
      (self.memory, self.size, references, digest, noteKind, next) = (memory, size, 0, 0, 0, -1)
    }
  }

  /// Everything that changes, behind a pointer: properties of a class are checked for exclusive access at each touch,
  /// and a busy network touches this some twenty times a datagram.
  @usableFromInline struct Core {
    @usableFromInline var slots: UnsafeMutablePointer<Slot>
    @usableFromInline var slotCount = 0
    @usableFromInline var slotCapacity = 64
    /// The memory of all buffers.
    @usableFromInline var slabs: [UnsafeMutableRawPointer] = []
    /// Heads of the free lists, one a size class; −1: empty.
    @usableFromInline let free: UnsafeMutablePointer<Int32>
    @inlinable init() {
      slots = .allocate(capacity: 64)
      free = .allocate(capacity: PayloadStore.classCount)
      free.initialize(repeating: -1, count: PayloadStore.classCount)
    }
  }
  @usableFromInline let core: UnsafeMutablePointer<Core>
  static let classes: [Int] = [448, 704, 2_048, 9_216, 65_535]
  @inlinable static var classCount: Int { 5 }

  public init() {
    core = .allocate(capacity: 1)
    core.initialize(to: Core())
  }

  deinit {
    for slot in 0..<core.pointee.slotCount { core.pointee.slots[slot].reading?.release() }
    for memory in core.pointee.slabs { memory.deallocate() }
    core.pointee.slots.deallocate()
    core.pointee.free.deallocate()
    core.deinitialize(count: 1).deallocate()
  }

  /// Payloads that somebody still holds; a run that ends with more than it began leaks.
  public var liveCount: Int { (0..<core.pointee.slotCount).count { core.pointee.slots[$0].references > 0 } }

  /// Copies bytes in and holds them once.
  public func store(_ bytes: UnsafeRawBufferPointer) -> Payload {
    write(byteCountMaximum: bytes.count) { buffer in
      buffer.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// Copies bytes in and holds them once.
  public func store(_ bytes: [UInt8]) -> Payload { bytes.withUnsafeBytes { store($0) } }

  /// Lets `fill` write at most `byteCountMaximum` bytes and holds them once; `fill` returns how many it wrote.
  @inlinable public func write(
    byteCountMaximum: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Payload {
    let slot = take(byteCountMaximum)
    let base = core.pointee.slots[slot].memory + PayloadStore.noteBytes
    let count = fill(UnsafeMutableRawBufferPointer(start: base, count: byteCountMaximum))
    precondition(count >= 0 && count <= byteCountMaximum, "a writer wrote past its room")
    (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: PayloadStore.paddingBytes)
    return Payload(slot: UInt32(truncatingIfNeeded: slot), count: UInt32(truncatingIfNeeded: count))
  }

  /// The bytes, with `paddingBytes` more readable ones behind; valid while somebody holds the payload.
  @inlinable public func bytes(of payload: Payload) -> UnsafeRawBufferPointer {
    let slot = checked(payload)
    return UnsafeRawBufferPointer(start: slot.pointee.memory + PayloadStore.noteBytes, count: Int(payload.count))
  }

  /// A copy of the bytes.
  public func array(of payload: Payload) -> [UInt8] { Array(bytes(of: payload)) }

  /// The digest of the bytes, computed once.
  @inlinable public func digest(of payload: Payload) -> UInt64 {
    let slot = checked(payload)
    if slot.pointee.digest == 0 { slot.pointee.digest = PayloadStore.digest(of: bytes(of: payload)) }
    return slot.pointee.digest
  }

  @usableFromInline static func digest(of bytes: UnsafeRawBufferPointer) -> UInt64 { Digest.sum(bytes) | 1 }

  /// The scratch beside the payload and the number of who wrote it last (0: nobody).
  @inlinable public func note(of payload: Payload) -> (kind: UInt32, memory: UnsafeMutableRawPointer) {
    let slot = checked(payload)
    return (slot.pointee.noteKind, slot.pointee.memory)
  }

  /// Says that the note now holds what `kind` names.
  @inlinable public func setNoteKind(_ kind: UInt32, of payload: Payload) { checked(payload).pointee.noteKind = kind }

  /// What the first reader made of the bytes, where a note has no room for it; it goes with the payload.
  package func reading(of payload: Payload) -> AnyObject? {
    checked(payload).pointee.reading?.takeUnretainedValue()
  }

  /// Keeps what a reader made of the bytes for all who hear them; what another one left there is gone.
  package func setReading(_ reading: AnyObject, of payload: Payload) {
    let slot = checked(payload)
    slot.pointee.reading?.release()
    slot.pointee.reading = Unmanaged.passRetained(reading)
  }

  /// Holds the payload `count` times more.
  @inlinable public func retain(_ payload: Payload, count: Int = 1) {
    checked(payload).pointee.references &+= Int32(truncatingIfNeeded: count)
  }

  /// Lets go once; the last one recycles the buffer.
  @inlinable public func release(_ payload: Payload) {
    let slot = checked(payload)
    slot.pointee.references &-= 1
    if slot.pointee.references == 0 { free(Int(payload.slot)) }
  }

  @inlinable func free(_ index: Int) {
    let slot = core.pointee.slots + index
    let size = Int(slot.pointee.size)
    slot.pointee.next = core.pointee.free[size]
    core.pointee.free[size] = Int32(truncatingIfNeeded: index)
    // At the end, where the call needs no registers saved.
    if slot.pointee.reading != nil { forgetReading(index) }
  }

  @usableFromInline @inline(never) func forgetReading(_ index: Int) {
    core.pointee.slots[index].reading?.release()
    core.pointee.slots[index].reading = nil
  }

  @inlinable func checked(_ payload: Payload) -> UnsafeMutablePointer<Slot> {
    precondition(Int(payload.slot) < core.pointee.slotCount, "a payload of another store")
    let slot = core.pointee.slots + Int(payload.slot)
    precondition(slot.pointee.references > 0, "a payload that nobody holds any more")
    return slot
  }

  @inlinable static func sizeClass(_ byteCount: Int) -> Int {
    byteCount <= 704 ? (byteCount <= 448 ? 0 : 1) : byteCount <= 2_048 ? 2 : byteCount <= 9_216 ? 3 : 4
  }

  @inlinable func take(_ byteCount: Int) -> Int {
    precondition(byteCount <= PayloadStore.payloadBytesMaximum, "no UDP datagram is that large")
    let size = PayloadStore.sizeClass(byteCount)
    let head = core.pointee.free[size]
    let index: Int
    if head >= 0 {
      index = Int(head)
      core.pointee.free[size] = core.pointee.slots[index].next
    } else {
      index = grow(size)
    }
    let slot = core.pointee.slots + index
    slot.pointee.references = 1
    slot.pointee.digest = 0
    slot.pointee.noteKind = 0
    return index
  }

  /// Makes buffers of a size class, many at once where they are small: side by side they are found with fewer pages,
  /// however the memory of the program is cut up. The number of one of them; the others are free.
  @usableFromInline func grow(_ size: Int) -> Int {
    let first = core.pointee.slotCount
    let count = size <= 1 ? min(1_024, max(16, core.pointee.slotCount)) : 1
    if first + count > core.pointee.slotCapacity {
      let capacity = max(core.pointee.slotCapacity * 2, first + count)
      let larger = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
      larger.moveInitialize(from: core.pointee.slots, count: first)
      core.pointee.slots.deallocate()
      core.pointee.slots = larger
      core.pointee.slotCapacity = capacity
    }
    let capacity = PayloadStore.classes[size]
    // Each buffer starts on a cache line: note, payload, padding.
    let bytes = (PayloadStore.noteBytes + capacity + PayloadStore.paddingBytes + 63) & ~63
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count * bytes, alignment: 64)
    core.pointee.slabs.append(memory)
    core.pointee.slotCount = first + count
    for index in (first..<(first + count)).reversed() {
      let buffer = memory + (index - first) * bytes
      // A reader may look at what another one left in the note, as a guess.
      buffer.initializeMemory(as: UInt8.self, repeating: 0, count: PayloadStore.noteBytes)
      (core.pointee.slots + index).initialize(to: Slot(memory: buffer, size: UInt32(size)))
      if index > first { free(index) }
    }
    return first
  }
}
