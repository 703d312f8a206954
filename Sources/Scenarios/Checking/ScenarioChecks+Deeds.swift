import Primitives

// Timeline, faults and expectations: that what they speak of is there.
extension ScenarioChecks {
  // MARK: Timeline and faults

  mutating func checkTimeline() {
    let section = TreePath().appending("timeline")
    let searches = scenario.searches
    var ids: [String] = []
    var numbers: [UInt32] = []
    for (index, item) in scenario.timeline.enumerated() {
      let path = section.appending(index)
      if item.at > end { complain(path.appending("at"), "after the end of the run (\(scenario.duration))") }
      let id = item.id ?? "t\(index + 1)"
      if ids.contains(id) { complain(item.id == nil ? path : path.appending("id"), "id '\(id)' twice in the timeline") }
      ids.append(id)
      switch item.deed {
      case .search(let search):
        let place = path.appending("search")
        if let number = search.id {
          if numbers.contains(number) {
            complain(place.appending("id"), "search \(number) twice: a search is single-use")
          }
          numbers.append(number)
        }
        if let interface = search.interface {
          checkInterface(interface, of: "engine", at: place.appending("interface"))
        }
        if let host = search.host?.name {
          checkNames([host], at: place.appending("host"))
          if let entry = entry(host), entry.count > 1, entry.name == host {
            complain(place.appending("host"), "'\(host)' is \(entry.count) hosts: name one, such as \(host)-1")
          }
        }
      case .stopSearch(let number):
        if !searches.contains(number) { complain(path.appending("stop-search"), "there is no search \(number)") }
      case .hold(let who): checkDevices([who], at: path.appending("hold"))
      case .release(let who): checkDevices([who], at: path.appending("release"))
      case .stopEngine: break
      case .move(let who, _, let interface):
        let place = path.appending("move")
        checkDoer(who, item.deed, at: place.appending("who"))
        checkInterface(interface, of: who, at: place.appending("interface"))
        if let entry = entry(who), entry.count > 1, entry.name == who {
          complain(place.appending("who"), "'\(who)' is \(entry.count) hosts: name one, such as \(who)-1")
        }
      case .appear(let who), .leave(let who), .vanish(let who), .reboot(let who), .update(let who),
        .reconfigure(let who):
        checkDoer(who, item.deed, at: path.appending(item.deed.key))
      case .crash(let who, _, _), .relocate(let who, _), .send(let who, _):
        checkDoer(who, item.deed, at: path.appending(item.deed.key).appending("who"))
      }
    }
  }

  /// The inhabitant is there, and of a kind that can do it.
  private mutating func checkDoer(_ who: String, _ deed: TimelineEntry.Deed, at path: TreePath) {
    guard checkNames([who], at: path), let kind = entry(who)?.kind else { return }
    let can =
      switch (deed, kind) {
      case (.appear, _), (.leave, _), (.vanish, _): true
      case (.send, .rootDevice), (.send, .reflector): false
      case (.send, _), (.crash, .controlPoint): true
      case (_, .rootDevice): true
      default: false
      }
    if !can { complain(path, "'\(who)' is a \(kind.name): it cannot \(deed.key)") }
  }

  mutating func checkFaults() {
    let section = TreePath().appending("faults")
    var ids: [String] = []
    for (index, fault) in scenario.faults.enumerated() {
      let path = section.appending(index)
      if fault.at > end { complain(path.appending("at"), "after the end of the run (\(scenario.duration))") }
      if let until = fault.until, until <= fault.at { complain(path.appending("until"), "not after 'at'") }
      if let heal = scenario.heal, fault.until ?? fault.at > heal {
        complain(
          path.appending(fault.until == nil ? "at" : "until"),
          "after heal (\(heal.sinceStart)): the second act has no faults")
      }
      let id = fault.id ?? "f\(index + 1)"
      if ids.contains(id) { complain(fault.id == nil ? path : path.appending("id"), "id '\(id)' twice in the faults") }
      ids.append(id)
      switch fault.kind {
      case .partition(let from, let to, _):
        checkNames(from, at: path.appending("partition").appending("from"), besides: ["engine", "each"])
        checkNames(to, at: path.appending("partition").appending("to"), besides: ["engine", "each"])
      case .interfaceDown(let who, let interface):
        let place = path.appending("interface-down")
        checkNames([who], at: place.appending("who"), besides: ["engine", "each"])
        checkInterface(interface, of: who, at: place.appending("interface"))
      case .querierGone(let segment):
        if !segments.contains(segment) {
          complain(
            path.appending("querier-gone"), "unknown segment '\(segment)'" + suggestion(for: segment, of: segments))
        }
      case .link(let who, let interface, _, _):
        let place = path.appending("link")
        checkNames([who], at: place.appending("who"), besides: ["engine", "each"])
        checkInterface(interface, of: who, at: place.appending("interface"))
      case .refuseJoins(let who): checkNames([who], at: path.appending("refuse-joins"), besides: ["engine", "each"])
      case .refuseMulticastSends(let who):
        checkNames([who], at: path.appending("refuse-multicast-sends"), besides: ["engine", "each"])
      }
    }
  }

  // MARK: Expectations

  mutating func checkExpectations() {
    let section = TreePath().appending("expect")
    var ids: [String] = []
    for (index, expectation) in scenario.expectations.enumerated() {
      let path = section.appending(index)
      let id = expectation.id ?? "e\(index + 1)"
      if ids.contains(id) {
        complain(expectation.id == nil ? path : path.appending("id"), "id '\(id)' twice in expect")
      }
      ids.append(id)
      switch expectation.kind {
      case .happens(let happens):
        check(happens.event, at: path)
        check(happens.when, at: path)
      case .never(let never):
        check(never.event, at: path.appending("never"))
        check(never.when, at: path)
      case .share(let share):
        check(share.event, at: path.appending("share"))
        check(share.when, at: path)
      case .present(let present):
        let place = path.appending("present")
        if present.at > end { complain(place.appending("at"), "after the end of the run (\(scenario.duration))") }
        checkDevices(present.devices ?? [], at: place.appending("devices"))
      case .converged:
        if scenario.heal == nil || scenario.converge == nil {
          complain(path.appending("converged"), "needs 'heal' and 'converge'")
        }
      case .distribution(let distribution):
        let place = path.appending("distribution")
        checkDevices([distribution.from], at: place.appending("from"))
        checkSearch(distribution.search, at: place.appending("search"))
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
    switch event {
    case .found(let who): check(who, at: path.appending("found"))
    case .lost(let who, _): check(who, at: path.appending("lost"))
    case .changed(let who, _): check(who, at: path.appending("changed"))
    case .service(let service):
      check(service.of, at: path.appending("service").appending("of"))
      checkSearch(service.search, at: path.appending("service").appending("search"))
    case .searchEnded(let ended): checkSearch(ended.search, at: path.appending("search-ended").appending("search"))
    case .failed, .rejected: break
    }
  }

  private mutating func check(_ when: When, at path: TreePath) {
    switch when {
    case .anyTime: break
    case .within(let range):
      let key = range.lowerBound == range.upperBound ? "at" : "within"
      if range.upperBound > end { complain(path.appending(key), "after the end of the run (\(scenario.duration))") }
    case .after(let anchor, _):
      let place = path.appending("after")
      switch anchor {
      case .event(let event): check(event, at: place)
      case .timeline(let id):
        let ids = scenario.timeline.enumerated().map { $1.id ?? "t\($0 + 1)" }
        if !ids.contains(id) {
          complain(place.appending("timeline"), "unknown entry '\(id)'" + suggestion(for: id, of: ids))
        }
      case .fault(let id), .mended(let id):
        let key = if case .fault = anchor { "fault" } else { "mended" }
        let ids = scenario.faults.enumerated().map { $1.id ?? "f\($0 + 1)" }
        if !ids.contains(id) { complain(place.appending(key), "unknown fault '\(id)'" + suggestion(for: id, of: ids)) }
      }
    }
  }
}

extension TimelineEntry.Deed {
  /// The key by which a document names it.
  var key: String {
    switch self {
    case .search: "search"
    case .stopSearch: "stop-search"
    case .hold: "hold"
    case .release: "release"
    case .stopEngine: "stop"
    case .appear: "appear"
    case .leave: "leave"
    case .vanish: "vanish"
    case .reboot: "reboot"
    case .update: "update"
    case .reconfigure: "reconfigure"
    case .crash: "crash"
    case .move: "move"
    case .relocate: "relocate"
    case .send: "send"
    }
  }
}
