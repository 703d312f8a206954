import ArgumentParser
import RollcallCampaigns
import RollcallReporting

struct CampaignMergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Put the results of shards together.",
    discussion: """
      The result is the same whatever the number and order of the shards. A run that two of them have has to be the \
      same in both.

      rollcall campaign merge shard-1 shard-2 -o whole
      """)

  @Argument(help: "Folders of results of one campaign.", completion: .directory)
  var folders: [String]

  @Option(name: .shortAndLong, help: "The folder to put them into; it may hold some already.", completion: .directory)
  var output: String

  @Option(help: "How to print: text or json (lines).")
  var format: CampaignFormat = .text

  @OptionGroup var page: CampaignPage

  /// Runs that are read and added together.
  private static let batchCount = 10_000

  func run() throws {
    var merged: (campaign: Campaign, store: CampaignStore)?
    var paths: [String] = []
    for folder in folders {
      let part = try CampaignFolder(folder)
      paths.append(part.path)
      // Parts of another campaign are refused here.
      let store = try CampaignPerformance.store(of: part.campaign, in: output)
      var rest = part.records[...]
      while !rest.isEmpty {
        let batch = Array(rest.prefix(CampaignMergeCommand.batchCount))
        do { try store.add(batch) } catch { throw CampaignPerformance.complaint(error) }
        rest = rest.dropFirst(batch.count)
      }
      merged = (part.campaign, store)
    }
    guard let whole = merged else { throw Complaint("merge takes the folders of results") }
    let file = try page.open(beside: [whole.store.path] + paths)
    let report = try CampaignPerformance.finish(
      whole.campaign, whole.store, in: output, format, file, isQuiet: false, RunInterrupt())
    if report.missingCount > 0 { throw Exit.budget }
  }
}

struct CampaignReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Print what a campaign came to, and draw its curves.",
    discussion: "rollcall campaign report curves --svg curves.svg --html curves.html")

  @Argument(help: "The folder of the results.", completion: .directory)
  var folder: String

  @Option(help: "Draw the curves of a sweep to this file.", completion: .file(extensions: ["svg"]))
  var svg: String?

  @OptionGroup var page: CampaignPage

  @Option(help: "How to print: text or json (lines).")
  var format: CampaignFormat = .text

  @Option(help: "Write to this file instead of standard output.", completion: .file())
  var output: String?

  func run() throws {
    let part = try CampaignFolder(folder)
    try OutputClash.check(inputs: [part.path], outputs: [("--output", output), ("--svg", svg), ("--html", page.html)])
    let file = try page.open(beside: [part.path])
    let report = CampaignReport(part.campaign, part.records)
    if let svg {
      guard let picture = report.curves.flatMap({ CurvePicture.svg($0) }) else {
        throw Complaint("\(folder): a swarm has no curves; they are drawn of the sweep of `campaign run`")
      }
      let file = try Output(path: svg)
      file.document(picture)
      try file.finish()
    }
    try CampaignPerformance.show(report, format, to: output)
    try CampaignPage.write(report, to: file)
    if report.failedCount > 0 { throw Exit.expectationFailed }
    if report.missingCount > 0 { throw Exit.budget }
  }
}

/// Results that are there, and the campaign that they are of.
struct CampaignFolder {
  let path: String
  let campaign: Campaign
  let records: [RunRecord]

  init(_ folder: String) throws {
    do {
      let store = try CampaignStore.read(in: folder)
      path = store.path
      campaign = try Campaign(try store.identity())
      records = try store.records()
    } catch let error as CampaignStoreError {
      throw CampaignPerformance.complaint(error)
    } catch { throw Complaint("\(folder): \(error)") }
  }
}
