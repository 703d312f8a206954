package import RollcallPrimitives

/// An answer that waits for its moment: forty bytes, whatever it will say.
package struct PendingAnswer: Hashable, Sendable, BitwiseCopyable {
  package var due: Instant
  /// Earlier searches first where answers are due at the same moment.
  package var sequence: UInt32
  /// The version that ST repeats; 0: the device's own.
  package var version: UInt32
  var addressHigh: UInt64
  var addressLow: UInt64
  package var port: UInt16
  package var isV6: Bool
  var attachment: UInt8
  package var advert: UInt8 = 0
  /// The kept ST that is echoed, for `strange`.
  package var echo: UInt8 = 0

  package init(
    to destination: Endpoint, at due: Instant, sequence: UInt32 = 0, version: UInt32, attachment: Int
  ) {
    (self.due, self.sequence, self.version) = (due, sequence, version)
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

/// The answers that wait, in order, the next one last: a flat array, given back when empty.
///
/// There are a few for each search, so that a new one is moved past one or two, and the next one is taken off the end.
package struct PendingAnswers: Sendable {
  package private(set) var list: [PendingAnswer] = []

  package init() {}

  package var isEmpty: Bool { list.isEmpty }
  package var count: Int { list.count }
  var nextDue: Instant { list.last?.due ?? .never }

  mutating func removeAll() { list = [] }

  /// Makes room for so many more at once.
  mutating func reserve(_ more: Int) { list.reserveCapacity(list.count &+ more) }

  package mutating func push(_ answer: PendingAnswer) {
    list.append(answer)
    list.withUnsafeMutableBufferPointer { list in
      var place = list.count &- 1
      while place > 0, list[place &- 1].precedes(answer) {
        list[place] = list[place &- 1]
        place &-= 1
      }
      list[place] = answer
    }
  }

  /// Takes the next answer if it is due.
  package mutating func pop(at now: Instant) -> PendingAnswer? {
    guard let next = list.last, next.due <= now else { return nil }
    list.removeLast()
    if list.isEmpty { list = [] }
    return next
  }

  /// Forgets what would leave by this interface and family.
  mutating func removeAll(attachment: Int, isV6: Bool) {
    list.removeAll { Int($0.attachment) == attachment && $0.isV6 == isV6 }
    if list.isEmpty { list = [] }
  }
}
