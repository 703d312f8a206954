import RollcallConformance
import RollcallPrimitives
import RollcallReporting
package import RollcallRunning
package import RollcallScenarios
import RollcallSimulation
import RollcallTrace

/// The picture of a run: every host, what was lost between them, the engine's devices beside the true ones, what was
/// expected, and which clauses were kept.
package enum RunPicture {
  /// Performs the run, with everything recorded: that changes nothing of it.
  /// - Parameters:
  ///   - path: of the scenario, for people.
  ///   - again: the command that repeats the run; `nil`: none is told.
  ///   - engine: what is in the place of Rollcall's engine.
  package static func picture(
    of resolved: Resolved, seed: UInt64, path: String, again: String? = nil, bounds: PictureBounds = PictureBounds(),
    engine: RunEngine? = nil
  ) -> Picture {
    var options = RunOptions(recordedHosts: Array(resolved.hosts.indices), engine: engine)
    options.watchesTruth = true
    let result = Run.perform(resolved, seed: Seed(seed), options: options)
    let cast = cast(of: resolved)
    var making = TracePicture(cast, knowsTruth: true, bounds: bounds)
    var truths = result.truth[...]
    var faults = FaultMarks(resolved)
    for (place, entry) in result.trace.enumerated() {
      // What is true at an instant is so before anything is reported then.
      let time = cast.moment(entry.time, of: Int(entry.station))
      while let truth = truths.first, truth.time <= time {
        truths.removeFirst()
        add(truth, to: &making, cast)
      }
      faults.put(until: time, into: &making.draft)
      making.take(entry, number: result.traceNumbers[place])
    }
    for truth in truths { add(truth, to: &making, cast) }
    let end = Instant.zero + result.virtualTime
    faults.put(until: end, into: &making.draft)
    making.draft.stretch(to: end)
    var picture = making.finish(verb: "rollcall run", title: resolved.scenario.title, origin: .zero)
    picture.outcome = outcome(result.outcome)
    picture.facts = facts(of: result, resolved, seed, path, again, picture)
    picture.expectations = result.verdicts.map { expectation($0, path) }
    let judgement = TraceHearing.judgement(
      result.trace, numbers: result.traceNumbers, hosts: resolved.hosts.map(\.name), end: resolved.end)
    picture.judge(judgement, bounds: bounds)
    return picture
  }

  private static func add(_ truth: TrueDevice, to making: inout TracePicture, _ cast: TraceCast) {
    making.reported.devices.truth(
      truth.device, isThere: truth.isThere, at: truth.time, name: cast.name(of: truth.device),
      detail: cast.detail(of: truth.device))
  }

  private static func cast(of resolved: Resolved) -> TraceCast {
    let stations = zip(resolved.hosts, resolved.plan.hosts).map { host, plan -> TraceCast.Station in
      var station = TraceCast.Station(host.name, host.role == .engine ? .engine : .host)
      station.driftMillionths = plan.clockDriftMillionths
      station.segments = plan.interfaces.map(\.segment)
      return station
    }
    var cast = TraceCast(stations)
    for device in resolved.devices {
      for identity in device.identities { cast.name(identity, device.name) }
    }
    cast.peerNames = resolved.peerNames
    return cast
  }

  // MARK: - Words

  private static func outcome(_ outcome: RunOutcome) -> Picture.Outcome {
    switch outcome {
    case .passed: Picture.Outcome("passed", .good)
    case .failed: Picture.Outcome("failed", .bad)
    case .vacuous: Picture.Outcome("vacuous: nothing was put to the test", .open)
    case .budget: Picture.Outcome("ended: the budget was used up", .bad)
    case .error: Picture.Outcome("error", .bad)
    }
  }

  private static func facts(
    of result: RunResult, _ resolved: Resolved, _ seed: UInt64, _ path: String, _ again: String?, _ picture: Picture
  ) -> [Picture.Fact] {
    var facts = [
      Picture.Fact("scenario", PictureText.shown(path)), Picture.Fact("seed", "\(seed)"),
      Picture.Fact("digest", "\(result.digest)"),
      Picture.Fact("virtual time", result.virtualTime.secondsText), Picture.Fact("entries", "\(result.entries)"),
      Picture.Fact("hosts", "\(resolved.hosts.count)"),
    ]
    if !picture.losses.isEmpty { facts.append(Picture.Fact("did not arrive", "\(picture.losses.count)")) }
    for state in [Picture.Device.State.stale, .missing] {
      let spans = picture.devices.flatMap(\.spans).filter { $0.state == state }
      let total = spans.reduce(Interval.zero) { $0 + ($1.to - $1.from) }
      if total > .zero { facts.append(Picture.Fact(state.rawValue, PlainWords.duration(total) + " in all")) }
    }
    if let failure = result.engineFailure { facts.append(Picture.Fact("engine", PictureText.shown(failure))) }
    if let again { facts.append(Picture.Fact("again", PictureText.shown(again))) }
    return facts
  }

  private static func expectation(_ verdict: Verdict, _ path: String) -> Picture.Expectation {
    let outcome: Picture.Outcome
    switch verdict.outcome {
    case .held: outcome = Picture.Outcome("held", .good)
    case .violated: outcome = Picture.Outcome("violated", .bad)
    case .vacuous: outcome = Picture.Outcome("vacuous", .open)
    case .waived: outcome = Picture.Outcome("vacuous, as allowed", .open)
    }
    return Picture.Expectation(
      id: PictureText.shown(verdict.id), text: PictureText.shown(verdict.text),
      place: verdict.place.line > 0 ? PictureText.shown(verdict.place.text(in: path)) : "", outcome: outcome,
      expected: PictureText.shown(verdict.expected), found: PictureText.shown(verdict.found),
      time: verdict.time.map { max(.zero, $0 - .zero) })
  }
}
