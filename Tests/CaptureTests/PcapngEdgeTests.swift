import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Blocks, options, sections and clocks of pcapng, each at its bound and one beyond.
@Suite("pcapng at its bounds") struct PcapngEdgeTests {
  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// The bytes again and again: two to the power of `doublings` times.
  private static func repeated(_ bytes: [UInt8], doublings: Int) -> [UInt8] {
    var all = bytes
    for _ in 0..<doublings { all += all }
    return all
  }

  @Test("a block is read up to its last byte, and one that claims a byte more is damage", arguments: [false, true])
  func blocks(bigEndian: Bool) {
    let sample = PcapngSample(bigEndian: bigEndian)
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    let behind = sample.enhanced(0, 2, [9, 9])
    func word(_ value: Int) -> [UInt8] { sample.number(UInt32(value)) }
    func packet(_ interface: Int, _ captured: Int, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
      let total = word(length ?? 32 + content.count)
      let fields = [interface, 0, 1, captured, captured].flatMap(word)
      return word(6) + total + fields + content + total
    }
    func reads(_ name: String, _ bytes: [UInt8], _ frames: [[UInt8]]) {
      let capture = KeptCapture(good + bytes + behind)
      expectEqual(capture.frames.map(\.bytes), [[1]] + frames + [[9, 9]], "\(name)")
      expectEqual(capture.problem, nil, "\(name)")
    }
    func refuses(_ name: String, _ bytes: [UInt8], _ what: CaptureProblem.What, _ value: Int? = nil) {
      let capture = KeptCapture(good + bytes + behind)
      expectEqual(capture.frames.map(\.bytes), [[1]], "\(name)")
      expectEqual(capture.problem, CaptureProblem(what, byteOffset: good.count, frame: 2, value: value), "\(name)")
    }
    reads("a packet of no bytes", packet(0, 0, []), [[]])
    refuses("a packet with a field less", sample.block(6, Self.zeros(16)), .brokenBlock)
    refuses("a packet without a body", sample.block(6, []), .brokenBlock)
    reads("a packet to the last byte", packet(0, 4, [1, 2, 3, 4]), [[1, 2, 3, 4]])
    refuses("a packet of a byte more", packet(0, 5, [1, 2, 3, 4]), .wildLength, 5)
    refuses("the first interface that is not there", packet(1, 0, []), .unknownInterface, 1)
    reads("an obsolete packet", sample.obsolete(0, 1, [7]), [[7]])
    refuses("an obsolete packet with a field less", sample.block(2, Self.zeros(16)), .brokenBlock)
    refuses("an obsolete packet of no interface", sample.obsolete(1, 1, [7]), .unknownInterface, 1)
    refuses("a simple packet without a length", sample.block(3, []), .brokenBlock)
    reads("a simple packet of no bytes", sample.block(3, word(0)), [[]])
    reads("a simple packet to the last byte", sample.simple([5, 6, 7, 8]), [[5, 6, 7, 8]])
    refuses("a simple packet of a byte more", sample.simple([5, 6, 7, 8], original: 5), .wildLength, 5)
    reads("an interface", sample.block(1, Self.zeros(8)), [])
    refuses("an interface with a field less", sample.block(1, Self.zeros(4)), .brokenBlock)
    reads("the shortest block", sample.block(0x4711, []), [])
    refuses("a shorter one", word(0x4711) + word(11) + word(11), .brokenBlock, 11)
    refuses("a packet that is shorter than a block", word(6) + word(11) + word(11), .brokenBlock, 11)
    var skipped = sample.block(0x4711, word(0))
    skipped[skipped.count - (bigEndian ? 1 : 4)] ^= 4
    refuses("an unknown block whose lengths differ", skipped, .brokenBlock, 16)
    refuses("the longest block, of which the file has the beginning", word(6) + word(256 << 20), .cutShort)
    refuses("a longer one", word(6) + word(256 << 20 + 1), .wildLength, 256 << 20 + 1)
    reads("a length without the padding", packet(0, 3, [7, 8, 9, 0], length: 35), [[7, 8, 9]])
    reads("an unknown block without it", word(0x4711) + word(13) + Self.zeros(4) + word(13), [])
    let mixed = packet(0, 3, [7, 8, 9, 0], length: 35).dropLast(4) + word(36)
    refuses("a length with the padding at one end only", Array(mixed), .brokenBlock, 35)
  }

  @Test("blocks of other kinds are passed over, and six of them have a frame's number")
  func kinds() {
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    let numbered: [UInt32] = [0xBAD, 0x4000_0BAD, 9, 0x204, 0x216, 0x221]
    let others: [UInt32] = [
      0, 5, 7, 8, 10, 0x203, 0x205, 0x215, 0x217, 0x220, 0x222, 0xBAC, 0xBAE, 0x4000_0BAC, 0x4000_0BAE, 0x8000_0001,
    ]
    for kind in numbered + others {
      let capture = KeptCapture(good + sample.block(kind, [1, 2, 3, 4]) + sample.enhanced(0, 2, [2]))
      expectEqual(capture.frames.map(\.number), [1, numbered.contains(kind) ? 3 : 2], "\(kind)")
      expectEqual(capture.problem, nil, "\(kind)")
    }
  }

  @Test(
    "a section of version 1.0 is read, and of 1.2, which means the same; any other is damage", arguments: [false, true])
  func versions(bigEndian: Bool) {
    let sample = PcapngSample(bigEndian: bigEndian)
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    let behind = sample.interface() + sample.enhanced(0, 2, [2])
    func section(_ major: UInt16, _ minor: UInt16, length: UInt32 = 28) -> [UInt8] {
      let version = sample.number(major) + sample.number(minor)
      let start = sample.number(UInt32(0x0A0D_0D0A)) + sample.number(length) + sample.number(UInt32(0x1A2B_3C4D))
      return start + version + sample.number(UInt64.max) + sample.number(length)
    }
    for minor in [UInt16(0), 2] {
      expectEqual(KeptCapture(good + section(1, minor) + behind).frames.map(\.bytes), [[1], [2]], "\(minor)")
    }
    let wrong = [section(1, 1), section(1, 3), section(0, 0), section(2, 0), section(1, 0, length: 24)]
    for (index, bytes) in wrong.enumerated() {
      let capture = KeptCapture(good + bytes + behind)
      expectEqual(capture.frames.map(\.bytes), [[1]], "\(index)")
      expectEqual(capture.problem, CaptureProblem(.brokenSection, byteOffset: good.count, frame: 2), "\(index)")
    }
    for cut in 4..<28 {
      let words = "the first section header of a pcapng file is damaged, cut short or of an unknown version"
      expectEqual(KeptCapture(Array(sample.section()[..<cut])).error, .notCapture(words), "\(cut)")
    }
    expectEqual(KeptCapture(sample.section()).error, .noFrame(nil))
    let alone = sample.section() + sample.interface()
    let unknown = CaptureProblem(.unknownInterface, byteOffset: alone.count, frame: 1, value: 1)
    expectEqual(KeptCapture(alone + sample.enhanced(1, 1, [1])).error, .noFrame(unknown))
  }

  @Test(
    "packets of a section are of its own interfaces, and a simple packet is of its first", arguments: [false, true])
  func sectionInterfaces(bigEndian: Bool) {
    let (first, second) = (PcapngSample(bigEndian: bigEndian), PcapngSample(bigEndian: !bigEndian))
    var bytes = first.section() + first.interface(1, snap: 4) + first.interface(113)
    bytes += first.simple([1, 1, 1, 1], original: 9)
    bytes += second.section() + second.interface(101, snap: 2) + second.simple([2, 2], original: 9)
    bytes += second.enhanced(0, 5, [3])
    let capture = KeptCapture(bytes + second.enhanced(1, 6, [4]))
    expectEqual(capture.frames.map(\.bytes), [[1, 1, 1, 1], [2, 2], [3]])
    expectEqual(capture.frames.map(\.interface), [0, 2, 2])
    expectEqual(capture.frames.map(\.linkType), [1, 101, 101])
    expectEqual(capture.frames.map(\.originalCount), [9, 9, 1])
    expectEqual(capture.frames.map(\.time), ["", "", "0.000005000"])
    expectEqual(capture.interfaces.map(\.section), [0, 0, 1])
    expectEqual(capture.problem, CaptureProblem(.unknownInterface, byteOffset: bytes.count, frame: 4, value: 1))
  }

  @Test("options are padded to four bytes and end with their end mark or with the block", arguments: [false, true])
  func options(bigEndian: Bool) {
    let sample = PcapngSample(bigEndian: bigEndian)
    var bytes = sample.section() + sample.interface(1, snap: 4)
    var expected: [[String]] = []
    func add(_ content: [UInt8], _ options: [UInt8], _ comments: [String]) {
      bytes += sample.enhanced(0, 1, content, options)
      expected.append(comments)
    }
    for count in 0...5 {
      for text in ["", "a", "ab", "abc", "abcd", "abcde"] {
        let options = sample.option(1, text) + sample.option(1, "z")
        add([UInt8](repeating: 7, count: count), options, [text, "z"])
      }
    }
    add([1], sample.option(1, ""), [""])
    add([1], sample.option(1, "a") + sample.option(0, []) + sample.option(1, "b"), ["a"])
    add([1], sample.option(2_988, [1, 2, 3, 4, 5]) + sample.option(1, "c"), ["c"])
    let header = sample.number(UInt16(1))
    add([1], header + sample.number(UInt16(4)) + Array("abcd".utf8), ["abcd"])
    add([1], header + sample.number(UInt16(5)) + Array("abcd".utf8), [])
    // A simple packet has no options: what stands behind its bytes is nothing.
    bytes += sample.block(3, sample.number(UInt32(60)) + [1, 2, 3, 4] + sample.option(1, "no"))
    expected.append([])
    let capture = KeptCapture(bytes)
    expectEqual(capture.frames.map(\.comments), expected)
    expectEqual(capture.problem, nil)
  }

  @Test("the direction of a frame stands in the lowest two bits of four bytes", arguments: [false, true])
  func directions(bigEndian: Bool) throws {
    let sample = PcapngSample(bigEndian: bigEndian)
    let words: [(UInt32, CaptureFrame.Direction?)] = [
      (0, nil), (1, .inbound), (2, .outbound), (3, nil), (4, nil), (0x1D, .inbound), (0xFF00_0002, .outbound),
      (0x0100_0000, nil),
    ]
    var bytes = sample.section() + sample.interface()
    for (word, _) in words { bytes += sample.enhanced(0, 1, [1], sample.option(2, sample.number(word))) }
    for count in [0, 1, 2, 3, 5] {
      bytes += sample.enhanced(0, 1, [1], sample.option(2, [UInt8](repeating: 1, count: count)))
    }
    var reader = try CaptureReader(pull: source(bytes))
    var frame = CaptureFrame()
    var found: [CaptureFrame.Direction?] = []
    while reader.next(&frame) { found.append(frame.direction) }
    expectEqual(found, words.map { $0.1 } + [nil, nil, nil, nil, nil])
  }

  @Test(
    "ticks become nanoseconds that are rounded down, and what 64 bits cannot hold is cut", arguments: [false, true])
  func clocks(bigEndian: Bool) {
    let sample = PcapngSample(bigEndian: bigEndian)
    func clock(_ resolution: [UInt8]?, _ offset: Int64? = nil) -> [UInt8] {
      let first = resolution.map { sample.option(9, $0) } ?? []
      let second = offset.map { sample.option(14, sample.number($0)) } ?? []
      return first + second
    }
    let cases: [(options: [UInt8], ticks: UInt64, nanoseconds: Int64)] = [
      (clock(nil), 1_999_999, 1_999_999_000), (clock([]), 1_999_999, 1_999_999_000),
      (clock([9, 6]), 1_999_999_999, 1_999_999_999), (clock([12]), 1_999_999_999_999, 1_999_999_999),
      (clock([0x81]), 3, 1_500_000_000), (clock([0x8A]), 2_047, 1_999_023_437),
      (clock([19]), 9_999_999_999_999_999_999, 999_999_999),
      (clock([20]), .max, 1_000_000_000), (clock([20]), 18_446_744_073_709_551_614, 999_999_999),
      (clock([0xBF]), 9_223_372_036_854_775_808, 1_000_000_000), (clock([0xC0]), .max, 1_000_000_000),
      (clock([0], -20), 12, -8_000_000_000), (clock(nil, -1), 500_000, -500_000_000),
      (clock([0], .max), 1, .max), (clock([0]), .max, .max), (clock([0], .min), 0, .min),
      (clock(nil, 9_223_372_036), 854_775, 9_223_372_036_854_775_000),
      (clock(nil, 9_223_372_036), 854_776, .max), (clock([9], 9_223_372_036), 854_775_806, 9_223_372_036_854_775_806),
      // An offset of half the bytes is none.
      (sample.option(14, [1, 1, 1, 1]), 5, 5_000),
    ]
    var bytes = sample.section()
    for one in cases { bytes += sample.interface(1, one.options) }
    for (index, one) in cases.enumerated() { bytes += sample.enhanced(UInt32(index), one.ticks, [0]) }
    let capture = KeptCapture(bytes)
    expectEqual(capture.frames.map(\.nanoseconds), cases.map { $0.nanoseconds })
  }

  @Test("interfaces with different clocks keep their times apart, within a second and across its ends")
  func clocksInTurn() {
    let sample = PcapngSample()
    let clocks: [(perSecond: UInt64, offset: Int64, resolution: UInt8)] = [
      (1_000_000, 0, 6), (1_000_000_000, 0, 9), (1_000, 7, 3), (1_000_000, 9_000_000_000, 6), (1_000_000_000, -3, 9),
      (1_000_000, 9_223_372_037, 6),
    ]
    var bytes = sample.section()
    for clock in clocks {
      let options = sample.option(9, [clock.resolution]) + sample.option(14, sample.number(clock.offset))
      bytes += sample.interface(1, options)
    }
    var expected: [Int64] = []
    func add(_ place: Int, _ position: Int) {
      let (perSecond, offset, _) = clocks[place]
      // The last tick of a second, its first, the next second, back again, and the first second of all.
      let (five, six) = (5 * perSecond, 6 * perSecond)
      let all: [UInt64] = [
        six - 1, five, six - 1, six, six + 1, five + 1, 0, perSecond - 1, perSecond, perSecond + five / 10,
      ]
      let ticks = all[position]
      bytes += sample.enhanced(UInt32(place), ticks, [0])
      let seconds = Int128(offset) + Int128(ticks / perSecond)
      let fraction = Int128(ticks % perSecond * (1_000_000_000 / perSecond))
      expected.append(Int64(clamping: seconds * 1_000_000_000 + fraction))
    }
    for place in clocks.indices {
      for position in 0..<10 { add(place, position) }
    }
    for position in 0..<10 {
      for place in clocks.indices { add(place, position) }
    }
    expectEqual(KeptCapture(bytes).frames.map(\.nanoseconds), expected)
  }

  @Test("records of names end where they say, and what is no name of an address is left out")
  func names() {
    let sample = PcapngSample()
    func name(_ last: UInt8, _ text: String) -> [UInt8] { sample.option(1, [10, 0, 0, last] + Array(text.utf8)) }
    let six = Self.zeros(15) + [9]
    var first = name(1, "") + sample.option(3, [1, 2, 3, 4, 5, 6, 7, 8, 65, 0]) + name(2, "a\0\0b")
    first += sample.option(2, six) + sample.option(2, six + Array("six\0".utf8)) + name(3, "c")
    // The record has a byte less than it claims.
    let second = name(4, "d\0") + sample.number(UInt16(1)) + sample.number(UInt16(9)) + [10, 0, 0, 5, 101, 0, 0, 0]
    let third = name(6, "f\0") + sample.option(0, []) + name(7, "g\0")
    let blocks = [first, second, third].flatMap { sample.block(4, $0) }
    let capture = KeptCapture(sample.section() + sample.interface() + blocks + sample.enhanced(0, 1, [1]))
    let found = capture.names.map { "\($0.address) \($0.name)" }
    expectEqual(found, ["10.0.0.2 a", "10.0.0.2 b", "::9 six", "10.0.0.3 c", "10.0.0.4 d", "10.0.0.6 f"])
    #expect(capture.problem == nil && capture.frames.count == 1)
  }

  @Test("comments, sections and names are kept up to their bounds and no further")
  func keptUpTo() {
    let sample = PcapngSample()
    let frame = sample.enhanced(0, 1, [1])
    let comments = (0..<4_095).flatMap { _ in sample.option(1, "") }
    let interface = sample.interface(1, sample.option(1, "x") + sample.option(1, "y"))
    let commented = KeptCapture(sample.section(comments) + interface + frame)
    expectEqual(commented.sections.map(\.comments.count), [4_095])
    expectEqual(commented.interfaces.map(\.comments), [["x"]])
    let sections = Self.repeated(sample.section(), doublings: 12)
    let many = KeptCapture(sections + sample.section() + sample.interface() + frame)
    expectEqual(many.sections.count, 4_096)
    #expect(many.interfaces.map(\.section) == [4_095] && many.frames.count == 1)
    func names(_ count: Int) -> [UInt8] {
      let texts = [[UInt8]](repeating: [110, 0], count: count)
      return sample.option(1, [10, 0, 0, 1] + Array(texts.joined()))
    }
    let block = sample.block(4, names(32_765) + names(32_765) + names(7))
    let named = KeptCapture(sample.section() + sample.interface() + block + frame)
    #expect(named.names.count == 65_536 && named.names.last?.name == "n")
    #expect(named.problem == nil && named.frames.count == 1)
  }

  @Test("a file describes as many interfaces as the bound says, and one more is damage")
  func interfaceBound() {
    let sample = PcapngSample()
    let all = sample.section() + Self.repeated(sample.interface(), doublings: 16)
    let good = all + sample.enhanced(65_535, 1, [1])
    let capture = KeptCapture(good + sample.interface() + sample.enhanced(0, 1, [2]))
    #expect(capture.frames.map(\.bytes) == [[1]] && capture.frames.map(\.interface) == [65_535])
    expectEqual(capture.interfaces.count, 65_536)
    expectEqual(capture.problem, CaptureProblem(.tooManyInterfaces, byteOffset: good.count, frame: 2))
    expectEqual(
      capture.problem?.description, "the file describes more than 65536 interfaces (byte \(good.count))")
  }
}
