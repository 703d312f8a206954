internal import RollcallPrimitives

/// Puts fragments together again, in bounded memory.
///
/// The declared rule for overlaps: the first byte to arrive at a place stays. A datagram that is not whole after 30
/// seconds of capture time is dropped, and so is the oldest one when all buffers are taken.
final class Reassembly {
  static let datagramCountMaximum = 64
  static let datagramBytesMaximum = 65_535
  static let timeLimit = Interval.seconds(30)

  struct Key: Equatable, BitwiseCopyable {
    var source: IPAddress
    var destination: IPAddress
    var identification: UInt32
    var protocolNumber: UInt8
    var vlan: Int32
    var interface: Int
  }

  struct Fragment {
    var key: Key
    var offset: Int
    var hasMore: Bool
    var hopLimit: UInt8
    /// The type of what was cut up.
    var protocolNumber: UInt8
    var bytes: UnsafeRawBufferPointer
    /// The number of the frame that it came in.
    var frame: Int
  }

  struct Whole {
    var bytes: UnsafeRawBufferPointer
    var hopLimit: UInt8
    var protocolNumber: UInt8
    var fragmentCount: Int
    /// The frames that brought its bytes and its end, in order: without those that only repeated others.
    var frames: [Int]
  }

  private struct Slot {
    var key: Key
    var memory: UnsafeMutableRawPointer
    /// One bit for every eight bytes that are there.
    var units: [UInt64]
    var unitCount = 0
    /// −1 until the last fragment has come.
    var totalBytes = -1
    var highestEnd = 0
    var started: Instant
    var sequence: Int
    var isOpen = true
    var hasFirst = false
    var hopLimit: UInt8 = 0
    var protocolNumber: UInt8 = 0
    var fragmentCount = 0
    var frames: [Int] = []
  }

  private var slots: [Slot] = []
  private var sequence = 0
  /// Datagrams that were given up: too late, pushed out, or contradicting themselves.
  private(set) var droppedCount = 0

  deinit { for slot in slots { slot.memory.deallocate() } }

  /// Datagrams that still wait for fragments.
  var openCount: Int { slots.reduce(0) { $0 + ($1.isOpen ? 1 : 0) } }

  /// Takes one fragment; gives back the datagram that it completes, good until the next call.
  func add(_ fragment: Fragment, at now: Instant) -> Whole? {
    let end = fragment.offset + fragment.bytes.count
    let isMisshapen = fragment.bytes.isEmpty || (fragment.hasMore && fragment.bytes.count % 8 != 0)
    guard !isMisshapen, end <= Reassembly.datagramBytesMaximum else {
      droppedCount += 1
      return nil
    }
    let index = slot(for: fragment.key, at: now)
    // Ends that contradict an earlier fragment are not believed.
    let total = slots[index].totalBytes
    if total >= 0, end > total || (!fragment.hasMore && end != total) { return nil }
    if !fragment.hasMore, end < slots[index].highestEnd { return nil }
    let unitCount = slots[index].unitCount
    copy(fragment.bytes, to: fragment.offset, of: index)
    slots[index].fragmentCount += 1
    // Only so many units can come, and one end: what repeats them is not worth remembering.
    if slots[index].unitCount > unitCount || !fragment.hasMore && total < 0 {
      slots[index].frames.append(fragment.frame)
    }
    slots[index].highestEnd = max(slots[index].highestEnd, end)
    // Protocol 0 is a hop-by-hop header, so the number itself does not tell whether the first fragment was here.
    if fragment.offset == 0, !slots[index].hasFirst {
      slots[index].hasFirst = true
      slots[index].hopLimit = fragment.hopLimit
      slots[index].protocolNumber = fragment.protocolNumber
    }
    if !fragment.hasMore { slots[index].totalBytes = end }
    let slot = slots[index]
    guard slot.totalBytes >= 0, slot.unitCount == (slot.totalBytes + 7) / 8 else { return nil }
    slots[index].isOpen = false
    (slot.memory + slot.totalBytes).initializeMemory(as: UInt8.self, repeating: 0, count: CaptureFrame.paddingBytes)
    return Whole(
      bytes: UnsafeRawBufferPointer(start: slot.memory, count: slot.totalBytes), hopLimit: slot.hopLimit,
      protocolNumber: slot.protocolNumber, fragmentCount: slot.fragmentCount, frames: slot.frames)
  }

  private func copy(_ bytes: UnsafeRawBufferPointer, to offset: Int, of index: Int) {
    let memory = slots[index].memory
    var position = 0
    while position < bytes.count {
      let unit = (offset + position) / 8
      let bit: UInt64 = 1 << UInt64(unit & 63)
      if slots[index].units[unit / 64] & bit == 0 {
        slots[index].units[unit / 64] |= bit
        slots[index].unitCount += 1
        (memory + offset + position).copyMemory(
          from: bytes.baseAddress.unsafelyUnwrapped + position, byteCount: min(8, bytes.count - position))
      }
      position += 8
    }
  }

  /// The buffer of this datagram: the open one, a free one, or the oldest.
  private func slot(for key: Key, at now: Instant) -> Int {
    var free: Int?
    var oldest = 0
    for index in slots.indices {
      if slots[index].isOpen, now - slots[index].started > Reassembly.timeLimit {
        slots[index].isOpen = false
        droppedCount += 1
      }
      if !slots[index].isOpen {
        free = free ?? index
      } else if slots[index].key == key {
        return index
      } else if slots[index].sequence < slots[oldest].sequence {
        oldest = index
      }
    }
    sequence += 1
    let index: Int
    if let free {
      index = free
    } else if slots.count < Reassembly.datagramCountMaximum {
      index = slots.count
      let byteCount = Reassembly.datagramBytesMaximum + 1 + CaptureFrame.paddingBytes
      slots.append(
        Slot(
          key: key, memory: .allocate(byteCount: byteCount, alignment: 64), units: Array(repeating: 0, count: 128),
          started: now, sequence: sequence))
      return index
    } else {
      index = oldest
      droppedCount += 1
    }
    var slot = Slot(
      key: key, memory: slots[index].memory, units: slots[index].units, started: now, sequence: sequence)
    for word in slot.units.indices { slot.units[word] = 0 }
    slots[index] = slot
    return index
  }
}
