package import Capture
package import Conformance
import Foundation
import Primitives
import Trace

/// Judges a file, whatever it is: a capture, or the trace of a run.
package enum JudgeInput {
  package struct Heard: Sendable {
    package var judgement: Judgement
    package var isTrace: Bool
    /// Set where the file ends in damage.
    package var damage: String?
  }

  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  package static func judge(
    _ path: String, filter: CaptureFilter? = nil, wanted: (Clause) -> Bool = { _ in true }
  ) throws -> Heard {
    if let text = trace(at: path) { return try judge(trace: text, path: path, wanted: wanted) }
    var reader: CaptureReader
    do { reader = try CaptureReader(path: path) } catch { throw Failure(description: "\(path): \(error)") }
    var judge = ClauseJudge(.capture, wanted: wanted)
    var hearing = CaptureHearing()
    hearing.run(&reader, filter: filter, judge: &judge)
    if let failure = hearing.failure { throw Failure(description: "\(path): \(failure)") }
    return Heard(judgement: Judgement(judge, wanted: wanted), isTrace: false, damage: hearing.damage)
  }

  /// The text of a trace; `nil` where the file is something else.
  private static func trace(at path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 256) else { return nil }
    let line = head.prefix { $0 != 10 }
    guard line.count < head.count || head.count < 256 || !line.isEmpty, !line.isEmpty,
      line.allSatisfy({ (32...126).contains($0) }),
      line.first.map({ (48...57).contains($0) }) == true,
      let data = FileManager.default.contents(atPath: path)
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  private static func judge(trace text: String, path: String, wanted: (Clause) -> Bool) throws -> Heard {
    var lines: [TraceTextLine] = []
    var hosts: [String] = []
    var known: Set<String> = []
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      if line.isEmpty { continue }
      do {
        let read = try TraceText.read(line)
        if known.insert(read.station).inserted { hosts.append(read.station) }
        lines.append(read)
      } catch {
        throw Failure(description: "\(path):\(number):\(error.column): expected \(error.expected)")
      }
    }
    var judge = TraceHearing.judge(hosts: hosts, wanted: wanted)
    var hearing = TraceHearing(hosts: hosts)
    for (place, line) in lines.enumerated() { hearing.hear(line, number: place + 1, judge: &judge) }
    hearing.close(&judge)
    return Heard(judgement: Judgement(judge, wanted: wanted), isTrace: true, damage: nil)
  }
}
