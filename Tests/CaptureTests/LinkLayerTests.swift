import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Link layers") struct LinkLayerTests {
  struct Packet {
    var bytes: [UInt8]
    /// Bytes on the wire that the capture did not keep.
    var cutBytes = 0
    var nanoseconds: Int64
  }

  /// IP packets of both families: whole, with options, in fragments of more than 1 500 bytes, and with a bad checksum.
  static let samples: [Packet] = {
    let text = Array("NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\n\r\n".utf8)
    let long = text + [UInt8](repeating: 0x41, count: 4_000)
    var frames: [[UInt8]] = []
    for (source, group) in [(Ends.source4, Ends.group4), (Ends.source6, Ends.group6)] {
      let link = Ends.link(group.address)
      frames += FrameWriter.udp(link, from: source, to: group, hopLimit: 2, payload: text)
      frames += FrameWriter.udp(link, from: source, to: group, hopLimit: 4, payload: long, identification: 77)
      frames += FrameWriter.udp(link, from: group, to: source, hopLimit: 1, payload: [])
      var bad = FrameWriter.udp(link, from: source, to: group, hopLimit: 2, payload: text)[0]
      bad[bad.count - 1] ^= 1
      frames.append(bad)
    }
    var packets = frames.enumerated().map { Packet(bytes: Array($1[14...]), nanoseconds: Int64($0) * 1_000_000) }
    // A snap length cut the last two.
    for (frame, kept) in [(frames[0], 60), (frames[0], 20)] {
      packets.append(
        Packet(bytes: Array(frame[14..<(14 + kept)]), cutBytes: frame.count - 14 - kept, nanoseconds: 90_000_000))
    }
    return packets
  }()

  /// The IP packets of an Ethernet capture, without what pads their frames.
  static func packets(of path: String) throws -> [Packet] {
    var reader = try CaptureReader(path: path)
    var frame = CaptureFrame()
    var packets: [Packet] = []
    while reader.next(&frame) {
      guard frame.linkType == LinkType.ethernet, let base = frame.content.baseAddress,
        let payload = EtherPayload(base, count: frame.content.count, typeOffset: 12),
        payload.etherType == .ipv4 || payload.etherType == .ipv6, frame.capturedCount > payload.offset,
        frame.content[payload.offset] >> 4 == (payload.etherType == .ipv4 ? 4 : 6)
      else { continue }
      packets.append(
        Packet(
          bytes: Array(frame.content[payload.offset...]),
          cutBytes: max(0, frame.originalCount - frame.capturedCount), nanoseconds: frame.time.nanoseconds))
    }
    return packets
  }

  /// The datagrams of packets on a link, through a file: each as text.
  static func datagrams(_ packets: [Packet], _ link: Encapsulation) throws -> [String] {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "x", linkType: link.linkType)
    for packet in packets {
      // What the link cannot carry leaves an empty frame, so that numbers stay the same.
      let carries = link.versions.contains(packet.bytes[0] >> 4)
      let frame = carries ? link.wrap(packet.bytes) : []
      writer.frame(
        interface: interface, time: Instant(nanoseconds: packet.nanoseconds), frame,
        originalCount: frame.count + packet.cutBytes)
    }
    var reader = try CaptureReader(pull: source(writer.bytes))
    var extractor = DatagramExtractor()
    var (frame, datagram) = (CaptureFrame(), ExtractedDatagram())
    var found: [String] = []
    while extractor.next(from: &reader, &frame, &datagram) {
      found.append(
        "\(frame.number) \(frame.timeText) \(datagram.source) \(datagram.destination) \(datagram.hopLimit) "
          + "\(datagram.isCut) \(datagram.fragmentCount) \(datagram.checksum) \(SHA256.hex(of: datagram.payload))")
    }
    return found
  }

  static func expected(_ packets: [Packet], _ link: Encapsulation) throws -> [String] {
    try datagrams(packets, Encapsulation("Ethernet", 1, versions: link.versions, Encapsulation.ethernet))
  }

  @Test("the same datagrams come out of every link layer and tunnel", arguments: Encapsulation.all)
  func samples(link: Encapsulation) throws {
    let expected = try Self.expected(Self.samples, link)
    expectEqual(expected.count, (link.versions.count == 2 ? 9 : link.versions == [4] ? 5 : 4))
    try expectEqual(Self.datagrams(Self.samples, link), expected)
  }

  @Test("every link layer that is called supported is among those, and others give nothing")
  func coverage() throws {
    let tested = Set(Encapsulation.all.map(\.linkType))
    for linkType in LinkType.supported { #expect(tested.contains(linkType), "\(linkType)") }
    #expect(tested.allSatisfy(LinkType.isSupported))
    for linkType in LinkType.supported { #expect(!LinkType.name(linkType).hasPrefix("LINKTYPE_"), "\(linkType)") }
    let nothing = try Self.datagrams(Self.samples, Encapsulation("unknown", 147) { Encapsulation.ethernet($0) })
    expectEqual(nothing, [])
  }

  @Test("Ethernet captures give the same datagrams when they are put on every other link")
  func realCaptures() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Captures")
    let own = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix("capture.pcapng") }.sorted().map { root.appendingPathComponent($0).path }
    let names = ["ssdp/iot-wemo-link-a2.pcap", "mdns/ipv6-fragmented-mdns.pcap", "linktypes/ipv4-fragments.pcap"]
    let shared = names.compactMap { CaptureFolder.capture($0, for: "captures on every link")?.path }
    var (files, compared) = (0, 0)
    for path in own + shared {
      let packets = Array(try Self.packets(of: path).prefix(16))
      if packets.isEmpty { continue }
      for link in Encapsulation.all {
        let expected = try Self.expected(packets, link)
        try expectEqual(Self.datagrams(packets, link), expected, "\(path) as \(link)")
        compared += expected.count
      }
      files += 1
    }
    print("captures put on \(Encapsulation.all.count) links: \(files) files, \(compared) datagrams equal")
    #expect(files >= 10 && compared > 0)
  }

  @Test("cut anywhere, a frame of any link gives less or nothing, never a crash", arguments: Encapsulation.all)
  func truncations(link: Encapsulation) {
    for packet in [Self.samples[0].bytes, Self.samples.first { Encapsulation.isV6($0.bytes) }!.bytes]
    where link.versions.contains(packet[0] >> 4) {
      let frame = link.wrap(packet)
      let whole = Extraction([frame], linkType: link.linkType).found
      expectEqual(whole.count, 1)
      for cut in 0..<frame.count {
        let found = Extraction([Array(frame[..<cut])], linkType: link.linkType).found
        #expect(found.isEmpty || whole[0].payload.starts(with: found[0].payload))
      }
    }
  }

  @Test("damaged bytes in any header of any link neither crash nor hang", arguments: Encapsulation.all)
  func mutations(link: Encapsulation) {
    var dice = Seed(11).stream("links")
    let packet =
      link.versions.contains(4) ? Self.samples[0].bytes : Self.samples.last { Encapsulation.isV6($0.bytes) }!.bytes
    let good = link.wrap(packet)
    var frames: [[UInt8]] = []
    for _ in 0..<300 {
      var frame = good
      for _ in 0...dice.below(3) {
        let headers = UInt64(frame.count - packet.count + 40)
        frame[Int(dice.below(headers)) % frame.count] = UInt8(truncatingIfNeeded: dice.next())
      }
      frames.append(frame)
    }
    let extraction = Extraction(frames, linkType: link.linkType)
    #expect(extraction.found.count <= frames.count)
  }
}

@Suite("Links at their edges") struct LinkEdgeTests {
  let packet = LinkLayerTests.samples[0].bytes

  func count(_ frame: [UInt8], _ linkType: UInt32) -> Int { Extraction([frame], linkType: linkType).found.count }

  @Test("802.11: only data frames in the clear are read; encrypted ones and pieces are counted")
  func wireless() {
    func extract(_ header: [UInt8]) -> (datagrams: Int, encrypted: Int, pieces: Int) {
      let bytes = header + Encapsulation.snap(packet) + Encapsulation.zeros(64)
      return bytes.withUnsafeBytes { buffer in
        var extractor = DatagramExtractor()
        var datagram = ExtractedDatagram()
        var frame = CaptureFrame()
        (frame.linkType, frame.capturedCount, frame.bytes) = (105, bytes.count - 64, buffer.baseAddress!)
        let isFound = extractor.extract(frame, into: &datagram)
        return (isFound ? 1 : 0, extractor.protectedCount, extractor.unreadPiecesCount)
      }
    }
    let data = Encapsulation.wireless(0x08, 2, 0)
    #expect(extract(data) == (1, 0, 0))
    #expect(extract(Encapsulation.wireless(0x08, 0x42, 0)) == (0, 1, 0))
    #expect(extract(Encapsulation.wireless(0x08, 4, 0)) == (0, 0, 1))
    var second = data
    second[22] = 1
    #expect(extract(second) == (0, 0, 1))
    #expect(extract(Encapsulation.wireless(0x88, 2, 0) + [0x80, 0]) == (0, 0, 1))
    for control in [UInt8(0x80), 0xB4, 0x48, 0xC8, 0x09] {
      #expect(extract(Encapsulation.wireless(control, 2, 2)) == (0, 0, 0), "control \(control)")
    }
  }

  @Test("tunnels inside tunnels are followed to the declared depth and no further")
  func nesting() {
    func nested(_ depth: Int) -> [UInt8] {
      Encapsulation.ethernet((0..<depth).reduce(packet) { inner, _ in Encapsulation.ip4(4, inner) })
    }
    expectEqual(count(nested(DatagramExtractor.nestingMaximum), 1), 1)
    let deeper = Extraction([nested(DatagramExtractor.nestingMaximum + 1)])
    #expect(deeper.found == [] && deeper.malformed == 1)
    let gre = (0..<30).reduce(packet) { inner, _ in Encapsulation.ip4(47, [0, 0, 8, 0] + inner) }
    expectEqual(Extraction([Encapsulation.ethernet(gre)]).malformed, 1)
    let ppi = (0..<30).reduce(Encapsulation.ethernet(packet)) { inner, index in
      [0, 0, 8, 0, index == 0 ? 1 : 192, 0, 0, 0] + inner
    }
    expectEqual(Extraction([ppi], linkType: 192).malformed, 1)
    let ppp = (0..<9).reduce(packet) { inner, _ in
      Encapsulation.ip4(47, [0, 0, 0x88, 0x0B] + [0, 0x21] + inner)
    }
    expectEqual(Extraction([Encapsulation.ethernet(ppp)]).malformed, 1)
    let labels = [UInt8](repeating: 0, count: 4 * 17)
    expectEqual(Extraction([Encapsulation.macs + [0x88, 0x47] + labels + packet]).malformed, 1)
  }

  @Test("a tunnel in fragments is put together; fragments inside it are not read")
  func fragmentedTunnel() {
    let inner = [UInt8]([0, 0, 8, 0]) + packet
    let first = Encapsulation.ip4(47, Array(inner[..<40]), id: 5, fragment: 0x2000)
    let second = Encapsulation.ip4(47, Array(inner[40...]), id: 5, fragment: 5)
    let found = Extraction([first, second].map { Encapsulation.ethernet($0) }).found
    #expect(found.map(\.frame) == [2] && found.map(\.fragmentCount) == [2] && found.map(\.checksum) == [.good])
    let six = (0..<2).map { index -> [UInt8] in
      let piece = index == 0 ? Array(packet[..<40]) : Array(packet[40...])
      return Encapsulation.ethernet(
        Encapsulation.ip6(44, [4, 0] + Encapsulation.big(index == 0 ? 1 : 40) + [0, 0, 0, 3] + piece))
    }
    expectEqual(Extraction(six).found.map(\.payload), found.map(\.payload))
    // A fragment of a datagram, inside a fragmented tunnel.
    let piece = Encapsulation.ip4(17, Array(packet[20..<60]), id: 6, fragment: 0x2000)
    let inFragments = [
      Encapsulation.ip4(4, Array(piece[..<24]), id: 7, fragment: 0x2000),
      Encapsulation.ip4(4, Array(piece[24...]), id: 7, fragment: 3),
    ]
    let nested = Extraction(inFragments.map { Encapsulation.ethernet($0) })
    #expect(nested.found == [] && nested.malformed == 1)
    let piece6 = Encapsulation.ip6(44, [17, 0, 0, 1, 0, 0, 0, 3] + packet[20..<60])
    let inFragments6 = [
      Encapsulation.ip4(41, Array(piece6[..<48]), id: 8, fragment: 0x2000),
      Encapsulation.ip4(41, Array(piece6[48...]), id: 8, fragment: 6),
    ]
    expectEqual(Extraction(inFragments6.map { Encapsulation.ethernet($0) }).malformed, 1)
  }

  @Test("headers that make no sense, and packets that are not IP, give nothing")
  func nonsense() {
    let e = Encapsulation.self
    let nothing: [(UInt32, [UInt8])] = [
      // PKTAP: short, too short a length, no packet, unknown link; user link 2 with something else.
      (258, e.zeros(8)), (258, [11] + e.zeros(200)), (258, [108, 0, 0, 0, 2] + e.zeros(200)),
      (258, e.pktap(147, packet)), (149, packet),
      // PPI of another version, and one longer than its frame.
      (192, [1, 0, 8, 0, 1, 0, 0, 0] + e.ethernet(packet)), (192, [0, 0, 255, 0, 1, 0, 0, 0] + packet),
      // NFLOG of another version, without a packet, and with lengths of zero.
      (239, [2, 1, 0, 0] + packet), (239, [2, 0, 0, 0, 8, 0, 1, 0, 0, 0, 0, 0]), (239, [2, 0, 0, 0] + e.zeros(40)),
      // ipnet, FDDI's token, a split ARCNET packet and a foreign one.
      (226, [2] + e.zeros(23) + packet), (10, [0x80] + e.macs + e.snap(packet)), (7, [1, 0, 0xD4, 3, 0, 9] + packet),
      (7, [1, 0, 0xD5, 0, 0, 9] + packet), (7, [1, 0, 0xD4]), (7, [1, 0, 0xD4, 0xFF, 0, 0, 0]),
      // PPP: LCP, and Cisco HDLC cut inside its type.
      (9, [0xC0, 0x21, 1, 1]), (9, []), (9, [0xFF, 3]), (9, [0xFF, 3, 0]), (104, [0x0F, 0, 8]),
      (104, [0x0F, 0, 0x81, 0, 0]),
      // PPPoE discovery; MPLS around what is no IP; DSA around ARP.
      (51, [0x11, 9, 0, 0, 0, 4] + packet), (1, e.macs + [0x88, 0x47, 0, 1, 1, 64] + e.zeros(40)),
      (1, e.macs + [0x88, 0x47, 0, 1, 1, 64]), (284, e.macs + [0x40, 0, 0, 0, 8, 6] + packet), (284, e.macs),
      // GRE: source routes, another version, an unknown protocol, an acknowledgement of PPTP, cut.
      (1, e.ethernet(e.ip4(47, [0x40, 0, 8, 0] + packet))), (1, e.ethernet(e.ip4(47, [0, 2, 8, 0] + packet))),
      (1, e.ethernet(e.ip4(47, [0, 0, 0x88, 0xBE] + packet))),
      (1, e.ethernet(e.ip4(47, [0x20, 0x81, 0x88, 0x0B] + e.zeros(8)))), (1, e.ethernet(e.ip4(47, [0x20, 0, 8, 0]))),
      // IPv4 announced as IPv6 and the other way round.
      (1, e.ethernet(e.ip4(41, packet))), (1, e.ethernet(e.ip6(4, e.ip6(17, packet)))),
      // radiotap: another version, longer than the frame, a bit map that does not end, flags outside the header.
      (127, [1, 0, 8, 0] + e.zeros(4) + packet), (127, [0, 0, 255, 255] + e.zeros(4) + packet),
      (127, [0, 0, 8, 0, 2, 0, 0, 0x80] + packet), (127, [0, 0, 8, 0, 2, 0, 0, 0] + packet), (127, [0, 0, 8]),
      (127, [0, 0, 9, 0, 2, 0, 0, 0, 0x20] + e.wireless(0x88, 1, 2)),
    ]
    for (index, (linkType, frame)) in nothing.enumerated() {
      expectEqual(count(frame, linkType), 0, "\(index): link type \(linkType)")
    }
  }

  @Test("a DSA tag in place of a VLAN tag gives its VLAN, and the innermost VLAN of a tunnel counts")
  func vlans() {
    let tagged = Encapsulation.macs + [0x60, 0, 0x20, 7] + Encapsulation.type(packet) + packet
    expectEqual(Extraction([tagged], linkType: 284).found.map(\.vlan), [7])
    let inner = Encapsulation.macs + [0x81, 0, 0, 9, 8, 0] + packet
    let outer = Encapsulation.macs + [0x81, 0, 0, 3, 8, 0] + Encapsulation.ip4(47, [0, 0, 0x65, 0x58] + inner)
    expectEqual(Extraction([outer]).found.map(\.vlan), [9])
    let plain = Encapsulation.macs + [0x81, 0, 0, 3, 8, 0] + Encapsulation.ip4(4, packet)
    expectEqual(Extraction([plain]).found.map(\.vlan), [3])
  }

  @Test("times that go back and jump by six years are given as the file has them; fragments wait by those times")
  func times() {
    let sample = PcapSample()
    let times: [UInt32] = [1_700_000_000, 1_699_999_990, 1_510_000_000, 1_700_000_001, 1_889_216_001, 0, .max]
    let capture = KeptCapture(sample.header + times.flatMap { sample.record($0, 5, Encapsulation.ethernet(packet)) })
    expectEqual(capture.frames.map(\.time), times.map { "\($0).000005000" })
    expectEqual(capture.frames.map(\.nanoseconds), times.map { Int64($0) * 1_000_000_000 + 5_000 })
    let pieces = ReassemblyTests().pieces
    let year: Int64 = 31_557_600
    expectEqual(Extraction(pieces, seconds: [1_700_000_000, 1_699_999_000, 1_700_000_001]).found.count, 1)
    let jumped = Extraction(pieces, seconds: [1_700_000_000, 1_700_000_000 + 6 * year, 1_700_000_000 + 6 * year])
    #expect(jumped.found == [] && jumped.dropped == 2)
  }
}
