/// A place in a message that is being checked, and what checking names has to remember. It makes no values.
struct DNSCursor {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = DNSMessage.headerBytes
  private var nameBytesLeft = DNSReader.nameBytesMaximum
  /// The first names that were checked, of which `nameCount` are there: a pointer to where one of them begins need not
  /// be followed.
  private let names: UnsafeMutableBufferPointer<CheckedName>
  private var nameCount = 0
  /// The place of the name that a pointer led to last.
  private var lastPlace = 0
  static let namesMaximum = 24

  struct CheckedName: BitwiseCopyable {
    fileprivate var start: Int
    /// In full.
    fileprivate var byteCount: Int
    /// What it took of the budget.
    fileprivate var spentBytes: Int
  }

  /// Checks with memory of the caller: room for `namesMaximum` names.
  init(_ bytes: UnsafeRawBufferPointer, names: UnsafeMutableBufferPointer<CheckedName>) {
    (self.bytes, self.names) = (bytes, names)
  }

  mutating func questions(_ count: Int, into entries: inout [DNSIndex.Entry]) throws(DNSFault) {
    for _ in 0..<count {
      let start = offset
      try name(end: bytes.count)
      guard offset &+ 4 <= bytes.count else {
        throw DNSFault(.questionOverrun, at: bytes.count, expected: 4, found: bytes.count &- offset)
      }
      let (type, rawClass) = (DNSType(rawValue: bytes.big16(offset)), bytes.big16(offset &+ 2))
      offset &+= 4
      entries.append(
        DNSIndex.Entry(nameAt: start, type, rawClass: rawClass, ttlSeconds: 0, dataAt: offset, byteCount: 0))
    }
  }

  /// Checks so many records. One whose data is wrong is left out, and why is added to `faults`.
  mutating func records(
    _ count: Int, into entries: inout [DNSIndex.Entry], _ faults: inout [DNSFault]
  ) throws(DNSFault) {
    for _ in 0..<count {
      let start = offset
      try name(end: bytes.count)
      guard offset &+ 10 <= bytes.count else {
        throw DNSFault(.recordOverrun, at: bytes.count, expected: 10, found: bytes.count &- offset)
      }
      let (type, rawClass) = (DNSType(rawValue: bytes.big16(offset)), bytes.big16(offset &+ 2))
      let (ttl, size) = (bytes.big32(offset &+ 4), Int(bytes.big16(offset &+ 8)))
      guard offset &+ 10 &+ size <= bytes.count else {
        throw DNSFault(.dataOverrun, at: offset &+ 8, expected: bytes.count &- offset &- 10, found: size)
      }
      offset &+= 10
      let (place, end) = (offset, offset &+ size)
      do throws(DNSFault) {
        try data(type, end: end)
        entries.append(
          DNSIndex.Entry(nameAt: start, type, rawClass: rawClass, ttlSeconds: ttl, dataAt: place, byteCount: size))
      } catch {
        guard error.reason != .nameBudget else { throw error }
        faults.append(error)
      }
      offset = end
    }
  }

  /// Data from `offset` to `end`, which is in the message. Where the cursor stands afterwards does not matter.
  @inline(__always) private mutating func data(_ type: DNSType, end: Int) throws(DNSFault) {
    switch type {
    case .a: try needs(exactly: 4, end: end)
    case .aaaa: try needs(exactly: 16, end: end)
    case .ptr, .cname: try lastName(from: offset, end: end)
    case .srv:
      // The shortest target is the root.
      try needs(7, end: end)
      let start = offset
      offset &+= 6
      try lastName(from: start, end: end)
    case .txt: try strings(end: end)
    case .nsec:
      try name(end: end)
      try bitmaps(end: end)
    default: break
    }
  }

  private func needs(_ count: Int, end: Int) throws(DNSFault) {
    guard end &- offset >= count else {
      throw DNSFault(.dataLength, at: offset, expected: count, found: end &- offset)
    }
  }

  private func needs(exactly count: Int, end: Int) throws(DNSFault) {
    try needs(count, end: end)
    guard end &- offset == count else {
      throw DNSFault(.dataLength, at: offset &+ count, expected: count, found: end &- offset)
    }
  }

  /// A name that ends the data, which begins at `start`.
  private mutating func lastName(from start: Int, end: Int) throws(DNSFault) {
    try name(end: end)
    guard offset == end else {
      throw DNSFault(.dataLength, at: offset, expected: offset &- start, found: end &- start)
    }
  }

  /// The strings of a TXT record, each behind its length. None at all is right, too (RFC 6763 §6.1).
  private func strings(end: Int) throws(DNSFault) {
    var place = offset
    while place < end {
      let size = Int(bytes[place])
      guard size < end &- place else {
        throw DNSFault(.textOverrun, at: place, expected: end &- place &- 1, found: size)
      }
      place &+= size &+ 1
    }
  }

  /// The windows of an NSEC record (RFC 4034 §4.1.2). Zero bytes at the end of one are no fault.
  private func bitmaps(end: Int) throws(DNSFault) {
    var (place, leastWindow) = (offset, 0)
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
  /// The place in `names` of the one that begins at `start`.
  @inline(__always) private mutating func place(ofNameAt start: Int) -> Int? {
    // Records in a row have one owner, and instances of one type end alike; else most point to one of the last.
    if lastPlace < nameCount, names[lastPlace].start == start { return lastPlace }
    var index = nameCount &- 1
    while index >= 0, names[index].start != start { index &-= 1 }
    if index < 0 { return nil }
    lastPlace = index
    return index
  }

  /// Checks the name at the cursor, which goes behind it. What stands there, as far as the first pointer, lies before
  /// `end`.
  private mutating func name(end: Int) throws(DNSFault) {
    let start = offset
    // What was checked before begins before this name: the pointer goes backwards.
    if start &+ 2 <= end, bytes[start] >= 0xC0, let known = place(ofNameAt: bytes.pointer(start)) {
      try spend(names[known].spentBytes &+ 2, at: start)
      offset = start &+ 2
      return
    }
    let budget = nameBytesLeft
    // The end of what stands here, the place that a pointer has to stay below, the end of what holds the labels.
    var (behind, bound, limit) = (-1, start, end)
    // `count`: the bytes of the labels up to `place`.
    var (place, count) = (start, 0)
    while true {
      guard place < limit else { throw DNSFault(.nameOverrun, at: limit, expected: 1, found: 0) }
      let size = Int(bytes[place])
      if size == 0 { break }
      if size < 64 {
        // With the root.
        let total = count &+ size &+ 2
        guard total <= DNSName.wireBytesMaximum else {
          throw DNSFault(.nameTooLong, at: place, expected: DNSName.wireBytesMaximum, found: total)
        }
        guard place &+ size < limit else { throw DNSFault(.nameOverrun, at: limit, expected: size, found: 0) }
        place &+= size &+ 1
        count &+= size &+ 1
      } else if size >= 0xC0 {
        guard place &+ 1 < limit else { throw DNSFault(.nameOverrun, at: limit, expected: 1, found: 0) }
        let target = bytes.pointer(place)
        guard target >= DNSMessage.headerBytes else {
          throw DNSFault(.pointerIntoHeader, at: place, expected: DNSMessage.headerBytes, found: target)
        }
        guard target < bound else { throw DNSFault(.pointerNotBackwards, at: place, expected: bound, found: target) }
        try spend(2, at: start)
        if behind < 0 { behind = place &+ 2 }
        // One that is too long behind these labels is followed, to the label that is too much.
        if let known = self.place(ofNameAt: target), count &+ names[known].byteCount <= DNSName.wireBytesMaximum {
          try spend(count &+ names[known].spentBytes, at: start)
          offset = behind
          return remember(start, byteCount: count &+ names[known].byteCount, spentBytes: budget &- nameBytesLeft)
        }
        (place, bound, limit) = (target, target, bytes.count)
      } else {
        throw DNSFault(.labelType, at: place, expected: DNSName.labelBytesMaximum, found: size)
      }
    }
    try spend(count &+ 1, at: start)
    offset = behind < 0 ? place &+ 1 : behind
    remember(start, byteCount: count &+ 1, spentBytes: budget &- nameBytesLeft)
  }

  @inline(__always) private mutating func remember(_ start: Int, byteCount: Int, spentBytes: Int) {
    if nameCount == DNSCursor.namesMaximum { return }
    names.initializeElement(at: nameCount, to: CheckedName(start: start, byteCount: byteCount, spentBytes: spentBytes))
    nameCount &+= 1
  }

  @inline(__always) private mutating func spend(_ count: Int, at start: Int) throws(DNSFault) {
    nameBytesLeft &-= count
    guard nameBytesLeft >= 0 else {
      throw DNSFault(
        .nameBudget, at: start, expected: DNSReader.nameBytesMaximum,
        found: DNSReader.nameBytesMaximum &- nameBytesLeft)
    }
  }
}
