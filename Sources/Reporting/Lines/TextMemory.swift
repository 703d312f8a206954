import RollcallPrimitives

/// Text as it is being written: bytes in memory of its own, which grows.
///
/// A line has some thirty pieces, and to append one to an array costs more than to write it. A caller that knows how
/// much comes makes room for all of it once, and then puts the pieces there.
struct TextMemory: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) { (base, self.capacity) = (.allocate(capacity: capacity), capacity) }

  deinit { base.deallocate() }

  mutating func removeAll() { count = 0 }

  /// What was written.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Makes room for so many bytes more.
  @inline(__always) mutating func reserve(_ more: Int) { if capacity &- count < more { grow(more) } }

  @inline(never) private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
  }

  // MARK: Where there may be no room

  @inline(__always) mutating func append(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    put(text)
  }
  @inline(__always) mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    put(bytes)
  }
  mutating func append(byte: UInt8) {
    reserve(1)
    put(byte)
  }
  mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }
  mutating func append(_ number: UInt64) {
    reserve(20)
    put(number)
  }

  // MARK: Where there is room: the caller made it, which a debug build checks

  @inline(__always) mutating func put(_ byte: UInt8) {
    assert(count < capacity)
    base[count] = byte
    count &+= 1
  }
  @inline(__always) mutating func put(_ text: StaticString) {
    assert(text.utf8CodeUnitCount <= capacity - count)
    (base + count).initialize(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count &+= text.utf8CodeUnitCount
  }
  @inline(__always) mutating func put(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    assert(bytes.count <= capacity - count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
    count &+= bytes.count
  }

  /// At most 20 bytes.
  mutating func put(_ number: UInt64) {
    var length = 1
    var limit: UInt64 = 10
    while number >= limit {
      length &+= 1
      if length == 20 { break }
      limit &*= 10
    }
    count &+= length
    assert(count <= capacity)
    put(number, before: base + count)
  }

  /// Seconds with nine decimals, of an instant that is not before zero: at most 21 bytes.
  mutating func put(_ time: Instant) {
    let (seconds, fraction) = UInt64(time.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    put(seconds)
    // The leading 1 keeps the zeros, and gives its place to the point.
    let point = count
    count &+= 10
    assert(count <= capacity)
    put(fraction &+ 1_000_000_000, before: base + count)
    base[point] = UInt8(ascii: ".")
  }

  /// Writes a number into the bytes that end before `end`.
  @inline(__always) private func put(_ number: UInt64, before end: UnsafeMutablePointer<UInt8>) {
    var (rest, place) = (number, end)
    while rest >= 100 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      place -= 2
      UnsafeMutableRawPointer(place).storeBytes(of: TextMemory.pair(pair), as: UInt16.self)
      rest = quotient
    }
    if rest >= 10 {
      UnsafeMutableRawPointer(place - 2).storeBytes(of: TextMemory.pair(rest), as: UInt16.self)
    } else {
      place[-1] = 48 &+ UInt8(truncatingIfNeeded: rest)
    }
  }

  /// Two digits as they stand in memory.
  @inline(__always) private static func pair(_ number: UInt64) -> UInt16 {
    let tens = number / 10
    return UInt16(truncatingIfNeeded: 0x3030 &+ tens &+ (number &- tens &* 10) &<< 8).littleEndian
  }
}
