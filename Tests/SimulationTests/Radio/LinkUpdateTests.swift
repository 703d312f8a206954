import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSimulation

@Suite("Other parameters of a connection on the virtual air")
struct LinkUpdateTests {
  private let slow = LinkParameters(interval: .milliseconds(495), latency: 0, timeout: .seconds(6))

  @Test("both sides go over to other parameters at one instant, six events behind the one that said so")
  func updates() throws {
    let rig = LinkTests.rig(wants: [(LinkTests.at(1_000), .update(slow)), (LinkTests.at(5_000), .send([1]))])
    let machines = rig.run(for: .seconds(10)).machines
    let (central, peripheral) = (
      try #require(machines[0].links.first { $0.signal == .updated(slow) }),
      try #require(machines[1].links.first { $0.signal == .updated(slow) })
    )
    #expect(machines[0].linkSignals.count == 3 && machines[1].linkSignals.count == 3)
    expectEqual(central.time, peripheral.time)
    let start = machines[0].links[0].time + .microseconds(1_250)
    let event = start + .milliseconds(30 * ((LinkTests.at(1_000) - start).nanoseconds / 30_000_000 + 1))
    expectEqual(central.time, event + .milliseconds(6 * 30))
    // From there on events are as far apart as that.
    let asked = try #require(machines[1].links.last { $0.signal == .frame([1]) }).time - .microseconds(11 * 8)
    expectEqual((asked - central.time).nanoseconds % 495_000_000, 0)
    #expect(asked - LinkTests.at(5_000) <= .milliseconds(495))
  }

  @Test("losses delay the change and tear nothing: frames arrive in order, and both sides change", arguments: 1...10)
  func lossy(seed: Int) {
    let frames = (0..<40).map { [UInt8($0)] }
    var rig = LinkTests.rig(
      wants: [(LinkTests.at(2_000), .update(slow))] + frames.map { (LinkTests.at(2_000), .send($0)) }
    ) { $0.loss = .uniform(Ratio(40, in: 100)) }
    rig.seed = Seed(UInt64(seed))
    // No more than the controller has room for at a time.
    rig.machines[0].plan = rig.machines[0].plan.enumerated().map { number, wish in
      (at: number < 2 ? wish.at : wish.at + .milliseconds(Int64(number) * 500), effect: wish.effect)
    }
    let machines = rig.run(for: .seconds(120)).machines
    guard !machines[0].linkSignals.contains(.ended(.timedOut)) else { return }
    expectEqual(machines[1].frames, frames)
    for machine in machines { expectEqual(machine.linkSignals.count { $0 == .updated(slow) }, 1) }
  }

  @Test("the timeout that holds is the one of the parameters that hold")
  func timeout() throws {
    let rig = LinkTests.rig(wants: [(LinkTests.at(1_000), .update(slow))]) {
      $0.walks = [Walk(start: LinkTests.at(10_000), duration: .zero, to: Position(x: 1_000_000))]
    }
    let machines = rig.run(for: .seconds(60)).machines
    let end = try #require(machines[0].links.last)
    expectEqual(end.signal, .ended(.timedOut))
    #expect((end.time - LinkTests.at(10_000)) > .seconds(4) && (end.time - LinkTests.at(10_000)) <= .seconds(6))
  }

  @Test("a peripheral's controller changes nothing, and neither do parameters that no controller takes")
  func refused() {
    var rig = LinkTests.rig(
      wants: [(LinkTests.at(1_000), .update(LinkParameters(interval: .milliseconds(7), timeout: .seconds(4))))])
    rig.machines[1].greeting = [.update(slow)]
    for machine in rig.run(for: .seconds(5)).machines { expectEqual(machine.linkSignals.count, 1) }
  }

  @Test("of two wishes one after the other both come true, each at its instant")
  func twice() {
    let fast = LinkParameters(interval: .milliseconds(15), latency: 0, timeout: .seconds(4))
    let rig = LinkTests.rig(
      wants: [(LinkTests.at(1_000), .update(slow)), (LinkTests.at(1_100), .update(fast))])
    for machine in rig.run(for: .seconds(10)).machines {
      expectEqual(machine.linkSignals.dropFirst(), [.updated(slow), .updated(fast)])
    }
  }
}
