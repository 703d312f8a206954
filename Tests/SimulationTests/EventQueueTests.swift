import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

@Suite("The event queue")
struct EventQueueTests {
  /// The order oracle: a list that is sorted by (time, sequence), stable by construction.
  struct SortedQueue {
    var entries: [(time: Int64, sequence: Int, value: UInt32)] = []
    var sequence = 0
    mutating func push(_ value: UInt32, at time: Int64) {
      sequence += 1
      let entry = (time: time, sequence: sequence, value: value)
      let index = entries.firstIndex { ($0.time, $0.sequence) > (time, entry.sequence) } ?? entries.count
      entries.insert(entry, at: index)
    }
    mutating func pop() -> (time: Int64, value: UInt32) {
      let first = entries.removeFirst()
      return (first.time, first.value)
    }
  }

  @Test("entries of one instant leave in the order in which they were pushed")
  func ties() {
    var queue = EventQueue()
    for value in 0..<50 as Range<UInt32> { queue.push(value, at: 7) }
    for value in 0..<50 as Range<UInt32> { expectEqual(queue.pop().value, value) }
    expectEqual(queue.nextTime(), nil)
  }

  @Test("the next entry is found wherever in the calendar it lies, also where that is nearly once round")
  func around() {
    // The width of a bucket; the calendar has 16 384 of them, in words of 64 and groups of 4 096.
    let bucket: Int64 = 1 << 18
    let steps: [Int64] = [1, 63, 64, 65, 4_032, 4_096, 4_159, 12_287, 16_320, 16_321, 16_350, 16_382, 16_383, 16_384]
    for start: Int64 in [0, 1, 63, 64, 100, 4_095, 8_191, 12_300, 16_319, 16_320, 16_383] {
      var queue = EventQueue()
      var time = start * bucket
      queue.push(1, at: time)
      expectEqual(queue.pop().time, time, "\(start)")
      for step in steps {
        time += step * bucket
        queue.push(2, at: time)
        // One more behind it, which goes back into the calendar or beyond it.
        queue.push(3, at: time + bucket)
        let times = [queue.pop().time, queue.pop().time]
        expectEqual(times, [time, time + bucket], "\(step) from \(start)")
        time += bucket
      }
      expectEqual(queue.nextTime(), nil)
    }
  }

  @Test("any mix of near and far times leaves in the order of a sorted list", arguments: 1...6 as ClosedRange<UInt64>)
  func order(seed: UInt64) {
    var random = Seed(seed).stream("queue")
    var queue = EventQueue()
    var oracle = SortedQueue()
    var now: Int64 = 0
    // Spans inside a bucket, within the calendar, beyond it, and far beyond it.
    let spans: [UInt64] = [1, 1_000, 400_000, 3_000_000_000, 9_000_000_000, 1_800_000_000_000]
    for step in 0..<3_000 as Range<UInt32> {
      let pushes = random.below(3)
      for _ in 0..<pushes {
        let time = now + Int64(random.below(spans[Int(random.below(UInt64(spans.count)))]))
        queue.push(step, at: time)
        oracle.push(step, at: time)
      }
      if !oracle.entries.isEmpty, random.below(5) < 3 {
        expectEqual(queue.nextTime(), oracle.entries[0].time)
        let (time, value) = oracle.pop()
        let entry = queue.pop()
        #expect(entry.time == time && entry.value == value)
        now = time
      }
    }
    while !oracle.entries.isEmpty {
      let (time, value) = oracle.pop()
      let entry = queue.pop()
      #expect(entry.time == time && entry.value == value)
    }
    expectEqual(queue.count, 0)
  }
}
