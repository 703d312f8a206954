package import RollcallCampaigns
import RollcallReporting
import RollcallRunning
import RollcallScenarios

extension CampaignPicture {
  // What commands call files and folders whose names the page does not know.
  private static let planName = "plan.yaml"
  private static let folderName = "results"
  private static let drawnName = "drawn.yaml"

  package init(_ report: CampaignReport, bounds: PictureBounds = PictureBounds()) {
    let campaign = report.campaign
    var leftOut: [Picture.LeftOut] = []
    func cut<Element>(_ all: [Element], _ what: String) -> ArraySlice<Element> {
      let more = all.count - bounds.rows
      if more > 0 { leftOut.append(Picture.LeftOut(what: what, count: more)) }
      return all.prefix(bounds.rows)
    }
    title = PictureText.shown(campaign.isSwarm ? "Drawn from the seeds \(report.seeds)" : campaign.title)
    outcome = CampaignPicture.outcome(report)
    let kind = campaign.isSwarm ? "swarm" : "run \(CampaignPicture.planName)"
    facts = [
      Picture.Fact("seeds", report.seeds), Picture.Fact("runs", report.countsText),
      Picture.Fact("digest", "\(report.digest)"),
      Picture.Fact("version", PictureText.shown(campaign.identity.version)),
      Picture.Fact("again", "rollcall campaign \(kind) --seeds \(report.seeds) -o \(CampaignPicture.folderName)"),
    ]
    again =
      campaign.isSwarm
      ? CampaignPicture.drawing("SEED")
      : "rollcall run \(CampaignPicture.planName) --seed SEED"
    failures = cut(report.failures, "failures, whose runs are in the results").map { group in
      CampaignPicture.failure(group, campaign)
    }
    happenings = report.facts.map { one in
      Happening(
        name: one.fact.rawValue, about: one.fact.about, count: one.first == nil ? nil : one.count,
        share: report.shareText(one), first: one.first.map { CampaignPicture.place($0, campaign) } ?? "",
        isProblem: one.first == nil && campaign.isSwarm)
    }
    if let curves = report.curves {
      let count = curves.curves.reduce(0) { $0 + $1.places.count }
      if count > bounds.rows {
        leftOut.append(
          Picture.LeftOut(what: "points of the sweep, which the report in text has", count: count - bounds.rows))
      }
      let part = curves.first(bounds.rows)
      self.curves = CurvePicture.inline(part)
      let rows = CurveWords.rows(part).map { $0.map { PictureText.shown($0) } }
      table = CurveTable(heads: rows[0], rows: Array(rows.dropFirst()))
    }
    if case .plan(let yaml) = campaign.identity.kind {
      let lines = yaml.split(separator: "\n").map(String.init)
      plan = cut(lines, "lines of the plan").map { PictureText.shown($0) }
    } else {
      plan = []
    }
    self.leftOut = leftOut
  }

  /// The command that draws the scenario of a seed and runs it.
  private static func drawing(_ seed: String) -> String {
    "rollcall campaign draw \(seed) -o \(drawnName) && rollcall run \(drawnName)"
  }

  private static func outcome(_ report: CampaignReport) -> Picture.Outcome {
    if report.failedCount > 0 {
      let runs = PlainWords.count(report.runCount, "run")
      return Picture.Outcome("\(report.failedCount) of \(runs) failed", .bad)
    }
    if report.missingCount > 0 {
      return Picture.Outcome("\(report.missingCount) of \(report.campaign.runCount) runs are missing", .open)
    }
    return Picture.Outcome("all \(PlainWords.count(report.runCount, "run")) passed", .good)
  }

  /// Which run it was: `seed 7`, of a sweep with the values of its point.
  private static func place(_ key: RunRecord.Key, _ campaign: Campaign) -> String {
    let values = values(key, campaign).map { "\($0.path)=\($0.text), " }.joined()
    return PictureText.shown("\(values)seed \(key.seed)")
  }

  private static func values(_ key: RunRecord.Key, _ campaign: Campaign) -> [Point.Value] {
    campaign.points.indices.contains(key.point) ? campaign.points[key.point].values : []
  }

  private static func failure(_ group: CampaignReport.FailureGroup, _ campaign: Campaign) -> Failure {
    let seed = group.first.seed
    let again =
      campaign.isSwarm
      ? drawing("\(seed)")
      : FailureText.command(path: planName, seed: seed, point: values(group.first, campaign), bites: false)
    let kept = group.kept.map { key -> Failure.Kept in
      let folder = FailureKeeper.folder(of: key, isSwarm: campaign.isSwarm)
      return Failure.Kept(folder: folder, again: "rollcall run \(folder)/scenario.yaml --seed \(key.seed)")
    }
    return Failure(
      text: PictureText.shown(group.failure), count: group.count, first: place(group.first, campaign),
      again: PictureText.shown(again), kept: kept)
  }
}
