import ArgumentParser
import Capture
import Foundation
import Harness
import Primitives
import Scenarios

struct ReproduceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reproduce", abstract: "Make a scenario of a capture that gives the engine's same reports.",
    discussion: """
      Addresses, UUIDs, serial numbers and names are replaced by others of the same form. With --check every capture \
      below the given folders is reproduced, run and compared, and nothing is written.
      """)

  @Argument(help: "A capture; with --check, captures and folders.", completion: .file())
  var paths: [String]

  @Option(name: .shortAndLong, help: "The scenario to write.", completion: .file(extensions: ["yaml"]))
  var output: String?

  @Option(name: .customLong("as"), help: "Whose ears the engine has: all, an address or a host name.")
  var perspective = "all"

  @Flag(help: "Leave addresses, UUIDs and names as they are.")
  var keepIdentities = false

  @Flag(help: "Reproduce, run and compare every capture with more than ten messages; print the share that matches.")
  var check = false

  func run() throws {
    if check { return try checkAll() }
    guard paths.count == 1, let path = paths.first else { throw Complaint("reproduce takes one capture") }
    try OutputClash.check(inputs: [path], outputs: [("--output", output)])
    let outcome = try reproduce(path, findsBite: true)
    let file = try Output(path: output)
    file.document(outcome.yaml)
    try file.finish()
    for line in ReproduceText.summary(outcome) { Output.complain(line) }
    if let output { Output.complain("\(output): read it before you commit it; rollcall run \(output) runs it") }
    if !outcome.comparison.isEqual { throw Exit.expectationFailed }
  }

  private func reproduce(_ path: String, findsBite: Bool) throws -> Reproduce.Outcome {
    let name = (output ?? path) as NSString
    let title = (name.lastPathComponent as NSString).deletingPathExtension
    let options = Reproduce.Options(
      perspective: perspective == "all" ? .everybody : .host(perspective), keepsIdentities: keepIdentities,
      title: PlainText.shown(title), source: PlainText.shown(ReproduceCommand.source(path)), findsBite: findsBite)
    do { return try Reproduce.reproduce(options) { try CaptureReader(path: path) } } catch {
      throw Complaint("\(path): \(error)")
    }
  }

  /// What a capture is called: its file, or its folder where the file is named as all of them are.
  private static func source(_ path: String) -> String {
    let file = path as NSString
    let folder = (file.deletingLastPathComponent as NSString).lastPathComponent
    return file.lastPathComponent == "capture.pcapng" && !folder.isEmpty ? folder : file.lastPathComponent
  }

  private func checkAll() throws {
    var captures: [String] = []
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw Complaint("\(path): there is no such file or folder")
      }
      if !isFolder.boolValue { captures.append(path) }
      let below =
        isFolder.boolValue ? FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [] : []
      let endings = [".pcap", ".pcapng", ".cap"]
      captures += below.filter { file in endings.contains { file.hasSuffix($0) } }.sorted().map { "\(path)/\($0)" }
    }
    let table = try Output(path: nil)
    var (equal, total) = (0, 0)
    for path in captures {
      let outcome: Reproduce.Outcome
      do { outcome = try reproduce(path, findsBite: false) } catch let complaint as Complaint {
        if complaint.message.contains("there is no discovery message") { continue }
        throw complaint
      }
      guard outcome.tape.messages.count > 10 else { continue }
      total += 1
      if outcome.comparison.isEqual, outcome.fixedPoint.isEqual { equal += 1 }
      table.line(ReproduceText.row(path, outcome))
      table.flush()
    }
    table.line("\(equal) of \(total) match report for report")
    if equal * 10 < total * 9 { throw Exit.expectationFailed }
  }
}
