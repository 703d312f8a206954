import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("What an extractor counts") struct ExtractorCountTests {
  @Test("each datagram counts once, by whatever way it came; a fragment, a foreign and a malformed packet do not")
  func datagrams() {
    let e = Encapsulation.self
    let whole = Piece.segment("AAAAAAAABBBBBBBB")
    let plain = e.ethernet(PacketEdgeTests.four)
    let frames: [[UInt8]] = [
      plain, Piece.tagged(plain, 7), e.ethernet(PacketEdgeTests.six),
      // A UDP length of seven, and a protocol that is not for us.
      e.ethernet(e.ip4(17, [7, 0x6C, 7, 0x6C, 0, 7, 0, 0])), e.ethernet(e.ip4(1, e.zeros(8))),
      Piece.four(whole, 0..<16, more: true), Piece.four(whole, 16..<24, more: false),
      // Without any payload.
      e.ethernet(e.ip4(17, [7, 0x6C, 7, 0x6C, 0, 8, 0, 0])),
    ]
    var extractor = DatagramExtractor()
    var datagram = ExtractedDatagram()
    var counts = [extractor.datagramCount]
    var answers: [Bool] = []
    for (index, bytes) in frames.enumerated() {
      let padded = bytes + [UInt8](repeating: 0xEE, count: CaptureFrame.paddingBytes)
      padded.withUnsafeBytes { buffer in
        var frame = CaptureFrame()
        (frame.number, frame.linkType) = (index + 1, LinkType.ethernet)
        (frame.capturedCount, frame.originalCount) = (bytes.count, bytes.count)
        frame.bytes = buffer.baseAddress!
        answers.append(extractor.extract(frame, into: &datagram))
      }
      counts.append(extractor.datagramCount)
    }
    let others = [extractor.malformedCount, extractor.fragmentCount, extractor.droppedReassemblies]
    expectEqual(counts, [0, 1, 2, 3, 3, 3, 3, 4, 5])
    expectEqual(answers, [true, true, true, false, false, false, true, true])
    expectEqual(others, [1, 2, 0])
  }

  @Test("before anything is read, a datagram has no ends, no payload and one fragment")
  func unread() {
    let datagram = ExtractedDatagram()
    let ends = "\(datagram.source) \(datagram.destination)"
    let numbers = [
      Int(datagram.hopLimit), Int(datagram.vlan), datagram.fragmentCount, Int(datagram.identification),
      datagram.payload.count,
    ]
    expectEqual(ends, "0.0.0.0:0 0.0.0.0:0")
    expectEqual(numbers, [0, -1, 1, -1, 0])
    #expect(!datagram.isCut && datagram.checksum == .unverifiable)
  }
}
