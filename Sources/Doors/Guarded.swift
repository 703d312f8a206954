import Foundation

/// A value behind a lock. An application may call the classes of a door from any thread, while callbacks run on a queue
/// of its own, and Apple's classes bear that.
///
/// The lock is recursive, for a deinit that a body sets off. A body must not drop the last reference to an object whose
/// deinit changes the same value: two accesses to it at a time end the program.
package final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }

  package var current: Value { withLock { $0 } }

  /// Puts a value in, and gives the one before.
  package func exchange(_ new: Value) -> Value {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}

/// Carries an object that is not Sendable to the queue of callbacks. The objects of a door guard their own state, but
/// they must not be Sendable in public: an application may declare that itself.
package struct Carried<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}

/// A reference that does not keep its object alive.
package struct Weakly<Object: AnyObject> {
  package weak var object: Object?

  package init(_ object: Object?) { self.object = object }
}

extension Dictionary {
  /// Takes out the entry of an object that has gone.
  /// - Returns: a new object that the entry belongs to by now. The caller may hold the last reference to it, and lets it
  ///   go when the dictionary is no longer in use: its deinit changes the dictionary, too.
  package mutating func removeGone<Object>(_ key: Key) -> Object? where Value == Weakly<Object> {
    let successor = self[key]?.object
    if successor == nil { self[key] = nil }
    return successor
  }
}
