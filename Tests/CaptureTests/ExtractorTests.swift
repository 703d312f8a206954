import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Datagrams out of frames") struct ExtractorTests {
  let frame4 = FrameWriter.udp(
    Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: Array("NOTIFY".utf8))[0]
  let frame6 = FrameWriter.udp(
    Ends.link(.ssdpGroup6), from: Ends.source6, to: Ends.group6, hopLimit: 2, payload: Array("NOTIFY".utf8))[0]

  @Test("the same packets are found under every link layer that is known")
  func linkLayers() {
    let (packet4, packet6) = (Array(frame4[14...]), Array(frame6[14...]))
    func payloads(_ frames: [[UInt8]], _ linkType: UInt32) -> [[UInt8]] {
      Extraction(frames, linkType: linkType).found.map(\.payload)
    }
    let both = [Array("NOTIFY".utf8), Array("NOTIFY".utf8)]
    for raw in [UInt32(12), 14, LinkType.raw] { expectEqual(payloads([packet4, packet6], raw), both) }
    expectEqual(payloads([packet4, packet6], LinkType.ipv4), both)
    expectEqual(payloads([packet4, packet6], LinkType.ipv6), [both[0]])
    let cooked = [UInt8](repeating: 0, count: 14)
    expectEqual(payloads([cooked + [8, 0] + packet4, cooked + [0x86, 0xDD] + packet6], LinkType.linuxCooked), both)
    let cooked2 = [UInt8](repeating: 0, count: 18)
    expectEqual(
      payloads([[8, 0] + cooked2 + packet4, [0x86, 0xDD] + cooked2 + packet6], LinkType.linuxCooked2), both)
    for family in [UInt8(10), 23, 24, 28, 30] {
      expectEqual(payloads([[2, 0, 0, 0] + packet4, [family, 0, 0, 0] + packet6], LinkType.null), both)
      expectEqual(payloads([[0, 0, 0, 2] + packet4, [0, 0, 0, family] + packet6], LinkType.loop), both)
    }
    expectEqual(payloads([frame4], 147), [])
  }

  @Test("frames are counted by link layer, and the unknown ones have a name")
  func unknownLinkTypes() {
    var extractor = DatagramExtractor()
    var datagram = ExtractedDatagram()
    for linkType in [UInt32(147), 1, 147, 187] {
      var frame = CaptureFrame()
      frame.linkType = linkType
      #expect(!extractor.extract(frame, into: &datagram))
    }
    expectEqual(extractor.linkTypes.map(\.linkType), [147, 1, 187])
    expectEqual(extractor.linkTypes.map(\.frames), [2, 1, 1])
    expectEqual(extractor.linkTypes.map { LinkType.isSupported($0.linkType) }, [false, true, true])
    expectEqual(
      ["LINKTYPE_147", "Ethernet", "Bluetooth HCI H4"], extractor.linkTypes.map { LinkType.name($0.linkType) })
  }

  @Test("a link layer that is not read is counted inside another, too: PPI and PKTAP say what follows")
  func unknownInside() {
    func ppi(_ linkType: UInt32) -> [UInt8] {
      [0, 0, 8, 0] + (0..<4).map { UInt8(truncatingIfNeeded: linkType >> (8 * $0)) } + frame4
    }
    func inside(_ frames: [[UInt8]]) -> [[Int]] {
      var extractor = DatagramExtractor()
      var datagram = ExtractedDatagram()
      for frame in frames {
        frame.withUnsafeBytes { buffer in
          var view = CaptureFrame()
          (view.linkType, view.capturedCount, view.bytes) = (LinkType.ppi, frame.count, buffer.baseAddress!)
          _ = extractor.extract(view, into: &datagram)
        }
      }
      return extractor.unreadInside.map { [Int($0.linkType), $0.frames] }
    }
    expectEqual(inside([ppi(LinkType.ethernet)]), [])
    expectEqual(
      inside([ppi(187), ppi(LinkType.ethernet), ppi(251), ppi(187)]), [[187, 2]])
    let many = inside((0..<100).map { ppi(1_000 + UInt32($0)) })
    #expect(many.count == 32 && many.reduce(0) { $0 + $1[1] } == 100)
  }

  @Test("tags of 802.1Q, 802.1ad and older stacks are followed, SNAP too; the innermost VLAN counts")
  func tags() {
    let (addresses, rest) = (Array(frame4[..<12]), Array(frame4[12...]))
    let tagged: [[UInt8]] = [
      [0x81, 0, 0x20, 7], [0x88, 0xA8, 0, 100, 0x81, 0, 0, 7], [0x91, 0, 0, 1, 0x92, 0, 0, 2, 0x81, 0, 0x0F, 0xFF],
    ]
    expectEqual(Extraction(tagged.map { addresses + $0 + rest }).found.map(\.vlan), [7, 7, 4095])
    let snap = addresses + [0, 60, 0xAA, 0xAA, 3, 0, 0, 0] + rest
    expectEqual(Extraction([snap]).found.map(\.payload), [Array("NOTIFY".utf8)])
    let endless =
      addresses + [UInt8](repeating: 0x81, count: 1) + [0] + (0..<300).flatMap { _ in [UInt8(0), 1, 0x81, 0] }
    expectEqual(Extraction([endless]).found, [])
  }

  @Test("padding behind the packet is no payload, and a length of zero from a network card is the rest")
  func lengths() {
    expectEqual(Extraction([frame4 + [0, 0, 0, 0]]).found.map(\.payload), [Array("NOTIFY".utf8)])
    var zero = frame4
    (zero[16], zero[17]) = (0, 0)
    expectEqual(Extraction([zero]).found.map(\.payload), [Array("NOTIFY".utf8)])
    // The UDP length is smaller than what IP carries, larger, and nonsense.
    var short = frame4
    short[39] = 10
    expectEqual(Extraction([short]).found.map(\.payload), [Array("NO".utf8)])
    // Larger in a frame that the file holds whole: nobody sent such a datagram. One byte is enough.
    for (frame, place) in [(frame4, 38), (frame6, 58)] {
      for (high, low) in [(UInt8(200), UInt8(14)), (0, 15)] {
        var long = frame
        (long[place], long[place + 1]) = (high, low)
        let extraction = Extraction([long, frame])
        #expect(extraction.found.map(\.payload) == [Array("NOTIFY".utf8)] && extraction.malformed == 1)
        // Cut by the file it may be what it says.
        let cut = Extraction([Array(long.dropLast())])
        #expect(cut.found.map(\.payload) == [Array("NOTIF".utf8)] && cut.malformed == 0)
        expectEqual(cut.found.map(\.checksum), [.unverifiable])
      }
    }
    var nonsense = frame4
    nonsense[39] = 7
    #expect(Extraction([nonsense]).found == [] && Extraction([nonsense]).malformed == 1)
  }

  @Test("options of IPv4 and extension headers of IPv6 are passed over")
  func extensions() {
    var options = frame4
    options[14] = 0x46
    options[17] += 4
    options.insert(contentsOf: [1, 1, 1, 0], at: 34)
    expectEqual(Extraction([options]).found.map(\.checksum), [.good])
    let chains: [(UInt8, [UInt8])] = [
      (0, [60, 0, 5, 2, 0, 0, 1, 0] + [17, 0, 1, 4, 0, 0, 0, 0]),
      (43, [17, 0, 0, 0, 0, 0, 0, 0]),
      (51, [17, 4] + [UInt8](repeating: 0, count: 22)),
      (44, [17, 0, 0, 0, 0, 0, 0, 9]),
      (60, [17, 1] + [UInt8](repeating: 0, count: 14)),
    ]
    for (first, headers) in chains {
      var frame = frame6
      frame[20] = first
      frame[19] += UInt8(headers.count)
      frame.insert(contentsOf: headers, at: 54)
      let found = Extraction([frame]).found
      expectEqual(found.map(\.payload), [Array("NOTIFY".utf8)], "chain from \(first)")
      expectEqual(found.map(\.checksum), [.good])
    }
    var routed = frame6
    routed[20] = 43
    routed[19] += 8
    routed.insert(contentsOf: [17, 0, 0, 1, 0, 0, 0, 0], at: 54)
    expectEqual(Extraction([routed]).found.map(\.checksum), [.unverifiable])
    var endless = frame6
    endless[20] = 0
    endless.replaceSubrange(54..., with: [UInt8](repeating: 0, count: 800))
    (endless[18], endless[19]) = (3, 32)
    #expect(Extraction([endless]).found == [] && Extraction([endless]).malformed == 1)
  }

  @Test("a datagram that an ICMP error quotes was not received")
  func icmp() {
    var quoted = frame4
    quoted[23] = 1
    expectEqual(Extraction([quoted]).found, [])
    let error = FrameWriter.frame(
      Ends.link(.ssdpGroup4), from: Ends.source4.address, to: .ssdpGroup4, protocolNumber: .icmp,
      ipPayload: [3, 3, 0, 0, 0, 0, 0, 0] + frame4[14...], hasRouterAlert: false)
    expectEqual(Extraction([error!]).found, [])
  }

  @Test("cut anywhere, a frame gives less or nothing, never a crash")
  func truncations() {
    for frame in [frame4, frame6] {
      for cut in 0..<frame.count {
        let found = Extraction([Array(frame[..<cut])]).found
        let headers = frame.count - 6
        expectEqual(found.map(\.payload), (cut < headers ? [] : [Array("NOTIFY".utf8.prefix(cut - headers))]))
      }
    }
  }
}

@Suite("Reassembly") struct ReassemblyTests {
  static let payload = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 / 8) }
  let pieces = FrameWriter.udp(
    Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: payload, identification: 9,
    mtuBytes: 820)

  @Test("of overlapping bytes the first to arrive stays")
  func overlap() {
    expectEqual(pieces.count, 3)
    var forged = pieces[0]
    for index in 42..<forged.count { forged[index] = 0xFF }
    let found = Extraction([pieces[0], forged, pieces[1], pieces[2]]).found
    expectEqual(found.map(\.payload), [Self.payload])
    expectEqual(found.map(\.fragmentCount), [4])
    let late = Extraction([forged, pieces[0], pieces[1], pieces[2]]).found
    expectEqual(late.map { Array($0.payload[..<792]) }, [[UInt8](repeating: 0xFF, count: 792)])
    expectEqual(late.map(\.checksum), [.bad])
  }

  @Test("a second end, or bytes past the end, are not believed")
  func contradictions() {
    var second = pieces[1]
    second[20] = 0  // no more fragments: the datagram would end here
    let found = Extraction([pieces[2], second, pieces[1], pieces[0]]).found
    expectEqual(found.map(\.payload), [Self.payload])
  }

  @Test("after thirty seconds the rest comes too late")
  func timeLimit() {
    expectEqual(Extraction(pieces, seconds: [0, 15, 30]).found.map(\.payload), [Self.payload])
    let late = Extraction(pieces, seconds: [0, 15, 31])
    #expect(late.found == [] && late.dropped == 2)
  }

  @Test("fragments of different datagrams, VLANs and interfaces do not mix")
  func keys() {
    let other = FrameWriter.udp(
      Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: Self.payload.reversed(),
      identification: 10, mtuBytes: 820)
    let mixed = Extraction([pieces[0], other[0], other[1], pieces[1], pieces[2], other[2]]).found
    expectEqual(mixed.map(\.payload), [Self.payload, Self.payload.reversed()])
    expectEqual(mixed.map(\.frame), [5, 6])
    expectEqual(Extraction(pieces, interfaces: [0, 1, 0]).found, [])
    for odd in pieces.indices {
      var tagged = pieces
      tagged[odd].insert(contentsOf: [0x81, 0, 0, 7], at: 12)
      expectEqual(Extraction(tagged).found, [], "fragment \(odd) of another VLAN")
      for address in [29, 33] {
        var foreign = pieces
        foreign[odd][address] ^= 1
        expectEqual(Extraction(foreign).found, [], "fragment \(odd) with another address")
      }
      var renumbered = pieces
      renumbered[odd][18] ^= 0x80
      expectEqual(Extraction(renumbered).found, [], "fragment \(odd) of another datagram")
    }
    let inVLAN = pieces.map { $0[..<12] + [0x81, 0, 0, 7] + $0[12...] }
    expectEqual(Extraction(inVLAN.map { Array($0) }).found.map(\.payload), [Self.payload])
  }

  @Test("whole, they are no longer than their UDP header says")
  func lyingLength() {
    var lying = pieces
    lying[0][38] += 1
    let extraction = Extraction(lying)
    #expect(extraction.found == [] && extraction.malformed == 1)
  }

  @Test("a flood of first fragments pushes out the oldest, and memory stays bounded")
  func flood() {
    let flood = (0..<200).map { identification in
      FrameWriter.udp(
        Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: Self.payload,
        identification: UInt32(1_000 + identification), mtuBytes: 820)[0]
    }
    let seconds = [Int64](repeating: 0, count: 300)
    let pushed = Extraction([pieces[0], pieces[1]] + flood + [pieces[2]], seconds: seconds)
    #expect(pushed.found == [] && pushed.dropped == 202)
    let kept = Extraction(flood + pieces, seconds: seconds)
    expectEqual(kept.found.map(\.payload), [Self.payload])
  }

  @Test("a fragment past the largest datagram, an empty one and an odd one are dropped")
  func misshapen() {
    var past = pieces[1]
    (past[20], past[21]) = (0x3F, 0xFF)
    var odd = pieces[1]
    odd[17] -= 1
    expectEqual(Extraction([pieces[0], past, odd, pieces[1], pieces[2]]).found.map(\.payload), [Self.payload])
  }
}
