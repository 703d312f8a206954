import Foundation
import RollcallDoors

/// How far a resource is, in bytes. Foundation for Linux calls a cancellation handler later, on a queue that nobody waits
/// for, so the door hears of a cancellation here, and the handler is left to the application.
final class TransferProgress: Progress, @unchecked Sendable {
  private let onCancel = Guarded<(@Sendable () -> Void)?>(nil)

  /// It belongs to no other one.
  init(byteCount: Int) {
    super.init(parent: nil, userInfo: nil)
    begin(byteCount)
  }

  /// A resource without a byte has one unit, so that it is not finished from the start.
  func begin(_ byteCount: Int) { totalUnitCount = Int64(max(1, byteCount)) }

  func whenCancelled(_ body: @escaping @Sendable () -> Void) { onCancel.withLock { $0 = body } }

  override func cancel() {
    super.cancel()
    onCancel.exchange(nil)?()
  }

  /// Never backwards, and never to the last unit, which is that of success.
  func reach(_ byteCount: Int) {
    completedUnitCount = max(completedUnitCount, min(Int64(byteCount), totalUnitCount - 1))
  }

  func finish(_ isSuccess: Bool) {
    onCancel.withLock { $0 = nil }
    if isSuccess { completedUnitCount = totalUnitCount }
  }
}
