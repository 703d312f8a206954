import RollcallExplaining
package import RollcallPrimitives

extension DiffDatagram {
  /// A datagram of port 5353: its questions and records.
  package init(
    multicast bytes: UnsafeRawBufferPointer, from source: Endpoint, to destination: Endpoint, frame: Int?,
    at time: Instant
  ) {
    let said = MulticastFields(bytes)
    self.init(
      frame: frame, time: time, source: source, destination: destination, type: said.type,
      fields: said.fields.map { DiffField(name: $0.name, value: $0.value) })
  }

  /// Whether a datagram is one of multicast DNS, by its ports.
  package static func isMulticastDNS(_ source: Endpoint, _ destination: Endpoint) -> Bool {
    source.port == Endpoint.mdnsPort || destination.port == Endpoint.mdnsPort
  }
}
