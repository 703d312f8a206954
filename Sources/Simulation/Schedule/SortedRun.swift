/// Entries of one bucket, in order: filled from the last chunk to the first, sorted once, and then taken one by one.
///
/// A few are sorted by insertion. Some are put into 128 places by the highest of the eighteen bits in which times of one
/// bucket differ, and then sorted by insertion, which moves each past one or two. Many are put into places by nine bits
/// at a time, the lower ones first, so that no times, however close, take long. Entries are filled in by sequence, and
/// what is equal stays in the order that it has.
struct SortedRun: ~Copyable {
  /// Times of one bucket are equal above so many bits.
  static let timeBits = 18
  private static let digitBits: Int64 = 9
  private static let digitCount = 1 << 9
  private static let placeShift: Int64 = 11
  private static let placeCount = 1 << 7
  /// So many are sorted by insertion alone.
  private static let insertedMaximum = 24
  /// So many are put into places before.
  private static let placedMaximum = 512

  private var entries: UnsafeMutablePointer<QueueEntry>
  private var spare: UnsafeMutablePointer<QueueEntry>
  private var capacity: Int
  /// The entries are those from here to the end of the memory.
  private var start: Int
  /// How often each value of the lower digit occurs, then of the higher one.
  private let counts: UnsafeMutablePointer<UInt32>

  init(capacity: Int) {
    (self.capacity, start) = (capacity, capacity)
    entries = .allocate(capacity: capacity)
    spare = .allocate(capacity: capacity)
    counts = .allocate(capacity: 2 * SortedRun.digitCount)
  }

  deinit {
    entries.deallocate()
    spare.deallocate()
    counts.deallocate()
  }

  @inline(__always) var isEmpty: Bool { start == capacity }
  @inline(__always) var count: Int { capacity &- start }
  /// - Precondition: there is one.
  @inline(__always) var first: QueueEntry { entries[start] }
  @inline(__always) var all: UnsafeBufferPointer<QueueEntry> {
    UnsafeBufferPointer(start: entries + start, count: count)
  }

  /// Takes the first entry.
  /// - Precondition: there is one.
  @inline(__always) mutating func pop() -> QueueEntry {
    start &+= 1
    return entries[start &- 1]
  }

  /// Puts entries in front of all others, before `sort`.
  @inline(__always) mutating func prepend(_ some: UnsafeMutablePointer<QueueEntry>, _ number: Int) {
    if start < number { grow(by: number) }
    start &-= number
    var place = 0
    while place < number {
      entries[start &+ place] = some[place]
      place &+= 1
    }
  }

  @inline(never) private mutating func grow(by number: Int) {
    let count = count
    let larger = max(2 * capacity, count + number)
    let memory = UnsafeMutablePointer<QueueEntry>.allocate(capacity: larger)
    (memory + (larger - count)).update(from: entries + start, count: count)
    entries.deallocate()
    spare.deallocate()
    (entries, spare) = (memory, .allocate(capacity: larger))
    (capacity, start) = (larger, larger - count)
  }

  @inline(__always) mutating func sort() {
    if count > SortedRun.placedMaximum { return sortByDigits() }
    if count > SortedRun.insertedMaximum { distributeByPlace() }
    var place = start &+ 1
    while place < capacity {
      let entry = entries[place]
      var free = place
      while free > start, entry < entries[free &- 1] {
        entries[free] = entries[free &- 1]
        free &-= 1
      }
      entries[free] = entry
      place &+= 1
    }
  }

  @inline(never) private mutating func distributeByPlace() {
    counts.update(repeating: 0, count: SortedRun.placeCount)
    for entry in all { counts[SortedRun.place(of: entry)] &+= 1 }
    SortedRun.sumUp(counts, SortedRun.placeCount)
    let target = spare + start
    for entry in all {
      let place = SortedRun.place(of: entry)
      target[Int(truncatingIfNeeded: counts[place])] = entry
      counts[place] &+= 1
    }
    swap(&entries, &spare)
  }

  @inline(__always) private static func place(of entry: QueueEntry) -> Int {
    Int(truncatingIfNeeded: entry.time &>> placeShift) & (placeCount &- 1)
  }

  /// Numbers of entries become the places where they begin.
  @inline(__always) private static func sumUp(_ counts: UnsafeMutablePointer<UInt32>, _ number: Int) {
    var sum: UInt32 = 0
    for value in 0..<number { (counts[value], sum) = (sum, sum &+ counts[value]) }
  }

  @inline(never) private mutating func sortByDigits() {
    let (lower, higher) = (counts, counts + SortedRun.digitCount)
    lower.update(repeating: 0, count: 2 * SortedRun.digitCount)
    var isSorted = true
    var before = entries[start].time
    for entry in all {
      isSorted = isSorted && before <= entry.time
      before = entry.time
      lower[SortedRun.digit(entry.time, 0)] &+= 1
      higher[SortedRun.digit(entry.time, SortedRun.digitBits)] &+= 1
    }
    if isSorted { return }
    SortedRun.sumUp(lower, SortedRun.digitCount)
    SortedRun.sumUp(higher, SortedRun.digitCount)
    SortedRun.distribute(entries + start, count, to: spare, by: 0, lower)
    SortedRun.distribute(spare, count, to: entries + start, by: SortedRun.digitBits, higher)
  }

  @inline(__always) private static func distribute(
    _ source: UnsafeMutablePointer<QueueEntry>, _ count: Int, to target: UnsafeMutablePointer<QueueEntry>,
    by shift: Int64, _ places: UnsafeMutablePointer<UInt32>
  ) {
    for number in 0..<count {
      let entry = source[number]
      let value = digit(entry.time, shift)
      target[Int(truncatingIfNeeded: places[value])] = entry
      places[value] &+= 1
    }
  }

  @inline(__always) private static func digit(_ time: Int64, _ shift: Int64) -> Int {
    Int(truncatingIfNeeded: time &>> shift) & (digitCount &- 1)
  }
}
