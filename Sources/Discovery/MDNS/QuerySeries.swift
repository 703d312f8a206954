import RollcallPrimitives
import RollcallWire

/// A question that is asked on one interface until it is answered, or for as long as somebody browses.
struct QuerySeries: Sendable {
  var key: RecordCache.Key
  var due: Instant
  /// From the next query to the one behind it.
  var interval: Interval
  /// Whether the next query asks for an answer by unicast: of a browse the first one does (RFC 6762 §5.4).
  var wantsUnicast: Bool
  /// The last time somebody else asked this question: not twice in a row, so that nobody is kept from asking.
  var wasPostponed = false
}

/// The series that are under way.
struct SeriesTable: Sendable {
  private var series: [QuerySeries?] = []
  private var freeSlots: [Int] = []
  private var slots: [RecordCache.Key: Int] = [:]
  private var deadlines = DeadlineHeap()

  var count: Int { slots.count }
  var deadline: Instant { deadlines.firstKey }
  var next: Int? { deadlines.first.map { Int($0.record) } }

  subscript(slot: Int) -> QuerySeries? { series.indices.contains(slot) ? series[slot] : nil }
  func slot(_ key: RecordCache.Key) -> Int? { slots[key] }

  mutating func insert(_ one: QuerySeries) {
    guard slots[one.key] == nil else { return }
    let slot = freeSlots.popLast() ?? series.count
    if slot == series.count { series.append(one) } else { series[slot] = one }
    slots[one.key] = slot
    deadlines.set(UInt32(slot), one.due)
  }

  mutating func update(_ slot: Int, _ change: (inout QuerySeries) -> Void) {
    guard var one = self[slot] else { return }
    change(&one)
    series[slot] = one
    deadlines.set(UInt32(slot), one.due)
  }

  mutating func remove(_ key: RecordCache.Key) {
    guard let slot = slots.removeValue(forKey: key) else { return }
    series[slot] = nil
    freeSlots.append(slot)
    deadlines.remove(UInt32(slot))
  }

  mutating func removeAll(onLink link: Int) {
    for one in series { if let one, one.key.link == link { remove(one.key) } }
  }
}
