import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// Frames through one extractor, and all that it says of them.
struct PacketRun {
  struct Step {
    var frame: [UInt8]
    var time: Instant
    var interface: Int
    init(_ frame: [UInt8], at time: Instant = .zero, interface: Int = 0) {
      (self.frame, self.time, self.interface) = (frame, time, interface)
    }
  }
  struct Found: Equatable {
    /// The frames that it came in, and how many fragments there were.
    var frames: [Int]
    var fragments: Int
    var ends: String
    var hopLimit: UInt8
    var vlan: Int32
    var identification: Int32
    var isCut: Bool
    var checksum: UDPChecksum
    var text: String
  }
  var found: [Found] = []
  var malformed = 0
  var encrypted = 0
  var pieces = 0
  var fragments = 0
  var dropped = 0
  var inside: [[Int]] = []

  /// Datagrams, malformed frames, encrypted ones, and ones with pieces of packets.
  var tally: [Int] { [found.count, malformed, encrypted, pieces] }
  var texts: [String] { found.map(\.text) }
  var frames: [[Int]] { found.map(\.frames) }
  /// The checksum of the first datagram, or what became of the frame.
  var verdict: String { found.first?.checksum.rawValue ?? (malformed > 0 ? "malformed" : "nothing") }

  init(_ frames: [[UInt8]], linkType: UInt32 = LinkType.ethernet) {
    self.init(steps: frames.map { Step($0) }, linkType: linkType)
  }

  init(steps: [Step], linkType: UInt32 = LinkType.ethernet) {
    var extractor = DatagramExtractor()
    var datagram = ExtractedDatagram()
    for (index, step) in steps.enumerated() {
      // As in a reader's chunk, bytes follow that mean nothing.
      let padded = step.frame + [UInt8](repeating: 0xEE, count: CaptureFrame.paddingBytes)
      padded.withUnsafeBytes { buffer in
        var frame = CaptureFrame()
        (frame.number, frame.time, frame.interface) = (index + 1, step.time, step.interface)
        frame.linkType = linkType
        (frame.capturedCount, frame.originalCount) = (step.frame.count, step.frame.count)
        frame.bytes = buffer.baseAddress!
        guard extractor.extract(frame, into: &datagram) else { return }
        found.append(
          Found(
            frames: datagram.fragmentCount > 1 ? extractor.completedFrames : [frame.number],
            fragments: datagram.fragmentCount, ends: "\(datagram.source) \(datagram.destination)",
            hopLimit: datagram.hopLimit, vlan: datagram.vlan, identification: datagram.identification,
            isCut: datagram.isCut, checksum: datagram.checksum, text: String(decoding: datagram.payload, as: UTF8.self)
          ))
      }
    }
    (malformed, encrypted) = (extractor.malformedCount, extractor.protectedCount)
    (pieces, fragments) = (extractor.unreadPiecesCount, extractor.fragmentCount)
    dropped = extractor.droppedReassemblies
    inside = extractor.unreadInside.map { [Int($0.linkType), $0.frames] }
  }
}

/// Fragments of datagrams, made by hand.
enum Piece {
  /// UDP from port 1900 to port 1900, without a checksum.
  static func segment(_ text: String) -> [UInt8] {
    [7, 0x6C, 7, 0x6C] + Encapsulation.big(8 + text.utf8.count) + [0, 0] + Array(text.utf8)
  }

  /// The bytes of `range` of what was cut up, over IPv4.
  static func four(
    _ whole: [UInt8], _ range: Range<Int>, more: Bool, id: UInt8 = 9, ttl: UInt8 = 64, number: UInt8 = 17
  ) -> [UInt8] {
    let place = range.lowerBound / 8 | (more ? 0x2000 : 0)
    var packet = Encapsulation.ip4(number, Array(whole[range]), id: id, fragment: place)
    packet[8] = ttl
    return Encapsulation.ethernet(packet)
  }

  /// The same over IPv6, where 17 or another `next` is what was cut up.
  static func six(
    _ whole: [UInt8], _ range: Range<Int>, more: Bool, id: UInt8 = 9, ttl: UInt8 = 64, next: UInt8 = 17
  ) -> [UInt8] {
    let header = [next, 0] + Encapsulation.big(range.lowerBound | (more ? 1 : 0)) + [0, 0, 0, id]
    var packet = Encapsulation.ip6(44, header + Array(whole[range]))
    packet[7] = ttl
    return Encapsulation.ethernet(packet)
  }

  static func tagged(_ frame: [UInt8], _ vlan: Int) -> [UInt8] {
    Array(frame[..<12]) + [0x81, 0] + Encapsulation.big(vlan) + Array(frame[12...])
  }
}

@Suite("Fragments at their bounds") struct FragmentEdgeTests {
  @Test("fragments make their datagram in every order, with the TTL of the first part", arguments: [false, true])
  func orders(isSix: Bool) {
    let whole = Piece.segment("AAAAAAAABBBBBBBBCCCCCCCCDDD")
    let ranges = [0..<8, 8..<24, 24..<32, 32..<35]
    let pieces = ranges.enumerated().map { index, range -> [UInt8] in
      let (more, ttl) = (index < 3, UInt8(10 + index))
      return isSix ? Piece.six(whole, range, more: more, ttl: ttl) : Piece.four(whole, range, more: more, ttl: ttl)
    }
    let ends = isSix ? "[::1]:1900 [::2]:1900" : "10.0.0.1:1900 10.0.0.2:1900"
    for order in Self.orders(of: [0, 1, 2, 3]) {
      for vlan in [-1, 7] {
        let run = PacketRun(order.map { vlan < 0 ? pieces[$0] : Piece.tagged(pieces[$0], vlan) })
        let expected = PacketRun.Found(
          frames: [1, 2, 3, 4], fragments: 4, ends: ends, hopLimit: 10, vlan: Int32(vlan),
          identification: isSix ? -1 : 9, isCut: false, checksum: .absent, text: "AAAAAAAABBBBBBBBCCCCCCCCDDD")
        #expect(run.found == [expected] && run.dropped == 0 && run.fragments == 4, "\(order)")
      }
    }
  }

  private static func orders(of places: [Int]) -> [[Int]] {
    if places.isEmpty { return [[]] }
    return places.flatMap { first in orders(of: places.filter { $0 != first }).map { [first] + $0 } }
  }

  @Test("a second datagram among the fragments of a first stays its own, however little they differ")
  func keys() {
    let (first, second) = (Piece.segment("AAAAAAAAaaaaaaaa"), Piece.segment("BBBBBBBBbbbbbbbb"))
    func check(_ name: String, _ a: [[UInt8]], _ b: [[UInt8]], interfaces: [Int] = [0, 0, 0, 0]) {
      let steps = zip([a[0], b[0], b[1], a[1]], interfaces).map { PacketRun.Step($0, interface: $1) }
      let run = PacketRun(steps: steps)
      #expect(run.frames == [[2, 3], [1, 4]] && run.dropped == 0, "\(name)")
      expectEqual(run.texts, ["BBBBBBBBbbbbbbbb", "AAAAAAAAaaaaaaaa"], "\(name)")
    }
    func changed(_ frames: [[UInt8]], _ place: Int) -> [[UInt8]] {
      frames.map { frame in
        var frame = frame
        frame[place] ^= 1
        return frame
      }
    }
    let four = [first, second].map { [Piece.four($0, 0..<16, more: true), Piece.four($0, 16..<24, more: false)] }
    let six = [first, second].map { [Piece.six($0, 0..<16, more: true), Piece.six($0, 16..<24, more: false)] }
    // Identification, source and destination.
    for place in [18, 19] + Array(26..<34) { check("byte \(place) of IPv4", four[0], changed(four[1], place)) }
    for place in Array(22..<54) + Array(58..<62) { check("byte \(place) of IPv6", six[0], changed(six[1], place)) }
    for pieces in [four, six] {
      check("interface", pieces[0], pieces[1], interfaces: [0, 1, 1, 0])
      check("the other interface", pieces[0], pieces[1], interfaces: [1, 0, 0, 1])
      check("a VLAN", pieces[0], pieces[1].map { Piece.tagged($0, 7) })
      check("two VLANs", pieces[0].map { Piece.tagged($0, 7) }, pieces[1].map { Piece.tagged($0, 8) })
      check("the last VLAN", pieces[0].map { Piece.tagged($0, 0xFFF) }, pieces[1].map { Piece.tagged($0, 0x7FF) })
      // The same number again is another datagram once the first is whole.
      let again = PacketRun(pieces[0] + pieces[1])
      expectEqual(again.texts, ["AAAAAAAAaaaaaaaa", "BBBBBBBBbbbbbbbb"])
      #expect(again.frames == [[1, 2], [3, 4]] && again.dropped == 0)
    }
    // Over IPv4 the protocol is part of the key; over IPv6 the first fragment says what was cut up.
    for number in [UInt8(4), 41, 47] {
      let foreign = Piece.four(second, 16..<24, more: false, number: number)
      let other = Piece.six(first, 16..<24, more: false, next: number)
      expectEqual(PacketRun([four[0][0], foreign, four[0][1]]).frames, [[1, 3]], "\(number)")
      expectEqual(PacketRun([six[0][0], other]).texts, ["AAAAAAAAaaaaaaaa"], "\(number)")
      expectEqual(PacketRun([other, six[0][0]]).texts, ["AAAAAAAAaaaaaaaa"], "\(number)")
    }
  }

  @Test("the first byte to arrive stays, and what contradicts an end that is known is not believed")
  func overlaps() {
    /// Parts of a datagram whose text has `count` bytes: each filled with a letter; a capital one is the last part.
    func check(
      _ count: Int, _ parts: [(Range<Int>, Character)], _ frames: [Int], _ text: String, dropped: Int = 0,
      repeated: Int = 0
    ) {
      for isSix in [false, true] {
        let pieces = parts.map { range, letter -> [UInt8] in
          var whole = Piece.segment(String(repeating: letter, count: count))
          while whole.count < range.upperBound { whole.append(0x7E) }
          let more = letter.isLowercase
          return isSix ? Piece.six(whole, range, more: more) : Piece.four(whole, range, more: more)
        }
        let run = PacketRun(pieces)
        #expect(run.frames == [frames] && run.texts == [text] && run.dropped == dropped, "\(parts)")
        expectEqual(run.found.first?.fragments, frames.count + repeated, "\(parts)")
        expectEqual(run.fragments, parts.count, "\(parts)")
      }
    }
    let (a, b, c) = ("aaaaaaaa", "bbbbbbbb", "CCCCCCCC")
    check(24, [(0..<16, "a"), (8..<24, "b"), (24..<32, "C")], [1, 2, 3], a + b + c)
    check(24, [(24..<32, "C"), (8..<24, "b"), (0..<16, "a")], [1, 2, 3], b + b + c)
    check(32, [(16..<24, "b"), (0..<32, "a"), (32..<40, "C")], [1, 2, 3], a + b + a + c)
    check(11, [(0..<16, "a"), (16..<19, "C")], [1, 2], a + "CCC")
    check(11, [(16..<19, "C"), (0..<16, "a")], [1, 2], a + "CCC")
    // What only repeats others counts as a fragment, and its frame is not needed.
    check(8, [(0..<8, "a"), (0..<8, "b"), (8..<16, "C")], [1, 3], c, repeated: 1)
    check(8, [(8..<16, "C"), (8..<16, "D"), (8..<16, "d"), (0..<8, "a")], [1, 4], c, repeated: 2)
    check(24, [(0..<16, "a"), (24..<32, "C"), (16..<32, "D")], [1, 2, 3], a + "DDDDDDDD" + c)
    check(16, [(0..<16, "a"), (16..<24, "b"), (16..<24, "C")], [1, 2, 3], a + b)
    check(16, [(16..<24, "C"), (8..<24, "b"), (0..<8, "a")], [1, 2, 3], b + c)
    // Another end, before or behind the one that is known, and an end before what has come.
    check(16, [(16..<24, "C"), (8..<16, "D"), (0..<8, "a"), (8..<16, "b")], [1, 3, 4], b + c)
    check(16, [(16..<24, "C"), (16..<32, "D"), (24..<32, "d"), (0..<16, "a")], [1, 4], a + c)
    check(32, [(0..<32, "a"), (16..<24, "B"), (32..<40, "C")], [1, 3], a + a + a + c)
    // Not whole eights before the end, and nothing at all.
    check(16, [(0..<16, "a"), (16..<23, "b"), (16..<24, "C")], [1, 3], a + c, dropped: 1)
    check(16, [(0..<16, "a"), (16..<16, "B"), (16..<16, "b"), (16..<24, "C")], [1, 4], a + c, dropped: 2)
  }

  @Test("however often a fragment is repeated, the frames that its datagram needs are all named")
  func repeated() {
    let whole = Piece.segment("AAAAAAAABBBBBBBB")
    let first = [[UInt8]](repeating: Piece.four(whole, 0..<8, more: true), count: 8_193)
    let rest = [Piece.four(whole, 8..<16, more: true), Piece.four(whole, 16..<24, more: false)]
    let run = PacketRun(first + rest)
    #expect(run.frames == [[1, 8_194, 8_195]] && run.texts == ["AAAAAAAABBBBBBBB"])
    #expect(run.found.first?.fragments == 8_195 && run.dropped == 0)
  }

  @Test("the largest datagram has 65 535 bytes, and a byte more is dropped")
  func largest() {
    var whole = [UInt8](repeating: 97, count: 65_536)
    // The length that a jumbogram has: all that there is.
    whole.replaceSubrange(0..<8, with: [7, 0x6C, 7, 0x6C, 0, 0, 0, 0])
    let first = Piece.six(whole, 0..<65_520, more: true)
    let most = PacketRun([first, Piece.six(whole, 65_520..<65_535, more: false)])
    #expect(most.texts.map(\.utf8.count) == [65_527] && most.dropped == 0)
    let over = PacketRun([first, Piece.six(whole, 65_520..<65_536, more: false)])
    #expect(over.texts == [] && over.dropped == 2)
  }

  @Test("fragments are waited for thirty seconds from the first to arrive, to the nanosecond")
  func patience() {
    let whole = Piece.segment("AAAAAAAABBBBBBBB")
    let pieces = [(0..<8, true), (8..<16, true), (16..<24, false)].map { Piece.four(whole, $0.0, more: $0.1) }
    func run(_ times: [Int64]) -> PacketRun {
      let start: Int64 = 1_700_000_000_000_000_000
      return PacketRun(steps: zip(pieces, times).map { PacketRun.Step($0, at: Instant(nanoseconds: start + $1)) })
    }
    let limit: Int64 = 30_000_000_000
    #expect(run([0, 0, limit]).frames == [[1, 2, 3]] && run([0, limit, limit]).frames == [[1, 2, 3]])
    expectEqual(run([0, 0, -limit]).frames, [[1, 2, 3]])
    for times in [[0, 0, limit + 1], [0, limit, limit + 1], [0, limit + 1, limit + 1]] {
      let late = run(times)
      #expect(late.found == [] && late.dropped == 2, "\(times)")
    }
    // Sixty-four that are given up leave their places to others.
    let early = (1...64).map { PacketRun.Step(Self.first(UInt8($0)), at: .zero) }
    let after = Instant(nanoseconds: limit + 1)
    let next = (65...128).map { PacketRun.Step(Self.first(UInt8($0)), at: after) }
    let rest = (65...128).map { PacketRun.Step(Self.last(UInt8($0)), at: after) }
    let all = PacketRun(steps: early + next + rest)
    #expect(all.found.map { Int($0.identification) } == Array(65...128) && all.dropped == 64)
  }

  private static let short = Piece.segment("AAAAAAAABBBBBBBB")
  private static func first(_ id: UInt8) -> [UInt8] { Piece.four(short, 0..<8, more: true, id: id) }
  private static func middle(_ id: UInt8) -> [UInt8] { Piece.four(short, 8..<16, more: true, id: id) }
  private static func last(_ id: UInt8) -> [UInt8] { Piece.four(short, 8..<24, more: false, id: id) }

  @Test("sixty-four datagrams are open at a time, and one more pushes out the one that began first")
  func budget() {
    func found(_ frames: [[UInt8]]) -> [Int] { PacketRun(frames).found.map { Int($0.identification) } }
    let firsts = (1...64).map { Self.first(UInt8($0)) }
    let all = PacketRun(firsts + (1...64).map { Self.last(UInt8($0)) })
    #expect(all.found.map { Int($0.identification) } == Array(1...64) && all.dropped == 0)
    let backwards = (1...65).reversed().map { Self.last(UInt8($0)) }
    let pushed = PacketRun(firsts + [Self.first(65)] + backwards)
    #expect(pushed.found.map { Int($0.identification) } == Array((2...65).reversed()) && pushed.dropped == 2)
    // The age counts, not the place that a datagram has: 65 lies where 1 was.
    let places = firsts + [Self.last(1), Self.first(65), Self.first(66)]
    expectEqual(found(places + [UInt8(3), 65, 66, 64, 2].map { Self.last($0) }), [1, 3, 65, 66, 64])
    // Nor does a datagram become younger by another fragment.
    expectEqual(found(firsts + [Self.middle(1), Self.first(65), Self.last(1)]), [])
    expectEqual(found(firsts + [Self.middle(1), Self.first(65), Self.last(2)]), [2])
    // Fragments of other protocols take no place.
    var others: [[UInt8]] = []
    for number in [UInt8(1), 6, 50, 81] {
      for id in UInt8(0)..<40 {
        others.append(Piece.four(Self.short, 0..<8, more: true, id: id, number: number))
        others.append(Piece.six(Self.short, 0..<8, more: true, id: id, next: number))
      }
    }
    let among = PacketRun([Self.first(9)] + others + [Self.last(9)])
    #expect(among.frames == [[1, 322]] && among.fragments == 2 && among.tally == [1, 0, 0, 0])
  }

  @Test("a fragment that the capture cut, or that does not say how long it is, is malformed; padding is no part of it")
  func lengths() {
    for isSix in [false, true] {
      func piece(_ range: Range<Int>, _ more: Bool) -> [UInt8] {
        isSix ? Piece.six(Self.short, range, more: more) : Piece.four(Self.short, range, more: more)
      }
      let (first, last) = (piece(0..<8, true), piece(8..<24, false))
      var unsaid = last
      unsaid.replaceSubrange(isSix ? 18..<20 : 16..<18, with: [0, 0])
      let run = PacketRun([first, Array(last.dropLast()), unsaid, last + [1, 2, 3, 4, 5, 6, 7, 8]])
      #expect(run.frames == [[1, 4]] && run.texts == ["AAAAAAAABBBBBBBB"])
      #expect(run.tally == [1, 2, 0, 0] && run.fragments == 2 && run.dropped == 0)
    }
  }

  @Test("extension headers stand before a fragment header and in what was cut up; the first part names the first")
  func extensions() {
    func run(_ next: UInt8, _ headers: [UInt8]) -> PacketRun {
      let whole = headers + Self.short
      let first = Piece.six(whole, 0..<16, more: true, ttl: 7, next: next)
      let again = Piece.six(whole, 0..<16, more: true, ttl: 8)
      let last = Piece.six(whole, 16..<whole.count, more: false, ttl: 9)
      let runs = [[first, again, last], [last, first], [first, last]].map { PacketRun($0) }
      #expect(Set(runs.map(\.verdict)).count == 1 && runs.allSatisfy { $0.found.allSatisfy { $0.hopLimit == 7 } })
      return runs[0]
    }
    expectEqual(run(0, [17, 0, 1, 4, 0, 0, 0, 0]).texts, ["AAAAAAAABBBBBBBB"])
    expectEqual(run(60, [17, 0, 1, 4, 0, 0, 0, 0]).verdict, "absent")
    expectEqual(run(43, [17, 0, 0, 1, 0, 0, 0, 0]).verdict, "unverifiable")
    expectEqual(run(43, [17, 0, 0, 0, 0, 0, 0, 0]).verdict, "absent")
    expectEqual(run(44, [17, 0, 0, 0, 0, 0, 0, 3]).verdict, "absent")
    expectEqual(run(44, [17, 0, 0, 1, 0, 0, 0, 3]).verdict, "malformed")
    expectEqual(run(60, [59, 0, 1, 4, 0, 0, 0, 0]).verdict, "nothing")
    // A routing header before the fragment header, without and with a stop to go.
    for (stops, verdict) in [(UInt8(0), "absent"), (1, "unverifiable")] {
      let pieces = [(0..<8, true), (8..<24, false)].map { range, more -> [UInt8] in
        var frame = Piece.six(Self.short, range, more: more)
        frame[19] += 8
        frame[20] = 43
        frame.insert(contentsOf: [44, 0, 0, stops, 0, 0, 0, 0], at: 54)
        return frame
      }
      #expect(PacketRun(pieces).verdict == verdict && PacketRun(pieces).texts == ["AAAAAAAABBBBBBBB"])
    }
  }

  @Test("a datagram is cut up when it does not fit the MTU, which is taken as what IP asks for at least")
  func mtu() {
    let cases: [(isSix: Bool, mtu: Int, fits: Int)] = [
      (false, 1_500, 1_472), (false, 0, 40), (false, 68, 40), (false, 69, 41), (true, 1_500, 1_452), (true, 0, 1_232),
      (true, 1_280, 1_232), (true, 1_281, 1_233),
    ]
    for one in cases {
      let (source, group) = one.isSix ? (Ends.source6, Ends.group6) : (Ends.source4, Ends.group4)
      for (count, frames) in [(one.fits, [1]), (one.fits + 1, [1, 2])] {
        let text = String(repeating: "a", count: count - 1) + "z"
        let written = FrameWriter.udp(
          Ends.link(group.address), from: source, to: group, hopLimit: 1, payload: Array(text.utf8),
          mtuBytes: one.mtu)
        let run = PacketRun(written)
        #expect(run.frames == [frames] && run.texts == [text] && run.verdict == "good", "\(one)")
        #expect(written.allSatisfy { $0.count <= 14 + max(one.mtu, one.isSix ? 1_280 : 68) }, "\(one)")
      }
    }
  }
}
