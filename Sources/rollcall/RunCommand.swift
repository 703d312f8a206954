import ArgumentParser
import Foundation
import RollcallDiscovery
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Synchronization

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run scenarios: a virtual network drives the engine, a verdict for each.",
    discussion: """
      A folder stands for every .yaml below it.

      rollcall run Scenarios/ssdp/quick-return.yaml --seeds 1..200
      rollcall run Scenarios --format junit --output results.xml
      rollcall run Scenarios --shard 2/4 --skip field --expected known.jsonl
      rollcall run Scenarios/ssdp --watch
      rollcall run Scenarios/ssdp/quick-return.yaml --seed 1 --html run.html
      rollcall run Scenarios/ssdp --engine 'python3 my_engine.py'

      With --engine a program of yours is the engine: it is given datagrams and virtual time on standard input, and \
      says on standard output what it sends and reports (docs/engine-protocol.md). Scenarios that need more than that \
      are not for it: they are listed and counted, and neither pass nor fail.
      """)

  @Argument(help: "Scenario files and folders.", completion: .file(extensions: ["yaml"]))
  var paths: [String]

  @OptionGroup var output: OutputOptions

  @Option(help: "Run with this seed instead of the scenario's own.")
  var seed: UInt64?

  @Option(help: "Run with these seeds, as in 7 or 1..200.")
  var seeds: String?

  @Option(name: .customLong("set"), help: "Replace one value of the scenario, as in network.link.loss=10%.")
  var replacements: [String] = []

  @OptionGroup var filters: FilterOptions

  @Option(help: "Run the part I of K of all runs (scenario, point of its sweep, seed), as in 1/4.")
  var shard: String?

  @Option(help: "Runs at a time; as many as there are processors by default.")
  var jobs: Int?

  @Flag(
    help:
      "Run each scenario with the fault that it names in `bites`; it has to fail. In folders those without are left out."
  )
  var bites = false

  @Option(
    help: "Run this program in the place of Rollcall's engine, one process for each run; words and quotes, no shell.")
  var engine: String?

  @Option(help: "Seconds that the program of --engine may take for one answer; 10 by default.")
  var engineLimit: Double?

  @Flag(help: "Tell what happened in the run, as replay --explain does of a capture (one run only).")
  var explain = false

  @Flag(help: "With json: the engine's reports of every run, and not only of those that fail.")
  var reports = false

  @Flag(help: "A run of a scenario without expectations is no failure: for --trace, --pcapng and pictures.")
  var noExpectations = false

  @Option(
    help: "Compare the runs with this file of failures that are known; one that passes is a failure then.",
    completion: .file())
  var expected: String?

  @Option(help: "Write the failures to this file, for --expected.", completion: .file())
  var writeExpected: String?

  @Flag(help: "Run again whenever a scenario is changed, what was changed, until Ctrl-C.")
  var watch = false

  @Flag(help: "Run everything in two processes and compare the digests.")
  var checkDeterminism = false

  @Option(help: "Write what one host sent and heard to this pcapng file (one run only).", completion: .file())
  var pcapng: String?

  @Option(help: "The host of --pcapng and --explain.")
  var at = "engine"

  @Option(help: "Write the trace of the run to this file, one entry a line (one run only).", completion: .file())
  var trace: String?

  @OptionGroup var pictures: PictureOptions

  @Flag(help: .hidden) var canary = false

  func run() throws {
    try check()
    if watch { return try RunWatch(command: self).run() }
    if let code = try perform(.everything, nil) { throw code }
  }

  /// Runs once.
  /// - Parameters:
  ///   - wanted: which of the scenarios.
  ///   - interrupt: ends it; `nil`: Ctrl-C is noticed from when the inputs were read.
  /// - Returns: what the tool ends with; `nil`: all is well.
  func perform(_ wanted: WatchChange.Wanted, _ interrupt: RunInterrupt?) throws -> ExitCode? {
    let (files, unreadable) = try Inputs.readable(
      paths, replacing: replacements, filter: filters.filter(), wanted: wanted)
    if files.isEmpty, unreadable.isEmpty { throw nothingToRun(isFiltered: true) }
    // With nothing to run, or where processes are compared, it is no more than a complaint.
    if !unreadable.isEmpty, checkDeterminism || files.isEmpty && output.format == .text {
      throw Complaint(unreadable.map(\.text).joined(separator: "\n"))
    }
    try OutputClash.check(
      inputs: files.map(\.path) + (expected.map { [$0] } ?? []),
      outputs: pictures.outputs(beside: [
        ("--output", output.output), ("--pcapng", pcapng), ("--trace", trace), ("--write-expected", writeExpected),
      ]))
    if checkDeterminism {
      // What is wrong with the options is said here: what its processes say is not shown.
      try checkRuns(of: try Inputs.suite(files, self, isOver: { false }))
      try DeterminismCheck(command: self, files: files).run()
      return nil
    }
    let known = try expectedRuns()
    let interrupt = interrupt ?? RunInterrupt()
    let suite = try Inputs.suite(files, self, isOver: { interrupt.hasCome })
    if bites, let file = suite.toothless.first(where: { $0.isNamed || suite.files.isEmpty }) {
      throw Complaint(
        "\(file.path): --bites plants the fault that a scenario names in 'bites', and this one names none")
    }
    if unreadable.isEmpty { try checkRuns(of: suite) }
    let recording = try oneRun(suite)
    if let pcapng { try recording?.writeCapture(to: pcapng, host: at) }
    if let trace { try recording?.writeTrace(to: trace) }
    if let recording { try pictures.write { recording.picture() } }
    return try perform(suite, wanted, unreadable, known, interrupt, recording)
  }

  /// Whether anything is wanted that shows one run.
  private var isAboutOneRun: Bool { pcapng != nil || trace != nil || pictures.areWanted || explain }

  /// Options that do not go together.
  private func check() throws {
    if bites, !EngineSwitches.areBuiltIn { throw Complaint("--bites " + EngineSwitches.missing) }
    if bites, engine != nil {
      throw Complaint("--bites plants faults into Rollcall's engine, and --engine names another one")
    }
    if seed != nil, seeds != nil { throw Complaint("--seed and --seeds: name one of them") }
    if noExpectations, trace == nil, pcapng == nil, !pictures.areWanted {
      throw Complaint("--no-expectations is for recording a run: with --trace, --pcapng, --html or --perfetto")
    }
    if explain { try output.format.checkLines("--explain") }
    if expected != nil || writeExpected != nil, bites || noExpectations || checkDeterminism {
      throw Complaint(
        "--expected and --write-expected are about runs as they are, and not for --bites, --no-expectations or "
          + "--check-determinism")
    }
    if checkDeterminism, bites || isAboutOneRun {
      throw Complaint(
        "--check-determinism compares the digests of runs as they are: not with --bites, or what tells of one run")
    }
    if checkDeterminism, paths.contains(InputFiles.standardInput) {
      throw Complaint("--check-determinism reads its scenarios twice, and standard input can be read once: name a file")
    }
    if watch, checkDeterminism || isAboutOneRun || writeExpected != nil {
      throw Complaint(
        "--watch runs again and again: not with --check-determinism, --write-expected, or what tells of one run")
    }
    if reports, output.format != .json { throw Complaint("--reports is for --format json") }
  }

  /// Refuses a suite without runs.
  private func checkRuns(of suite: Suite) throws {
    if suite.taskCount > 0 { return }
    guard let one = suite.unfit.first else { throw nothingToRun(isFiltered: suite.files.isEmpty) }
    let rest = suite.unfit.count > 1 ? ", and \(suite.unfit.count - 1) more are not" : ""
    throw Complaint("nothing to run: \(one.file.path) is not for another engine, since \(one.why)\(rest)")
  }

  private func nothingToRun(isFiltered: Bool) -> Complaint {
    let words = filters.words.joined(separator: " ")
    return Complaint("nothing to run: " + (isFiltered ? "\(words) leaves no scenario" : "this shard is empty"))
  }

  private func perform(
    _ suite: Suite, _ wanted: WatchChange.Wanted, _ unreadable: [UnreadableInput], _ known: ExpectedRuns?,
    _ interrupt: RunInterrupt, _ recording: OneRun?
  ) throws -> ExitCode? {
    let isWhole = wanted == .everything && filters.words.isEmpty && shard == nil && seed == nil && seeds == nil
    let printer = try RunPrinter(
      options: output, suite: suite, bites: bites, allowsNoExpectations: noExpectations,
      expected: known, isWhole: isWhole)
    unreadable.forEach(printer.failed)
    for file in suite.toothless { printer.skip(file, "no bites") }
    for one in suite.unfit { printer.skip(one.file, "not for this engine", since: one.why) }
    suite.files.compactMap(\.unlentRadios).forEach(Output.complain)
    let started = Date()
    suite.run { printer.show($0) }
    let story = explain ? try recording?.story(host: at) : nil
    try printer.finish(
      seconds: Date().timeIntervalSince(started), isInterrupted: interrupt.hasCome, story: story)
    if let writeExpected { try printer.writeExpected(to: writeExpected) }
    return printer.exitCode
  }

  private func expectedRuns() throws -> ExpectedRuns? {
    guard let expected else { return nil }
    let text: String
    do { text = try InputFiles.text(at: expected) } catch { throw Complaint("\(expected): \(error)") }
    do { return try ExpectedRuns(text, file: expected) } catch {
      throw Complaint("\(expected):\(error.line):\(error.column): expected \(error.expected)")
    }
  }

  /// The one task with its trace kept, where that is wanted: recording changes nothing of a run.
  private func oneRun(_ suite: Suite) throws -> OneRun? {
    guard isAboutOneRun else { return nil }
    guard suite.taskCount == 1 else {
      throw Complaint(
        "--pcapng, --trace, --html, --perfetto and --explain need a single run, and these are \(suite.taskCount): "
          + "name one seed")
    }
    return try OneRun(suite: suite, task: suite.task(0))
  }
}

/// Ctrl-C ends the suite after the runs that are under way; a second one ends it at once.
final class RunInterrupt: Sendable {
  private let count = Atomic(0)
  private let idle = Atomic(false)
  private let interrupt = Mutex<Interrupt?>(nil)

  /// Whether no run is under way.
  var isIdle: Bool {
    get { idle.load(ordering: .relaxed) }
    set { idle.store(newValue, ordering: .relaxed) }
  }

  init() {
    interrupt.withLock {
      $0 = Interrupt { [weak self] in
        guard let self else { return }
        if hasCome {
          Output.status(nil)
          Foundation.exit(Exit.interrupted.rawValue)
        }
        // First it is said: a verb that waits for it ends at once.
        Output.complain(
          isIdle ? "\ninterrupted" : "\ninterrupted: the runs under way are finished; once more ends at once")
        count.add(1, ordering: .relaxed)
      }
    }
  }

  var hasCome: Bool { count.load(ordering: .relaxed) > 0 }
}
