import Foundation

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
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString).txt")
    let lines = documents.map { document in
      document.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
    }
    try Data(lines.joined().utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-I", "-B", root.appendingPathComponent("Tools/oracles/xml.py").path]
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try data.split(separator: 10).map { line in
      if let code = Int(String(decoding: line, as: UTF8.self)) { return .refused(code) }
      return .events(try JSONDecoder().decode([String].self, from: line))
    }
  }
}
