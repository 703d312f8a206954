import Testing

@testable import RollcallWire

@Suite("Looking at 64 bytes at once") struct LanesBoundTests {
  /// Whether neither way of looking finds anything in 64 letters, whatever the 64 bytes behind them are.
  private static func findsNothing(before byte: UInt8) -> Bool {
    let bytes = [UInt8](repeating: 0x61, count: 64) + [UInt8](repeating: byte, count: 64)
    return bytes.withUnsafeBytes { buffer in
      let span = buffer.bytes
      let controls = PortableLanes.controls(span, 0) | Lanes.controls(span, 0)
      let high = PortableLanes.high(span, 0) | Lanes.high(span, 0)
      let colons = PortableLanes.colons(span, 32) | Lanes.colons(span, 32)
      return controls == 0 && high == 0 && colons == 0
    }
  }

  @Test("what stands behind the bytes that are looked at is not seen")
  func behind() {
    for byte in [0, 9, 10, 13, 58, 127, 128, 255] as [UInt8] {
      #expect(LanesBoundTests.findsNothing(before: byte), "\(byte)")
    }
  }
}
