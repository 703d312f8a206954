import RollcallPrimitives
import RollcallWire

/// Byte strings that are kept once and counted: UUIDs, targets, LOCATIONs.
///
/// A name is a number for as long as somebody holds it. Its bytes lie behind a small header in one arena, so that a
/// look-up touches one place for hash, length and bytes. The arena is packed anew when more than half of it is waste:
/// memory follows what is held and not what was ever heard.
struct NameTable {
  /// Header of a name: hash (4 bytes), holds (4), length (2), whether it is plain (2), hash of its spelling (4).
  private static let headerBytes = 16
  /// Marks a free number in `offsets`; the rest of the word is the next free one.
  private static let freeMark: UInt32 = 1 << 31

  /// Where each name stands in the arena.
  private var offsets: [UInt32] = []
  private var firstFree = freeMark - 1
  private var slots = SlotTable()
  private var arena: [UInt8] = []
  private var wasteBytes = 0
  /// Texts that were asked for, by number; empty: none was.
  private var texts: [String] = []
  private let isFolding: Bool
  private let seed: UInt64

  /// With `folding`, names that differ only in the case of ASCII letters are one; the first spelling is kept.
  init(folding: Bool, seed: UInt64) { (isFolding, self.seed) = (folding, seed ^ 0xA076_1D64_78BD_642F) }

  /// Numbers are below this.
  var capacity: Int { offsets.count }
  /// How often each number is held: for tests.
  var holds: [Int] {
    offsets.indices.map { offsets[$0] & NameTable.freeMark == 0 ? Int(word(Int(offsets[$0]) + 4)) : 0 }
  }

  /// The number of a name that is held already.
  ///
  /// In line, as what asks for the bytes of a name: a call that changes nothing would be given a copy of the table.
  ///
  /// - Parameter guess: one that is held, and is looked at first.
  @inline(__always) func find(_ bytes: UnsafeRawBufferPointer, guess: UInt32 = none) -> UInt32 {
    if guess != none, isEqual(guess, bytes) { return guess }
    return find(bytes, KeyBytes.hash(bytes, seed: seed, folding: isFolding))
  }

  /// The number of a name of at most 65 535 bytes, held once more.
  mutating func intern(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let hash = KeyBytes.hash(bytes, seed: seed, folding: isFolding)
    let known = find(bytes, hash)
    if known != none {
      retain(known)
      return known
    }
    precondition(bytes.count <= Int(UInt16.max) && arena.count < 1 << 30, "names are bounded before they come here")
    let offset = UInt32(arena.count)
    let spelled = isFolding ? spelledHash(of: bytes) : hash
    let isPlain: UInt16 = PlainText.isPlain(bytes) ? 1 : 0
    withUnsafeBytes(of: (hash, 1 as UInt32, UInt16(bytes.count), isPlain, spelled)) { arena.append(contentsOf: $0) }
    arena.append(contentsOf: bytes)
    while arena.count & 3 != 0 { arena.append(0) }
    let name: UInt32
    if firstFree != NameTable.freeMark - 1 {
      name = firstFree
      firstFree = offsets[Int(name)] & (NameTable.freeMark - 1)
      offsets[Int(name)] = offset
    } else {
      name = UInt32(offsets.count)
      offsets.append(offset)
    }
    slots.insert(hash, name)
    return name
  }

  mutating func retain(_ name: UInt32) {
    let place = Int(offsets[Int(name)]) + 4
    setWord(place, word(place) + 1)
  }

  /// Lets go once; after the last hold the number may name something else.
  mutating func release(_ name: UInt32) {
    let offset = Int(offsets[Int(name)])
    let holds = word(offset + 4) - 1
    setWord(offset + 4, holds)
    if holds > 0 { return }
    slots.remove(word(offset), name)
    if Int(name) < texts.count { texts[Int(name)] = "" }
    wasteBytes += NameTable.stride(count(offset))
    offsets[Int(name)] = firstFree | NameTable.freeMark
    firstFree = name
    if wasteBytes > 65_536, wasteBytes * 2 > arena.count { pack() }
  }

  @inline(__always) func isEqual(_ name: UInt32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    withBytes(name) { KeyBytes.equal($0, bytes, folding: isFolding) }
  }

  /// The bytes of a name, which are there for as long as `use` runs.
  @inline(__always) func withBytes<Answer>(_ name: UInt32, _ use: (UnsafeRawBufferPointer) -> Answer) -> Answer {
    let offset = Int(offsets[Int(name)])
    return arena.withUnsafeBytes { arena in
      let count = Int(arena.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt16.self))
      let start = offset &+ NameTable.headerBytes
      return use(UnsafeRawBufferPointer(rebasing: arena[start..<(start &+ count)]))
    }
  }

  /// Whether all of it is `PlainText.isPlain`.
  @inline(__always) func isPlain(_ name: UInt32) -> Bool {
    let offset = Int(offsets[Int(name)])
    return arena.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset + 10, as: UInt16.self) != 0 }
  }

  /// The hash of the bytes of a name, in which case counts.
  @inline(__always) func spelledHash(_ name: UInt32) -> UInt32 { word(Int(offsets[Int(name)]) + 12) }
  /// The same of any bytes.
  @inline(__always) func spelledHash(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    KeyBytes.hash(bytes, seed: seed, folding: false)
  }

  /// The bytes as text; a byte that is not UTF-8 is `\xNN`, so that other bytes are another text.
  func text(_ name: UInt32) -> String { withBytes(name) { SSDPText.text($0) } }

  /// The same behind `prefix`, which is one for the whole table: made once, then shared by all who report it.
  mutating func sharedText(_ name: UInt32, prefix: String = "") -> String {
    let index = Int(name)
    if index < texts.count, !texts[index].isEmpty { return texts[index] }
    while texts.count <= index { texts.append("") }
    texts[index] = prefix.isEmpty ? text(name) : prefix + text(name)
    return texts[index]
  }

  /// Whether the name is spelled exactly so.
  @inline(__always) func isSpelled(_ name: UInt32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    withBytes(name) { KeyBytes.equal($0, bytes, folding: false) }
  }

  @inline(__always) private func find(_ bytes: UnsafeRawBufferPointer, _ hash: UInt32) -> UInt32 {
    slots.find(hash) { isEqual($0, bytes) }
  }

  // MARK: The arena

  private static func stride(_ count: Int) -> Int { (headerBytes + count + 3) & ~3 }

  /// The length of the name whose header stands there.
  private func count(_ offset: Int) -> Int {
    arena.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset + 8, as: UInt16.self)) }
  }
  private func word(_ offset: Int) -> UInt32 {
    arena.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }
  private mutating func setWord(_ offset: Int, _ word: UInt32) {
    arena.withUnsafeMutableBytes { $0.storeBytes(of: word, toByteOffset: offset, as: UInt32.self) }
  }

  private mutating func pack() {
    var packed: [UInt8] = []
    packed.reserveCapacity(arena.count - wasteBytes + 4_096)
    for name in offsets.indices where offsets[name] & NameTable.freeMark == 0 {
      let start = Int(offsets[name])
      offsets[name] = UInt32(packed.count)
      packed.append(contentsOf: arena[start..<(start + NameTable.stride(count(start)))])
    }
    (arena, wasteBytes) = (packed, 0)
  }
}
