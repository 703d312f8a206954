import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Group membership") struct GroupMembershipTests {
  static let ssdp6 = IPAddress.ssdpGroup6
  static let host6 = IPAddress("fe80::211:22ff:fe33:4455")!

  static func read4(_ bytes: [UInt8]) -> GroupMessage? { bytes.withUnsafeBytes { GroupMessage.read(igmp: $0) } }
  static func read6(_ bytes: [UInt8], to destination: IPAddress) -> GroupMessage? {
    bytes.withUnsafeBytes { GroupMessage.read(mld: $0, source: host6, destination: destination) }
  }
  static func hex(_ text: String) -> [UInt8] {
    text.split(separator: " ").map { UInt8($0, radix: 16)! }
  }

  /// Messages of IPv4 with what tshark shows of each: type, then groups.
  static let messages4: [(GroupMessage, String)] = [
    (.join(.ssdpGroup4), "0x16 239.255.255.250"),
    (.join(IPAddress(239, 1, 1, 1), isVersion1: true), "0x12 239.1.1.1"),
    (.leave(.ssdpGroup4), "0x17 239.255.255.250"),
    (.query(GroupQuery(generation: .first)), "0x11 0.0.0.0"),
    (.query(GroupQuery(generation: .second)), "0x11 0.0.0.0"),
    (
      .query(GroupQuery(generation: .second, group: .ssdpGroup4, maximumResponseMilliseconds: 1_000)),
      "0x11 239.255.255.250"
    ),
    (.query(GroupQuery(generation: .third, robustness: 2, intervalSeconds: 125)), "0x11 0.0.0.0"),
    (
      .query(
        GroupQuery(
          generation: .third, group: .ssdpGroup4, maximumResponseMilliseconds: 12_800, suppressesRouterProcessing: true,
          robustness: 7, intervalSeconds: 31_744, sources: [IPAddress(192, 168, 1, 20), IPAddress(192, 168, 1, 21)])),
      "0x11 239.255.255.250"
    ),
    (.change(joining: .ssdpGroup4), "0x22 239.255.255.250"),
    (.change(leaving: .ssdpGroup4), "0x22 239.255.255.250"),
    (
      .report([
        GroupRecord(.isExclude, .ssdpGroup4), GroupRecord(.isInclude, IPAddress(224, 0, 0, 251)),
        GroupRecord(.allowNew, IPAddress(232, 0, 0, 1), sources: [IPAddress(10, 0, 0, 1)]),
        GroupRecord(.blockOld, IPAddress(232, 0, 0, 1), sources: [IPAddress(10, 0, 0, 2), IPAddress(10, 0, 0, 3)]),
      ]), "0x22 239.255.255.250,224.0.0.251,232.0.0.1,232.0.0.1"
    ),
    (.report([]), "0x22"),
  ]

  static let messages6: [(GroupMessage, String)] = [
    (.join(ssdp6), "131 ff02::c"),
    (.leave(ssdp6), "132 ff02::c"),
    (.query(GroupQuery(generation: .second)), "130 ::"),
    (.query(GroupQuery(generation: .second, group: ssdp6, maximumResponseMilliseconds: 65_535)), "130 ff02::c"),
    (
      .query(
        GroupQuery(
          generation: .third, group: ssdp6, maximumResponseMilliseconds: 32_768, robustness: 2, intervalSeconds: 125,
          sources: [IPAddress("2001:db8::1")!])), "130 ff02::c"
    ),
    (.change(joining: ssdp6), "143 ff02::c"),
    (.report([GroupRecord(.toInclude, ssdp6), GroupRecord(.isExclude, .ssdpGroup6Site)]), "143 ff02::c,ff05::c"),
  ]

  @Test("what is written is read back, for both families")
  func roundTrip() {
    for (message, _) in GroupMembershipTests.messages4 {
      expectEqual(GroupMembershipTests.read4(message.igmpBytes()), message)
    }
    for (message, _) in GroupMembershipTests.messages6 {
      let destination = message.destination(family: .v6)
      let bytes = message.mldBytes(source: GroupMembershipTests.host6, destination: destination)
      expectEqual(GroupMembershipTests.read6(bytes, to: destination), message)
    }
  }

  @Test("messages of real hosts are read")
  func realBytes() {
    let read4 = GroupMembershipTests.read4
    let hex = GroupMembershipTests.hex
    expectEqual(read4(hex("12 00 fd fc ef 01 01 01")), .join(IPAddress(239, 1, 1, 1), isVersion1: true))
    expectEqual(read4(hex("11 00 ee ff 00 00 00 00")), .query(GroupQuery(generation: .first)))
    expectEqual(
      read4(hex("22 00 f9 02 00 00 00 01 04 00 00 00 e0 00 00 fb")), .change(joining: IPAddress(224, 0, 0, 251)))
  }

  @Test("a join of the SSDP group has these bytes")
  func exactBytes() {
    let hex = GroupMembershipTests.hex
    expectEqual(GroupMessage.join(.ssdpGroup4).igmpBytes(), hex("16 00 fa 04 ef ff ff fa"))
    expectEqual(GroupMessage.leave(.ssdpGroup4).igmpBytes(), hex("17 00 f9 04 ef ff ff fa"))
    expectEqual(
      GroupMessage.change(joining: .ssdpGroup4).igmpBytes(), hex("22 00 ea 03 00 00 00 01 04 00 00 00 ef ff ff fa"))
  }

  @Test("every cut of every message is refused, and so is every changed bit")
  func damage() {
    for (message, _) in GroupMembershipTests.messages4 {
      let whole = message.igmpBytes()
      for count in 0..<whole.count { expectEqual(GroupMembershipTests.read4(Array(whole[..<count])), nil) }
      for bit in 0..<(whole.count * 8) {
        var damaged = whole
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        expectEqual(GroupMembershipTests.read4(damaged), nil)
      }
    }
    for (message, _) in GroupMembershipTests.messages6 {
      let destination = message.destination(family: .v6)
      let whole = message.mldBytes(source: GroupMembershipTests.host6, destination: destination)
      for count in 0..<whole.count {
        expectEqual(GroupMembershipTests.read6(Array(whole[..<count]), to: destination), nil)
      }
      expectEqual(GroupMembershipTests.read6(whole, to: IPAddress("ff02::99")!), nil)
    }
  }

  /// Gives a cut or damaged message a checksum that is right, so that what lies behind the checksum is reached.
  static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 4 else { return bytes }
    var bytes = bytes
    (bytes[2], bytes[3]) = (0, 0)
    var sum = 0
    for (offset, byte) in bytes.enumerated() { sum += offset % 2 == 0 ? Int(byte) << 8 : Int(byte) }
    while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
    (bytes[2], bytes[3]) = (UInt8(~sum >> 8 & 0xFF), UInt8(~sum & 0xFF))
    return bytes
  }

  @Test("a cut message whose checksum was made good is still refused where something is missing")
  func cutsWithGoodChecksums() {
    for (message, _) in GroupMembershipTests.messages4 {
      let whole = message.igmpBytes()
      for count in 0..<whole.count {
        let answer = GroupMembershipTests.read4(GroupMembershipTests.sealed(Array(whole[..<count])))
        // The first eight bytes of a query of the third generation are a whole query of an older one.
        if count == 8, whole[0] == 0x11 {
          #expect(answer != nil)
        } else {
          expectEqual(answer, nil, "\(message) cut to \(count)")
        }
      }
    }
  }

  @Test("hostile counts, lengths and addresses are refused, bytes behind a whole message are not")
  func hostile() {
    let read = { (text: String) in
      GroupMembershipTests.read4(GroupMembershipTests.sealed(GroupMembershipTests.hex(text)))
    }
    expectEqual(read("22 00 00 00 00 00 ff ff"), nil)
    expectEqual(read("22 00 00 00 00 00 00 01 04 00 ff ff ef ff ff fa"), nil)
    expectEqual(read("22 00 00 00 00 00 00 01 04 ff 00 00 ef ff ff fa"), nil)
    expectEqual(read("22 00 00 00 00 00 00 01 04 00 00 00 c0 a8 01 01"), nil)
    expectEqual(read("11 64 00 00 00 00 00 00 02 7d ff ff"), nil)
    expectEqual(read("11 64 00 00 c0 a8 01 01"), nil)
    expectEqual(read("11 64 00 00 00 00 00 00 00"), nil)
    expectEqual(read("16 00 00 00 00 00 00 00"), nil)
    expectEqual(read("16 00 00 00 c0 a8 01 01"), nil)
    expectEqual(read("99 00 00 00 ef ff ff fa"), nil)
    expectEqual(read("16 00 00 00 ef ff ff fa 00 00 00 00"), .join(.ssdpGroup4))
    // A record of unknown kind is skipped, its auxiliary data with it.
    expectEqual(
      read("22 00 00 00 00 00 00 02 09 01 00 00 ef 01 01 01 de ad be ef 03 00 00 00 ef ff ff fa"),
      .change(leaving: .ssdpGroup4))
    expectEqual(read("22 00 00 00 00 00 00 01 04 01 00 00 ef ff ff fa 00 00 00"), nil)
  }

  @Test("every byte value at every place of every message is read without harm")
  func everyByte() {
    for (message, _) in GroupMembershipTests.messages4 {
      let whole = message.igmpBytes()
      for position in whole.indices where position != 2 && position != 3 {
        for byte in stride(from: 0, through: 255, by: 5) {
          var damaged = whole
          damaged[position] = UInt8(byte)
          if let read = GroupMembershipTests.read4(GroupMembershipTests.sealed(damaged)),
            case .report(let records) = read
          {
            #expect(records.count <= whole.count / 8)
          }
        }
      }
    }
  }

  @Test("times beyond the plain codes are rounded down to the nearest code")
  func timeCodes() {
    func back(_ milliseconds: UInt32, _ seconds: UInt32) -> [UInt32] {
      let query = GroupQuery(
        generation: .third, maximumResponseMilliseconds: milliseconds, intervalSeconds: seconds)
      guard case .query(let read) = GroupMembershipTests.read4(GroupMessage.query(query).igmpBytes()) else { return [] }
      return [read.maximumResponseMilliseconds, read.intervalSeconds]
    }
    expectEqual(back(12_700, 127), [12_700, 127])
    expectEqual(back(12_800, 128), [12_800, 128])
    expectEqual(back(13_500, 135), [12_800, 128])
    expectEqual(back(13_600, 136), [13_600, 136])
    expectEqual(back(99_000, 1_000), [96_000, 992])
    expectEqual(back(.max, .max), [3_174_400, 31_744])
    func back6(_ milliseconds: UInt32) -> UInt32? {
      let query = GroupMessage.query(GroupQuery(generation: .third, maximumResponseMilliseconds: milliseconds))
      let to = query.destination(family: .v6)
      let bytes = query.mldBytes(source: GroupMembershipTests.host6, destination: to)
      guard case .query(let read) = GroupMembershipTests.read6(bytes, to: to) else { return nil }
      return read.maximumResponseMilliseconds
    }
    expectEqual(
      [32_767, 32_768, 32_775, 32_776, 65_536, .max].map(back6), [32_767, 32_768, 32_768, 32_776, 65_536, 8_387_584])
  }

  @Test("a record says whether somebody listens")
  func listening() {
    let source = [IPAddress(10, 0, 0, 1)]
    let kinds = GroupRecord.Kind.allCases
    expectEqual(kinds.map { GroupRecord($0, .ssdpGroup4).listens }, [false, true, false, true, nil, nil])
    expectEqual(
      kinds.map { GroupRecord($0, .ssdpGroup4, sources: source).listens }, [true, true, true, true, true, nil])
  }

  @Test("each message has its place to go")
  func destinations() {
    func texts(_ message: GroupMessage, _ other: GroupMessage) -> [String] {
      [message.destination(family: .v4).description, other.destination(family: .v6).description]
    }
    let ssdp6 = GroupMembershipTests.ssdp6
    expectEqual(texts(.join(.ssdpGroup4), .join(ssdp6)), ["239.255.255.250", "ff02::c"])
    expectEqual(texts(.leave(.ssdpGroup4), .leave(ssdp6)), ["224.0.0.2", "ff02::2"])
    let general = GroupMessage.query(GroupQuery(generation: .second))
    expectEqual(texts(general, general), ["224.0.0.1", "ff02::1"])
    expectEqual(texts(.report([]), .report([])), ["224.0.0.22", "ff02::16"])
  }
}
