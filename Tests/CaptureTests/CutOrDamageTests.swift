import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a file that ends inside a packet has to look like to count as cut, bound by bound.
@Suite("A cut or damage") struct CutOrDamageTests {
  private static let now: UInt32 = 1_700_000_000

  /// The damage of a file; `nil` where it is whole.
  private static func damage(_ bytes: [UInt8]) -> CaptureDamage? {
    guard var reader = try? CaptureReader(pull: source(bytes)) else { return nil }
    var frame = CaptureFrame()
    while reader.next(&frame) {}
    return reader.damage
  }

  /// A file of one good packet and what is behind it: whether it is damaged before its end.
  private static func isBeforeEnd(_ sample: PcapSample, _ behind: [UInt8]) -> Bool? {
    damage(sample.header + sample.record(now, 1, [1, 2, 3]) + behind)?.isBeforeEnd
  }

  @Test("a packet of pcap that reaches beyond the file was cut where its header agrees with itself")
  func headers() {
    func check(
      _ name: String, version: (UInt16, UInt16) = (2, 4), _ words: [UInt32], bytes count: Int, _ expected: Bool
    ) {
      for bigEndian in [false, true] {
        let sample = PcapSample(bigEndian: bigEndian, version: version)
        let header = ([Self.now, 0] + words).flatMap(sample.word)
        let bytes = Array((header + [UInt8](repeating: 5, count: 40)).prefix(count))
        expectEqual(Self.isBeforeEnd(sample, bytes), expected, "\(name), big-endian: \(bigEndian)")
      }
    }
    check("nothing of it", [20, 20], bytes: 16, false)
    check("some of it", [20, 21], bytes: 35, false)
    check("nobody knows how long it was", [20, 0], bytes: 16, false)
    check("more than there was", [20, 19], bytes: 16, true)
    check("more than there was, and some bytes", [20, 19], bytes: 35, true)
    check("more than there was, in a header that is cut", [20, 19], bytes: 15, false)
    check("as long as a frame may be", [262_144, 262_144], bytes: 40, false)
    check("the original first", version: (2, 2), [20, 10], bytes: 25, false)
    check("the original first, and smaller", version: (2, 2), [10, 20], bytes: 25, true)
    check("either first", version: (2, 3), [10, 20], bytes: 25, false)
    check("either first, turned", version: (2, 3), [20, 10], bytes: 25, false)
  }

  /// A packet that claims 9 000 bytes and has three, and what stands behind those.
  private static func hides(
    _ behind: [UInt8], in sample: PcapSample = PcapSample(), filler: Int = 3, claims: (UInt32, UInt32) = (9_000, 9_000)
  ) -> Bool? {
    var broken = sample.record(now, 0, [UInt8](repeating: 5, count: filler))
    broken.replaceSubrange(8..<16, with: sample.word(claims.0) + sample.word(claims.1))
    return isBeforeEnd(sample, broken + behind)
  }

  @Test("a whole packet behind a wrong length is found wherever it begins, and in every form of file")
  func hidden() {
    let plain = PcapSample()
    for filler in 0...5 {
      expectEqual(Self.hides(plain.record(Self.now, 7, [9]), filler: filler), true, "\(filler)")
      let cut = Array(plain.record(Self.now, 7, [9, 9]).dropLast())
      expectEqual(Self.hides(cut, filler: filler), false, "\(filler)")
    }
    for magic in [UInt32(0xA1B2_C3D4), 0xA1B2_3C4D, 0xA1B2_CD34] {
      for bigEndian in [false, true] {
        let sample = PcapSample(bigEndian: bigEndian, magic: magic)
        let cut = Array(sample.record(Self.now, 7, [9, 9]).dropLast())
        let two = sample.record(Self.now, 7, [9]) + sample.record(Self.now, 8, [8]) + [1, 2]
        expectEqual(Self.hides(sample.record(Self.now, 7, [9]), in: sample), true, "\(magic)")
        expectEqual(Self.hides(cut, in: sample), false, "\(magic)")
        expectEqual(Self.hides(two, in: sample), true, "\(magic)")
      }
    }
    let (old, either) = (PcapSample(version: (2, 2)), PcapSample(version: (2, 3)))
    let words: [UInt32] = [Self.now, 7, 5, 1]
    let turned = words.flatMap(plain.word) + [9]
    expectEqual(Self.hides(turned), false)
    expectEqual(Self.hides(turned, in: old), true)
    expectEqual(Self.hides(turned, in: either, claims: (9_000, 9_100)), true)
  }

  @Test("what only looks like a packet behind a wrong length is chance")
  func chance() {
    let sample = PcapSample()
    var nano = sample
    nano.magic = 0xA1B2_3C4D
    let now = Self.now
    let empty = sample.record(now, 7, []) + sample.record(now, 8, []) + [1, 2]
    let wrapping = sample.record(now, 4_294_968, [9])
    expectEqual(Self.hides(empty), false)
    expectEqual(Self.hides(sample.record(now, 7, [9], original: 0)), false)
    expectEqual(Self.hides(sample.record(now, 7, [9], original: 262_144)), true)
    expectEqual(Self.hides(sample.record(now, 7, [9], original: 262_145)), false)
    expectEqual(Self.hides(wrapping), false)
    expectEqual(Self.hides(nano.record(now, 999_999_999, [9]), in: nano), true)
    expectEqual(Self.hides(nano.record(now, 1_000_000_000, [9]), in: nano), false)
    // Of two, the second is no packet, or is not whole.
    let first = sample.record(now, 7, [9])
    expectEqual(Self.hides(first + sample.record(now + 90_000, 8, [9]) + [1]), false)
    expectEqual(Self.hides(first + sample.record(now, 8, [9, 9]).dropLast()), false)
    expectEqual(Self.hides(first + sample.record(now, 8, [9]).dropLast(2)), false)
  }

  // MARK: pcapng

  private static let ng = PcapngSample()
  private static let good = ng.section() + ng.interface() + ng.enhanced(0, 0x100_0000, [1])

  /// A packet block that claims 4 000 bytes, of which the file has its first 28 and `behind`.
  private static func block(
    _ captured: Int = 3_968, of original: Int = 3_968, kind: Int = 6, claims: Int = 4_000, interface: Int = 0,
    keeping: Int = 28, behind: [UInt8] = []
  ) -> [UInt8] {
    let fields = [kind, claims, interface, 0, 0x100_0000, captured, original]
    return Array(fields.flatMap { ng.number(UInt32($0)) }.prefix(keeping)) + behind
  }

  /// A simple packet block that claims 4 000 bytes, of which the file has its first 20.
  private static func simple(_ original: Int, claims: Int = 4_000) -> [UInt8] {
    [3, claims, original, 0, 0].flatMap { ng.number(UInt32($0)) }
  }

  @Test("a packet block that reaches beyond the file was cut where its fields agree with its length and the file")
  func fields() {
    func check(_ name: String, _ bytes: [UInt8], _ expected: Bool) {
      expectEqual(Self.damage(Self.good + bytes)?.isBeforeEnd, expected, "\(name): \(bytes.suffix(28))")
    }
    let section = Self.ng.section()
    for kind in [6, 2] {
      check("as long as its block", Self.block(kind: kind), false)
      check("longer than its block", Self.block(3_969, of: 3_969, kind: kind), true)
      check("longer, in a header that is cut", Self.block(3_969, of: 3_969, kind: kind, keeping: 27), false)
      check("more than there was", Self.block(of: 3_967, kind: kind), true)
      check("less than there was", Self.block(of: 3_969, kind: kind), false)
      check("nobody knows how long it was", Self.block(of: 0, kind: kind), false)
      check("of no interface", Self.block(kind: kind, interface: 1), true)
      check("of no interface of its section", section + Self.block(kind: kind), true)
      check("of an interface of its section", section + Self.ng.interface() + Self.block(kind: kind), false)
      check("a length without the padding", Self.block(kind: kind, claims: 3_997), false)
      check("longer than with the padding", Self.block(3_969, of: 3_969, kind: kind, claims: 3_997), true)
      check("a block of four bytes less", Self.block(kind: kind, claims: 3_996), true)
    }
    // An obsolete block has 16 bits for the interface, and behind them how many packets were lost.
    check("some were lost", Self.block(kind: 2, interface: 0x3_0000), false)
    check("some were lost, of no interface", Self.block(kind: 2, interface: 0x3_0001), true)
    check("no interface has such a number", Self.block(interface: 0x3_0000), true)
    check("simple", Self.simple(3_984), false)
    check("simple, longer than its block", Self.simple(3_985), true)
    check("simple, without the padding", Self.simple(3_984, claims: 3_997), false)
    check("simple, in a block of four bytes less", Self.simple(3_984, claims: 3_996), true)
    check("simple, of no interface", section + Self.simple(1), true)
    check("simple, limited", section + Self.ng.interface(1, snap: 3_984) + Self.simple(9_000), false)
    check("simple, limited beyond its block", section + Self.ng.interface(1, snap: 3_985) + Self.simple(9_000), true)
    check("simple, below the limit", section + Self.ng.interface(1, snap: 9_000) + Self.simple(3_984), false)
  }

  @Test("a section header that the file ends in was cut, packed or not; one that contradicts the format is damage")
  func sections() {
    let packed = gzip(Self.good + Self.ng.section() + Self.ng.interface() + Self.ng.enhanced(0, 1, [2]))
    // Before what is packed stand the header of gzip and that of its block.
    let start = 10 + 5 + Self.good.count
    for count in 1..<28 {
      let bytes = Self.good + Self.ng.section()[..<count]
      let problem = CaptureProblem(.cutShort, byteOffset: Self.good.count, frame: 2)
      expectEqual(
        Self.damage(bytes),
        CaptureDamage(
          problem: problem, frames: 1, readBytes: Self.good.count, totalBytes: bytes.count, isBeforeEnd: false),
        "\(count)")
      let packedProblem = CaptureProblem(.brokenGzip, byteOffset: start + count, frame: 2)
      expectEqual(
        Self.damage(Array(packed[..<(start + count)])),
        CaptureDamage(
          problem: packedProblem, frames: 1, readBytes: start + count, totalBytes: start + count,
          isBeforeEnd: false), "\(count)")
    }
    var wrong = Self.ng.section()
    wrong[12] = 9
    for count in 16...28 {
      let bytes = Self.good + wrong[..<count]
      let problem = CaptureProblem(.brokenSection, byteOffset: Self.good.count, frame: 2)
      let expected = CaptureDamage(
        problem: problem, frames: 1, readBytes: Self.good.count, totalBytes: bytes.count, isBeforeEnd: true)
      expectEqual(Self.damage(bytes), expected, "\(count)")
    }
  }

  @Test("a whole block behind a wrong length is found where the reader knows its kind")
  func hiddenBlocks() {
    func hides(_ behind: [UInt8]) -> Bool? {
      Self.damage(Self.good + Self.block(behind: [UInt8](repeating: 0, count: 8) + behind))?.isBeforeEnd
    }
    for kind in [UInt32(0x0A0D_0D0A), 1, 2, 3, 4, 5, 6, 0xBAD, 0x4000_0BAD, 9, 0x204, 0x216, 0x221] {
      expectEqual(hides(Self.ng.block(kind, [])), true, "\(kind)")
      expectEqual(hides(Self.ng.block(kind, [1, 2, 3, 4]) + [7]), true, "\(kind)")
    }
    for kind in [UInt32(7), 0x4711, 0x80] { expectEqual(hides(Self.ng.block(kind, [])), false, "\(kind)") }
    let whole = Self.ng.block(6, [1, 2, 3, 4, 5, 6, 7, 8])
    expectEqual(hides(Array(whole.dropLast(4))), false)
    expectEqual(hides([1, 1] + whole), false)
    var other = whole
    other[other.count - 4] ^= 4
    expectEqual(hides(other), false)
    // A length that leaves out the padding.
    func unpadded(_ length: UInt32, repeats other: UInt32? = nil) -> [UInt8] {
      Self.ng.number(UInt32(6)) + Self.ng.number(length) + [1, 2, 3, 4] + Self.ng.number(other ?? length)
    }
    for length in UInt32(13)...16 { expectEqual(hides(unpadded(length)), true, "\(length)") }
    for length in [UInt32(9), 12, 17] { expectEqual(hides(unpadded(length)), false, "\(length)") }
    expectEqual(hides(unpadded(13, repeats: 16)), false)
    // Eight bytes are no block, though the last of its words repeats its length.
    expectEqual(hides(Self.ng.number(UInt32(6)) + Self.ng.number(UInt32(8)) + [0, 0, 0, 0]), false)
  }

  @Test("of a block that nobody reads, as much as the buffer holds is looked at, and no more")
  func passedOver() {
    // 262 144 bytes with its header and its trailer, and four bytes more.
    for (more, isLookedAt) in [(0, true), (4, false)] {
      let block = Self.ng.block(0x4711, [UInt8](repeating: 3, count: CaptureReader.chunkBytes - 12 + more))
      expectEqual(Self.damage(Self.good + block), nil)
      for missing in [1, 4, 5, 200_000] {
        let bytes = Self.good + block.dropLast(missing)
        let problem = CaptureProblem(.cutShort, byteOffset: Self.good.count, frame: 2)
        let expected = CaptureDamage(
          problem: problem, frames: 1, readBytes: Self.good.count, totalBytes: bytes.count, isBeforeEnd: !isLookedAt)
        expectEqual(Self.damage(bytes), expected, "\(more), \(missing)")
      }
    }
  }

  @Test("each kind of damage has words of its own, and the share of what was read is rounded down")
  func words() {
    func words(_ what: CaptureProblem.What, _ value: Int? = nil) -> String {
      CaptureProblem(what, byteOffset: 48, frame: 7, value: value).description
    }
    expectEqual(
      CaptureProblem.What.allCases.map { words($0, 12) },
      [
        "the file ends inside frame 7 (byte 48)", "frame 7 claims 12 bytes, which no frame can have (byte 48)",
        "a damaged block stands where frame 7 should be (byte 48)",
        "frame 7 is of interface 12, which the file does not describe (byte 48)",
        "a section before frame 7 is damaged or of an unknown version (byte 48)",
        "the file describes more than 65536 interfaces (byte 48)",
        "the gzip stream is damaged or cut short after frame 6 (byte 48)",
        "the file cannot be read any further at frame 7 (byte 48)",
      ])
    func extent(_ read: Int, _ total: Int?, _ frames: Int) -> String {
      CaptureDamage(
        problem: CaptureProblem(.cutShort, byteOffset: read, frame: 1), frames: frames, readBytes: read,
        totalBytes: total, isBeforeEnd: true
      ).extent
    }
    expectEqual(extent(0, 0, 0), "0 of 0 bytes (100 %) and 0 frames were read")
    expectEqual(extent(0, 1, 1), "0 of 1 bytes (0 %) and 1 frame were read")
    expectEqual(extent(199, 200, 2), "199 of 200 bytes (99 %) and 2 frames were read")
    expectEqual(
      extent(4_611_686_018_427_387_904, .max, 2),
      "4611686018427387904 of 9223372036854775807 bytes (50 %) and 2 frames were read")
    expectEqual(extent(5, nil, 11), "5 bytes and 11 frames were read")
  }
}
