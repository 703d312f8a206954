import RollcallCapture
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Hostile captures") struct HostileTests {
  /// Reads everything there is to read, and says how many frames and datagrams there were.
  func read(_ bytes: [UInt8]) -> (frames: Int, datagrams: Int) {
    var extractor = DatagramExtractor()
    do throws(CaptureError) {
      var reader = try CaptureReader(chunkBytes: 4_096, pull: source(bytes, step: 1_000))
      var (frame, datagram) = (CaptureFrame(), ExtractedDatagram())
      var comments = 0
      while extractor.next(from: &reader, &frame, &datagram) {
        comments += frame.comments.count + frame.timeText.utf8.count
        _ = datagram.checksum
        _ = SHA256.hex(of: datagram.payload)
      }
      return (reader.frameCount, extractor.datagramCount)
    } catch {
      return (0, 0)
    }
  }

  /// A pcap file with what the writer can make: both families, fragments, VLANs.
  static func pcap() -> [UInt8] {
    let sample = PcapSample()
    let capture = KeptCapture(CaptureWriterTests.sample().bytes)
    return sample.header + capture.frames.flatMap { sample.record(1, 2, $0.bytes) }
  }

  @Test("a thousand damaged copies of a capture neither crash nor hang", arguments: [false, true])
  func mutations(isPcapng: Bool) {
    let good = isPcapng ? CaptureWriterTests.sample().bytes : Self.pcap()
    #expect(read(good) == (10, 4))
    var dice = Seed(7).stream("mutations")
    var survivors = 0
    for _ in 0..<1_000 {
      var bytes = good
      for _ in 0...dice.below(6) {
        let position = Int(dice.below(UInt64(bytes.count)))
        switch dice.below(4) {
        case 0: bytes[position] = UInt8(truncatingIfNeeded: dice.next())
        case 1: bytes[position] ^= 1 << UInt8(dice.below(8))
        case 2: bytes[position] = dice.below(2) == 0 ? 0 : 0xFF
        default: bytes.removeSubrange(position..<min(bytes.count, position + 1 + Int(dice.below(9))))
        }
      }
      if read(bytes).frames > 0 { survivors += 1 }
    }
    // If nearly all were refused at the door, nothing behind it was tried.
    #expect(survivors > 500)
  }
}
