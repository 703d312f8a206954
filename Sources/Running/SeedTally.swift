import RollcallPrimitives
package import RollcallScenarios

/// What one run contributes to the expectations that look at all seeds of a point together.
package struct SeedContribution: Sendable {
  /// For each check of each share, in the order of the expectations.
  var events: [Judge.TraceEvent]
  /// For each distribution, in the order of the expectations.
  var samples: [DistributionSample]
  /// The engine said nothing in it.
  var isSilent: Bool
}

extension SeedContribution {
  init(_ judge: Judge, _ samples: [DistributionSample], _ expectations: [ResolvedExpectation]) {
    events = expectations.flatMap { expectation -> [Judge.TraceEvent] in
      guard case .share(let checks, _, _) = expectation.kind else { return [] }
      return checks.map { judge.event(of: $0) }
    }
    self.samples = samples
    isSilent = judge.isSilent
  }
}

/// Judges expectations that look at all seeds of a point together, a seed at a time. What it keeps does not grow with
/// the seeds.
package struct SeedTally: Sendable {
  private let expectations: [ResolvedExpectation]
  private var shares: [Share]
  private var samples: [SampleTally]
  /// Under no seed has the engine said anything.
  private var isSilent = true

  private struct Share {
    var count: UInt64 = 0
    var total: UInt64 = 0
    /// Under some seed there was a window to look at.
    var isAsked = false
  }

  package init(_ expectations: [ResolvedExpectation]) {
    var shares = 0
    var samples: [SampleTally] = []
    var overSeeds: [ResolvedExpectation] = []
    for expectation in expectations {
      switch expectation.kind {
      case .share(let checks, _, _): shares += checks.count
      case .distribution(let distribution, _): samples.append(SampleTally(distribution))
      default: continue
      }
      overSeeds.append(expectation)
    }
    self.expectations = overSeeds
    self.shares = Array(repeating: Share(), count: shares)
    self.samples = samples
  }

  /// Adds a run of the next seed.
  package mutating func add(_ run: SeedContribution) {
    // A seed under which the window was cut off says nothing, neither for nor against.
    for (number, event) in run.events.enumerated() where number < shares.count && event != .open {
      shares[number].total += 1
      if event == .yes { shares[number].count += 1 }
      if event != .unasked { shares[number].isAsked = true }
    }
    if !run.isSilent { isSilent = false }
    for (number, sample) in run.samples.enumerated() where number < samples.count { samples[number].add(sample.values) }
  }

  /// One for each expectation over the seeds, in their order.
  package var verdicts: [Verdict] {
    var verdicts: [Verdict] = []
    var share = 0
    var sample = 0
    for expectation in expectations {
      var verdict = Verdict(expectation)
      switch expectation.kind {
      case .share(let checks, let atLeast, let atMost):
        for check in checks {
          judge(check, shares[share], atLeast, atMost, &verdict)
          share += 1
        }
        // As in a single run: without a device to look at, and where nothing is ever said, no bound is put to the test.
        if verdict.outcome == .held, checks.isEmpty || isSilent { verdict.leaveOpen(.nothingHappened) }
      case .distribution(let distribution, _):
        samples[sample].judge(distribution, &verdict)
        sample += 1
      default: break
      }
      if verdict.outcome == .vacuous, expectation.mayBeVacuous { verdict.outcome = .waived }
      verdicts.append(verdict)
    }
    return verdicts
  }

  private func judge(
    _ check: EventCheck, _ share: Share, _ atLeast: Ratio?, _ atMost: Ratio?, _ verdict: inout Verdict
  ) {
    if verdict.outcome == .violated { return }
    func compared(_ ratio: Ratio) -> (count: (UInt64, UInt64), bound: (UInt64, UInt64)) {
      let (count, bound) = (
        share.count.multipliedFullWidth(by: ratio.denominator), ratio.numerator.multipliedFullWidth(by: share.total)
      )
      return ((count.high, count.low), (bound.high, bound.low))
    }
    func violate(_ bound: Ratio, isLower: Bool) {
      verdict.violate(
        .share(label: check.label, bound: bound, isLower: isLower, count: share.count, seeds: share.total))
    }
    if let atLeast, compared(atLeast).count < compared(atLeast).bound {
      violate(atLeast, isLower: true)
    } else if let atMost, compared(atMost).count > compared(atMost).bound {
      violate(atMost, isLower: false)
    } else if verdict.outcome == .held, share.total == 0 || !share.isAsked {
      // The run of every seed ended before the window did, or what the window counts from never happened.
      verdict.leaveOpen(share.total == 0 ? .noSeedTells : .neverHappened)
    }
  }
}

/// Measured times of all seeds so far: how many fell into each part of the range, and the first that fell outside.
private struct SampleTally: Sendable {
  private let range: ClosedRange<Interval>
  private var counts: [Int]
  private var total = 0
  private var outside: Interval?

  init(_ distribution: Distribution) {
    range = distribution.range
    counts = Array(repeating: 0, count: ChiSquare.bins)
  }

  package mutating func add(_ values: [Interval]) {
    let width = Double((range.upperBound - range.lowerBound).nanoseconds)
    for value in values {
      total += 1
      guard range.contains(value) else {
        if outside == nil { outside = value }
        continue
      }
      counts[ChiSquare.bin(of: Double((value - range.lowerBound).nanoseconds) / width)] += 1
    }
  }

  func judge(_ distribution: Distribution, _ verdict: inout Verdict) {
    if let outside { return verdict.violate(.sampleOutside(distribution.of, range, outside)) }
    if total < distribution.samplesMinimum {
      return verdict.leaveOpen(.tooFewSamples(total, of: distribution.samplesMinimum))
    }
    let chance = ChiSquare.uniformity(of: counts)
    let alpha = Double(distribution.alpha.numerator) / Double(distribution.alpha.denominator)
    if chance < alpha {
      verdict.violate(.unevenSample(distribution.of, count: total, chance: chance, alpha: alpha))
    }
  }
}
