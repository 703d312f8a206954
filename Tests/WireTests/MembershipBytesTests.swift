import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Group membership to the byte") struct MembershipBytesTests {
  private static let host = GroupMembershipTests.host6
  private static let group = IPAddress.ssdpGroup6
  private static let none = [UInt8](repeating: 0, count: 16)

  /// An MLD message from `host` to `group` with the checksum of RFC 4443 section 2.3, added up byte by byte.
  private static func sealed(_ message: [UInt8]) -> [UInt8] {
    guard message.count >= 4 else { return message }
    var bytes = message
    (bytes[2], bytes[3]) = (0, 0)
    var covered = host.bytes
    covered += group.bytes
    covered += [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF), 0, 0, 0, 58]
    covered += bytes
    var sum = 0
    for (offset, byte) in covered.enumerated() { sum += offset % 2 == 0 ? Int(byte) << 8 : Int(byte) }
    while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
    (bytes[2], bytes[3]) = (UInt8(~sum >> 8 & 0xFF), UInt8(~sum & 0xFF))
    return bytes
  }

  private func read(_ bytes: [UInt8]) -> GroupMessage? { GroupMembershipTests.read6(bytes, to: Self.group) }

  private func written(_ message: GroupMessage) -> [UInt8] {
    message.mldBytes(source: Self.host, destination: Self.group)
  }

  @Test("each MLD message has its bytes, is read from them, and from no beginning of them")
  func messages() throws {
    let sender = try #require(IPAddress("2001:db8::1"))
    let group = Self.group.bytes
    let join: [UInt8] = [131, 0, 0, 0, 0, 0, 0, 0] + group
    let leave: [UInt8] = [132, 0, 0, 0, 0, 0, 0, 0] + group
    let general: [UInt8] = [130, 0, 0, 0, 0x27, 0x10, 0, 0] + Self.none
    let late: [UInt8] = [130, 0, 0, 0, 0xFF, 0xFF, 0, 0] + group
    let short: [UInt8] = [130, 0, 0, 0, 0, 0, 0, 0] + Self.none + [7, 0, 0, 0]
    var long: [UInt8] = [130, 0, 0, 0, 0x90, 0, 0, 0] + group
    long += [10, 0x80, 0, 2] + sender.bytes
    long += Self.host.bytes
    var report: [UInt8] = [143, 0, 0, 0, 0, 0, 0, 2, 5, 0, 0, 1] + group
    report += sender.bytes + [3, 0, 0, 0]
    report += IPAddress.ssdpGroup6Site.bytes
    let lateQuery = GroupQuery(generation: .second, group: Self.group, maximumResponseMilliseconds: 65_535)
    let shortQuery = GroupQuery(generation: .third, maximumResponseMilliseconds: 0, robustness: 7)
    let longQuery = GroupQuery(
      generation: .third, group: Self.group, maximumResponseMilliseconds: 65_536, suppressesRouterProcessing: true,
      robustness: 2, intervalSeconds: 128, sources: [sender, Self.host])
    let records = [GroupRecord(.allowNew, Self.group, sources: [sender]), GroupRecord(.toInclude, .ssdpGroup6Site)]
    let cases: [(GroupMessage, [UInt8])] = [
      (.join(Self.group), join), (.leave(Self.group), leave), (.query(GroupQuery(generation: .second)), general),
      (.query(lateQuery), late), (.query(shortQuery), short), (.query(longQuery), long),
      (.report([]), [143, 0, 0, 0, 0, 0, 0, 0]), (.report(records), report),
    ]
    for (message, form) in cases {
      let bytes = Self.sealed(form)
      expectEqual(written(message), bytes, "\(message)")
      expectEqual(read(bytes), message, "\(message)")
      for count in 0..<bytes.count {
        let cut = read(Self.sealed(Array(form[..<count])))
        // The first 24 bytes of a query of the third generation are a whole query of the second one.
        expectEqual((cut != nil), (form[0] == 130 && count == 24), "\(message) cut to \(count)")
      }
    }
    // What stands behind a whole message, and behind the senders of a record, is skipped.
    expectEqual(read(Self.sealed(join + [1, 2, 3, 4])), .join(Self.group))
    var padded: [UInt8] = [143, 0, 0, 0, 0, 0, 0, 3, 4, 1, 0, 0] + group
    padded += [0xDE, 0xAD, 0xBE, 0xEF, 7, 2, 0, 1]
    padded += group + sender.bytes
    padded += [1, 2, 3, 4, 5, 6, 7, 8, 3, 0, 0, 0]
    padded += IPAddress.ssdpGroup6Site.bytes
    let expected = [GroupRecord(.toExclude, Self.group), GroupRecord(.toInclude, .ssdpGroup6Site)]
    expectEqual(read(Self.sealed(padded)), .report(expected))
  }

  @Test("of all kinds of MLD messages four are read; a group begins with ff")
  func kinds() throws {
    for type in UInt8.min...UInt8.max {
      let expected: GroupMessage?
      switch type {
      case 130:
        expected = .query(GroupQuery(generation: .second, group: Self.group, maximumResponseMilliseconds: 0))
      case 131: expected = .join(Self.group)
      case 132: expected = .leave(Self.group)
      case 143: expected = .report([])
      default: expected = nil
      }
      expectEqual(read(Self.sealed([type, 0, 0, 0, 0, 0, 0, 0] + Self.group.bytes)), expected, "type \(type)")
    }
    for (text, isGroup) in [("feff:ffff::1", false), ("ff00::1", true), ("ffff::ffff", true), ("fe80::1", false)] {
      let address = try #require(IPAddress(text))
      for type in [130, 131, 132] as [UInt8] {
        let found = read(Self.sealed([type, 0, 0, 0, 0, 0, 0, 0] + address.bytes))
        expectEqual((found != nil), isGroup, "\(text), type \(type)")
      }
      let record = read(Self.sealed([143, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0] + address.bytes))
      expectEqual(record, (isGroup ? GroupMessage.change(joining: address) : nil), "\(text)")
    }
  }

  @Test("every mantissa and exponent of a time in MLD is read as RFC 3810 says, and written as it was")
  func times() {
    func value(_ code: UInt32) -> UInt32 {
      code < 32_768 ? code : (4_096 + code % 4_096) << (3 + code / 4_096 % 8)
    }
    for code in Array(stride(from: UInt32(0), through: 65_535, by: 241)) + [32_767, 32_768, 36_863, 36_864, 65_535] {
      let (high, low) = (UInt8(code >> 8), UInt8(code & 0xFF))
      let bytes = Self.sealed([130, 0, 0, 0, high, low, 0, 0] + Self.none + [0, 0, 0, 0])
      let query = GroupQuery(generation: .third, maximumResponseMilliseconds: value(code))
      expectEqual(read(bytes), .query(query), "\(code)")
      // The next larger code begins with the next larger time.
      let last: UInt32 = code < 65_535 ? value(code + 1) - 1 : .max
      for milliseconds in [value(code), last] {
        let again = GroupQuery(generation: .third, maximumResponseMilliseconds: milliseconds)
        expectEqual(written(.query(again)), bytes, "\(milliseconds) ms")
      }
    }
  }

  @Test("times and robustness that have no code are written as the nearest that has one")
  func clamped() {
    let tenths: [(milliseconds: UInt32, code: UInt8)] = [
      (0, 1), (99, 1), (100, 1), (199, 1), (200, 2), (25_500, 255), (25_600, 255), (.max, 255),
    ]
    for (milliseconds, code) in tenths {
      let query = GroupQuery(generation: .second, maximumResponseMilliseconds: milliseconds)
      let bytes = GroupMembershipTests.sealed([0x11, code, 0, 0, 0, 0, 0, 0])
      expectEqual(GroupMessage.query(query).igmpBytes(), bytes, "\(milliseconds) ms")
    }
    for milliseconds in [65_535, 65_536, .max] as [UInt32] {
      let query = GroupQuery(generation: .second, maximumResponseMilliseconds: milliseconds)
      expectEqual(written(.query(query)), Self.sealed([130, 0, 0, 0, 0xFF, 0xFF, 0, 0] + Self.none))
    }
    for (robustness, suppresses, flags) in [(7, false, 7), (8, false, 7), (255, true, 15), (0, true, 8), (0, false, 0)]
      as [(UInt8, Bool, UInt8)]
    {
      let query = GroupQuery(
        generation: .third, maximumResponseMilliseconds: 100, suppressesRouterProcessing: suppresses,
        robustness: robustness)
      let bytes = GroupMembershipTests.sealed([0x11, 1, 0, 0, 0, 0, 0, 0, flags, 0, 0, 0])
      expectEqual(GroupMessage.query(query).igmpBytes(), bytes, "robustness \(robustness)")
    }
    expectEqual(GroupMessage.hopLimit, 1)
  }
}
