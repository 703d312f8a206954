import RollcallPrimitives

/// The open searches, in the order in which they began.
///
/// Sessions are large and stay where they are, at a place; what moves when one ends is a list of places.
struct SessionList {
  /// A place that is free holds a session that means nothing.
  private var places: [SearchSession] = []
  private var order: [Int32] = []
  private var free: [Int32] = []
  /// When each place has something to do, `never` where no search is: looked at for all of them, so it lies together.
  private var timers: [Instant] = []

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

  /// Whether the search at this place was told of the lease with this mark.
  @inline(__always) func wasTold(_ place: Int32, of mark: UInt32) -> Bool {
    places[Int(place)].told.holds(mark)
  }

  /// When the first of them has something to do.
  var earliestTimer: Instant {
    timers.withUnsafeBufferPointer { timers in
      var earliest = Instant.never
      for timer in timers { earliest = min(earliest, timer) }
      return earliest
    }
  }

  /// The first search from index `start` on that has something to do by `time`.
  func firstDue(_ time: Instant, from start: Int) -> Int? {
    timers.withUnsafeBufferPointer { timers in
      order.withUnsafeBufferPointer { order in
        var index = start
        while index < order.count {
          if timers[Int(order[index])] <= time { return index }
          index &+= 1
        }
        return nil
      }
    }
  }

  /// The search at this place has something to do at another time.
  @inline(__always) mutating func retime(_ place: Int32) { timers[Int(place)] = places[Int(place)].nextTimer }

  /// Adds a search behind all others; its place.
  mutating func append(_ session: consuming SearchSession) -> Int32 {
    var place = Int32(truncatingIfNeeded: places.count)
    let timer = session.nextTimer
    if let known = free.popLast() {
      place = known
      places[Int(place)] = session
      timers[Int(place)] = timer
    } else {
      places.append(session)
      timers.append(timer)
    }
    order.append(place)
    return place
  }

  /// Takes a search out; what it was can be read at its place until another begins.
  mutating func remove(at index: Int) -> Int32 {
    let place = order.remove(at: index)
    free.append(place)
    timers[Int(place)] = .never
    return place
  }

  func firstIndex(where matches: (SearchSession) -> Bool) -> Int? {
    indices.first { matches(self[$0]) }
  }
}
