import Foundation

extension LiveRun {
  /// Runs until the end of the plan, or until `stop`, on a thread of its own, and keeps its party for so long.
  /// - Parameter fail: called on that thread where there can be no run.
  package func runApart(fail: @escaping @Sendable (any Error) -> Void) {
    Thread.detachNewThread {
      do { try self.run() } catch { fail(error) }
    }
  }
}
