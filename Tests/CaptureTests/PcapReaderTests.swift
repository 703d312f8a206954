import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Builds pcap files by hand.
struct PcapSample {
  var bigEndian = false
  var magic: UInt32 = 0xA1B2_C3D4
  var version: (UInt16, UInt16) = (2, 4)
  var snapLength: UInt32 = 262_144
  var linkType: UInt32 = 1

  func word(_ value: UInt32) -> [UInt8] {
    let little = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return bigEndian ? little.reversed() : little
  }
  func half(_ value: UInt16) -> [UInt8] {
    bigEndian ? [UInt8(value >> 8), UInt8(value & 0xFF)] : [UInt8(value & 0xFF), UInt8(value >> 8)]
  }
  var header: [UInt8] {
    word(magic) + half(version.0) + half(version.1) + word(0) + word(0) + word(snapLength) + word(linkType)
  }
  func record(_ seconds: UInt32, _ ticks: UInt32, _ bytes: [UInt8], original: UInt32? = nil) -> [UInt8] {
    let tail: [UInt8] = magic == 0xA1B2_CD34 ? [1, 0, 0, 0, 8, 0, 4, 0] : []
    return word(seconds) + word(ticks) + word(UInt32(bytes.count)) + word(original ?? UInt32(bytes.count)) + tail
      + bytes
  }
}

@Suite("pcap reader") struct PcapReaderTests {
  @Test(
    "both byte orders, both precisions and the modified form read alike", arguments: [false, true],
    [(UInt32(0xA1B2_C3D4), UInt32(123_456)), (0xA1B2_3C4D, 123_456_000), (0xA1B2_CD34, 123_456)])
  func variants(bigEndian: Bool, form: (magic: UInt32, ticks: UInt32)) {
    let sample = PcapSample(bigEndian: bigEndian, magic: form.magic, linkType: 113)
    let bytes =
      sample.header + sample.record(1_700_000_000, form.ticks, [1, 2, 3], original: 99)
      + sample.record(1_700_000_001, 0, [])
    let capture = KeptCapture(bytes)
    #expect(capture.error == nil && capture.problem == nil)
    expectEqual(capture.frames.map(\.number), [1, 2])
    expectEqual(capture.frames.map(\.time), ["1700000000.123456000", "1700000001.000000000"])
    expectEqual(capture.frames.map(\.nanoseconds), [1_700_000_000_123_456_000, 1_700_000_001_000_000_000])
    expectEqual(capture.frames.map(\.bytes), [[1, 2, 3], []])
    expectEqual(capture.frames.map(\.originalCount), [99, 0])
    expectEqual(capture.frames.map(\.linkType), [113, 113])
  }

  @Test("a fraction past its second is shown as it stands")
  func oddFractions() {
    var sample = PcapSample()
    let micro = sample.header + sample.record(10, 1_000_000, [0]) + sample.record(10, 0x8000_0000, [0])
    expectEqual(KeptCapture(micro).frames.map(\.time), ["10.1000000000", "10.000000000"])
    sample.magic = 0xA1B2_3C4D
    let nano = sample.header + sample.record(10, 1_000_000_000, [0]) + sample.record(10, 0x8000_0000, [0])
    expectEqual(KeptCapture(nano).frames.map(\.time), ["10.1000000000", "-10.2147483648"])
    expectEqual(KeptCapture(nano).frames.map(\.nanoseconds), [11_000_000_000, 12_147_483_648])
  }

  @Test("old versions have their lengths the other way round")
  func oldVersions() {
    for minor in [UInt16(2), 3] {
      let sample = PcapSample(version: (2, minor))
      let swapped =
        sample.header + sample.word(1) + sample.word(0) + sample.word(60) + sample.word(4)
        + [UInt8](repeating: 7, count: 4)
      let capture = KeptCapture(swapped)
      expectEqual(capture.frames.map(\.bytes), [[7, 7, 7, 7]])
      expectEqual(capture.frames.map(\.originalCount), [60])
    }
    expectEqual(KeptCapture(PcapSample(version: (3, 0)).header).error, .notCapture("its pcap version 3.0 is unknown"))
  }

  @Test("upper bits of the link type tell of a frame check sequence, not of another link")
  func linkTypeBits() {
    let sample = PcapSample(linkType: 0x2400_0001)
    expectEqual(KeptCapture(sample.header + sample.record(1, 0, [0])).frames.map(\.linkType), [1])
    expectEqual(KeptCapture(PcapSample(linkType: 2_105_376).header).error, .notCapture("2105376 is no link type"))
  }

  @Test("a length that no frame can have is damage, and what came before is kept")
  func wildLength() {
    let sample = PcapSample()
    let good = sample.header + sample.record(1, 0, [1, 2])
    let wild = sample.word(2) + sample.word(0) + sample.word(0x7FFF_FFFF) + sample.word(0x7FFF_FFFF)
    let capture = KeptCapture(good + wild + [UInt8](repeating: 0, count: 40))
    expectEqual(capture.frames.map(\.bytes), [[1, 2]])
    expectEqual(capture.problem, CaptureProblem(.wildLength, byteOffset: 42, frame: 2, value: 0x7FFF_FFFF))
    expectEqual(capture.problem?.description, "frame 2 claims 2147483647 bytes, which no frame can have (byte 42)")
  }

  @Test("what is no capture is refused with what it is instead")
  func refusals() {
    expectEqual(KeptCapture([]).error, .notCapture("the file is empty"))
    expectEqual(KeptCapture([0x50, 0x4B, 3, 4]).error, .notCapture("it is zip-compressed, unpack first"))
    expectEqual(
      KeptCapture(Array("snoop\0\0\0rest".utf8)).error,
      .notCapture("it is a snoop file of Solaris; convert it with: editcap -F pcap IN OUT"))
    expectEqual(KeptCapture(Array("GET / HTTP".utf8)).error, .notCapture("it begins with the bytes 47 45 54 20"))
    expectEqual(
      KeptCapture(Array(PcapSample().header.prefix(10))).error,
      .notCapture("its pcap file header is cut short after 10 bytes"))
    expectEqual(KeptCapture(PcapSample().header).error, .noFrame(nil))
    let failing: (UnsafeMutableRawBufferPointer) -> Int = { _ in -1 }
    #expect(throws: CaptureError.unreadable("the first bytes cannot be read")) { _ = try CaptureReader(pull: failing) }
    #expect(throws: CaptureError.unreadable("No such file or directory")) {
      _ = try CaptureReader(path: "/no/such/file")
    }
    #expect(throws: CaptureError.unreadable("Is a directory")) { _ = try CaptureReader(path: "/") }
  }

  @Test("a source that fails in the middle is a problem, not an end")
  func failureInTheMiddle() throws {
    let sample = PcapSample()
    var rest = source(sample.header + sample.record(1, 0, [5]))
    var isFirst = true
    var reader = try CaptureReader { buffer in
      if isFirst {
        isFirst = false
        return rest(buffer)
      }
      return -1
    }
    rest = { _ in 0 }
    var frame = CaptureFrame()
    var count = 0
    while reader.next(&frame) { count += 1 }
    expectEqual(count, 1)
    expectEqual(reader.problem, CaptureProblem(.readFailure, byteOffset: 41, frame: 2))
  }

  @Test("small chunks, short reads and frames larger than a chunk change nothing")
  func chunks() {
    let sample = PcapSample()
    var bytes = sample.header
    for size in [0, 1, 60, 1_514, 9_000, 65_000, 3, 200_000, 60] {
      bytes += sample.record(UInt32(size), 0, (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }
    let whole = KeptCapture(bytes)
    expectEqual(whole.frames.map(\.bytes.count), [0, 1, 60, 1_514, 9_000, 65_000, 3, 200_000, 60])
    expectEqual(whole.problem, nil)
    expectEqual(KeptCapture(bytes, step: 997, chunkBytes: 4_096), whole)
    expectEqual(KeptCapture(bytes, chunkBytes: 4_096), whole)
    expectEqual(KeptCapture(Array(bytes.prefix(12_000)), step: 1), KeptCapture(Array(bytes.prefix(12_000))))
  }

  @Test("every truncation keeps the whole frames before the cut")
  func truncations() {
    let sample = PcapSample()
    var bytes = sample.header
    var ends = [bytes.count]
    for size in [10, 0, 33, 7] {
      bytes += sample.record(9, 8, (0..<size).map { UInt8($0) })
      ends.append(bytes.count)
    }
    let whole = KeptCapture(bytes).frames
    expectEqual(whole.count, 4)
    for cut in 0...bytes.count {
      let capture = KeptCapture(Array(bytes.prefix(cut)))
      let kept = max(0, ends.filter { $0 <= cut }.count - 1)
      expectEqual(capture.frames, Array(whole.prefix(kept)), "cut at \(cut)")
      let damage =
        ends.contains(cut) || cut < 24
        ? nil : CaptureProblem(.cutShort, byteOffset: ends[kept], frame: kept + 1)
      if kept > 0 {
        #expect(capture.error == nil && capture.problem == damage, "cut at \(cut)")
      } else if cut >= 24 {
        expectEqual(capture.error, .noFrame(damage), "cut at \(cut)")
      } else {
        #expect(capture.error != nil, "cut at \(cut)")
      }
    }
  }
}
