package import RollcallPrimitives
import RollcallReporting
import RollcallWire

extension DiffDatagram {
  /// A packet of Bluetooth LE: who sent it, where and how strongly it was heard, and what it says.
  package init(_ packet: RadioPDU, frame: Int?, at time: Instant) {
    self.init(frame: frame, time: time, source: nil, destination: nil, type: "packet", fields: [])
    func add(_ name: String, _ value: String?) {
      if let value { fields.append(DiffField(name: name, value: value)) }
    }
    add("channel", packet.channel.map { "\($0)" })
    add("strength", packet.strength.map { "\($0) dBm" })
    packet.bytes.withUnsafeBytes { bytes in
      guard let pdu = try? AdvertisingPDU(bytes) else { return }
      (type, advertiser) = (pdu.kind.name, pdu.sender)
      let said = AdvertisedFields(UnsafeRawBufferPointer(rebasing: bytes[pdu.data]))
      add("name", said.name.map { PlainText.shown($0) })
      add("services", said.services.isEmpty ? nil : said.services.map(\.description).joined(separator: " "))
      add("data", pdu.data.isEmpty ? nil : PeripheralReport.hex(Array(bytes[pdu.data])))
    }
  }
}
