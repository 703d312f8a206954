import RollcallEngines
import RollcallPrimitives

extension FuzzTarget {
  /// What an engine in another process writes: the first byte is the size of the pieces in which it comes.
  ///
  /// What is wrong ends it with a sentence about a byte of a frame of its own; from then on it wants nothing. A deadline lies
  /// ahead, and what it sends leaves an interface that is up, from the address of that interface.
  package static let engineFrames = FuzzTarget(
    name: "engine-frames", dictionary: ["\u{0}\u{0}\u{0}\u{2}", "\u{4}\u{EF}\u{FF}\u{FF}\u{FA}\u{7}\u{6C}"],
    seeds: engineSeeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    guard let size = bytes.first else { return }
    let channel = WrittenChannel(Array(bytes.dropFirst()), pieceBytes: Int(size) + 1)
    let link = EngineLink(seed: Seed(1), duration: .seconds(60)) { () throws(EngineFailure) -> any EngineChannel in
      channel
    }
    var engine = ForeignEngine(link)
    var outbox = Outbox(payloads: PayloadStore())
    let own = IPAddress(10, 0, 0, 2)
    let up = InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(own, prefixBits: 24)])
    var now = Instant.zero
    engine.receive(.interface(up), at: now, into: &outbox)
    engine.receive(.command(.search(Search(id: SearchID(7), target: "a:b"))), at: now, into: &outbox)
    var turns = 0
    while let deadline = engine.deadline, turns < 20 {
      try expect(deadline > now, "a deadline of \(deadline) at \(now)")
      (now, turns) = (deadline, turns + 1)
      engine.wake(at: now, into: &outbox)
    }
    for case .transmit(let datagram) in outbox.effects {
      try expect(datagram.interface == InterfaceID(0), "sent on \(datagram.interface)")
      try expect(datagram.source.address == own, "sent from \(datagram.source)")
    }
    let isOver = link.failure != nil
    try expect(!isOver || engine.deadline == nil, "it failed, and waits for \(String(describing: engine.deadline))")
    try expect(channel.isEnded == isOver, isOver ? "it failed, and goes on" : "it was ended, and did not fail")
    let before = outbox.effects.count
    if isOver {
      engine.receive(.interface(up), at: now, into: &outbox)
      try expect(outbox.effects.count == before, "it failed, and wants something")
    }
  }

  /// Frames as docs/engine-protocol.md has them, each behind READY to the greeting.
  private static let engineSeeds: [[UInt8]] = {
    let ready: [UInt8] = [0, 0, 0, 2, 0x8F, 0]
    let later: [UInt8] = [0, 0, 0, 10, 0x8F, 1, 0, 0, 0, 1, 0x2A, 0x05, 0xF2, 0]
    let join: [UInt8] = [0, 0, 0, 10, 0x82, 0, 0, 4, 239, 255, 255, 250, 7, 0x6C]
    let lost: [UInt8] = [0, 0, 0, 10, 0x86, 0, 6, 0x75, 0x75, 0x69, 0x64, 0x3A, 0x31, 2]
    let note: [UInt8] = [0, 0, 0, 4, 0x8E, 0, 1, 0x61]
    let sent: [UInt8] = [0, 0, 0, 15, 0x81, 0, 0, 7, 0x6C, 4, 239, 255, 255, 250, 7, 0x6C, 4, 0, 0]
    let ended: [UInt8] = [0, 0, 0, 6, 0x88, 0, 0, 0, 7, 0]
    return [
      [0] + ready + join + later + lost + ready, [7] + ready + sent + ready + ended + ready,
      [255] + ready + note + ready + ready,
    ]
  }()
}

/// An engine that has written everything beforehand, and ends behind that.
private final class WrittenChannel: EngineChannel {
  private let bytes: [UInt8]
  private let pieceBytes: Int
  private var place = 0
  private(set) var isEnded = false

  init(_ bytes: [UInt8], pieceBytes: Int) { (self.bytes, self.pieceBytes) = (bytes, pieceBytes) }

  func write(_ bytes: [UInt8]) throws(EngineFailure) {}

  func read() throws(EngineFailure) -> [UInt8] {
    if place == bytes.count { throw EngineFailure("it ended") }
    let end = min(place + pieceBytes, bytes.count)
    defer { place = end }
    return Array(bytes[place..<end])
  }

  func end(isKilled: Bool) -> [String] {
    isEnded = true
    return []
  }
}
