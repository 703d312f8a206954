/// Entries of one bucket, in order: filled from the last chunk to the first, sorted once, and then taken one by one.
///
/// A few are sorted by insertion. Some are put into 128 places by the highest of the eighteen bits in which times of one
/// bucket differ, and then sorted by insertion, which moves each past one or two. Many are put into places by nine bits
/// at a time, the lower ones first, so that no times, however close, take long. Entries are filled in by sequence, and
/// what is equal stays in the order that it has.
struct SortedRun: ~Copyable {
  /// Times of one bucket are equal above so many bits.
  static let timeBits = 18
  private static let digitBits = timeBits / 2
  private static let digitCount = 1 << digitBits
  private static let placeBits = 7
  private static let placeCount = 1 << placeBits
  /// The highest of the bits say the place.
  private static let placeShift = Int64(timeBits - placeBits)
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
    let (shift, placeCount) = (SortedRun.placeShift, SortedRun.placeCount)
    for entry in all { counts[SortedRun.bits(of: entry, shift, placeCount)] &+= 1 }
    SortedRun.sumUp(counts, placeCount)
    SortedRun.distribute(entries + start, count, to: spare + start, by: shift, placeCount, counts)
    swap(&entries, &spare)
  }

  /// Numbers of entries become the places where they begin.
  @inline(__always) private static func sumUp(_ counts: UnsafeMutablePointer<UInt32>, _ number: Int) {
    var sum: UInt32 = 0
    for value in 0..<number { (counts[value], sum) = (sum, sum &+ counts[value]) }
  }

  @inline(never) private mutating func sortByDigits() {
    let digitCount = SortedRun.digitCount
    let (lower, higher, higherShift) = (counts, counts + digitCount, Int64(SortedRun.digitBits))
    lower.update(repeating: 0, count: 2 * digitCount)
    var isSorted = true
    var before = entries[start].time
    for entry in all {
      isSorted = isSorted && before <= entry.time
      before = entry.time
      lower[SortedRun.bits(of: entry, 0, digitCount)] &+= 1
      higher[SortedRun.bits(of: entry, higherShift, digitCount)] &+= 1
    }
    if isSorted { return }
    SortedRun.sumUp(lower, digitCount)
    SortedRun.sumUp(higher, digitCount)
    SortedRun.distribute(entries + start, count, to: spare, by: 0, digitCount, lower)
    SortedRun.distribute(spare, count, to: entries + start, by: higherShift, digitCount, higher)
  }

  /// Puts each entry into the next free place for its bits, from the first entry on.
  @inline(__always) private static func distribute(
    _ source: UnsafeMutablePointer<QueueEntry>, _ count: Int, to target: UnsafeMutablePointer<QueueEntry>,
    by shift: Int64, _ valueCount: Int, _ places: UnsafeMutablePointer<UInt32>
  ) {
    for number in 0..<count {
      let entry = source[number]
      let value = bits(of: entry, shift, valueCount)
      target[Int(truncatingIfNeeded: places[value])] = entry
      places[value] &+= 1
    }
  }

  /// Bits of the time: so many values, a power of two.
  @inline(__always) private static func bits(of entry: QueueEntry, _ shift: Int64, _ valueCount: Int) -> Int {
    Int(truncatingIfNeeded: entry.time &>> shift) & (valueCount &- 1)
  }
}
