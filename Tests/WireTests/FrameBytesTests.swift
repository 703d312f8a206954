import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Frames to the byte") struct FrameBytesTests {
  private static let mac = MACAddress(2, 3, 4, 5, 6, 7)
  private static let host4 = Endpoint(IPAddress(192, 168, 1, 20), port: 50_000)
  private static let group4 = Endpoint(.ssdpGroup4, port: 1_900)
  private static let host6 = Endpoint(GroupMembershipTests.host6, port: 50_001)
  private static let group6 = Endpoint(.ssdpGroup6, port: 1_900)
  private static let ethernet4: [UInt8] = [1, 0, 0x5E, 0x7F, 0xFF, 0xFA, 2, 3, 4, 5, 6, 7, 8, 0]
  private static let ethernet6: [UInt8] = [0x33, 0x33, 0, 0, 0, 0x0C, 2, 3, 4, 5, 6, 7, 0x86, 0xDD]

  private static func link(_ group: IPAddress, vlan: UInt16? = nil) throws -> LinkAddresses {
    try #require(LinkAddresses(source: mac, group: group, vlan: vlan))
  }

  private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

  /// The checksum of RFC 1071, byte by byte.
  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var sum = 0
    for (offset, byte) in bytes.enumerated() { sum += offset % 2 == 0 ? Int(byte) << 8 : Int(byte) }
    while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
    return word(~sum & 0xFFFF)
  }

  /// What ICMPv6 and UDP over IPv6 put before the bytes that they add up.
  private static func pseudoHeader(_ protocolNumber: UInt8, _ count: Int) -> [UInt8] {
    var bytes = host6.address.bytes + group6.address.bytes
    bytes += word(count >> 16) + word(count)
    bytes += [0, 0, 0, protocolNumber]
    return bytes
  }

  /// A header of IPv4 around `count` bytes, checksum filled in.
  private static func header4(
    _ start: [UInt8], _ count: Int, _ rest: [UInt8], _ options: [UInt8] = []
  ) -> [UInt8] {
    var bytes = start
    bytes += word(20 + options.count + count)
    bytes += rest
    let addresses = host4.address.bytes + group4.address.bytes + options
    return bytes + checksum(bytes + [0, 0] + addresses) + addresses
  }

  private static func header6(_ count: Int, _ next: UInt8, _ hopLimit: UInt8) -> [UInt8] {
    var bytes: [UInt8] = [0x60, 0, 0, 0]
    bytes += word(count)
    bytes += [next, hopLimit]
    bytes += host6.address.bytes + group6.address.bytes
    return bytes
  }

  private static func segment(_ source: Endpoint, _ destination: Endpoint, _ payload: [UInt8]) throws -> [UInt8] {
    try #require(payload.withUnsafeBytes { UDPHeader.segment(from: source, to: destination, payload: $0) })
  }

  @Test("a datagram goes in one packet while it fits the MTU, else in pieces of as many bytes of eight as fit")
  func fragments() throws {
    // Bytes of header and payload of UDP, and of each piece but the last; 0: in one packet.
    let cases: [(isV4: Bool, mtu: Int, count: Int, step: Int)] = [
      (true, 1_500, 1_480, 0), (true, 1_500, 1_481, 1_480), (true, 0, 48, 0), (true, 0, 49, 48), (true, -1, 49, 48),
      (true, 68, 48, 0), (true, 68, 49, 48), (true, 68, 96, 48), (true, 68, 97, 48), (true, 69, 49, 0),
      (true, 69, 50, 48), (true, 75, 56, 48), (true, 76, 56, 0), (true, 76, 57, 56), (true, 1_507, 3_000, 1_480),
      (false, 1_500, 1_460, 0), (false, 1_500, 1_461, 1_448), (false, 0, 1_240, 0), (false, 0, 1_241, 1_232),
      (false, 1_280, 1_241, 1_232), (false, 1_281, 1_241, 0), (false, 1_281, 1_242, 1_232),
      (false, 1_287, 2_464, 1_232), (false, 1_288, 1_249, 1_240), (false, 1_280, 2_465, 1_232),
    ]
    for (isV4, mtu, count, step) in cases {
      let (source, destination) = isV4 ? (Self.host4, Self.group4) : (Self.host6, Self.group6)
      let payload = (0..<(count - 8)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let segment = try Self.segment(source, destination, payload)
      var expected: [[UInt8]] = []
      for start in stride(from: 0, to: count, by: step == 0 ? count : step) {
        let piece = Array(segment[start..<(step == 0 ? count : min(start + step, count))])
        let hasMore = step != 0 && start + step < count
        if isV4 {
          let fragment = Self.word(start / 8 + (hasMore ? 0x2000 : 0))
          let header = Self.header4([0x45, 0], piece.count, [0xC3, 0xD4] + fragment + [9, 17])
          expected.append(Self.ethernet4 + header + piece)
        } else if step == 0 {
          expected.append(Self.ethernet6 + Self.header6(count, 17, 9) + piece)
        } else {
          var fragment: [UInt8] = [17, 0]
          fragment += Self.word(start + (hasMore ? 1 : 0))
          fragment += [0xA1, 0xB2, 0xC3, 0xD4]
          expected.append(Self.ethernet6 + Self.header6(8 + piece.count, 44, 9) + fragment + piece)
        }
      }
      let frames = try FrameWriter.udp(
        Self.link(destination.address), from: source, to: destination, hopLimit: 9, payload: payload,
        identification: 0xA1B2_C3D4, mtuBytes: mtu)
      expectEqual(frames, expected, "\(count) bytes, MTU \(mtu), IPv4 \(isV4)")
    }
  }

  @Test("a tag of a VLAN stands behind the addresses and keeps twelve bits of its number")
  func tags() throws {
    let segment = try Self.segment(Self.host6, Self.group6, [1])
    for (vlan, tag) in [(0, [0, 0]), (42, [0, 42]), (4_095, [0x0F, 0xFF]), (0xF02A, [0, 42])] as [(UInt16, [UInt8])] {
      let frames = try FrameWriter.udp(
        Self.link(.ssdpGroup6, vlan: vlan), from: Self.host6, to: Self.group6, hopLimit: 1, payload: [1])
      var expected = Array(Self.ethernet6[..<12])
      expected += [0x81, 0]
      expected += tag
      expected += [0x86, 0xDD]
      expected += Self.header6(9, 17, 1)
      expected += segment
      expectEqual(frames, [expected], "VLAN \(vlan)")
    }
    expectEqual(LinkAddresses(source: Self.mac, group: Self.host4.address), nil)
    let types = [EtherType.ipv4, .arp, .ipv6, .vlan].map(\.rawValue)
    expectEqual(types, [0x0800, 0x0806, 0x86DD, 0x8100])
  }

  @Test("IGMP stands behind the router alert with the precedence of network control, MLD behind that of IPv6")
  func alerts() throws {
    let link4 = try Self.link(.ssdpGroup4)
    let link6 = try Self.link(.ssdpGroup6)
    let report: [UInt8] = [0x16, 0, 0xFA, 4, 239, 255, 255, 250]
    let igmp = FrameWriter.frame(
      link4, from: Self.host4.address, to: .ssdpGroup4, protocolNumber: .igmp,
      ipPayload: [0x16, 0, 0, 0, 239, 255, 255, 250], identification: 0x1234)
    let header = Self.header4([0x46, 0xC0], 8, [0x12, 0x34, 0, 0, 1, 2], [0x94, 4, 0, 0])
    expectEqual(igmp, Self.ethernet4 + header + report)
    let bare = FrameWriter.frame(
      link4, from: Self.host4.address, to: .ssdpGroup4, protocolNumber: .igmp, ipPayload: report, hopLimit: 7,
      hasRouterAlert: false)
    let bareHeader = Self.header4([0x45, 0], 8, [0, 0, 0, 0, 7, 2])
    expectEqual(bare, Self.ethernet4 + bareHeader + report)

    let unsealed: [UInt8] = [132, 0, 0, 0, 0, 0, 0, 0] + IPAddress.ssdpGroup6.bytes
    let sum = Self.checksum(Self.pseudoHeader(58, 24) + unsealed)
    var done = unsealed
    done.replaceSubrange(2..<4, with: sum)
    let mld = FrameWriter.frame(
      link6, from: Self.host6.address, to: .ssdpGroup6, protocolNumber: .icmpV6, ipPayload: unsealed)
    let alert: [UInt8] = [58, 0, 5, 2, 0, 0, 1, 0]
    expectEqual(mld, Self.ethernet6 + Self.header6(32, 0, 1) + alert + done)
    let echo = FrameWriter.frame(
      link6, from: Self.host6.address, to: .ssdpGroup6, protocolNumber: .icmpV6, ipPayload: unsealed, hopLimit: 255,
      hasRouterAlert: false)
    expectEqual(echo, Self.ethernet6 + Self.header6(24, 58, 255) + done)
  }

  @Test("a checksum of IGMP or ICMPv6 is filled in where both its bytes are zero, and no other")
  func filled() throws {
    let link4 = try Self.link(.ssdpGroup4)
    let cases: [(IPProtocol, [UInt8], [UInt8])] = [
      (.igmp, [0x16, 0, 0, 0], [0x16, 0, 0xE9, 0xFF]), (.igmp, [0x16, 0, 0], [0x16, 0, 0]), (.igmp, [], []),
      (.igmp, [0x16, 0, 0, 1], [0x16, 0, 0, 1]), (.igmp, [0x16, 0, 1, 0], [0x16, 0, 1, 0]),
      (.igmp, [0x16, 0, 0, 0, 0], [0x16, 0, 0xE9, 0xFF, 0]), (.udp, [1, 2, 0, 0], [1, 2, 0, 0]),
      (.icmp, [8, 0, 0, 0], [8, 0, 0, 0]), (.tcp, [1, 2, 0, 0, 5], [1, 2, 0, 0, 5]),
    ]
    for (number, payload, expected) in cases {
      let frame = FrameWriter.frame(
        link4, from: Self.host4.address, to: .ssdpGroup4, protocolNumber: number, ipPayload: payload)
      expectEqual(frame.map { Array($0[38...]) }, expected, "\(number.rawValue): \(payload)")
    }
  }

  @Test("a packet carries 65535 bytes, its header among them over IPv4 and not over IPv6")
  func largest() throws {
    let cases: [(isV4: Bool, hasAlert: Bool, count: Int)] = [
      (true, true, 65_511), (true, false, 65_515), (false, true, 65_527), (false, false, 65_535),
    ]
    for (isV4, hasAlert, count) in cases {
      let (source, destination) = isV4 ? (Self.host4, Self.group4) : (Self.host6, Self.group6)
      let link = try Self.link(destination.address)
      func byteCount(_ count: Int) -> Int? {
        FrameWriter.frame(
          link, from: source.address, to: destination.address, protocolNumber: .udp,
          ipPayload: [UInt8](repeating: 1, count: count), hasRouterAlert: hasAlert)?.count
      }
      #expect(byteCount(count) == (isV4 ? 14 : 54) + 65_535 && byteCount(count + 1) == nil, "\(count)")
    }
    let mixed = try FrameWriter.frame(
      Self.link(.ssdpGroup4), from: Self.host6.address, to: .ssdpGroup4, protocolNumber: .udp, ipPayload: [1])
    expectEqual(mixed, nil)
  }

  @Test("a UDP length of zero is a jumbogram's: its checksum is over all that is there, with a length of 32 bits")
  func jumbograms() {
    for count in [8, 13, 65_535, 65_536, 65_544, 131_080] {
      var bytes: [UInt8] = [0xC3, 0x51, 0x07, 0x6C, 0, 0, 0, 0]
      bytes += [UInt8](repeating: 0x5A, count: count - 8)
      let sum = Self.checksum(Self.pseudoHeader(17, count) + bytes)
      bytes.replaceSubrange(6..<8, with: sum)
      func status() -> UDPChecksum {
        bytes.withUnsafeBytes {
          UDPHeader.verify($0, source: Self.host6.address, destination: Self.group6.address)
        }
      }
      expectEqual(status(), .good, "\(count) bytes")
      bytes[count - 1] ^= 0x40
      expectEqual(status(), .bad, "\(count) bytes")
    }
  }
}
