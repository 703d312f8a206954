package import RollcallCapture
package import RollcallPrimitives
import RollcallWire

/// A packet of a capture in which a peripheral speaks of itself, at the time at which the engine heard it.
package struct TapedPacket: Hashable, Sendable {
  package var frame: Int
  package var time: Instant
  /// Who sent it.
  package var address: RadioAddress
  package var packet: RadioPDU
}

/// The packets of a capture from which the engine knows peripherals, and what else was on the air.
package struct TapedPackets: Sendable {
  package private(set) var list: [TapedPacket] = []
  /// Those that were too many to be kept included.
  package private(set) var count = 0
  private let keptMaximum: Int
  private var extractor = RadioExtractor()
  private var requests = 0
  private var connects = 0
  private var nameless = 0
  private var unreadable = 0

  package init(keptMaximum: Int = CaptureTape.packetsMaximum) { self.keptMaximum = keptMaximum }

  /// Every packet of a frame; more than a tape can have are counted and not kept.
  package mutating func take(_ frame: CaptureFrame, at time: Instant) {
    for packet in extractor.packets(of: frame) {
      guard let pdu = packet.bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }) else {
        unreadable += 1
        continue
      }
      switch (pdu.isAdvertisement, pdu.sender, pdu.kind) {
      case (true, let address?, _):
        count += 1
        if list.count < keptMaximum {
          list.append(TapedPacket(frame: frame.number, time: time, address: address, packet: packet))
        }
      case (true, nil, _): nameless += 1
      case (false, _, .scanRequest): requests += 1
      default: connects += 1
      }
    }
  }

  mutating func replace(_ change: (TapedPacket) -> TapedPacket) { list = list.map(change) }

  package var addresses: [RadioAddress] {
    var seen: Set<RadioAddress> = []
    return list.map(\.address).filter { seen.insert($0).inserted }
  }

  /// What a scenario does not have of all that was on the air, a line each.
  package var losses: [String] {
    if list.isEmpty { return [] }
    func line(_ count: Int, _ one: String, _ several: String, _ why: String) -> String? {
      count == 0 ? nil : "\(count) \(count == 1 ? one : several): \(why)"
    }
    return [
      line(connects, "request to connect", "requests to connect", "no connection is carried over"),
      line(
        extractor.counts.others, "frame of a connection or of the controller",
        "frames of connections or of the controller", "what was said on connections is not carried over"),
      line(requests, "request for a scan response", "requests for a scan response", "the responses come without them"),
      line(
        nameless, "extended advertisement without an address", "extended advertisements without an address",
        "nobody knows who sent it"),
      line(
        unreadable + extractor.counts.malformed, "malformed packet", "malformed packets", "the engine takes none"),
      line(extractor.counts.wrongCRC, "packet with a wrong CRC", "packets with a wrong CRC", "no host was given it"),
    ].compactMap(\.self)
  }
}
