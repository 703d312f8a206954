import RollcallCapture
import RollcallPrimitives

extension FuzzTarget {
  package static let pcap = FuzzTarget(name: "pcap", dictionary: CaptureSeeds.pcapWords, seeds: CaptureSeeds.pcap) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    try CaptureProperties.check(bytes)
  }

  package static let pcapng = FuzzTarget(
    name: "pcapng", dictionary: CaptureSeeds.pcapngWords, seeds: CaptureSeeds.pcapng
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    try CaptureProperties.check(bytes)
  }
}

/// What holds for every file.
enum CaptureProperties {
  /// The file in one piece, in pieces of sizes that its digest chooses, and byte by byte when it is small: the same
  /// frames, the same damage, in bounded memory; what the reference finds; for its beginnings the beginning of that;
  /// and what was read, written down, is read as the same.
  static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    let digest = bytes.withUnsafeBytes { Digest.hash($0) }
    let whole = try ReadCapture(bytes) { $0 }
    var stream = RandomStream(mixing: digest, 1)
    let largest = 1 + stream.below([3, 40, 600, 5_000][Int(digest & 3)])
    let piecewise = try ReadCapture(bytes) { _ in 1 + Int(stream.below(largest)) }
    try expect(whole == piecewise, "in pieces it reads differently: \(whole.summary), \(piecewise.summary)")
    // What is packed has no reference: unpacking is zlib's.
    if isPacked(bytes) { return }
    var reference = CaptureReference(bytes)
    let expected = reference.read()
    try expect(whole.outcome == expected, "read: \(whole.summary), reference: \(ReadCapture(expected).summary)")
    for cut in cuts(of: bytes) {
      let start = try ReadCapture(Array(bytes[..<cut])) { $0 }
      let kept = start.outcome.frames
      try expect(
        kept.count <= whole.outcome.frames.count && kept.elementsEqual(whole.outcome.frames.prefix(kept.count)),
        "cut at \(cut), the frames before the cut are others")
    }
    try again(whole)
  }

  static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// Written and read again: times before the epoch, missing times and lengths that lie apart.
  private static func again(_ capture: ReadCapture) throws(FuzzFinding) {
    guard !capture.outcome.frames.isEmpty else { return }
    var writer = CaptureWriter(section: CaptureSection())
    for interface in capture.interfaces {
      _ = writer.interface(name: interface.name ?? "", linkType: interface.linkType, snapLength: interface.snapLength)
    }
    for (frame, comments) in zip(capture.outcome.frames, capture.comments) {
      writer.frame(
        interface: frame.interface, time: frame.time, frame.bytes, originalCount: frame.originalCount,
        comments: comments)
    }
    writer.finish()
    let second = try ReadCapture(writer.bytes) { $0 }
    try expect(second.outcome.problem == nil, "what was written is damaged: \(second.summary)")
    try expect(second.comments == capture.comments, "comments read differently")
    try expect(second.outcome.frames.count == capture.outcome.frames.count, "frames were lost in writing")
    for (before, after) in zip(capture.outcome.frames, second.outcome.frames) {
      try expect(
        before.bytes == after.bytes && before.linkType == after.linkType && max(.zero, before.time) == after.time
          && max(before.bytes.count, before.originalCount) == after.originalCount,
        "frame \(before.number) was written and read as another: \(before), \(after)")
    }
  }
}

/// Everything that the reader says about a file.
struct ReadCapture: Equatable {
  struct Frame: Equatable {
    var number: Int
    var time: Instant
    var hasTime: Bool
    var linkType: UInt32
    var interface: Int
    var originalCount: Int
    var bytes: [UInt8]
  }

  struct Outcome: Equatable {
    var frames: [Frame] = []
    var problem: CaptureProblem?
    /// Whether it is a capture at all.
    var isCapture = true
  }

  var outcome: Outcome
  var comments: [[String]] = []
  var interfaces: [CaptureInterface] = []
  var names: [CaptureName] = []
  var sections: [CaptureSection] = []

  init(_ outcome: Outcome) { self.outcome = outcome }

  /// - Parameter size: how many bytes to hand out where so many are left.
  init(_ bytes: [UInt8], size: (Int) -> Int) throws(FuzzFinding) {
    outcome = Outcome()
    var given = 0
    var pulls = 0
    var roomMaximum = 0
    let isPacked = CaptureProperties.isPacked(bytes)
    // The closure that pulls is escaping, what it looks at is not: both end with this call.
    let failure = withoutActuallyEscaping(size) { size -> CaptureError? in
      let pull = { (room: UnsafeMutableRawBufferPointer) -> Int in
        pulls += 1
        // The reader may have room for twice of what came, never for what a length merely promises.
        roomMaximum = max(roomMaximum, room.count - max(isPacked ? 64 << 10 : 4_096, 2 * given))
        let count = min(room.count, bytes.count - given, max(1, size(bytes.count - given)))
        bytes.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[given..<(given + count)])) }
        given += count
        return count
      }
      do throws(CaptureError) {
        var reader = try CaptureReader(chunkBytes: 4_096, pull: pull)
        var frame = CaptureFrame()
        var byteCount = 0
        // Little unpacks to much: enough is enough.
        while byteCount <= bytes.count + 100_000, reader.next(&frame) {
          byteCount += frame.capturedCount + 16
          add(frame)
        }
        outcome.problem = reader.problem
        (interfaces, names, sections) = (reader.interfaces, reader.names, reader.sections)
        return nil
      } catch {
        return error
      }
    }
    switch failure {
    case .unreadable?: throw FuzzFinding("unreadable, though every byte can be read")
    case .notCapture?: outcome.isCapture = false
    case .noFrame(let problem)?: outcome.problem = problem
    case nil: break
    }
    try expect(roomMaximum <= 0, "the buffer has \(roomMaximum) bytes more than it needs")
    try expect(pulls <= given + 2, "\(pulls) pulls for \(given) bytes")
    if isPacked { return }
    let kept = outcome.frames.reduce(0) { $0 + $1.bytes.count }
    try expect(kept <= bytes.count, "more bytes in frames than in the file")
    try expect(
      interfaces.count * 8 + names.count + sections.count * 28 <= bytes.count + 8, "more is told than was there")
    if let problem = outcome.problem {
      try expect((0...bytes.count).contains(problem.byteOffset), "damage outside of the file: \(problem)")
      try expect(problem.frame > (outcome.frames.last?.number ?? 0), "damage in a frame that was read: \(problem)")
    }
  }

  private mutating func add(_ frame: CaptureFrame) {
    comments.append(frame.comments)
    _ = frame.direction
    outcome.frames.append(
      Frame(
        number: frame.number, time: frame.time, hasTime: frame.hasTime, linkType: frame.linkType,
        interface: frame.interface, originalCount: frame.originalCount, bytes: Array(frame.content)))
  }

  var summary: String {
    let problem = outcome.problem.map { "\($0.what) at \($0.byteOffset) (\($0.value ?? -1))" } ?? "whole"
    let last = outcome.frames.last.map { "\($0)".prefix(200) } ?? ""
    return outcome.isCapture ? "\(outcome.frames.count) frames, \(problem), last \(last)" : "no capture"
  }
}
