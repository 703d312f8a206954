import RollcallPrimitives
import RollcallRunning
import RollcallScenarios

/// Shorter runs: to just behind the moment of the failure, then by halves.
enum Durations {
  /// - Parameter least: none is shorter.
  static func candidates(_ scenario: Scenario, _ verdict: Verdict, least: Interval) -> [Interval] {
    let now = scenario.duration
    var list: [Interval] = []
    if let time = verdict.time {
      let since = time - Instant.zero
      list += [rounded(since), rounded(since) + .seconds(1)]
    }
    if let last = scenario.timeline.map(\.at).max() { list.append(rounded(last - Instant.zero) + .seconds(1)) }
    list += [now / 8, now / 2, now * 3 / 4, now * 9 / 10].map(rounded)
    var seen: [Interval] = []
    for one in list where one < now && one > .zero && one >= least && !seen.contains(one) { seen.append(one) }
    return seen.sorted()
  }

  /// Where no oracle tells: so much time a failing expectation asks for. What a run has not brought yet is missing in
  /// every run that ends before, and what was there at a moment says nothing about another one.
  static func least(_ scenario: Scenario, _ manner: FailureKind.Manner) -> Interval {
    guard let expectation = scenario.expectations.first else { return .zero }
    switch (manner, expectation.kind) {
    case (.vacuous, _): return scenario.duration
    case (_, .present(let present)): return present.at - Instant.zero
    case (.never, .happens(let happens)), (.tooFew, .happens(let happens)):
      switch happens.when {
      case .anyTime: return scenario.duration
      case .within(let range): return range.upperBound - Instant.zero
      // A run that such a window goes beyond cannot be read, or leaves it open: that is another failure.
      case .after: return .zero
      }
    default: return .zero
    }
  }

  /// Up to a whole second, or a tenth of one below ten seconds.
  private static func rounded(_ interval: Interval) -> Interval {
    let unit: Int64 = interval < .seconds(10) ? 100_000_000 : 1_000_000_000
    return .nanoseconds((interval + .nanoseconds(unit - 1)).nanoseconds / unit * unit)
  }

  /// The scenario that ends earlier: windows end with it, and what would come later is left out.
  static func cut(_ scenario: Scenario, _ duration: Interval) -> Scenario {
    var copy = scenario
    copy.duration = duration
    let end = Instant.zero + duration
    copy.timeline.removeAll { $0.at > end }
    copy.faults.removeAll { $0.at > end }
    for index in copy.faults.indices {
      if let until = copy.faults[index].until, until > end { copy.faults[index].until = nil }
    }
    for index in copy.expectations.indices {
      switch copy.expectations[index].kind {
      case .happens(var happens):
        happens.when = cut(happens.when, end)
        copy.expectations[index].kind = .happens(happens)
      case .never(var never):
        never.when = cut(never.when, end)
        copy.expectations[index].kind = .never(never)
      case .present(var present):
        present.at = min(present.at, end)
        copy.expectations[index].kind = .present(present)
      case .always, .converged, .distribution, .share, .conforms: break
      }
    }
    return copy
  }

  private static func cut(_ when: When, _ end: Instant) -> When {
    guard case .within(let range) = when, range.upperBound > end, range.lowerBound <= end else { return when }
    return .within(range.lowerBound...end)
  }
}

/// What a person reads about what is gone.
enum Removals {
  static func list(from before: Scenario, to after: Scenario) -> [String] {
    var lines: [String] = []
    let kept = after.inhabitants.map(\.name)
    let gone = before.inhabitants.filter { !kept.contains($0.name) }
    if !gone.isEmpty {
      let names = gone.map { $0.count > 1 ? "\($0.name) ×\($0.count)" : $0.name }
      lines.append("\(gone.count) of \(before.inhabitants.count) inhabitants: " + shortened(names))
    }
    for entry in after.inhabitants {
      guard let old = before.inhabitants.first(where: { $0.name == entry.name }), old.count > entry.count else {
        continue
      }
      lines.append("\(old.count - entry.count) of \(old.count) members of \(entry.name)")
    }
    func count(_ what: String, _ old: Int, _ new: Int) {
      if new < old { lines.append("\(old - new) of \(old) \(what)") }
    }
    count("expectations", before.expectations.count, after.expectations.count)
    count("entries of the timeline", before.timeline.count, after.timeline.count)
    count("faults", before.faults.count, after.faults.count)
    count("spelled-out datagrams", ScenarioSize(before).datagrams, ScenarioSize(after).datagrams)
    if after.duration < before.duration { lines.append("\(before.duration - after.duration) of \(before.duration)") }
    if before.network != after.network { lines.append("rules of the network") }
    return lines
  }

  private static func shortened(_ names: [String]) -> String {
    names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " …" : "")
  }
}
