import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Builds pcapng files block by block.
struct PcapngSample {
  var bigEndian = false

  func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    let little = (0..<(Number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return bigEndian ? little.reversed() : little
  }
  func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
  func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let body = padded(body)
    return number(type) + number(UInt32(body.count + 12)) + body + number(UInt32(body.count + 12))
  }
  func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
    number(code) + number(UInt16(value.count)) + padded(value)
  }
  func option(_ code: UInt16, _ text: String) -> [UInt8] { option(code, Array(text.utf8)) }

  func section(_ options: [UInt8] = []) -> [UInt8] {
    block(
      0x0A0D_0D0A, number(UInt32(0x1A2B_3C4D)) + number(UInt16(1)) + number(UInt16(0)) + number(UInt64.max) + options)
  }
  func interface(_ linkType: UInt16 = 1, snap: UInt32 = 0, _ options: [UInt8] = []) -> [UInt8] {
    block(1, number(linkType) + number(UInt16(0)) + number(snap) + options)
  }
  func enhanced(
    _ interface: UInt32, _ ticks: UInt64, _ bytes: [UInt8], original: UInt32? = nil, _ options: [UInt8] = []
  ) -> [UInt8] {
    block(
      6,
      number(interface) + number(UInt32(ticks >> 32)) + number(UInt32(truncatingIfNeeded: ticks))
        + number(UInt32(bytes.count)) + number(original ?? UInt32(bytes.count)) + padded(bytes) + options)
  }
  func simple(_ bytes: [UInt8], original: UInt32? = nil) -> [UInt8] {
    block(3, number(original ?? UInt32(bytes.count)) + bytes)
  }
  func obsolete(_ interface: UInt16, _ ticks: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    block(
      2,
      number(interface) + number(UInt16(3)) + number(UInt32(ticks >> 32)) + number(UInt32(truncatingIfNeeded: ticks))
        + number(UInt32(bytes.count)) + number(UInt32(bytes.count)) + bytes)
  }
}

@Suite("pcapng reader") struct PcapngReaderTests {
  @Test("frames of all three kinds, with their interfaces and times", arguments: [false, true])
  func packets(bigEndian: Bool) {
    let sample = PcapngSample(bigEndian: bigEndian)
    let bytes =
      sample.section() + sample.interface(1, snap: 4) + sample.interface(113, sample.option(9, [9]))
      + sample.enhanced(0, 1_700_000_000_123_456, [1, 2, 3], original: 60)
      + sample.enhanced(1, 1_700_000_000_123_456_789, [4, 5, 6, 7, 8])
      + sample.simple([9, 9, 9, 9], original: 5) + sample.obsolete(1, 1, [7])
    let capture = KeptCapture(bytes)
    #expect(capture.problem == nil && capture.error == nil)
    expectEqual(
      capture.frames.map(\.time), ["1700000000.123456000", "1700000000.123456789", "", "0.000000001"])
    expectEqual(capture.frames.map(\.nanoseconds), [1_700_000_000_123_456_000, 1_700_000_000_123_456_789, 0, 1])
    expectEqual(capture.frames.map(\.bytes), [[1, 2, 3], [4, 5, 6, 7, 8], [9, 9, 9, 9], [7]])
    expectEqual(capture.frames.map(\.originalCount), [60, 5, 5, 1])
    expectEqual(capture.frames.map(\.linkType), [1, 113, 1, 113])
    expectEqual(capture.frames.map(\.interface), [0, 1, 0, 1])
  }

  /// if_tsresol, ticks, if_tsoffset, and the text of the time.
  static let clocks: [(UInt8, UInt64, Int64, String)] = [
    (0, 12, 0, "12.000000000"), (3, 12_345, 0, "12.345000000"), (6, 12_345_678, 5, "17.345678000"),
    (12, 12_345_678_901_234, 0, "12.345678901"), (19, 15_000_000_000_000_000_000, 0, "1.500000000"),
    (0x81, 25, 0, "12.500000000"), (0xA0, 3 << 31, 100, "101.500000000"), (0xBF, 3 << 62, 0, "1.500000000"),
    (9, 1_500_000_000, -1, "0.500000000"), (6, 500_000, -1, "-1.500000000"), (9, 1, -5, "-5.000000001"),
    (100, 7, 0, "0.000000000"), (0xFF, 7, 0, "0.000000000"),
  ]

  @Test("time resolutions of ten and of two, and an offset in seconds", arguments: clocks)
  func resolutions(clock: (resolution: UInt8, ticks: UInt64, offset: Int64, text: String)) {
    let sample = PcapngSample()
    let options = sample.option(9, [clock.resolution]) + sample.option(14, sample.number(clock.offset))
    let bytes = sample.section() + sample.interface(1, options) + sample.enhanced(0, clock.ticks, [0])
    expectEqual(KeptCapture(bytes).frames.map(\.time), [clock.text])
  }

  @Test("sections may change the byte order and begin their interfaces anew")
  func sections() {
    let (little, big) = (PcapngSample(), PcapngSample(bigEndian: true))
    let bytes =
      little.section(little.option(1, "first") + little.option(3, "Linux")) + little.interface(1)
      + little.enhanced(0, 1, [1]) + big.section(big.option(4, "dumpcap")) + big.interface(101)
      + big.interface(113) + big.enhanced(1, 2, [2])
    let capture = KeptCapture(bytes)
    expectEqual(capture.frames.map(\.bytes), [[1], [2]])
    expectEqual(capture.frames.map(\.linkType), [1, 113])
    expectEqual(capture.frames.map(\.interface), [0, 2])
    expectEqual(capture.interfaces.map(\.section), [0, 1, 1])
    expectEqual(capture.sections.map(\.comments), [["first"], []])
    expectEqual(capture.sections.map(\.operatingSystem), ["Linux", nil])
    expectEqual(capture.sections.map(\.application), [nil, "dumpcap"])
  }

  @Test("comments of section, interface and frame, and names of addresses, are kept", arguments: [false, true])
  func annotations(bigEndian: Bool) {
    let sample = PcapngSample(bigEndian: bigEndian)
    let end = sample.option(0, [])
    let names =
      sample.option(1, [192, 168, 0, 1] + Array("router\0gateway\0".utf8))
      + sample.option(2, [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1] + Array("tv\0".utf8)) + end
    let bytes =
      sample.section(sample.option(1, "one") + sample.option(1, "two") + end)
      + sample.interface(1, sample.option(2, "eth0") + sample.option(3, "left") + sample.option(1, "uplink") + end)
      + sample.block(4, names)
      + sample.enhanced(
        0, 1, [1, 2, 3], sample.option(1, "a") + sample.option(2, [0, 0, 0, 1]) + sample.option(1, "bé"))
      + sample.enhanced(0, 1, [1, 2, 3])
    let capture = KeptCapture(bytes)
    expectEqual(capture.sections.map(\.comments), [["one", "two"]])
    expectEqual(capture.interfaces.map(\.comments), [["uplink"]])
    expectEqual(capture.interfaces.map(\.name), ["eth0"])
    expectEqual(capture.interfaces.map(\.details), ["left"])
    expectEqual(capture.frames.map(\.comments), [["a", "bé"], []])
    expectEqual(
      capture.names,
      [
        CaptureName(address: IPAddress(192, 168, 0, 1), name: "router"),
        CaptureName(address: IPAddress(192, 168, 0, 1), name: "gateway"),
        CaptureName(address: IPAddress("fe80::1")!, name: "tv"),
      ])
  }

  @Test("unknown blocks are passed over by their length, however long; custom ones have a frame's number")
  func unknownBlocks() {
    let sample = PcapngSample()
    let bytes =
      sample.section() + sample.block(0x4711, [UInt8](repeating: 1, count: 50_000)) + sample.interface()
      + sample.enhanced(0, 1, [1]) + sample.block(5, [0, 0, 0, 0]) + sample.block(0xBAD, [1, 2, 3, 4])
      + sample.enhanced(0, 1, [2])
    for capture in [KeptCapture(bytes), KeptCapture(bytes, step: 333, chunkBytes: 4_096)] {
      expectEqual(capture.problem, nil)
      expectEqual(capture.frames.map(\.number), [1, 3])
    }
  }

  @Test("damage ends the reading where it stands, and what came before is kept")
  func damage() {
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    func problem(_ bytes: [UInt8]) -> CaptureProblem? {
      let capture = KeptCapture(good + bytes)
      expectEqual(capture.frames.map(\.bytes), [[1]])
      return capture.problem
    }
    let at = good.count
    var trailer = sample.enhanced(0, 1, [2])
    trailer[trailer.count - 4] ^= 4
    expectEqual(problem(trailer), CaptureProblem(.brokenBlock, byteOffset: at, frame: 2, value: 36))
    expectEqual(
      problem(sample.number(UInt32(6)) + sample.number(UInt32(8)) + sample.number(UInt32(8))),
      CaptureProblem(.brokenBlock, byteOffset: at, frame: 2, value: 8))
    expectEqual(
      problem(sample.enhanced(7, 1, [2])), CaptureProblem(.unknownInterface, byteOffset: at, frame: 2, value: 7))
    expectEqual(
      problem(sample.number(UInt32(6)) + sample.number(UInt32.max - 3) + [UInt8](repeating: 0, count: 100)),
      CaptureProblem(.wildLength, byteOffset: at, frame: 2, value: Int(UInt32.max - 3)))
    expectEqual(
      problem(sample.number(UInt32(0x4711)) + sample.number(UInt32.max - 3) + [UInt8](repeating: 0, count: 100)),
      CaptureProblem(.cutShort, byteOffset: at, frame: 2))
    let beyond = sample.block(
      6, [UInt8](repeating: 0, count: 12) + sample.number(UInt32(100)) + sample.number(UInt32(100)))
    expectEqual(problem(beyond), CaptureProblem(.wildLength, byteOffset: at, frame: 2, value: 100))
    var version = sample.section()
    version[12] = 9
    expectEqual(problem(version), CaptureProblem(.brokenSection, byteOffset: at, frame: 2))
    expectEqual(problem(sample.block(6, [1, 2, 3, 4])), CaptureProblem(.brokenBlock, byteOffset: at, frame: 2))
    expectEqual(problem(sample.section() + sample.simple([2]))?.what, .unknownInterface)
    var order = sample.section()
    order[8] = 0
    expectEqual(
      KeptCapture(order).error,
      .notCapture("the first section header of a pcapng file is damaged, cut short or of an unknown version"))
    expectEqual(KeptCapture(sample.section() + sample.interface()).error, .noFrame(nil))
  }

  @Test("options that run past their block are left out, not followed")
  func optionsPastTheEnd() {
    let sample = PcapngSample()
    let bytes =
      sample.section() + sample.interface()
      + sample.enhanced(0, 1, [1], sample.option(1, "kept") + sample.number(UInt16(1)) + sample.number(UInt16(500)))
    expectEqual(KeptCapture(bytes).frames.map(\.comments), [["kept"]])
  }

  @Test("every truncation keeps the whole frames before the cut", arguments: [false, true])
  func truncations(bigEndian: Bool) {
    let sample = PcapngSample(bigEndian: bigEndian)
    let blocks = [
      sample.section(sample.option(1, "x")), sample.interface(1, sample.option(2, "e")), sample.enhanced(0, 1, [1, 2]),
      sample.block(0x99, [1, 2, 3]), sample.simple([3]), sample.block(4, sample.option(1, [1, 2, 3, 4, 65, 0])),
      sample.enhanced(0, 2, [4], sample.option(1, "c")),
    ]
    let bytes = blocks.flatMap { $0 }
    let ends = blocks.reduce(into: [0]) { $0.append($0.last! + $1.count) }
    let frameEnds = [ends[3], ends[5], ends[7]]
    let whole = KeptCapture(bytes).frames
    expectEqual(whole.count, 3)
    for cut in 0...bytes.count {
      let capture = KeptCapture(Array(bytes.prefix(cut)))
      let kept = frameEnds.filter { $0 <= cut }.count
      expectEqual(capture.frames, Array(whole.prefix(kept)), "cut at \(cut)")
      expectEqual((capture.error == nil), (kept > 0), "cut at \(cut)")
      if kept > 0 { expectEqual((capture.problem == nil), ends.contains(cut), "cut at \(cut)") }
    }
  }
}
