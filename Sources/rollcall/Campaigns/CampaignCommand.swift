import ArgumentParser
import Foundation
import RollcallRunning
import RollcallCampaigns
import RollcallPicturing
import RollcallReporting

struct CampaignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "campaign", abstract: "Runs by the thousand: swept or drawn, resumable, in shards, with curves.",
    discussion: """
      Results are kept in a folder. The same command goes on where the last one ended, however that was; shards that \
      are merged give the same as one process. Exit codes: 1 a run failed; 5 runs are missing; 3 a run came to something \
      else than it did before; 75 there is no room for the results, or another process holds them.

      rollcall campaign swarm --seeds 1..1000 -o nightly
      rollcall campaign run plan.yaml -o curves
      rollcall campaign report curves --svg curves.svg --html curves.html
      """,
    subcommands: [
      CampaignSwarmCommand.self, CampaignRunCommand.self, CampaignDrawCommand.self, CampaignMergeCommand.self,
      CampaignReportCommand.self,
    ])

  /// What results say that they were made by.
  static var version: String { Rollcall.configuration.version }
}

/// What `campaign` prints.
enum CampaignFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

/// Where a page of what a campaign came to goes.
struct CampaignPage: ParsableArguments {
  @Option(
    help: "Write a page to this file that any browser opens without a network: all that it came to (docs/pictures.md).",
    completion: .file())
  var html: String?

  /// Opens the file, before anything takes a while; `nil`: no page is wanted.
  /// - Parameters:
  ///   - results: the files of results that are read, and those that are written.
  ///   - others: files that are read, too.
  func open(beside results: [String], and others: [String] = []) throws -> Output? {
    // What SQLite keeps beside its file.
    let files = results.flatMap { [$0, $0 + "-wal", $0 + "-shm"] }
    try OutputClash.check(inputs: files + others, outputs: [("--html", html)])
    return try html.map { try Output(path: $0) }
  }

  static func write(_ report: CampaignReport, to page: Output?) throws {
    guard let page else { return }
    page.bytes(PictureHTML.bytes(CampaignPicture(report)))
    try page.finish()
  }
}

/// Options of those that perform runs.
struct CampaignOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "The folder of the results; it is made where there is none.", completion: .directory)
  var output: String

  @Option(help: "Perform the part I of K of all runs, as in 1/8.")
  var shard: String?

  @Option(help: "Runs at a time; as many as there are processors by default.")
  var jobs: Int?

  @Option(help: "End after so many runs; the same command goes on.")
  var budget: Int?

  @Option(help: "How to print: text or json (lines).")
  var format: CampaignFormat = .text

  @OptionGroup var page: CampaignPage

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false
}

struct CampaignSwarmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swarm", abstract: "Draw a scenario from each seed, and run it.",
    discussion: """
      Who is there, what the network is like, what breaks and what is done when is drawn from the seed; `campaign draw` \
      prints the scenario of any seed.
      """)

  @Option(help: "The seeds, as in 1..1000.")
  var seeds: String

  @OptionGroup var options: CampaignOptions

  func run() throws {
    let seeds = try Inputs.seeds(seeds)
    guard seeds.upperBound <= DrawnSeed.countMaximum else {
      throw Complaint("--seeds of a swarm goes up to \(DrawnSeed.countMaximum), and not to \(seeds.upperBound)")
    }
    try CampaignPerformance(Campaign(swarm: seeds, version: CampaignCommand.version), options).run()
  }
}

struct CampaignRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run all points of a scenario's sweep under all seeds, for curves.",
    discussion: """
      The plan is a scenario with a sweep. Expectations over several seeds are not judged; the curves say more. Without \
      expectations runs are measured alone.
      """)

  @Argument(help: "A scenario with a sweep.", completion: .file(extensions: ["yaml"]))
  var plan: String

  @Option(help: "Run with these seeds instead of the scenario's own, as in 1..200.")
  var seeds: String?

  @OptionGroup var options: CampaignOptions

  func run() throws {
    let files = try Inputs.scenarios([plan])
    guard files.count == 1, let file = files.first else { throw Complaint("\(plan): a campaign has one scenario") }
    let seeds = try seeds.map { try Inputs.seeds($0) }
    let campaign: Campaign
    do {
      campaign = try Campaign(
        plan: file.scenario, file: file.path, seeds: seeds, version: CampaignCommand.version)
    } catch { throw Complaint("\(error)") }
    try CampaignPerformance(campaign, options, inputs: [file.path]).run()
  }
}

struct CampaignDrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draw", abstract: "Print the scenario that a seed of a swarm draws.",
    discussion: """
      The seed says all, also of a seed that a campaign drew again.

      rollcall campaign draw 4711
      """)

  @Argument(help: "The seed.")
  var seed: UInt64

  @Option(name: .shortAndLong, help: "Write the scenario to this file.", completion: .file(extensions: ["yaml"]))
  var output: String?

  func run() throws {
    try OutputClash.check(inputs: [], outputs: [("--output", output)])
    let file = try Output(path: output)
    file.document(Swarm.yaml(DrawnSeed(seed)))
    try file.finish()
  }
}
