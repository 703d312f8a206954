import RollcallPrimitives
import RollcallWire

/// Which packets were heard: each is taken once, in a window of 4 096.
struct HeardPackets: Sendable {
  static let window = 4_096
  private var bits = Array(repeating: UInt64(0), count: HeardPackets.window / 64)
  /// The highest one; −1: none.
  private(set) var highest = -1

  func isNew(_ number: Int) -> Bool {
    if number > highest { return true }
    if number <= highest &- HeardPackets.window { return false }
    return bits[number / 64 % bits.count] & (1 &<< UInt64(number % 64)) == 0
  }

  /// - Precondition: `isNew(number)`.
  mutating func insert(_ number: Int) {
    if number > highest {
      // Bits of numbers that left the window stand for those that enter it.
      if number &- highest >= HeardPackets.window {
        for index in bits.indices { bits[index] = 0 }
      } else if number > highest &+ 1 {
        for skipped in (highest &+ 1)..<number { bits[skipped / 64 % bits.count] &= ~(1 &<< UInt64(skipped % 64)) }
      }
      highest = number
    }
    bits[number / 64 % bits.count] |= 1 &<< UInt64(number % 64)
  }
}

/// What a connection hands to the session, in order.
enum Delivery: Sendable {
  case control([UInt8])
  case message([UInt8], isReliable: Bool)
  case channel(SessionPieceKind, UInt32, [UInt8], isLast: Bool)
  case close(SessionEnd)
}

/// The receiving half: pieces are put in order, and messages put together.
struct ReliableReceiver: Sendable {
  private struct Kept: Sendable {
    var kind = SessionPieceKind.control
    var isLast = false
    var isThere = false
    var channel: UInt32 = 0
    var bytes: [UInt8] = []
  }

  /// The first piece that was not heard.
  private(set) var next = 0
  /// Pieces behind a gap, in a ring of `ReliableSender.window`; empty where there never was a gap.
  private var kept: [Kept] = []
  private(set) var keptCount = 0
  private var highest = -1
  private var control: [UInt8] = []
  private var message: [UInt8] = []
  private var messageReserve = 0

  /// Takes a piece; `false`: its sender broke the rules.
  mutating func take(
    _ piece: SessionFrame.Piece, in packet: UnsafeRawBufferPointer, policy: SessionPolicy,
    into deliveries: inout [Delivery]
  ) -> Bool {
    if piece.sequence < next {
      guard policy.faults.contains(.deliveredTwice), piece.kind == .message else { return true }
      let again = UnsafeRawBufferPointer(rebasing: packet[piece.bytes])
      return hand(piece.kind, piece.channel, again, piece.isLast, policy, &deliveries)
    }
    guard piece.sequence < next &+ ReliableSender.window else { return false }
    let bytes = UnsafeRawBufferPointer(rebasing: packet[piece.bytes])
    guard piece.sequence == next else {
      keep(piece, bytes)
      return true
    }
    next &+= 1
    guard hand(piece.kind, piece.channel, bytes, piece.isLast, policy, &deliveries) else { return false }
    let mask = ReliableSender.window &- 1
    while keptCount > 0, kept[next & mask].isThere {
      let one = kept[next & mask]
      kept[next & mask] = Kept()
      keptCount &-= 1
      next &+= 1
      let isRight = one.bytes.withUnsafeBytes { hand(one.kind, one.channel, $0, one.isLast, policy, &deliveries) }
      guard isRight else { return false }
    }
    return true
  }

  private mutating func keep(_ piece: SessionFrame.Piece, _ bytes: UnsafeRawBufferPointer) {
    if kept.isEmpty { kept = Array(repeating: Kept(), count: ReliableSender.window) }
    let index = piece.sequence & (ReliableSender.window &- 1)
    if kept[index].isThere { return }
    kept[index] = Kept(
      kind: piece.kind, isLast: piece.isLast, isThere: true, channel: piece.channel, bytes: Array(bytes))
    keptCount &+= 1
    highest = max(highest, piece.sequence)
  }

  private mutating func hand(
    _ kind: SessionPieceKind, _ channel: UInt32, _ bytes: UnsafeRawBufferPointer, _ isLast: Bool,
    _ policy: SessionPolicy, _ deliveries: inout [Delivery]
  ) -> Bool {
    switch kind {
    case .control:
      guard control.count &+ bytes.count <= SessionControl.byteCountMaximum else { return false }
      control.append(contentsOf: bytes)
      guard isLast else { return true }
      deliveries.append(.control(control))
      control = []
    case .message:
      guard message.count &+ bytes.count <= policy.messageBytesMaximum else { return false }
      if isLast, message.isEmpty {
        deliveries.append(.message(Array(bytes), isReliable: true))
        return true
      }
      // Messages of one sender are often alike; what it declares is never trusted.
      if message.isEmpty { message.reserveCapacity(messageReserve) }
      message.append(contentsOf: bytes)
      guard isLast else { return true }
      messageReserve = min(message.count, 1 &<< 18)
      deliveries.append(.message(message, isReliable: true))
      message = []
    case .stream, .resource: deliveries.append(.channel(kind, channel, Array(bytes), isLast: isLast))
    }
    return true
  }

  /// Bytes that the bits of an acknowledgement need.
  var bitBytes: Int { keptCount == 0 ? 0 : (highest &- next &+ 7) / 8 }

  /// Writes the bits: piece `next` + 1 + n was heard.
  func writeBits(to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
    for index in 0..<bitBytes {
      var byte: UInt8 = 0
      for bit in 0..<8 {
        let sequence = next &+ 1 &+ index &* 8 &+ bit
        if sequence <= highest, kept[sequence & (ReliableSender.window &- 1)].isThere { byte |= 1 &<< UInt8(bit) }
      }
      buffer[offset &+ index] = byte
    }
  }
}
