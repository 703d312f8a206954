import ArgumentParser
import Foundation
import Harness
import Primitives
import Scenarios

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run scenarios: a virtual network drives the engine, a verdict for each.",
    discussion: "A folder stands for every .yaml below it.")

  @Argument(help: "Scenario files and folders.", completion: .file(extensions: ["yaml"]))
  var paths: [String]

  @OptionGroup var output: OutputOptions

  @Option(help: "Run with this seed instead of the scenario's own.")
  var seed: UInt64?

  @Option(help: "Run with these seeds, as in 1..200.")
  var seeds: String?

  @Option(name: .customLong("set"), help: "Replace one value of the scenario, as in network.link.loss=10%.")
  var replacements: [String] = []

  @Option(help: "Only scenarios with this tag; may be repeated.")
  var tag: [String] = []

  @Option(help: "Run the part I of K of all runs, as in 1/4.")
  var shard: String?

  @Option(help: "Runs at a time; as many as there are processors by default.")
  var jobs: Int?

  @Flag(help: "Run each scenario with the fault that it names in `bites`; it has to fail.")
  var bites = false

  @Flag(help: "Run everything in two processes and compare the digests.")
  var checkDeterminism = false

  @Option(help: "Write what one host sent and heard to this pcapng file (one run only).", completion: .file())
  var pcapng: String?

  @Option(help: "The host of --pcapng.")
  var at = "engine"

  @Option(help: "Write the trace of the run to this file, one entry a line (one run only).", completion: .file())
  var trace: String?

  @Flag(help: .hidden) var canary = false

  func run() throws {
    let files = try Inputs.scenarios(paths, replacing: replacements)
    try OutputClash.check(
      inputs: files.map(\.path), outputs: [("--output", output.output), ("--pcapng", pcapng), ("--trace", trace)])
    if checkDeterminism { return try DeterminismCheck(command: self, files: files).run() }
    let suite = try Inputs.suite(files, self)
    if pcapng != nil || trace != nil { try writeOneRun(suite) }
    try perform(suite)
  }

  private func perform(_ suite: Suite) throws {
    if suite.tasks.isEmpty {
      let tags = tag.isEmpty ? "" : ": no scenario has the tags \(tag.joined(separator: ", "))"
      throw Complaint("nothing to run" + (tags.isEmpty ? ": this shard is empty" : tags))
    }
    let printer = try RunPrinter(options: output, total: suite.tasks.count, bites: bites)
    let started = Date()
    suite.run { printer.show($0) }
    printer.finish(scenarios: Set(suite.tasks.map(\.file)).count, seconds: Date().timeIntervalSince(started))
    if let code = printer.exitCode { throw code }
  }

  /// Runs the one task once more with its trace kept: recording changes nothing of a run.
  private func writeOneRun(_ suite: Suite) throws {
    guard suite.tasks.count == 1, let task = suite.tasks.first else {
      throw Complaint("--pcapng and --trace need a single run, and these are \(suite.tasks.count): name one seed")
    }
    let recording = try OneRun(suite: suite, task: task)
    if let pcapng { try recording.writeCapture(to: pcapng, host: at) }
    if let trace { try recording.writeTrace(to: trace) }
  }
}

/// Reads what the command line names.
enum Inputs {
  static func scenarios(_ paths: [String], replacing: [String] = []) throws -> [ScenarioFile] {
    var files: [ScenarioFile] = []
    var complaints: [String] = []
    for path in paths {
      guard let found = ScenarioFile.paths(at: path) else {
        throw Complaint("\(path): there is no such file or folder")
      }
      for file in found {
        do {
          var read = try ScenarioFile.read(file)
          if !replacing.isEmpty { read.scenario = try replaced(read, replacing) }
          files.append(read)
        } catch let error as ScenarioErrors {
          complaints.append(error.description)
        } catch let error as Complaint {
          throw error
        } catch {
          complaints.append("\(file): \(error.localizedDescription)")
        }
      }
    }
    if !complaints.isEmpty { throw Complaint(complaints.joined(separator: "\n")) }
    if files.isEmpty { throw Complaint("no scenario found in \(paths.joined(separator: " "))") }
    return files
  }

  /// Replacements are a sweep with one value each.
  private static func replaced(_ file: ScenarioFile, _ replacements: [String]) throws -> ScenarioFile.Replaced {
    var scenario = file.scenario
    var sweep: [Sweep] = []
    for text in replacements {
      guard let equals = text.firstIndex(of: "="),
        let one = Sweep(String(text[..<equals]), [String(text[text.index(after: equals)...])])
      else { throw Complaint("--set takes PATH=VALUE, as in network.link.loss=10%, and not '\(text)'") }
      sweep.append(one)
    }
    let paths = sweep.map { $0.path.description }
    scenario.sweep = scenario.sweep.filter { !paths.contains($0.path.description) } + sweep
    return scenario
  }

  static func suite(_ files: [ScenarioFile], _ command: RunCommand) throws -> Suite {
    var options = Suite.Options()
    options.jobs = max(1, command.jobs ?? ProcessInfo.processInfo.activeProcessorCount)
    options.tags = command.tag
    options.bites = command.bites
    if let seed = command.seed { options.seeds = seed...seed }
    if let seeds = command.seeds {
      let ends = seeds.components(separatedBy: "..").map { UInt64($0) }
      guard ends.count == 2, let low = ends[0], let high = ends[1], low <= high else {
        throw Complaint("--seeds takes a range such as 1..200, and not '\(seeds)'")
      }
      options.seeds = low...high
    }
    if let shard = command.shard {
      let parts = shard.split(separator: "/").map { Int($0) }
      guard parts.count == 2, let index = parts[0], let count = parts[1], index >= 1, index <= count else {
        throw Complaint("--shard takes I/K with I from 1 to K, as in 1/4, and not '\(shard)'")
      }
      options.shard = (index, count)
    }
    // The alarm test: a seed that differs from process to process, as careless code would have it.
    if command.canary { options.seedNoise = UInt64(bitPattern: Int64("canary".hashValue)) }
    return try Suite(files: files, options: options)
  }
}

extension ScenarioFile { typealias Replaced = Scenario }
