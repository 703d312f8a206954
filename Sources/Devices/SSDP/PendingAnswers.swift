package import RollcallPrimitives

/// An answer that waits for its moment: forty bytes, whatever it will say.
package struct PendingAnswer: Hashable, Sendable, BitwiseCopyable {
  package var due: Instant
  /// Earlier searches first where answers are due at the same moment.
  package var sequence: UInt32
  /// The version that ST repeats; 0: the device's own.
  package var version: UInt32
  var addressHigh: UInt64 = 0
  var addressLow: UInt64 = 0
  package var port: UInt16 = 0
  package var isV6 = false
  var attachment: UInt8 = 0
  package var advert: UInt8 = 0
  /// The kept ST that is echoed, for `strange`.
  package var echo: UInt8 = 0

  package init(due: Instant, sequence: UInt32 = 0, version: UInt32 = 0) {
    (self.due, self.sequence, self.version) = (due, sequence, version)
  }

  init(to destination: Endpoint, at due: Instant, version: UInt32, attachment: Int) {
    self.init(due: due, version: version)
    (addressHigh, addressLow, port) = (destination.address.high, destination.address.low, destination.port)
    (isV6, self.attachment) = (destination.address.family == .v6, UInt8(truncatingIfNeeded: attachment))
  }

  /// Instead of an advert: an answer to a search that nothing matches.
  static let strange: UInt8 = 255
  static let error: UInt8 = 254

  var destination: Endpoint {
    Endpoint(
      isV6 ? IPAddress(v6High: addressHigh, low: addressLow) : IPAddress(v4: UInt32(truncatingIfNeeded: addressLow)),
      port: port)
  }

  func precedes(_ other: PendingAnswer) -> Bool {
    due < other.due || due == other.due && sequence &- other.sequence > 1 << 31
  }
}

/// The answers that wait, the next one first: a binary heap in one flat array, given back when empty.
package struct PendingAnswers: Sendable {
  package private(set) var heap: [PendingAnswer] = []

  package init() {}

  package var isEmpty: Bool { heap.isEmpty }
  package var count: Int { heap.count }
  var nextDue: Instant { heap.first?.due ?? .never }

  mutating func removeAll() { heap = [] }

  /// Makes room for so many more at once.
  mutating func reserve(_ more: Int) { heap.reserveCapacity(heap.count &+ more) }

  package mutating func push(_ answer: PendingAnswer) {
    heap.append(answer)
    heap.withUnsafeMutableBufferPointer { heap in
      var child = heap.count &- 1
      while child > 0 {
        let parent = (child &- 1) &>> 1
        guard answer.precedes(heap[parent]) else { break }
        heap[child] = heap[parent]
        child = parent
      }
      heap[child] = answer
    }
  }

  /// Takes the next answer if it is due.
  package mutating func pop(at now: Instant) -> PendingAnswer? {
    guard let first = heap.first, first.due <= now else { return nil }
    let last = heap.removeLast()
    if heap.isEmpty {
      heap = []
      return first
    }
    heap.withUnsafeMutableBufferPointer { heap in
      var parent = 0
      while true {
        var child = 2 &* parent &+ 1
        guard child < heap.count else { break }
        if child &+ 1 < heap.count, heap[child &+ 1].precedes(heap[child]) { child &+= 1 }
        guard heap[child].precedes(last) else { break }
        heap[parent] = heap[child]
        parent = child
      }
      heap[parent] = last
    }
    return first
  }

  /// Forgets what would leave by this interface and family.
  mutating func removeAll(attachment: Int, isV6: Bool) {
    let kept = heap.filter { Int($0.attachment) != attachment || $0.isV6 != isV6 }
    guard kept.count < heap.count else { return }
    heap = []
    for answer in kept { push(answer) }
  }
}
