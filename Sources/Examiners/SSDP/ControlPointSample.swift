import RollcallPrimitives

/// What came of putting one probe in one way, once.
struct ControlPointSample: Hashable, Sendable {
  enum Outcome: Hashable, Sendable {
    case held
    case violated
    /// It may be a breach, and cannot be told.
    case unsure
    /// Nothing can be seen.
    case unseen
  }

  var probe: ControlPointProbe
  var way: ControlPointProbe.Way
  var attempt: Int
  var outcome: Outcome
  /// What was seen; for `unseen` and `unsure` the reason.
  var text: String
  /// Whether a repetition could change it.
  var isDefinite = true
  /// The bait that shows it.
  var bait: Int?
  /// The mark of the bait that shows it.
  var mark: ControlPointBait.Mark?
  /// The entry of the log that shows it, where no bait does.
  var position: Int?
}

extension ControlPointExamination {
  /// Judges the run that is over, asks again where that may help, and goes on.
  mutating func evaluate(at now: Instant) {
    guard let run else { return finish(at: now) }
    if run.isRefused {
      samples += run.probes.map { unseen($0, run, "the system did not send all that was put") }
      return nextRun(at: now)
    }
    for probe in run.probes {
      var sample = judged(probe, run)
      if let death = death(run), sample.outcome != .unseen || run.baits.contains(where: { baits[$0].isSent }) {
        // Which of the baits it was shows when each is put alone.
        if sample.outcome != .violated || !sample.isDefinite {
          sample = ControlPointSample(
            probe: probe, way: run.way, attempt: run.attempt, outcome: .violated, text: death, isDefinite: false,
            bait: own(probe, run).first)
        }
      }
      let mayRepeat = sample.outcome == .violated && !sample.isDefinite && run.attempt <= setting.repeats
      samples.append(sample)
      if mayRepeat, limit > now {
        queue.insert(
          ControlPointRun(way: run.way, probes: [probe], attempt: run.attempt + 1, company: run.company),
          at: repeatPlace())
        if probe != .copies { count(run) }
      }
    }
    if run.company == .only { conclude(run) }
    dropHopeless(run)
    nextRun(at: now)
  }

  /// Repetitions come before what is new, in order.
  private func repeatPlace() -> Int { (queue.lastIndex { $0.attempt > 1 } ?? -1) + 1 }

  /// What was not taken beside good baits may have been left out since one of them was taken: a program may show one
  /// device and no more. So it is counted, once on each way, how many good ones it shows.
  private mutating func count(_ run: ControlPointRun) {
    guard run.way == .answer || run.way == .announcement, !countedWays.contains(run.way), isShown(run) else { return }
    countedWays.append(run.way)
    queue.insert(.count(run.way), at: 0)
  }

  /// Where it shows one device at a time each bait is put alone, and what was judged beside others is judged anew.
  private mutating func conclude(_ run: ControlPointRun) {
    let goods = goods(run).filter { baits[$0].isSent }
    guard goods.count > 1, goods.count(where: { baits[$0].isTaken }) == 1 else { return }
    singleWays.append(run.way)
    let before = samples.filter { $0.way == run.way && $0.probe != .copies }.map(\.probe)
    let open = queue.filter { $0.way == run.way }.flatMap(\.probes)
    samples.removeAll { $0.way == run.way && $0.probe != .copies }
    queue.removeAll { $0.way == run.way }
    var probes: [ControlPointProbe] = []
    for probe in before + open where !probes.contains(probe) { probes.append(probe) }
    let alone = probes.map { ControlPointRun(way: run.way, probes: [$0], attempt: 2, company: .none) }
    queue.insert(contentsOf: alone, at: 0)
  }

  /// Who shows no announcement shows no story either.
  private mutating func dropHopeless(_ run: ControlPointRun) {
    guard run.way == .announcement, run.attempt == 1, run.company == .good, !isShown(run) else { return }
    for hopeless in queue where hopeless.way == .announcement || hopeless.way == .story {
      for probe in hopeless.probes { samples.append(unseen(probe, hopeless, reason(run))) }
    }
    queue.removeAll { $0.way == .announcement || $0.way == .story }
  }

  // MARK: - What a run shows

  private func own(_ probe: ControlPointProbe, _ run: ControlPointRun) -> [Int] {
    run.baits.filter { baits[$0].probe == probe && baits[$0].role == .probe && baits[$0].isSent }
  }
  private func goods(_ run: ControlPointRun) -> [Int] {
    run.baits.filter { baits[$0].role == .control || baits[$0].role == .companion }
  }
  /// Whether it shows any good bait that came this way; of one that is sent nothing else it was seen before.
  private func isShown(_ run: ControlPointRun) -> Bool {
    run.company == .none || goods(run).contains { baits[$0].isTaken }
  }

  /// Why nothing can be seen in a run.
  private func reason(_ run: ControlPointRun) -> String {
    if run.way == .answer, run.asker == nil {
      return setting.hasCommand ? "it did not search" : "it did not search while it was waited for"
    }
    if !run.baits.contains(where: { baits[$0].isSent }) {
      switch run.end {
      case .exited(let code): return "it ended with exit code \(code) before anything was sent to it"
      case .signalled(let number): return "it was ended by signal \(number) before anything was sent to it"
      case .stopped, nil: return "the time was over"
      }
    }
    let hint =
      setting.hasCommand ? "it neither prints nor fetches" : "it fetches none; with --command its output is read"
    if run.way == .answer { return "a good answer is not shown: \(hint)" }
    if case .exited = run.end, run.unsentAtEnd > 0 { return "it ends by itself and shows no announcement before" }
    return
      "a good announcement is not shown: \(setting.hasCommand ? "it listens to answers only, or is silent about the rest" : hint)"
  }

  private func death(_ run: ControlPointRun) -> String? {
    guard case .signalled(let number) = run.end else { return nil }
    return "it was ended by signal \(number)"
  }

  private func unseen(_ probe: ControlPointProbe, _ run: ControlPointRun, _ why: String) -> ControlPointSample {
    ControlPointSample(probe: probe, way: run.way, attempt: run.attempt, outcome: .unseen, text: why)
  }

  /// Whether the good bait behind a bad one was taken, or any later one; `nil`: none was sent.
  private func survives(_ number: Int, _ run: ControlPointRun) -> Bool? {
    let later = goods(run).filter { $0 > number && baits[$0].isSent }
    return later.isEmpty ? nil : later.contains { baits[$0].isTaken }
  }

  // MARK: - Verdict of one probe in one run

  private func judged(_ probe: ControlPointProbe, _ run: ControlPointRun) -> ControlPointSample {
    func sample(
      _ outcome: ControlPointSample.Outcome, _ text: String, isDefinite: Bool = true, _ bait: Int? = nil,
      _ mark: ControlPointBait.Mark? = nil
    ) -> ControlPointSample {
      ControlPointSample(
        probe: probe, way: run.way, attempt: run.attempt, outcome: outcome, text: text, isDefinite: isDefinite,
        bait: bait, mark: mark)
    }
    if run.way == .answer && run.asker != nil || run.way == .announcement, let why = obstacle(probe, run.way) {
      return sample(.unseen, why)
    }
    if probe == .copies { return copiesSample(run) }
    if run.way == .story { return storySample(probe, run) }
    let own = own(probe, run)
    guard isShown(run) else {
      // A flood goes the ways on which something was shown before.
      if run.way == .flood, let way = floodWay(run) {
        return sample(.violated, "no good \(way.rawValue) is taken any more, as they were before", isDefinite: false)
      }
      return sample(.unseen, reason(run))
    }
    if run.way == .flood { return floodSample(run) }
    guard let bait = own.last else { return sample(.unseen, "it ended before this was sent") }
    if probe.facts.wanted != .taken, survives(bait, run) == false {
      return sample(.violated, "no good bait is taken any more after it", isDefinite: false, bait)
    }
    let taken = own.first { baits[$0].isTaken }
    switch probe.facts.wanted {
    case .taken:
      // Of answers that follow the copies of a search the last one counts.
      let shown = probe == .lastMoment ? (baits[bait].isTaken ? bait : nil) : taken
      if let shown { return sample(.held, "taken", shown, baits[shown].proof) }
      let others = run.company == .none ? "not taken, though a good bait alone is" : "not taken, though good baits are"
      return sample(.violated, others, isDefinite: false, bait)
    case .refused:
      if let taken { return sample(.violated, "taken", taken, baits[taken].proof) }
      return sample(.held, "dropped", bait)
    case .either:
      return sample(.held, taken == nil ? "dropped" : "taken", taken ?? bait)
    case .ruled: return ruledSample(probe, run, bait)
    }
  }

  private func ruledSample(_ probe: ControlPointProbe, _ run: ControlPointRun, _ bait: Int) -> ControlPointSample {
    func sample(
      _ outcome: ControlPointSample.Outcome, _ text: String, _ mark: ControlPointBait.Mark? = nil
    ) -> ControlPointSample {
      ControlPointSample(
        probe: probe, way: run.way, attempt: run.attempt, outcome: outcome, text: text, bait: bait, mark: mark)
    }
    let one = baits[bait]
    switch probe {
    case .folded:
      if let trap = one.shows(.trap) { return sample(.violated, "the folded line was read as LOCATION", trap) }
      return sample(.held, one.isTaken ? "taken with the right LOCATION" : "dropped")
    case .doubledField:
      let (first, second) = (one.shows(.own), one.shows(.second))
      let rule = first != nil && second != nil ? "both" : first != nil ? "first" : second != nil ? "last" : "drop"
      if rule == "drop", one.isTaken { return sample(.held, "taken without a LOCATION", one.proof) }
      // Both is no rule: which one counts is left to chance.
      return sample(rule == "both" ? .violated : .held, "rule: \(rule)", first ?? second)
    case .offSubnet:
      if let fetch = one.marks.first(where: { $0.kind == .fetched(.trap) }) {
        return sample(.violated, "it was fetched from \(setting.offSubnet.address)", fetch)
      }
      if let told = one.marks.first(where: { $0.kind == .told(.trap) }) {
        let unwatched = setting.isOffSubnetWatched ? "it is not fetched" : "whether it is fetched cannot be seen"
        return sample(.unsure, "it is handed on in its output; \(unwatched)", told)
      }
      if one.isTaken || setting.isOffSubnetWatched {
        return sample(.held, one.isTaken ? "the device is taken, its LOCATION is not handed on" : "not followed")
      }
      return sample(.unseen, "nothing of it is shown, and whether it is fetched cannot be seen")
    case .redirects:
      let count = redirectCounts[bait] ?? 0
      if count == 0 { return sample(.unseen, "it fetches no description") }
      if count > 20 { return sample(.violated, "asked \(count) times for the same page", one.proof) }
      return sample(.held, "asked \(count) time\(count == 1 ? "" : "s")", one.proof)
    case .valueCase:
      let own = own(probe, run)
      // Who takes what nobody asked for does not compare, with or without regard to case.
      if own.contains(where: { baits[$0].variant == 1 && baits[$0].isTaken }) {
        return sample(.unseen, "it does not compare ST at all")
      }
      if run.company == .none {
        // Of the two baits it shows the first one, whatever it makes of the second.
        switch samples.last(where: { $0.probe == .wrongST && $0.way == run.way })?.outcome {
        case .held: break
        case .violated: return sample(.unseen, "it does not compare ST at all")
        case .unsure, .unseen, nil: return sample(.unseen, "it shows one device at a time, and wrong-st was not put")
        }
      }
      if let taken = own.first(where: { baits[$0].variant == 0 && baits[$0].isTaken }) {
        return sample(.violated, "taken", baits[taken].proof)
      }
      return sample(.held, "dropped")
    case .hugePage:
      guard let whole = pagesTaken[bait] else {
        let isAsked = one.marks.contains { $0.kind == .fetched(.own) }
        return sample(.unseen, isAsked ? "it was still reading when the run was over" : "it fetches no description")
      }
      if whole { return sample(.violated, "all of it was read", one.proof) }
      return sample(.held, "it was given up", one.proof)
    default: return sample(.unseen, "no rule")
    }
  }

  /// A way on which the baits of a flood went, and on which good baits were shown in another run.
  private func floodWay(_ run: ControlPointRun) -> ControlPointProbe.Way? {
    let ways: [ControlPointProbe.Way] = run.asker == nil ? [.announcement] : [.answer, .announcement]
    return ways.first { way in baits.contains { $0.way == way && $0.role != .probe && $0.isTaken } }
  }

  /// How often the search that was answered was sent in this run.
  private func copiesSample(_ run: ControlPointRun) -> ControlPointSample {
    var sample = ControlPointSample(
      probe: .copies, way: .answer, attempt: run.attempt, outcome: .held, text: "")
    let places = log.entries.indices.filter {
      let entry = log.entries[$0]
      return !entry.isSent && entry.time >= run.startedAt && entry.source == run.asker
        && entry.destination.address.isMulticast && ControlPointSearch(entry.bytes)?.target == run.target
    }
    let times = places.map { log.entries[$0].time }
    sample.position = places.first.map { $0 + 1 }
    guard let first = times.first, let last = times.last else {
      (sample.outcome, sample.text) = (.unseen, reason(run))
      return sample
    }
    if times.indices.contains(where: { $0 + 10 < times.count && times[$0 + 10] - times[$0] <= .milliseconds(200) }) {
      (sample.outcome, sample.text) = (.violated, "more than ten in 200 ms")
    } else if times.count == 1 {
      // Others may be lost once, and are not in each of several starts.
      (sample.outcome, sample.text, sample.isDefinite) = (.violated, "once for \(run.target)", false)
    } else {
      sample.text = "\(times.count) times for \(run.target) within \((last - first).nanoseconds / 1_000_000) ms"
    }
    return sample
  }

  private func floodSample(_ run: ControlPointRun) -> ControlPointSample {
    let many = run.baits.filter { baits[$0].role == .many && baits[$0].isSent }
    let taken = many.filter { baits[$0].isTaken }.count
    let last = run.baits.last { baits[$0].role == .companion }
    let found = "\(taken) of \(many.count) devices are shown"
    let isTaken = last.map { baits[$0].isTaken } ?? false
    if !isTaken, !singleWays.isEmpty {
      return ControlPointSample(
        probe: .flood, way: .flood, attempt: run.attempt, outcome: .unseen,
        text: "it shows one device at a time; \(found)")
    }
    if case .exited = run.end, last.map({ !baits[$0].isSent }) ?? true {
      return ControlPointSample(
        probe: .flood, way: .flood, attempt: run.attempt, outcome: .unseen,
        text: "it ended by itself before the flood was over; \(found)")
    }
    return ControlPointSample(
      probe: .flood, way: .flood, attempt: run.attempt, outcome: isTaken ? .held : .violated,
      text: isTaken ? "\(found), and a good bait after them" : "\(found), and no good bait after them",
      isDefinite: isTaken, bait: last)
  }
}
