import Foundation

/// A value behind a lock. An application may call the classes of this module from any thread, while callbacks run on
/// the manager's queue, and Apple's classes bear that.
///
/// The lock is recursive: a body may drop the last reference to a peripheral, whose deinit looks into the same value.
final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }

  var current: Value { withLock { $0 } }
}

/// Carries an object that is not Sendable to the manager's queue. The objects of this module guard their own state, but
/// they must not be Sendable in public: an application may declare that itself.
struct Carried<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// A reference that does not keep its object alive.
struct Weakly<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object?) { self.object = object }
}
