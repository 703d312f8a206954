import RollcallPrimitives

/// Devices that said byebye, first in first out: tombstones last equally long, so order of arrival is order of time.
struct EndedQueue {
  struct Entry {
    var until: Instant
    var device: UInt32
  }
  private var entries: [Entry] = []
  private var head = 0

  var count: Int { entries.count - head }
  var first: Entry? { head < entries.count ? entries[head] : nil }

  mutating func append(_ device: UInt32, until: Instant) { entries.append(Entry(until: until, device: device)) }

  mutating func removeFirst() {
    head += 1
    if head >= 256, head * 2 >= entries.count {
      entries.removeFirst(head)
      head = 0
    }
  }
}
