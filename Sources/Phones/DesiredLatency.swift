import CoreBluetooth
import RollcallPrimitives
import RollcallWire

/// What a phone that is a peripheral asks its central for, by the latency that its application desires.
///
/// Apple does not say which intervals go with the three words; these are of this package, inside the rules for
/// accessories (CB-45), and a central of this package takes the longest of each.
enum DesiredLatency {
  static func request(_ latency: CBPeripheralManagerConnectionLatency) -> ParameterRequest {
    switch latency {
    case .low: ParameterRequest(milliseconds: 15...15, latency: 0, timeoutMilliseconds: 4_000)
    case .medium: ParameterRequest(milliseconds: 90...120, latency: 0, timeoutMilliseconds: 4_000)
    case .high: ParameterRequest(milliseconds: 450...495, latency: 0, timeoutMilliseconds: 6_000)
    }
  }
}
