package import RollcallPrimitives
package import RollcallScenarios
package import RollcallTrace

/// What became of one expectation.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable {
    case held, violated
    /// It held because nothing happened, or because nothing was looked at.
    case vacuous
    /// As `vacuous`, and the scenario says that this is all right.
    case waived
  }
  package var id: String
  /// The expectation as the scenario has it, on one line.
  package var text: String
  /// Where it stands in the scenario.
  package var place: Place
  package var outcome: Outcome
  /// Why it does not hold, or is vacuous; of the first check that says so.
  package var reason: VerdictReason?
  /// Windows that the run ended before, so that nothing was decided in them.
  package var untestedWindows: Int
  /// What the scenario calls its nearby peers, by their names as devices; where it says something only.
  package var names: [String: String] = [:]

  package init(
    id: String, text: String, place: Place = .none, outcome: Outcome, reason: VerdictReason? = nil,
    untestedWindows: Int = 0
  ) {
    (self.id, self.text, self.place) = (id, text, place)
    (self.outcome, self.reason, self.untestedWindows) = (outcome, reason, untestedWindows)
  }

  init(_ expectation: ResolvedExpectation) {
    self.init(id: expectation.id, text: expectation.text, place: expectation.place, outcome: .held)
  }

  mutating func violate(_ reason: VerdictReason) { (outcome, self.reason) = (.violated, reason) }
  mutating func leaveOpen(_ reason: VerdictReason) { (outcome, self.reason) = (.vacuous, reason) }

  /// Whether it makes its run fail.
  package var isBad: Bool { outcome == .violated || outcome == .vacuous }
}

/// Why an expectation does not hold, or says nothing: values, for printers to put into words.
package enum VerdictReason: Hashable, Sendable {
  // Violated.
  case count(CountMiss)
  /// What must not be reported in this window was.
  case forbidden(EventMatch, ClosedRange<Instant>, TimedReport)
  /// The devices that are there are not those that should be; `isConvergence`: the true ones.
  case devices(at: Instant, wanted: [String], missing: [String], surplus: [String], isConvergence: Bool)
  case deviceCount(at: Instant, wanted: CountRange, present: [String])
  /// A device that was there all the time was lost, or one found that was not there.
  case changeAfterConvergence(from: Instant, TimedReport)
  case peak(of: Held, bound: Int, found: Int)
  case share(label: String, bound: Ratio, isLower: Bool, count: UInt64, seeds: UInt64)
  case sampleOutside(Distribution.Quantity, ClosedRange<Interval>, Interval)
  case unevenSample(Distribution.Quantity, count: Int, chance: Double, alpha: Double)
  /// A host broke a clause.
  case broken(clause: String, by: String, expected: String, found: String, at: Instant)
  /// A host never showed that it keeps a clause.
  case notKept(clause: String, by: String)

  // Vacuous.
  /// No window of this check lies wholly inside the run: so many began in it.
  case notTested(EventMatch, label: String, windows: Int, end: Instant)
  /// The engine reported nothing at all.
  case nothingHappened
  /// It may happen so often at most, and it never did.
  case neverHappened
  /// The run of every seed ended before the window did.
  case noSeedTells
  case tooFewSamples(Int, of: Int)

  package enum Held: String, Hashable, Sendable { case entries, devices }

  /// Too many or too few reports in a window.
  package struct CountMiss: Hashable, Sendable {
    package var event: EventMatch
    /// The device that it is about; empty for none or several.
    package var label: String
    package var times: CountRange
    package var window: ClosedRange<Instant>
    package var count: Int
    /// When; at most `listedMaximum`, and the last.
    package var listed: [Instant]
    package var last: Instant?
    /// Where nothing was in the window: what comes closest to it.
    package var nearest: TimedReport?

    package static let listedMaximum = 4

    package init(
      event: EventMatch, label: String, times: CountRange, window: ClosedRange<Instant>, found: [TimedReport],
      nearest: TimedReport?
    ) {
      (self.event, self.label, self.times, self.window) = (event, label, times, window)
      count = found.count
      listed = found.prefix(CountMiss.listedMaximum).map(\.time)
      last = found.last?.time
      self.nearest = nearest
    }
  }
}

/// What became of a run.
package enum RunOutcome: String, Hashable, Sendable, CaseIterable {
  case passed, failed, vacuous, budget, error
}
