package import RollcallCapture
import RollcallPrimitives
import RollcallWire

// Whether an address is on the network at all: its frames, whatever they carry.
extension StoryTeller {
  /// Looks at a frame for the address that was asked about: Ethernet, Linux cooked of both versions and raw IP. Other
  /// links and tunnels are counted: whose packets they hold is not looked at.
  package func see(_ frame: CaptureFrame, number: Int) {
    guard let watched else { return }
    let bytes = frame.content
    let count = bytes.count
    switch frame.linkType {
    case LinkType.ethernet: see(EtherPayload(frame.bytes, count: count, typeOffset: 12), bytes, watched, number)
    case LinkType.linuxCooked: see(EtherPayload(frame.bytes, count: count, typeOffset: 14), bytes, watched, number)
    case LinkType.linuxCooked2:
      // The type leads, the rest of the header follows.
      guard count >= 20 else { return }
      let type = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
      see(EtherPayload(frame.bytes, count: count, type: type, offset: 20), bytes, watched, number)
    case LinkType.raw, 12, 14, LinkType.ipv4, LinkType.ipv6: packet(bytes, watched, number)
    default: story.presence?.unread += 1
    }
  }

  private func see(_ inner: EtherPayload?, _ bytes: UnsafeRawBufferPointer, _ watched: IPAddress, _ number: Int) {
    guard let inner, inner.offset < bytes.count else { return }
    let packet = UnsafeRawBufferPointer(rebasing: bytes[inner.offset...])
    switch inner.etherType {
    case .ipv4, .ipv6: self.packet(packet, watched, number)
    case .arp where packet.count >= 28 && watched.family == .v4:
      // Sender and target protocol address.
      let sender = IPAddress(packet[14], packet[15], packet[16], packet[17])
      let target = IPAddress(packet[24], packet[25], packet[26], packet[27])
      saw(isSender: sender == watched, isTarget: target == watched)
    default:
      // PPPoE, MPLS, and a customer's frame in one of a provider.
      if [0x8864, 0x8847, 0x8848, 0x88E7].contains(inner.etherType.rawValue) { story.presence?.unread += 1 }
    }
  }

  /// IP in IP, IPv6 in IP, GRE.
  private static func isTunnel(_ number: UInt8) -> Bool { [4, 41, 47].contains(number) }

  private func packet(_ packet: UnsafeRawBufferPointer, _ watched: IPAddress, _ number: Int) {
    if let header = IPv4Header(packet) {
      saw(isSender: header.source == watched, isTarget: header.destination == watched)
      if StoryTeller.isTunnel(header.protocolNumber.rawValue) { story.presence?.unread += 1 }
      guard header.source == watched, header.protocolNumber == .igmp, let end = header.end(within: packet.count),
        let message = GroupMessage.read(igmp: UnsafeRawBufferPointer(rebasing: packet[header.headerBytes..<end]))
      else { return }
      joined(message, number)
    } else if let header = IPv6Header(packet) {
      saw(isSender: header.source == watched, isTarget: header.destination == watched)
      if StoryTeller.isTunnel(header.nextHeader) { story.presence?.unread += 1 }
      guard header.source == watched else { return }
      let whole = UnsafeRawBufferPointer(rebasing: packet[..<header.end(within: packet.count)])
      guard let chain = IPv6Chain(whole, next: header.nextHeader, at: IPv6Header.headerBytes),
        chain.protocolNumber == .icmpV6, chain.offset < whole.count,
        let message = GroupMessage.read(
          mld: UnsafeRawBufferPointer(rebasing: whole[chain.offset...]), source: header.source,
          destination: header.destination)
      else { return }
      joined(message, number)
    }
  }

  private func saw(isSender: Bool, isTarget: Bool) {
    guard isSender || isTarget else { return }
    if isSender { story.presence?.sent += 1 } else { story.presence?.received += 1 }
  }

  private func joined(_ message: GroupMessage, _ number: Int) {
    func isGroup(_ address: IPAddress) -> Bool {
      address == .ssdpGroup4 || address == .ssdpGroup6 || address == .ssdpGroup6Site
    }
    switch message {
    case .join(let group, _): if isGroup(group) { story.presence?.joins.add(number) }
    case .leave(let group): if isGroup(group) { story.presence?.leaves.add(number) }
    case .report(let records):
      for record in records where isGroup(record.group) {
        if record.listens == true { story.presence?.joins.add(number) }
        if record.listens == false { story.presence?.leaves.add(number) }
      }
    case .query: break
    }
  }
}
