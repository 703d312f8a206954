import Foundation

/// Where the repository and the captures lie.
enum Places {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folder with real captures and their oracles; `nil` where there is none.
  static let captures: URL? = {
    let named = ProcessInfo.processInfo.environment["ROLLCALL_CAPTURES"].map { URL(fileURLWithPath: $0) }
    let folder = named ?? root.deletingLastPathComponent().appendingPathComponent("shared/captures")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static var isCI: Bool { ProcessInfo.processInfo.environment["CI"] != nil }

  /// A folder of the test's own, removed at the end.
  static func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
