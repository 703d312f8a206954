import RollcallPrimitives

/// The messages that an intake remembers, found by a key that is made of their bytes.
///
/// The key of a message without DATE is its digest. That of a message with one is a sum in which digits do not count,
/// nor the lower halves of other bytes: what may differ most is what a DATE says. Bytes are compared in full.
struct SSDPMemory: ~Copyable {
  /// One message. Its bytes follow.
  private struct Entry {
    // What is looked at first stands first.
    var key: UInt64
    var byteCount: Int
    /// Where its DATE stands; both are 0 without one.
    var dateStart: UInt16
    var dateCount: UInt16
    /// It was heard since the hand came by.
    var wasHeard: Bool
    var hint: SSDPHint
    var index: SSDPIndex

    /// Longer messages are not remembered.
    static let byteCountMaximum = 704
    static let bytesOffset = (MemoryLayout<Entry>.size + 63) & ~63
    static let strideBytes = bytesOffset + byteCountMaximum
    /// Entries in one allocation.
    static let slabCount = 64
  }

  private let countMaximum: Int
  private var count = 0
  private var slabs: [UnsafeMutableRawPointer] = []
  /// By key: the low half of it, and the number of the entry + 1; 0: free. What does not fit its place stands behind it.
  private let places: UnsafeMutablePointer<UInt64>
  /// The messages that came lately and are not remembered, by a part of their key; 0: none.
  private let heardOnce: UnsafeMutablePointer<UInt32>
  /// How many of the entries have a DATE.
  private var datedCount = 0
  /// Where the next message is looked for that makes room.
  private var hand = 0
  private var mark: UInt32 = 0
  /// Messages that were ever remembered.
  private var learntCount: UInt64 = 0

  private static let placeCount = 8_192
  /// The most places that are looked at for a message that is to be remembered.
  private static let probesMaximum = 16

  init(_ countMaximum: Int) {
    self.countMaximum = countMaximum
    let placeCount = countMaximum > 0 ? SSDPMemory.placeCount : 0
    places = .allocate(capacity: placeCount)
    places.initialize(repeating: 0, count: placeCount)
    heardOnce = .allocate(capacity: placeCount)
    heardOnce.initialize(repeating: 0, count: placeCount)
  }

  deinit {
    for slab in slabs { slab.deallocate() }
    places.deallocate()
    heardOnce.deallocate()
  }

  /// Whether messages of this length are remembered: sums are made of whole lanes.
  @inline(__always) func takes(_ byteCount: Int) -> Bool {
    countMaximum > 0 && byteCount >= Digest.laneBytes && byteCount <= Entry.byteCountMaximum
  }

  mutating func nextMark() -> UInt32 {
    if mark == .max { return 0 }
    mark &+= 1
    return mark
  }

  // MARK: Recognising

  /// The message of a payload that `takes` its length; the second time by the note that the first time left beside it.
  ///
  /// - Parameter withoutDigits: where there is none, the sum that `learn` asks for if it was made, or else 0.
  mutating func recognise(
    _ payload: Payload, in store: PayloadStore, _ withoutDigits: inout UInt64
  ) -> SSDPMessage? {
    let (bytes, note) = (store.bytes(of: payload), store.note(of: payload))
    if note.kind == SSDPMemory.noteKind {
      let noted = note.memory.load(as: Noted.self)
      if noted.places == places, noted.learntCount == learntCount { return message(entry(noted.number), bytes) }
    }
    guard let number = number(of: payload, bytes, in: store, &withoutDigits) else { return nil }
    // Where a reader left its index, others may still need it.
    if note.kind == 0 {
      note.memory.storeBytes(of: Noted(places: places, learntCount: learntCount, number: number), as: Noted.self)
      store.setNoteKind(SSDPMemory.noteKind, of: payload)
    }
    return message(entry(number), bytes)
  }

  /// What stands beside a payload that was recognised: by which memory, and as what.
  private struct Noted {
    var places: UnsafeMutablePointer<UInt64>
    /// Nothing was learnt since, so the entry is what it was.
    var learntCount: UInt64
    var number: Int
  }
  private static let noteKind: UInt32 = 0x5353_4430

  @inline(__always)
  private func number(
    of payload: Payload, _ bytes: UnsafeRawBufferPointer, in store: PayloadStore, _ withoutDigits: inout UInt64
  ) -> Int? {
    if count > datedCount, let known = find(store.digest(of: payload), bytes) { return known }
    if datedCount == 0 { return nil }
    withoutDigits = SSDPMemory.sumWithoutDigits(bytes)
    return find(withoutDigits, bytes)
  }

  @inline(__always)
  private func find(_ key: UInt64, _ bytes: UnsafeRawBufferPointer) -> Int? {
    var place = SSDPMemory.home(key)
    while places[place] != 0 {
      if places[place] &>> 32 == key & 0xFFFF_FFFF {
        let number = self.number(at: place)
        if entry(number).pointee.key == key, SSDPMemory.isSame(entry(number), bytes) {
          entry(number).pointee.wasHeard = true
          return number
        }
      }
      place = SSDPMemory.after(place)
    }
    return nil
  }

  /// Whether these bytes are those of the entry, or differ from them in a DATE that its reader would take.
  private static func isSame(_ entry: UnsafeMutablePointer<Entry>, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard entry.pointee.byteCount == bytes.count, let base = bytes.baseAddress else { return false }
    let known = UnsafeRawPointer(SSDPMemory.bytes(of: entry))
    let date = Int(entry.pointee.dateStart)..<(Int(entry.pointee.dateStart) &+ Int(entry.pointee.dateCount))
    let end = date.upperBound
    return isEqual(base + end, known + end, bytes.count &- end) && isEqual(base, known, date.lowerBound)
      && (date.isEmpty || isDate(UnsafeRawBufferPointer(rebasing: bytes[date])))
  }

  /// Whether a DATE of the same length leaves every field where it stood: printable ASCII, no blank at its ends.
  private static func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // A carry into another byte comes only from one that is odd.
    bytes.first != 0x20 && bytes.last != 0x20
      && bytes.isFree { word in word | (word &+ 0x0101_0101_0101_0101) | (word &- 0x2020_2020_2020_2020) }
  }

  // MARK: Learning

  /// Remembers a message that comes for the second time, and gives it a place for a hint.
  ///
  /// - Parameter withoutDigits: what `recognise` left there.
  mutating func learn(
    _ message: SSDPMessage, of payload: Payload, in store: PayloadStore, _ withoutDigits: UInt64
  ) -> SSDPMessage {
    let date = message.range(of: .date) ?? 0..<0
    let key: UInt64
    if date.isEmpty {
      key = store.digest(of: payload)
    } else {
      key = withoutDigits != 0 ? withoutDigits : SSDPMemory.sumWithoutDigits(message.bytes)
    }
    var place = SSDPMemory.home(key)
    let stranger = UInt32(truncatingIfNeeded: key) | 1
    if heardOnce[place] != stranger {
      heardOnce[place] = stranger
      return message
    }
    var probes = 0
    while places[place] != 0 {
      place = SSDPMemory.after(place)
      probes += 1
    }
    // Messages of a sender that makes keys meet on purpose are not remembered.
    if probes >= SSDPMemory.probesMaximum { return message }
    let isFull = count == countMaximum
    let number = isFull ? makeRoom() : grow()
    // The message that made room may have stood before this place.
    if isFull {
      place = SSDPMemory.home(key)
      while places[place] != 0 { place = SSDPMemory.after(place) }
    }
    places[place] = key &<< 32 | UInt64(number + 1)
    let entry = entry(number)
    entry.pointee.key = key
    entry.pointee.byteCount = message.bytes.count
    entry.pointee.dateStart = UInt16(truncatingIfNeeded: date.isEmpty ? 0 : date.lowerBound)
    entry.pointee.dateCount = UInt16(truncatingIfNeeded: date.count)
    entry.pointee.wasHeard = false
    entry.pointee.hint = SSDPHint()
    withUnsafeMutablePointer(to: &entry.pointee.index) { $0.update(from: message.index, count: 1) }
    UnsafeMutableRawBufferPointer(start: SSDPMemory.bytes(of: entry), count: message.bytes.count)
      .copyMemory(from: message.bytes)
    if !date.isEmpty { datedCount += 1 }
    learntCount += 1
    return self.message(entry, message.bytes)
  }

  /// The number of a new entry.
  private mutating func grow() -> Int {
    if count == slabs.count * Entry.slabCount {
      slabs.append(.allocate(byteCount: Entry.slabCount * Entry.strideBytes, alignment: 64))
    }
    count += 1
    return count - 1
  }

  /// Forgets a message, rather one that was not heard for a while; its number.
  private mutating func makeRoom() -> Int {
    while true {
      let number = hand
      hand = hand + 1 == count ? 0 : hand + 1
      let entry = entry(number)
      if entry.pointee.wasHeard {
        entry.pointee.wasHeard = false
        continue
      }
      unlink(number)
      if entry.pointee.dateCount > 0 { datedCount -= 1 }
      return number
    }
  }

  /// Takes an entry out of its place; those behind it move up, unless that would put them before their home.
  private func unlink(_ number: Int) {
    var hole = SSDPMemory.home(entry(number).pointee.key)
    while UInt32(truncatingIfNeeded: places[hole]) != UInt32(number + 1) { hole = SSDPMemory.after(hole) }
    let mask = SSDPMemory.placeCount &- 1
    var next = SSDPMemory.after(hole)
    while places[next] != 0 {
      let home = SSDPMemory.home(entry(self.number(at: next)).pointee.key)
      if (next &- home) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = SSDPMemory.after(next)
    }
    places[hole] = 0
  }

  // MARK: Places

  @inline(__always) private func entry(_ number: Int) -> UnsafeMutablePointer<Entry> {
    (slabs[number / Entry.slabCount] + number % Entry.slabCount * Entry.strideBytes)
      .assumingMemoryBound(to: Entry.self)
  }

  @inline(__always) private func number(at place: Int) -> Int { Int(places[place] & 0xFFFF_FFFF) - 1 }

  @inline(__always)
  private static func bytes(of entry: UnsafeMutablePointer<Entry>) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(entry) + Entry.bytesOffset
  }

  /// The message with its own bytes and what is remembered of it.
  @inline(__always)
  private func message(_ entry: UnsafeMutablePointer<Entry>, _ bytes: UnsafeRawBufferPointer) -> SSDPMessage {
    SSDPMessage(
      bytes: bytes, index: withUnsafePointer(to: &entry.pointee.index) { $0 },
      memory: withUnsafeMutablePointer(to: &entry.pointee.hint) { $0 })
  }

  private static func sumWithoutDigits(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    Digest.sum(bytes, mask: 0xF0F0_F0F0_F0F0_F0F0)
  }

  /// Whether two runs of any length are the same.
  @inline(__always)
  private static func isEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    guard count >= Digest.laneBytes else {
      return (0..<count).allSatisfy {
        left.load(fromByteOffset: $0, as: UInt8.self) == right.load(fromByteOffset: $0, as: UInt8.self)
      }
    }
    // The last lane overlaps the one before, so that no byte past the end is read.
    var other = difference(left, right, count &- Digest.laneBytes)
    var more = SIMD2<UInt64>.zero
    var offset = 0
    while offset &+ 2 &* Digest.laneBytes <= count {
      other |= difference(left, right, offset)
      more |= difference(left, right, offset &+ Digest.laneBytes)
      offset &+= 2 &* Digest.laneBytes
    }
    if offset &+ Digest.laneBytes <= count { more |= difference(left, right, offset) }
    other |= more
    return other[0] | other[1] == 0
  }

  @inline(__always)
  private static func difference(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ offset: Int
  ) -> SIMD2<UInt64> {
    left.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
      ^ right.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
  }

  /// The place where what has this key stands, or behind which it stands.
  @inline(__always) private static func home(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key &>> 51) }
  @inline(__always) private static func after(_ place: Int) -> Int { (place &+ 1) & (placeCount &- 1) }
}
