import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Records and blocks of which little more than the header is there, at the bounds of what is looked at.
@Suite("Cut headers") struct CutHeaderTests {
  private static func damage(_ bytes: [UInt8]) throws -> CaptureDamage? {
    var reader = try CaptureReader(pull: source(bytes))
    var frame = CaptureFrame()
    while reader.next(&frame) {}
    return reader.damage
  }

  /// The damage of a file that ends in its second record or block.
  private static func cut(after good: [UInt8], _ behind: [UInt8], isBeforeEnd: Bool) -> CaptureDamage {
    CaptureDamage(
      problem: CaptureProblem(.cutShort, byteOffset: good.count, frame: 2), frames: 1, readBytes: good.count,
      totalBytes: good.count + behind.count, isBeforeEnd: isBeforeEnd)
  }

  @Test("a whole record is looked for from the second byte of the one that was cut, and not before its first")
  func firstPlaces() throws {
    let sample = PcapSample()
    let good = sample.header + sample.record(1, 1, [1, 2, 3])
    // 768 bytes of 1 024; and from its second byte a record of 3 bytes of 4, which ends the file.
    let inside: [UInt8] = [0, 0, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1, 1, 1]
    try expectEqual(Self.damage(good + inside), Self.cut(after: good, inside, isBeforeEnd: true))
    let shorter = Array(inside.dropLast())
    try expectEqual(Self.damage(good + shorter), Self.cut(after: good, shorter, isBeforeEnd: false))
    // As long as a message of D-Bus may be. A byte before it a record of 2 bytes of 8 would begin.
    let bus = PcapSample(linkType: 231)
    let long = bus.header + bus.record(1, 1, [1, 2, 3])
    let before: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 8, 9]
    try expectEqual(Self.damage(long + before), Self.cut(after: long, before, isBeforeEnd: false))
  }

  @Test("of a simple packet that was cut, twelve bytes tell whether its length agrees with that of its block")
  func simple() throws {
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    let cases: [(original: UInt32, count: Int, isBeforeEnd: Bool)] = [
      (3_985, 12, true), (3_985, 11, false), (3_984, 12, false), (3_985, 13, true),
    ]
    for one in cases {
      let words: [UInt32] = [3, 4_000, one.original, 0]
      let behind = Array(words.flatMap { sample.number($0) }.prefix(one.count))
      let expected = Self.cut(after: good, behind, isBeforeEnd: one.isBeforeEnd)
      try expectEqual(Self.damage(good + behind), expected, "\(one)")
    }
  }

  @Test("a file is packed by gzip only where both of its first bytes say so")
  func signature() {
    let cases: [(bytes: [UInt8], words: String)] = [
      ([0x47, 0x8B, 1, 2, 3], "it begins with the bytes 47 8b 01 02"), ([0, 0x8B], "it begins with the bytes 00 8b"),
      ([0x8B, 0x1F, 8, 0], "it begins with the bytes 8b 1f 08 00"),
    ]
    for one in cases { expectEqual(KeptCapture(one.bytes).error, .notCapture(one.words), "\(one.words)") }
  }
}
