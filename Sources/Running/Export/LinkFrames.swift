import RollcallPrimitives
import RollcallTrace
import RollcallWire

/// The connections of one host as the packets that it sent and heard, made from what its machine wanted and was given.
///
/// Each gets an access address and a CRC of its own and a CONNECT_IND, then the packets of a connection on which nothing
/// was lost and in which nobody met without something to say, at the times at which its machine acted and was told.
struct LinkFrames {
  struct Frame {
    var bytes: [UInt8]
    var isOwn: Bool
  }

  private struct Link {
    var request: ConnectRequest
    var isCentral: Bool
    /// Packets so far: each stands for an event of its own, on the next channel.
    var packetCount = 0
    /// The number bit of what this side and the other send next.
    var own = false
    var foreign = false
  }
  private var links: [LinkID: Link] = [:]

  private static let terminate: UInt8 = 0x02
  private static let userTerminated: UInt8 = 0x13

  /// The frames that an entry shows; none for most.
  mutating func take(_ entry: TraceEntry) -> [Frame] {
    switch entry.content {
    case .signal(.radio(.link(let number, .connected(let role, let own, let peer, let parameters)))):
      let isCentral = role == .central
      var seed = Digest()
      seed.combine(own.bits, peer.bits)
      seed.combine(UInt64(number.number))
      let request = ConnectRequest(parameters: parameters, seed: seed.state)
      links[number] = Link(request: request, isCentral: isCentral)
      let (central, peripheral) = isCentral ? (own, peer) : (peer, own)
      let pdu = AdvertisingPDU.bytes(.connectRequest, from: central, to: peripheral, data: request.bytes)
      return [Frame(bytes: AirFrame.bytes(pdu: pdu, channel: 37, strength: 0), isOwn: isCentral)]
    case .signal(.radio(.link(let number, .frame(let bytes)))): return fragments(bytes, number, isOwn: false)
    case .effect(.radio(.link(let number, .send(let bytes)))): return fragments(bytes, number, isOwn: true)
    case .effect(.radio(.link(let number, .update(let parameters)))): return update(parameters, number, isOwn: true)
    case .signal(.radio(.link(let number, .updated(let parameters)))):
      // A central has shown it already, when it wanted it.
      return links[number]?.isCentral == false ? update(parameters, number, isOwn: false) : []
    case .signal(.radio(.link(let number, .ended(let end)))):
      defer { links[number] = nil }
      guard end == .closed || end == .closedByPeer else { return [] }
      return packet(3, [LinkFrames.terminate, LinkFrames.userTerminated], number, isOwn: end == .closed)
    default: return []
    }
  }

  private mutating func update(_ parameters: LinkParameters, _ number: LinkID, isOwn: Bool) -> [Frame] {
    guard let count = links[number]?.packetCount else { return [] }
    let instant = UInt16(truncatingIfNeeded: count + 7)
    return packet(3, ConnectionUpdate.bytes(parameters, instant: instant), number, isOwn: isOwn)
  }

  private mutating func fragments(_ frame: [UInt8], _ number: LinkID, isOwn: Bool) -> [Frame] {
    var frames: [Frame] = []
    for start in stride(from: 0, to: frame.count, by: LinkSize.packetBytesMaximum) {
      let part = frame[start..<min(frame.count, start + LinkSize.packetBytesMaximum)]
      frames += packet(start == 0 ? 2 : 1, Array(part), number, isOwn: isOwn)
    }
    return frames
  }

  /// - Parameter kind: LLID: 1 goes on with a frame, 2 begins one, 3 is for the link layer itself.
  private mutating func packet(_ kind: UInt8, _ payload: [UInt8], _ number: LinkID, isOwn: Bool) -> [Frame] {
    guard var link = links[number] else { return [] }
    defer { links[number] = link }
    let (sent, expected) = isOwn ? (link.own, link.foreign) : (link.foreign, link.own)
    let header = kind | (expected ? 4 : 0) | (sent ? 8 : 0)
    if isOwn { link.own.toggle() } else { link.foreign.toggle() }
    link.packetCount += 1
    let channel = UInt8((link.packetCount * Int(link.request.hop)) % 37)
    return [
      Frame(
        bytes: AirFrame.bytes(
          pdu: [header, UInt8(payload.count)] + payload, channel: channel, accessAddress: link.request.accessAddress,
          crcStart: link.request.crcStart, isFromCentral: isOwn == link.isCentral), isOwn: isOwn)
    ]
  }
}

extension TraceEntry {
  /// Whether it gives a machine something of a stream or of a connection.
  var isOfConnection: Bool { if case .signal(let signal) = content { signal.isOfConnection } else { false } }
}
