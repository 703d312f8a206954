package import RollcallCapture
package import RollcallConformance
import Foundation
import RollcallPrimitives
import RollcallRunning
package import RollcallReplaying
import RollcallReporting
import RollcallTrace

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

  private static func judge(trace text: String, path: String, wanted: (Clause) -> Bool) throws -> Heard {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var hosts: [String] = []
    var numbers: [Substring: UInt32] = [:]
    var entries: [TraceEntry] = []
    var places: [Int] = []
    for (place, line) in lines.enumerated() where !line.isEmpty {
      do {
        entries.append(
          try TraceText.read(line) { name in
            if let number = numbers[name] { return number }
            numbers[name] = UInt32(hosts.count)
            hosts.append(String(name))
            return UInt32(hosts.count - 1)
          })
        places.append(place + 1)
      } catch {
        throw Failure(description: "\(path):\(place + 1):\(error.column): expected \(error.expected)")
      }
    }
    var judge = TraceHearing.judge(hosts: hosts, wanted: wanted)
    var hearing = TraceHearing()
    hearing.run(entries, numbers: places, judge: &judge)
    return Heard(judgement: Judgement(judge, wanted: wanted), isTrace: true)
  }
}
