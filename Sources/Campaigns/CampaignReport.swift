package import RollcallPrimitives
import RollcallReporting
import RollcallScenarios

/// What a campaign came to: the same for the same results, byte for byte.
package struct CampaignReport {
  /// Runs in which the same went wrong.
  package struct FailureGroup: Hashable, Sendable {
    package var failure: String
    package var count: Int
    package var first: RunRecord.Key
    /// Those that are kept; none behind as many failures as are kept.
    package var kept: [RunRecord.Key] = []
  }

  /// In how many runs a fact happened.
  package struct FactCount: Hashable, Sendable {
    package var fact: Fact
    package var count = 0
    /// The first of those runs; `nil`: it never happened.
    package var first: RunRecord.Key?
  }

  package let campaign: Campaign
  package let runCount: Int
  package let digest: Digest
  /// All of them, in the order of their declaration.
  package let facts: [FactCount]
  /// In the order of their first runs.
  package let failures: [FailureGroup]
  /// `nil`: each run has a scenario of its own.
  package let curves: CurveSet?

  /// - Parameter records: in the order of their keys.
  package init(_ campaign: Campaign, _ records: [RunRecord]) {
    self.campaign = campaign
    runCount = records.count
    digest = RunRecord.digest(of: records)
    facts = Fact.allCases.map { fact in
      var count = FactCount(fact: fact)
      for record in records where record.facts.contains(fact) {
        count.count += 1
        if count.first == nil { count.first = record.key }
      }
      return count
    }
    var groups: [FailureGroup] = []
    for record in records {
      guard let failure = record.failure else { continue }
      if let place = groups.firstIndex(where: { $0.failure == failure }) {
        groups[place].count += 1
      } else {
        groups.append(FailureGroup(failure: failure, count: 1, first: record.key))
      }
    }
    for record in FailureKeeper.chosen(records) {
      guard let place = groups.firstIndex(where: { $0.failure == record.failure }) else { continue }
      groups[place].kept.append(record.key)
    }
    failures = groups
    curves = campaign.isSwarm ? nil : CurveSet(campaign.title, campaign.points, records)
  }

  package var failedCount: Int { failures.reduce(0) { $0 + $1.count } }
  package var missingCount: Int { campaign.runCount - runCount }

  package var seeds: String { campaign.identity.seedsText }

  private static let failuresShown = 20

  // MARK: - For people

  package var textLines: [String] {
    var lines = ["campaign  \(campaign.title), seeds \(seeds)", "runs      \(countsText)", "digest    \(digest)"]
    if let curves {
      lines.append("")
      lines += CurveWords.table(curves)
    }
    lines += factLines
    if !failures.isEmpty {
      lines += ["", "failures"]
      for group in failures.prefix(CampaignReport.failuresShown) {
        let name = FailureKeeper.name(of: group.first, isSwarm: campaign.isSwarm)
        lines.append("  \(group.failure): \(PlainWords.count(group.count, "run")), first \(name)")
      }
      let more = failures.count - CampaignReport.failuresShown
      if more > 0 { lines.append("  and \(PlainWords.count(more, "other"))") }
    }
    return lines
  }

  /// `988 passed, 12 failed`, and how many are missing.
  package var countsText: String {
    var text = "\(runCount - failedCount) passed, \(failedCount) failed"
    if missingCount > 0 { text += ", \(missingCount) of \(campaign.runCount) are missing" }
    return text
  }

  /// What happened in how many runs, and what never did.
  private var factLines: [String] {
    var lines = ["", "what happened, and in how many runs"]
    let width = Fact.allCases.map(\.rawValue.count).max() ?? 0
    for one in facts {
      let number = (one.count == 0 ? "never" : "\(one.count)").rightAligned(to: 8)
      let percent = shareText(one).rightAligned(to: 7)
      lines.append("  \(one.fact.rawValue.padded(to: width))  \(number)  \(percent)  \(one.fact.about)")
    }
    return lines
  }

  /// `12.5 %` of all runs; empty: it never happened.
  package func shareText(_ one: FactCount) -> String {
    one.count == 0 ? "" : Decimals.text(100 * Double(one.count) / Double(runCount), 1) + " %"
  }

  // MARK: - For programs

  package var jsonLines: [String] {
    var lines = [summaryLine]
    lines += facts.map { one -> String in
      var line = JSONLine(kind: "fact")
      line.add("fact", one.fact.rawValue)
      line.add("about", one.fact.about)
      line.add("runs", one.count)
      if let first = one.first {
        line.add("point", object: pointObject(first.point))
        line.add("seed", first.seed)
      }
      return line.closed
    }
    lines += failures.map { group -> String in
      var line = JSONLine(kind: "failure")
      line.add("failure", group.failure)
      line.add("runs", group.count)
      line.add("point", object: pointObject(group.first.point))
      line.add("seed", group.first.seed)
      if let kept = group.kept.first { line.add("kept", FailureKeeper.name(of: kept, isSwarm: campaign.isSwarm)) }
      return line.closed
    }
    for (number, place) in (curves?.curves ?? []).flatMap(\.places).enumerated() { lines.append(json(place, number)) }
    return lines
  }

  private var summaryLine: String {
    var line = JSONLine(kind: "campaign")
    line.add("campaign", campaign.title)
    line.add("seeds", seeds)
    line.add("runs", runCount)
    line.add("planned", campaign.runCount)
    line.add("failed", failedCount)
    line.add("digest", digest.description)
    return line.closed
  }

  /// The values of the sweep at a point.
  private func pointObject(_ number: Int) -> [(String, String)] {
    campaign.points.indices.contains(number) ? campaign.points[number].values.map { ($0.path, $0.text) } : []
  }

  /// Places of curves stand in the order of the points of the sweep.
  private func json(_ place: Curve.Place, _ number: Int) -> String {
    var line = JSONLine(kind: "point")
    line.add("point", object: pointObject(number))
    line.add("runs", place.runCount)
    line.add("found", place.found.count)
    line.add("low", raw: Decimals.text(place.found.low, 6))
    line.add("high", raw: Decimals.text(place.found.high, 6))
    add("median", place.median, to: &line)
    add("ninetieth", place.ninetieth, to: &line)
    if let theory = place.theory {
      line.add("theory", raw: Decimals.text(theory.share, 6))
      line.add("theoryMedian", raw: theory.median.map { "\"\($0.decimal)\"" } ?? "null")
      line.add("theoryNinetieth", raw: theory.ninetieth.map { "\"\($0.decimal)\"" } ?? "null")
    }
    return line.closed
  }

  /// Seconds with nine decimals, as times are everywhere; `null`: never, or not known.
  private func add(_ key: StaticString, _ estimate: QuantileEstimate, to line: inout JSONLine) {
    func text(_ interval: Interval?) -> String { interval.map { "\"\($0.decimal)\"" } ?? "null" }
    line.add(key, raw: "[\(text(estimate.low)),\(text(estimate.value)),\(text(estimate.high))]")
  }
}
