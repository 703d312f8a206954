/// A UUID of Bluetooth: 16 and 32 bits are short spellings of 128 on the base UUID
/// 00000000-0000-1000-8000-00805F9B34FB, so that all spellings of one UUID are equal.
@frozen public struct BluetoothUUID: Hashable, Sendable, BitwiseCopyable {
  public var high: UInt64
  public var low: UInt64
  @inlinable public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  @inlinable static var baseHigh: UInt64 { 0x0000_0000_0000_1000 }
  @inlinable static var baseLow: UInt64 { 0x8000_0080_5F9B_34FB }

  /// 16 or 32 bits on the base UUID.
  @inlinable public init(short: UInt32) {
    self.init(high: UInt64(short) &<< 32 | BluetoothUUID.baseHigh, low: BluetoothUUID.baseLow)
  }

  /// The 32 bits on the base UUID; `nil` where the UUID is not on it.
  @inlinable public var short: UInt32? {
    low == BluetoothUUID.baseLow && high & 0xFFFF_FFFF == BluetoothUUID.baseHigh ? UInt32(high &>> 32) : nil
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// `180D`, `0001180D`, or 36 characters; capitals.
  public var description: String {
    func hex(_ value: UInt64, _ digits: Int) -> String {
      let text = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: digits - text.utf8.count) + text
    }
    if let short { return hex(UInt64(short), short <= 0xFFFF ? 4 : 8) }
    let groups = [
      hex(high &>> 32, 8), hex(high &>> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low &>> 48, 4),
      hex(low & 0xFFFF_FFFF_FFFF, 12),
    ]
    return groups.joined(separator: "-")
  }

  /// Reads what `description` writes, in either case.
  public init?(_ text: some StringProtocol) {
    func number(_ part: some StringProtocol) -> UInt64? {
      // No sign: what `radix:` would take.
      part.utf8.allSatisfy { $0 != 0x2B && $0 != 0x2D } ? UInt64(part, radix: 16) : nil
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    if parts.count == 1, let first = parts.first, [4, 8].contains(first.utf8.count), let short = number(first) {
      self.init(short: UInt32(short))
      return
    }
    guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    let values = parts.compactMap { number($0) }
    guard values.count == 5 else { return nil }
    self.init(
      high: values[0] &<< 32 | values[1] &<< 16 | values[2], low: values[3] &<< 48 | values[4])
  }
}
