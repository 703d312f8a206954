package import RollcallPrimitives

/// The bytes of a btsnoop file: the traffic between one host and its Bluetooth controller, each packet with its kind
/// before it (H4).
package enum BtsnoopWriter {
  /// The first bytes of a file.
  package static let header: [UInt8] = Array("btsnoop\0".utf8) + big(1, 4) + big(1_002, 4)

  /// One packet.
  /// - Parameters:
  ///   - time: since the Unix epoch.
  ///   - isSent: whether the host sent it.
  package static func record(_ packet: [UInt8], time: Instant, isSent: Bool) -> [UInt8] {
    // Commands and events are told from data.
    let isCommandOrEvent = packet.first == 1 || packet.first == 4
    let flags: UInt64 = (isSent ? 0 : 1) | (isCommandOrEvent ? 2 : 0)
    let since2000 = time.nanoseconds / 1_000 - CaptureReader.unixEpochSeconds * 1_000_000
    let microseconds = since2000 + CaptureReader.btsnoopEpochMicroseconds
    return big(UInt64(packet.count), 4) + big(UInt64(packet.count), 4) + big(flags, 4) + big(0, 4)
      + big(UInt64(bitPattern: microseconds), 8) + packet
  }

  private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
  }
}
