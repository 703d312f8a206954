import ArgumentParser
import RollcallCampaigns
import RollcallReporting

/// Performs the runs of a campaign that are missing, keeps its failures, and prints what it came to.
struct CampaignPerformance {
  private let campaign: Campaign
  private let options: CampaignOptions
  private let inputs: [String]

  /// - Parameter inputs: files that it was read from.
  init(_ campaign: Campaign, _ options: CampaignOptions, inputs: [String] = []) {
    (self.campaign, self.options, self.inputs) = (campaign, options, inputs)
  }

  func run() throws {
    var wanted = CampaignRunner.Options()
    wanted.jobs = try Inputs.jobs(options.jobs)
    wanted.shard = try Inputs.shard(options.shard)
    if let budget = options.budget {
      try Numbers.check(budget, 1...Int.max, "--budget")
      wanted.budget = budget
    }
    let interrupt = RunInterrupt()
    wanted.isOver = { interrupt.hasCome }
    let store = try CampaignPerformance.store(of: campaign, in: options.output)
    let page = try options.page.open(beside: [store.path], and: inputs)
    let progress = Progress("running", isQuiet: options.quiet)
    let runner = CampaignRunner(campaign, in: store, wanted) { done, total in
      progress.show(.counted(done: done, of: total, what: ""))
    }
    do { try runner.run() } catch {
      progress.end()
      throw CampaignPerformance.complaint(error)
    }
    progress.end()
    try CampaignPerformance.finish(
      campaign, store, in: options.output, options.format, page, isQuiet: options.quiet, interrupt)
    if !runner.isDone { throw Exit.budget }
  }

  // MARK: - For all verbs of campaigns

  /// The results in a folder, which is made where there is none.
  static func store(of campaign: Campaign, in folder: String) throws -> CampaignStore {
    try Output.makeFolder(folder)
    do { return try CampaignStore.open(in: folder, of: campaign.identity) } catch { throw complaint(error) }
  }

  static func complaint(_ error: CampaignStoreError) -> Complaint {
    let code =
      switch error {
      case .contradiction: Exit.notDeterministic
      case .full, .busy: Exit.temporary
      case .missing, .foreign, .otherCampaign, .damaged, .failed: Exit.usage
      }
    return Complaint(error.description, code: code)
  }

  /// Keeps the failures of all runs that are there, and prints what the campaign came to.
  /// - Throws: `Exit.interrupted`, and `Exit.expectationFailed` where a run failed.
  @discardableResult static func finish(
    _ campaign: Campaign, _ store: CampaignStore, in folder: String, _ format: CampaignFormat, _ page: Output?,
    isQuiet: Bool, _ interrupt: RunInterrupt
  ) throws -> CampaignReport {
    let records: [RunRecord]
    do { records = try store.records() } catch { throw complaint(error) }
    try keepFailures(records, of: campaign, in: folder, isQuiet: isQuiet, interrupt)
    let report = CampaignReport(campaign, records)
    try show(report, format)
    try CampaignPage.write(report, to: page)
    if interrupt.hasCome { throw Exit.interrupted }
    if report.failedCount > 0 { throw Exit.expectationFailed }
    return report
  }

  private static func keepFailures(
    _ records: [RunRecord], of campaign: Campaign, in folder: String, isQuiet: Bool, _ interrupt: RunInterrupt
  ) throws {
    let progress = Progress("making failures smaller", isQuiet: isQuiet)
    defer { progress.end() }
    try FailureKeeper(campaign, in: folder).keep(records, isOver: { interrupt.hasCome }) { number, count in
      progress.show(.counted(done: number - 1, of: count, what: "failures made smaller"))
    }
  }

  static func show(_ report: CampaignReport, _ format: CampaignFormat, to path: String? = nil) throws {
    let output = try Output(path: path)
    switch format {
    case .text: for line in report.textLines { output.line(line) }
    case .json: for line in report.jsonLines { output.line(line) }
    }
    try output.finish()
  }
}
