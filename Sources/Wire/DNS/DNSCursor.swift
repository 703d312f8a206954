import RollcallPrimitives

/// A place in a message, and what reading names has to remember.
struct DNSCursor {
  private let bytes: UnsafeRawBufferPointer
  /// 256 bytes for the labels of a name before its last pointer.
  private let scratch: UnsafeMutableRawBufferPointer
  private(set) var offset = DNSMessage.headerBytes
  private var nameBytesLeft = DNSReader.nameBytesMaximum
  /// The first names that were read, of which `nameCount` are there: a name that is a pointer to where one of them
  /// begins is the same value, and one that ends with such a pointer ends with its bytes.
  private let names: UnsafeMutableBufferPointer<ReadName>
  private var nameCount = 0
  /// The place of the name that a pointer led to last.
  private var lastPlace = 0
  static let namesMaximum = 24
  static let scratchBytes = 256

  struct ReadName {
    fileprivate var start: Int
    /// What it took of the budget.
    fileprivate var spentBytes: Int
    fileprivate var name: DNSName
  }

  /// Reads with memory of the caller: `scratchBytes` bytes, and room for `namesMaximum` names, which `forgetNames` has
  /// to take out before that memory goes.
  init(
    _ bytes: UnsafeRawBufferPointer, scratch: UnsafeMutableRawBufferPointer,
    names: UnsafeMutableBufferPointer<ReadName>
  ) {
    (self.bytes, self.scratch, self.names) = (bytes, scratch, names)
  }

  mutating func forgetNames() {
    names[..<nameCount].deinitialize()
    (nameCount, lastPlace) = (0, 0)
  }

  @inline(__always) private func copy(_ start: Int, _ end: Int) -> [UInt8] {
    Array(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
  }

  /// The caller has checked that both bytes are there.
  @inline(__always) func big16(_ offset: Int) -> UInt16 {
    UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always) private func big32(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always) private func big64(_ offset: Int) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func question() throws(DNSFault) -> DNSQuestion {
    let name = try name(end: bytes.count)
    guard offset &+ 4 <= bytes.count else {
      throw DNSFault(.questionOverrun, at: bytes.count, expected: 4, found: bytes.count &- offset)
    }
    let (type, rawClass) = (big16(offset), big16(offset &+ 2))
    offset &+= 4
    return DNSQuestion(
      name, DNSType(rawValue: type), questionClass: DNSClass(rawValue: rawClass & ~DNSClass.topBit),
      wantsUnicast: rawClass & DNSClass.topBit != 0)
  }

  /// Reads so many records. One whose data is wrong is left out, and why is added to `faults`.
  mutating func records(
    _ count: Int, into records: inout [DNSRecord], _ faults: inout [DNSFault]
  ) throws(DNSFault) {
    if count == 0 { return }
    records.reserveCapacity(count)
    for _ in 0..<count {
      let name = try name(end: bytes.count)
      guard offset &+ 10 <= bytes.count else {
        throw DNSFault(.recordOverrun, at: bytes.count, expected: 10, found: bytes.count &- offset)
      }
      let (type, rawClass) = (DNSType(rawValue: big16(offset)), big16(offset &+ 2))
      let (ttl, size) = (big32(offset &+ 4), Int(big16(offset &+ 8)))
      guard offset &+ 10 &+ size <= bytes.count else {
        throw DNSFault(.dataOverrun, at: offset &+ 8, expected: bytes.count &- offset &- 10, found: size)
      }
      offset &+= 10
      let end = offset &+ size
      do throws(DNSFault) {
        let data = try data(type, end: end)
        let hasTopBit = type != .opt && rawClass & DNSClass.topBit != 0
        records.append(
          DNSRecord(
            name, data, ttlSeconds: ttl, isCacheFlush: hasTopBit,
            recordClass: DNSClass(rawValue: hasTopBit ? rawClass & ~DNSClass.topBit : rawClass)))
      } catch {
        guard error.reason != .nameBudget else { throw error }
        faults.append(error)
      }
      offset = end
    }
  }

  /// Data from `offset` to `end`, which is in the message. Where the cursor stands afterwards does not matter.
  @inline(__always) private mutating func data(_ type: DNSType, end: Int) throws(DNSFault) -> DNSData {
    switch type {
    case .a:
      try needs(exactly: 4, end: end)
      return .address(IPAddress(v4: big32(offset)))
    case .aaaa:
      try needs(exactly: 16, end: end)
      return .address(IPAddress(v6High: big64(offset), low: big64(offset &+ 8)))
    case .ptr: return .ptr(try lastName(from: offset, end: end))
    case .cname: return .cname(try lastName(from: offset, end: end))
    case .srv:
      // The shortest target is the root.
      try needs(7, end: end)
      let (priority, weight, port) = (big16(offset), big16(offset &+ 2), big16(offset &+ 4))
      let start = offset
      offset &+= 6
      return .srv(priority: priority, weight: weight, port: port, target: try lastName(from: start, end: end))
    case .txt: return .txt(try strings(end: end))
    case .nsec:
      let next = try name(end: end)
      return .nsec(next: next, types: try bitmaps(end: end))
    case .opt: return .opt(copy(offset, end))
    default: return .other(type, copy(offset, end))
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
  private mutating func lastName(from start: Int, end: Int) throws(DNSFault) -> DNSName {
    let name = try name(end: end)
    guard offset == end else {
      throw DNSFault(.dataLength, at: offset, expected: offset &- start, found: end &- start)
    }
    return name
  }

  /// The strings of a TXT record, each behind its length. None at all is read, too (RFC 6763 §6.1).
  private func strings(end: Int) throws(DNSFault) -> [UInt8] {
    var place = offset
    while place < end {
      let size = Int(bytes[place])
      guard size < end &- place else {
        throw DNSFault(.textOverrun, at: place, expected: end &- place &- 1, found: size)
      }
      place &+= size &+ 1
    }
    return copy(offset, end)
  }

  /// The windows of an NSEC record (RFC 4034 §4.1.2). Zero bytes at the end of one are read over.
  private func bitmaps(end: Int) throws(DNSFault) -> DNSTypeSet {
    var types = DNSTypeSet()
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
      types.insert(window: window, UnsafeRawBufferPointer(rebasing: bytes[place &+ 2..<place &+ 2 &+ size]))
      place &+= size &+ 2
      leastWindow = window &+ 1
    }
    return types
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

  /// The name at the cursor, which goes behind it. What stands there, as far as the first pointer, lies before `end`.
  private mutating func name(end: Int) throws(DNSFault) -> DNSName {
    let start = offset
    if start &+ 2 <= end, bytes[start] >= 0xC0 {
      // What was read before begins before this name: the pointer goes backwards.
      if let known = place(ofNameAt: Int(big16(start) & 0x3FFF)) {
        try spend(names[known].spentBytes &+ 2, at: start)
        offset = start &+ 2
        return names[known].name
      }
    }
    let budget = nameBytesLeft
    // The end of what stands here, the place that a pointer has to stay below, the end of what holds the labels.
    var (behind, bound, limit) = (-1, start, end)
    // Labels that stand side by side are copied together, from `run` to `place`: the last of them right into the name.
    var (run, place, used) = (start, start, 0)
    while true {
      guard place < limit else { throw DNSFault(.nameOverrun, at: limit, expected: 1, found: 0) }
      let size = Int(bytes[place])
      if size == 0 { break }
      if size < 64 {
        let total = used &+ (place &- run) &+ size &+ 2
        guard total <= DNSName.wireBytesMaximum else {
          throw DNSFault(.nameTooLong, at: place, expected: DNSName.wireBytesMaximum, found: total)
        }
        guard place &+ size < limit else { throw DNSFault(.nameOverrun, at: limit, expected: size, found: 0) }
        place &+= size &+ 1
      } else if size >= 0xC0 {
        guard place &+ 1 < limit else { throw DNSFault(.nameOverrun, at: limit, expected: 1, found: 0) }
        let target = Int(big16(place) & 0x3FFF)
        guard target >= DNSMessage.headerBytes else {
          throw DNSFault(.pointerIntoHeader, at: place, expected: DNSMessage.headerBytes, found: target)
        }
        guard target < bound else { throw DNSFault(.pointerNotBackwards, at: place, expected: bound, found: target) }
        try spend(2, at: start)
        if behind < 0 { behind = place &+ 2 }
        if let suffix = try knownPlace(of: target, behind: used &+ (place &- run), at: start) {
          offset = behind
          return made(used, run..<place, suffix: suffix, at: start, spentBytes: budget &- nameBytesLeft)
        }
        take(from: run, to: place, &used)
        (run, place, bound, limit) = (target, target, target, bytes.count)
      } else {
        throw DNSFault(.labelType, at: place, expected: DNSName.labelBytesMaximum, found: size)
      }
    }
    place &+= 1
    try spend(used &+ (place &- run), at: start)
    offset = behind < 0 ? place : behind
    return made(used, run..<place, suffix: nil, at: start, spentBytes: budget &- nameBytesLeft)
  }

  /// Bytes of the message behind the `used` ones of the name that is put together.
  @inline(__always) private func take(from start: Int, to end: Int, _ used: inout Int) {
    UnsafeMutableRawBufferPointer(rebasing: scratch[used...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    used &+= end &- start
  }

  /// The place of the known name that begins at `target`; `nil` where there is none, or where it is too long behind
  /// `count` bytes.
  @inline(__always) private mutating func knownPlace(
    of target: Int, behind count: Int, at start: Int
  ) throws(DNSFault) -> Int? {
    guard let known = place(ofNameAt: target) else { return nil }
    guard count &+ names[known].name.wire.count <= DNSName.wireBytesMaximum else { return nil }
    try spend(count &+ names[known].spentBytes, at: start)
    return known
  }

  /// The name of what was put together, of these bytes of the message, and of the known name at the place `suffix`;
  /// remembered as the one that begins at `start`.
  @inline(__always) private mutating func made(
    _ used: Int, _ labels: Range<Int>, suffix: Int?, at start: Int, spentBytes: Int
  ) -> DNSName {
    let first = UnsafeRawBufferPointer(rebasing: scratch[..<used])
    let second = UnsafeRawBufferPointer(rebasing: bytes[labels])
    let wire: [UInt8]
    if let suffix {
      wire = names[suffix].name.withWire { DNSCursor.joined(first, second, $0) }
    } else {
      wire = DNSCursor.joined(first, second, UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let name = DNSName(checked: wire)
    if nameCount < DNSCursor.namesMaximum {
      names.initializeElement(at: nameCount, to: ReadName(start: start, spentBytes: spentBytes, name: name))
      nameCount &+= 1
    }
    return name
  }

  /// One array, made in one piece.
  @inline(__always) private static func joined(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
  ) -> [UInt8] {
    let count = first.count &+ second.count &+ third.count
    return [UInt8](unsafeUninitializedCapacity: count) { array, filled in
      let room = UnsafeMutableRawBufferPointer(array)
      if first.count > 0 { room.copyMemory(from: first) }
      UnsafeMutableRawBufferPointer(rebasing: room[first.count...]).copyMemory(from: second)
      if third.count > 0 {
        UnsafeMutableRawBufferPointer(rebasing: room[(first.count &+ second.count)...]).copyMemory(from: third)
      }
      filled = count
    }
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
