import Foundation

/// Performs tasks by number on several threads and hands over what came of them in their order.
package final class OrderedTasks<Done>: @unchecked Sendable {
  /// Tasks of a thread that may be done and wait for an earlier one: so much memory, however many are to come.
  private static var aheadMaximum: Int { 64 }

  private let count: Int
  private let isOver: @Sendable () -> Bool
  private let each: @Sendable (Done) -> Void
  private let condition = NSCondition()
  /// The next task to begin, and the next to hand over.
  private var begun = 0
  private var next = 0
  /// What is done and waits, by its distance from `next`.
  private var waiting: [Done?]

  private init(
    _ count: Int, jobs: Int, isOver: @escaping @Sendable () -> Bool, each: @escaping @Sendable (Done) -> Void
  ) {
    (self.count, self.isOver, self.each) = (count, isOver, each)
    waiting = Array(repeating: nil, count: OrderedTasks.aheadMaximum * jobs)
  }

  /// Returns when all tasks were handed over, or all that had begun when `isOver` said so.
  /// - Parameters:
  ///   - count: tasks have the numbers from 0 on.
  ///   - jobs: so many at a time.
  ///   - isOver: asked before each task: no more are begun once it says so.
  ///   - worker: makes what performs the tasks of one thread, which may keep what its next task needs again.
  ///   - each: called once for each task, in their order, one at a time.
  package static func run(
    _ count: Int, jobs: Int, isOver: @escaping @Sendable () -> Bool,
    worker: @escaping @Sendable () -> (Int) -> Done, each: @escaping @Sendable (Done) -> Void
  ) {
    let jobs = max(1, min(jobs, count))
    let tasks = OrderedTasks(count, jobs: jobs, isOver: isOver, each: each)
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      let perform = worker()
      while let number = tasks.take() { tasks.pass(number, perform(number)) }
    }
  }

  /// The next task to perform; waits while too many are done and not handed over. `nil`: there is none.
  private func take() -> Int? {
    condition.lock()
    defer { condition.unlock() }
    while begun < count, begun - next >= waiting.count { condition.wait() }
    guard begun < count, !isOver() else { return nil }
    begun += 1
    return begun - 1
  }

  private func pass(_ number: Int, _ done: Done) {
    condition.lock()
    defer { condition.unlock() }
    waiting[number % waiting.count] = done
    while let ready = waiting[next % waiting.count] {
      waiting[next % waiting.count] = nil
      next += 1
      each(ready)
    }
    condition.broadcast()
  }
}
