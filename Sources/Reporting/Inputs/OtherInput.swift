import Foundation
import RollcallCapture

/// What a file is that is no capture, and which verb takes it.
package enum OtherInput {
  /// What to do with a file that was taken for a capture, as the end of a complaint; empty where nothing is known.
  package static func advice(on path: String, after failure: any Error) -> String {
    guard let failure = failure as? CaptureError, case .notCapture = failure else { return "" }
    let name = path.lowercased()
    if InputFiles.scenarios.contains(where: { name.hasSuffix($0) }) {
      let run = "'rollcall run \(path) --trace run.trace'"
      return "; a scenario has to be run first: \(run) writes a trace, and 'rollcall judge run.trace' judges it"
    }
    if isTrace(at: path) { return "; it is a trace of 'rollcall run --trace', and 'rollcall judge \(path)' reads it" }
    return ""
  }

  package static func isTrace(at path: String) -> Bool {
    guard InputFiles.isRepeatable(path), let file = FileHandle(forReadingAtPath: path),
      let head = try? file.read(upToCount: 256)
    else { return false }
    return isTrace([UInt8](head)[...])
  }

  /// Whether a file that begins so is a trace: its first line, which ends in LF or CR LF, is plain text and begins with
  /// a time.
  package static func isTrace(_ head: ArraySlice<UInt8>) -> Bool {
    var line = head.prefix { $0 != 10 }
    if line.last == 13 { line.removeLast() }
    return line.allSatisfy { (32...126).contains($0) } && line.first.map { (48...57).contains($0) } == true
  }
}
