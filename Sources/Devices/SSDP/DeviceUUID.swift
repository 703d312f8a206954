package import RollcallPrimitives

/// A UUID as sixteen bytes: how it is printed is a habit of the device, not a part of its identity.
package struct DeviceUUID: Hashable, Sendable, BitwiseCopyable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// The UUID that this name has in this run, in the form of version 4.
  package init(seed: Seed, name: String) {
    var stream = seed.stream(name + "/uuid")
    self.init(randomHigh: stream.next(), low: stream.next())
  }

  init(randomHigh: UInt64, low: UInt64) {
    high = randomHigh & ~0xF000 | 0x4000
    self.low = low & ~(3 << 62) | 2 << 62
  }

  /// Another UUID that follows from this one and a number, for embedded devices and for devices that change theirs.
  package func derived(_ number: UInt64) -> DeviceUUID {
    var digest = Digest()
    digest.combine(high, low)
    digest.combine(number)
    let first = digest.state
    digest.combine(0x0D15)
    return DeviceUUID(randomHigh: first, low: digest.state)
  }

  /// The half-byte at `position`, 0 … 31.
  func digit(_ position: Int) -> UInt8 {
    let word = position < 16 ? high : low
    return UInt8(truncatingIfNeeded: word &>> UInt64(60 &- 4 &* (position & 15)) & 0xF)
  }
}

extension DeviceUUID: CustomStringConvertible {
  /// `8-4-4-4-12` hexadecimal digits in small letters (UDA-1.1.4-UUID-FORM).
  package var description: String { text(.standard) }

  package init?(_ text: some StringProtocol) {
    let utf8 = Array(text.utf8)
    guard utf8.count == 36 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for (offset, byte) in utf8.enumerated() {
      if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = DeviceUUID.value(ofHexDigit: byte) else { return nil }
      words = (words.0 &<< 4 | words.1 &>> 60, words.1 &<< 4 | digit)
    }
    self.init(high: words.0, low: words.1)
  }

  static func value(ofHexDigit byte: UInt8) -> UInt64? {
    switch byte {
    case 48...57: UInt64(byte - 48)
    case 65...70: UInt64(byte - 55)
    case 97...102: UInt64(byte - 87)
    default: nil
    }
  }

  /// How a device prints its UUID.
  package enum Style: UInt8, Hashable, Sendable, CaseIterable {
    case standard
    /// The digits in capitals; the same UUID to a program that compares as UDA asks.
    case capitals
    /// `RINCON_`, twelve digits and `01400`: the form of a speaker that has never asked for a UUID (D27).
    case serialNumber
  }

  /// The longest text of any style in bytes.
  static let textByteCountMaximum = 36

  /// Prints into `memory`, which has room for `textByteCountMaximum` bytes, and returns how many were written.
  func write(_ style: Style, to memory: UnsafeMutableRawPointer) -> Int {
    if style == .serialNumber {
      let prefix: StaticString = "RINCON_"
      memory.copyMemory(from: prefix.utf8Start, byteCount: 7)
      let (first, second) = (hexadecimal(low &>> 16, .capitals), hexadecimal(low &<< 16, .capitals))
      memory.storeBytes(of: first.bigEndian, toByteOffset: 7, as: UInt64.self)
      memory.storeBytes(of: UInt32(truncatingIfNeeded: second &>> 32).bigEndian, toByteOffset: 15, as: UInt32.self)
      let suffix: StaticString = "01400"
      (memory + 19).copyMemory(from: suffix.utf8Start, byteCount: 5)
      return 24
    }
    let words = (
      hexadecimal(high &>> 32, style), hexadecimal(high, style), hexadecimal(low &>> 32, style), hexadecimal(low, style)
    )
    func half(_ word: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: word).bigEndian }
    memory.storeBytes(of: words.0.bigEndian, as: UInt64.self)
    memory.storeBytes(of: half(words.1 &>> 32), toByteOffset: 9, as: UInt32.self)
    memory.storeBytes(of: half(words.1), toByteOffset: 14, as: UInt32.self)
    memory.storeBytes(of: half(words.2 &>> 32), toByteOffset: 19, as: UInt32.self)
    memory.storeBytes(of: half(words.2), toByteOffset: 24, as: UInt32.self)
    memory.storeBytes(of: words.3.bigEndian, toByteOffset: 28, as: UInt64.self)
    let dash = UInt8(ascii: "-")
    memory.storeBytes(of: dash, toByteOffset: 8, as: UInt8.self)
    memory.storeBytes(of: dash, toByteOffset: 13, as: UInt8.self)
    memory.storeBytes(of: dash, toByteOffset: 18, as: UInt8.self)
    memory.storeBytes(of: dash, toByteOffset: 23, as: UInt8.self)
    return 36
  }

  /// The low 32 bits as eight digits, the first one in the highest byte; all eight in one go.
  @inline(__always) private func hexadecimal(_ bits: UInt64, _ style: Style) -> UInt64 {
    var word = bits & 0xFFFF_FFFF
    word = (word | word &<< 16) & 0x0000_FFFF_0000_FFFF
    word = (word | word &<< 8) & 0x00FF_00FF_00FF_00FF
    word = (word | word &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
    let isLetter = (word &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    return word &+ 0x3030_3030_3030_3030 &+ isLetter &* (style == .standard ? 39 : 7)
  }

  package func text(_ style: Style) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DeviceUUID.textByteCountMaximum) { room in
      let count = write(style, to: room.baseAddress!)
      return String(decoding: room.prefix(count), as: UTF8.self)
    }
  }
}
