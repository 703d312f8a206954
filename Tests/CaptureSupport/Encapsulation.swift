/// A way to put an IP packet on a link: what a test wraps around the packets of an Ethernet capture.
package struct Encapsulation: CustomStringConvertible, Sendable {
  package var description: String
  package var linkType: UInt32
  /// Which versions of IP the link can carry.
  package var versions: Set<UInt8> = [4, 6]
  package var wrap: @Sendable ([UInt8]) -> [UInt8]

  package init(
    _ name: String, _ linkType: UInt32, versions: Set<UInt8> = [4, 6], _ wrap: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    (description, self.linkType, self.versions, self.wrap) = (name, linkType, versions, wrap)
  }

  package static func isV6(_ packet: [UInt8]) -> Bool { packet[0] >> 4 == 6 }
  package static func type(_ packet: [UInt8]) -> [UInt8] { isV6(packet) ? [0x86, 0xDD] : [8, 0] }
  package static func big(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }
  package static func little(_ value: Int) -> [UInt8] { big(value).reversed() }
  package static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
  package static let macs: [UInt8] = [1, 0, 0x5E, 0x7F, 0xFF, 0xFA, 2, 0, 0, 0, 0, 1]
  package static func snap(_ packet: [UInt8]) -> [UInt8] { [0xAA, 0xAA, 3, 0, 0, 0] + type(packet) + packet }
  package static func ppp(_ packet: [UInt8]) -> [UInt8] { [0, isV6(packet) ? 0x57 : 0x21] + packet }
  package static func ethernet(_ packet: [UInt8]) -> [UInt8] { macs + type(packet) + packet }

  /// An IPv4 packet around a payload; its own header checksum is left out, nobody here reads it.
  package static func ip4(_ number: UInt8, _ payload: [UInt8], id: UInt8 = 0, fragment: Int = 0) -> [UInt8] {
    [0x45, 0] + big(20 + payload.count) + [0, id] + big(fragment) + [64, number, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]
      + payload
  }
  package static func ip6(_ number: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0x60, 0, 0, 0] + big(payload.count) + [number, 64] + zeros(15) + [1] + zeros(15) + [2] + payload
  }
  package static func wireless(_ control: UInt8, _ flags: UInt8, _ more: Int) -> [UInt8] {
    [control, flags] + zeros(20) + [0x30, 2] + zeros(more)
  }
  package static func number(_ packet: [UInt8]) -> UInt8 { isV6(packet) ? 41 : 4 }
  package static func pktap(_ dlt: UInt8, _ content: [UInt8]) -> [UInt8] {
    [108, 0, 0, 0, 1, 0, 0, 0, dlt, 0, 0, 0] + zeros(96) + content
  }
  package static func nflog(_ packet: [UInt8], _ half: (Int) -> [UInt8]) -> [UInt8] {
    let family: UInt8 = isV6(packet) ? 10 : 2
    return [family, 0, 0, 0] + half(8) + half(1) + [8, 0, 1, 0] + half(5) + half(10) + zeros(4) + half(packet.count + 4)
      + half(9) + packet
  }

  /// Links, and tunnels over Ethernet.
  package static let all: [Encapsulation] = [
    Encapsulation("BSD loopback", 0) { (isV6($0) ? [30, 0, 0, 0] : [2, 0, 0, 0]) + $0 },
    Encapsulation("BSD loopback, big-endian", 0) { (isV6($0) ? [0, 0, 0, 24] : [0, 0, 0, 2]) + $0 },
    Encapsulation("OpenBSD loopback", 108) { (isV6($0) ? [0, 0, 0, 28] : [0, 0, 0, 2]) + $0 },
    Encapsulation("ARCNET", 7) { [1, 0, isV6($0) ? 0xC4 : 0xD4, 0, 0, 9] + $0 },
    Encapsulation("ARCNET of Linux", 129) { [1, 0, 0, 0, isV6($0) ? 0xC4 : 0xD4, 0, 0, 9] + $0 },
    Encapsulation("ARCNET, exception frame", 7) {
      [1, 0, isV6($0) ? 0xC4 : 0xD4, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 9] + $0
    },
    Encapsulation("ARCNET of RFC 1051", 7, versions: [4]) { [1, 0, 0xF0] + $0 },
    Encapsulation("PPP", 9) { ppp($0) },
    Encapsulation("PPP with address and control", 9) { [0xFF, 3] + ppp($0) },
    Encapsulation("PPP, compressed number", 9) { [isV6($0) ? 0x57 : 0x21] + $0 },
    Encapsulation("PPP with MPLS", 9) { [2, 0x81, 0, 1, 0x11, 64] + $0 },
    Encapsulation("PPP in HDLC framing", 50) { [0xFF, 3] + ppp($0) },
    Encapsulation("Cisco HDLC", 104) { [0x0F, 0] + type($0) + $0 },
    Encapsulation("Cisco HDLC, broadcast", 104) { [0x8F, 0] + type($0) + $0 },
    Encapsulation("PPPoE", 51) { [0x11, 0, 0, 1] + big($0.count + 2) + ppp($0) },
    Encapsulation("FDDI", 10) { [0x50] + macs + snap($0) },
    Encapsulation("raw 12", 12) { $0 }, Encapsulation("raw 14", 14) { $0 }, Encapsulation("raw 101", 101) { $0 },
    Encapsulation("raw IPv4", 228, versions: [4]) { $0 }, Encapsulation("raw IPv6", 229, versions: [6]) { $0 },
    Encapsulation("Linux cooked", 113) { zeros(14) + type($0) + $0 },
    Encapsulation("Linux cooked with 802.1Q", 113) { zeros(14) + [0x81, 0, 0, 5] + type($0) + $0 },
    Encapsulation("Linux cooked v2", 276) { type($0) + zeros(18) + $0 },
    Encapsulation("802.11", 105) { wireless(0x08, 2, 0) + snap($0) },
    Encapsulation("802.11 QoS", 105) { wireless(0x88, 1, 2) + snap($0) },
    Encapsulation("802.11 QoS with four addresses and HT control", 105) { wireless(0x88, 0x83, 12) + snap($0) },
    Encapsulation("radiotap", 127) { [0, 0, 8, 0, 0, 0, 0, 0] + wireless(0x08, 2, 0) + snap($0) },
    Encapsulation("radiotap, header padded", 127) {
      [0, 0, 9, 0, 2, 0, 0, 0, 0x20] + wireless(0x88, 1, 4) + snap($0)
    },
    Encapsulation("radiotap, longer bit map and time", 127) {
      [0, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0] + zeros(4) + zeros(8) + [0x30] + wireless(0x88, 1, 4) + snap($0)
    },
    Encapsulation("PPI with 802.11", 192) { [0, 0, 8, 0, 105, 0, 0, 0] + wireless(0x08, 2, 0) + snap($0) },
    Encapsulation("PPI with Ethernet", 192) { [0, 0, 12, 0, 1, 0, 0, 0, 9, 9, 9, 9] + ethernet($0) },
    Encapsulation("ipnet", 226) { [1, isV6($0) ? 26 : 2] + zeros(22) + $0 },
    Encapsulation("NFLOG", 239) { nflog($0, little) },
    Encapsulation("NFLOG, big-endian", 239) { nflog($0, big) },
    Encapsulation("PKTAP with Ethernet", 258) { pktap(1, ethernet($0)) },
    Encapsulation("PKTAP with raw IP", 258) { pktap(12, $0) },
    Encapsulation("PKTAP as user link 2", 149) { pktap(1, ethernet($0)) },
    Encapsulation("DSA", 284) { macs + [0x40, 0, 0, 0] + type($0) + $0 },
    Encapsulation("DSA in place of 802.1Q", 284) { macs + [0x60, 0, 0, 7] + type($0) + $0 },
    Encapsulation("802.3 with SNAP", 1) { macs + [0, 60] + snap($0) },
    Encapsulation("802.1Q", 1) { macs + [0x81, 0, 0, 7] + type($0) + $0 },
    Encapsulation("QinQ", 1) { macs + [0x88, 0xA8, 0, 1, 0x81, 0, 0, 7] + type($0) + $0 },
    Encapsulation("PPPoE over Ethernet", 1) {
      macs + [0x88, 0x64, 0x11, 0, 0, 1] + big($0.count + 2) + ppp($0) + zeros(6)
    },
    Encapsulation("802.1ah", 1) { macs + [0x88, 0xA8, 0, 9, 0x88, 0xE7, 0, 0, 0, 1] + ethernet($0) },
    Encapsulation("802.1ah fifty deep", 1) { packet in
      (0..<50).reduce(ethernet(packet)) { inner, _ in macs + [0x88, 0xE7, 0, 0, 0, 1] + inner }
    },
    Encapsulation("MPLS", 1) { macs + [0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64] + $0 },
    Encapsulation("MPLS multicast", 1) { macs + [0x88, 0x48, 0, 1, 1, 64] + $0 },
    Encapsulation("GRE", 1) { ethernet(ip4(47, [0, 0] + type($0) + $0)) },
    Encapsulation("GRE with checksum, key and sequence over IPv6", 1) {
      ethernet(ip6(47, [0xB0, 0] + type($0) + zeros(12) + $0))
    },
    Encapsulation("GRE with Ethernet", 1) { ethernet(ip4(47, [0, 0, 0x65, 0x58] + ethernet($0))) },
    Encapsulation("GRE with MPLS", 1) { ethernet(ip4(47, [0, 0, 0x88, 0x47, 0, 1, 1, 64] + $0)) },
    Encapsulation("PPTP", 1) {
      ethernet(ip4(47, [0x30, 0x81, 0x88, 0x0B] + big($0.count + 4) + zeros(10) + [0xFF, 3] + ppp($0)))
    },
    Encapsulation("IP in IPv4", 1) { ethernet(ip4(number($0), $0)) },
    Encapsulation("IP in IPv6 behind a hop-by-hop header", 1) {
      ethernet(ip6(0, [number($0), 0, 5, 2, 0, 0, 1, 0] + $0))
    },
  ]
}
