import CoreBluetooth
import RollcallDoors
public import RollcallPrimitives
import Synchronization

/// Something that an application asked at an instant that its world had reached by chance.
public struct OutsideInput: Hashable, Sendable, CustomStringConvertible {
  /// When the world took it.
  public var time: Instant
  /// The method that was called: `CBCentralManager.connect`.
  public var call: String
  /// The function that called it, with file and line where the program has debug information.
  public var place: String

  public var description: String {
    "\(time): \(call) was called by \(place), while the world did not wait for it: "
      + "another run may differ. Call it in a callback, or have the world wait for the queue (PhoneWorld.wait)."
  }
}

/// The calls from outside of one world.
final class OutsideCalls: Sendable {
  private struct State {
    var now = Instant.zero
    var all: [OutsideInput] = []
  }

  private let state = Mutex(State())
  private let report: @Sendable (APIMisuse) -> Void

  /// - Parameter report: called for the first calls.
  init(report: @escaping @Sendable (APIMisuse) -> Void = { APIMisuse.report($0) }) { self.report = report }

  /// The instant that the world has reached.
  var now: Instant {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  var all: [OutsideInput] { state.withLock { $0.all } }

  func add(_ call: OutsideCall) {
    let (input, count) = state.withLock { state in
      let input = OutsideInput(time: state.now, call: call.call, place: call.place)
      state.all.append(input)
      return (input, state.all.count)
    }
    guard count <= CallWatch.placesMaximum else { return }
    report(APIMisuse(.calledFromOutside, in: input.call, "\(input)"))
  }
}
