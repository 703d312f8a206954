import Foundation
import RollcallExpectations
import Testing

@testable import RollcallDoors

@Suite("The watch of calls") struct CallWatchTests {
  /// How many calls of this thread, on a queue of this mark, are from outside in each phase.
  private func outside(mark: Int?, _ phases: [CallWatch.Phase]) -> [Int] {
    phases.map { phase in
      let count = Guarded(0)
      let watch = CallWatch { _ in count.withLock { $0 += 1 } }
      watch.add(7)
      watch.begin(phase)
      watch.check(on: mark)
      return count.current
    }
  }

  @Test("the thread of the world is inside while the world stands still, a queue of it while it waits as well")
  func phases() {
    let phases: [CallWatch.Phase] = [.still, .waiting, .running]
    expectEqual(outside(mark: nil, phases), [0, 1, 1])
    expectEqual(outside(mark: 7, phases), [0, 0, 1])
    expectEqual(outside(mark: 8, phases), [0, 1, 1])
  }

  @Test("a call in a callback is inside on the thread of the callback and until it ends; the user's thread may change")
  func callbacks() {
    let count = Guarded(0)
    let watch = CallWatch { _ in count.withLock { $0 += 1 } }
    func elsewhere(_ body: @escaping @Sendable () -> Void) {
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        body()
        isDone.signal()
      }
      isDone.wait()
    }
    watch.begin(.running)
    let callback = CallWatch.Callback()
    CallWatch.Callback.$current.withValue(callback) {
      watch.check(on: nil)
      expectEqual(count.current, 0)
      elsewhere { CallWatch.Callback.$current.withValue(callback) { watch.check(on: nil) } }
      expectEqual(count.current, 1)
      callback.end()
      watch.check(on: nil)
      expectEqual(count.current, 2)
    }
    // The world stands still: the thread that said so is inside, another one is not.
    watch.begin(.still)
    elsewhere { watch.check(on: nil) }
    expectEqual(count.current, 3)
    elsewhere { watch.begin(.still) }
    watch.check(on: nil)
    expectEqual(count.current, 4)
  }

  @Test("places are sought for the first 32 calls")
  func bounded() {
    let places = Guarded<[String]>([])
    let watch = CallWatch { call in places.withLock { $0.append(call.place) } }
    watch.begin(.running)
    for _ in 0..<34 { watch.check(on: nil) }
    let isUnknown = places.current.map { $0 == "an unknown function" }
    expectEqual(isUnknown, [Bool](repeating: false, count: 32) + [true, true])
  }

  @Test(
    "a function is shown without its parameters",
    arguments: [
      ("App.Lamp.start(now: Swift.Bool) -> ()", "App.Lamp.start"),
      ("CoreBluetooth.CBCentralManager.__allocating_init() -> A", "CoreBluetooth.CBCentralManager.init"),
      ("closure #2 () -> () in closure #1 () -> () in App.start(a: B) -> ()", "a closure in App.start"),
      ("(1) suspend resume partial function for App.start() async -> ()", "App.start"),
      ("main", "main"), ("", ""),
    ])
  func functions(symbol: String, shown: String) { expectEqual(CallWatch.function(symbol), shown) }
}
