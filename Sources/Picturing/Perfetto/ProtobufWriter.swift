/// Fields of a protocol buffer, written one after the other.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// The number of a field, and how its value is written: 0 as a varint, 1 as eight bytes, 2 with its length.
  private mutating func key(_ field: UInt64, _ kind: UInt64) { varint(field << 3 | kind) }

  mutating func number(_ field: UInt64, _ value: UInt64) {
    key(field, 0)
    varint(value)
  }

  mutating func fixed(_ field: UInt64, _ value: UInt64) {
    key(field, 1)
    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift))) }
  }

  mutating func text(_ field: UInt64, _ text: String) {
    key(field, 2)
    varint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
    var inner = ProtobufWriter()
    write(&inner)
    key(field, 2)
    varint(UInt64(inner.bytes.count))
    bytes.append(contentsOf: inner.bytes)
  }
}
