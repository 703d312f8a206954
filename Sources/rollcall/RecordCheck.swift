import RollcallPrimitives
import RollcallReporting
import RollcallTrace

/// A second machine that is given the same as the first, and has to want the same: a record that does not replay is worth
/// nothing, so that is seen at once. Entries are not kept.
final class RecordCheck<Subject: Machine> {
  private var replay: MachineReplay<Subject>
  private(set) var entryCount = 0

  /// - Parameter subject: as it is before the first entry.
  init(of subject: Subject, station: UInt32 = 0) {
    replay = MachineReplay(of: subject, station: station, keepsEntries: false)
  }

  func take(_ entry: TraceEntry) {
    entryCount += 1
    replay.take(entry)
  }

  /// - Parameter end: up to which the machine is moved; `nil`: the time of the last entry.
  /// - Returns: the digest of the replay.
  /// - Throws: a complaint with the first entry that differs.
  @discardableResult
  func finish(at end: Instant? = nil) throws(Complaint) -> Digest {
    let outcome = replay.finish(until: end)
    if let difference = outcome.difference {
      throw RecordCheck.complaint("the trace does not replay", difference, "live")
    }
    return outcome.digest
  }

  /// - Parameter first: what the first of the two traces is.
  static func complaint(_ what: String, _ difference: TraceDifference, _ first: String) -> Complaint {
    func text(_ entry: TraceEntry?) -> String {
      String((entry.map { TraceText.line($0) { _ in "here" } } ?? "(the end)").prefix(300))
    }
    let width = max(first.count, "replay".count)
    return Complaint(
      "\(what): entry \(difference.index + 1)\n  \(first.padded(to: width, gap: 2))\(text(difference.left))\n"
        + "  \("replay".padded(to: width, gap: 2))\(text(difference.right))",
      code: Exit.broken)
  }
}
