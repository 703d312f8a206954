import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// Runs frames through the extractor, one after the other, one second apart.
struct Extraction {
  struct Found: Equatable {
    var frame: Int
    var source: Endpoint
    var destination: Endpoint
    var hopLimit: UInt8
    var vlan: Int32
    var fragmentCount: Int
    var checksum: UDPChecksum
    var payload: [UInt8]
  }
  var found: [Found] = []
  var malformed = 0
  var dropped = 0

  init(_ frames: [[UInt8]], linkType: UInt32 = LinkType.ethernet, seconds: [Int64] = [], interfaces: [Int] = []) {
    var extractor = DatagramExtractor()
    var datagram = ExtractedDatagram()
    for (index, bytes) in frames.enumerated() {
      // As in a reader's chunk, bytes follow that mean nothing.
      let padded = bytes + [UInt8](repeating: 0xEE, count: CaptureFrame.paddingBytes)
      padded.withUnsafeBytes { buffer in
        var frame = CaptureFrame()
        frame.number = index + 1
        frame.time = .zero + .seconds(index < seconds.count ? seconds[index] : Int64(index))
        frame.linkType = linkType
        frame.interface = index < interfaces.count ? interfaces[index] : 0
        frame.capturedCount = bytes.count
        frame.originalCount = bytes.count
        frame.bytes = buffer.baseAddress!
        guard extractor.extract(frame, into: &datagram) else { return }
        found.append(
          Found(
            frame: frame.number, source: datagram.source, destination: datagram.destination,
            hopLimit: datagram.hopLimit, vlan: datagram.vlan, fragmentCount: datagram.fragmentCount,
            checksum: datagram.checksum, payload: Array(datagram.payload)))
      }
    }
    malformed = extractor.malformedCount
    dropped = extractor.droppedReassemblies
  }
}

enum FrameWriterSample {
  static let udp4 = FrameWriter.udp(
    Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: Array("NOTIFY".utf8))[0]
}

enum Ends {
  static let mac = MACAddress(0x02, 0, 0, 0, 0, 1)
  static let source4 = Endpoint(IPAddress(192, 168, 1, 20), port: 50_000)
  static let group4 = Endpoint(.ssdpGroup4, port: 1900)
  static let source6 = Endpoint(IPAddress("fe80::1:2:3:4")!, port: 50_001)
  static let group6 = Endpoint(.ssdpGroup6, port: 1900)
  static func link(_ group: IPAddress, vlan: UInt16? = nil) -> LinkAddresses {
    LinkAddresses(source: mac, group: group, vlan: vlan)!
  }
}

@Suite("Frames that the harness writes") struct FrameWriterTests {
  @Test("multicast goes to the link addresses that the RFCs compute")
  func groups() {
    expectEqual(MACAddress(group: .ssdpGroup4)?.description, "01:00:5e:7f:ff:fa")
    expectEqual(MACAddress(group: .ssdpGroup6)?.description, "33:33:00:00:00:0c")
    expectEqual(MACAddress(group: IPAddress(255, 255, 255, 255)), .broadcast)
    expectEqual(MACAddress(group: IPAddress(10, 0, 0, 1)), nil)
    #expect(Ends.link(.ssdpGroup4).destination.isGroup && !Ends.mac.isGroup)
  }

  @Test("a frame over IPv4 is this, byte for byte")
  func bytes() {
    let frames = FrameWriter.udp(
      Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: Array("hi!".utf8),
      identification: 0x1234)
    #expect(
      frames == [
        [
          0x01, 0x00, 0x5E, 0x7F, 0xFF, 0xFA, 0x02, 0, 0, 0, 0, 1, 0x08, 0x00,  //
          0x45, 0, 0, 31, 0x12, 0x34, 0, 0, 2, 17, 0xF4, 0xE3, 192, 168, 1, 20, 239, 255, 255, 250,  //
          0xC3, 0x50, 0x07, 0x6C, 0, 11, 0xF9, 0xFA, 0x68, 0x69, 0x21,
        ]
      ])
  }

  @Test("what is written is read back with a good checksum, over both families, with and without a VLAN")
  func roundTrip() {
    for count in [0, 1, 2, 7, 8, 300, 1_400] {
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
      for vlan in [nil, UInt16(42)] {
        for (source, group) in [(Ends.source4, Ends.group4), (Ends.source6, Ends.group6)] {
          let frames = FrameWriter.udp(
            Ends.link(group.address, vlan: vlan), from: source, to: group, hopLimit: 4, payload: payload)
          let found = Extraction(frames).found
          expectEqual(
            found,
            [
              Extraction.Found(
                frame: 1, source: source, destination: group, hopLimit: 4, vlan: vlan.map { Int32($0) } ?? -1,
                fragmentCount: 1, checksum: .good, payload: payload)
            ])
        }
      }
    }
  }

  @Test("a flipped bit makes the checksum bad, a zero says there is none, a cut cannot tell")
  func checksums() {
    let frame = FrameWriter.udp(
      Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: [1, 2, 3, 4])[0]
    func status(_ change: (inout [UInt8]) -> Void) -> UDPChecksum? {
      var frame = frame
      change(&frame)
      return Extraction([frame]).found.first?.checksum
    }
    expectEqual(status { _ in }, .good)
    expectEqual(status { $0[44] ^= 1 }, .bad)
    expectEqual(status { $0[26] ^= 1 }, .bad)
    expectEqual(
      status {
        $0[40] = 0; $0[41] = 0
      }, .absent)
    expectEqual(status { $0.removeLast() }, .unverifiable)
  }

  @Test("a sum of zero goes out as its other zero")
  func zeroSum() {
    // Search the two bytes that make the sum come out as zero; the datagram must not say "no checksum".
    for word in UInt16.min...UInt16.max {
      let payload = [UInt8(word >> 8), UInt8(word & 0xFF)]
      let segment = payload.withUnsafeBytes { UDPHeader.segment(from: Ends.source4, to: Ends.group4, payload: $0) }
      guard let segment, segment[6] == 0xFF, segment[7] == 0xFF else { continue }
      let status = segment.withUnsafeBytes {
        UDPHeader.verify($0, source: Ends.source4.address, destination: Ends.group4.address)
      }
      expectEqual(status, .good)
      return
    }
    Issue.record("no payload of two bytes has this sum")
  }

  @Test("a datagram larger than the MTU goes in fragments that fit it, and comes together in its last frame")
  func fragments() {
    let payload = (0..<4_001).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    for (source, group) in [(Ends.source4, Ends.group4), (Ends.source6, Ends.group6)] {
      for mtu in [1_280, 1_500, 1_281] {
        let frames = FrameWriter.udp(
          Ends.link(group.address), from: source, to: group, hopLimit: 3, payload: payload, identification: 77,
          mtuBytes: mtu)
        #expect(frames.count > 2 && frames.allSatisfy { $0.count <= 14 + mtu })
        for order in [frames, frames.reversed(), [frames[1], frames[0]] + frames[2...]] {
          let found = Extraction(order).found
          expectEqual(
            found,
            [
              Extraction.Found(
                frame: frames.count, source: source, destination: group, hopLimit: 3, vlan: -1,
                fragmentCount: frames.count, checksum: .good, payload: payload)
            ])
        }
      }
    }
  }

  @Test("what no packet can carry is not written")
  func tooLarge() {
    let payload = [UInt8](repeating: 0, count: 65_508)
    let atOnce = [Int64](repeating: 0, count: 60)
    let link = Ends.link(.ssdpGroup4)
    expectEqual(FrameWriter.udp(link, from: Ends.source4, to: Ends.group4, hopLimit: 1, payload: payload), [])
    expectEqual(FrameWriter.udp(link, from: Ends.source4, to: Ends.group6, hopLimit: 1, payload: [1]), [])
    let most = FrameWriter.udp(
      link, from: Ends.source4, to: Ends.group4, hopLimit: 1, payload: Array(payload.dropLast()))
    expectEqual(Extraction(most, seconds: atOnce).found.map(\.payload.count), [65_507])
    let most6 = FrameWriter.udp(
      Ends.link(.ssdpGroup6), from: Ends.source6, to: Ends.group6, hopLimit: 1,
      payload: [UInt8](repeating: 1, count: 65_527))
    expectEqual(Extraction(most6, seconds: atOnce).found.map(\.payload.count), [65_527])
  }

  @Test("IGMP goes behind the router alert option, MLD behind its hop-by-hop header, checksums filled in")
  func membership() throws {
    let report: [UInt8] = [0x16, 0, 0, 0, 239, 255, 255, 250]
    let igmp = try #require(
      FrameWriter.frame(
        Ends.link(.ssdpGroup4), from: Ends.source4.address, to: .ssdpGroup4, protocolNumber: .igmp, ipPayload: report))
    igmp.withUnsafeBytes { frame in
      let packet = UnsafeRawBufferPointer(rebasing: frame[14...])
      let header = IPv4Header(packet)
      expectEqual(Array(packet[20..<24]), [0x94, 4, 0, 0])
      var head = InternetChecksum()
      head.add(UnsafeRawBufferPointer(rebasing: packet[..<24]))
      expectEqual(head.value, 0)
      #expect(header?.hopLimit == 1 && header?.protocolNumber == .igmp && header?.headerBytes == 24)
      var sum = InternetChecksum()
      sum.add(UnsafeRawBufferPointer(rebasing: packet[24...]))
      expectEqual(sum.value, 0)
    }
    let done: [UInt8] = [132, 0, 0, 0, 0, 0, 0, 0] + IPAddress.ssdpGroup6.bytes
    let mld = try #require(
      FrameWriter.frame(
        Ends.link(IPAddress("ff02::2")!), from: Ends.source6.address, to: IPAddress("ff02::2")!,
        protocolNumber: .icmpV6, ipPayload: done))
    mld.withUnsafeBytes { frame in
      let packet = UnsafeRawBufferPointer(rebasing: frame[14...])
      let header = IPv6Header(packet)
      #expect(header?.nextHeader == 0 && header?.hopLimit == 1)
      let chain = IPv6Chain(packet, next: 0, at: 40)
      #expect(chain?.protocolNumber == .icmpV6 && chain?.offset == 48)
      expectEqual(Array(packet[40..<48]), [58, 0, 5, 2, 0, 0, 1, 0])
      var sum = InternetChecksum()
      sum.addPseudoHeader(
        source: Ends.source6.address, destination: IPAddress("ff02::2")!, protocolNumber: 58, byteCount: 24)
      sum.add(UnsafeRawBufferPointer(rebasing: packet[48...]))
      expectEqual(sum.value, 0)
    }
    // A checksum that is there, right or wrong, is the caller's.
    let wrong = FrameWriter.frame(
      Ends.link(.ssdpGroup4), from: Ends.source4.address, to: .ssdpGroup4, protocolNumber: .igmp,
      ipPayload: [0x16, 0, 1, 1, 239, 255, 255, 250], hasRouterAlert: false)
    expectEqual(wrong?[34...].starts(with: [0x16, 0, 1, 1]), true)
  }
}
