import RollcallPrimitives
import RollcallWire

/// The sending half of a connection: what waits, what is under way, and what has to be sent again.
struct ReliableSender: Sendable {
  /// Pieces between the first that is not acknowledged and the last that may be sent.
  static let window = 1_024
  /// A piece is lost when a packet so much later than its own was heard.
  static let reordering = 3

  var control = PieceQueue()
  var messages = PieceQueue()
  var channels: [OutgoingChannel] = []
  private var turn = 0

  private var flying = Array(repeating: FlyingPiece.none, count: 64)
  /// The first piece that is not acknowledged, and the one that comes next.
  private(set) var base = 0
  private(set) var next = 0
  /// Pieces that are under way: sent, not lost, not acknowledged.
  private(set) var flyingCount = 0
  private(set) var lostCount = 0
  private var firstLost = 0
  /// Planted: what was lost counts as acknowledged.
  var forgetsLoss = false
  private(set) var congestion = CongestionWindow()

  private subscript(sequence: Int) -> FlyingPiece {
    _read { yield flying[sequence & (flying.count &- 1)] }
    _modify { yield &flying[sequence & (flying.count &- 1)] }
  }

  /// The ring grows with what is under way, up to the window.
  private mutating func grow() {
    let larger = flying.count * 2
    var ring = Array(repeating: FlyingPiece.none, count: larger)
    for sequence in base..<next { ring[sequence & (larger &- 1)] = self[sequence] }
    flying = ring
  }

  /// Whether a piece can be sent now.
  var hasWork: Bool {
    guard flyingCount < congestion.pieces else { return false }
    if lostCount > 0 { return true }
    guard next &- base < ReliableSender.window else { return false }
    return !control.isEmpty || !messages.isEmpty || channels.contains { $0.hasPiece }
  }

  /// The number of the piece to be sent next, in `packet`, of at most `room` bytes; `nil`: none, or none that fits.
  mutating func take(room: Int, maximum: Int, packet: Int) -> Int? {
    guard flyingCount < congestion.pieces else { return nil }
    if lostCount > 0 {
      firstLost = max(firstLost, base)
      while !self[firstLost].isLost { firstLost &+= 1 }
      guard self[firstLost].place.count <= room else { return nil }
      self[firstLost].isLost = false
      self[firstLost].packet = packet
      lostCount &-= 1
      flyingCount &+= 1
      return firstLost
    }
    guard next &- base < ReliableSender.window else { return nil }
    // What does not fill the rest of a packet waits for the next one, so that pieces stay large.
    let count = min(room, maximum)
    guard count == maximum || room >= 64, var piece = cut(count) else { return nil }
    piece.packet = packet
    if next &- base == flying.count { grow() }
    self[next] = piece
    next &+= 1
    flyingCount &+= 1
    return next &- 1
  }

  /// Cuts the next piece: control first, then messages, then streams and resources in turn.
  private mutating func cut(_ maximum: Int) -> FlyingPiece? {
    if !control.isEmpty {
      let cut = control.next(maximum)
      return FlyingPiece(kind: .control, isLast: cut.isLast, channel: 0, bytes: cut.bytes, place: cut.place)
    }
    if !messages.isEmpty {
      let cut = messages.next(maximum)
      return FlyingPiece(kind: .message, isLast: cut.isLast, channel: 0, bytes: cut.bytes, place: cut.place)
    }
    for step in channels.indices {
      let index = (turn &+ step) % channels.count
      guard channels[index].hasPiece else { continue }
      turn = index &+ 1
      let (kind, number) = (channels[index].kind, channels[index].number)
      guard !channels[index].queue.isEmpty else {
        channels[index].isSent = true
        return FlyingPiece(kind: kind, isLast: true, channel: number, bytes: [], place: 0..<0)
      }
      let limit = kind == .stream ? min(maximum, channels[index].credit) : maximum
      let cut = channels[index].queue.next(limit)
      channels[index].credit &-= cut.place.count
      channels[index].sentBytes &+= cut.place.count
      let isLast = channels[index].isEnding && channels[index].queue.isEmpty
      channels[index].isSent = isLast
      return FlyingPiece(kind: kind, isLast: isLast, channel: number, bytes: cut.bytes, place: cut.place)
    }
    return nil
  }

  func piece(_ sequence: Int) -> FlyingPiece { self[sequence] }

  /// Takes an acknowledgement; `false`: it is for pieces that were never sent.
  mutating func acknowledged(
    next acknowledged: Int, bits: UnsafeRawBufferPointer, packet: Int, nextPacket: Int
  ) -> Bool {
    guard acknowledged <= next else { return false }
    var count = 0
    while base < acknowledged {
      count &+= settle(base)
      base &+= 1
    }
    // Later acknowledgements that were overtaken say nothing new.
    if acknowledged == base {
      for (index, byte) in bits.enumerated() where byte != 0 {
        for bit in 0..<8 where byte & (1 &<< UInt8(bit)) != 0 {
          let sequence = acknowledged &+ 1 &+ index &* 8 &+ bit
          guard sequence < next else { return false }
          count &+= settle(sequence)
        }
      }
    }
    if count > 0 { congestion.acknowledged(count) }
    if base < next, !bits.isEmpty || self[base].packet &+ ReliableSender.reordering <= packet {
      for sequence in base..<next where self[sequence].packet &+ ReliableSender.reordering <= packet {
        lose(sequence, nextPacket: nextPacket)
      }
    }
    return true
  }

  /// 1 where it was not acknowledged before.
  private mutating func settle(_ sequence: Int) -> Int {
    if self[sequence].isAcknowledged { return 0 }
    self[sequence].isAcknowledged = true
    self[sequence].bytes = []
    if self[sequence].isLost {
      self[sequence].isLost = false
      lostCount &-= 1
    } else {
      flyingCount &-= 1
    }
    return 1
  }

  private mutating func lose(_ sequence: Int, nextPacket: Int) {
    if self[sequence].isLost || self[sequence].isAcknowledged { return }
    if forgetsLoss {
      _ = settle(sequence)
      return
    }
    self[sequence].isLost = true
    flyingCount &-= 1
    lostCount &+= 1
    firstLost = min(firstLost, sequence)
    congestion.lost(packet: self[sequence].packet, nextPacket: nextPacket)
  }

  /// Nothing was acknowledged in time: everything under way counts as lost.
  mutating func loseAll(nextPacket: Int) {
    for sequence in base..<next { lose(sequence, nextPacket: nextPacket) }
  }

  /// Forgets everything that waits and is under way; who has channels is still to be told.
  mutating func removeAll() {
    let kept = channels
    self = ReliableSender()
    channels = kept
  }
}
