public import RollcallPrimitives

// UUIDs as they stand on the air.
extension BluetoothUUID {
  /// Reads 2, 4 or 16 bytes as they stand on the air, lowest first; `nil` for another number of bytes.
  public init?(littleEndian bytes: UnsafeRawBufferPointer) {
    switch bytes.count {
    case 2, 4: self.init(short: UInt32(bytes.littleEndian(0, count: bytes.count)))
    case 16: self.init(high: bytes.littleEndian(8, count: 8), low: bytes.littleEndian(0, count: 8))
    default: return nil
    }
  }

  /// The shortest spelling on the air: 2, 4 or 16 bytes, lowest first.
  public var littleEndian: [UInt8] {
    guard let short else { return [UInt8](littleEndian: low, count: 8) + [UInt8](littleEndian: high, count: 8) }
    return [UInt8](littleEndian: UInt64(short), count: short <= 0xFFFF ? 2 : 4)
  }
}
