/// Of which leases a search was told: their marks.
///
/// A lease that ends takes its mark with it, so nothing need be forgotten. It is a shortcut: what it does not know, a
/// `ServiceSet` does. Marks are given in order, so those that a search is told of lie close together: one word has a bit
/// for each of 32 marks that follow one another.
struct ToldLeases {
  /// Beyond these, leases are looked up by name.
  static let wordCountMaximum = 1 << 15

  private var words: [UInt32] = []
  /// The place of each word, by the hash of its marks.
  private var slots = SlotTable()

  /// Of the marks of one word, and of no others: the factor is odd. Numbers that follow one another are spread; in their
  /// order they would fill one row of slots, and a look-up that ends in the row would go through the rest of it.
  @inline(__always) private static func hash(_ mark: UInt32) -> UInt32 { (mark &>> 5) &* 0x9E37_79B1 }

  @inline(__always) func holds(_ mark: UInt32) -> Bool {
    let word = slots.find(ToldLeases.hash(mark)) { _ in true }
    return word != none && words[Int(word)] &>> (mark & 31) & 1 != 0
  }

  mutating func note(_ mark: UInt32) {
    var word = slots.find(ToldLeases.hash(mark)) { _ in true }
    if word == none {
      guard words.count < ToldLeases.wordCountMaximum else { return }
      word = UInt32(words.count)
      words.append(0)
      slots.insert(ToldLeases.hash(mark), word)
    }
    words[Int(word)] |= 1 &<< (mark & 31)
  }
}
