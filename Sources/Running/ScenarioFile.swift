import RollcallReporting
package import RollcallScenarios

/// One scenario file, read and checked.
package struct ScenarioFile: Sendable {
  /// As given, or below the folder that was given.
  package var path: String
  package var scenario: Scenario
  /// Whether it was named itself, and not found in a folder.
  package var isNamed = true

  package init(path: String, scenario: Scenario) { (self.path, self.scenario) = (path, scenario) }

  /// Reads one file.
  /// - Throws: `ScenarioErrors`, each with file, line and column; or a `CaptureError` with the system's words where it cannot be read.
  package static func read(_ path: String) throws -> ScenarioFile {
    let text = try InputFiles.text(at: path)
    let name = path == InputFiles.standardInput ? "standard input" : path
    return ScenarioFile(path: path, scenario: try Scenario(yaml: text, file: name))
  }

  /// The scenario files that a path stands for: itself, or every scenario below it, in order of their names.
  package static func paths(at path: String) -> [String]? { InputFiles.paths(at: path, endings: InputFiles.scenarios) }
}
