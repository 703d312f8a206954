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
  private let sources: [any DispatchSourceSignal]

  var hasCome: Bool { flag.isRaised }

  /// - Parameter react: called on a queue of its own, each time.
  init(_ react: @escaping @Sendable () -> Void = {}) {
    let queue = DispatchQueue(label: "rollcall.interrupt")
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
        react()
      }
      source.resume()
    }
  }
}
