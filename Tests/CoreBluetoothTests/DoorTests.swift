import Dispatch
import Foundation
import RollcallExpectations
import Testing

@testable import RollcallDoors

/// What is wrong in these tests.
private enum Wrong: String, MisuseKind {
  case order
  static let framework = "Frame"
  static let handler = Guarded<@Sendable (Misuse<Wrong>) -> Void>({ _ in })
}

@Suite("What all doors share") struct DoorTests {
  @Test("what is pushed before an object has its number waits for it in order, and the number is given up once")
  func attachment() {
    let told = Guarded<[Int]>([])
    let attachment = Attachment<Int>()
    expectEqual(attachment.number, nil)
    for number in 1...3 {
      let isKept = attachment.keeps { told.withLock { $0.append(number) } }
      expectEqual(isKept, true)
    }
    expectEqual(told.current, [])
    for body in attachment.begin(7) { body() }
    expectEqual(told.current, [1, 2, 3])
    let isLate = attachment.keeps {}
    expectEqual(isLate, false)
    expectEqual(attachment.number, 7)
    expectEqual(attachment.end(), 7)
    expectEqual(attachment.number, nil)
    expectEqual(attachment.end(), nil)
    // One that the device does not serve.
    let none = Attachment<Int>()
    expectEqual(none.begin(nil).count, 0)
    let isWaiting = none.keeps {}
    expectEqual(isWaiting, false)
    expectEqual(none.number, nil)
    expectEqual(none.end(), nil)
  }

  @Test("a value is exchanged for the one before, and an entry goes with its object, not with the one that followed it")
  func values() {
    final class Thing {}
    let guarded = Guarded(1)
    expectEqual(guarded.exchange(2), 1)
    expectEqual(guarded.current, 2)
    let successor = Thing()
    var things: [String: Weakly<Thing>] = ["followed": Weakly(successor), "gone": Weakly(nil), "other": Weakly(nil)]
    let found: [Thing?] = ["followed", "gone", "never"].map { things.removeGone($0) }
    #expect(found[0] === successor)
    #expect(found[1] == nil && found[2] == nil)
    expectEqual(things.keys.sorted(), ["followed", "other"])
  }

  @Test("a misuse is handed on once, and says its framework, kind, call and detail in this order")
  func misuse() async {
    let lines = Guarded<[String]>([])
    Misuse<Wrong>.handler = { misuse in lines.withLock { $0.append(misuse.description) } }
    Misuse<Wrong>.report(Misuse(.order, in: "A.b(_:)", "c comes first"))
    expectEqual(lines.current, ["Frame: order in A.b(_:): c comes first"])
    // Where nothing else is said, it is a line on standard error.
    let printed = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Misuse<Wrong>.print(Misuse(.order, in: "A.b(_:)", "c comes first"))
    }
    let text = String(decoding: printed?.standardErrorContent ?? [], as: UTF8.self)
    expectEqual(text.contains("Frame: order in A.b(_:): c comes first\n"), true, "\(text)")
  }

  @Test("a queue is waited for until all who added it have removed it and it was seen empty, in three passes")
  func queues() {
    let queues = DoorQueues()
    let (one, two) = (DispatchQueue(label: "one"), DispatchQueue(label: "two"))
    for queue in [one, one, two] { queues.add(queue) }
    expectEqual(queues.count, 2)
    queues.remove(one)
    queues.drain()
    expectEqual(queues.count, 2)
    queues.remove(one)
    expectEqual(queues.count, 2)
    queues.drain()
    expectEqual(queues.count, 1)
    // It is not there any more.
    queues.remove(one)
    let count = Guarded(0)
    for _ in 0..<2 { queues.schedule(on: two) { count.withLock { $0 += 1 } } }
    expectEqual(queues.drain(), true)
    expectEqual(count.current, 2)
    expectEqual(queues.drain(atMost: 2), false)
    expectEqual(queues.drain(atMost: 3), true)
    expectEqual(queues.drain(quietPasses: 1, atMost: 1), true)
    expectEqual(queues.count, 1)
  }

  @Test("a call that comes while a queue is waited for is followed by three quiet passes, not counting its own")
  func begunAnew() {
    /// Whether it is at rest after three passes, of which the first one waits until there was a call.
    func rests(after turns: Int) -> Bool {
      let queues = DoorQueues()
      let queue = DispatchQueue(label: "held")
      queues.add(queue)
      queue.suspend()
      let isAtRest = Guarded(false)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let drained = queues.drain(atMost: 3)
        isAtRest.withLock { $0 = drained }
        done.signal()
      }
      for _ in 0..<turns { sched_yield() }
      queues.heardCall()
      queue.resume()
      done.wait()
      return isAtRest.current
    }
    // Where the call came before the waiting, once more.
    expectEqual((0..<1_000).contains { !rests(after: $0) }, true)
  }
}
