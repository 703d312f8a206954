import ArgumentParser
import RollcallCapture
import Foundation
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallScenarios

struct ReproduceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reproduce", abstract: "Make a scenario of a capture that gives the engine's same reports.",
    discussion: """
      Addresses, UUIDs, serial numbers and names are replaced by others of the same form. Of Bluetooth the \
      advertisements are carried over, each heard at its time, channel and strength, and no connection. A scenario that does not say \
      what the capture says is not written: exit code 1. With --check every capture below the given folders is \
      reproduced, run and compared, and nothing is written. - is standard input.

      rollcall reproduce capture.pcapng -o Scenarios/field/bug-4711.yaml
      rollcall reproduce Captures --check
      """)

  @Argument(help: "A capture; with --check, captures and folders.", completion: .file())
  var paths: [String]

  @Option(name: .shortAndLong, help: "The scenario to write.", completion: .file(extensions: ["yaml"]))
  var output: String?

  @Option(name: .customLong("as"), help: "Whose ears the engine has: all, an address or a host name.")
  var perspective = "all"

  @Flag(help: "Leave addresses, UUIDs and names as they are.")
  var keepIdentities = false

  @Flag(help: "Write the scenario even if it does not say what the capture says.")
  var evenIfDifferent = false

  @Flag(
    help:
      "Reproduce, run and compare every capture with more than ten messages or packets; print the share that matches.")
  var check = false

  func run() throws {
    if check { return try checkAll() }
    guard paths.count == 1, let path = paths.first else { throw Complaint("reproduce takes one capture") }
    try OutputClash.check(inputs: [path], outputs: [("--output", output)])
    let progress = Progress("reproducing")
    let outcome = try reproduce(path, findsBite: true, progress)
    progress.end()
    for line in outcome.tape.problems.complaints(path: path, "reproduced") { Output.complain(line) }
    for line in ReproduceText.summary(outcome) { Output.complain(line) }
    if !outcome.isFaithful, !evenIfDifferent {
      throw Complaint(
        (output ?? "the scenario") + ": not written, since it does not say what \(path) says; --even-if-different "
          + "writes it all the same", code: Exit.expectationFailed)
    }
    let file = try Output(path: output)
    file.document(outcome.yaml)
    try file.finish()
    if let output { Output.complain("\(output): read it before you commit it; rollcall run \(output) runs it") }
    if !outcome.isFaithful { throw Exit.expectationFailed }
  }

  private func reproduce(_ path: String, findsBite: Bool, _ progress: Progress) throws -> Reproduce.Outcome {
    let name = output ?? (path == InputFiles.standardInput ? "standard-input" : path)
    let title = URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent
    let options = Reproduce.Options(
      perspective: perspective == "all" ? .everybody : .host(perspective), keepsIdentities: keepIdentities,
      title: PlainText.shown(title), source: PlainText.shown(ReproduceCommand.source(path)), findsBite: findsBite)
    do {
      let open = try InputFiles.opener(of: path)
      return try Reproduce.reproduce(options) {
        InputFiles.isRepeatable(path) ? try progress.open(path) : try open()
      }
    } catch {
      throw Complaint("\(path): \(error)")
    }
  }

  /// What a capture is called: its file, or its folder where the file is named as all of them are.
  private static func source(_ path: String) -> String {
    // Foundation's paths trap on a name of one letter.
    let parts = path.split(separator: "/").map(String.init)
    guard let file = parts.last else { return path }
    return InputFiles.ownNames.contains(file) && parts.count > 1 ? parts[parts.count - 2] : file
  }

  private func checkAll() throws {
    var captures: [String] = []
    for path in paths {
      guard let found = InputFiles.paths(at: path, endings: InputFiles.captures) else {
        throw Complaint("\(path): there is no such file or folder")
      }
      captures += found
    }
    if captures.isEmpty { throw Complaint("no capture below \(paths.joined(separator: " "))") }
    let table = try Output(path: nil)
    let progress = Progress("reproducing", inputs: captures.count)
    defer { progress.end() }
    var (equal, total, unreadable) = (0, 0, 0)
    for path in captures {
      let outcome: Reproduce.Outcome
      progress.begin(path)
      do { outcome = try reproduce(path, findsBite: false, progress) } catch let complaint as Complaint {
        if complaint.message.contains("there is no discovery message") { continue }
        // One that cannot be read keeps nobody from checking the others.
        Output.complain(complaint.message)
        unreadable += 1
        continue
      }
      guard outcome.tape.messages.count + outcome.tape.packets.list.count > 10 else { continue }
      total += 1
      if outcome.isFaithful { equal += 1 }
      table.line(ReproduceText.row(path, outcome))
      table.flush()
    }
    table.line(
      "\(equal) of \(total) match report for report" + (unreadable > 0 ? ", \(unreadable) could not be reproduced" : "")
    )
    if unreadable > 0 { throw Exit.usage }
    if total == 0 {
      Output.complain("nothing was compared: no capture has more than ten messages or packets")
      throw Exit.expectationFailed
    }
    if equal * 10 < total * 9 { throw Exit.expectationFailed }
  }
}
