import CoreBluetooth
import RollcallDoors

/// Keeps the states that a central manager is told, by their numbers.
final class StateDoor: PhoneDoor {
  private let states = Guarded<[Int]>([])

  func push(_ event: PhoneEvent) {
    guard case .state(let state) = event else { return }
    states.withLock { $0.append(state.rawValue) }
  }

  /// Since the last call.
  func take() -> [Int] { states.exchange([]) }
}
