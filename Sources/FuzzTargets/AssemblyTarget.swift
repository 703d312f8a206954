import RollcallCapture
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// Bytes choose the segments in which two texts are sent, in any order, overlapping and repeated, and where a number
  /// wraps. What comes out is what the segments so far show from the beginning on, without a gap, and every byte once.
  package static let assembly = FuzzTarget(name: "tcp-assembly", dictionary: assemblyWords, seeds: assemblySeeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    try checkAssembly(bytes)
    for cut in cuts(of: bytes) { try checkAssembly(Array(bytes[..<cut])) }
  }

  /// A side, a place and a length.
  private static let assemblyWords = ["\u{0}\u{0}\u{4}", "\u{0}\u{4}\u{4}", "\u{1}\u{0}\u{8}", "\u{4}\u{0}\u{7F}"]

  /// In order; the other way round; overlapping and again; both sides; over the wrap; with the end in the middle.
  private static let assemblySeeds: [[UInt8]] = [
    [0, 0, 0, 4, 0, 4, 4, 0, 8, 4], [0, 0, 8, 4, 0, 4, 4, 0, 0, 4], [0, 0, 0, 6, 0, 4, 6, 0, 0, 12],
    [0, 0, 0, 4, 1, 0, 4, 0, 4, 4, 1, 4, 9], [255, 0, 0, 4, 0, 4, 4, 0, 8, 4], [0, 2, 4, 8, 0, 0, 4, 1, 0, 2],
  ]

  private static let opener = Endpoint(IPAddress(10, 0, 0, 1), port: 50_000)
  private static let server = Endpoint(IPAddress(10, 0, 0, 2), port: 80)

  /// The byte at a place of a side's text.
  private static func byte(_ place: Int, isFromOpener: Bool) -> UInt8 {
    UInt8(truncatingIfNeeded: place &* 31 &+ place / 200 &+ (isFromOpener ? 0 : 7))
  }

  private static func checkAssembly(_ bytes: [UInt8]) throws(FuzzFinding) {
    var choices = ByteChoices(bytes)
    let base = choices.bool() ? 0 &- UInt32(choices.byte()) : UInt32(choices.byte()) &* 0x0101_0101
    var assembler = StreamAssembler()
    var given: ([UInt8], [UInt8]) = ([], [])
    /// The places that segments have shown, of the opener and of the server.
    var shown = (Array(repeating: false, count: 1_024), Array(repeating: false, count: 1_024))
    /// Of the opener, and of the server.
    var ends = (false, false)
    func take(_ segment: TCPSegment, frame: Int) throws(FuzzFinding) {
      let outcomes = segment.bytes.withUnsafeBytes { bytes -> [StreamAssembler.Outcome] in
        guard
          let found = ExtractedSegment(bytes, segment.source.address, segment.destination.address, isWhole: true)
        else { return [] }
        return assembler.take(found, frame: frame)
      }
      for outcome in outcomes {
        try expect(
          outcome.connection == StreamAssembler.Connection(opener: opener, server: server, number: 0),
          "frame \(frame): of connection \(outcome.connection)")
        switch outcome.event {
        case .bytes(let bytes):
          try expect(!bytes.isEmpty, "frame \(frame): no bytes are given")
          try expect(!(outcome.isFromOpener ? ends.0 : ends.1), "frame \(frame): bytes behind the end")
          if outcome.isFromOpener { given.0 += bytes } else { given.1 += bytes }
        case .finished: if outcome.isFromOpener { ends.0 = true } else { ends.1 = true }
        case .reset, .gap: throw FuzzFinding("frame \(frame): \(outcome.event)")
        }
      }
    }
    try take(TCPSegment(from: opener, to: server, sequence: base, flags: .syn), frame: 1)
    let second = TCPSegment(from: server, to: opener, sequence: base, acknowledgment: base &+ 1, flags: [.syn, .ack])
    try take(second, frame: 2)
    var frame = 2
    while !choices.isOver {
      let way = choices.byte()
      let isFromOpener = way & 1 == 0
      let start = Int(choices.byte()) + (way & 4 != 0 ? 256 : 0)
      let count = min(Int(choices.byte()), 1_023 - start)
      frame += 1
      let payload = (start..<start + count).map { byte($0, isFromOpener: isFromOpener) }
      let segment = TCPSegment(
        from: isFromOpener ? opener : server, to: isFromOpener ? server : opener,
        sequence: base &+ 1 &+ UInt32(start), flags: .psh, payload: payload)
      try take(segment, frame: frame)
      for place in start..<start + count { if isFromOpener { shown.0[place] = true } else { shown.1[place] = true } }
      for (given, shown, isFromOpener) in [(given.0, shown.0, true), (given.1, shown.1, false)] {
        let reach = shown.firstIndex(of: false) ?? shown.count
        try expect(given.count == reach, "frame \(frame): \(given.count) bytes are given, \(reach) could be")
        try expect(
          given.enumerated().allSatisfy { $0.element == byte($0.offset, isFromOpener: isFromOpener) },
          "frame \(frame): other bytes than were sent")
      }
    }
  }
}
