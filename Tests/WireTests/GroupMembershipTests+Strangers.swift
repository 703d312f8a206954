import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// What other programs say: tshark reads what we write, and we read what real hosts sent.
extension GroupMembershipTests {
  /// One IPv4 packet with the router alert option. The header checksum stays 0; tshark does not check it by default.
  static func packet4(_ message: GroupMessage) -> [UInt8] {
    let payload = message.igmpBytes()
    var header: [UInt8] = [0x46, 0xC0, 0, UInt8(24 + payload.count), 0, 0, 0x40, 0, GroupMessage.hopLimit, 2, 0, 0]
    header += IPAddress(192, 168, 1, 20).bytes + message.destination(family: .v4).bytes
    return header + [0x94, 4, 0, 0] + payload
  }

  /// One IPv6 packet with the hop-by-hop router alert.
  static func packet6(_ message: GroupMessage) -> [UInt8] {
    let destination = message.destination(family: .v6)
    let payload = [58, 0, 5, 2, 0, 0, 1, 0] + message.mldBytes(source: host6, destination: destination)
    return [0x60, 0, 0, 0, 0, UInt8(payload.count), 0, GroupMessage.hopLimit] + host6.bytes + destination.bytes
      + payload
  }

  /// A capture file of raw IP packets.
  static func capture(_ packets: [[UInt8]]) -> Data {
    func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    var bytes = little(0xA1B2_C3D4) + [2, 0, 4, 0] + little(0) + little(0) + little(65_535) + little(101)
    for packet in packets {
      bytes += little(0) + little(0) + little(UInt32(packet.count)) + little(UInt32(packet.count)) + packet
    }
    return Data(bytes)
  }

  @Test("tshark reads what we write, with good checksums and nothing malformed")
  func tsharkAgrees() throws {
    let messages4 = GroupMembershipTests.messages4
    let messages6 = GroupMembershipTests.messages6
    let packets =
      messages4.map { GroupMembershipTests.packet4($0.0) } + messages6.map { GroupMembershipTests.packet6($0.0) }
    let fields = [
      "igmp.type", "igmp.maddr", "igmp.checksum.status", "icmpv6.type", "icmpv6.mld.multicast_address",
      "icmpv6.mldr.mar.multicast_address", "icmpv6.checksum.status", "_ws.malformed",
    ]
    let capture = GroupMembershipTests.capture(packets)
    let asked = ["-n", "-T", "fields", "-E", "separator=|"] + fields.flatMap { ["-e", $0] }
    guard let answer = try Tshark.ask(capture, asked, for: "our IGMP and MLD as others read them") else { return }

    // One line a packet: type, groups, and the status of the checksum, where 1 is good.
    let lines = answer.lines.map { line in
      let columns = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      let groups = columns[1] + columns[4] + columns[5]
      return "\(columns[0])\(columns[3]) \(groups) \(columns[2])\(columns[6])\(columns[7])"
    }
    let expected = (messages4 + messages6).map { line in line.1 + (line.1.contains(" ") ? " 1" : "  1") }
    expectEqual(lines, expected)
  }

  /// The IGMP payloads of an Ethernet capture in the classic format, microseconds, little-endian.
  static func igmpPayloads(_ file: URL) throws -> [[UInt8]] {
    let bytes = [UInt8](try Data(contentsOf: file))
    var payloads: [[UInt8]] = []
    var offset = 24
    while offset + 16 <= bytes.count {
      let count = Int(bytes[offset + 8]) | Int(bytes[offset + 9]) << 8
      let frame = bytes[(offset + 16)...].prefix(count)
      offset += 16 + count
      let ip = Array(frame.dropFirst(14))
      guard ip.count > 20, frame[frame.startIndex + 12] == 8, ip[9] == 2 else { continue }
      payloads.append(Array(ip[(Int(ip[0] & 15) * 4)..<(Int(ip[2]) << 8 | Int(ip[3]))]))
    }
    return payloads
  }

  static let llmnr = IPAddress(224, 0, 0, 252)
  static let recorded: [(String, [GroupMessage])] = [
    (
      "linktypes/igmp-versions.pcap",
      (0..<8).flatMap { _ in
        [.query(GroupQuery(generation: .first)), .join(IPAddress(239, 1, 1, 1), isVersion1: true)]
      }
    ),
    (
      "linktypes/igmp-and-llmnr.pcap",
      [.leave(llmnr), .join(llmnr), .join(llmnr), .leave(llmnr), .join(llmnr), .join(llmnr)]
    ),
    (
      "ssdp/home-multicast-igmp-ssdp-mdns.pcap",
      [
        .query(
          GroupQuery(generation: .third, maximumResponseMilliseconds: 10_000, robustness: 2, intervalSeconds: 125)),
        .report([GroupRecord(.isExclude, IPAddress(224, 0, 0, 251))]),
        .report([GroupRecord(.isExclude, .ssdpGroup4), GroupRecord(.isExclude, IPAddress(224, 0, 0, 251))]),
      ]
    ),
  ]

  @Test("what real hosts and routers sent is read as tshark reads it", arguments: recorded.indices)
  func recordedMessages(number: Int) throws {
    let (name, expected) = GroupMembershipTests.recorded[number]
    guard let file = CaptureFolder.capture(name, for: "group membership against tshark") else { return }
    let payloads = try GroupMembershipTests.igmpPayloads(file)
    expectEqual(payloads.map { GroupMembershipTests.read4($0) }, expected)
    // What was read is written as it was, but for padding that the sender counted in.
    for payload in payloads {
      if let message = GroupMembershipTests.read4(payload) { #expect(payload.starts(with: message.igmpBytes())) }
    }
  }
}
