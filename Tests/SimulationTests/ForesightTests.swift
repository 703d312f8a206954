import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// A machine that notes when it is touched ahead, and when it wakes: at moments of its own, within one bucket of the
/// queue.
private struct Sleeper: Machine {
  final class Log {
    var touched = 0
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
  mutating func touch() -> UInt64 {
    log.touched += 1
    return 1
  }
}

@Suite("A look ahead")
struct ForesightTests {
  @Test("machines of a large world are touched before they wake, those of a small one are not, and all wake in order")
  func sizes() {
    for (count, isTouched) in [(511, false), (512, true), (700, true)] {
      let log = Sleeper.Log()
      let interface = InterfacePlan(
        segment: 0, addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)])
      let hosts = (0..<count).map { HostPlan(name: "host-\($0)", interfaces: [interface]) }
      var plan = WorldPlan(
        network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(1), seed: Seed(1))
      var machines = Machines()
      for number in 0..<count { machines.append(Sleeper(log, number)) }
      plan.machines = machines
      var world = World(plan: plan)
      world.runAll()
      // The first one is on its way out of the queue when the rest is looked at.
      expectEqual(log.touched, isTouched ? count - 1 : 0, "\(count) hosts")
      let order = (0..<count).sorted { ($0 * 7_919 % 1_000, $0) < ($1 * 7_919 % 1_000, $1) }
      expectEqual(log.woken, order, "\(count) hosts")
    }
  }
}
