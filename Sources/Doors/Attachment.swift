/// An object of a door on its device: the number that the device gave it, and the callbacks that wait for that number.
package final class Attachment<Number: Sendable>: Sendable {
  private struct State {
    var number: Number?
    var hasBegun = false
    /// What the device pushed before it returned the number: a callback must find an object that can make requests.
    var early: [@Sendable () -> Void] = []
    var isOver = false
  }

  private let state = Guarded(State())

  package init() {}

  /// The number on the device, as long as there is an object.
  package var number: Number? { state.withLock { $0.isOver ? nil : $0.number } }

  /// - Parameter number: `nil`: the device does not serve the object.
  /// - Returns: what was pushed before, in order, which is to be scheduled now.
  package func begin(_ number: Number?) -> [@Sendable () -> Void] {
    state.withLock { state in
      state.number = number
      state.hasBegun = true
      defer { state.early = [] }
      return state.early
    }
  }

  /// Keeps `body` until `begin`; false once that has come.
  package func keeps(_ body: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard !state.hasBegun else { return false }
      state.early.append(body)
      return true
    }
  }

  /// - Returns: the number that is to be given up; `nil`: there is none, or it was given up before.
  package func end() -> Number? {
    state.withLock { state in
      defer { state.isOver = true }
      return state.isOver ? nil : state.number
    }
  }
}
