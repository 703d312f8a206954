import RollcallConformance
import RollcallDiscovery
package import RollcallPrimitives
package import RollcallScenarios
package import RollcallTrace

/// Judges one run by what its engine reported, and by nothing else.
package struct Judge {
  /// Everything about a run that an expectation can ask for.
  package struct Evidence: Sendable {
    /// Reports of the engine in order, refused datagrams among them.
    package var reports: [TimedReport]
    package var entriesPeak: Int
    package var devicesPeak: Int
    /// The devices that were there when the convergence had to be reached, and at the end, by name.
    var presentAtConvergence: [String]
    var presentAtEnd: [String]
    package var end: Instant
    /// What all hosts sent, judged by clause, where an expectation asks for it.
    var conduct: Judgement?

    package init(
      reports: [TimedReport], entriesPeak: Int, devicesPeak: Int, presentAtConvergence: [String],
      presentAtEnd: [String], end: Instant
    ) {
      self.reports = reports
      self.entriesPeak = entriesPeak
      self.devicesPeak = devicesPeak
      self.presentAtConvergence = presentAtConvergence
      self.presentAtEnd = presentAtEnd
      self.end = end
    }
  }

  private let evidence: Evidence

  package init(_ evidence: Evidence) { self.evidence = evidence }

  /// The engine never said anything: nothing was put to the test.
  var isSilent: Bool { evidence.reports.isEmpty }

  /// The verdict on one expectation; `nil` for those that need the runs of several seeds.
  package func verdict(on expectation: ResolvedExpectation) -> Verdict? {
    var verdict = Verdict(expectation)
    switch expectation.kind {
    case .happens(let checks, let times): judge(checks, times: times, &verdict)
    case .never(let checks): judgeNever(checks, &verdict)
    case .presentDevices(let at, let identities): judgePresent(at, exactly: identities, &verdict)
    case .presentCount(let at, let count):
      let present = devicesPresent(at: at)
      if !count.contains(present.count) {
        verdict.violate(.deviceCount(at: at, wanted: count, present: present))
      } else if present.isEmpty {
        judgeSilence(&verdict)
      }
    case .always(let entriesAtMost, let devicesAtMost): judgeAlways(entriesAtMost, devicesAtMost, &verdict)
    case .converged(let from): judgeConverged(from, &verdict)
    case .conforms(let hosts, let keeps, let ignores): judgeConduct(hosts, keeps, ignores, &verdict)
    case .share, .distribution: return nil
    }
    if verdict.outcome == .vacuous, expectation.mayBeVacuous { verdict.outcome = .waived }
    return verdict
  }

  /// What a run says about a check of a share.
  package enum TraceEvent: Hashable, Sendable {
    /// At least one report matches.
    case yes
    case no
    /// None does, and the run ended before a window did.
    case open
    /// None does: what it counts from never happened.
    case unasked
  }

  package func event(of check: EventCheck) -> TraceEvent {
    let windows = windows(of: check)
    if windows.list.contains(where: { !matches(check.event, in: $0.range).isEmpty }) { return .yes }
    if windows.cutCount > 0 { return .open }
    return windows.list.isEmpty ? .unasked : .no
  }

  // MARK: - Kinds

  private func judge(_ checks: [EventCheck], times: CountRange, _ verdict: inout Verdict) {
    var hasHappened = false
    for check in checks {
      let windows = windows(of: check)
      var isTested = false
      for window in windows.list {
        let found = matches(check.event, in: window.range)
        hasHappened = hasHappened || !found.isEmpty
        let isTooMany = times.maximum.map { found.count > $0 } ?? false
        if isTooMany || window.isWhole && !times.contains(found.count) {
          return verdict.violate(
            .count(
              VerdictReason.CountMiss(
                event: check.event, label: check.label, times: times, window: window.range, found: found,
                nearest: found.isEmpty ? nearest(to: check.event, window.range) : nil)))
        }
        // What has happened often enough stays so; what may still happen is open where the window is cut off.
        if window.isWhole || times.maximum == nil && found.count >= times.minimum { isTested = true }
      }
      verdict.untestedWindows += windows.cutCount
      if !isTested, verdict.reason == nil { verdict.leaveOpen(notTested(check, windows)) }
    }
    if checks.isEmpty { verdict.leaveOpen(.nothingHappened) }
    if verdict.outcome == .vacuous { return }
    // An upper bound alone says something only about what happens; that nothing at all happens is a `never`.
    if times.minimum == 0, times.maximum == 0 {
      judgeSilence(&verdict)
    } else if times.minimum == 0, !hasHappened {
      verdict.leaveOpen(.neverHappened)
    }
  }

  private func judgeConduct(_ hosts: [Int], _ keeps: [String], _ ignores: [String], _ verdict: inout Verdict) {
    guard let conduct = evidence.conduct else { return verdict.leaveOpen(.nothingHappened) }
    for row in conduct.rows where row.finding.ruling == .violated && hosts.contains(Int(row.party.host)) {
      if ignores.contains(row.clause.id) { continue }
      return verdict.violate(
        .broken(
          clause: row.clause.id, by: row.party.name, expected: row.finding.expected, found: row.finding.found,
          at: row.finding.time))
    }
    for host in hosts {
      let missing = keeps.first { id in Clause.named(id).map { conduct.held($0.number, byHost: host) == 0 } ?? true }
      guard let missing else { continue }
      let name = conduct.parties.first { $0.host == host }?.name ?? "a host that sent nothing"
      return verdict.violate(.notKept(clause: missing, by: name))
    }
  }

  private func judgeNever(_ checks: [EventCheck], _ verdict: inout Verdict) {
    for check in checks {
      let windows = windows(of: check)
      for window in windows.list {
        if let first = matches(check.event, in: window.range).first {
          return verdict.violate(.forbidden(check.event, window.range, first))
        }
      }
      verdict.untestedWindows += windows.cutCount
      if verdict.reason == nil, !windows.list.contains(where: \.isWhole) {
        verdict.leaveOpen(notTested(check, windows))
      }
    }
    if checks.isEmpty { verdict.leaveOpen(.nothingHappened) }
    judgeSilence(&verdict)
  }

  private func judgeSilence(_ verdict: inout Verdict) {
    if verdict.outcome == .held, isSilent { verdict.leaveOpen(.nothingHappened) }
  }

  private func judgePresent(_ at: Instant, exactly identities: [String], _ verdict: inout Verdict) {
    if let reason = difference(at, exactly: identities, isConvergence: false) { return verdict.violate(reason) }
    if identities.isEmpty { judgeSilence(&verdict) }
  }

  private func difference(_ at: Instant, exactly identities: [String], isConvergence: Bool) -> VerdictReason? {
    let present = devicesPresent(at: at)
    let missing = identities.filter { wanted in !present.contains { isSameDevice($0, wanted) } }
    let surplus = present.filter { found in !identities.contains { isSameDevice($0, found) } }
    if missing.isEmpty, surplus.isEmpty { return nil }
    return .devices(at: at, wanted: identities, missing: missing, surplus: surplus, isConvergence: isConvergence)
  }

  private func judgeAlways(_ entriesAtMost: Int?, _ devicesAtMost: Int?, _ verdict: inout Verdict) {
    if let bound = entriesAtMost, evidence.entriesPeak > bound {
      verdict.violate(.peak(of: .entries, bound: bound, found: evidence.entriesPeak))
    } else if let bound = devicesAtMost, evidence.devicesPeak > bound {
      verdict.violate(.peak(of: .devices, bound: bound, found: evidence.devicesPeak))
    } else {
      judgeSilence(&verdict)
    }
  }

  private func judgeConverged(_ from: Instant, _ verdict: inout Verdict) {
    for (time, truth) in [(from, evidence.presentAtConvergence), (evidence.end, evidence.presentAtEnd)] {
      if let reason = difference(time, exactly: truth, isConvergence: true) { return verdict.violate(reason) }
    }
    // Who was there all the time was never lost, and who was not there was never found.
    for entry in evidence.reports where entry.time > from {
      let steady = { (device: String) in
        evidence.presentAtConvergence.contains { isSameDevice($0, device) }
          == evidence.presentAtEnd.contains { isSameDevice($0, device) }
      }
      switch entry.report {
      case .found(let sighting) where steady(sighting.device):
        return verdict.violate(.changeAfterConvergence(from: from, entry))
      case .lost(let device, _) where steady(device):
        return verdict.violate(.changeAfterConvergence(from: from, entry))
      default: break
      }
    }
    if evidence.presentAtConvergence.isEmpty, evidence.presentAtEnd.isEmpty { judgeSilence(&verdict) }
  }

  // MARK: - Looking things up

  /// A stretch of the run that counts.
  private struct Window {
    var range: ClosedRange<Instant>
    /// Whether it ends before the run does: else nobody knows what would have come.
    var isWhole: Bool
  }

  private struct Windows {
    var list: [Window] = []
    /// Those that the run ends before, or inside.
    var cutCount = 0
  }

  private func windows(of check: EventCheck) -> Windows {
    switch check.when {
    case .within(let window): return Windows(list: [Window(range: window, isWhole: true)])
    case .after(let anchor, let range):
      var windows = Windows()
      for entry in events(of: anchor) {
        let (low, high) = (entry.time + range.lowerBound, entry.time + range.upperBound)
        if high > evidence.end { windows.cutCount += 1 }
        if low > evidence.end { continue }
        windows.list.append(Window(range: low...min(high, evidence.end), isWhole: high <= evidence.end))
      }
      return windows
    }
  }

  private func notTested(_ check: EventCheck, _ windows: Windows) -> VerdictReason {
    .notTested(check.event, label: check.label, windows: windows.cutCount, end: evidence.end)
  }

  private func events(of event: EventMatch) -> [TimedReport] {
    evidence.reports.indices.filter { isMeant(event, $0) }.map { evidence.reports[$0] }
  }

  private func matches(_ event: EventMatch, in window: ClosedRange<Instant>) -> [TimedReport] {
    evidence.reports.indices.filter { window.contains(evidence.reports[$0].time) && isMeant(event, $0) }
      .map { evidence.reports[$0] }
  }

  private func isMeant(_ event: EventMatch, _ place: Int) -> Bool {
    let report = evidence.reports[place].report
    guard event.matches(report) else { return false }
    guard case .managed(let pattern) = event.kind, let isAgain = pattern.isAgain, case .managed(let found) = report
    else { return true }
    return isAgain ? wasTold(found, before: place) : !told(before: place).contains { $0.id == found.id }
  }

  /// Whether the id of a device was told before, and for this device where that was told: the engine's word alone does
  /// not say it.
  private func wasTold(_ found: ManagerReport, before place: Int) -> Bool {
    let earlier = told(before: place)
    let own = earlier.filter { one in one.names.contains { name in found.names.contains { isSameDevice($0, name) } } }
    return (own.isEmpty ? earlier : own).contains { $0.id == found.id }
  }

  private func told(before place: Int) -> [ManagerReport] {
    evidence.reports[..<place].compactMap { entry in
      guard case .managed(let report) = entry.report, case .found = report.event else { return nil }
      return report
    }
  }

  /// The devices that the engine held after its last step at or before `time`, in the order in which they were found.
  private func devicesPresent(at time: Instant) -> [String] {
    var directory = Directory()
    for entry in evidence.reports where entry.time <= time { directory.take(entry.report, at: entry.time) }
    // One that was found twice counts twice: its engine takes it for two.
    return directory.present.flatMap { [String](repeating: $0.sighting.device, count: Int($0.foundCount)) }
  }

  /// What comes closest to an event that did not happen in its window.
  private func nearest(to event: EventMatch, _ window: ClosedRange<Instant>) -> TimedReport? {
    events(of: event).min { VerdictReason.distance($0.time, window) < VerdictReason.distance($1.time, window) }
  }
}

extension ManagerReport {
  /// The devices of the directory that it stands for, and their parts.
  var names: [String] { state.members + state.services.map(\.owner) }
}
