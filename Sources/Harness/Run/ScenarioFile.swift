import Foundation
package import Scenarios

/// One scenario file, read and checked.
package struct ScenarioFile: Sendable {
  /// As given, or below the folder that was given.
  package var path: String
  package var scenario: Scenario
  /// Whether it was named itself, and not found in a folder.
  package var isNamed = true

  package init(path: String, scenario: Scenario) { (self.path, self.scenario) = (path, scenario) }

  /// Reads one file.
  /// - Throws: `ScenarioErrors`, each with file, line and column; or the system's words where it cannot be read.
  package static func read(_ path: String) throws -> ScenarioFile {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return ScenarioFile(path: path, scenario: try Scenario(yaml: String(decoding: data, as: UTF8.self), file: path))
  }

  /// The scenario files that a path stands for: itself, or every `.yaml` below it, in order of their names.
  package static func paths(at path: String) -> [String]? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    guard isFolder.boolValue else { return [path] }
    let base = path.hasSuffix("/") ? String(path.dropLast()) : path
    let below = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return below.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { base + "/" + $0 }
  }
}
