import Foundation
import RollcallCaptureSupport

/// Python's ElementTree, which is expat below: an oracle that is asked while a test runs (`Tools/oracles/xml.py`).
enum ElementTreeOracle {
  enum Answer: Equatable {
    /// As `XMLOutline` has them.
    case events([String])
    /// The number of expat's error.
    case refused(Int)
  }

  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Asks about all at once; `nil` where there is no python3, which is said.
  static func ask(_ documents: [[UInt8]], for what: String) throws -> [Answer]? {
    guard let python else {
      print("skipped: \(what): python3 is not installed")
      return nil
    }
    let questions = documents.map { OtherStacks.hex($0) + "\n" }
    return try PythonOracle.ask("xml.py", by: python, flags: ["-I", "-B"], questions).map { line in
      if let code = Int(String(decoding: line, as: UTF8.self)) { return .refused(code) }
      return .events(try JSONDecoder().decode([String].self, from: line))
    }
  }
}
