// Numbers whose lowest byte stands first, as Bluetooth has all of them.

extension UnsafeRawBufferPointer {
  /// The number in `count` bytes, at most 8, from `offset` on; the caller has checked that they are there.
  package func littleEndian(_ offset: Int, count: Int) -> UInt64 {
    self[offset..<offset &+ count].reversed().reduce(0) { $0 &<< 8 | UInt64($1) }
  }

  /// The same of two bytes.
  package func little16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset &+ 1]) &<< 8 }
}

extension [UInt8] {
  /// The lowest `count` bytes of a number, at most 8.
  package init(littleEndian value: UInt64, count: Int) {
    self = (0..<count).map { UInt8(truncatingIfNeeded: value &>> UInt64(8 &* $0)) }
  }

  /// The number in two bytes from `offset` on; the caller has checked that they are there.
  package func little16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset &+ 1]) &<< 8 }
}
