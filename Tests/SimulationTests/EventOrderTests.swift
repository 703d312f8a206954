import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// The order in which events leave, compared with a list that is kept sorted.
///
/// The calendar of the queue has 2¹⁴ buckets of 2¹⁸ ns; what lies beyond it waits elsewhere.
@Suite("The order of events")
struct EventOrderTests {
  private static let bucket: Int64 = 1 << 18
  private static let calendar: Int64 = 1 << 32

  /// A queue beside a sorted list: what one is given the other is given too, and what they answer is compared.
  private final class Pair {
    private var queue = EventQueue()
    /// From `first` on: what has not left, in the order in which it has to leave.
    private var list: [(time: Int64, value: UInt32)] = []
    private var first = 0
    private var pushes: UInt32 = 0
    /// When the last one left.
    private(set) var now: Int64 = 0
    /// The first answer of the queue that the list does not give.
    private(set) var mistake: String?

    var count: Int { list.count - first }

    func push(at time: Int64) {
      // Numbers from both ends of 28 bits in turn: they say nothing about the order.
      let value = pushes % 2 == 0 ? pushes : (1 << 28) - 1 - pushes
      pushes += 1
      queue.push(value, at: time)
      var (low, high) = (first, list.count)
      while low < high {
        let middle = (low + high) / 2
        if list[middle].time <= time { low = middle + 1 } else { high = middle }
      }
      list.insert((time, value), at: low)
      note(queue.count == count, "count")
    }

    /// Asks when the next one leaves.
    func look() {
      let next: Int64? = first < list.count ? list[first].time : nil
      note(queue.nextTime() == next, "next time")
    }

    func pop() {
      let (time, value) = list[first]
      if mistake == nil {
        let entry = queue.pop()
        note(entry.time == time && entry.value == value, "time or value")
      }
      first += 1
      now = time
      note(queue.count == count, "count")
    }

    /// Takes all that is left.
    func drain() {
      while count > 0, mistake == nil { pop() }
      if mistake == nil { look() }
    }

    private func note(_ isRight: Bool, _ what: String) {
      if !isRight, mistake == nil { mistake = "\(what) after \(pushes) had come and \(first) had left" }
    }
  }

  @Test(
    "times at the ends of buckets and of the calendar leave in order, wherever the calendar stands",
    arguments: [0, 1, 63, 64, 4_095, 4_096, 16_383, 16_384, 16_385, 40_000] as [Int64])
  func edges(start: Int64) {
    let distances: [Int64] = [
      0, 1, 2, 63, 64, 65, 4_095, 4_096, 4_097, 16_382, 16_383, 16_384, 16_385, 20_479, 20_480, 32_767, 32_768, 32_769,
      1 << 20,
    ]
    for (isLooking, isRising) in [(false, false), (false, true), (true, false), (true, true)] {
      let pair = Pair()
      pair.push(at: start * Self.bucket)
      pair.pop()
      let order: [Int64] = isRising ? distances : distances.reversed()
      for distance in order {
        for offset in [1, 0, Self.bucket - 1, 0] {
          pair.push(at: (start + distance) * Self.bucket + offset)
          if isLooking { pair.look() }
        }
      }
      // While they leave others come, for this moment and for the end of the calendar.
      for _ in 0..<20 {
        if isLooking { pair.look() }
        pair.pop()
        for length in [0, Self.bucket, Self.calendar - 1, Self.calendar] { pair.push(at: pair.now + length) }
      }
      pair.drain()
      expectEqual(pair.mistake, nil, "looking: \(isLooking), rising: \(isRising)")
    }
  }

  @Test(
    "events that come while others leave, at this moment or at an end of a bucket or of the calendar, leave in order",
    arguments: 1...4 as ClosedRange<UInt64>)
  func mixed(seed: UInt64) {
    var linkKey = Seed(seed).stream("events")
    let (bucket, calendar) = (Self.bucket, Self.calendar)
    let lengths: [Int64] = [
      0, 0, 1, bucket - 1, bucket, bucket + 1, 64 * bucket, calendar - bucket, calendar - 1, calendar, calendar + 1,
      calendar + bucket, 1 << 40,
    ]
    let pair = Pair()
    for _ in 0..<2_500 {
      if linkKey.below(5) < 2 { pair.look() }
      if pair.count > 0, linkKey.below(2) == 0 {
        pair.pop()
        continue
      }
      let time = pair.now + lengths[Int(linkKey.below(UInt64(lengths.count)))]
      // A third of them at the beginning of a bucket.
      pair.push(at: linkKey.below(3) == 0 ? max(pair.now, time / bucket * bucket) : time)
    }
    pair.drain()
    expectEqual(pair.mistake, nil)
  }

  @Test("to ask for the next moment moves nothing: what comes then for an earlier one leaves first")
  func looking() {
    let (bucket, calendar) = (Self.bucket, Self.calendar)
    let lengths: [Int64] = [
      1, bucket - 1, bucket, bucket + 1, 64 * bucket, calendar - bucket, calendar - 1, calendar, calendar + 1, 1 << 40,
    ]
    for length in lengths {
      let pair = Pair()
      for _ in 0..<3 {
        let start = pair.now
        for time in [length, length, length - 1, length / 2, length / 2 + 1, 1, 0] {
          pair.push(at: start + time)
          pair.look()
        }
        for _ in 0..<4 {
          pair.pop()
          pair.look()
          pair.push(at: pair.now)
          pair.push(at: pair.now + length)
          pair.look()
        }
        pair.drain()
      }
      expectEqual(pair.mistake, nil, "\(length) ns ahead")
    }
  }

  @Test("the last moment that there is comes at once, whatever came before it and however far away it is")
  func lastMoment() {
    let before: [[Int64]] = [
      [], [0], [Self.bucket], [0, 3 * Self.bucket, Self.calendar / 2], [Self.calendar, 1 << 40], [Self.calendar - 1],
    ]
    for times in before {
      let pair = Pair()
      for time in times { pair.push(at: time) }
      pair.drain()
      for time in [.max, .max - 1, .max, 1 << 62, .max] as [Int64] { pair.push(at: time) }
      pair.look()
      pair.drain()
      #expect(pair.mistake == nil && pair.count == 0, "after \(times)")
    }
  }
}
