import RollcallDevices
import RollcallPrimitives

extension WorldBuilder {
  /// Looks up everything that an expectation speaks of.
  func resolve(expectation index: Int) -> ResolvedExpectation {
    let (expectation, id) = (scenario.expectations[index], scenario.id(ofExpectation: index))
    let kind: ResolvedExpectation.Kind
    switch expectation.kind {
    case .happens(let happens):
      kind = .happens(checks(happens.event, happens.when), times: happens.times)
    case .never(let never): kind = .never(checks(never.event, never.when))
    case .share(let share):
      kind = .share(checks(share.event, share.when), atLeast: share.atLeast, atMost: share.atMost)
    case .present(let present):
      if let names = present.devices {
        let wanted = Set(names.flatMap { devices(named: $0) }).sorted()
        kind = .presentDevices(at: present.at, wanted.map { resolved.devices[$0].identity })  // ordered: sorted above
      } else {
        kind = .presentCount(at: present.at, present.count ?? .atLeast(0))
      }
    case .always(let always):
      kind = .always(entriesAtMost: always.entriesAtMost, devicesAtMost: always.devicesAtMost)
    case .converged: kind = .converged(from: resolved.convergedFrom ?? resolved.end)
    case .distribution(let distribution):
      kind = .distribution(distribution, devices: devices(named: distribution.from))
    case .conforms(let conforms):
      kind = .conforms(hosts: hosts(named: conforms.who), keeps: conforms.keeps, ignores: conforms.ignores)
    }
    return ResolvedExpectation(
      id: id, text: Form<Expectation>.expectation.write(expectation, false).flow,
      mayBeVacuous: scenario.vacuousOK.contains(id), kind: kind, place: expectation.place)
  }

  /// One check for each device that is meant on its own.
  private func checks(_ event: EventPattern, _ when: When) -> [EventCheck] {
    guard let who = event.who, let members = each(of: who) else {
      return [EventCheck(label: "", event: match(event, nil), when: stretch(when, nil))]
    }
    return members.map { device in
      EventCheck(
        label: resolved.devices[device].name, event: match(event, device), when: stretch(when, device))
    }
  }

  /// The devices that are judged one by one; `nil` where all are judged together.
  private func each(of who: Who) -> [Int]? {
    switch who {
    case .each(let names): Set(names.flatMap { devices(named: $0) }).sorted()
    case .everyone: Array(resolved.devices.indices)
    case .anyOf, .anyone, .device: nil
    }
  }

  /// - Parameter device: the one that is judged now; it stands for all where the pattern means each on its own.
  private func match(_ event: EventPattern, _ device: Int?) -> EventMatch {
    let devices = event.who.map { meant($0, device) } ?? .any
    var match = EventMatch(event.kind, devices, has: event.attributes)
    if case .nearby(let pattern) = event, let peer = pattern.peer { match.others = meant(peer, nil) }
    return match
  }

  private func meant(_ who: Who, _ device: Int?) -> EventMatch.Devices {
    switch who {
    case .anyone: return .any
    case .device(let uuid): return .these([uuid])
    case .anyOf(let names):
      return .these(Set(names.flatMap { devices(named: $0) }).sorted().flatMap { resolved.devices[$0].identities })
    case .each, .everyone:
      // An anchor about other devices than the one that is judged means any of them.
      let all = each(of: who) ?? []
      let chosen = device.flatMap { all.contains($0) ? [$0] : nil } ?? all
      return .these(chosen.flatMap { resolved.devices[$0].identities })
    }
  }

  private func stretch(_ when: When, _ device: Int?) -> EventCheck.Stretch {
    func from(_ instant: Instant?, _ range: ClosedRange<Interval>) -> EventCheck.Stretch {
      let instant = instant ?? resolved.end
      let low = min(instant + range.lowerBound, resolved.end)
      return .within(low...max(low, min(instant + range.upperBound, resolved.end)))
    }
    switch when {
    case .anyTime: return .within(.zero...resolved.end)
    case .within(let range): return .within(range)
    case .after(.event(let event), let range): return .after(match(event, device), range)
    case .after(.timeline(let id), let range):
      let entry = scenario.timeline.enumerated().first { ($1.id ?? "t\($0 + 1)") == id }
      return from(entry?.element.at, range)
    case .after(.fault(let id), let range):
      return from(scenario.faults.enumerated().first { ($1.id ?? "f\($0 + 1)") == id }?.element.at, range)
    case .after(.mended(let id), let range):
      let fault = scenario.faults.enumerated().first { ($1.id ?? "f\($0 + 1)") == id }?.element
      return from(fault?.until ?? scenario.heal, range)
    }
  }
}
