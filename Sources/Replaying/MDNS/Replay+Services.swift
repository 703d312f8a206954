import RollcallCapture
import RollcallDiscovery
import RollcallPrimitives
import RollcallTrace

// Services of multicast DNS in captures.
extension Replay {
  /// Before the first frame: who the engine is stands in the file.
  mutating func begin() {
    hearsServices = scene.hasOwnFile || options.wantsServices || !options.engine.browse.isEmpty
    // What its manager searched for stands in the file.
    engine.pointee.letManagerOnlyListen()
    if !scene.hasOwnFile {
      // Only of a file of the host's own it is known that what the engine asked went out, and that the file shows the
      // answers. To ask changes no report, but for the silence that follows: elsewhere nothing is concluded from that.
      engine.pointee.onlyListenToServices()
      if options.wantsServices, options.engine.browse.isEmpty { engine.pointee.browse(for: [.everything]) }
    }
    beginStreams()
  }

  /// Whether it is for those who look for services, and the engine does.
  func isOfServices(_ datagram: ExtractedDatagram) -> Bool {
    hearsServices && datagram.destination.port == Endpoint.mdnsPort
  }

  /// Gives the engine a message of multicast DNS that it heard.
  mutating func considerService(_ datagram: ExtractedDatagram, of frame: CaptureFrame, sentByHost: Bool) {
    guard scene.isEverybody || !sentByHost && scene.isHeard(at: datagram.destination.address) else { return }
    wakeBeforeFrame()
    let payload = outbox.payloads.store(datagram.payload)
    defer { outbox.payloads.release(payload) }
    (self.frame, rejection) = (frame.number, nil)
    summary.countService(isResponse: datagram.payload.count > 2 && datagram.payload[2] & 0x80 != 0)
    let heard = Datagram(
      source: datagram.source, destination: datagram.destination,
      interface: InterfaceID(UInt16(truncatingIfNeeded: frame.interface)), hopLimit: datagram.hopLimit,
      payload: payload)
    let mark = Gate.mark(of: heard, in: outbox.payloads)
    settleClock(give(heard, mark: mark, to: engine, station: Replay.station, at: now))
    if let rejection { summary.rejections.add(rejection, at: now) }
  }
}
