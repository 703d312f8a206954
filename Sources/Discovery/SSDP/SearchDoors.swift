import RollcallPrimitives
import RollcallWire

/// The sockets at which open searches expect answers, in the order of the searches.
///
/// Every answer and every captured search looks one socket up, so the doors of a socket hang together in a chain, in
/// order; a busy capture has dozens of searches open. A search may have several doors, and a socket several searches.
struct SearchDoors {
  /// What a door must know of the search behind it.
  struct Owner: BitwiseCopyable {
    /// See `SearchSession.serial`.
    var serial: Int
    var search: UInt32
    fileprivate var asked: Asked

    init(_ search: SearchID, _ serial: Int, _ target: [UInt8], _ wanted: SearchTarget.Parts, isForAll: Bool) {
      (self.search, self.serial, asked) = (search.number, serial, Asked(target, wanted, isForAll))
    }
  }

  private struct Door: BitwiseCopyable {
    var socket: Endpoint
    /// Which search it is, counted from the first that there ever was: the order of the chain.
    var serial: Int
    /// The place of the search, good for as long as it is open.
    var place: Int32
    /// The search's number.
    var search: UInt32
    /// The next door in the same bucket; of a free door, the next free one.
    var next: Int32
    /// The next door of the same search.
    var sibling = SearchDoors.end
    var asked: Asked
  }

  /// What a search asks for, as far as a glance tells whether an ST can be an answer.
  fileprivate struct Asked: BitwiseCopyable {
    /// The number of bytes of the target that must be the same.
    var count: Int32
    /// The last eight of them; 0 where there are fewer, or where letters of either case will do.
    var tail: UInt64 = 0
    var isForAll: Bool
    /// A version follows.
    var isTyped: Bool

    init(_ target: [UInt8], _ wanted: SearchTarget.Parts, _ isForAll: Bool) {
      self.isForAll = isForAll
      isTyped = wanted.form == .device || wanted.form == .service
      let stem = isTyped ? wanted.type.upperBound : target.count
      count = Int32(truncatingIfNeeded: stem)
      guard stem >= 8, wanted.form != .uuid else { return }
      target.withUnsafeBytes { tail = $0.loadUnaligned(fromByteOffset: stem - 8, as: UInt64.self) }
    }

    @inline(__always) func mayBe(_ offered: UnsafeRawBufferPointer) -> Bool {
      let stem = Int(count)
      guard isTyped ? offered.count > stem : offered.count == stem else { return false }
      return tail == 0 || offered.loadUnaligned(fromByteOffset: stem &- 8, as: UInt64.self) == tail
    }
  }
  /// Behind the last door.
  static let end: Int32 = -1

  private var doors: [Door] = []
  private var firstFree = SearchDoors.end
  /// The first and the last door of each bucket.
  private var heads = [Int32](repeating: SearchDoors.end, count: 64)
  private var tails = [Int32](repeating: SearchDoors.end, count: 64)
  /// The first door of the search at each place.
  private var owned: [Int32] = []

  // MARK: Looking

  /// The first door at this socket.
  @inline(__always) func first(at socket: Endpoint) -> Int32 {
    same(as: socket, from: heads[SearchDoors.bucket(socket)])
  }
  /// The next door at the same socket.
  @inline(__always) func next(_ door: Int32) -> Int32 {
    same(as: doors[Int(door)].socket, from: doors[Int(door)].next)
  }
  /// The first door of the search at this place; `end`: it has none.
  func first(of place: Int32) -> Int32 { Int(place) < owned.count ? owned[Int(place)] : SearchDoors.end }

  /// The place of the search behind a door.
  @inline(__always) func place(_ door: Int32) -> Int32 { doors[Int(door)].place }
  /// Its number.
  @inline(__always) func search(_ door: Int32) -> UInt32 { doors[Int(door)].search }
  /// Whether it asks for everything.
  @inline(__always) func isForAll(_ door: Int32) -> Bool { doors[Int(door)].asked.isForAll }
  /// Whether it may have asked for this ST: never wrong where the answer is no.
  @inline(__always) func mayAsk(_ door: Int32, for offered: UnsafeRawBufferPointer) -> Bool {
    doors[Int(door)].asked.mayBe(offered)
  }

  func isOpen(_ socket: Endpoint) -> Bool { first(at: socket) != SearchDoors.end }

  func isOpen(_ socket: Endpoint, of place: Int32) -> Bool {
    var door = first(of: place)
    while door != SearchDoors.end, doors[Int(door)].socket != socket { door = doors[Int(door)].sibling }
    return door != SearchDoors.end
  }

  @inline(__always) private func same(as socket: Endpoint, from start: Int32) -> Int32 {
    var door = start
    while door != SearchDoors.end, doors[Int(door)].socket != socket { door = doors[Int(door)].next }
    return door
  }

  private static func bucket(_ socket: Endpoint) -> Int {
    let mixed = (socket.address.low ^ socket.address.high ^ UInt64(socket.port) &<< 20) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> 58)
  }

  // MARK: Opening and closing

  /// Answers to the search at `place` are expected at `socket` from now on.
  mutating func open(_ socket: Endpoint, of owner: Owner, at place: Int32) {
    let door = Door(
      socket: socket, serial: owner.serial, place: place, search: owner.search, next: SearchDoors.end,
      asked: owner.asked)
    var number = firstFree
    if number == SearchDoors.end {
      number = Int32(truncatingIfNeeded: doors.count)
      doors.append(door)
    } else {
      firstFree = doors[Int(number)].next
      doors[Int(number)] = door
    }
    chain(number)
    while owned.count <= Int(place) { owned.append(SearchDoors.end) }
    var last = owned[Int(place)]
    if last == SearchDoors.end {
      owned[Int(place)] = number
    } else {
      while doors[Int(last)].sibling != SearchDoors.end { last = doors[Int(last)].sibling }
      doors[Int(last)].sibling = number
    }
  }

  /// The search at `place` is over; `each` is given its sockets, in the order in which they were opened.
  mutating func close(of place: Int32, _ each: (Endpoint) -> Void) {
    var door = first(of: place)
    if door != SearchDoors.end { owned[Int(place)] = SearchDoors.end }
    while door != SearchDoors.end {
      let next = doors[Int(door)].sibling
      each(doors[Int(door)].socket)
      unchain(door)
      doors[Int(door)].next = firstFree
      firstFree = door
      door = next
    }
  }

  /// Puts a door into its bucket, behind those of all searches that began before.
  private mutating func chain(_ door: Int32) {
    let bucket = SearchDoors.bucket(doors[Int(door)].socket)
    let serial = doors[Int(door)].serial
    let tail = tails[bucket]
    if tail == SearchDoors.end {
      (heads[bucket], tails[bucket]) = (door, door)
    } else if doors[Int(tail)].serial <= serial {
      doors[Int(tail)].next = door
      tails[bucket] = door
    } else if doors[Int(heads[bucket])].serial > serial {
      doors[Int(door)].next = heads[bucket]
      heads[bucket] = door
    } else {
      var before = heads[bucket]
      while doors[Int(doors[Int(before)].next)].serial <= serial { before = doors[Int(before)].next }
      doors[Int(door)].next = doors[Int(before)].next
      doors[Int(before)].next = door
    }
  }

  private mutating func unchain(_ door: Int32) {
    let bucket = SearchDoors.bucket(doors[Int(door)].socket)
    var before = SearchDoors.end
    var place = heads[bucket]
    while place != door { (before, place) = (place, doors[Int(place)].next) }
    let next = doors[Int(door)].next
    if before == SearchDoors.end { heads[bucket] = next } else { doors[Int(before)].next = next }
    if next == SearchDoors.end { tails[bucket] = before }
  }
}
