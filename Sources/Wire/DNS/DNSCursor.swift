/// A place in a message that is being checked, and what checking names has to remember. It makes no values.
struct DNSCursor {
  private let bytes: DNSBytes
  private let names: DNSCheckedNames
  /// Where the first entry is written, and where the next one.
  private let entries: UnsafeMutablePointer<DNSIndex.Entry>
  private var next: UnsafeMutablePointer<DNSIndex.Entry>
  private(set) var offset = DNSMessage.headerBytes
  private var nameBytesLeft = DNSReader.nameBytesMaximum

  /// Checks with memory of the caller, which has room for as many entries as will be asked for.
  @inline(__always) init(
    _ bytes: DNSBytes, names: DNSCheckedNames, entries: UnsafeMutableBufferPointer<DNSIndex.Entry>
  ) {
    (self.bytes, self.names) = (bytes, names)
    // Nothing is written where there is no room: then no entry is asked for.
    self.entries = entries.baseAddress ?? UnsafeMutablePointer(bitPattern: 16).unsafelyUnwrapped
    next = self.entries
  }

  @inline(__always) var entryCount: Int { next - entries }

  /// Checks so many questions.
  mutating func questions(_ count: Int) throws(DNSFault) {
    for _ in 0..<count {
      let start = offset
      offset = try name(at: start, end: bytes.count, &nameBytesLeft)
      guard offset &+ 4 <= bytes.count else {
        throw DNSFault(.questionOverrun, at: bytes.count, expected: 4, found: bytes.count &- offset)
      }
      let head = UInt64(bytes.big32(offset)) &<< 32
      offset &+= 4
      next.initialize(to: DNSIndex.Entry(nameAt: start, head: head, dataAt: offset, byteCount: 0))
      next += 1
    }
  }

  /// Checks so many records. One whose data is wrong is left out, and why is added to `faults`.
  @inline(__always) mutating func records(_ count: Int, _ faults: inout [DNSFault]) throws(DNSFault) {
    // Most messages have records of one kind only: for the others there is no call.
    if count > 0 { try someRecords(count, &faults) }
  }

  @inline(never) private mutating func someRecords(_ count: Int, _ faults: inout [DNSFault]) throws(DNSFault) {
    // What changes with each record stays in registers.
    var (offset, next, left) = (self.offset, self.next, nameBytesLeft)
    for _ in 0..<count {
      let start = offset
      offset = try name(at: start, end: bytes.count, &left)
      let place = offset &+ 10
      guard place <= bytes.count else {
        throw DNSFault(.recordOverrun, at: bytes.count, expected: 10, found: bytes.count &- offset)
      }
      let (head, size) = (bytes.big64(offset), Int(bytes.big16(offset &+ 8)))
      guard place &+ size <= bytes.count else {
        throw DNSFault(.dataOverrun, at: offset &+ 8, expected: bytes.count &- place, found: size)
      }
      // Before its data is checked: then nothing of it has to be kept in registers meanwhile. A wrong one is overwritten.
      next.initialize(to: DNSIndex.Entry(nameAt: start, head: head, dataAt: place, byteCount: size))
      do throws(DNSFault) {
        try data(DNSIndex.Entry.type(ofHead: head), at: place, end: place &+ size, &left)
        next += 1
      } catch {
        guard error.reason != .nameBudget else { throw error }
        faults.append(error)
      }
      offset = place &+ size
    }
    (self.offset, self.next, nameBytesLeft) = (offset, next, left)
  }

  /// Data from `place` to `end`, which is in the message.
  @inline(__always) private func data(_ type: DNSType, at place: Int, end: Int, _ left: inout Int) throws(DNSFault) {
    switch type {
    case .a: try needs(exactly: 4, at: place, end: end)
    case .aaaa: try needs(exactly: 16, at: place, end: end)
    case .ptr, .cname: try lastName(at: place, from: place, end: end, &left)
    case .srv:
      // The shortest target is the root.
      try needs(7, at: place, end: end)
      try lastName(at: place &+ 6, from: place, end: end, &left)
    case .txt: try strings(at: place, end: end)
    case .nsec: try bitmaps(at: try name(at: place, end: end, &left), end: end)
    default: break
    }
  }

  @inline(__always) private func needs(_ count: Int, at place: Int, end: Int) throws(DNSFault) {
    guard end &- place >= count else {
      throw DNSFault(.dataLength, at: place, expected: count, found: end &- place)
    }
  }

  @inline(__always) private func needs(exactly count: Int, at place: Int, end: Int) throws(DNSFault) {
    try needs(count, at: place, end: end)
    guard end &- place == count else {
      throw DNSFault(.dataLength, at: place &+ count, expected: count, found: end &- place)
    }
  }

  /// A name that ends the data, which begins at `start`.
  @inline(__always) private func lastName(
    at place: Int, from start: Int, end: Int, _ left: inout Int
  ) throws(DNSFault) {
    let behind = try name(at: place, end: end, &left)
    guard behind == end else {
      throw DNSFault(.dataLength, at: behind, expected: behind &- start, found: end &- start)
    }
  }

  /// The strings of a TXT record, each behind its length. None at all is right, too (RFC 6763 §6.1).
  @inline(__always) private func strings(at start: Int, end: Int) throws(DNSFault) {
    var place = start
    while place < end {
      let size = Int(bytes[place])
      guard size < end &- place else {
        throw DNSFault(.textOverrun, at: place, expected: end &- place &- 1, found: size)
      }
      place &+= size &+ 1
    }
  }

  /// The windows of an NSEC record (RFC 4034 §4.1.2). Zero bytes at the end of one are no fault.
  @inline(__always) private func bitmaps(at start: Int, end: Int) throws(DNSFault) {
    var (place, leastWindow) = (start, 0)
    while place < end {
      let window = Int(bytes[place])
      guard window >= leastWindow else {
        throw DNSFault(.bitmapWindow, at: place, expected: leastWindow, found: window)
      }
      guard end &- place >= 2 else { throw DNSFault(.bitmapOverrun, at: place, expected: end &- place, found: 2) }
      let size = Int(bytes[place &+ 1])
      guard size >= 1, size <= 32 else {
        throw DNSFault(.bitmapLength, at: place &+ 1, expected: 32, found: size)
      }
      guard end &- place >= size &+ 2 else {
        throw DNSFault(.bitmapOverrun, at: place, expected: end &- place, found: size &+ 2)
      }
      place &+= size &+ 2
      leastWindow = window &+ 1
    }
  }
}

extension DNSCursor {
  /// Checks the name at `start`. What stands there, as far as the first pointer, lies before `end`.
  ///
  /// - Parameter left: what the names of the message may still take of `DNSReader.nameBytesMaximum`, in bytes.
  /// - Returns: where what stands there ends.
  @inline(__always) private func name(at start: Int, end: Int, _ left: inout Int) throws(DNSFault) -> Int {
    // What was checked before begins before this name: the pointer goes backwards.
    if start &+ 2 <= end, bytes[start] >= 0xC0, let known = names[bytes.big16(start)] {
      try DNSCursor.spend(known.spentBytes, &left, at: start)
      return start &+ 2
    }
    return try DNSCursor.labels(bytes, at: start, end: end, names, &left)
  }

  /// The same of a name that is not just a pointer to one that is known.
  @inline(never) private static func labels(
    _ bytes: DNSBytes, at start: Int, end: Int, _ names: DNSCheckedNames, _ left: inout Int
  ) throws(DNSFault) -> Int {
    let budget = left
    // The end of what stands here, the place that a pointer has to stay below, the end of what holds the labels.
    var (behind, bound, limit) = (-1, start, end)
    // `count`: the bytes of the labels up to `place`.
    var (place, count) = (start, 0)
    while true {
      guard place < limit else { throw DNSFault(.nameOverrun, at: limit, expected: 1, found: 0) }
      let size = Int(bytes[place])
      if size == 0 { break }
      if size < 64 {
        place &+= size &+ 1
        count &+= size &+ 1
        // With the root.
        guard count < DNSName.wireBytesMaximum else {
          throw DNSFault(
            .nameTooLong, at: place &- size &- 1, expected: DNSName.wireBytesMaximum, found: count &+ 1)
        }
        guard place <= limit else { throw DNSFault(.nameOverrun, at: limit, expected: size, found: 0) }
      } else if size >= 0xC0 {
        guard place &+ 1 < limit else { throw DNSFault(.nameOverrun, at: limit, expected: 1, found: 0) }
        let target = bytes.pointer(place)
        guard target >= DNSMessage.headerBytes else {
          throw DNSFault(.pointerIntoHeader, at: place, expected: DNSMessage.headerBytes, found: target)
        }
        guard target < bound else { throw DNSFault(.pointerNotBackwards, at: place, expected: bound, found: target) }
        if behind < 0 { behind = place &+ 2 }
        // One that is too long behind these labels is followed, to the label that is too much.
        if let known = names[bytes.big16(place)], count &+ known.byteCount <= DNSName.wireBytesMaximum {
          try spend(count &+ known.spentBytes, &left, at: start)
          names.keep(start, byteCount: count &+ known.byteCount, spentBytes: budget &- left)
          return behind
        }
        try spend(2, &left, at: start)
        (place, bound, limit) = (target, target, bytes.count)
      } else {
        throw DNSFault(.labelType, at: place, expected: DNSName.labelBytesMaximum, found: size)
      }
    }
    try spend(count &+ 1, &left, at: start)
    names.keep(start, byteCount: count &+ 1, spentBytes: budget &- left)
    if behind >= 0 { return behind }
    // Others end as this one does: what each of its labels begins is a name, too.
    var label = start &+ 1 &+ Int(bytes[start])
    while label < place {
      names.keep(label, byteCount: place &- label &+ 1, spentBytes: place &- label &+ 1)
      label &+= 1 &+ Int(bytes[label])
    }
    return place &+ 1
  }

  @inline(__always) private static func spend(_ count: Int, _ left: inout Int, at start: Int) throws(DNSFault) {
    left &-= count
    guard left >= 0 else {
      throw DNSFault(
        .nameBudget, at: start, expected: DNSReader.nameBytesMaximum, found: DNSReader.nameBytesMaximum &- left)
    }
  }
}

/// Names of one message that were checked: a pointer to where one of them begins need not be followed. Each has the
/// place that the lowest bits of its start say, and takes it from the one that had it before.
struct DNSCheckedNames {
  static let count = 32
  private let places: UnsafeMutablePointer<Name>

  /// In memory of the caller, which has room for `count` names.
  @inline(__always) init(_ places: UnsafeMutablePointer<Name>) {
    // No pointer is 0: its two highest bits are set.
    places.initialize(repeating: Name(pointer: 0, byteCount: 0, spentBytes: 0), count: DNSCheckedNames.count)
    self.places = places
  }

  struct Name: BitwiseCopyable {
    /// From the lowest bit: 16 bits of a pointer to it, 16 of its bytes in full, 32 of what a pointer to it takes from
    /// the budget.
    private let bits: UInt64

    @inline(__always) fileprivate init(pointer: UInt16, byteCount: Int, spentBytes: Int) {
      bits = UInt64(truncatingIfNeeded: Int(pointer) | byteCount &<< 16 | spentBytes &<< 32)
    }
    @inline(__always) fileprivate var pointer: UInt16 { UInt16(truncatingIfNeeded: bits) }
    @inline(__always) var byteCount: Int { Int(UInt16(truncatingIfNeeded: bits &>> 16)) }
    @inline(__always) var spentBytes: Int { Int(bits &>> 32) }
  }

  /// The name that a pointer leads to, as its two bytes stand in the message, if it is one of these.
  @inline(__always) subscript(pointer: UInt16) -> Name? {
    let name = places[Int(pointer) & (DNSCheckedNames.count &- 1)]
    return name.pointer == pointer ? name : nil
  }

  /// Keeps a name that took so many bytes of the budget. No pointer has room for a start from 16 384 on.
  @inline(__always) func keep(_ start: Int, byteCount: Int, spentBytes: Int) {
    guard start < 0x4000 else { return }
    let pointer = UInt16(truncatingIfNeeded: 0xC000 | start)
    places[start & (DNSCheckedNames.count &- 1)] = Name(
      pointer: pointer, byteCount: byteCount, spentBytes: spentBytes &+ 2)
  }
}
