import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Headers at their bounds") struct PacketEdgeTests {
  /// Packets with the payload `NOTIFY`: 34 bytes and 54 bytes.
  static let four = Array(FrameWriterSample.udp4[14...])
  static let six: [UInt8] = {
    let frames = FrameWriter.udp(
      Ends.link(.ssdpGroup6), from: Ends.source6, to: Ends.group6, hopLimit: 2, payload: Array("NOTIFY".utf8))
    return Array(frames[0][14...])
  }()
  private let datagram = [1, 0, 0, 0]
  private let malformed = [0, 1, 0, 0]
  private let nothing = [0, 0, 0, 0]

  private func tagged(_ packet: [UInt8], _ vlan: Int = 7) -> [UInt8] {
    Encapsulation.macs + [0x81, 0] + Encapsulation.big(vlan) + Encapsulation.type(packet) + packet
  }

  private func edited(_ packet: [UInt8], _ changes: [Int: UInt8]) -> [UInt8] {
    var packet = packet
    for (place, byte) in changes { packet[place] = byte }
    return packet
  }

  @Test("cut at any byte, a frame of any link gives exactly what of its payload is there", arguments: Encapsulation.all)
  func cuts(link: Encapsulation) throws {
    for packet in [Self.four, Self.six] where link.versions.contains(packet[0] >> 4) {
      let frame = link.wrap(packet)
      let start = frame.indices.first { frame[$0...].starts(with: packet) }
      let headers = try #require(start) + packet.count - 6
      for cut in 0...frame.count {
        let run = PacketRun([Array(frame[..<cut])], linkType: link.linkType)
        let there = String("NOTIFY".prefix(max(0, cut - headers)))
        expectEqual(run.texts, (cut < headers ? [] : [there]), "\(cut)")
        #expect(run.found.allSatisfy { $0.isCut == (there != "NOTIFY") }, "\(cut)")
      }
    }
  }

  @Test("an IPv4 packet and its UDP header have to be as long as they say", arguments: 0...2)
  func version4(place: Int) {
    let packet = Self.four
    func check(_ name: String, _ packet: [UInt8], _ tally: [Int], _ texts: [String] = []) {
      let frame = [Encapsulation.ethernet(packet), tagged(packet), packet][place]
      let run = PacketRun([frame], linkType: place == 2 ? LinkType.raw : LinkType.ethernet)
      #expect(run.tally == tally && run.texts == texts, "\(name)")
    }
    check("19 bytes", Array(packet[..<19]), malformed)
    check("no UDP header", Array(packet[..<20]), malformed)
    check("most of one", Array(packet[..<27]), malformed)
    check("all of one", Array(packet[..<28]), datagram, [""])
    check("version 5", edited(packet, [0: 0x55]), malformed)
    check("a header of 16 bytes", edited(packet, [0: 0x44]), malformed)
    check("a header of 60 bytes", edited(packet, [0: 0x4F]), malformed)
    check("less than its header", edited(packet, [3: 19]), malformed)
    check("no more than its header", edited(packet, [3: 20]), malformed)
    check("a UDP header of 7 bytes", edited(packet, [3: 27, 25: 7]), malformed)
    check("an empty datagram", edited(packet, [3: 28, 25: 8]), datagram, [""])
    check("UDP of a byte more than IP has", edited(packet, [3: 33]), malformed)
    check("UDP of a byte less", edited(packet, [25: 13]), datagram, ["NOTIF"])
    check("UDP of 7 bytes", edited(packet, [25: 7]), malformed)
    check("UDP of no bytes", edited(packet, [25: 0]), malformed)
    check("a byte more than the packet has", edited(packet, [25: 15]), malformed)
    check("that byte is missing", edited(packet, [3: 35, 25: 15]), datagram, ["NOTIFY"])
    check("nobody knows how long it was", edited(packet, [2: 0, 3: 0, 25: 15]), datagram, ["NOTIFY"])
    // Protocols that hold no datagram are for somebody else, whatever their headers look like.
    for number in [UInt8(0), 1, 2, 6, 16, 18, 50, 68, 81, 105, 111, 145, 255] {
      check("protocol \(number)", edited(packet, [9: number]), nothing)
      check("protocol \(number), malformed", edited(packet, [0: 0x44, 9: number]), nothing)
    }
    for number in [UInt8(4), 41, 47] {
      check("protocol \(number), empty", edited(packet, [3: 20, 9: number]), malformed)
    }
  }

  @Test("an IPv6 packet and its UDP header have to be as long as they say; a jumbogram does not say", arguments: 0...2)
  func version6(place: Int) {
    let packet = Self.six
    func check(_ name: String, _ packet: [UInt8], _ tally: [Int], _ texts: [String] = []) {
      let frame = [Encapsulation.ethernet(packet), tagged(packet), packet][place]
      let run = PacketRun([frame], linkType: place == 2 ? LinkType.raw : LinkType.ethernet)
      #expect(run.tally == tally && run.texts == texts, "\(name)")
    }
    check("39 bytes", Array(packet[..<39]), malformed)
    check("no UDP header", Array(packet[..<40]), malformed)
    check("most of one", Array(packet[..<47]), malformed)
    check("all of one", Array(packet[..<48]), datagram, [""])
    check("a UDP header of 7 bytes", edited(packet, [5: 7, 45: 7]), malformed)
    check("an empty datagram", edited(packet, [5: 8, 45: 8]), datagram, [""])
    check("UDP of a byte more than IP has", edited(packet, [5: 13]), malformed)
    check("UDP of a byte less", edited(packet, [45: 13]), datagram, ["NOTIF"])
    check("UDP of 7 bytes", edited(packet, [45: 7]), malformed)
    check("UDP that does not say", edited(packet, [45: 0]), datagram, ["NOTIFY"])
    check("a byte more than the packet has", edited(packet, [45: 15]), malformed)
    check("that byte is missing", edited(packet, [5: 15, 45: 15]), datagram, ["NOTIFY"])
    check("nobody knows how long it was", edited(packet, [5: 0, 45: 15]), datagram, ["NOTIFY"])
    check("a jumbogram", edited(packet, [5: 0, 45: 0]), datagram, ["NOTIFY"])
    for number in [UInt8(1), 2, 6, 42, 45, 50, 52, 58, 59, 61, 81, 134, 136, 138, 141] {
      check("next header \(number)", edited(packet, [6: number]), nothing)
    }
  }

  @Test("source routes with stops to go hide the last stop; other options of IPv4 do not")
  func options() {
    let verdicts: [(options: [UInt8], verdict: String)] = [
      ([UInt8](repeating: 1, count: 40), "good"), ([131, 3, 4, 0], "good"), ([131, 4, 4, 9], "unverifiable"),
      ([131, 7, 4, 1, 2, 3, 4, 0], "unverifiable"), ([137, 7, 7, 1, 2, 3, 4, 0], "unverifiable"),
      ([137, 7, 8, 1, 2, 3, 4, 0], "good"), ([130, 7, 4, 1, 2, 3, 4, 0], "good"), ([136, 7, 4, 1, 2, 3, 4, 0], "good"),
      ([1, 131, 7, 4, 1, 2, 3, 4], "unverifiable"), ([0, 131, 7, 4, 1, 2, 3, 4], "good"),
      ([7, 4, 4, 0, 131, 7, 4, 1, 2, 3, 4, 0], "unverifiable"), ([131, 2, 131, 2], "good"),
      ([7, 2, 131, 6, 4, 1, 2, 3], "unverifiable"), ([1, 1, 1, 131], "good"), ([131, 1, 1, 1], "good"),
      ([7, 1, 131, 4, 4, 1, 1, 1], "good"), ([131, 5, 4, 9], "good"),
    ]
    for one in verdicts {
      let changes: [Int: UInt8] = [0: 0x45 + UInt8(one.options.count / 4), 3: 34 + UInt8(one.options.count)]
      var packet = edited(Self.four, changes)
      packet.insert(contentsOf: one.options, at: 20)
      let run = PacketRun([Encapsulation.ethernet(packet)])
      #expect(run.verdict == one.verdict && run.texts == ["NOTIFY"], "\(one.options)")
    }
  }

  @Test("extension headers of IPv6 are passed over by their own lengths, 32 of them and no more")
  func chains() {
    func check(_ first: UInt8, _ headers: [UInt8], _ verdict: String) {
      let length = Encapsulation.big(14 + headers.count)
      var packet = edited(Self.six, [4: length[0], 5: length[1], 6: first])
      packet.insert(contentsOf: headers, at: 40)
      let run = PacketRun([Encapsulation.ethernet(packet)])
      expectEqual(run.verdict, verdict, "\(first) \(headers)")
      expectEqual(run.texts, (["malformed", "nothing"].contains(verdict) ? [] : ["NOTIFY"]), "\(first) \(headers)")
    }
    let zeros = Encapsulation.zeros
    for number in [UInt8(0), 43, 60, 135, 139, 140] {
      check(number, [17, 0] + zeros(6), "good")
      check(number, [17, 1] + zeros(14), "good")
      check(number, [59, 0] + zeros(6), "nothing")
      check(number, [17, 200] + zeros(6), "malformed")
      check(number, [17, 0, 0, 1] + zeros(4), number == 43 ? "unverifiable" : "good")
    }
    check(51, [17, 1] + zeros(10), "good")
    check(51, [17, 2] + zeros(14), "good")
    // The bits between offset and flag are reserved; what is whole under a fragment header is whole.
    check(44, [17, 9, 0, 6, 1, 2, 3, 4], "good")
    check(44, [44, 0, 0, 0, 1, 2, 3, 4, 17, 0, 0, 0, 1, 2, 3, 4], "good")
    check(43, [60, 0, 0, 1] + zeros(4) + [17, 0] + zeros(6), "unverifiable")
    func stack(_ count: Int) -> [UInt8] {
      (1...count).flatMap { [$0 == count ? 17 : 60, 0] + zeros(6) }
    }
    check(60, stack(32), "good")
    check(60, stack(33), "malformed")
  }

  @Test("each link has headers of its own: what is malformed, and what is for somebody else")
  func links() {
    let e = Encapsulation.self
    let (packet, six) = (Self.four, Self.six)
    func check(_ name: String, _ linkType: UInt32, _ frame: [UInt8], _ tally: [Int]) {
      expectEqual(PacketRun([frame], linkType: linkType).tally, tally, "\(name)")
    }
    check("Ethernet of 13 bytes", 1, e.macs + [8], nothing)
    check("Ethernet of 14 bytes", 1, e.macs + [8, 0], malformed)
    check("a tag that is cut", 1, e.macs + [0x81, 0, 0, 7, 8], nothing)
    check("a tag", 1, e.macs + [0x81, 0, 0, 7, 8, 0], malformed)
    check("the longest length of 802.3", 1, e.macs + e.big(1_500) + e.snap(packet), datagram)
    check("a type behind it", 1, e.macs + e.big(1_501) + e.snap(packet), nothing)
    check("SNAP of a manufacturer", 1, e.macs + [0, 60, 0xAA, 0xAA, 3, 0, 0, 0xF8, 8, 0] + packet, nothing)
    check("Linux cooked of 15 bytes", 113, e.zeros(14) + [8], nothing)
    check("Linux cooked of 16 bytes", 113, e.zeros(14) + [8, 0], malformed)
    check("Linux cooked v2 of 19 bytes", 276, [8, 0] + e.zeros(17), nothing)
    check("Linux cooked v2 of 20 bytes", 276, [8, 0] + e.zeros(18), malformed)
    check("loopback of 3 bytes", 0, [2, 0, 0], nothing)
    check("loopback of 4 bytes", 0, [2, 0, 0, 0], malformed)
    check("loopback with a header of Cisco HDLC", 0, [0x0F, 0, 8, 0] + packet, datagram)
    for family in [UInt8(0), 1, 3, 9, 11, 22, 25, 27, 29, 31] {
      check("family \(family)", 0, [family, 0, 0, 0] + six, nothing)
      check("family \(family)", 108, [0, 0, 0, family] + packet, nothing)
    }
    check("ARCNET without a protocol", 7, [1, 0], nothing)
    check("ARCNET of RFC 1051 without a packet", 7, [1, 0, 0xF0], malformed)
    check("ARCNET of 5 bytes", 7, [1, 0, 0xD4, 0, 0], malformed)
    check("ARCNET of 6 bytes", 7, [1, 0, 0xD4, 0, 0, 9], nothing)
    check("ARCNET with an exception of 9 bytes", 7, [1, 0, 0xD4, 0xFF] + e.zeros(5), malformed)
    check("ARCNET with an exception of 10 bytes", 7, [1, 0, 0xD4, 0xFF] + e.zeros(6), nothing)
    for flag in [UInt8(1), 3, 0xFE] { check("a part", 7, [1, 0, 0xC4, flag, 0, 9] + six, [0, 0, 0, 1]) }
    check("FDDI with another length of address", 10, [0x40] + e.macs + e.snap(packet), nothing)
    check("FDDI with a priority", 10, [0x57] + e.macs + e.snap(packet), datagram)
    check("802.11 from a station", 105, e.wireless(0x08, 0x81, 0) + e.snap(packet), datagram)
    check("802.11 with four addresses", 105, e.wireless(0x08, 3, 6) + e.snap(packet), datagram)
    check("802.11 encrypted and in pieces", 105, e.wireless(0x88, 0x44, 2), [0, 0, 1, 0])
    check("802.11 of another version", 105, e.wireless(0x0A, 2, 0) + e.snap(packet), nothing)
    let air = e.wireless(0x88, 1, 4) + e.snap(packet)
    check("radiotap of 7 bytes", 127, [0, 0, 8, 0, 0, 0, 0], malformed)
    check("radiotap of version 1", 127, [1, 0, 8, 0, 0, 0, 0, 0] + air, malformed)
    check("radiotap that ends in itself", 127, [0, 0, 7, 0, 0, 0, 0, 0] + air, malformed)
    check("radiotap and nothing", 127, [0, 0, 8, 0, 0, 0, 0, 0], nothing)
    check("radiotap of a byte more", 127, [0, 0, 9, 0, 0, 0, 0, 0], malformed)
    check("radiotap with time and flags", 127, [0, 0, 17, 0, 3, 0, 0, 0] + e.zeros(8) + [0x20] + air, datagram)
    check("radiotap without its flags", 127, [0, 0, 16, 0, 3, 0, 0, 0] + e.zeros(8) + air, malformed)
    check("PPI of 7 bytes", 192, [0, 0, 8, 0, 1, 0, 0], nothing)
    check("PPI and nothing", 192, [0, 0, 8, 0, 1, 0, 0, 0], nothing)
    check("PPI of a byte more", 192, [0, 0, 9, 0, 1, 0, 0, 0], malformed)
    check("PPI that ends in itself", 192, [0, 0, 7, 0, 1, 0, 0, 0] + e.ethernet(packet), malformed)
    check("NFLOG of 3 bytes", 239, [2, 0, 0], nothing)
    check("NFLOG without attributes", 239, [2, 0, 0, 0], malformed)
    check("NFLOG with a nested packet", 239, [2, 0, 0, 0] + e.little(38) + [9, 0x80] + packet, datagram)
    check("NFLOG with a length of 3", 239, [2, 0, 0, 0, 3, 0, 9, 0] + packet, malformed)
    check("PKTAP of 107 bytes", 258, [107] + e.pktap(12, packet).dropFirst(), nothing)
    check("PKTAP of 110 bytes", 258, [110] + e.pktap(12, [0, 0] + packet).dropFirst(), datagram)
    check("PKTAP without a packet", 258, Array(e.pktap(12, packet).prefix(108)), nothing)
    check("DSA of 17 bytes", 284, e.macs + [0x40, 0, 0, 0, 8], nothing)
    check("DSA of 18 bytes", 284, e.macs + [0x40, 0, 0, 0, 8, 0], malformed)
    check("PPP with MPLS multicast", 9, [2, 0x83, 0, 1, 0x11, 64] + packet, datagram)
    check("PPP without a number", 9, [0xFF, 3], malformed)
    check("PPP with half a number", 9, [0xFF, 3, 0], malformed)
    check("PPP with LCP", 9, [0xC0, 0x21, 1, 1], nothing)
    check("Cisco HDLC of 3 bytes", 104, [0x0F, 0, 8], malformed)
    check("Cisco HDLC with a tag that is cut", 104, [0x0F, 0, 0x81, 0, 0], malformed)
    check("PPPoE of 5 bytes", 51, [0x11, 0, 0, 1, 0], nothing)
    check("16 labels", 1, e.macs + [0x88, 0x47] + e.zeros(60) + [0, 0, 1, 64] + packet, datagram)
    check("17 labels", 1, e.macs + [0x88, 0x47] + e.zeros(64) + [0, 0, 1, 64] + packet, malformed)
    check("labels and nothing", 1, e.macs + [0x88, 0x47, 0, 0, 1, 64], nothing)
    check("labels before version 5", 1, e.macs + [0x88, 0x47, 0, 0, 1, 64] + edited(packet, [0: 0x55]), nothing)
    check("GRE with source routes", 1, e.ethernet(e.ip4(47, [0x40, 0, 8, 0] + packet)), malformed)
    check("GRE of version 2", 1, e.ethernet(e.ip4(47, [0, 2, 8, 0] + packet)), malformed)
    check("GRE with a key that is cut", 1, e.ethernet(e.ip4(47, [0x20, 0, 8, 0, 1, 2, 3])), malformed)
    check("GRE around ERSPAN", 1, e.ethernet(e.ip4(47, [0, 0, 0x88, 0xBE] + packet)), nothing)
    check("an acknowledgement of PPTP", 1, e.ethernet(e.ip4(47, [0x20, 0x81, 0x88, 0x0B] + e.zeros(8))), nothing)
    check("802.1ah that is cut", 1, e.macs + [0x88, 0xE7] + e.zeros(17), malformed)
    check("802.1ah around ARP", 1, e.macs + [0x88, 0xE7] + e.zeros(16) + [8, 6], nothing)
  }

  @Test("what stands behind a packet that does not say its length is not part of it where its link says where it ends")
  func endsOfLinks() {
    let e = Encapsulation.self
    // The length of IP is left out, and UDP claims four bytes more than there are.
    let packet = edited(Self.four, [2: 0, 3: 0, 25: 18])
    let more: [UInt8] = [8, 0, 2, 0, 9, 9, 9, 9]
    expectEqual(PacketRun([e.nflog(packet, e.little) + [0, 0] + more], linkType: 239).texts, ["NOTIFY"])
    expectEqual(PacketRun([e.nflog(packet, e.big) + [0, 0] + more], linkType: 239).texts, ["NOTIFY"])
    let tunnelled: [UInt8] = [0x11, 0, 0, 1] + e.big(packet.count + 2) + e.ppp(packet)
    expectEqual(PacketRun([tunnelled + more], linkType: 51).texts, ["NOTIFY"])
    expectEqual(PacketRun([e.ethernet(packet) + Array("....".utf8)]).texts, ["NOTIFY...."])
  }

  @Test("headers within headers are followed to the declared depth, each link and tunnel for itself")
  func depths() {
    let e = Encapsulation.self
    func nested(_ count: Int, _ inner: [UInt8], _ wrap: ([UInt8]) -> [UInt8]) -> [UInt8] {
      (0..<count).reduce(inner) { packet, _ in wrap(packet) }
    }
    for (deeper, tally) in [(0, datagram), (1, malformed)] {
      let ppi = nested(7 + deeper - 1, [0, 0, 8, 0, 1, 0, 0, 0] + e.ethernet(Self.four)) {
        [0, 0, 8, 0, 192, 0, 0, 0] + $0
      }
      expectEqual(PacketRun([ppi], linkType: 192).tally, tally)
      let packets = nested(7 + deeper, Self.four) { e.ip4(4, $0) }
      expectEqual(PacketRun([packets], linkType: 101).tally, tally)
      let sixes = nested(8 + deeper, Self.six) { e.ip6(41, $0) }
      expectEqual(PacketRun([e.ethernet(sixes)]).tally, tally)
      let routes = nested(8 + deeper, Self.four) { e.ip4(47, [0, 0, 8, 0] + $0) }
      expectEqual(PacketRun([e.ethernet(routes)]).tally, tally)
      let bridges = nested(4 + deeper, e.ethernet(Self.four)) { e.ethernet(e.ip4(47, [0, 0, 0x65, 0x58] + $0)) }
      expectEqual(PacketRun([bridges]).tally, tally)
      let links = nested(4 + deeper, Self.four) { e.ip4(47, [0, 0, 0x88, 0x0B, 0, 0x21] + $0) }
      expectEqual(PacketRun([e.ethernet(links)]).tally, tally)
    }
  }

  @Test("of VLANs the innermost counts, and a link layer that is not read is counted inside another only")
  func vlansAndUnread() {
    let e = Encapsulation.self
    let packet = Self.four
    let (service, instance): ([UInt8], [UInt8]) = ([0x88, 0xA8, 0, 9], [0x88, 0xE7, 0, 0, 0, 1])
    func vlans(_ frame: [UInt8], _ linkType: UInt32 = 1) -> [Int32] {
      PacketRun([frame], linkType: linkType).found.map(\.vlan)
    }
    expectEqual(vlans(e.macs + service + instance + tagged(packet)), [7])
    expectEqual(vlans(e.macs + service + instance + e.ethernet(packet)), [9])
    expectEqual(vlans(e.macs + instance + e.macs + service + instance + e.ethernet(packet)), [9])
    expectEqual(vlans(e.macs + instance + e.ethernet(packet)), [-1])
    expectEqual(vlans(e.macs + [0x40, 0, 0x20, 5] + e.type(packet) + packet, 284), [-1])
    expectEqual(vlans(e.macs + [0x60, 0, 0x20, 5, 0x81, 0, 0, 7] + e.type(packet) + packet, 284), [7])
    #expect(vlans(tagged(packet, 0xEFFF)) == [4_095] && vlans(tagged(packet, 0xF000)) == [0])
    expectEqual(PacketRun([packet], linkType: 147).inside, [])
    expectEqual(PacketRun([e.pktap(147, packet)], linkType: 258).inside, [[147, 1]])
    let many = (0..<100).map { e.pktap(UInt8(150 + $0), packet) }
    let counted = PacketRun(many, linkType: 258).inside
    // Five of the hundred are read; those behind the first 32 count as the last of these.
    expectEqual(counted, (150..<181).map { [$0, 1] } + [[181, 64]])
  }

  @Test("each datagram is told by its own packet, whatever the one before it was")
  func oneAfterTheOther() {
    let e = Encapsulation.self
    let ends4 = "192.168.1.20:50000 239.255.255.250:1900"
    let ends6 = "[fe80::1:2:3:4]:50001 [ff02::c]:1900"
    var routed4 = edited(Self.four, [0: 0x46, 3: 38, 4: 0xFF, 5: 0xFE, 8: 255])
    routed4.insert(contentsOf: [131, 4, 4, 9], at: 20)
    var routed6 = edited(Self.six, [5: 22, 6: 43, 7: 9])
    routed6.insert(contentsOf: [17, 0, 0, 1, 0, 0, 0, 0], at: 40)
    let pieces = FrameWriter.udp(
      Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 5,
      payload: [UInt8](repeating: 120, count: 60), identification: 0x1234, mtuBytes: 68)
    let (plain4, plain6) = (e.ethernet(Self.four), e.ethernet(Self.six))
    let frames = [tagged(routed4), plain4, tagged(routed6), plain6] + pieces + [plain4, tagged(Self.four), plain6]
    let run = PacketRun(frames + [Array(plain4.dropLast()), plain4])
    func found(
      _ frames: [Int], _ ends: String, ttl: UInt8 = 2, vlan: Int32 = -1, id: Int32 = 0, sum: UDPChecksum = .good,
      text: String = "NOTIFY"
    ) -> PacketRun.Found {
      PacketRun.Found(
        frames: frames, fragments: frames.count, ends: ends, hopLimit: ttl, vlan: vlan, identification: id,
        isCut: text == "NOTIF", checksum: sum, text: text)
    }
    let expected = [
      found([1], ends4, ttl: 255, vlan: 7, id: 0xFFFE, sum: .unverifiable), found([2], ends4),
      found([3], ends6, ttl: 9, vlan: 7, id: -1, sum: .unverifiable), found([4], ends6, id: -1),
      found([5, 6], ends4, ttl: 5, id: 0x1234, text: String(repeating: "x", count: 60)), found([7], ends4),
      found([8], ends4, vlan: 7), found([9], ends6, id: -1), found([10], ends4, sum: .unverifiable, text: "NOTIF"),
      found([11], ends4),
    ]
    expectEqual(run.found, expected)
    #expect(run.tally == [10, 0, 0, 0] && run.fragments == 2 && run.dropped == 0)
  }
}
