import RollcallPrimitives

/// Numbers for byte strings, from 0 in the order in which they are first seen; bounded, nothing is ever forgotten.
///
/// Open addressing over a 64-bit hash, the bytes in one array. The same numbers in every process.
package struct ByteTable: Sendable {
  private var slots: [Int32]
  private var hashes: [UInt64] = []
  private var ends: [Int] = []
  private var bytes: [UInt8] = []
  private let countMaximum: Int

  package init(countMaximum: Int) {
    self.countMaximum = countMaximum
    slots = Array(repeating: -1, count: 64)
  }

  package var count: Int { hashes.count }

  /// The number of these bytes; −1 where the table is full and does not know them.
  ///
  /// - Parameter hash: equal for equal bytes; the caller says what equal means by `isSame`.
  package mutating func number(
    of key: UnsafeRawBufferPointer, hash: UInt64,
    isSame: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Int32 {
    var place = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
    while true {
      let found = slots[place]
      if found < 0 { break }
      if hashes[Int(found)] == hash, has(key, at: Int(found), isSame) { return found }
      place = (place &+ 1) & (slots.count &- 1)
    }
    if hashes.count >= countMaximum { return -1 }
    let number = Int32(hashes.count)
    slots[place] = number
    hashes.append(hash)
    bytes.append(contentsOf: key)
    ends.append(bytes.count)
    if hashes.count * 2 > slots.count { grow() }
    return number
  }

  /// The number of these bytes; −1 where the table does not know them.
  package func known(
    _ key: UnsafeRawBufferPointer, hash: UInt64, isSame: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Int32 {
    var place = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
    while slots[place] >= 0 {
      if hashes[Int(slots[place])] == hash, has(key, at: Int(slots[place]), isSame) { return slots[place] }
      place = (place &+ 1) & (slots.count &- 1)
    }
    return -1
  }

  /// The bytes as they were first seen.
  package func key(_ number: Int32) -> ArraySlice<UInt8> {
    bytes[(number == 0 ? 0 : ends[Int(number) - 1])..<ends[Int(number)]]
  }

  private func has(
    _ key: UnsafeRawBufferPointer, at number: Int,
    _ isSame: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    let start = number == 0 ? 0 : ends[number &- 1]
    let end = ends[number]
    return bytes.withUnsafeBytes { isSame(UnsafeRawBufferPointer(rebasing: $0[start..<end]), key) }
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 4)
    for (number, hash) in hashes.enumerated() {
      var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[place] >= 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = Int32(number)
    }
  }
}

/// Whether values are well-formed, by their bytes: each is looked at once, as far as there is room.
struct FormMemo: Sendable {
  private var values = ByteTable(countMaximum: 4_096)
  private var verdicts: [Bool] = []

  mutating func isWellFormed(
    _ value: UnsafeRawBufferPointer, _ judge: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    // Longer ones are rare, and not worth their room.
    guard value.count <= 512 else { return judge(value) }
    let number = Int(values.number(of: value, hash: Digest.hash(value), isSame: Bytes.isSame))
    if number < 0 { return judge(value) }
    if number == verdicts.count { verdicts.append(judge(value)) }
    return verdicts[number]
  }
}
