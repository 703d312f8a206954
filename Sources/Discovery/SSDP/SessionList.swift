import Primitives

/// The open searches, in the order in which they began.
///
/// Sessions are large and stay where they are, at a place; what moves when one ends is a list of places.
struct SessionList {
  /// A place that is free holds a session that means nothing.
  private var places: [SearchSession] = []
  private var order: [Int32] = []
  private var free: [Int32] = []

  var count: Int { order.count }
  var isEmpty: Bool { order.isEmpty }
  var indices: Range<Int> { 0..<order.count }

  /// Where the search stands that began as the one with this index.
  @inline(__always) func place(_ index: Int) -> Int32 { order[index] }

  subscript(index: Int) -> SearchSession {
    @inline(__always) _read { yield places[Int(order[index])] }
    @inline(__always) _modify { yield &places[Int(order[index])] }
  }

  subscript(at place: Int32) -> SearchSession {
    @inline(__always) _read { yield places[Int(place)] }
    @inline(__always) _modify { yield &places[Int(place)] }
  }

  /// Whether the search at this place was told of this lease.
  @inline(__always) func wasTold(_ place: Int32, of lease: UInt32, _ serial: UInt32) -> Bool {
    places[Int(place)].told.holds(lease, serial)
  }

  /// Adds a search behind all others; its place.
  mutating func append(_ session: SearchSession) -> Int32 {
    var place = Int32(truncatingIfNeeded: places.count)
    if let known = free.popLast() {
      place = known
      places[Int(place)] = session
    } else {
      places.append(session)
    }
    order.append(place)
    return place
  }

  mutating func remove(at index: Int) -> SearchSession {
    let place = order.remove(at: index)
    var session = SearchSession.nothing
    swap(&session, &places[Int(place)])
    free.append(place)
    return session
  }

  func firstIndex(where matches: (SearchSession) -> Bool) -> Int? {
    indices.first { matches(self[$0]) }
  }
}
