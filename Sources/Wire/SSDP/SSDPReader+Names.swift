/// Field names to field numbers: a guess that is compared, or a perfect hash over the first eight bytes and the length.
///
/// Names are at most 24 bytes long. Setting bit 0x20 folds letters to lower case for the hash; the comparison counts
/// every bit but that one of letters.
struct SSDPNameTable {
  /// A name as three words, with the bits that count in each. That of an unknown field begins as no line does.
  struct Entry {
    var head: UInt64 = 10
    var headMask: UInt64 = 0xFF
    var middle: UInt64 = 0
    var middleMask: UInt64 = 0
    var tail: UInt64 = 0
    var tailMask: UInt64 = 0
    var count = 0
    /// Length and number as in a field line of an index. With it an entry has 64 bytes, and is found without a
    /// multiplication.
    var packed: UInt64 = 0
  }

  /// By field number, 32 of them.
  private let entries: UnsafePointer<Entry>
  /// By hash: the number of the field that it may be.
  private let numbers: UnsafePointer<UInt8>
  private let multiplier: UInt64

  /// The one table, never freed.
  nonisolated(unsafe) static let shared = SSDPNameTable()

  private init() {
    let names = SSDPField.allCases.map { Array($0.name.utf8) }
    // Any odd multiplier that keeps the names apart will do; the search is short and always the same.
    var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    while true {
      var used: UInt64 = 0
      for name in names.dropFirst() { used |= 1 << UInt64(SSDPNameTable.slot(name, multiplier)) }
      if used.nonzeroBitCount == names.count - 1 { break }
      multiplier = multiplier &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 | 1
    }
    let table = UnsafeMutablePointer<Entry>.allocate(capacity: 32)
    table.initialize(repeating: Entry(), count: 32)
    let numbers = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
    numbers.initialize(repeating: 0, count: 64)
    for (number, name) in names.enumerated() where number > 0 {
      precondition(name.count <= 24, "a field name that the table cannot hold")
      let mask = name.map { ASCIICase.fold($0) &- 97 < 26 ? 0xDF : 0xFF as UInt8 }
      var entry = Entry()
      (entry.head, entry.headMask) = (Self.word(name, 0), Self.word(mask, 0))
      (entry.middle, entry.middleMask) = (Self.word(name, 8), Self.word(mask, 8))
      (entry.tail, entry.tailMask) = (Self.word(name, 16), Self.word(mask, 16))
      entry.count = name.count
      entry.packed = SSDPReader.pack(
        nameStart: 0, nameCount: name.count, field: number, valueStart: 0, valueCount: 0)
      table[number] = entry
      numbers[SSDPNameTable.slot(name, multiplier)] = UInt8(number)
    }
    self.multiplier = multiplier
    self.numbers = UnsafePointer(numbers)
    entries = UnsafePointer(table)
  }

  /// Eight bytes from `start` on, zero past the end.
  private static func word(_ bytes: [UInt8], _ start: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<8 where start + offset < bytes.count {
      word |= UInt64(bytes[start + offset]) << UInt64(8 * offset)
    }
    return word
  }

  private static func slot(_ name: [UInt8], _ multiplier: UInt64) -> Int {
    slot(word(name.map { $0 | 0x20 }, 0), name.count, multiplier)
  }

  @inline(__always)
  private static func slot(_ head: UInt64, _ count: Int, _ multiplier: UInt64) -> Int {
    Int(truncatingIfNeeded: ((head ^ UInt64(truncatingIfNeeded: count)) &* multiplier) &>> 58)
  }

  /// Bytes of the name of a field; 0 where the number, below 32, is that of none.
  @inline(__always)
  func count(of number: Int) -> Int { entries[number].count }

  /// Length and number of the name of a field as in a field line of an index; 0 where the number is that of none.
  @inline(__always)
  func packed(of number: Int) -> UInt64 { entries[number].packed }

  /// Whether a line begins with the name of this field, whatever follows it; never for the number of none.
  @inline(__always)
  func begins(_ span: borrowing RawSpan, _ start: Int, with number: Int) -> Bool {
    // Inside the datagram or its padding: a line starts inside the datagram.
    let entry = entries + number
    if (SSDPReader.inner(span, start) ^ entry.pointee.head) & entry.pointee.headMask != 0 { return false }
    if entry.pointee.count <= 8 { return true }
    let difference =
      ((SSDPReader.inner(span, start &+ 8) ^ entry.pointee.middle) & entry.pointee.middleMask)
      | ((SSDPReader.inner(span, start &+ 16) ^ entry.pointee.tail) & entry.pointee.tailMask)
    return difference == 0
  }

  /// The number of the field whose name these bytes are, at least one; 0 for any other name.
  @inline(__always)
  func number(_ span: borrowing RawSpan, _ start: Int, _ count: Int) -> Int {
    let fold: UInt64 = 0x2020_2020_2020_2020
    let headCount = count < 8 ? count : 8
    let head = (SSDPReader.inner(span, start) | fold) & (~0 &>> UInt64(truncatingIfNeeded: 64 &- 8 &* headCount))
    let number = Int(truncatingIfNeeded: numbers[Self.slot(head, count, multiplier)])
    return self.count(of: number) == count && begins(span, start, with: number) ? number : 0
  }
}

extension SSDPReader {
  /// Eight bytes, the first in the lowest byte of the word, that are known to begin inside the datagram or 56 bytes
  /// behind it at most; not checked.
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
