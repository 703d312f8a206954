import RollcallPrimitives

/// A heap of record numbers by instant, each at most once, that knows where each stands.
///
/// The heap need not be told of a deadline that is postponed: an entry that comes up early is put back with its real
/// key. So a refresh is one store in the record, and the heap holds exactly one entry a record. Ties go by number.
struct DeadlineHeap {
  private struct Item: BitwiseCopyable {
    var key: Instant
    var record: UInt32
    static func < (left: Item, right: Item) -> Bool {
      left.key < right.key || left.key == right.key && left.record < right.record
    }
  }
  private var items: [Item] = []
  /// Where each record stands in `items`; `none` for one that does not.
  private var places: [UInt32] = []

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  var first: (key: Instant, record: UInt32)? { items.first.map { ($0.key, $0.record) } }
  @inline(__always) var firstKey: Instant { items.isEmpty ? .never : items[0].key }

  func contains(_ record: UInt32) -> Bool { Int(record) < places.count && places[Int(record)] != none }

  /// Makes room for `count` records, whose numbers are below it.
  mutating func reserve(_ count: Int) {
    items.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// Puts a record in, or moves it to another key.
  mutating func set(_ record: UInt32, _ key: Instant) {
    while places.count <= Int(record) { places.append(none) }
    let item = Item(key: key, record: record)
    let place = places[Int(record)]
    if place == none {
      // Mostly the new one is the last: it stays where it is put.
      let last = items.count
      places[Int(record)] = UInt32(truncatingIfNeeded: last)
      items.append(item)
      if last > 0, item < items[(last - 1) / 4] { rise(last, item) }
    } else {
      settle(Int(place), item)
    }
  }

  mutating func remove(_ record: UInt32) {
    guard contains(record) else { return }
    let place = Int(places[Int(record)])
    places[Int(record)] = none
    let last = items.removeLast()
    if place < items.count { settle(place, last) }
  }

  private mutating func settle(_ place: Int, _ item: Item) {
    if place > 0, item < items[(place - 1) / 4] { rise(place, item) } else { sink(place, item) }
  }

  private mutating func rise(_ start: Int, _ item: Item) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 4
      guard item < items[parent] else { break }
      put(items[parent], place)
      place = parent
    }
    put(item, place)
  }

  private mutating func sink(_ start: Int, _ item: Item) {
    var place = start
    while true {
      let firstChild = place * 4 + 1
      if firstChild >= items.count { break }
      var least = firstChild
      for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, items.count))
      where items[child] < items[least] {
        least = child
      }
      guard items[least] < item else { break }
      put(items[least], place)
      place = least
    }
    put(item, place)
  }

  @inline(__always) private mutating func put(_ item: Item, _ place: Int) {
    items[place] = item
    places[Int(item.record)] = UInt32(truncatingIfNeeded: place)
  }
}
