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
    let text = address.description.utf8
    for (place, byte) in text.enumerated() {
      let bits = UInt64(byte) << UInt64(8 * (place % 8))
      if place < 8 { first |= bits } else { last |= bits }
    }
    last |= UInt64(text.count) << 56
  }

  /// Writes the text and returns its length; sixteen bytes are written.
  @inline(__always)
  func write(to memory: UnsafeMutableRawPointer) -> Int {
    memory.storeBytes(of: first.littleEndian, as: UInt64.self)
    memory.storeBytes(of: last.littleEndian, toByteOffset: 8, as: UInt64.self)
    return Int(truncatingIfNeeded: last &>> 56)
  }
}
