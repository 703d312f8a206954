/// Field names to field numbers: a perfect hash over the first eight bytes and the length, then a full comparison.
///
/// Setting bit 0x20 folds letters to lower case and leaves digits, `-` and `.` as they are; control bytes would be
/// folded into them, so `number(…)` is only for lines that hold none. Names are at most 24 bytes long.
struct SSDPNameTable {
  struct Entry {
    /// Bytes 0..<8, zero past the end.
    var head: UInt64 = 0
    /// Bytes 8..<16, where the name is longer than 16.
    var middle: UInt64 = 0
    var middleMask: UInt64 = 0
    /// The last eight bytes, where the name is longer than 8.
    var tail: UInt64 = 0
    var tailMask: UInt64 = 0
    var count: UInt32 = .max
    var number: UInt32 = 0
  }

  private let entries: UnsafePointer<Entry>
  private let multiplier: UInt64

  /// The one table, never freed.
  nonisolated(unsafe) static let shared = SSDPNameTable()

  private init() {
    let names = SSDPField.allCases.dropFirst().map { Array($0.name.utf8) }
    // Any odd multiplier that keeps the names apart will do; the search is short and always the same.
    var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    while true {
      var used: UInt64 = 0
      for name in names { used |= 1 << UInt64(SSDPNameTable.slot(Self.word(name, 0), name.count, multiplier)) }
      if used.nonzeroBitCount == names.count { break }
      multiplier = multiplier &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 | 1
    }
    let table = UnsafeMutablePointer<Entry>.allocate(capacity: 64)
    table.initialize(repeating: Entry(), count: 64)
    for (position, name) in names.enumerated() {
      precondition(name.count <= 24, "a field name that the table cannot hold")
      var entry = Entry()
      entry.head = Self.word(name, 0)
      if name.count > 8 { (entry.tail, entry.tailMask) = (Self.word(name, name.count - 8), .max) }
      if name.count > 16 { (entry.middle, entry.middleMask) = (Self.word(name, 8), .max) }
      entry.count = UInt32(name.count)
      entry.number = UInt32(position + 1)
      table[SSDPNameTable.slot(entry.head, name.count, multiplier)] = entry
    }
    self.multiplier = multiplier
    entries = UnsafePointer(table)
  }

  private static func word(_ name: [UInt8], _ start: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<8 where start + offset < name.count {
      word |= UInt64(name[start + offset] | 0x20) << UInt64(8 * offset)
    }
    return word
  }

  @inline(__always)
  private static func slot(_ head: UInt64, _ count: Int, _ multiplier: UInt64) -> Int {
    Int(truncatingIfNeeded: ((head ^ UInt64(truncatingIfNeeded: count)) &* multiplier) &>> 58)
  }

  /// The number of the field whose name ends at `colon`; 0 for any other name. No control byte may be in it.
  @inline(__always)
  func number(_ span: borrowing RawSpan, _ start: Int, _ count: Int) -> Int {
    let fold: UInt64 = 0x2020_2020_2020_2020
    // Inside the datagram or its padding: a name starts behind the start line and has at most 32 bytes.
    let headCount = count < 8 ? count : 8
    let head = (SSDPReader.inner(span, start) | fold) & (~0 &>> UInt64(truncatingIfNeeded: 64 &- 8 &* headCount))
    let entry = entries + Self.slot(head, count, multiplier)
    let difference =
      (head ^ entry.pointee.head)
      | (((SSDPReader.inner(span, start &+ 8) | fold) ^ entry.pointee.middle) & entry.pointee.middleMask)
      | (((SSDPReader.inner(span, start &+ count &- 8) | fold) ^ entry.pointee.tail) & entry.pointee.tailMask)
      | UInt64(UInt32(truncatingIfNeeded: count) ^ entry.pointee.count)
    return difference == 0 ? Int(truncatingIfNeeded: entry.pointee.number) : 0
  }
}

extension SSDPReader {
  /// Eight bytes, the first in the lowest byte of the word.
  @inline(__always)
  static func word(_ span: borrowing RawSpan, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Eight bytes that are known to begin inside the datagram or a name's length behind it; not checked.
  @inline(__always)
  static func inner(_ span: borrowing RawSpan, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: span.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Two bytes, the first in the lower byte of the word; the offset is known to lie inside the datagram or 62 bytes
  /// behind it at most. Not checked.
  @inline(__always)
  static func innerPair(_ span: borrowing RawSpan, _ offset: Int) -> UInt16 {
    UInt16(littleEndian: span.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }

  /// A byte at an offset that is known to lie inside the datagram; not checked.
  @inline(__always)
  static func innerByte(_ span: borrowing RawSpan, _ offset: Int) -> UInt8 {
    span.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  @inline(__always)
  static func byte(_ span: borrowing RawSpan, _ offset: Int) -> UInt8 {
    span.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Whether a byte may stand in a field name (RFC 2616 token).
  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool {
    // Bit n of the two words: byte n, and byte 64 + n, is a token byte.
    let low: UInt64 = 0x03FF_6CFA_0000_0000
    let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
    let bit = UInt64(byte & 63)
    return byte < 64 ? low &>> bit & 1 != 0 : byte < 128 && high &>> bit & 1 != 0
  }
}
