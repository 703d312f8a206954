import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("IP, UDP and group membership at their bounds") struct InternetHeaderTests {
  private static func ipv4(_ words: Int, _ options: [UInt8] = []) -> [UInt8] {
    let fixed: [UInt8] = [
      0x40 | UInt8(words), 0xB8, 0x01, 0x02, 0xAB, 0xCD, 0x5F, 0xFF, 9, 17, 0, 0, 10, 1, 2, 3, 239, 255, 255, 250,
    ]
    return fixed + options + [UInt8](repeating: 1, count: max(0, words * 4 - 20 - options.count))
  }

  @Test("an IPv4 header has 20 to 60 bytes, and each field its own of them")
  func ipv4Fields() throws {
    for words in 5...15 {
      let expected = "10.1.2.3 239.255.255.250 \(words * 4) 258 43981 65528 false true 9 17"
      let wrong = misreadings(of: Self.ipv4(words), expected) { packet in
        guard let header = IPv4Header(packet) else { return nil }
        let lengths = "\(header.headerBytes) \(header.totalBytes)"
        let fragment = "\(header.identification) \(header.fragmentOffsetBytes) \(header.hasMoreFragments)"
        let rest = "\(header.mayNotFragment) \(header.hopLimit) \(header.protocolNumber.rawValue)"
        return "\(header.source) \(header.destination) \(lengths) \(fragment) \(rest)"
      }
      expectEqual(wrong, [])
    }
    for first in [0x44, 0x35, 0x55, 0x65, 0x40] as [UInt8] {
      var packet = Self.ipv4(15)
      packet[0] = first
      expectEqual(packet.withUnsafeBytes { IPv4Header($0) }, nil)
    }
    // More fragments, the offset, both or neither; then where a packet ends.
    for (high, low, isFragment) in [(0x20, 0, true), (0, 1, true), (0x1F, 0, true), (0xC0, 0, false)]
      as [(UInt8, UInt8, Bool)]
    {
      var packet = Self.ipv4(5)
      (packet[6], packet[7]) = (high, low)
      expectEqual(packet.withUnsafeBytes { IPv4Header($0) }?.isFragment, isFragment)
    }
    for (total, count, end) in [(0, 90, 90), (23, 90, nil), (24, 90, 24), (89, 90, 89), (91, 90, 90)]
      as [(Int, Int, Int?)]
    {
      var header = try #require(Self.ipv4(6).withUnsafeBytes { IPv4Header($0) })
      header.totalBytes = total
      expectEqual(header.end(within: count), end)
    }
  }

  @Test(
    "options of IPv4 are walked up to the end of the list or of the header; a source route counts while hops are left")
  func ipv4Options() {
    let options: [([UInt8], isRouted: Bool)] = [
      ([148, 4, 0, 0], false), ([1, 131, 3, 3], true), ([1, 1, 1, 131], false), ([0, 131, 3, 3], false),
      ([7, 4, 0, 0, 131, 3, 3, 0], true), ([7, 1, 131, 3, 3, 0, 0, 0], false), ([7, 0, 131, 3, 3, 0, 0, 0], false),
      ([7, 2, 131, 3, 3, 0, 0, 0], true), ([1, 1, 131, 2], false), ([131, 5, 4, 0], false), ([131, 1, 1, 0], false),
      ([131, 0, 0, 0], false), ([131, 4, 4, 0], true), ([137, 4, 4, 0], true), ([131, 4, 5, 0], false),
      ([131, 3, 4, 0], false), ([131, 3, 3, 0], true), ([131, 2, 0, 0], false), ([136, 4, 4, 0], false),
      ([1, 131, 7, 7, 0, 0, 0, 0], true), ([1, 131, 7, 8, 0, 0, 0, 0], false), ([148, 4, 0, 0, 137, 3, 1, 0], true),
      ([131, 6, 4, 0], false), ([137, 3, 4, 0, 131, 3, 3, 0], false), ([137, 4, 5, 0, 131, 3, 3, 0], true),
    ]
    for (bytes, isRouted) in options {
      // What stands behind the header is no option.
      (Self.ipv4(5 + bytes.count / 4, bytes) + [131, 3, 3, 0]).withUnsafeBytes { packet in
        expectEqual(IPv4Header(packet)?.isSourceRouted(packet), isRouted, "\(bytes)")
      }
    }
  }

  @Test("an IPv6 header has 40 bytes, and each field its own of them")
  func ipv6Fields() throws {
    let bytes: [UInt8] = [0x6F, 0xFF, 0xFF, 0xFF, 1, 2, 44, 9] + Array(1...32)
    let expected = "102:304:506:708:90a:b0c:d0e:f10 1112:1314:1516:1718:191a:1b1c:1d1e:1f20 258 44 9 298"
    let wrong = misreadings(of: bytes, expected) { packet in
      IPv6Header(packet).map {
        "\($0.source) \($0.destination) \($0.payloadBytes) \($0.nextHeader) \($0.hopLimit) \($0.end(within: 400))"
      }
    }
    expectEqual(wrong, [])
    var older = bytes
    older[0] = 0x5F
    expectEqual(older.withUnsafeBytes { IPv6Header($0) }, nil)
    for (payload, count, end) in [(0, 90, 90), (1, 90, 41), (49, 90, 89), (50, 90, 90), (51, 90, 90)] {
      var header = try #require(bytes.withUnsafeBytes { IPv6Header($0) })
      header.payloadBytes = payload
      expectEqual(header.end(within: count), end)
    }
  }

  /// Where a chain leads to, counted from its start, and the fragment there.
  private func chain(_ first: UInt8, _ bytes: [UInt8], at start: Int = 0) -> String? {
    bytes.withUnsafeBytes { packet -> String? in
      guard let chain = IPv6Chain(packet, next: first, at: start) else { return nil }
      let fragment = chain.fragment.map { " \($0.identification) \($0.offsetBytes) \($0.hasMoreFragments)" } ?? ""
      return "\(chain.protocolNumber.rawValue) \(chain.offset - start)" + fragment
        + (chain.isSourceRouted ? " routed" : "")
    }
  }

  @Test("a chain of at most 32 extension headers is followed by the length of each, up to a fragment of something")
  func chains() {
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    let extensions: [UInt8] = [0, 43, 44, 51, 60, 135, 139, 140]
    for number in UInt8.min...UInt8.max { expectEqual(IPv6Chain.isExtension(number), extensions.contains(number)) }
    let chains: [(UInt8, [UInt8], String)] = [
      (0, [17, 0] + zeros(6), "17 8"), (60, [17, 2] + zeros(22), "17 24"), (135, [17, 0] + zeros(6), "17 8"),
      (139, [59, 1] + zeros(14), "59 16"), (51, [17, 0] + zeros(6), "17 8"), (51, [17, 4] + zeros(22), "17 24"),
      (43, [17, 0, 0, 0] + zeros(4), "17 8"), (43, [17, 0, 0, 1] + zeros(4), "17 8 routed"),
      (44, [17, 99, 0, 0, 1, 2, 3, 4], "17 8"), (44, [17, 0, 0, 6, 1, 2, 3, 4], "17 8"),
      (44, [17, 0, 0, 1, 1, 2, 3, 4], "17 8 16909060 0 true"), (44, [17, 0, 0, 8, 0, 0, 0, 9], "17 8 9 8 false"),
      (44, [60, 0, 0xFF, 0xF9, 0, 0, 0, 9], "60 8 9 65528 true"),
      (44, [44, 0, 0, 0, 0, 0, 0, 1, 17, 0, 0, 8, 0, 0, 0, 2], "17 16 2 8 false"),
      (43, [44, 0, 9, 9, 0, 0, 0, 0, 17, 0, 0, 1, 0, 0, 0, 7], "17 16 7 0 true routed"),
    ]
    for (first, bytes, expected) in chains {
      #expect(chain(first, bytes) == expected && chain(first, bytes + [1, 2, 3]) == expected, "\(first), \(bytes)")
      for count in 0..<bytes.count { expectEqual(chain(first, Array(bytes[..<count])), nil, "\(count) of \(bytes)") }
      expectEqual(chain(first, [9, 9, 9] + bytes, at: 3), expected)
    }
    #expect(chain(17, [], at: 0) == "17 0" && chain(59, [1], at: 1) == "59 0")
    for count in [1, 31, 32, 33, 40] {
      let bytes = (0..<count).flatMap { index in [index == count - 1 ? 17 : 60, 0, 0, 0, 0, 0, 0, 0] as [UInt8] }
      expectEqual(chain(60, bytes), (count <= 32 ? "17 \(8 * count)" : nil), "\(count) headers")
    }
  }

  @Test("UDP has eight bytes; its checksum can be told where as many bytes are there as it claims, and eight at least")
  func udp() throws {
    let wrong = misreadings(of: [0xC3, 0x50, 7, 0x6C, 1, 2, 0xAB, 0xCD], "50000 1900 258 43981") { segment in
      UDPHeader(segment).map { "\($0.sourcePort) \($0.destinationPort) \($0.totalBytes) \($0.checksum)" }
    }
    expectEqual(wrong, [])
    let host6 = try #require(IPAddress("fe80::1"))
    let ends = [
      (Endpoint(IPAddress(10, 0, 0, 1), port: 50_000), Endpoint(.ssdpGroup4, port: 1_900)),
      (Endpoint(host6, port: 50_000), Endpoint(.ssdpGroup6, port: 1_900)),
    ]
    for (source, destination) in ends {
      func status(_ segment: [UInt8], _ other: IPAddress? = nil) -> UDPChecksum {
        segment.withUnsafeBytes {
          UDPHeader.verify($0, source: other ?? source.address, destination: destination.address)
        }
      }
      for count in 0...9 {
        let payload = (0..<count).map { UInt8(200 + $0) }
        let segment = try #require(
          payload.withUnsafeBytes { UDPHeader.segment(from: source, to: destination, payload: $0) })
        #expect(segment.count == 8 + count && Array(segment[8...]) == payload && segment[5] == UInt8(8 + count))
        #expect(status(segment) == .good && status(segment + [9, 9]) == .good)
        #expect(status(segment, destination.address) == .bad && status(Array(segment.dropLast())) == .unverifiable)
        for place in segment.indices where place != 4 && place != 5 {
          var damaged = segment
          damaged[place] ^= 0x40
          expectEqual(status(damaged), .bad, "byte \(place) of \(segment)")
        }
        let lies: [(UInt8, UDPChecksum)] = [(7, .unverifiable), (UInt8(9 + count), .unverifiable), (0, .bad)]
        for (claimed, expected) in lies {
          var lying = segment
          lying[5] = claimed
          expectEqual(status(lying), expected, "\(claimed) of \(segment.count) bytes")
        }
        var none = segment
        (none[6], none[7]) = (0, 0)
        expectEqual(status(none), .absent)
      }
      for (count, fits) in [(65_527, true), (65_528, false)] {
        let most = [UInt8](repeating: 0x5A, count: count).withUnsafeBytes {
          UDPHeader.segment(from: source, to: destination, payload: $0)
        }
        #expect(most?.count == (fits ? 65_535 : nil) && (most.map { status($0) == .good } ?? true))
      }
    }
  }

  @Test("a checksum is the complement of the sum of 16-bit words, however long and however cut up on even bytes")
  func checksum() {
    for count in 0...40 {
      for fill in [0x00, 0x01, 0x80, 0xFF] as [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) | fill }
        var expected = 0
        for (offset, byte) in bytes.enumerated() { expected += offset % 2 == 0 ? Int(byte) << 8 : Int(byte) }
        while expected > 0xFFFF { expected = expected >> 16 + expected & 0xFFFF }
        for cut in stride(from: 0, through: count, by: 2) {
          var sum = InternetChecksum()
          bytes.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<cut])) }
          bytes.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[cut...])) }
          if sum.value != ~UInt16(expected) { Issue.record("\(count) bytes, cut at \(cut)") }
        }
      }
    }
    var words = InternetChecksum()
    for word in [0xFFFF, 0x0001, 0x8000, 0x8000] as [UInt16] { words.add(word: word) }
    expectEqual(words.value, ~UInt16(2))
  }

  @Test("the same message within two milliseconds is a copy, unless both packets have a number and it is not the same")
  func copies() {
    let (close, late) = (Interval.nanoseconds(1_999_999), Interval.milliseconds(2))
    let cases: [(Int32, Int32, Bool)] = [
      (7, 7, true), (0, 0, true), (7, 8, false), (0, 1, false), (-1, 7, true), (7, -1, true), (-1, -1, true),
      (0, -1, true),
    ]
    for (one, other, isCopy) in cases {
      expectEqual(NetworkCopy.isCopy(one, of: other, after: close), isCopy, "\(one) after \(other)")
      #expect(
        NetworkCopy.isCopy(one, of: other, after: .zero) == isCopy && !NetworkCopy.isCopy(one, of: other, after: late))
    }
  }

  // MARK: Group membership

  @Test("of all kinds of IGMP messages five are read; a group is 224.0.0.0 ... 239.255.255.255")
  func groupMessages() throws {
    let group = IPAddress(239, 1, 0, 0)
    for type in UInt8.min...UInt8.max {
      let expected: GroupMessage?
      switch type {
      case 0x11: expected = .query(GroupQuery(generation: .first, group: group))
      case 0x12: expected = .join(group, isVersion1: true)
      case 0x16: expected = .join(group)
      case 0x17: expected = .leave(group)
      // The last two bytes are the number of records.
      case 0x22: expected = .report([])
      default: expected = nil
      }
      let bytes = GroupMembershipTests.sealed([type, 0, 0, 0, 239, 1, 0, 0])
      expectEqual(GroupMembershipTests.read4(bytes), expected, "type \(type)")
    }
    for (address, isGroup) in [
      ("223.255.255.255", false), ("224.0.0.0", true), ("239.255.255.255", true), ("240.0.0.0", false),
    ] {
      let group = try #require(IPAddress(address))
      for type in [0x11, 0x12, 0x16, 0x17] as [UInt8] {
        let found = GroupMembershipTests.read4(GroupMembershipTests.sealed([type, 0, 0, 0] + group.bytes))
        expectEqual((found != nil), isGroup, "\(address), type \(type)")
      }
      let record = GroupMembershipTests.sealed([0x22, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0] + group.bytes)
      expectEqual(
        GroupMembershipTests.read4(record), (isGroup ? GroupMessage.change(joining: group) : nil), "\(address)")
    }
  }

  @Test("every code of a time and every byte of flags in a query is read as RFC 3376 says, and written as it was")
  func queries() {
    func value(_ code: UInt32) -> UInt32 { code < 128 ? code : (16 + code % 16) << (3 + code / 16 % 8) }
    for byte in UInt8.min...UInt8.max {
      let time = value(UInt32(byte))
      let query = GroupMembershipTests.sealed([0x11, byte, 0, 0, 0, 0, 0, 0, byte, ~byte, 0, 1, 10, 0, 0, 1])
      let message = GroupMessage.query(
        GroupQuery(
          generation: .third, maximumResponseMilliseconds: time * 100, suppressesRouterProcessing: byte / 8 % 2 == 1,
          robustness: byte % 8, intervalSeconds: value(UInt32(~byte)), sources: [IPAddress(10, 0, 0, 1)]))
      expectEqual(GroupMembershipTests.read4(query), message, "\(byte)")
      // The next larger code begins with the next larger time.
      let next: UInt32 = byte < 255 ? value(UInt32(byte) + 1) - 1 : .max
      for seconds in [time, time + (next - time) / 2, next] {
        let written = GroupMessage.query(GroupQuery(generation: .third, intervalSeconds: seconds)).igmpBytes()
        expectEqual(written[9], byte, "\(seconds) s")
      }
      let old = GroupMembershipTests.sealed([0x11, byte, 0, 0, 0, 0, 0, 0])
      let oldQuery = GroupQuery(
        generation: byte == 0 ? .first : .second,
        maximumResponseMilliseconds: byte == 0 ? 10_000 : UInt32(byte) * 100)
      expectEqual(GroupMembershipTests.read4(old), .query(oldQuery), "\(byte)")
    }
    for count in [9, 10, 11, 12, 13, 14, 15] {
      let query: [UInt8] = [0x11, 1, 0, 0, 0, 0, 0, 0, 2, 3, 0, 1, 10, 0, 0, 1]
      expectEqual(
        GroupMembershipTests.read4(GroupMembershipTests.sealed(Array(query[..<count]))), nil, "\(count) bytes")
    }
  }
}
