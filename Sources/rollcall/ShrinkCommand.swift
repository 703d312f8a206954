import ArgumentParser
import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallSessions

struct ShrinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shrink", abstract: "Make a failing scenario, or a capture, as small as the failure allows.",
    discussion: """
      A scenario keeps its failure: the same expectation in the same manner. With --switch or --bite it also has to \
      hold without the planted fault. A capture keeps one report, in the same words at the same time; what is written \
      was replayed and makes it. - is standard input.

      rollcall shrink Scenarios/ssdp/quick-return.yaml --bite -o small.yaml
      rollcall shrink capture.pcapng --report lost -o lost.pcapng
      """)

  @Argument(help: "A scenario or a capture; with --check, folders of scenarios.", completion: .file())
  var paths: [String]

  @Option(help: "The seed of the run; the scenario's first by default.")
  var seed: UInt64?

  @Option(
    name: .customLong("switch"),
    help: "Plant this fault, as in tombstoneMissing or peers.loss-forgotten; explain --switches lists them.")
  var fault: String?

  @Flag(help: "Plant the fault that the scenario names in `bites`.")
  var bite = false

  @Option(help: "Keep the failure of this expectation; of the first that fails by default.")
  var expectation: String?

  @Option(help: "Keep the report of a capture that is this line of `replay --record`, or has this text in it.")
  var keep: String?

  @Option(help: "Keep the first report of this event, as in found or lost:uuid:2fac….")
  var report: String?

  @Option(name: .customLong("as"), help: "Whose ears the engine has in a capture: all, an address or a host name.")
  var perspective = "all"

  @Option(help: "Let time run on behind the last frame of a capture, as in +30m.")
  var until: String?

  @Option(name: .shortAndLong, help: "Write what is left to this file (to this folder with --check).")
  var output: String?

  @Option(help: "End after so many seconds with what is left by then.")
  var budgetSeconds = 60.0

  @Flag(help: "Shrink the largest scenario that catches each fault of the engine, and print a table.")
  var check = false

  /// About three years.
  static let budgetSecondsMaximum = 1e8

  func run() throws {
    // Not a number is in no range.
    guard (0...ShrinkCommand.budgetSecondsMaximum).contains(budgetSeconds) else {
      throw Complaint("--budget-seconds takes a number of seconds from 0 to 100000000, and not \(budgetSeconds)")
    }
    if check || bite || fault != nil, !EngineSwitches.areBuiltIn {
      throw Complaint("\(check ? "--check" : bite ? "--bite" : "--switch") " + EngineSwitches.missing)
    }
    try checkOptions()
    if check { return try ShrinkTable(command: self).run() }
    guard paths.count == 1, let path = paths.first else { throw Complaint("shrink takes one scenario or one capture") }
    if isOfCapture { return try shrinkCapture(path) }
    if !InputFiles.isScenario(path) {
      throw Complaint("\(path): for a capture say which report to keep, with --report lost or --keep TEXT")
    }
    try shrinkScenario(path)
  }

  private var isOfCapture: Bool { keep != nil || report != nil }

  /// Refuses options that would be dropped.
  private func checkOptions() throws {
    if keep != nil, report != nil { throw Complaint("--keep and --report: name one of them") }
    if bite, fault != nil { throw Complaint("--bite and --switch: name one of them") }
    typealias Given = (name: String, isGiven: Bool)
    let ofCapture: [Given] = [
      ("--keep", keep != nil), ("--report", report != nil), ("--as", perspective != "all"), ("--until", until != nil),
    ]
    let ofScenario: [Given] = [
      ("--seed", seed != nil), ("--bite", bite), ("--expectation", expectation != nil),
    ]
    func refuse(_ options: [Given], _ why: String) throws {
      guard let other = options.first(where: { $0.isGiven }) else { return }
      throw Complaint("\(other.name) has no meaning here: \(why)")
    }
    if check {
      try refuse(ofCapture + ofScenario, "--check shrinks for each fault the scenarios that catch it")
    } else if isOfCapture {
      try refuse(ofScenario + [("--switch", fault != nil)], "of a capture a report is kept")
    } else if paths.contains(where: InputFiles.isScenario) {
      try refuse(ofCapture, "of a scenario a failure is kept")
    }
  }

  /// A bound in real time, from now on.
  static func timer(_ seconds: Double) -> () -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(min(max(0, seconds), budgetSecondsMaximum)))
    return { ContinuousClock.now >= end }
  }

  private func plantedFault() throws -> PlantedFault? {
    if bite { return .bite }
    guard let fault else { return nil }
    if let one = try PeerFault(planted: fault) { return .peers(one) }
    guard let one = EngineSwitch(rawValue: fault) else {
      let known = EngineSwitch.allCases.map(\.rawValue).joined(separator: ", ")
      throw Complaint("there is no switch '\(fault)' in the engine; there are \(known)")
    }
    return .engine(one)
  }

  private func shrinkScenario(_ path: String) throws {
    let files = try Inputs.scenarios([path])
    try OutputClash.check(inputs: files.map(\.path), outputs: [("--output", output)])
    let planted = try plantedFault()
    let started = ContinuousClock.now
    let progress = Progress("shrinking")
    defer { progress.end() }
    var problem: Shrinker.Problem?
    // The first point of a sweep that fails.
    for point in try files[0].scenario.points(file: path) {
      for seed in seed.map({ $0...$0 }) ?? point.scenario.seeds {
        let options = Shrinker.Options(
          seed: seed, fault: planted, expectation: expectation, isOver: ShrinkCommand.timer(budgetSeconds),
          progress: { tried in
            progress.show(
              .trying(
                "shrinking", count: tried, things: "candidates tried", left: "seed \(seed)",
                secondsMaximum: budgetSeconds))
          })
        do {
          var shrinker = try Shrinker(point.scenario, options: options)
          let outcome = shrinker.shrink()
          progress.end()
          return try show(outcome, path, seed, point.values, ContinuousClock.now - started)
        } catch let found as Shrinker.Problem { problem = problem ?? found }
      }
    }
    throw Complaint("\(path): \(problem?.description ?? "there is no point to run")")
  }

  private func show(
    _ outcome: Shrinker.Outcome, _ path: String, _ seed: UInt64, _ point: [Point.Value], _ took: Duration
  ) throws {
    let text = ShrinkText.yaml(outcome, of: path, seed: seed, point: point)
    for line in ShrinkText.table(outcome) { Output.complain(line) }
    Output.complain("keeps: \(outcome.kind), expected \(outcome.verdict.expected)")
    if outcome.wasCut { Output.complain("cut short by the budget of \(budgetSeconds) s") }
    let file = try Output(path: output)
    file.document(text)
    try file.finish()
    Output.complain(String(format: "%.1f s", took.seconds) + (output.map { ", written to \($0)" } ?? ""))
  }

  // MARK: Captures

  private func shrinkCapture(_ path: String) throws {
    let wanted: CaptureShrinker.Wanted
    if let keep {
      wanted = .text(keep)
    } else {
      let parts = (report ?? "").split(separator: ":", maxSplits: 1).map(String.init)
      guard let event = EventName.json(parts.first ?? "") else {
        throw Complaint(
          "--report takes an event, as in lost or found:uuid:2fac…; there are \(EventName.all.joined(separator: ", "))")
      }
      wanted = .event(event, device: parts.count > 1 ? parts[1] : nil)
    }
    var options = ReplayOptions(
      perspective: perspective == "all" ? .everybody : .host(perspective),
      until: try until.map { try ReplayCommand.interval($0) })
    options.wantsServices = true
    let name = path == InputFiles.standardInput ? "standard-input" : path
    let out = output ?? URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent + "-shrunk.pcapng"
    try OutputClash.check(inputs: [path], outputs: [("--output", out)], isPrinting: true)
    let progress = Progress("shrinking")
    defer { progress.end() }
    let outcome: CaptureShrinker.Outcome
    do {
      let open = try InputFiles.opener(of: path)
      var shrinker = try CaptureShrinker(
        name: URL(fileURLWithPath: path).lastPathComponent, options: options, wanted: wanted,
        isOver: ShrinkCommand.timer(budgetSeconds),
        progress: { tried, left in
          progress.show(
            .trying(
              "shrinking", count: tried, things: "replays tried", left: "\(left) frames or datagrams left",
              secondsMaximum: budgetSeconds))
        }
      ) { InputFiles.isRepeatable(path) ? try progress.open(path) : try open() }
      outcome = try shrinker.shrink()
      progress.end()
    } catch { throw Complaint("\(path): \(error)") }
    let file = try Output(path: out)
    file.bytes(outcome.pcapng)
    try file.finish()
    let told = try Output(path: nil)
    for pass in outcome.passes {
      told.line("\(pass.name): tried \(pass.tried), kept \(pass.kept), \(pass.frames) frames left")
    }
    told.line("keeps: \(outcome.report)")
    if outcome.wasCut { told.line("cut short by the budget of \(budgetSeconds) s") }
    told.line("\(out): frames \(outcome.frames.map(String.init).joined(separator: " ")) of \(outcome.total)")
  }
}
