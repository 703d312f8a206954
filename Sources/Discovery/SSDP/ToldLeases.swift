/// Of which leases a search was told: their marks.
///
/// A lease that ends takes its mark with it, so nothing need be forgotten. It is a shortcut: what it does not know, a
/// `ServiceSet` does. Marks are given in order, so those that a search is told of lie close together: one word has a bit
/// for each of 32 marks that follow one another. A word is found by a hash; by the lowest bits of its number, all would
/// stand in one row, and a look-up that ends in the row would go through the rest of it.
struct ToldLeases {
  /// Beyond these, leases are looked up by name.
  static let wordCountMaximum = 1 << 15

  /// The number of the word in the high half, its marks in the low half; 0: free, since a word has one mark at least.
  private var words: [UInt64] = []
  private var count = 0

  /// The number of the word of a mark.
  @inline(__always) private static func number(_ mark: UInt32) -> UInt64 { UInt64(mark &>> 5) }

  /// Where the word with this number stands, or the free place where it would.
  @inline(__always) private func place(of number: UInt64) -> Int {
    let mask = words.count &- 1
    var place = Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) &>> 32) & mask
    while words[place] != 0, words[place] &>> 32 != number { place = (place &+ 1) & mask }
    return place
  }

  @inline(__always) func holds(_ mark: UInt32) -> Bool {
    if words.isEmpty { return false }
    return words[place(of: ToldLeases.number(mark))] &>> UInt64(mark & 31) & 1 != 0
  }

  mutating func note(_ mark: UInt32) {
    if words.isEmpty { grow() }
    let number = ToldLeases.number(mark)
    var place = place(of: number)
    if words[place] == 0 {
      guard count < ToldLeases.wordCountMaximum else { return }
      if (count + 1) * 3 > words.count * 2 {
        grow()
        place = self.place(of: number)
      }
      words[place] = number &<< 32
      count += 1
    }
    words[place] |= 1 &<< UInt64(mark & 31)
  }

  @inline(never) private mutating func grow() {
    let known = words
    words = [UInt64](repeating: 0, count: max(16, known.count * 2))
    for word in known where word != 0 { words[place(of: word &>> 32)] = word }
  }
}
