import Foundation
import RollcallExpectations
import Testing

@testable import RollcallRunning
@testable import RollcallScenarios

/// Radios for hosts outside, in a run that has no host.
@Suite struct UnlentRadioTests {
  private func file(_ inhabitants: String) throws -> ScenarioFile {
    let yaml = """
      scenario: radios
      why: Nobody has them in a run.
      duration: 5s
      inhabitants:
      \(inhabitants)
      expect:
        - {never: {lost: lamp}}
      """
    return try Places.withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("radios.yaml")
      try Data(yaml.utf8).write(to: path)
      var file = try ScenarioFile.read(path.path)
      file.path = "radios.yaml"
      return file
    }
  }

  private let lamp = "  lamp: {kind: peripheral, name: Lamp, address: \"c0:ff:ee:00:00:01/random\"}"
  private let hosts = "\n  one: {kind: hci-host}\n  two: {kind: hci-host}"

  @Test func `a run says in one line at which radios nobody is, and which verb lends them`() throws {
    try expectEqual(
      file(lamp + hosts).unlentRadios,
      "radios.yaml: nobody is at one, two: a run lends nobody the radio of an hci-host; "
        + "rollcall serve-hci radios.yaml does")
    try expectEqual(file(lamp).unlentRadios, nil)
  }

  @Test(.withTool) func `the line is on standard error, and the verdict is what it was`() throws {
    let thermometer = Places.root.appendingPathComponent("Tools/live/hci-thermometer.yaml").path
    try Places.withTemporaryFolder { folder in
      for format in ["text", "json"] {
        let run = try ToolRun("run", thermometer, "--format", format, in: folder)
        expectEqual(
          run.errors.split(separator: "\n").filter { $0.contains("nobody is at") }.count, 1, "\(run.errors)")
        #expect(!run.text.contains("nobody is at"))
        // Nothing of it is met: nobody advertises.
        expectEqual(run.exitCode, 1)
      }
    }
  }
}
