package import Dispatch
import Foundation

/// The queues that the objects of one device call their delegates on.
///
/// The code of an application takes no virtual time: whatever its callbacks do on their queues has to be done before virtual time
/// moves. `drain` waits for that.
package final class DoorQueues: Sendable {
  /// Marks a queue. On Linux one queue can have many objects, and the main queue has a new one each time it is asked
  /// for, so objects do not tell queues apart.
  private final class Mark: Sendable {
    let number: Int

    init(number: Int) { self.number = number }
  }

  private struct Entry {
    var queue: DispatchQueue
    var mark: Mark
    var users: Int
  }

  private struct State {
    var entries: [Entry] = []
    /// Callbacks that were queued and requests that were made: if it stands still, nothing happens.
    var activity = 0
    /// Nobody watches a device in real time.
    var watch: CallWatch?
  }

  private static let key = DispatchSpecificKey<Mark>()
  /// How many queues have a mark. Behind a lock, so that no queue is given two.
  private static let marks = Guarded(0)
  private let state = Guarded(State())

  package init() {}

  /// How many queues are waited for.
  package var count: Int { state.withLock { $0.entries.count } }

  /// Takes a queue into the waiting. A world may add queues that the application uses besides those of its objects.
  package func add(_ queue: DispatchQueue) {
    let mark = Self.mark(of: queue)
    state.withLock { state in
      state.watch?.add(mark.number)
      if let index = state.entries.firstIndex(where: { $0.mark.number == mark.number }) {
        state.entries[index].users += 1
      } else {
        state.entries.append(Entry(queue: queue, mark: mark, users: 1))
      }
    }
  }

  private static func mark(of queue: DispatchQueue) -> Mark {
    marks.withLock { marks in
      if let mark = queue.getSpecific(key: key) { return mark }
      marks += 1
      let mark = Mark(number: marks)
      queue.setSpecific(key: key, value: mark)
      return mark
    }
  }

  /// The queue stays until the next `drain` has seen it empty: callbacks may be under way.
  package func remove(_ queue: DispatchQueue) {
    let mark = Self.mark(of: queue)
    state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.mark.number == mark.number }) else { return }
      state.entries[index].users -= 1
    }
  }

  package func schedule(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    touch()
    queue.async {
      let callback = CallWatch.Callback()
      CallWatch.Callback.$current.withValue(callback, operation: body)
      callback.end()
    }
  }

  /// An application calls a door.
  package func heardCall() {
    touch()
    guard let watch = state.withLock({ $0.watch }) else { return }
    watch.check(on: DispatchQueue.getSpecific(key: Self.key)?.number)
  }

  /// From now on every call of an application is looked at. To be called before there is an object.
  package func watch(_ watch: CallWatch) { state.withLock { $0.watch = watch } }

  /// Something happened that an application may answer.
  private func touch() { state.withLock { $0.activity += 1 } }

  /// Waits until nothing more happens on these queues: all of them were empty in turn, `quietPasses` times, and no
  /// callback was queued and no request made meanwhile. More than one pass, since a callback may put work of the
  /// application behind the one that waits; work that goes through more queues than there are passes, and touches no
  /// manager on its way, is not seen.
  ///
  /// Not to be called on one of the queues, which could never be empty then; on the main thread the main queue is run.
  /// False if it does not come to rest: callbacks that cause each other without end, and without time.
  @discardableResult
  package func drain(quietPasses: Int = 3, atMost passes: Int = 10_000) -> Bool {
    var quiet = 0
    for _ in 0..<passes {
      let (queues, before) = state.withLock { state in (state.entries.map(\.queue), state.activity) }
      for queue in queues { Self.wait(for: queue) }
      let after = state.withLock { $0.activity }
      quiet = after == before ? quiet + 1 : 0
      if quiet >= quietPasses {
        state.withLock { state in state.entries.removeAll { $0.users <= 0 } }
        return true
      }
    }
    return false
  }

  private static func wait(for queue: DispatchQueue) {
    let mark = mark(of: queue)
    if mark.number == self.mark(of: .main).number, Thread.isMainThread {
      // A block behind all that wait: once it has run, they have.
      let isDone = Guarded(false)
      queue.async { isDone.withLock { $0 = true } }
      while !isDone.current {
        guard RunLoop.main.run(mode: .default, before: .distantPast) else { return }
      }
      return
    }
    precondition(DispatchQueue.getSpecific(key: key)?.number != mark.number, "drain on a queue that it waits for")
    queue.sync(flags: .barrier) {}
  }
}
