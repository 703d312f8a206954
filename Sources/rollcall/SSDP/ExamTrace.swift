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

  /// Says what a record that was just written holds, once it was seen to replay in the machine as it was.
  static func check<Subject: Machine>(_ check: RecordCheck<Subject>) throws {
    let digest = try check.finish()
    tell("recorded", check.entryCount, digest)
  }

  /// An examination of a record: the machine as it was at the end.
  static func repeated<Subject: Machine>(_ entries: [TraceEntry], in subject: Subject, from path: String) throws
    -> Subject
  {
    let replay = MachineReplay.run(entries, station: 0, in: subject)
    if let difference = replay.difference {
      throw RecordCheck<Subject>.complaint("\(path): the trace does not replay", difference, "recorded")
    }
    tell("replayed", entries.count, replay.digest)
    return replay.machine
  }

  private static func tell(_ what: String, _ count: Int, _ digest: Digest) {
    Output.complain("\(what): \(count) entries, digest \(digest)")
  }
}
