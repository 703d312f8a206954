import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// A machine that notes when it is prefetched, and when it wakes: at moments of its own, within one bucket of the
/// queue.
private struct Sleeper: Machine {
  final class Log {
    var prefetches = 0
    var woken: [Int] = []
  }

  let log: Log
  let number: Int
  var due: Instant

  init(_ log: Log, _ number: Int) {
    (self.log, self.number) = (log, number)
    due = .zero + .nanoseconds(1_000_000 + Int64(number * 7_919 % 1_000))
  }

  var deadline: Instant? { due == .never ? nil : due }
  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {}
  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard due <= now else { return }
    due = .never
    log.woken.append(number)
  }
  mutating func prefetch() -> UInt64 {
    log.prefetches += 1
    return 1
  }
}

@Suite("Prefetching")
struct PrefetchTests {
  @Test(
    "machines of a large world are prefetched before they wake, those of a small one are not, and all wake in order")
  func sizes() {
    for (count, isPrefetched) in [(511, false), (512, true), (700, true)] {
      let log = Sleeper.Log()
      var plan = WorldTests.plan(hosts: count)
      for number in 0..<count { plan.machines.append(Sleeper(log, number)) }
      var world = World(plan: plan)
      world.runAll()
      // The first one is on its way out of the queue when the rest is looked at.
      expectEqual(log.prefetches, isPrefetched ? count - 1 : 0, "\(count) hosts")
      let order = (0..<count).sorted { ($0 * 7_919 % 1_000, $0) < ($1 * 7_919 % 1_000, $1) }
      expectEqual(log.woken, order, "\(count) hosts")
    }
  }
}
