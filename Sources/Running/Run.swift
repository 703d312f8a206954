import RollcallConformance
import RollcallDevices
package import RollcallDiscovery
import RollcallEngines
package import RollcallPrimitives
package import RollcallScenarios
package import RollcallSimulation
package import RollcallTrace

/// One run of one point of a scenario under one seed, and everything that is kept of it.
package struct RunResult: Sendable {
  package var digest: Digest
  package var entries: UInt64
  package var virtualTime: Interval
  package var evidence: Judge.Evidence
  package var verdicts: [Verdict]
  package var outcome: RunOutcome
  /// Which budget was used up; `nil`: none.
  package var reachedBudget: String?
  package var statistics: NetworkStatistics
  package var rejections: [(reason: RejectionReason, count: Int)]
  /// Entries of the stations that were asked for, and their numbers among all entries of the run, from 1.
  package var trace: [TraceEntry]
  package var traceNumbers: [Int]
  package var membershipFrames: [MembershipFrame]
  /// What it says to expectations that look at several seeds together.
  package var contribution: SeedContribution
  /// Which devices came and went in truth, where that was asked for.
  package var truth: [TrueDevice] = []
  /// Why an engine in the place of Rollcall's failed, as a sentence; `nil`: it did not.
  package var engineFailure: String?
  /// What such an engine said last; hostile text.
  package var engineNotes: [String] = []
}

/// A device came to the network or went, reported or not.
package struct TrueDevice: Hashable, Sendable {
  package var time: Instant
  /// As reports name it.
  package var device: String
  package var isThere: Bool
}

/// How to run.
package struct RunOptions: Sendable {
  /// Hosts whose trace is kept, by number; `nil`: nobody's.
  package var recordedHosts: [Int]?
  /// A host whose membership messages are kept.
  package var watchedHost: Int?
  package var switches: [EngineSwitch]
  /// Whether it is kept which devices are there in truth; with `recordedHosts`.
  package var watchesTruth = false
  /// What takes the place of the engine; `nil`: Rollcall's own is in it.
  package var engine: RunEngine?

  package init(
    recordedHosts: [Int]? = nil, watchedHost: Int? = nil, switches: [EngineSwitch] = [],
    engine: RunEngine? = nil
  ) {
    (self.recordedHosts, self.watchedHost, self.switches, self.engine) = (recordedHosts, watchedHost, switches, engine)
  }
}

package enum Run {
  /// Runs a point to its end and judges it.
  package static func perform(_ resolved: Resolved, seed: Seed, options: RunOptions = RunOptions()) -> RunResult {
    let isJudged = resolved.expectations.contains { if case .conforms = $0.kind { true } else { false } }
    let sampled = isJudged ? Array(resolved.hosts.indices) : DistributionSample.hosts(of: resolved)
    let hosts = options.recordedHosts.map { $0 + sampled } ?? (sampled.isEmpty ? nil : sampled)
    let recorder = hosts.map { Recorder(stations: $0.map { UInt32($0) }) }
    let seat = options.engine?.seat(seed, resolved.end - .zero)
    var world = World(
      plan: Stage.plan(resolved, seed: seed, switches: options.switches, engine: seat?.add), recorder: recorder)
    if let host = options.watchedHost { world.watchMembership(ofHost: host) }
    let witness = options.watchesTruth ? recorder.map { TruthWitness(of: resolved, recorder: $0) } : nil
    func run(_ world: inout World, until end: Instant) {
      if let witness { witness.run(&world, until: end) } else { world.run(until: end) }
    }
    world.start()
    var presentAtConvergence: [String] = []
    if let converged = resolved.convergedFrom {
      run(&world, until: converged)
      presentAtConvergence = resolved.sought(world.presentDevices, at: converged)
    }
    run(&world, until: resolved.end)
    let engineEnd = seat?.end()
    var evidence = evidence(of: world, in: resolved, presentAtConvergence: presentAtConvergence)
    if isJudged {
      evidence.conduct = TraceHearing.judgement(
        recorder?.entries ?? [], hosts: resolved.hosts.map(\.name), end: resolved.end)
    }
    let judge = Judge(evidence)
    var verdicts = resolved.expectations.compactMap { judge.verdict(on: $0) }
    if verdicts.contains(where: \.isBad) {
      let names = resolved.peerNames
      for place in verdicts.indices where verdicts[place].isBad { verdicts[place].names = names }
    }
    let samples =
      sampled.isEmpty ? [] : DistributionSample.take(from: recorder?.entries ?? [], of: resolved)
    let kept = kept(recorder, of: options.recordedHosts ?? [], besides: sampled)
    return RunResult(
      digest: world.gate.digest, entries: world.gate.entryCount, virtualTime: world.now - .zero, evidence: evidence,
      verdicts: verdicts,
      outcome: engineEnd?.failure != nil
        ? .error
        : outcome(
          verdicts, hasExpectations: !resolved.expectations.isEmpty, reachedBudget: world.reachedBudget != nil),
      reachedBudget: world.reachedBudget, statistics: world.network.statistics, rejections: world.rejections.byReason,
      trace: kept.entries, traceNumbers: kept.numbers,
      membershipFrames: world.network.membershipFrames,
      contribution: SeedContribution(judge, samples, resolved.expectations), truth: witness?.changes ?? [],
      engineFailure: engineEnd?.failure, engineNotes: engineEnd?.notes ?? [])
  }

  /// What can be judged of a world at its end.
  package static func evidence(
    of world: borrowing World, in resolved: Resolved, presentAtConvergence: [String]
  ) -> Judge.Evidence {
    let counters = world.all(DiscoveryEngine.self).map(\.counters)
    return Judge.Evidence(
      reports: merged(world.reports, world.rejections), entriesPeak: counters.map(\.openLeasesPeak).max() ?? 0,
      devicesPeak: counters.map(\.devicesPresentPeak).max() ?? 0, presentAtConvergence: presentAtConvergence,
      presentAtEnd: resolved.sought(world.presentDevices, at: resolved.end), end: resolved.end)
  }

  /// The entries of these hosts. What was recorded to be measured is not kept: a trace is large, and a suite has many
  /// runs.
  private static func kept(
    _ recorder: Recorder?, of hosts: [Int], besides sampled: [Int]
  ) -> (entries: [TraceEntry], numbers: [Int]) {
    guard let recorder, !hosts.isEmpty else { return ([], []) }
    let (entries, numbers) = (recorder.entries, recorder.numbers)
    if Set(sampled).isSubset(of: hosts) { return (entries, numbers) }
    let stations = Set(hosts.map { UInt32($0) })
    let places = entries.indices.filter { stations.contains(entries[$0].station) }
    return (places.map { entries[$0] }, places.map { numbers[$0] })
  }

  /// - Parameter hasExpectations: without any nothing was checked, and that is no success.
  package static func outcome(_ verdicts: [Verdict], hasExpectations: Bool, reachedBudget: Bool) -> RunOutcome {
    if reachedBudget { return .budget }
    if !hasExpectations { return .vacuous }
    if verdicts.contains(where: { $0.outcome == .violated }) { return .failed }
    if verdicts.contains(where: { $0.outcome == .vacuous }) { return .vacuous }
    return .passed
  }

  /// Reports with the refused datagrams among them, in order of time.
  private static func merged(_ reports: [TimedReport], _ rejections: RejectionTally) -> [TimedReport] {
    if rejections.listed.isEmpty { return reports }
    var merged: [TimedReport] = []
    merged.reserveCapacity(reports.count + rejections.listed.count)
    var next = 0
    for entry in rejections.listed {
      while next < reports.count, reports[next].time <= entry.time {
        merged.append(reports[next])
        next += 1
      }
      merged.append(TimedReport(time: entry.time, station: 0, report: .rejected(entry.rejection)))
    }
    return merged + reports[next...]
  }
}
