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
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // Who is there has to be known before anybody is judged.
    var hosts: [String] = []
    var known: Set<Substring> = []
    for line in lines {
      let station = line.drop { $0 != " " }.dropFirst().prefix { $0 != " " }
      if !station.isEmpty, known.insert(station).inserted { hosts.append(String(station)) }
    }
    var judge = TraceHearing.judge(hosts: hosts, wanted: wanted)
    var hearing = TraceHearing(hosts: hosts)
    for (number, line) in zip(1..., lines) where !line.isEmpty {
      do { hearing.hear(try TraceText.read(line), number: number, judge: &judge) } catch {
        throw Failure(description: "\(path):\(number):\(error.column): expected \(error.expected)")
      }
    }
    hearing.close(&judge)
    return Heard(judgement: Judgement(judge, wanted: wanted), isTrace: true, damage: nil)
  }
}
