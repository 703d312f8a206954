import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("pcap at its bounds") struct PcapEdgeTests {
  @Test("the two lengths of a record stand in the order that the version of the file has")
  func versions() {
    let cases: [(version: (UInt16, UInt16), first: UInt32, second: UInt32, captured: Int, original: Int)] = [
      ((2, 4), 4, 60, 4, 60), ((2, 4), 60, 4, 60, 4), ((2, 5), 60, 4, 60, 4),
      ((2, 3), 4, 60, 4, 60), ((2, 3), 60, 4, 4, 60), ((2, 3), 9, 9, 9, 9),
      ((2, 2), 60, 4, 4, 60), ((2, 2), 4, 60, 60, 4), ((2, 0), 60, 4, 4, 60), ((2, 0), 4, 60, 60, 4),
      ((543, 0), 60, 4, 4, 60), ((543, 0), 4, 60, 60, 4),
    ]
    for one in cases {
      let sample = PcapSample(version: one.version)
      let words: [UInt32] = [1, 0, one.first, one.second]
      let capture = KeptCapture(
        sample.header + words.flatMap(sample.word) + [UInt8](repeating: 7, count: one.captured))
      expectEqual(capture.frames.map(\.bytes.count), [one.captured], "\(one)")
      expectEqual(capture.frames.map(\.originalCount), [one.original], "\(one)")
      expectEqual(capture.problem, nil, "\(one)")
    }
    for version in [(UInt16(543), UInt16(1)), (1, 4), (3, 4), (0, 0)] {
      let sample = PcapSample(version: version)
      let words = "its pcap version \(version.0).\(version.1) is unknown"
      expectEqual(KeptCapture(sample.header + sample.record(1, 0, [1])).error, .notCapture(words))
    }
  }

  @Test("the longest frame depends on the link layer, and a byte more is damage")
  func frameBytes() {
    let limits: [(linkType: UInt32, bytes: UInt32)] = [
      (1, 262_144), (230, 262_144), (231, 134_217_728), (232, 262_144), (248, 262_144), (249, 134_217_728),
      (250, 262_144), (278, 262_144), (279, 8_388_608), (280, 262_144),
    ]
    for (linkType, bytes) in limits {
      let sample = PcapSample(linkType: linkType)
      func error(_ length: UInt32) -> CaptureError? {
        let words: [UInt32] = [1, 0, length, length]
        return KeptCapture(sample.header + words.flatMap(sample.word)).error
      }
      expectEqual(error(bytes), .noFrame(CaptureProblem(.cutShort, byteOffset: 24, frame: 1)), "\(linkType)")
      let wild = CaptureProblem(.wildLength, byteOffset: 24, frame: 1, value: Int(bytes) + 1)
      expectEqual(error(bytes + 1), .noFrame(wild), "\(linkType)")
    }
    let sample = PcapSample()
    let longest = (0..<262_144).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let capture = KeptCapture(sample.header + sample.record(1, 0, longest) + sample.record(2, 0, [1]))
    #expect(capture.frames.map(\.bytes) == [longest, [1]] && capture.problem == nil)
  }

  @Test("times are as large as 32 bits of seconds and of ticks allow, and their text wraps as that of the analysers")
  func times() {
    var sample = PcapSample()
    func read(_ seconds: UInt32, _ ticks: UInt32) -> [String] {
      KeptCapture(sample.header + sample.record(seconds, ticks, [0])).frames.map { "\($0.time) \($0.nanoseconds)" }
    }
    expectEqual(read(10, 999_999), ["10.999999000 10999999000"])
    expectEqual(read(10, 0x8000_0000), ["10.000000000 2157483648000"])
    expectEqual(read(.max, .max), ["-4294967295.000001000 4294971589967295000"])
    sample.magic = 0xA1B2_3C4D
    expectEqual(read(10, 999_999_999), ["10.999999999 10999999999"])
    expectEqual(read(0, 0x8000_0000), ["-0.2147483648 2147483648"])
    expectEqual(read(.max, .max), ["-4294967295.000000001 4294967299294967295"])
  }

  @Test("the number of a link layer has 16 bits, beside what tells of the frame check sequence")
  func linkTypes() {
    for (number, linkType) in [(UInt32(0xFFFF), UInt32(0xFFFF)), (0xFC00_FFFF, 0xFFFF), (0x0400_0000, 0)] {
      let sample = PcapSample(linkType: number)
      expectEqual(KeptCapture(sample.header + sample.record(1, 0, [0])).frames.map(\.linkType), [linkType])
    }
    expectEqual(KeptCapture(PcapSample(linkType: 0x1_0000).header).error, .notCapture("65536 is no link type"))
    expectEqual(KeptCapture(PcapSample(linkType: 0x0200_0001).header).error, .notCapture("33554433 is no link type"))
  }
}

@Suite("Files that are no capture, packed files, and sources") struct SourceEdgeTests {
  @Test("what a file is instead of a capture is told by its first bytes")
  func signatures() {
    let cases: [(bytes: [UInt8], words: String)] = [
      ([0x28, 0xB5, 0x2F, 0xFD, 0], "it is zstd-compressed, unpack first"),
      ([0x04, 0x22, 0x4D, 0x18], "it is lz4-compressed, unpack first"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "it is xz-compressed, unpack first"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5B], "it begins with the bytes fd 37 7a 58"),
      (Array("BZh9".utf8), "it is bzip2-compressed, unpack first"),
      (Array("snoop\0\0\u{1}".utf8), "it begins with the bytes 73 6e 6f 6f"),
      ([0x0F, 0x10, 0, 0xFF, 7], "it begins with the bytes 0f 10 00 ff"),
      ([0x1F], "it begins with the bytes 1f"), ([0x1F, 0x8C, 8], "it begins with the bytes 1f 8c 08"),
      ([0xA1, 0xB2, 0xC3], "it begins with the bytes a1 b2 c3"),
      ([0xA1, 0xB2, 0xC3, 0xD4], "its pcap file header is cut short after 4 bytes"),
      (Array(PcapSample().header.dropLast()), "its pcap file header is cut short after 23 bytes"),
      ([0x0A, 0x0D, 0x0D], "it begins with the bytes 0a 0d 0d"),
    ]
    for one in cases { expectEqual(KeptCapture(one.bytes).error, .notCapture(one.words), "\(one.words)") }
  }

  private static let plain: [UInt8] = {
    let sample = PcapSample()
    return sample.header + sample.record(1, 0, [1, 2, 3]) + sample.record(2, 0, [4, 5])
  }()

  private static func damage(_ pull: @escaping (UnsafeMutableRawBufferPointer) -> Int) throws -> CaptureDamage? {
    var reader = try CaptureReader(pull: pull)
    var frame = CaptureFrame()
    while reader.next(&frame) {}
    return reader.damage
  }

  @Test("members of a packed file may be empty, and zeros may stand between them", arguments: [Int.max, 1, 7])
  func members(step: Int) {
    let zeros = [UInt8](repeating: 0, count: 5)
    let (first, second) = (gzip(Array(Self.plain[..<30])), gzip(Array(Self.plain[30...])))
    let packed = gzip([]) + first + zeros + gzip([]) + second
    expectEqual(KeptCapture(packed, step: step), KeptCapture(Self.plain))
    expectEqual(KeptCapture(packed + zeros, step: step), KeptCapture(Self.plain))
  }

  @Test("a packed file that ends inside its second member was cut there, after all of the first")
  func secondMember() throws {
    let packed = gzip(Self.plain)
    for more in [1, 2, 9] {
      let bytes = packed + packed[..<more]
      let found = try Self.damage(source(Array(bytes)))
      let problem = CaptureProblem(.brokenGzip, byteOffset: bytes.count, frame: 3)
      expectEqual(
        found,
        CaptureDamage(
          problem: problem, frames: 2, readBytes: bytes.count, totalBytes: bytes.count, isBeforeEnd: false))
    }
  }

  @Test("what was packed before the damage is read, in the same piece, too")
  func goodPart() throws {
    let count = Encapsulation.little(Self.plain.count)
    let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    // A stored block that is not the last, and one of a kind that there is not.
    let lengths = count + count.map { ~$0 }
    let bytes = header + [0] + lengths + Self.plain + [7]
    let capture = KeptCapture(bytes)
    expectEqual(capture.frames, KeptCapture(Self.plain).frames)
    #expect(capture.problem?.what == .brokenGzip && capture.problem?.frame == 3)
    try expectEqual(Self.damage(source(bytes))?.isBeforeEnd, true)
  }

  @Test("a source that fails, or says that it wrote more than there was room for, ends the reading with damage")
  func failures() throws {
    func failing(after bytes: [UInt8]) -> (UnsafeMutableRawBufferPointer) -> Int {
      var isFirst = true
      return { buffer in
        guard isFirst else { return -1 }
        isFirst = false
        buffer.copyBytes(from: bytes)
        return bytes.count
      }
    }
    let packed = GzipTests.plain
    let half = Array(gzip(packed)[..<50_000])
    let inside = CaptureProblem(.brokenGzip, byteOffset: 50_000, frame: 3)
    try expectEqual(
      Self.damage(failing(after: half)),
      CaptureDamage(problem: inside, frames: 2, readBytes: 50_000, totalBytes: nil, isBeforeEnd: true))
    let sample = PcapngSample()
    let good = sample.section() + sample.interface() + sample.enhanced(0, 1, [1])
    let between = CaptureProblem(.readFailure, byteOffset: good.count, frame: 2)
    try expectEqual(
      Self.damage(failing(after: good)),
      CaptureDamage(problem: between, frames: 1, readBytes: good.count, totalBytes: nil, isBeforeEnd: true))
    let packet = sample.enhanced(0, 2, [2])
    for piece in [1, 11, 20].map({ packet.prefix($0) }) + (1...27).map({ sample.section().prefix($0) }) {
      let found = try Self.damage(failing(after: good + piece))
      #expect(found?.problem == between && found?.isBeforeEnd == true && found?.totalBytes == nil, "\(piece)")
    }
    #expect(throws: CaptureError.unreadable("the first bytes cannot be read")) {
      _ = try CaptureReader { $0.count + 1 }
    }
    try expectEqual(Self.damage(source(Self.plain)), nil)
    try expectEqual(Self.damage(source(Self.plain + [1]))?.totalBytes, Self.plain.count + 1)
  }

  @Test("link layers have the names that people give them, and a number where there is none")
  func linkTypeNames() {
    let names: [(UInt32, String)] = [
      (0, "BSD loopback"), (1, "Ethernet"), (2, "LINKTYPE_2"), (6, "Token Ring"), (7, "ARCNET"), (8, "SLIP"),
      (9, "PPP"), (10, "FDDI"), (11, "LINKTYPE_11"), (12, "raw IP"), (13, "LINKTYPE_13"), (14, "raw IP"),
      (50, "PPP in HDLC framing"), (51, "PPPoE"), (101, "raw IP"), (104, "Cisco HDLC"), (105, "802.11"),
      (107, "Frame Relay"), (108, "OpenBSD loopback"), (113, "Linux cooked"), (119, "802.11 with Prism"),
      (127, "802.11 with radiotap"), (129, "ARCNET of Linux"), (149, "user 2"), (163, "802.11 with AVS"),
      (187, "Bluetooth HCI H4"), (189, "USB of Linux"), (192, "PPI"), (195, "802.15.4"),
      (201, "Bluetooth HCI H4 with direction"), (220, "USB of Linux, padded"), (226, "Solaris ipnet"),
      (228, "raw IPv4"), (229, "raw IPv6"), (230, "802.15.4 without FCS"), (231, "D-Bus"), (239, "NFLOG"),
      (249, "USBPcap"), (251, "Bluetooth LE"), (252, "Wireshark upper PDU"), (253, "netlink"),
      (254, "Bluetooth Linux monitor"), (256, "Bluetooth LE with radio header"), (258, "Apple PKTAP"),
      (272, "Nordic BLE sniffer"), (276, "Linux cooked v2"), (281, "Broadcom tag"), (284, "Marvell DSA"),
    ]
    expectEqual(names.map { LinkType.name($0.0) }, names.map { $0.1 })
  }

  @Test("a filter sees the length on the wire, and no byte behind what was kept")
  func filtered() throws {
    func passes(_ expression: String, kept: Int, original: Int) throws -> Bool {
      let bytes = FrameWriterSample.udp4 + [UInt8](repeating: 0xEE, count: 200)
      let programs = CapturePrograms(try CaptureFilter(expression))
      return try bytes.withUnsafeBytes { buffer -> Bool in
        var frame = CaptureFrame()
        frame.linkType = LinkType.ethernet
        (frame.capturedCount, frame.originalCount) = (kept, original)
        frame.bytes = try #require(buffer.baseAddress)
        return try programs.accepts(frame)
      }
    }
    #expect(try passes("greater 400", kept: 60, original: 400))
    #expect(try !passes("greater 400", kept: 60, original: 399))
    #expect(try passes("less 400", kept: 60, original: 400))
    #expect(try !passes("less 400", kept: 60, original: 401))
    #expect(try passes("ether[60] = 0xEE", kept: 61, original: 400))
    #expect(try !passes("ether[60] = 0xEE", kept: 60, original: 400))
  }
}

@Suite("pcapng byte for byte") struct WriterEdgeTests {
  @Test("what is written is this: sections, interfaces, names, frames, their options and their padding")
  func bytes() {
    let sample = PcapngSample()
    let end = sample.number(UInt32(0))
    var section = CaptureSection()
    (section.hardware, section.operatingSystem, section.application) = ("hw", "an os", "app")
    section.comments = ["one", "four"]
    var writer = CaptureWriter(section: section)
    var texts = sample.option(2, "hw") + sample.option(3, "an os") + sample.option(4, "app")
    texts += sample.option(1, "one") + sample.option(1, "four")
    var expected = sample.section(texts + end)
    let first = writer.interface(name: "eth0", details: "up", linkType: 113, snapLength: 96, comments: ["c", "dd"])
    var options = sample.option(2, "eth0") + sample.option(3, "up") + sample.option(9, [9])
    options += sample.option(1, "c") + sample.option(1, "dd")
    expected += sample.interface(113, snap: 96, options + end)
    let second = writer.interface(name: nil)
    expected += sample.interface(1, sample.option(9, [9]) + end)
    let six = [UInt8](repeating: 0, count: 15) + [9]
    writer.names([
      CaptureName(address: IPAddress(1, 2, 3, 4), name: "tv"),
      CaptureName(address: IPAddress(v6High: 0, low: 9), name: "box"),
    ])
    expected += sample.block(
      4, sample.option(1, [1, 2, 3, 4, 116, 118, 0]) + sample.option(2, six + [98, 111, 120, 0]) + end)
    let time: Int64 = 1_700_000_000_123_456_789
    writer.frame(
      interface: second, time: Instant(nanoseconds: time), [1, 2, 3, 4, 5], originalCount: 60, direction: .outbound,
      comments: ["why", ""])
    options = sample.option(1, "why") + sample.option(1, "") + sample.option(2, [2, 0, 0, 0])
    expected += sample.enhanced(1, UInt64(time), [1, 2, 3, 4, 5], original: 60, options + end)
    // No more was kept than there was; and what is before the epoch is the epoch.
    writer.frame(interface: first, time: Instant(nanoseconds: -1), [1, 2, 3, 4], originalCount: 3)
    expected += sample.enhanced(0, 0, [1, 2, 3, 4])
    writer.begin(CaptureSection())
    expected += sample.section(end)
    let again = writer.interface(name: "b")
    expected += sample.interface(1, sample.option(2, "b") + sample.option(9, [9]) + end)
    writer.frame(interface: 0, time: Instant(nanoseconds: 1), [], direction: .inbound)
    expected += sample.enhanced(0, 1, [], sample.option(2, [1, 0, 0, 0]) + end)
    expectEqual(writer.bytes, expected)
    expectEqual([first, second, again, writer.interfaceCount], [0, 1, 0, 1])
  }

  @Test("bytes go to the sink as soon as there are 64 KiB, and not before")
  func runs() {
    for missing in [0, 4] {
      var runs: [Int] = []
      var writer = CaptureWriter(section: CaptureSection()) { runs.append($0.count) }
      let interface = writer.interface(name: "x")
      // A packet block has 32 bytes beside the packet's.
      let room = 65_536 - writer.bytes.count - 32 - missing
      writer.frame(interface: interface, time: .zero, [UInt8](repeating: 7, count: room))
      #expect(runs == (missing == 0 ? [65_536] : []) && writer.bytes.count == (missing == 0 ? 0 : 65_532))
      writer.frame(interface: interface, time: .zero, [])
      expectEqual(runs, (missing == 0 ? [65_536] : [65_564]))
      writer.finish()
      expectEqual(runs.filter { $0 > 0 }, (missing == 0 ? [65_536, 32] : [65_564]))
    }
  }

  @Test("a text of 65 535 bytes is kept, a longer one is cut before the character that does not fit")
  func longTexts() {
    func comment(_ text: String) -> String? {
      var writer = CaptureWriter(section: CaptureSection())
      let interface = writer.interface(name: nil)
      writer.frame(interface: interface, time: .zero, [1], comments: [text])
      return KeptCapture(writer.bytes).frames.first?.comments.first
    }
    let most = String(repeating: "a", count: 65_535)
    #expect(comment(most) == most && comment(most + "a") == most)
    let three = String(repeating: "€", count: 21_845)
    #expect(comment(three) == three && comment(three + "€") == three)
    expectEqual(comment("a" + three), String(("a" + three).dropLast()))
    func name(_ text: String) -> String? {
      var writer = CaptureWriter(section: CaptureSection())
      writer.names([CaptureName(address: IPAddress(1, 2, 3, 4), name: text)])
      let interface = writer.interface(name: nil)
      writer.frame(interface: interface, time: .zero, [1])
      return KeptCapture(writer.bytes).names.first?.name
    }
    // Of a name 255 bytes are kept, by the same rule.
    for (character, count) in [("n", 255), ("é", 127), ("€", 85), ("𝄞", 63)] {
      let longest = String(repeating: character, count: count)
      #expect(name(longest) == longest && name(longest + character) == longest, "\(character)")
      expectEqual(name(String(longest.dropLast())), String(longest.dropLast()), "\(character)")
    }
    let two = String(repeating: "é", count: 127)
    #expect(name("n" + two) == "n" + two && name("nn" + two) == String(("nn" + two).dropLast()))
  }
}
