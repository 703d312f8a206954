/// How far a capture was read that could not be read whole, and whether that is worth telling from a cut.
///
/// There is one rule. A file that **merely ends inside a packet** was cut: nothing is lost but the rest of one record,
/// and everything before it counts as the capture. Every other fault stands **before the end**: bytes behind it remain
/// unread that may hold any number of frames, so that what was read is not the capture.
package struct CaptureDamage: Hashable, Sendable {
  package var problem: CaptureProblem
  /// Whole frames before the fault.
  package var frames: Int
  /// Bytes before the fault: of the file, or of what was packed into it where the fault is in there.
  package var readBytes: Int
  /// Bytes in all, counted in the same way; `nil` where the source failed and nobody knows.
  package var totalBytes: Int?
  /// Whether the fault stands before the end, by the rule above.
  package var isBeforeEnd: Bool

  package init(
    problem: CaptureProblem, frames: Int, readBytes: Int, totalBytes: Int?, isBeforeEnd: Bool
  ) {
    (self.problem, self.frames, self.readBytes) = (problem, frames, readBytes)
    (self.totalBytes, self.isBeforeEnd) = (totalBytes, isBeforeEnd)
  }

  /// Hundredths of all bytes, rounded down; `nil` where nobody knows how many there are.
  package var percent: Int? {
    guard let totalBytes else { return nil }
    return totalBytes > 0 ? Int(Int128(readBytes) * 100 / Int128(totalBytes)) : 100
  }

  /// How much was read: `56 of 123 bytes (45 %) and 2 frames were read`.
  package var extent: String {
    let share = percent.map { " (\($0) %)" } ?? ""
    let bytes = totalBytes.map { "\(readBytes) of \($0) bytes" } ?? "\(readBytes) bytes"
    return "\(bytes)\(share) and \(frames) frame\(frames == 1 ? "" : "s") were read"
  }

  /// The sentence for people behind the file's name. `done` is what happened to the frames that were read.
  package func sentence(_ done: String) -> String {
    isBeforeEnd
      ? "\(problem); \(extent), and nothing behind that" : "\(problem); everything before it was \(done)"
  }
}

extension CaptureReader {
  /// Ends the reading with damage at `offset`.
  /// - Parameters:
  ///   - isPassedOver: whether bytes of the record were passed over unseen, so that nobody can say what they were.
  @inline(never) mutating func stop(
    _ what: CaptureProblem.What, at offset: Int, value: Int? = nil, isPassedOver: Bool = false
  ) -> Bool {
    isOver = true
    let isFailure = what == .cutShort && buffer.hasFailed
    if isFailure, let gzip, let damagedAt = gzip.damagedAt {
      let problem = CaptureProblem(.brokenGzip, byteOffset: damagedAt, frame: frameCount + 1)
      self.problem = problem
      damage = CaptureDamage(
        problem: problem, frames: frameCount, readBytes: damagedAt, totalBytes: gzip.countRest(),
        isBeforeEnd: !gzip.isCutShort)
      return false
    }
    let problem = CaptureProblem(
      isFailure ? .readFailure : what, byteOffset: offset, frame: frameCount + 1, value: value)
    self.problem = problem
    let isCut = problem.what == .cutShort && !isPassedOver && mayBeCut()
    // The buffer's bytes are counted before what follows takes their place.
    let seen = baseOffset &+ end
    let rest = buffer.hasFailed ? nil : buffer.countRest()
    damage = CaptureDamage(
      problem: problem, frames: frameCount, readBytes: offset, totalBytes: rest.map { seen &+ $0 },
      isBeforeEnd: !isCut)
    return false
  }

  /// Whether what stands at the cursor, which reaches beyond the file, may be a record that was cut: what its header
  /// says agrees with itself, and no whole record stands in what is left.
  private func mayBeCut() -> Bool {
    format == .pcapng ? mayBeCutPcapng() : mayBeCutRecord()
  }

  /// In a file of pcap or btsnoop.
  private func mayBeCutRecord() -> Bool {
    guard end - cursor >= recordHeaderBytes else { return true }
    let seconds = recordSeconds(at: cursor)
    if !isHonest(cursor) { return false }
    var start = cursor + 1
    while start + recordHeaderBytes < end {
      if isRecord(at: start, near: seconds) {
        // One record may be chance; two, or one that ends where the file ends, are not.
        let next = start + recordHeaderBytes + Int(claimedLengths(at: start).captured)
        if next == end || isRecord(at: next, near: seconds) { return false }
      }
      start += 1
    }
    return true
  }

  /// The two lengths of a record, whichever way round the file has them.
  private func claimedLengths(at: Int) -> (captured: UInt32, original: UInt32) {
    if format == .btsnoop { return (word(at + 4), word(at)) }
    let (first, second) = (word(at + 8), word(at + 12))
    if lengths != .captureFirst, lengths == .originalFirst || first > second { return (second, first) }
    return (first, second)
  }

  /// The second in which a record was captured, as the file counts them.
  private func recordSeconds(at: Int) -> Int64 {
    guard format == .btsnoop else { return Int64(word(at)) }
    return Int64(bitPattern: UInt64(word(at + 16)) << 32 | UInt64(word(at + 20))) / 1_000_000
  }

  /// Whether what a record says of a part of a second is less than one; in btsnoop nothing says so.
  private func hasFraction(at: Int) -> Bool {
    format == .btsnoop || UInt64(word(at + 4)) * UInt64(nanosecondsPerTick) < 1_000_000_000
  }

  private func isHonest(_ at: Int) -> Bool {
    let (captured, original) = claimedLengths(at: at)
    return captured <= frameBytesMaximum && (original == 0 || captured <= original)
  }

  /// Whether a whole record with bytes in it begins here, captured within a day of the one that was cut.
  private func isRecord(at start: Int, near seconds: Int64) -> Bool {
    guard start + recordHeaderBytes < end else { return false }
    let (captured, original) = claimedLengths(at: start)
    // Neither is more than 9.3e12: no overflow.
    let apart = (recordSeconds(at: start) - seconds).magnitude
    return captured > 0 && captured <= original && original <= frameBytesMaximum && apart <= 86_400
      && hasFraction(at: start) && start + recordHeaderBytes + Int(captured) <= end
  }

  private func mayBeCutPcapng() -> Bool {
    guard end - cursor >= 12 else { return true }
    if !isHonestBlock() { return false }
    // Blocks begin at multiples of four from each other.
    var start = cursor + 4
    while start + 12 <= end {
      let (kind, claimed) = (word(start), Int(word(start + 4)))
      let total = (claimed + 3) & ~3
      if CaptureReader.isKept(kind) || PcapngBlock.isNumbered(kind), claimed >= 12, start + total <= end,
        Int(word(start + total - 4)) == claimed
      {
        return false
      }
      start += 4
    }
    return true
  }

  /// Whether the packet block at the cursor agrees with its length and with the file, as far as its fields are there.
  private func isHonestBlock() -> Bool {
    let type = word(cursor)
    let total = (Int(word(cursor + 4)) + 3) & ~3
    switch type {
    case PcapngBlock.enhancedPacket, PcapngBlock.packet:
      guard end - cursor >= 28 else { return true }
      let interface = type == PcapngBlock.enhancedPacket ? Int(word(cursor + 8)) : Int(half(cursor + 8))
      let (captured, original) = (Int(word(cursor + 20)), Int(word(cursor + 24)))
      return captured <= total - 32 && (original == 0 || captured <= original)
        && sectionInterfaces + interface < interfaces.count
    case PcapngBlock.simplePacket:
      return sectionInterfaces < interfaces.count && simpleCount(of: Int(word(cursor + 8))) <= total - 16
    default: return true
    }
  }
}
