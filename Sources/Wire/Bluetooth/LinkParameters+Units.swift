public import RollcallPrimitives

// The units of the link layer, of HCI and of L2CAP: an interval counts in 1.25 ms, a timeout in 10 ms.
extension LinkParameters {
  public init(intervalUnits: UInt16, latency: UInt16, timeoutUnits: UInt16) {
    self.init(
      interval: .microseconds(1_250 * Int64(intervalUnits)), latency: latency,
      timeout: .milliseconds(10 * Int64(timeoutUnits)))
  }

  /// Rounded down; the largest number where it has no room.
  public var intervalUnits: UInt16 { UInt16(clamping: interval.nanoseconds / 1_250_000) }
  /// Rounded down; the largest number where it has no room.
  public var timeoutUnits: UInt16 { UInt16(clamping: timeout.nanoseconds / 10_000_000) }

  /// Interval, latency and timeout, as they stand in packets.
  var littleEndian: [UInt8] {
    [intervalUnits, latency, timeoutUnits].flatMap { [UInt8](littleEndian: UInt64($0), count: 2) }
  }
}
