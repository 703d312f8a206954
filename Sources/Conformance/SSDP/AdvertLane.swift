/// What is kept of one message of a set.
protocol AdvertSlot {
  var advert: Int32 { get }
}

/// The messages that one UUID announces at one address, in the order in which they came first.
protocol AdvertLane {
  associatedtype Slot: AdvertSlot
  var slots: [Slot] { get set }
  /// Where the last message of the set stands: most often the next one follows it.
  var cursor: Int { get set }
}

extension AdvertLane {
  /// No real device announces as many; a hostile one gets no more.
  static var slotCountMaximum: Int { 128 }

  /// The slot of this message; −1: none.
  mutating func find(_ advert: Int32) -> Int {
    let next = cursor &+ 1 < slots.count ? cursor &+ 1 : 0
    if next < slots.count, slots[next].advert == advert {
      cursor = next
      return next
    }
    guard let found = slots.firstIndex(where: { $0.advert == advert }) else { return -1 }
    cursor = found
    return found
  }
}
