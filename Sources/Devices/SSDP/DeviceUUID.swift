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

  /// The first half-byte.
  var firstDigit: UInt64 { high &>> 60 }
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
  @inline(__always)
  func write(_ style: Style, to memory: UnsafeMutableRawPointer) -> Int {
    if style == .serialNumber { return writeSerialNumber(to: memory) }
    let (first, last) = (digits(of: high, style), digits(of: low, style))
    func half(_ word: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: word &>> 32).littleEndian }
    let dash = UInt8(ascii: "-")
    // From the front to the back: a group that is followed by a dash is written with the one behind it.
    memory.storeBytes(of: first[0].littleEndian, as: UInt64.self)
    memory.storeBytes(of: dash, toByteOffset: 8, as: UInt8.self)
    memory.storeBytes(of: first[1].littleEndian, toByteOffset: 9, as: UInt64.self)
    memory.storeBytes(of: dash, toByteOffset: 13, as: UInt8.self)
    memory.storeBytes(of: half(first[1]), toByteOffset: 14, as: UInt32.self)
    memory.storeBytes(of: dash, toByteOffset: 18, as: UInt8.self)
    memory.storeBytes(of: last[0].littleEndian, toByteOffset: 19, as: UInt64.self)
    memory.storeBytes(of: dash, toByteOffset: 23, as: UInt8.self)
    memory.storeBytes(of: half(last[0]), toByteOffset: 24, as: UInt32.self)
    memory.storeBytes(of: last[1].littleEndian, toByteOffset: 28, as: UInt64.self)
    return 36
  }

  @inline(never) private func writeSerialNumber(to memory: UnsafeMutableRawPointer) -> Int {
    let (prefix, suffix): (StaticString, StaticString) = ("RINCON_", "01400")
    memory.copyMemory(from: prefix.utf8Start, byteCount: 7)
    let text = digits(of: low &<< 16, .capitals)
    memory.storeBytes(of: text[0].littleEndian, toByteOffset: 7, as: UInt64.self)
    memory.storeBytes(of: text[1].littleEndian, toByteOffset: 15, as: UInt64.self)
    (memory + 19).copyMemory(from: suffix.utf8Start, byteCount: 5)
    return 24
  }

  /// The sixteen digits of a word, the first one in the lowest byte of the first word; all of them in one go.
  @inline(__always) private func digits(of word: UInt64, _ style: Style) -> SIMD2<UInt64> {
    @inline(__always) func all(_ word: UInt64) -> SIMD2<UInt64> { SIMD2(repeating: word) }
    let bytes = word.byteSwapped
    // Four bytes a lane, then two, then one in each sixteen bits; of these a half-byte in each byte.
    var lanes = SIMD2<UInt64>(bytes & 0xFFFF_FFFF, bytes &>> 32)
    lanes = (lanes | lanes &<< all(16)) & all(0x0000_FFFF_0000_FFFF)
    lanes = (lanes | lanes &<< all(8)) & all(0x00FF_00FF_00FF_00FF)
    lanes = (lanes &>> all(4) | lanes &<< all(8)) & all(0x0F0F_0F0F_0F0F_0F0F)
    // 1 in the bytes of letters, then all bits.
    let areLetters = (lanes &+ all(0x0606_0606_0606_0606)) &>> all(4) & all(0x0101_0101_0101_0101)
    let letters = areLetters &<< all(8) &- areLetters
    // From the sign behind `9` to the letter.
    let gap = all(style == .standard ? 0x2727_2727_2727_2727 : 0x0707_0707_0707_0707)
    return lanes &+ all(0x3030_3030_3030_3030) &+ (letters & gap)
  }

  package func text(_ style: Style) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DeviceUUID.textByteCountMaximum) { room in
      let count = write(style, to: room.baseAddress!)
      return String(decoding: room.prefix(count), as: UTF8.self)
    }
  }
}
