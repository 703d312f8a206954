/// The open searches, in the order in which they began.
///
/// Sessions are large and stay where they are; what moves when one ends is a list of their places.
struct SessionList {
  private var places: [SearchSession?] = []
  private var order: [Int32] = []
  private var free: [Int32] = []

  var count: Int { order.count }
  var isEmpty: Bool { order.isEmpty }
  var indices: Range<Int> { 0..<order.count }

  subscript(index: Int) -> SearchSession {
    @inline(__always) _read { yield places[Int(order[index])].unsafelyUnwrapped }
    @inline(__always) _modify { yield &places[Int(order[index])]! }
  }

  mutating func append(_ session: SearchSession) {
    if let place = free.popLast() {
      places[Int(place)] = session
      order.append(place)
    } else {
      order.append(Int32(truncatingIfNeeded: places.count))
      places.append(session)
    }
  }

  mutating func remove(at index: Int) -> SearchSession {
    let place = order.remove(at: index)
    var session: SearchSession?
    swap(&session, &places[Int(place)])
    free.append(place)
    return session!
  }

  func firstIndex(where matches: (SearchSession) -> Bool) -> Int? {
    indices.first { matches(self[$0]) }
  }
}
