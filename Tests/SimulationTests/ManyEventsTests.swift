import Testing

@testable import RollcallSimulation

/// Queues that outgrow the memory that they begin with, which is for 1 024 buckets with up to seven events each.
@Suite("Many events")
struct ManyEventsTests {
  private final class Holder {
    var queue = EventQueue()
  }

  private struct Event: Equatable {
    var time: Int64
    var value: UInt32
  }

  @Test("no event is lost, changed or late in a queue that grows, or in another that grows beside it")
  func growth() {
    // The largest first: memory that it gives back is given to the others.
    let shapes: [(queues: Int, buckets: Int, each: Int)] = [
      (1, 450, 49), (2, 1_025, 7), (1, 1_026, 8), (1, 1_024, 1),
    ]
    for shape in shapes {
      let holders = (0..<shape.queues).map { _ in Holder() }
      // Twice, since what was freed is used again.
      for start in [0, 3 << 32] as [Int64] {
        func time(_ bucket: Int, _ round: Int) -> Int64 { start + Int64(bucket + 1) << 18 + Int64(round % 2) }
        for round in 0..<shape.each {
          for number in 0..<shape.buckets {
            // All of them, in another order than that of their times.
            let bucket = number * 389 % shape.buckets
            let value = UInt32(round * shape.buckets + bucket)
            for holder in holders { holder.queue.push(value, at: time(bucket, round)) }
          }
        }
        var expected: [Event] = []
        for bucket in 0..<shape.buckets {
          for half in 0...1 {
            for round in stride(from: half, to: shape.each, by: 2) {
              expected.append(Event(time: time(bucket, round), value: UInt32(round * shape.buckets + bucket)))
            }
          }
        }
        for holder in holders {
          var left: [Event] = []
          while left.count < expected.count, holder.queue.nextTime() != nil {
            let entry = holder.queue.pop()
            left.append(Event(time: entry.time, value: entry.value))
          }
          // Thousands of them: a mistake is named by its place.
          let place = zip(left, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
          #expect(place == nil && left.count == expected.count, "\(shape), from \(start)")
          let (count, next) = (holder.queue.count, holder.queue.nextTime())
          #expect(count == 0 && next == nil, "\(shape), from \(start)")
        }
      }
    }
  }
}
