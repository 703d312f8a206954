import Dispatch
import Foundation
import Synchronization

/// Ctrl-C or a termination signal, noted instead of dying of it, so that what was recorded is whole.
final class Interrupt {
  private final class Flag: Sendable { let hasCome = Atomic(false) }

  private let flag = Flag()
  private let sources: [any DispatchSourceSignal]

  var hasCome: Bool { flag.hasCome.load(ordering: .relaxed) }

  /// - Parameter react: called on a queue of its own, each time.
  init(_ react: @escaping @Sendable () -> Void = {}) {
    let queue = DispatchQueue(label: "rollcall.interrupt")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for source in sources {
      source.setEventHandler { [flag] in
        flag.hasCome.store(true, ordering: .relaxed)
        react()
      }
      source.resume()
    }
  }
}
