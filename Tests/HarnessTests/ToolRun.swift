import Foundation
import Testing

/// The tool as a user runs it, in a process of its own.
struct ToolRun {
  var code: Int32
  var output: String
  var complaints: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("rollcall").path
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

  init(_ arguments: String..., in folder: URL) throws { try self.init(arguments, in: folder) }

  /// - Parameter folder: where it runs, and where its output is kept meanwhile.
  init(_ arguments: [String], in folder: URL) throws {
    let (out, errors) = (
      folder.appendingPathComponent(".out-\(UUID().uuidString)"),
      folder.appendingPathComponent(".err-\(UUID().uuidString)")
    )
    try Data().write(to: out)
    try Data().write(to: errors)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ToolRun.path)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    // One that hangs is ended, and its exit code is another.
    let guardian = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(120), execute: guardian)
    process.waitUntilExit()
    guardian.cancel()
    code = process.terminationStatus
    output = try String(contentsOf: out, encoding: .utf8)
    complaints = try String(contentsOf: errors, encoding: .utf8)
    try FileManager.default.removeItem(at: out)
    try FileManager.default.removeItem(at: errors)
  }

  /// The lines as JSON objects of one kind.
  func objects(_ kind: String) throws -> [[String: Any]] {
    try lines.compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["kind"] as? String == kind }
  }
}
