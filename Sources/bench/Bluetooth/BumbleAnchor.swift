import Foundation

/// The LocalLink of bumble 0.0.236, a Bluetooth stack in Python, driven by `Tools/anchors/bumble.sh`.
enum BumbleAnchor {
  static let name = "bumble 0.0.236 LocalLink"

  struct Absence: Error { var text: String }

  /// What an advertising event costs among so many advertisers, in nanoseconds of CPU.
  static func nanoseconds(_ cases: [(count: Int, events: Int)]) -> Result<[Double], Absence> {
    let script = "Tools/anchors/bumble.sh"
    guard FileManager.default.isExecutableFile(atPath: script) else {
      return .failure(Absence(text: "\(script) is not there"))
    }
    let words = [script] + cases.flatMap { [String($0.count), String($0.events)] }
    let (code, output) = AnchorProgram.run("/usr/bin/env", words)
    if code == 3 { return .failure(Absence(text: "PyPI or python3 is not there")) }
    let values = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard code == 0, values.count == cases.count else { return .failure(Absence(text: "\(script) ended with \(code)")) }
    return .success(values)
  }
}

/// Another program that a benchmark needs.
enum AnchorProgram {
  /// Its exit code and what it printed; 127: it is not there.
  static func run(_ path: String, _ arguments: [String]) -> (code: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = pipe
    do { try process.run() } catch { return (127, "") }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
