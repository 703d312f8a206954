import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Headers and messages are read inside their bytes only: a capture ends where it ends.
@Suite("What stands behind the bytes") struct BehindTheEndTests {
  /// What each reader of links, packets and group messages makes of the same bytes.
  private struct Readings: Equatable {
    var links: [EtherPayload?]
    var tunnels: (GREHeader?, PPPHeader?, PPPoEHeader?, Int?)
    var wireless: (WirelessHeader?, RadiotapHeader?)
    var ipv4: IPv4Header?
    var isSourceRouted: Bool?
    var ipv6: IPv6Header?
    var chains: [IPv6Chain?]
    var udp: UDPHeader?
    var checksum: UDPChecksum
    var igmp: GroupMessage?

    init(_ bytes: UnsafeRawBufferPointer) {
      let count = bytes.count
      links = []
      if let base = bytes.baseAddress {
        links.append(EtherPayload(base, count: count, typeOffset: 12))
        for type in [0, 0x8100] as [UInt16] {
          links.append(EtherPayload(base, count: count, type: type, offset: 0))
        }
      }
      tunnels = (GREHeader(bytes), PPPHeader(bytes), PPPoEHeader(bytes), MPLSLabels.byteCount(bytes))
      wireless = (WirelessHeader(bytes), RadiotapHeader(bytes))
      ipv4 = IPv4Header(bytes)
      isSourceRouted = ipv4?.isSourceRouted(bytes)
      ipv6 = IPv6Header(bytes)
      chains = ([0, 43, 44, 51] as [UInt8]).map { IPv6Chain(bytes, next: $0, at: 0) }
      udp = UDPHeader(bytes)
      checksum = UDPHeader.verify(bytes, source: IPAddress(10, 0, 0, 1), destination: .ssdpGroup4)
      igmp = GroupMessage.read(igmp: bytes)
    }

    static func == (one: Readings, other: Readings) -> Bool {
      one.links == other.links && one.tunnels == other.tunnels && one.wireless == other.wireless
        && one.ipv4 == other.ipv4 && one.isSourceRouted == other.isSourceRouted && one.ipv6 == other.ipv6
        && one.chains == other.chains && one.udp == other.udp && one.checksum == other.checksum
        && one.igmp == other.igmp
    }
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
  private static func join(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

  /// A header of IPv4 with options, and nothing behind it.
  private static func ipv4(_ options: [UInt8]) -> [UInt8] {
    let count = UInt8(20 + options.count)
    let fixed: [UInt8] = [0x40 | count / 4, 0, 0, count, 0, 7, 0, 0, 9, 17, 0, 0, 10, 0, 0, 1, 239, 255, 255, 250]
    return fixed + options
  }

  private static let packets: [[UInt8]] = [
    ipv4([1, 1, 1, 1]), ipv4([1, 1, 1, 131]), ipv4([131, 3, 3, 0]), ipv4([1, 131, 3, 3]), ipv4([1, 1, 131, 2]),
    ipv4([131, 4, 4, 0]), ipv4([131, 5, 4, 0]), ipv4([7, 2, 7, 3]), ipv4([148, 4, 0, 0, 137, 7, 4, 1]),
    join([0x60, 0, 0, 0, 0, 0, 17, 1], Array(1...32)), join([17, 0], zeros(6)),
    join([44, 0], zeros(6), [17, 0, 0, 9], zeros(4)),
    join([43, 0, 0, 1], zeros(4), [51, 1], zeros(14), [17, 2], zeros(14)),
    [4, 1, 7, 0x6C, 0, 11, 0, 1, 1, 2, 3],
  ]

  private static let links: [[UInt8]] = [
    join(zeros(12), [0x81, 0, 0, 7, 0x88, 0xA8, 0, 8, 0, 9, 0xAA, 0xAA, 3, 0, 0, 0, 8, 0]),
    [0xAA, 0xAA, 3, 0, 0, 0, 0x86, 0xDD], join([0xB0, 0x81, 0x88, 0x0B], zeros(16)), [0xFF, 3, 0, 0x21],
    [0x0F, 0, 8, 0], [0x11, 0, 0, 9, 0, 4], join(zeros(4), [0, 0, 1, 0]), join([0x88, 0x83], zeros(34)),
    join([0x88, 0], zeros(24)), [0, 0, 11, 0, 2, 0, 0, 0x80, 0, 0, 0], [0, 0, 12, 0, 2, 0, 0, 0x80, 0, 0, 0, 0x80],
    join([0, 0, 17, 0, 3, 0, 0, 0], zeros(8), [0x20]), [0, 0, 9, 0, 2, 0, 0, 0, 0x20],
  ]

  /// IGMP, but for the checksum.
  private static let messages: [[UInt8]] = [
    [0x11, 100, 0, 0, 0, 0, 0, 0, 2, 125, 0, 2, 10, 0, 0, 1, 10, 0, 0, 2], [0x16, 0, 0, 0, 239, 255, 255, 250],
    [0x22, 0, 0, 0, 0, 0, 0, 2, 4, 1, 0, 1, 239, 255, 255, 250, 10, 0, 0, 1, 1, 2, 3, 4, 3, 0, 0, 0, 224, 0, 0, 251],
    [0x22, 0, 0, 0, 0, 0, 0, 1],
  ]

  /// Calls with the first byte of a page that nobody may touch, which follows pages that anybody may.
  private func withWall(_ body: (UnsafeMutableRawPointer) -> Void) {
    // Whole pages on every system.
    let page = 65_536
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * page, alignment: page)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 3 * page)
    let wall = memory + page
    let hasWall = mprotect(wall, page, PROT_NONE) == 0
    defer { _ = mprotect(wall, page, PROT_READ | PROT_WRITE) }
    #expect(hasWall)
    body(wall)
  }

  private func put(_ bytes: [UInt8], before wall: UnsafeMutableRawPointer) -> UnsafeRawBufferPointer {
    let place = UnsafeMutableRawBufferPointer(start: wall - bytes.count, count: bytes.count)
    place.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(place)
  }

  @Test("whatever stands behind a header or a message, cut anywhere, it is read the same, and it is not looked at")
  func behind() {
    var samples: [[UInt8]] = []
    for sample in Self.packets + Self.links {
      for count in 0...sample.count { samples.append(Array(sample[..<count])) }
    }
    for message in Self.messages {
      for count in 0...message.count { samples.append(GroupMembershipTests.sealed(Array(message[..<count]))) }
    }
    withWall { wall in
      for bytes in samples {
        func read(before byte: UInt8) -> Readings {
          (bytes + [UInt8](repeating: byte, count: 48)).withUnsafeBytes {
            Readings(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]))
          }
        }
        let expected = read(before: 0)
        for byte in [1, 0x83, 0xFF] as [UInt8] where read(before: byte) != expected {
          Issue.record("\(bytes), and \(byte) behind them")
        }
        if Readings(put(bytes, before: wall)) != expected { Issue.record("\(bytes), and nothing behind them") }
      }
    }
  }

  @Test("a source route of which only a part was captured is looked for in that part")
  func cutRoutes() throws {
    let whole = Self.ipv4([131, 3, 3, 0])
    let header = try #require(whole.withUnsafeBytes { IPv4Header($0) })
    withWall { wall in
      for (count, isRouted) in [(20, false), (21, false), (22, false), (23, true), (24, true)] {
        let found = header.isSourceRouted(put(Array(whole[..<count]), before: wall))
        expectEqual(found, isRouted, "\(count) bytes")
      }
    }
  }

  @Test("PPP with address and control only is cut, whatever byte follows")
  func cutPPP() {
    for byte in UInt8.min...UInt8.max {
      let header = ([0xFF, 3, byte, byte] as [UInt8]).withUnsafeBytes {
        PPPHeader(UnsafeRawBufferPointer(rebasing: $0[..<2]))
      }
      expectEqual(header, nil, "\(byte)")
    }
  }
}
