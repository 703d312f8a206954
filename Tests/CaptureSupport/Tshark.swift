package import Foundation

/// What tshark says of a capture: the oracle that is asked while a test runs.
package enum Tshark {
  package struct Answer {
    package var lines: [String]
    /// 2 where it says that a capture is cut.
    package var status: Int32
  }

  private static let path = ["/usr/bin/tshark", "/usr/local/bin/tshark", "/opt/homebrew/bin/tshark"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Asks with settings of nobody; `nil` where there is no tshark, which is said.
  /// - Parameter what: what is compared with it.
  package static func ask(_ file: URL, _ arguments: [String], for what: String) throws -> Answer? {
    guard let path else {
      print("skipped: \(what): tshark is not installed")
      return nil
    }
    let home = FileManager.default.temporaryDirectory.path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-r", file.path] + arguments
    process.environment = ["HOME": home, "XDG_CONFIG_HOME": home, "PATH": "/usr/bin:/bin"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    return Answer(lines: lines, status: process.terminationStatus)
  }

  /// The same of the bytes of a capture.
  package static func ask(_ capture: some Sequence<UInt8>, _ arguments: [String], for what: String) throws -> Answer? {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString).pcap")
    try Data(capture).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try ask(file, arguments, for: what)
  }
}
