import Primitives

/// The sockets at which open searches expect answers, in the order of the searches.
///
/// Every answer and every captured search looks one socket up, so the doors of a socket hang together in a chain, in
/// order; a busy capture has dozens of searches open. A search may have several doors, and a socket several searches.
struct SearchDoors {
  private struct Door: BitwiseCopyable {
    var socket: Endpoint
    var session: Int
    /// The next door in the same bucket.
    var next: Int32
  }
  /// Behind the last door.
  static let end: Int32 = -1
  private static let bucketCount = 64

  private var doors: [Door] = []
  /// The first and the last door of each bucket.
  private var heads = InlineArray<64, Int32>(repeating: -1)
  private var tails = InlineArray<64, Int32>(repeating: -1)

  // MARK: Looking

  /// The first door at this socket.
  @inline(__always) func first(at socket: Endpoint) -> Int32 {
    same(as: socket, from: heads[SearchDoors.bucket(socket)])
  }
  /// The next door at the same socket.
  @inline(__always) func next(_ door: Int32) -> Int32 {
    same(as: doors[Int(door)].socket, from: doors[Int(door)].next)
  }
  /// The first door of all.
  var first: Int32 { doors.isEmpty ? SearchDoors.end : 0 }
  /// The door after this one, wherever it leads.
  func following(_ door: Int32) -> Int32 { Int(door) + 1 < doors.count ? door + 1 : SearchDoors.end }

  @inline(__always) func session(_ door: Int32) -> Int { doors[Int(door)].session }

  func isOpen(_ socket: Endpoint) -> Bool { first(at: socket) != SearchDoors.end }

  func isOpen(_ socket: Endpoint, of session: Int) -> Bool {
    var door = first(at: socket)
    while door != SearchDoors.end {
      if doors[Int(door)].session == session { return true }
      door = next(door)
    }
    return false
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

  /// Answers to `session` are expected at `socket` from now on; searches keep their order among the doors.
  mutating func open(_ socket: Endpoint, of session: Int) {
    var place = doors.count
    while place > 0, doors[place - 1].session > session { place -= 1 }
    doors.insert(Door(socket: socket, session: session, next: SearchDoors.end), at: place)
    if place == doors.count - 1 { chain(place) } else { chainAll() }
  }

  /// The search `session` is gone, and those after it moved up; its sockets.
  mutating func close(of session: Int) -> [Endpoint] {
    var (closed, kept): ([Endpoint], Int) = ([], 0)
    for index in doors.indices {
      var door = doors[index]
      if door.session == session {
        closed.append(door.socket)
        continue
      }
      if door.session > session { door.session -= 1 }
      doors[kept] = door
      kept += 1
    }
    doors.removeLast(doors.count - kept)
    chainAll()
    return closed
  }

  private mutating func chainAll() {
    heads = InlineArray(repeating: SearchDoors.end)
    tails = InlineArray(repeating: SearchDoors.end)
    for place in doors.indices {
      doors[place].next = SearchDoors.end
      chain(place)
    }
  }

  private mutating func chain(_ place: Int) {
    let bucket = SearchDoors.bucket(doors[place].socket)
    let door = Int32(truncatingIfNeeded: place)
    if tails[bucket] == SearchDoors.end {
      heads[bucket] = door
    } else {
      doors[Int(tails[bucket])].next = door
    }
    tails[bucket] = door
  }
}
