package import Foundation

/// A program of `Tools/oracles` that answers questions: one in a line, and for each a line.
package enum PythonOracle {
  /// The folder of the package.
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The Python that has the packages of `Tools/requirements.txt` as they are declared now (`Tools/python-packages.sh`);
  /// `nil`: they are not installed.
  package static let packages: String? = {
    let place = root.appendingPathComponent(".build/python")
    let declared = try? Data(contentsOf: root.appendingPathComponent("Tools/requirements.txt"))
    let installed = try? Data(contentsOf: place.appendingPathComponent("installed"))
    let path = place.appendingPathComponent("bin/python").path
    return declared != nil && declared == installed && FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  /// It ended without an answer; what it said is on standard error.
  package struct Silence: Error {
    package var status: Int32
  }

  /// Asks all questions of one process.
  /// - Parameters:
  ///   - script: its name in `Tools/oracles`.
  ///   - python: the path of the interpreter.
  ///   - questions: each ends with LF.
  /// - Returns: the lines of the answer, without LF.
  package static func ask(
    _ script: String, by python: String, flags: [String] = ["-B"], _ questions: [String]
  ) throws -> [Data] {
    // A file, for a pipe that nobody reads holds only so much.
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString).txt")
    try Data(questions.joined().utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = flags + [root.appendingPathComponent("Tools/oracles/\(script)").path]
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Silence(status: process.terminationStatus) }
    return data.split(separator: 10).map { Data($0) }
  }
}
