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
    guard let short else { return longBytes }
    return [UInt8](littleEndian: UInt64(short), count: short <= 0xFFFF ? 2 : 4)
  }

  /// 16 bytes, lowest first.
  var longBytes: [UInt8] { [UInt8](littleEndian: low, count: 8) + [UInt8](littleEndian: high, count: 8) }

  /// As the attribute protocol has it: 2 bytes where the UUID fits them, else 16.
  package var attributeBytes: [UInt8] {
    let shortest = littleEndian
    return shortest.count == 4 ? longBytes : shortest
  }

  /// Reads the 2 or 16 bytes that the attribute protocol has; `nil` for another number of bytes.
  package init?(attributeBytes bytes: some Collection<UInt8>) {
    guard bytes.count == 2 || bytes.count == 16 else { return nil }
    self.init(littleEndian: Array(bytes))
  }

  private init?(littleEndian bytes: [UInt8]) {
    guard let uuid = bytes.withUnsafeBytes({ BluetoothUUID(littleEndian: $0) }) else { return nil }
    self = uuid
  }
}
