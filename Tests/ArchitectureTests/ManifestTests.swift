import Foundation
import RollcallExpectations
import Testing

@Suite("The manifest") struct ManifestTests {
  @Test("an arrow that goes up ends the manifest with one line and a failure")
  func wrongArrow() throws {
    let right = #"Room(storey: 1, name: "Wire", uses: ["Primitives"])"#
    let wrong = #"Room(storey: 1, name: "Wire", uses: ["Primitives", "Simulation"])"#
    try #require(House.manifest.contains(right))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-manifest-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for room in House.rooms {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("Sources/\(room.name)"), withIntermediateDirectories: true)
    }
    try House.manifest.replacingOccurrences(of: right, with: wrong)
      .write(to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)

    let (exitCode, output) = try ManifestTests.run(
      ["swift", "package", "dump-package"], in: folder, secondsMaximum: 60)
    #expect(exitCode != 0)
    let lines = output.split(separator: "\n").filter { $0.contains("Package.swift: ") }.map(String.init)
    expectEqual(lines.count, 1, "\(output)")
    expectEqual(
      lines.first?.hasSuffix("Package.swift: Wire (storey 1) uses Simulation (storey 2): the stairs go down only"),
      true,
      "\(output)")
  }

  /// Runs a command, both outputs in one text; a command that takes too long is ended, and its exit code is not 0.
  static func run(
    _ command: [String], in folder: URL, secondsMaximum: Int, environment more: [String: String] = [:]
  ) throws -> (exitCode: Int32, output: String) {
    let log = folder.appendingPathComponent("output.txt")
    try Data().write(to: log)
    let handle = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    process.standardOutput = handle
    process.standardError = handle
    var environment = ProcessInfo.processInfo.environment
    environment["ROLLCALL_ONLY"] = nil
    environment.merge(more) { $1 }
    process.environment = environment
    try process.run()
    let guardian = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(secondsMaximum), execute: guardian)
    process.waitUntilExit()
    guardian.cancel()
    try handle.close()
    return (process.terminationStatus, String(decoding: try Data(contentsOf: log), as: UTF8.self))
  }
}
