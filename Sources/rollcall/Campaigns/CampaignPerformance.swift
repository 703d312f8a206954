import ArgumentParser
import Foundation
import RollcallCampaigns
import RollcallReporting

/// Performs the runs of a campaign that are missing, keeps its failures, and prints what it came to.
struct CampaignPerformance {
  private let campaign: Campaign
  private let options: CampaignOptions

  init(_ campaign: Campaign, _ options: CampaignOptions) { (self.campaign, self.options) = (campaign, options) }

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
    let count = campaign.runCount(ofShard: wanted.shard)
    let progress = Progress("running", isQuiet: options.quiet)
    let runner = CampaignRunner(campaign, in: store, wanted) { done, _ in
      progress.show(.counted(done: done, of: count, what: ""))
    }
    do { try runner.run() } catch {
      progress.end()
      throw CampaignPerformance.complaint(error)
    }
    progress.end()
    let isWhole = runner.doneCount == count
    let records = try CampaignPerformance.records(of: store)
    try CampaignPerformance.keepFailures(records, of: campaign, in: options.output, isQuiet: options.quiet) {
      interrupt.hasCome
    }
    let report = CampaignReport(campaign, records)
    try CampaignPerformance.show(report, options.format)
    if interrupt.hasCome { throw Exit.interrupted }
    if report.failedCount > 0 { throw Exit.expectationFailed }
    if !isWhole { throw Exit.budget }
  }

  // MARK: - For all verbs of campaigns

  /// The results in a folder, which is made where there is none.
  static func store(of campaign: Campaign, in folder: String) throws -> CampaignStore {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch { throw Complaint("\(folder): the folder cannot be made: \(error.localizedDescription)") }
    do { return try CampaignStore.open(in: folder, of: campaign.identity) } catch { throw complaint(error) }
  }

  static func records(of store: CampaignStore) throws -> [RunRecord] {
    do { return try store.records() } catch { throw complaint(error) }
  }

  static func complaint(_ error: CampaignStoreError) -> Complaint {
    if case .contradiction = error { return Complaint(error.description, code: Exit.notDeterministic) }
    return Complaint(error.description)
  }

  static func keepFailures(
    _ records: [RunRecord], of campaign: Campaign, in folder: String, isQuiet: Bool, isOver: () -> Bool
  ) throws {
    let progress = Progress("making failures smaller", isQuiet: isQuiet)
    defer { progress.end() }
    try FailureKeeper(campaign, in: folder).keep(records, isOver: isOver) { number, count in
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
