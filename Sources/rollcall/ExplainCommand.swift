import ArgumentParser
import RollcallDevices
import RollcallDiscovery
import Foundation
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallSessions

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Print a scenario with every default and every name worked out.",
    discussion: """
      rollcall explain Scenarios/ssdp/living-room.yaml
      rollcall explain --switches
      """)

  @Argument(help: "A scenario file.", completion: .file(extensions: ["yaml"]))
  var scenario: String?

  @Flag(help: "Print the JSON Schema of scenarios instead.")
  var schema = false

  @Flag(help: "Print a page on the language of scenarios (Markdown) instead: docs/scenarios.md.")
  var reference = false

  @Flag(help: "List the quirks that devices can have, instead.")
  var quirks = false

  @Flag(help: "List the faults that can be planted into the engine, instead.")
  var switches = false

  func run() throws {
    let output = try Output(path: nil)
    defer { output.flush() }
    if schema {
      output.document(Scenario.schema)
      return
    }
    if reference { return output.document(Scenario.reference) }
    if quirks || switches {
      if quirks {
        for entry in Quirk.catalogue {
          let name = entry.argument == .none ? entry.name : "\(entry.name)(\(entry.argument.rawValue))"
          show(name, 30, "\(entry.explanation) [\(entry.references.joined(separator: " "))]", output)
        }
      }
      if switches {
        for one in EngineSwitch.allCases {
          show("engine.\(one.rawValue)", 34, one.explanation, output)
        }
        for one in PeerFault.allCases { show("peers.\(one.rawValue)", 34, one.explanation, output) }
      }
      return
    }
    guard let scenario else {
      throw Complaint("name a scenario file, or ask for --schema, --reference, --quirks or --switches")
    }
    let files = try Inputs.scenarios([scenario])
    try OutputClash.check(inputs: files.map(\.path), outputs: [])
    for file in files {
      do {
        for point in try file.scenario.points(file: file.path) {
          let values = point.values.map { "\($0.path)=\($0.text)" }.joined(separator: " ")
          if !values.isEmpty { output.line("# \(values)") }
          output.document(try point.scenario.resolved().explanation)
        }
      } catch { throw Complaint(error.description) }
    }
  }

  /// A name and what it means, in two columns: two blanks part them, so that what goes on stands in the second.
  private func show(_ name: String, _ width: Int, _ text: String, _ output: Output) {
    let label = name.padding(toLength: max(width, name.count), withPad: " ", startingAt: 0)
    for line in Terminal.fitted("\(label)  \(text)") { output.line(line) }
  }
}
