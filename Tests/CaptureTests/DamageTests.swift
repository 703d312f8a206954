import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// How far a file was read, and whether it merely ends inside a packet or is damaged before its end.
@Suite("Damage and cuts") struct DamageTests {
  private func damage(
    _ bytes: [UInt8], step: Int = .max, chunkBytes: Int = CaptureReader.chunkBytes
  ) throws -> CaptureDamage? {
    var reader = try CaptureReader(chunkBytes: chunkBytes, pull: source(bytes, step: step))
    var frame = CaptureFrame()
    while reader.next(&frame) {}
    expectEqual((reader.problem == nil), (reader.damage == nil))
    expectEqual(reader.damage?.problem, reader.problem)
    return reader.damage
  }

  /// Frames of a capture of today, of different lengths.
  private static let contents: [[UInt8]] = (0..<12).map { number in
    (0..<(60 + number * 17)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
  }
  private static let now: UInt32 = 1_700_000_000

  private static let pcap: (bytes: [UInt8], starts: [Int]) = {
    let sample = PcapSample()
    var (bytes, starts) = (sample.header, [Int]())
    for (number, content) in contents.enumerated() {
      starts.append(bytes.count)
      bytes += sample.record(now + UInt32(number), 500_000, content)
    }
    return (bytes, starts + [bytes.count])
  }()

  private static let pcapng: (bytes: [UInt8], starts: [Int]) = {
    let sample = PcapngSample()
    var (bytes, starts) = (sample.section() + sample.interface(), [Int]())
    for (number, content) in contents.enumerated() {
      starts.append(bytes.count)
      bytes += sample.enhanced(0, UInt64(now) * 1_000_000 + UInt64(number), content)
    }
    return (bytes, starts + [bytes.count])
  }()

  @Test("a file that ends anywhere inside a packet was cut, and says how much of it was read")
  func cuts() throws {
    for (bytes, starts) in [Self.pcap, Self.pcapng] {
      for cut in (starts[1] + 1)..<bytes.count where !starts.contains(cut) {
        let found = try #require(try damage(Array(bytes[..<cut])))
        let frames = starts.filter { $0 < cut }.count - 1
        #expect(!found.isBeforeEnd, "\(cut)")
        expectEqual(found.problem.what, .cutShort)
        #expect((found.frames, found.readBytes, found.totalBytes) == (frames, starts[frames], cut))
      }
    }
    #expect(try damage(Self.pcap.bytes) == nil && damage(Self.pcapng.bytes) == nil)
  }

  @Test("a length that reaches beyond the file is damage where whole packets stand behind it, however it is read")
  func lies() throws {
    for place in [1, 5, 10] {
      var bytes = Self.pcap.bytes
      // More than is left and less than what no frame can have.
      for (index, byte) in PcapSample().word(20_000).enumerated() {
        bytes[Self.pcap.starts[place] + 8 + index] = byte
        bytes[Self.pcap.starts[place] + 12 + index] = byte
      }
      for (step, chunk) in [(Int.max, CaptureReader.chunkBytes), (7, 4_096)] {
        let found = try #require(try damage(bytes, step: step, chunkBytes: chunk))
        #expect(found.problem.what == .cutShort && found.isBeforeEnd, "\(place)")
        #expect((found.frames, found.readBytes, found.totalBytes) == (place, Self.pcap.starts[place], bytes.count))
      }
    }
    for place in [1, 5, 10] {
      var bytes = Self.pcapng.bytes
      bytes[Self.pcapng.starts[place] + 5] = 0x40
      let found = try #require(try damage(bytes))
      #expect(found.problem.what == .cutShort && found.isBeforeEnd, "\(place)")
      #expect(found.readBytes == Self.pcapng.starts[place] && found.totalBytes == bytes.count)
    }
  }

  @Test("the last packet with a length that reaches beyond the file was cut, unless its own header contradicts that")
  func lastOne() throws {
    let start = Self.pcap.starts[11]
    var bytes = Self.pcap.bytes
    for (index, byte) in PcapSample().word(20_000).enumerated() { bytes[start + 8 + index] = byte }
    // It kept more than there was.
    try expectEqual(damage(bytes)?.isBeforeEnd, true)
    for (index, byte) in PcapSample().word(20_000).enumerated() { bytes[start + 12 + index] = byte }
    try expectEqual(damage(bytes)?.isBeforeEnd, false)
    for (index, byte) in PcapSample().word(19_999).enumerated() { bytes[start + 12 + index] = byte }
    try expectEqual(damage(bytes)?.isBeforeEnd, true)
  }

  @Test("one whole packet behind the fault is enough where it ends the file; a packet of another day is chance")
  func oneBehind() throws {
    let sample = PcapSample()
    func file(_ behind: [UInt8]) -> [UInt8] {
      sample.header + sample.record(Self.now, 1, [1, 2, 3]) + sample.word(Self.now) + sample.word(0)
        + sample.word(9_000) + sample.word(9_000) + [5, 5, 5] + behind
    }
    try expectEqual(damage(file(sample.record(Self.now, 7, [9])))?.isBeforeEnd, true)
    try expectEqual(damage(file(sample.record(Self.now + 86_400, 7, [9])))?.isBeforeEnd, true)
    try expectEqual(damage(file(sample.record(Self.now + 86_401, 7, [9])))?.isBeforeEnd, false)
    try expectEqual(damage(file(sample.record(Self.now - 86_400, 7, [9])))?.isBeforeEnd, true)
    try expectEqual(damage(file(sample.record(Self.now - 86_401, 7, [9])))?.isBeforeEnd, false)
    try expectEqual(damage(file(sample.record(Self.now, 1_000_000, [9])))?.isBeforeEnd, false)
    try expectEqual(damage(file(sample.record(Self.now, 999_999, [9])))?.isBeforeEnd, true)
    // Not at the end, alone: chance.
    try expectEqual(damage(file(sample.record(Self.now, 7, [9]) + [1, 2, 3]))?.isBeforeEnd, false)
    let two = sample.record(Self.now, 7, [9]) + sample.record(Self.now, 8, [9])
    try expectEqual(damage(file(two + [1, 2, 3]))?.isBeforeEnd, true)
  }

  @Test("every other fault stands before the end, even in the last packet")
  func faults() throws {
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    func isBeforeEnd(_ bytes: [UInt8]) throws -> Bool? { try damage(good + bytes)?.isBeforeEnd }
    try expectEqual(isBeforeEnd(sample.enhanced(7, 1, [2])), true)
    var trailer = sample.enhanced(0, 1, [2])
    trailer[trailer.count - 4] ^= 4
    try expectEqual(isBeforeEnd(trailer), true)
    var wild = Self.pcap.bytes
    for (index, byte) in PcapSample().word(0x7FFF_FFFF).enumerated() { wild[Self.pcap.starts[4] + 8 + index] = byte }
    let found = try #require(try damage(wild))
    #expect(found.problem.what == .wildLength && found.isBeforeEnd)
    #expect((found.frames, found.readBytes, found.totalBytes) == (4, Self.pcap.starts[4], wild.count))
  }

  @Test("a section header that is cut was cut; one of an unknown version is damage")
  func sections() throws {
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    for count in 1..<28 {
      try expectEqual(damage(good + sample.section()[..<count])?.isBeforeEnd, false, "\(count)")
    }
    var version = sample.section()
    version[12] = 9
    try expectEqual(damage(good + version)?.isBeforeEnd, true)
  }

  @Test("a block that nobody reads was cut where it fits the buffer, and is damage where nobody saw what it holds")
  func skipped() throws {
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    let block = sample.block(0x4711, [UInt8](repeating: 3, count: 10_000))
    try expectEqual(damage(good + block), nil)
    for cut in [8, 11, 12, 5_000, block.count - 1] {
      let found = try #require(try damage(good + block[..<cut]))
      #expect(found.problem.what == .cutShort && !found.isBeforeEnd, "\(cut)")
      expectEqual(found.totalBytes, good.count + cut)
    }
    let hidden = good + block[..<100] + sample.enhanced(0, 2, [2])
    try expectEqual(damage(hidden)?.isBeforeEnd, true)
    let huge = sample.block(0x4711, [UInt8](repeating: 3, count: CaptureReader.chunkBytes))
    try expectEqual(damage(good + huge), nil)
    let found = try #require(try damage(good + huge.dropLast()))
    #expect(found.isBeforeEnd)
    #expect((found.readBytes, found.totalBytes) == (good.count, good.count + huge.count - 1))
  }

  @Test(
    "a packed file that ends too early was cut; one that is wrong inside is damaged, and its bytes are those on disk")
  func packed() throws {
    let packed = gzip(GzipTests.plain)
    for cut in [70_000, 100_000, packed.count - 3] {
      let found = try #require(try damage(Array(packed[..<cut])))
      #expect(found.problem.what == .brokenGzip && !found.isBeforeEnd, "\(cut)")
      #expect((found.readBytes, found.totalBytes) == (cut, cut))
    }
    var broken = packed
    broken[10 + 5 + 65_535 + 1] ^= 0xFF
    let found = try #require(try damage(broken))
    #expect(found.isBeforeEnd && found.totalBytes == packed.count && found.frames == 3)
    expectEqual(found.percent, found.readBytes * 100 / packed.count)
    var checksum = packed
    checksum[packed.count - 6] ^= 1
    try expectEqual(damage(checksum)?.isBeforeEnd, true)
    try expectEqual(damage(packed + Array("more".utf8))?.isBeforeEnd, true)
    // Damage inside what is packed: counted in what is unpacked.
    var inside = GzipTests.plain
    for index in 0..<4 { inside[24 + 5 * 20_016 + 8 + index] = 0x7F }
    let unpacked = try #require(try damage(gzip(inside)))
    #expect(unpacked.isBeforeEnd && unpacked.problem.what == .wildLength)
    #expect((unpacked.readBytes, unpacked.totalBytes) == (24 + 5 * 20_016, GzipTests.plain.count))
  }

  @Test("a source that fails is damage, and nobody knows how much there was")
  func failure() throws {
    var isFirst = true
    var reader = try CaptureReader { buffer in
      guard isFirst else { return -1 }
      isFirst = false
      buffer.copyBytes(from: Self.pcap.bytes[..<300])
      return 300
    }
    var frame = CaptureFrame()
    while reader.next(&frame) {}
    let damage = reader.damage
    let found = try #require(damage)
    #expect(found.isBeforeEnd && found.totalBytes == nil && found.percent == nil)
    expectEqual(found.problem.what, .readFailure)
  }

  @Test("what is said of it: bytes, share and frames")
  func words() {
    var damage = CaptureDamage(
      problem: CaptureProblem(.wildLength, byteOffset: 56, frame: 3, value: 411), frames: 2, readBytes: 56,
      totalBytes: 123, isBeforeEnd: true)
    expectEqual(
      damage.sentence("replayed"),
      "frame 3 claims 411 bytes, which no frame can have (byte 56); 56 of 123 bytes (45 %) and 2 frames were read, "
        + "and nothing behind that")
    damage.isBeforeEnd = false
    expectEqual(
      damage.sentence("judged"),
      "frame 3 claims 411 bytes, which no frame can have (byte 56); everything before it was judged")
    damage.totalBytes = nil
    damage.frames = 1
    expectEqual(damage.extent, "56 bytes and 1 frame were read")
    damage.totalBytes = 56
    expectEqual(damage.percent, 100)
    damage.totalBytes = 57
    expectEqual(damage.percent, 98)
  }
}
