import RollcallPrimitives
import RollcallWire

/// Which parameters of a connection a central takes when a peripheral asks for others: the rules that Apple publishes
/// for accessories (CB-45), as the contract has them.
enum ParameterPolicy {
  /// 15 ms in units of 1.25 ms.
  private static let step: UInt16 = 12
  private static let latencyMaximum: UInt16 = 30
  /// 2 s to 6 s, in units of 10 ms.
  private static let timeouts: ClosedRange<UInt16> = 200...600

  /// What the central goes over to: the longest of the intervals; `nil`: it refuses.
  static func answer(to request: ParameterRequest) -> LinkParameters? {
    let (shortest, longest) = (request.shortestUnits, request.longestUnits)
    // From 15 ms on, in multiples of it; so wide that there is a choice, or 15 ms and nothing else.
    guard shortest >= step, shortest % step == 0, longest == step || Int(longest) >= Int(shortest) + Int(step),
      longest >= shortest
    else { return nil }
    guard request.latency <= latencyMaximum, timeouts.contains(request.timeoutUnits) else { return nil }
    // Of two events that the peripheral attends, in units of 1.25 ms: 2 s at most, and three of them within the timeout.
    let between = Int(longest) * (Int(request.latency) + 1)
    guard between <= 1_600, between * 3 < Int(request.timeoutUnits) * 8 else { return nil }
    let parameters = request.longest
    return parameters.areValid ? parameters : nil
  }
}
