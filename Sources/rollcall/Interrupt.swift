import Dispatch
import Foundation
import Synchronization

/// Something that happens at most once, told from one thread to another.
final class Latch: Sendable {
  private let flag = Atomic(false)
  var isRaised: Bool { flag.load(ordering: .relaxed) }
  func raise() { flag.store(true, ordering: .relaxed) }
}

/// Ctrl-C, a termination signal or the end of the terminal, noted instead of dying of it, so that what was recorded is whole.
final class Interrupt {
  private let flag = Latch()
  private let reaction: Reaction
  private let sources: [any DispatchSourceSignal]

  /// What is done then.
  private final class Reaction: Sendable {
    let body: Mutex<@Sendable () -> Void>
    init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }
    func perform() { body.withLock { $0 }() }
  }

  var hasCome: Bool { flag.isRaised }

  /// - Parameter react: called on a queue of its own, each time.
  init(_ react: @escaping @Sendable () -> Void = {}) {
    let (queue, reaction) = (DispatchQueue(label: "rollcall.interrupt"), Reaction(react))
    self.reaction = reaction
    // Who ignores the end of the terminal from the start, as under nohup, goes on.
    let hangup = signal(SIGHUP, SIG_IGN)
    let isHeard = unsafeBitCast(hangup, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
    sources = ([SIGINT, SIGTERM] + (isHeard ? [SIGHUP] : [])).map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for source in sources {
      source.setEventHandler { [flag] in
        flag.raise()
        reaction.perform()
      }
      source.resume()
    }
  }

  /// From now on another thing is done; at once where it has come already.
  func react(_ body: @escaping @Sendable () -> Void) {
    reaction.body.withLock { $0 = body }
    if hasCome { body() }
  }
}
