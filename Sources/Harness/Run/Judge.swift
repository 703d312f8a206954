package import Primitives
package import Scenarios

/// Judges one run by what its engine reported, and by nothing else.
package struct Judge {
  /// Everything about a run that an expectation can ask for.
  package struct Evidence: Sendable {
    /// Reports of the engine in order, refused datagrams among them.
    package var reports: [TimedReport]
    package var entriesPeak: Int
    package var devicesPeak: Int
    /// Root devices that were there when the convergence had to be reached, and at the end; identities.
    package var presentAtConvergence: [String]
    package var presentAtEnd: [String]
    package var end: Instant

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

  /// The verdict on one expectation; `nil` for those that need the runs of several seeds.
  package func verdict(on expectation: ResolvedExpectation) -> Verdict? {
    var verdict = Verdict(id: expectation.id, text: expectation.text, outcome: .held)
    switch expectation.kind {
    case .happens(let checks, let times): judge(checks, times: times, &verdict)
    case .never(let checks): judgeNever(checks, &verdict)
    case .presentDevices(let at, let identities): judgePresent(at, exactly: identities, &verdict)
    case .presentCount(let at, let count):
      let present = devicesPresent(at: at)
      if !count.contains(present.count) {
        violate(&verdict, "\(count) devices at \(at)", "\(present.count): \(list(present))", at)
      }
    case .always(let entriesAtMost, let devicesAtMost): judgeAlways(entriesAtMost, devicesAtMost, &verdict)
    case .converged(let from): judgeConverged(from, &verdict)
    case .share, .distribution: return nil
    }
    if verdict.outcome == .vacuous, expectation.mayBeVacuous { verdict.outcome = .waived }
    return verdict
  }

  /// Whether at least one report matches: what a share counts over the seeds.
  package func occurs(_ check: EventCheck) -> Bool {
    switch check.when {
    case .within(let window): return !matches(check.event, in: window).isEmpty
    case .after(let anchor, let range):
      return occurrences(of: anchor).contains { !matches(check.event, in: window(from: $0.time, range)).isEmpty }
    }
  }

  // MARK: - Kinds

  private func judge(_ checks: [EventCheck], times: CountRange, _ verdict: inout Verdict) {
    var wasTested = false
    for check in checks {
      for window in windows(of: check) {
        wasTested = true
        let found = matches(check.event, in: window)
        if times.contains(found.count) { continue }
        let what = [text(of: check.event), check.label].filter { !$0.isEmpty }.joined(separator: " of ")
        let expected = "\(what), \(times)×, from \(window.lowerBound) to \(window.upperBound)"
        let seen =
          found.isEmpty
          ? nearest(to: check.event, window)
          : "\(found.count)×: " + found.prefix(4).map { "\($0.time)" }.joined(separator: ", ")
        return violate(&verdict, expected, seen, found.last?.time ?? window.upperBound)
      }
    }
    if !wasTested { verdict.outcome = .vacuous }
  }

  private func judgeNever(_ checks: [EventCheck], _ verdict: inout Verdict) {
    var wasTested = false
    for check in checks {
      for window in windows(of: check) {
        wasTested = true
        if let first = matches(check.event, in: window).first {
          return violate(
            &verdict, "no \(text(of: check.event)) from \(window.lowerBound) to \(window.upperBound)",
            ReportText.line(first.report), first.time)
        }
      }
    }
    // In a run in which the engine never said anything, nothing was put to the test.
    if !wasTested || evidence.reports.isEmpty { verdict.outcome = .vacuous }
  }

  private func judgePresent(_ at: Instant, exactly identities: [String], _ verdict: inout Verdict) {
    let present = devicesPresent(at: at)
    let missing = identities.filter { wanted in !present.contains { isSameIdentity($0, wanted) } }
    let extra = present.filter { found in !identities.contains { isSameIdentity($0, found) } }
    if missing.isEmpty, extra.isEmpty { return }
    var found: [String] = []
    if !missing.isEmpty { found.append("missing: \(list(missing))") }
    if !extra.isEmpty { found.append("not expected: \(list(extra))") }
    violate(
      &verdict, "exactly \(identities.count) devices at \(at): \(list(identities))", found.joined(separator: "; "), at)
  }

  private func judgeAlways(_ entriesAtMost: Int?, _ devicesAtMost: Int?, _ verdict: inout Verdict) {
    if let bound = entriesAtMost, evidence.entriesPeak > bound {
      violate(&verdict, "at most \(bound) entries", "\(evidence.entriesPeak) at the peak", nil)
    } else if let bound = devicesAtMost, evidence.devicesPeak > bound {
      violate(&verdict, "at most \(bound) devices", "\(evidence.devicesPeak) at the peak", nil)
    }
  }

  private func judgeConverged(_ from: Instant, _ verdict: inout Verdict) {
    for (time, truth) in [(from, evidence.presentAtConvergence), (evidence.end, evidence.presentAtEnd)] {
      var part = verdict
      judgePresent(time, exactly: truth, &part)
      if part.outcome == .violated {
        return violate(&verdict, "converged: " + part.expected, part.found, time)
      }
    }
    // Who was there all the time was never lost, and who was not there was never found.
    for entry in evidence.reports where entry.time > from {
      let steady = { (device: String) in
        evidence.presentAtConvergence.contains { isSameIdentity($0, device) }
          == evidence.presentAtEnd.contains { isSameIdentity($0, device) }
      }
      switch entry.report {
      case .found(let sighting) where steady(sighting.device):
        return violate(&verdict, "converged: no change after \(from)", ReportText.line(entry.report), entry.time)
      case .lost(let device, _) where steady(device):
        return violate(&verdict, "converged: no change after \(from)", ReportText.line(entry.report), entry.time)
      default: break
      }
    }
    if evidence.presentAtConvergence.isEmpty, evidence.presentAtEnd.isEmpty, evidence.reports.isEmpty {
      verdict.outcome = .vacuous
    }
  }

  // MARK: - Looking things up

  private func violate(_ verdict: inout Verdict, _ expected: String, _ found: String, _ time: Instant?) {
    verdict.outcome = .violated
    (verdict.expected, verdict.found, verdict.time) = (expected, found, time)
  }

  private func windows(of check: EventCheck) -> [ClosedRange<Instant>] {
    switch check.when {
    case .within(let window): return [window]
    case .after(let anchor, let range): return occurrences(of: anchor).map { window(from: $0.time, range) }
    }
  }

  private func window(from time: Instant, _ range: ClosedRange<Interval>) -> ClosedRange<Instant> {
    let low = min(time + range.lowerBound, evidence.end)
    return low...max(low, min(time + range.upperBound, evidence.end))
  }

  private func occurrences(of event: EventMatch) -> [TimedReport] {
    evidence.reports.filter { event.matches($0.report) }
  }

  private func matches(_ event: EventMatch, in window: ClosedRange<Instant>) -> [TimedReport] {
    evidence.reports.filter { window.contains($0.time) && event.matches($0.report) }
  }

  /// The devices that the engine held after its last step at or before `time`, in the order in which they were found.
  private func devicesPresent(at time: Instant) -> [String] {
    var present: [String] = []
    for entry in evidence.reports where entry.time <= time {
      switch entry.report {
      case .found(let sighting): present.append(sighting.device)
      case .lost(let device, _): present.removeAll { isSameIdentity($0, device) }
      case .changed(_, .united(let part)): present.removeAll { isSameIdentity($0, part) }
      default: break
      }
    }
    return present
  }

  /// What comes closest to an event that did not happen in its window.
  private func nearest(to event: EventMatch, _ window: ClosedRange<Instant>) -> String {
    let elsewhere = occurrences(of: event)
    let best = elsewhere.min { distance($0.time, window) < distance($1.time, window) }
    guard let best else { return "it never happened" }
    let side = best.time < window.lowerBound ? "before" : "after"
    return "only \(distance(best.time, window).decimal) s \(side): \(best.time) \(ReportText.line(best.report))"
  }

  private func distance(_ time: Instant, _ window: ClosedRange<Instant>) -> Interval {
    time < window.lowerBound ? window.lowerBound - time : max(.zero, time - window.upperBound)
  }

  private func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.prefix(6).joined(separator: " ") + (names.count > 6 ? " …" : "")
  }

  private func text(of event: EventMatch) -> String {
    switch event.kind {
    case .found: return "found"
    case .lost(let cause): return "lost" + (cause.map { " (\($0.rawValue))" } ?? "")
    case .changed(let what): return "changed" + (what.map { " (\($0.rawValue))" } ?? "")
    case .service(let search, let target):
      return "service" + (search.map { " in search \($0.number)" } ?? "") + (target.map { " \($0)" } ?? "")
    case .searchEnded(let search, let services, _):
      return "end of search" + (search.map { " \($0.number)" } ?? "") + (services.map { " with \($0) services" } ?? "")
    case .failed(let reason): return "failed" + (reason.map { " (\($0.rawValue))" } ?? "")
    case .rejected(let reason): return "rejected" + (reason.map { " (\($0.rawValue))" } ?? "")
    }
  }
}
