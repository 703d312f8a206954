import RollcallWire

/// Messages of one kind that wait to be cut into pieces, first in, first out.
struct PieceQueue: Sendable {
  private var items: [[UInt8]?] = []
  private var head = 0
  /// How much of the first one is cut off already.
  private var cut = 0
  /// What is left of all.
  private(set) var byteCount = 0

  var isEmpty: Bool { head == items.count }

  mutating func append(_ bytes: [UInt8]) {
    items.append(bytes)
    byteCount &+= bytes.count
  }

  /// The next piece of at most `maximum` bytes, and whether its message ends with it.
  /// - Precondition: the queue is not empty.
  mutating func next(_ maximum: Int) -> (bytes: [UInt8], place: Range<Int>, isLast: Bool) {
    let bytes = items[head]!
    let start = cut
    let end = min(bytes.count, start &+ maximum)
    byteCount &-= end &- start
    cut = end
    if end == bytes.count {
      items[head] = nil
      head &+= 1
      cut = 0
      if head == items.count || head >= 256 {
        items.removeFirst(head)
        head = 0
      }
    }
    return (bytes, start..<end, end == bytes.count)
  }
}

/// A stream or resource on its way to a peer.
struct OutgoingChannel: Sendable {
  let kind: SessionPieceKind
  let number: UInt32
  var queue = PieceQueue()
  /// How many bytes may be sent before the reader has taken more; resources have no such bound.
  var credit: Int
  /// No more bytes come behind the queue.
  var isEnding = false
  /// Everything was sent, the end too.
  var isSent = false
  /// Whether the owner was told that there is no room, and waits for some.
  var isFull = false
  /// Bytes that were asked of the source of a resource and did not come yet.
  var askedBytes = 0
  /// Bytes that were cut into pieces.
  var sentBytes = 0
  /// The size of a resource, if it was known.
  var total: Int?
  /// Bytes that came from the owner.
  var takenBytes: Int { sentBytes &+ queue.byteCount }

  var hasPiece: Bool {
    if isSent { return false }
    if queue.isEmpty { return isEnding }
    return kind == .resource || credit > 0
  }
}

/// A piece that was sent and not acknowledged.
struct FlyingPiece: Sendable {
  var kind: SessionPieceKind
  var isLast: Bool
  var isAcknowledged = false
  /// It has to be sent again.
  var isLost = false
  var channel: UInt32
  var bytes: [UInt8]
  var place: Range<Int>
  /// The packet that it was sent in last.
  var packet = 0

  static let none = FlyingPiece(kind: .control, isLast: false, channel: 0, bytes: [], place: 0..<0)
}
