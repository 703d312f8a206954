import ArgumentParser
import Devices
import Discovery
import Foundation
import Harness
import Scenarios

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
          output.line(
            "\(name.padding(toLength: 30, withPad: " ", startingAt: 0)) \(entry.explanation) [\(entry.references.joined(separator: " "))]"
          )
        }
      }
      if switches {
        for one in EngineSwitch.allCases {
          let name = "engine.\(one.rawValue)"
          output.line("\(name.padding(toLength: 34, withPad: " ", startingAt: 0)) \(one.explanation)")
        }
      }
      return
    }
    guard let scenario else {
      throw Complaint("name a scenario file, or ask for --schema, --reference, --quirks or --switches")
    }
    let files = try Inputs.scenarios([scenario])
    try OutputClash.check(inputs: files.map(\.path), outputs: [])
    for file in files {
      do { output.document(try file.scenario.resolved().explanation) } catch { throw Complaint(error.description) }
    }
  }
}
