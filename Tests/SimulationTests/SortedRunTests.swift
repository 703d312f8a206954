import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// The entries of one bucket: a few are sorted one way, many another.
@Suite("A bucket in order")
struct SortedRunTests {
  /// Times of one bucket differ in their lowest eighteen bits.
  private static let start: Int64 = 5 << 18

  /// What a run gives out that these entries were put into, chunk by chunk, the last chunk first.
  private func sorted(_ times: [Int64], chunk: Int = 7, capacity: Int = 8) -> [Pair] {
    var run = SortedRun(capacity: capacity)
    return taken(times, chunk: chunk, from: &run)
  }

  private struct Pair: Equatable {
    var time: Int64
    var key: UInt64
  }

  private func taken(_ times: [Int64], chunk: Int = 7, from run: inout SortedRun) -> [Pair] {
    var entries = times.enumerated().map { QueueEntry(time: Self.start + $1, key: UInt64($0)) }
    var end = entries.count
    while end > 0 {
      let first = (end - 1) / chunk * chunk
      entries.withUnsafeMutableBufferPointer { run.prepend($0.baseAddress! + first, end - first) }
      end = first
    }
    run.sort()
    expectEqual(run.count, times.count)
    var found: [Pair] = []
    while !run.isEmpty {
      let first = run.first
      let entry = run.pop()
      #expect(first.time == entry.time && first.key == entry.key)
      found.append(Pair(time: entry.time, key: entry.key))
    }
    return found
  }

  private func expected(_ times: [Int64]) -> [Pair] {
    times.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
      .map { Pair(time: Self.start + $0.element, key: UInt64($0.offset)) }
  }

  @Test("any number of entries leaves by time, and by sequence where times are equal")
  func order() {
    var draws = Seed(7).stream("bucket")
    for count in [1, 2, 3, 7, 8, 23, 24, 25, 26, 40, 300, 511, 512, 513, 2_000] {
      // All of the eighteen bits, the lower or the higher nine alone, and a handful of times with many entries each.
      for (bound, shift) in [(1 << 18, 0), (1 << 9, 0), (1 << 9, 9), (3, 0), (3, 16)] as [(UInt64, Int64)] {
        let times = (0..<count).map { _ in Int64(draws.below(bound)) << shift }
        #expect(sorted(times) == expected(times), "\(count) entries, \(bound) times, \(shift)")
      }
    }
  }

  @Test("entries that come in order, or in the opposite one, leave in order")
  func ordered() {
    for count in [24, 25, 200] {
      let rising = (0..<count).map { Int64($0 / 2 * 1_000) }
      #expect(sorted(rising) == expected(rising), "\(count), rising")
      #expect(sorted(rising.reversed()) == expected(rising.reversed()), "\(count), falling")
      let equal = [Int64](repeating: 77, count: count)
      #expect(sorted(equal) == expected(equal), "\(count), equal")
      // All but the last are in order.
      let late = rising + [0]
      #expect(sorted(late) == expected(late), "\(count), the last one first")
    }
  }

  @Test("a run that was emptied is filled anew, and grows where it has to")
  func again() {
    var run = SortedRun(capacity: 4)
    for count in [3, 4, 5, 60, 2, 0, 61] {
      let times = (0..<count).map { Int64($0 * 7_919 % 1_000) }
      #expect(taken(times, from: &run) == expected(times), "\(count)")
    }
  }

  @Test("one chunk may be larger than all that the run has room for")
  func largeChunk() {
    let times = (0..<90).map { Int64($0 * 7_919 % 1_000) }
    #expect(sorted(times, chunk: 90, capacity: 4) == expected(times))
  }

  @Test("what is pushed into a bucket that leaves already takes its place among what is left")
  func late() {
    for count in [3, 30] as [Int64] {
      var queue = EventQueue()
      for number in 0..<count { queue.push(UInt32(number), at: Self.start + number * 10) }
      expectEqual(queue.pop().value, 0)
      // Before the rest, among it, at the instant of another one, and behind all.
      for (value, time) in [(100, 5), (101, 15), (102, 10), (103, count * 10), (104, 5)] as [(UInt32, Int64)] {
        queue.push(value, at: Self.start + time)
      }
      var left: [UInt32] = []
      while queue.count > 0 { left.append(queue.pop().value) }
      expectEqual(left, [100, 104, 1, 102, 101] + (2..<UInt32(count)).map { $0 } + [103], "\(count)")
    }
  }

  @Test("the next entry is taken only where it leaves in time, whether the bucket was sorted with it or it came late")
  func until() {
    var queue = EventQueue()
    queue.push(1, at: Self.start + 10)
    expectEqual(queue.pop(until: Self.start + 9)?.value, nil)
    // The bucket is sorted by now.
    queue.push(2, at: Self.start + 5)
    expectEqual(queue.pop(until: Self.start + 4)?.value, nil)
    expectEqual(queue.count, 2)
    expectEqual(queue.pop(until: Self.start + 5)?.value, 2)
    expectEqual(queue.pop(until: Self.start + 9)?.value, nil)
    expectEqual(queue.pop(until: Self.start + 10)?.value, 1)
    expectEqual(queue.pop(until: .max)?.value, nil)
    expectEqual(queue.count, 0)
  }

  @Test("a bucket of four entries or more is shown once before it leaves, with all that is left of it")
  func newBucket() {
    for count in 1...5 as ClosedRange<Int64> {
      var queue = EventQueue()
      for number in 0..<count { queue.push(UInt32(number), at: Self.start + number) }
      expectEqual(queue.hasNewBucket, false)
      expectEqual(queue.pop().value, 0)
      expectEqual(queue.hasNewBucket, count >= 4, "\(count)")
      expectEqual(queue.newBucket().map(\.value), (1..<UInt32(count)).map { $0 })
      expectEqual(queue.hasNewBucket, false)
      // Showing changed nothing.
      while queue.count > 0 { expectEqual(queue.pop().value, UInt32(count) - UInt32(queue.count) - 1) }
    }
  }
}
