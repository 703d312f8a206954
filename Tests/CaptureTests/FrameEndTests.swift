import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Frames at their ends") struct FrameEndTests {
  /// What becomes of one frame, with these bytes behind it.
  private static func outcome(_ bytes: ArraySlice<UInt8>, behind: [UInt8], linkType: UInt32) -> String {
    let padded = Array(bytes) + behind + [UInt8](repeating: 0xEE, count: CaptureFrame.paddingBytes)
    return padded.withUnsafeBytes { buffer -> String in
      var extractor = DatagramExtractor()
      var datagram = ExtractedDatagram()
      var frame = CaptureFrame()
      (frame.linkType, frame.capturedCount, frame.originalCount) = (linkType, bytes.count, bytes.count)
      frame.bytes = buffer.baseAddress!
      let isFound = extractor.extract(frame, into: &datagram)
      let text = String(decoding: datagram.payload, as: UTF8.self)
      let found = isFound ? "\(datagram.source) \(datagram.destination) \(datagram.isCut) \(text)" : "nothing"
      let counts = [
        extractor.datagramCount, extractor.malformedCount, extractor.protectedCount, extractor.unreadPiecesCount,
        extractor.fragmentCount, extractor.droppedReassemblies,
      ]
      return "\(found) \(counts) \(extractor.unreadInside)"
    }
  }

  @Test("what stands behind a frame that was cut anywhere changes nothing", arguments: Encapsulation.all)
  func behind(link: Encapsulation) {
    for packet in [PacketEdgeTests.four, PacketEdgeTests.six] where link.versions.contains(packet[0] >> 4) {
      let frame = link.wrap(packet)
      for cut in 0...frame.count {
        let alone = Self.outcome(frame[..<cut], behind: [], linkType: link.linkType)
        let rest = Self.outcome(frame[..<cut], behind: Array(frame[cut...]), linkType: link.linkType)
        expectEqual(rest, alone, "\(cut) bytes of \(link)")
      }
    }
  }

  private func edited(_ bytes: [UInt8], _ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = bytes
    for (place, byte) in changes { bytes[place] = byte }
    return bytes
  }

  @Test("the shortest headers, and the bytes of headers that mean something else than the ones beside them")
  func headers() {
    let e = Encapsulation.self
    let (packet, six) = (PacketEdgeTests.four, PacketEdgeTests.six)
    let (datagram, malformed, nothing) = ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0])
    func check(_ name: String, _ linkType: UInt32, _ frame: [UInt8], _ tally: [Int]) {
      expectEqual(PacketRun([frame], linkType: linkType).tally, tally, "\(name)")
    }
    let attribute = e.little(packet.count + 4) + [9, 0] + packet
    check("one byte of a packet", 101, [0x45], malformed)
    check("20 bytes of another protocol", 101, edited(Array(packet[..<20]), [0: 0x55, 9: 1]), nothing)
    check("40 bytes of another protocol", 229, edited(Array(six[..<40]), [0: 0x55, 6: 58]), nothing)
    check(
      "a type that looks like IPv4 from its second byte", 1, edited(e.ethernet(packet), [13: 8, 14: 0, 15: 0x45]),
      nothing)
    check("Linux cooked v2 with a tag that is cut", 276, [0x81, 0] + e.zeros(18), nothing)
    check(
      "radiotap that pads a header of 24 bytes", 127,
      [0, 0, 9, 0, 2, 0, 0, 0, 0x20] + e.wireless(8, 1, 0) + e.snap(packet), datagram)
    check("PPI with a flag", 192, [0, 1, 8, 0, 1, 0, 0, 0] + e.ethernet(packet), datagram)
    check("NFLOG of version 1", 239, [2, 1, 0, 0] + attribute, nothing)
    check("NFLOG of a group", 239, [2, 0, 1, 0] + attribute, datagram)
    check("NFLOG behind an empty attribute", 239, [2, 0, 0, 0, 4, 0, 1, 0] + attribute, datagram)
    check("NFLOG with an empty packet", 239, [2, 0, 0, 0, 4, 0, 9, 0], nothing)
    check("PKTAP with PPP and nothing", 258, e.pktap(9, []), malformed)
    check("PPTP with one byte", 1, e.ethernet(e.ip4(47, [0, 0, 0x88, 0x0B, 0x21])), malformed)
    check("a label and one byte", 1, e.macs + [0x88, 0x47, 0, 0, 1, 64, 0x45], malformed)
  }

  @Test("a VLAN of zero takes the place of an outer one, and the number of a switch is no VLAN")
  func vlans() {
    let e = Encapsulation.self
    let packet = PacketEdgeTests.four
    let instance: [UInt8] = [0x88, 0xE7, 0, 0, 0, 1]
    let backbone = e.macs + [0x88, 0xA8, 0, 9] + instance + e.macs + [0x88, 0xA8, 0, 0] + instance
    expectEqual(PacketRun([backbone + e.ethernet(packet)]).found.map(\.vlan), [0])
    let device = e.macs + [0x41, 0, 0x20, 5] + e.type(packet) + packet
    expectEqual(PacketRun([device], linkType: 284).found.map(\.vlan), [-1])
  }

  @Test("fragments without a hop to go make their datagram, and one that claims more than came is malformed")
  func fragments() {
    let whole = Piece.segment("AAAAAAAABBBBBBBB")
    var lying = whole
    lying[5] += 1
    let four = [Piece.four(whole, 0..<16, more: true, ttl: 0), Piece.four(whole, 16..<24, more: false, ttl: 0)]
    let expected = PacketRun.Found(
      frames: [1, 2], fragments: 2, ends: "10.0.0.1:1900 10.0.0.2:1900", hopLimit: 0, vlan: -1, identification: 9,
      isCut: false, checksum: .absent, text: "AAAAAAAABBBBBBBB")
    expectEqual(PacketRun(four).found, [expected])
    for pieces in [
      [Piece.four(lying, 0..<16, more: true), Piece.four(lying, 16..<24, more: false)],
      [Piece.six(lying, 0..<16, more: true), Piece.six(lying, 16..<24, more: false)],
    ] { expectEqual(PacketRun(pieces).tally, [0, 1, 0, 0]) }
    // A packet in one piece has its number, too.
    let one = edited(Encapsulation.ethernet(Encapsulation.ip4(17, whole, id: 9)), [18: 0x12])
    expectEqual(PacketRun([one]).found.map(\.identification), [0x1209])
  }
}
