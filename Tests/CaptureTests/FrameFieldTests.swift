import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a frame says of itself, whichever frame was read before it.
@Suite("Fields of frames") struct FrameFieldTests {
  @Test(
    "each packet has its own time, behind one of the same second, of another clock or without a time",
    arguments: [false, true])
  func times(bigEndian: Bool) throws {
    let sample = PcapngSample(bigEndian: bigEndian)
    // Microseconds, milliseconds, 1024ths, picoseconds, microseconds.
    let clocks: [UInt8] = [6, 3, 0x8A, 12, 6]
    let packets: [(interface: UInt32?, ticks: UInt64, expected: String)] = [
      (0, 5_999_999, "5.999999000 5999999000"), (0, 6_000_000, "6.000000000 6000000000"),
      (0, 6_100_000, "6.100000000 6100000000"), (1, 700_250, "700.250000000 700250000000"),
      (0, 6_200_000, "6.200000000 6200000000"), (nil, 0, " 0"), (0, 6_300_000, "6.300000000 6300000000"),
      (2, 1_025, "1.000976562 1000976562"), (2, 1_027, "1.002929687 1002929687"),
      (3, 2_000_000_001_000, "2.000000001 2000000001"), (3, 2_000_000_005_000, "2.000000005 2000000005"),
      (4, 1_000_000, "1.000000000 1000000000"),
      (4, UInt64.max - 999_994, "18446744073708.551621000 9223372036854775807"),
    ]
    var bytes = sample.section()
    for clock in clocks { bytes += sample.interface(1, sample.option(9, [clock])) }
    for packet in packets {
      bytes += packet.interface.map { sample.enhanced($0, packet.ticks, [7]) } ?? sample.simple([7])
    }
    let capture = KeptCapture(bytes)
    expectEqual(capture.frames.map { "\($0.time) \($0.nanoseconds)" }, packets.map { $0.expected })
    expectEqual(capture.problem, nil)
    var reader = try CaptureReader(pull: source(bytes))
    var frame = CaptureFrame()
    var timeless: [Int64] = []
    while reader.next(&frame) {
      if !frame.hasTime { timeless += [Int64(frame.number), frame.seconds, Int64(frame.fraction)] }
    }
    expectEqual(timeless, [6, 0, 0])
  }

  @Test("a frame says whether it crossed a loopback interface, where its link layer tells")
  func loopback() throws {
    func zeros(_ count: Int, _ place: Int = 0, _ bytes: [UInt8] = []) -> [UInt8] {
      var all = [UInt8](repeating: 0, count: count)
      all.replaceSubrange(place..<place + bytes.count, with: bytes)
      return all
    }
    let rows: [(linkType: UInt32, bytes: [UInt8], expected: Bool?)] = [
      (1, zeros(14), true), (1, zeros(14, 0, [1]), false), (1, zeros(14, 11, [1]), false),
      (1, zeros(14, 12, [8]), true),
      (1, zeros(13), nil), (113, zeros(16, 2, [3, 4]), true), (113, zeros(16, 2, [0, 1]), false), (113, zeros(15), nil),
      (276, zeros(20, 8, [3, 4]), true), (276, zeros(20, 8, [0, 1]), false), (276, zeros(19), nil),
      (0, [2, 0, 0, 0], true), (108, [0, 0, 0, 2], true), (105, zeros(30), false), (127, zeros(30), false),
      (101, zeros(20), nil),
    ]
    for row in rows {
      let sample = PcapngSample()
      var reader = try CaptureReader(
        pull: source(sample.section() + sample.interface(UInt16(row.linkType)) + sample.enhanced(0, 5, row.bytes)))
      var frame = CaptureFrame()
      let isThere = reader.next(&frame)
      #expect(isThere)
      expectEqual(frame.isOnLoopback, row.expected, "link type \(row.linkType), \(row.bytes.count) bytes")
    }
  }

  @Test("a frame keeps nothing of another file's frame that stood in its place")
  func places() throws {
    let big = PcapngSample(bigEndian: true)
    let packet = big.enhanced(1, 7, [1, 2, 3], original: 9, big.option(1, "x") + big.option(2, [0, 0, 0, 1]))
    let little = PcapngSample()
    let files = [
      PcapSample().header + PcapSample().record(1, 2, [4]) + PcapSample().record(1, 3, [5, 6], original: 60),
      little.section() + little.interface() + little.enhanced(0, 5, [4]) + little.enhanced(0, 6, [5, 6]),
      little.section() + little.interface() + little.enhanced(0, 5, [4]) + little.simple([5, 6, 7, 8]),
    ]
    for (index, file) in files.enumerated() {
      var other = try CaptureReader(pull: source(big.section() + big.interface() + big.interface(113) + packet))
      var place = CaptureFrame()
      let isThere = other.next(&place)
      #expect(isThere && place.comments == ["x"] && place.direction == .inbound && place.interface == 1)
      place.hasTime = false
      var reader = try CaptureReader(pull: source(file))
      var first = CaptureFrame()
      let (isFirst, isSecond) = (reader.next(&first), reader.next(&place))
      let kept = [KeptFrame(first), KeptFrame(place)]
      #expect(isFirst && isSecond && place.direction == nil, "file \(index)")
      expectEqual(kept, KeptCapture(file).frames, "file \(index)")
      #expect(other.frameCount == 1 && reader.frameCount == 2, "file \(index)")
    }
  }

  @Test("a pcap file has one interface, of its link layer and its snap length", arguments: [false, true])
  func interfaces(bigEndian: Bool) {
    let sample = PcapSample(bigEndian: bigEndian, snapLength: 0x0102_0304, linkType: 113)
    let capture = KeptCapture(sample.header + sample.record(1, 0, [1]))
    expectEqual(capture.interfaces, [CaptureInterface(linkType: 113, snapLength: 0x0102_0304)])
    #expect(capture.sections == [] && capture.names == [])
  }

  @Test("the last block of a file may be the shortest, and the last name of a block may fill it")
  func lastOnes() {
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    let name = sample.option(1, [10, 0, 0, 9] + Array("abc\0".utf8))
    let capture = KeptCapture(good + sample.block(4, name) + sample.block(0x4711, []))
    #expect(capture.frames.count == 1 && capture.problem == nil)
    expectEqual(capture.names, [CaptureName(address: IPAddress(10, 0, 0, 9), name: "abc")])
    // A simple packet in a section without an interface is of the first, which is not there.
    let simple = KeptCapture(good + sample.section() + sample.simple([2]))
    let offset = good.count + sample.section().count
    expectEqual(simple.problem, CaptureProblem(.unknownInterface, byteOffset: offset, frame: 2, value: 0))
  }
}
