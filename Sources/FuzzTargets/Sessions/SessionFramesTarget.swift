import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// Bytes of sessions: the first one chooses a reader. What is read is written as it was; a fault lies inside.
  package static let sessionFrames = FuzzTarget(
    name: "session-frames", dictionary: ["\u{1}\u{1}", "\u{2}\u{1}", "\u{6}\u{1}"], seeds: sessionSeeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    guard let choice = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    var written: [UInt8]?
    var fault: SessionFault?
    var isInside = true
    rest.withUnsafeBytes { raw in
      do throws(SessionFault) {
        switch choice % 4 {
        case 0: written = try SessionOpening(raw).bytes
        case 1: written = try SessionControl(raw).bytes
        case 2: written = try ConnectionData(raw).bytes
        default:
          var frames = SessionFrames(raw, from: 0)
          while let frame = try frames.next() {
            switch frame {
            case .acknowledgement(let one): isInside = isInside && one.bits.upperBound <= raw.count
            case .piece(let one): isInside = isInside && one.bytes.upperBound <= raw.count
            case .unreliable(let place): isInside = isInside && place.upperBound <= raw.count
            case .ping, .close: break
            }
          }
        }
      } catch { fault = error }
    }
    try expect(isInside, "a frame goes beyond its packet")
    if let fault { try expect((0...rest.count).contains(fault.offset), "\(fault.reason) at \(fault.offset)") }
    if let written { try expect(written == rest, "written as \(written)") }
  }

  private static let sessionSeeds: [[UInt8]] = {
    let card = SessionCard(id: SessionPeerID(high: 1, low: 2), name: "a", key: [UInt8](repeating: 3, count: 32))
    let key = [UInt8](repeating: 4, count: 32)
    let signature = [UInt8](repeating: 5, count: 64)
    var hello = SessionOpening.Hello(
      link: 9, target: card.id, purpose: .manual, preference: .optional, card: card, agreement: key)
    hello.signature = signature
    let place = Endpoint(IPAddress(10, 0, 0, 1), port: 7)
    let data = ConnectionData(
      maker: card, reader: card.id, endpoint: place, token: [UInt8](repeating: 6, count: 16), signature: signature)
    return [
      [0] + SessionOpening.hello(hello).bytes, [0] + SessionOpening.refusal(link: 9, .full).bytes,
      [1] + SessionControl.invitation(timeoutMilliseconds: 9, context: [1, 2], certificates: [[3]]).bytes,
      [1] + SessionControl.members([.init(card, at: place)]).bytes,
      [1] + SessionControl.resourceOpen(channel: 1, byteCount: 5, name: "n", fileName: "").bytes, [2] + data.bytes,
      [3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 5, 4, 3, 0, 1, 9],
      [3, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 1, 5],
    ]
  }()
}
