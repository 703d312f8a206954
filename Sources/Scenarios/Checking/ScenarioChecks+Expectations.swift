import RollcallDiscovery
import RollcallPrimitives

// Expectations: that what they speak of is there, that their windows lie inside the run, and that they can fail.
extension ScenarioChecks {
  private static let holdsAlways = "this holds whatever happens: name a bound that can be broken"

  mutating func checkExpectations() {
    let section = TreePath().appending("expect")
    var ids: [String] = []
    for (index, expectation) in scenario.expectations.enumerated() {
      let path = section.appending(index)
      let id = scenario.id(ofExpectation: index)
      if ids.contains(id) {
        complain(expectation.id == nil ? path : path.appending("id"), "id '\(id)' twice in expect")
      }
      ids.append(id)
      switch expectation.kind {
      case .happens(let happens):
        check(happens.event, at: path)
        check(happens.when, at: path)
        if happens.times == .atLeast(0) { complain(path.appending("times"), ScenarioChecks.holdsAlways) }
      case .never(let never):
        check(never.event, at: path.appending("never"))
        check(never.when, at: path)
      case .share(let share):
        check(share.event, at: path.appending("share"))
        check(share.when, at: path)
        if share.atLeast?.numerator ?? 0 == 0, share.atMost.map({ $0.numerator == $0.denominator }) ?? true {
          complain(path.appending("share"), ScenarioChecks.holdsAlways)
        }
      case .present(let present):
        let place = path.appending("present")
        if present.at > end { complain(place.appending("at"), "after the end of the run (\(scenario.duration))") }
        checkDevices(present.devices ?? [], at: place.appending("devices"))
        checkOneName(of: present.devices ?? [], at: place.appending("devices"))
        if present.count == .atLeast(0) { complain(place.appending("count"), ScenarioChecks.holdsAlways) }
      case .converged:
        if scenario.heal == nil || scenario.converge == nil {
          complain(path.appending("converged"), "needs 'heal' and 'converge'")
        }
      case .distribution(let distribution):
        let place = path.appending("distribution")
        checkDevices([distribution.from], at: place.appending("from"), onLAN: true)
        if distribution.of == .renewalInterval, distribution.search != nil {
          complain(
            place.appending("search"),
            "'search' stands only beside 'of: response-delay': a renewal answers no search, so leave it out")
        } else {
          checkSearch(distribution.search, at: place.appending("search"))
        }
        checkRoom(distribution.range, at: place.appending("range"))
      case .conforms(let conforms): checkNames([conforms.who], at: path.appending("conforms").appending("who"))
      case .always: break
      }
    }
    for (index, id) in scenario.vacuousOK.enumerated() where !ids.contains(id) {
      complain(
        TreePath().appending("vacuous-ok").appending(index),
        "unknown expectation '\(id)'" + suggestion(for: id, of: ids))
    }
  }

  private mutating func checkSearch(_ number: UInt32?, at path: TreePath) {
    // Searches of programs beside the engine get their numbers in the run.
    if let number, !scenario.hasSharedSearches, !scenario.searches.contains(number) {
      complain(path, "there is no search \(number)")
    }
  }

  private mutating func check(_ who: Who, at path: TreePath) {
    switch who {
    case .each(let names), .anyOf(let names): checkDevices(names, at: path)
    case .everyone, .anyone, .device: break
    }
  }

  private mutating func check(_ event: EventPattern, at path: TreePath) {
    for (who, keys) in event.namedDevices { check(who, at: keys.reduce(path) { $0.appending($1) }) }
    for (search, keys) in event.namedSearches { checkSearch(search, at: keys.reduce(path) { $0.appending($1) }) }
    guard case .managed(let pattern) = event else { return }
    let place = path.appending(pattern.kind.rawValue)
    if scenario.engine.configuration.manager == nil {
      complain(place, "the engine has no manager: 'engine' needs the key 'manager'")
    } else if pattern.kind == .remembered {
      checkStore(at: place)
    }
  }

  private mutating func check(_ when: When, at path: TreePath) {
    switch when {
    case .anyTime: break
    case .within(let range):
      let key = range.lowerBound == range.upperBound ? "at" : "within"
      if range.upperBound > end { complain(path.appending(key), "after the end of the run (\(scenario.duration))") }
    case .after(let anchor, let range):
      let place = path.appending("after")
      switch anchor {
      case .event(let event):
        check(event, at: place)
        checkRoom(range, after: .zero, "after the very start of the run", at: place)
      case .timeline(let id):
        let ids = scenario.timeline.enumerated().map { $1.id ?? "t\($0 + 1)" }
        guard let number = ids.firstIndex(of: id) else {
          return complain(place.appending("timeline"), "unknown entry '\(id)'" + suggestion(for: id, of: ids))
        }
        checkRoom(range, after: scenario.timeline[number].at, "after '\(id)'", at: place)
      case .fault(let id), .mended(let id):
        let isMended = if case .mended = anchor { true } else { false }
        let ids = scenario.faults.enumerated().map { $1.id ?? "f\($0 + 1)" }
        guard let number = ids.firstIndex(of: id) else {
          return complain(
            place.appending(isMended ? "mended" : "fault"), "unknown fault '\(id)'" + suggestion(for: id, of: ids))
        }
        let fault = scenario.faults[number]
        guard let instant = isMended ? fault.until ?? scenario.heal : fault.at else {
          return complain(place.appending("mended"), "'\(id)' never mends: it has no 'until', and nothing heals")
        }
        checkRoom(range, after: instant, "after '\(id)'" + (isMended ? " mends" : ""), at: place)
      }
    }
  }

  /// Of parts narrower than a nanosecond some hold no instant, and no sample would fill them.
  private mutating func checkRoom(_ range: ClosedRange<Interval>, at path: TreePath) {
    let parts = Distribution.partCount
    let minimum = Interval.nanoseconds(Int64(parts))
    guard range.upperBound - range.lowerBound < minimum else { return }
    complain(
      path,
      "no room for a distribution from \(range.lowerBound) to \(range.upperBound): \(parts) equal parts of it are "
        + "compared, so its ends lie at least \(minimum) apart")
  }

  /// A window that the run ends before is never looked at as a whole: it cannot hold.
  private mutating func checkRoom(
    _ range: ClosedRange<Interval>, after instant: Instant, _ anchor: String, at path: TreePath
  ) {
    // Events after the end are complained about where they stand.
    guard instant <= end, instant + range.upperBound > end else { return }
    let reach = "\(range.upperBound) \(anchor) is beyond the end of the run (\(scenario.duration))"
    complain(
      path.appending("within"),
      instant + range.lowerBound > end ? reach + ", and so is all of this window: it can never be reached" : reach)
  }
}
