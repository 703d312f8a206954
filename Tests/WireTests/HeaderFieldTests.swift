import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("Fields of headers, byte by byte") struct HeaderFieldTests {
  /// Bytes of which one is not zero, and others behind them.
  private static func single(_ count: Int, _ place: Int, _ byte: UInt8) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count) + [UInt8](repeating: 0xEE, count: 8)
    bytes[place] = byte
    return bytes
  }

  /// The checksum of RFC 1071, byte by byte.
  private static func checksum(_ bytes: [UInt8]) -> UInt16 {
    var sum = 0
    for (offset, byte) in bytes.enumerated() { sum += offset % 2 == 0 ? Int(byte) << 8 : Int(byte) }
    while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
    return ~UInt16(sum)
  }

  @Test("of the sixteen bits about fragments IPv4 has one that forbids them, one for more, and thirteen for the place")
  func fragments() {
    for flags in 0..<8 {
      for place in [0, 1, 2, 0x1000, 0x1FFE, 0x1FFF] {
        let word = flags << 13 | place
        let start: [UInt8] = [0x45, 0, 0, 20, 0, 0, UInt8(word >> 8), UInt8(word & 0xFF), 9, 17, 0, 0]
        let packet = start + [10, 1, 2, 3, 192, 168, 4, 5]
        let found = packet.withUnsafeBytes { IPv4Header($0) }.map { header in
          "\(header.mayNotFragment) \(header.hasMoreFragments) \(header.fragmentOffsetBytes) \(header.isFragment)"
        }
        let hasMore = flags % 2 == 1
        let expected = "\(flags / 2 % 2 == 1) \(hasMore) \(place * 8) \(hasMore || place > 0)"
        expectEqual(found, expected, "flags \(flags), place \(place)")
      }
    }
  }

  @Test("each byte of the addresses of IP and of the header of UDP belongs to one field")
  func places() {
    for place in 12..<20 {
      var packet = Self.single(20, place, 0xA5)
      packet[0] = 0x45
      let header = packet.withUnsafeBytes { IPv4Header($0) }
      expectEqual(header.map { $0.source.bytes + $0.destination.bytes }, Array(packet[12..<20]), "IPv4, byte \(place)")
    }
    for place in 8..<40 {
      var packet = Self.single(40, place, 0xA5)
      packet[0] = 0x60
      let header = packet.withUnsafeBytes { IPv6Header($0) }
      expectEqual(header.map { $0.source.bytes + $0.destination.bytes }, Array(packet[8..<40]), "IPv6, byte \(place)")
    }
    for place in 0..<8 {
      var expected = [0, 0, 0, 0]
      expected[place / 2] = place % 2 == 0 ? 0xA500 : 0xA5
      let found = Self.single(8, place, 0xA5).withUnsafeBytes { UDPHeader($0) }.map { header in
        [Int(header.sourcePort), Int(header.destinationPort), header.totalBytes, Int(header.checksum)]
      }
      expectEqual(found, expected, "UDP, byte \(place)")
    }
  }

  @Test("behind the eight bytes of LLC and SNAP the network layer begins, wherever they stand")
  func snap() {
    let snap: [UInt8] = [0xAA, 0xAA, 3, 0, 0, 0, 0x86, 0xDD]
    // The type before the offset, the tags behind it, and the VLAN of the last one.
    let cases: [(type: UInt16, tags: [UInt8], vlan: Int32)] = [
      (0, [], -1), (1_500, [], -1), (0x8100, [0x20, 9, 0, 0], 9),
      (0x88A8, [0, 1, 0x81, 0, 0x0F, 0xFF, 5, 0xDC], 4_095),
    ]
    for (type, tags, vlan) in cases {
      for start in [0, 2, 13] {
        let bytes = [UInt8](repeating: 0xAA, count: start) + tags + snap
        for behind in [0, 1, 40] {
          let frame = bytes + [UInt8](repeating: 0x81, count: behind)
          let found = frame.withUnsafeBytes { buffer in
            buffer.baseAddress.flatMap { EtherPayload($0, count: buffer.count, type: type, offset: start) }
          }
          let text = found.map { "\($0.etherType == .ipv6) \($0.offset) \($0.vlan)" }
          expectEqual(text, "true \(bytes.count) \(vlan)", "type \(type) at \(start), \(behind) bytes behind")
        }
      }
    }
  }

  @Test("radiotap without its second field tells of no padding, whatever other fields it has")
  func radiotap() {
    for first in [0, 1, 4, 5, 0xFC, 0xFD] as [UInt8] {
      for count in [16, 17, 24] as [UInt8] {
        let bytes = [0, 0, count, 0, first, 0, 0, 0] + [UInt8](repeating: 0xFF, count: Int(count))
        let found = bytes.withUnsafeBytes { RadiotapHeader($0) }.map { "\($0.headerBytes) \($0.padsHeader)" }
        expectEqual(found, "\(count) false", "fields \(first)")
      }
    }
  }

  @Test("every byte of an address counts in the checksum of a pseudo header")
  func addresses() {
    func added(_ address: IPAddress) -> UInt16 {
      var sum = InternetChecksum()
      sum.add(address)
      return sum.value
    }
    for count in [4, 16] {
      var samples: [[UInt8]] = []
      for place in 0..<count {
        for byte in [1, 0x80, 0xC3, 0xFF] as [UInt8] {
          samples.append(Array(Self.single(count, place, byte)[..<count]))
        }
      }
      for step in [1, 37, 85, 255] { samples.append((0..<count).map { UInt8(truncatingIfNeeded: 200 + $0 * step) }) }
      samples.append([UInt8](repeating: 0xFF, count: count))
      for bytes in samples { expectEqual(IPAddress(bytes: bytes).map(added), Self.checksum(bytes), "\(bytes)") }
    }
    // Both addresses, the protocol and a length of 32 bits, in any order of words.
    let (source, destination) = (Array(UInt8(0x41)...0x50), Array(UInt8(0xE1)...0xF0))
    var sum = InternetChecksum()
    if let from = IPAddress(bytes: source), let to = IPAddress(bytes: destination) {
      sum.addPseudoHeader(source: from, destination: to, protocolNumber: 58, byteCount: 0x0102_0304)
    }
    expectEqual(sum.value, Self.checksum(source + destination + [1, 2, 3, 4, 0, 0, 0, 58]))
  }

  @Test("a sum of a quarter of a mebibyte carries once more than that of any packet")
  func longSums() {
    // As many bytes of 255, what follows them, and the checksum of the whole: words of 0xFFFF count nothing.
    let cases: [(count: Int, tail: [UInt8], checksum: UInt16)] = [
      (262_144, [], 0), (262_144, [0, 0, 1, 0], 0xFEFF), (262_148, [], 0), (262_148, [0, 0, 1, 0], 0xFEFF),
    ]
    for (count, tail, checksum) in cases {
      var sum = InternetChecksum()
      ([UInt8](repeating: 0xFF, count: count) + tail).withUnsafeBytes { sum.add($0) }
      expectEqual(sum.value, checksum, "\(count) bytes and \(tail)")
    }
  }

  @Test("a query about one group goes to that group, one about all groups to all hosts")
  func queries() throws {
    let group4 = IPAddress(239, 1, 2, 3)
    let group6 = try #require(IPAddress("ff05::1234"))
    for generation in [.first, .second, .third] as [GroupQuery.Generation] {
      func places(_ group: IPAddress?) -> [String] {
        let query = GroupMessage.query(GroupQuery(generation: generation, group: group))
        return [query.destination(family: .v4).description, query.destination(family: .v6).description]
      }
      expectEqual(places(nil), ["224.0.0.1", "ff02::1"])
      #expect(places(group4).first == "239.1.2.3" && places(group6).last == "ff05::1234", "\(generation)")
    }
  }
}
