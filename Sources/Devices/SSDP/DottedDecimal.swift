package import RollcallPrimitives

/// An IPv4 address as it is printed, for senders that print theirs again and again: sixteen bytes.
package struct DottedDecimal: Hashable, Sendable, BitwiseCopyable {
  /// The text, at most fifteen bytes, the first one lowest.
  private var first: UInt64 = 0
  /// The highest byte is the length.
  private var last: UInt64 = 0

  /// Nothing.
  init() {}

  /// Of an IPv6 address: nothing.
  package init(_ address: IPAddress) {
    guard address.family == .v4 else { return }
    var shift: UInt64 = 32
    var count: UInt64 = 0
    while shift > 0 {
      shift &-= 8
      let value = address.low &>> shift & 0xFF
      if count > 0 { append(0x2E, at: &count) }
      if value > 99 { append(48 &+ value / 100, at: &count) }
      if value > 9 { append(48 &+ value / 10 % 10, at: &count) }
      append(48 &+ value % 10, at: &count)
    }
    last |= count &<< 56
  }

  private mutating func append(_ byte: UInt64, at count: inout UInt64) {
    if count < 8 { first |= byte &<< (8 &* count) } else { last |= byte &<< (8 &* (count &- 8)) }
    count &+= 1
  }

  /// Writes the text and returns its length; sixteen bytes are written.
  @inline(__always)
  func write(to memory: UnsafeMutableRawPointer) -> Int {
    memory.storeBytes(of: first.littleEndian, as: UInt64.self)
    memory.storeBytes(of: last.littleEndian, toByteOffset: 8, as: UInt64.self)
    return Int(truncatingIfNeeded: last &>> 56)
  }
}
