import RollcallJudging
import RollcallPrimitives
import RollcallReporting
import RollcallTrace

/// What the examiners share: their traces, written, checked and read back, and how a line is shown.
enum ExamTrace {
  /// With the mark at its beginning in colour.
  static func painted(_ line: String) -> PaintedText {
    let rest = PaintedText(String(line.dropFirst()))
    return switch line.first {
    case "✓": Output.paint("✓", .green) + rest
    case "✘": Output.paint("✘", .red) + rest
    case "?": Output.paint("?", .yellow) + rest
    default: PaintedText(line)
    }
  }

  /// Reads a record, with the place of what is wrong in it.
  static func read<Record>(
    _ path: String, _ parse: (String) throws(ExamRecord.Failure) -> Record
  ) throws -> Record {
    let text: String
    do { text = try InputFiles.text(at: path) } catch { throw Complaint("\(path): \(error)") }
    do { return try parse(text) } catch {
      throw Complaint("\(path):\(error.line):\(error.column): expected \(error.expected)")
    }
  }

  /// Refuses options that have no meaning beside --replay.
  static func refuse(_ options: [(name: String, value: String?)], _ flags: [(name: String, isGiven: Bool)]) throws {
    for option in options where option.value != nil {
      throw Complaint("\(option.name): a record has its own; leave it out beside --replay")
    }
    for flag in flags where flag.isGiven {
      throw Complaint("\(flag.name): what a record asks is fixed; leave it out beside --replay")
    }
  }

  /// Entries that are kept for what is judged at the end.
  static let entriesMaximum = 1_000_000

  /// Sees at once whether a record that was written replays in the machine as it was.
  static func check<Subject: Machine>(_ recorder: Recorder, of subject: Subject, named path: String) throws {
    if recorder.droppedCount > 0 {
      return Output.complain(
        "the first \(recorder.entries.count) entries were judged, \(recorder.droppedCount) came later: \(path) has them, "
          + "and does not replay")
    }
    let replay = MachineReplay.run(recorder.entries, station: 0, in: subject)
    try check(replay.difference, path)
    tell("recorded", recorder.entries.count, replay.digest)
  }

  /// An examination of a record: the machine as it was at the end.
  static func repeated<Subject: Machine>(_ entries: [TraceEntry], in subject: Subject, from path: String) throws
    -> Subject
  {
    let replay = MachineReplay.run(entries, station: 0, in: subject)
    try check(replay.difference, path)
    tell("replayed", entries.count, replay.digest)
    return replay.machine
  }

  private static func tell(_ what: String, _ count: Int, _ digest: Digest) {
    Output.complain("\(what): \(count) entries, digest \(digest)")
  }

  /// A record that does not replay is worth nothing.
  private static func check(_ difference: TraceDifference?, _ path: String) throws {
    guard let difference else { return }
    func text(_ entry: TraceEntry?) -> String { entry.map { TraceText.line($0) { _ in "here" } } ?? "(the end)" }
    throw Complaint(
      "\(path): the trace does not replay: entry \(difference.index + 1)\n  recorded  "
        + "\(text(difference.left).prefix(300))\n  replayed  \(text(difference.right).prefix(300))",
      code: Exit.broken)
  }
}
