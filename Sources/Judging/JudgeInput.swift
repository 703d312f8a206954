package import RollcallCapture
package import RollcallConformance
import Foundation
import RollcallPrimitives
import RollcallRunning
package import RollcallReplaying
import RollcallReporting
package import RollcallTrace

/// Judges a file, whatever it is: a capture, or the trace of a run.
package enum JudgeInput {
  package struct Heard: Sendable {
    package var judgement: Judgement
    package var isTrace: Bool
    /// What is wrong with a capture; a trace is read whole or not at all.
    package var problems = CaptureProblems()
  }

  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// - Parameter open: opens a capture from its start.
  package static func judge(
    _ path: String, filter: CaptureFilter? = nil, wanted: (Clause) -> Bool = { _ in true },
    open: (String) throws -> CaptureReader = { try CaptureReader(path: $0) }
  ) throws -> Heard {
    var reader: CaptureReader
    do {
      if InputFiles.isRepeatable(path) {
        if let text = trace(at: path) { return try judge(trace: text, path: path, wanted: wanted) }
        reader = try open(path)
      } else {
        // What a pipe holds shows only when it has been read.
        let bytes = try InputFiles.bytes(at: path)
        if OtherInput.isTrace(bytes.prefix(256)) {
          return try judge(trace: String(decoding: bytes, as: UTF8.self), path: path, wanted: wanted)
        }
        reader = try InputFiles.reader(of: bytes)
      }
    } catch let failure as Failure { throw failure } catch {
      throw Failure(description: "\(path): \(error)" + OtherInput.advice(on: path, after: error))
    }
    return try judge(&reader, path: path, filter: filter, wanted: wanted)
  }

  /// Judges a capture that is open.
  package static func judge(
    _ reader: inout CaptureReader, path: String, filter: CaptureFilter? = nil,
    wanted: (Clause) -> Bool = { _ in true }
  ) throws(Failure) -> Heard {
    var judge = ClauseJudge(.capture, wanted: wanted)
    var hearing = CaptureHearing()
    hearing.run(&reader, filter: filter, judge: &judge)
    if let failure = hearing.failure { throw Failure(description: "\(path): \(failure)") }
    return Heard(judgement: Judgement(judge, wanted: wanted), isTrace: false, problems: hearing.problems)
  }

  /// The text of a trace; `nil` where the file is something else.
  private static func trace(at path: String) -> String? {
    guard OtherInput.isTrace(at: path), let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// A trace that was read from a file.
  package struct ReadTrace: Sendable {
    /// In the order in which they were first named: the stations of the entries.
    package var hosts: [String] = []
    package var entries: [TraceEntry] = []
    /// The line of each.
    package var numbers: [Int] = []
  }

  /// The trace at a path that can be read again; `nil` where the file is something else.
  package static func readTrace(at path: String) throws(Failure) -> ReadTrace? {
    guard let text = trace(at: path) else { return nil }
    return try read(trace: text, path: path)
  }

  private static func read(trace text: String, path: String) throws(Failure) -> ReadTrace {
    var trace = ReadTrace()
    var numbers: [Substring: UInt32] = [:]
    for (place, line) in PlainText.lines(of: text).enumerated() where !line.isEmpty {
      do throws(WordError) {
        let entry = try TraceText.read(line) { name in
          if let number = numbers[name] { return number }
          numbers[name] = UInt32(trace.hosts.count)
          trace.hosts.append(String(name))
          return UInt32(trace.hosts.count - 1)
        }
        trace.entries.append(entry)
        trace.numbers.append(place + 1)
      } catch {
        throw Failure(description: "\(path):\(place + 1):\(error.column): expected \(error.expected)")
      }
    }
    return trace
  }

  private static func judge(trace text: String, path: String, wanted: (Clause) -> Bool) throws -> Heard {
    let trace = try read(trace: text, path: path)
    return Heard(
      judgement: TraceHearing.judgement(trace.entries, numbers: trace.numbers, hosts: trace.hosts, wanted: wanted),
      isTrace: true)
  }
}
