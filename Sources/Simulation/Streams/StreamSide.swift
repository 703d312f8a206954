import RollcallPrimitives

/// One side of a stream: who it is, what it still has to send, and what it was not given yet.
///
/// The sides of a stream lie next to each other: 2n opened it, 2n + 1 was connected to.
struct StreamSide {
  enum Stage: UInt8 {
    /// The stream is over, or was never there: the place can be used again.
    case free
    /// Asked for, not answered yet.
    case connecting
    /// Connected to, and its machine was not told yet.
    case accepting
    case open
    /// Ended here; the other side may not know.
    case gone
  }

  /// How far the end of what this side sends has come.
  enum Finish: UInt8 { case no, wanted, acknowledged }

  /// What is under way, or was lost and is tried again.
  struct Flight {
    var byteCount: Int
    var hasFinish: Bool
    /// It got there, and its acknowledgement is under way.
    var hasArrived = false
  }

  var stage = Stage.free
  /// Grows when the place is used again: events of an earlier stream are not for this one.
  var generation: UInt32 = 0
  var host = 0
  /// Of the network.
  var port = 0
  var id = StreamID(0)
  /// What it was accepted by.
  var listener = StreamID(0)
  var local = Endpoint(IPAddress(v4: 0), port: 0)
  var draws = RandomStream(mixing: 0, 0)

  // MARK: What it sends

  /// Written and not arrived, in order.
  private(set) var queue: [[UInt8]] = []
  private var queueHead = 0
  /// What of the first of them has arrived.
  private var headOffset = 0
  /// In `queue`.
  private(set) var queuedBytes = 0
  /// Written and not acknowledged: what the buffer is filled with.
  var bufferedBytes = 0
  var finish = Finish.no
  var flight: Flight?
  /// How often in a row the first segment was lost, and since when.
  var attempts = 0
  var triedSince = Instant.zero
  var sentAt = Instant.zero
  var roundTrip = Interval.zero

  // MARK: What it is given

  var isPaused = false
  var held: [[UInt8]] = []
  var heldBytes = 0
  var holdsFinish = false

  mutating func enqueue(_ bytes: [UInt8]) {
    queue.append(bytes)
    queuedBytes += bytes.count
    bufferedBytes += bytes.count
  }

  /// Takes the next `count` bytes. Whole writes are handed on as they are.
  mutating func dequeue(_ count: Int) -> [UInt8] {
    queuedBytes -= count
    if headOffset == 0, queue[queueHead].count == count {
      let bytes = queue[queueHead]
      dropFirst()
      return bytes
    }
    var taken: [UInt8] = []
    taken.reserveCapacity(count)
    while taken.count < count {
      let part = min(count - taken.count, queue[queueHead].count - headOffset)
      taken += queue[queueHead][headOffset..<headOffset + part]
      headOffset += part
      if headOffset == queue[queueHead].count { dropFirst() }
    }
    return taken
  }

  private mutating func dropFirst() {
    queue[queueHead] = []
    (queueHead, headOffset) = (queueHead + 1, 0)
    if queueHead == queue.count {
      queue.removeAll(keepingCapacity: queueHead <= 16)
      queueHead = 0
    }
  }

  /// Nothing of it counts any more; the events of it are known by their generation.
  mutating func end() {
    stage = .gone
    (queue, queueHead, headOffset, queuedBytes, bufferedBytes) = ([], 0, 0, 0, 0)
    (held, heldBytes, holdsFinish, flight) = ([], 0, false, nil)
  }
}

/// What is due for a side of a stream.
struct StreamToken {
  enum Kind: UInt8 {
    /// The first segment of a stream is sent once more.
    case connect
    /// It is at the host that it was sent to.
    case connectArrives
    /// The answer to it is at the host that asked.
    case accepted, refused
    /// The host that was connected to learns that the stream stands.
    case acceptArrives
    /// What was lost is sent once more.
    case send
    case flightArrives
    case acknowledged
    /// The other side has room again.
    case windowOpens
    case resetArrives
  }

  var kind: Kind
  var side: Int
  var generation: UInt32

  /// The three of them in one word.
  var word: UInt64 { UInt64(kind.rawValue) &<< 56 | UInt64(generation & 0xFF_FFFF) &<< 32 | UInt64(side) }

  init(_ kind: Kind, _ side: Int, generation: UInt32) {
    (self.kind, self.side, self.generation) = (kind, side, generation & 0xFF_FFFF)
  }

  init?(word: UInt64) {
    guard let kind = Kind(rawValue: UInt8(word &>> 56)) else { return nil }
    (self.kind, side) = (kind, Int(word & 0xFFFF_FFFF))
    generation = UInt32(word &>> 32) & 0xFF_FFFF
  }
}
