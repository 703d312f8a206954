package import RollcallPrimitives
import RollcallWire

extension DiffDatagram {
  /// A datagram of a run, with what stands in it.
  package init(_ datagram: RecordedDatagram, at time: Instant) {
    if DiffDatagram.isMulticastDNS(datagram.source, datagram.destination) {
      self = datagram.bytes.withUnsafeBytes {
        DiffDatagram(
          multicast: $0, from: datagram.source, to: datagram.destination, frame: nil, at: time)
      }
      return
    }
    var type = "unknown"
    var fields: [DiffField] = []
    let payloads = PayloadStore()
    let payload = payloads.store(datagram.bytes)
    if case .message(let message) = SSDPReader.reading(of: payload, in: payloads, mode: .lenient) {
      type = message.kind.name
      fields = SSDPText.headers(message).map { DiffField(name: $0.name, value: $0.value) }
    } else if let first = datagram.bytes.first, let kind = SessionPacketKind(rawValue: first) {
      // No SSDP begins so.
      type = "\(kind) packet of a session"
    }
    self.init(
      frame: nil, time: time, source: datagram.source, destination: datagram.destination, type: type, fields: fields)
  }
}
