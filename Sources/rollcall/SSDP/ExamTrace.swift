import RollcallJudging
import RollcallPrimitives
import RollcallReporting
import RollcallTrace

/// The traces of both examiners: written, checked, and read back.
enum ExamTrace {
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

  /// Writes a record: what was asked for, then every entry.
  static func write(_ first: String, _ entries: [TraceEntry], to output: Output) throws {
    output.line(first)
    for entry in entries { output.line(TraceText.line(entry) { _ in "here" }) }
    try output.finish()
  }

  /// A record that does not replay is worth nothing.
  static func check(_ difference: TraceDifference?, _ path: String) throws {
    guard let difference else { return }
    func text(_ entry: TraceEntry?) -> String { entry.map { TraceText.line($0) { _ in "here" } } ?? "(the end)" }
    throw Complaint(
      "\(path): the trace does not replay: entry \(difference.index + 1)\n  recorded  "
        + "\(text(difference.left).prefix(300))\n  replayed  \(text(difference.right).prefix(300))",
      code: Exit.broken)
  }
}
