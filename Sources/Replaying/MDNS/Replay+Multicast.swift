package import RollcallCapture
import RollcallExplaining
import RollcallPrimitives

// What the story is told of multicast DNS.
extension Replay {
  /// Whether a datagram belongs to port 5353, on either side.
  package static func isMulticastDNS(_ datagram: ExtractedDatagram) -> Bool {
    datagram.source.port == Endpoint.mdnsPort || datagram.destination.port == Endpoint.mdnsPort
  }

  mutating func tellMulticast(_ datagram: ExtractedDatagram, of frame: CaptureFrame, _ teller: StoryTeller) {
    guard Replay.isMulticastDNS(datagram) else { return }
    let isOwn = scene.isSent(frame, by: datagram.source.address)
    teller.hears(
      multicast: datagram.payload, from: datagram.source, to: datagram.destination,
      on: InterfaceID(UInt16(truncatingIfNeeded: frame.interface)),
      isHeard: scene.isEverybody || isOwn || scene.isHeard(at: datagram.destination.address),
      isCut: datagram.isCut, frame: frame.number, at: now)
  }
}
