package import RollcallPrimitives

/// Which reports are meant.
package enum EventPattern: Hashable, Sendable {
  case found(Who, has: AttributePattern? = nil)
  case lost(Who, cause: LossCause? = nil)
  case changed(Who, what: ChangeKind? = nil, has: AttributePattern? = nil)
  case service(ServicePattern)
  case searchEnded(SearchEndedPattern)
  case description(DescriptionPattern)
  case peripheral(PeripheralPattern)
  case nearby(NearbyPattern)
  case managed(ManagedPattern)
  /// `nil`: for whatever reason.
  case failed(Failure.Reason?)
  case rejected(RejectionReason?)
}

package struct ServicePattern: Hashable, Sendable {
  package var search: UInt32?
  package var of: Who
  /// ST of the answer; `nil`: any.
  package var target: String?

  package init(search: UInt32? = nil, of: Who = .anyone, target: String? = nil) {
    (self.search, self.of, self.target) = (search, of, target)
  }
}

package struct DescriptionPattern: Hashable, Sendable {
  /// `fetched`, or the reason why there is none.
  package enum Outcome: Hashable, Sendable {
    case fetched
    case failed
    case reason(DescriptionFetch.Reason)
  }
  package var of: Who
  /// `nil`: whatever becomes of it.
  package var outcome: Outcome?

  package init(of: Who, outcome: Outcome? = nil) { (self.of, self.outcome) = (of, outcome) }
}

package struct SearchEndedPattern: Hashable, Sendable {
  package var search: UInt32?
  /// How many services it heard.
  package var services: CountRange?
  package var wasStopped: Bool?

  package init(search: UInt32? = nil, services: CountRange? = nil, wasStopped: Bool? = nil) {
    (self.search, self.services, self.wasStopped) = (search, services, wasStopped)
  }
}

extension EventPattern {
  /// The devices that it speaks of; `nil` for events that are about none.
  var who: Who? { namedDevices.first?.who }

  /// The devices that it names, with the keys under which it does.
  var namedDevices: [(who: Who, keys: [String])] {
    switch self {
    case .found(let who, _): [(who, ["found"])]
    case .lost(let who, _): [(who, ["lost"])]
    case .changed(let who, _, _): [(who, ["changed"])]
    case .service(let service): [(service.of, ["service", "of"])]
    case .description(let description): [(description.of, ["description"])]
    case .peripheral(let pattern): [(pattern.of, [pattern.kind.rawValue])]
    case .nearby(let pattern):
      [(pattern.of, [pattern.kind.rawValue])] + (pattern.peer.map { [($0, ["peer"])] } ?? [])
    case .managed(let pattern): [(pattern.of, [pattern.kind.rawValue])]
    case .searchEnded, .failed, .rejected: []
    }
  }

  /// The searches that it names, with the keys under which it does.
  var namedSearches: [(number: UInt32?, keys: [String])] {
    switch self {
    case .service(let service): [(service.search, ["service", "search"])]
    case .searchEnded(let ended): [(ended.search, ["search-ended", "search"])]
    case .found, .lost, .changed, .description, .peripheral, .nearby, .managed, .failed, .rejected: []
    }
  }

  /// What a report has to say of its device.
  var attributes: AttributePattern? {
    switch self {
    case .found(_, let attributes), .changed(_, _, let attributes): attributes
    default: nil
    }
  }

  /// What a report has to be, whatever device it is about.
  var kind: EventMatch.Kind {
    switch self {
    case .found: .found
    case .lost(_, let cause): .lost(cause)
    case .changed(_, let what, _): .changed(what)
    case .service(let service): .service(search: service.search.map { SearchID($0) }, target: service.target)
    case .searchEnded(let ended):
      .searchEnded(search: ended.search.map { SearchID($0) }, services: ended.services, wasStopped: ended.wasStopped)
    case .description(let description): .description(description.outcome)
    case .peripheral(let pattern): .peripheral(pattern)
    case .nearby(let pattern): .nearby(pattern)
    case .managed(let pattern): .managed(pattern)
    case .failed(let reason): .failed(reason)
    case .rejected(let reason): .rejected(reason)
    }
  }
}

/// Which reports match.
package struct EventMatch: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case found
    case lost(LossCause?)
    case changed(EventPattern.ChangeKind?)
    case service(search: SearchID?, target: String?)
    case searchEnded(search: SearchID?, services: CountRange?, wasStopped: Bool?)
    case description(DescriptionPattern.Outcome?)
    case peripheral(PeripheralPattern)
    case nearby(NearbyPattern)
    case managed(ManagedPattern)
    case failed(Failure.Reason?)
    case rejected(RejectionReason?)
  }
  package enum Devices: Hashable, Sendable {
    /// Any, and reports that name none.
    case any
    /// These identities, compared without case.
    case these([String])
  }
  package var kind: Kind
  package var devices: Devices
  /// What a report that shows the device has to say of it.
  package var attributes: AttributePattern?
  /// Of a report about two, the other one.
  package var others: Devices = .any

  package init(_ kind: Kind, _ devices: Devices = .any, has attributes: AttributePattern? = nil) {
    (self.kind, self.devices, self.attributes) = (kind, devices, attributes)
  }

  /// Whether `report` is one of those that are meant.
  package func matches(_ report: Report) -> Bool {
    switch (kind, report) {
    case (.found, .found(let sighting)): return isMeant(sighting.device) && attributes?.matches(sighting) ?? true
    case (.lost(let cause), .lost(let device, let found)):
      return (cause == nil || cause == found) && isMeant(device)
    case (.changed(let what), .changed(let sighting, let change)):
      return (what == nil || what == EventPattern.ChangeKind(change)) && isMeant(sighting.device)
        && attributes?.matches(sighting) ?? true
    case (.service(let search, let target), .service(let service)):
      return (search == nil || search == service.search) && (target == nil || target == service.target)
        && isMeant(service.device)
    case (.searchEnded(let search, let services, let wasStopped), .searchEnded(let outcome)):
      return (search == nil || search == outcome.search) && services?.contains(outcome.services.count) ?? true
        && (wasStopped == nil || wasStopped == outcome.wasStopped)
    case (.description(let outcome), .description(let fetch)):
      return outcome?.matches(fetch) ?? true && isMeant(fetch.device)
    case (.peripheral(let pattern), .peripheral(let report)):
      return pattern.matches(report.event) && isMeant(report.device)
    case (.nearby(let pattern), .nearby(let report)):
      return pattern.matches(report.event) && isMeant(report.device) && isMeant(report.peer, others)
    case (.managed(let pattern), .managed(let report)):
      return pattern.matches(report) && isMeant(report)
    case (.failed(let reason), .failed(let failure)): return reason == nil || reason == failure.reason
    case (.rejected(let reason), .rejected(let rejection)): return reason == nil || reason == rejection.reason
    default: return false
    }
  }

  private func isMeant(_ device: String) -> Bool { isMeant(device, devices) }

  /// A device for the application is meant by each device that it stands for, and by each part of one.
  private func isMeant(_ report: ManagerReport) -> Bool {
    if devices == .any { return true }
    return report.state.members.contains { isMeant($0) } || report.state.services.contains { isMeant($0.owner) }
  }

  private func isMeant(_ device: String, _ meant: Devices) -> Bool {
    switch meant {
    case .any: true
    case .these(let identities): identities.contains { isSameDevice($0, device) }
    }
  }
}

extension DescriptionPattern.Outcome {
  func matches(_ fetch: DescriptionFetch) -> Bool {
    switch self {
    case .fetched: fetch.failure == nil
    case .failed: fetch.failure != nil
    case .reason(let reason): fetch.failure?.reason == reason
    }
  }

  package static let all: [DescriptionPattern.Outcome] =
    [.fetched, .failed] + DescriptionFetch.Reason.allCases.map { .reason($0) }

  /// As scenarios write it: `fetched`, `failed`, `timed-out`.
  package var word: String {
    switch self {
    case .fetched: "fetched"
    case .failed: "failed"
    case .reason(let reason): kebabCase(reason.rawValue)
    }
  }
}

extension EventMatch {
  /// What people read of it.
  package var text: String {
    let having = attributes.map { " with \($0.text)" } ?? ""
    switch kind {
    case .found: return "found" + having
    case .lost(let cause): return "lost" + (cause.map { " (\($0.rawValue))" } ?? "")
    case .changed(let what): return "changed" + (what.map { " (\($0.rawValue))" } ?? "") + having
    case .service(let search, let target):
      return "service" + (search.map { " in search \($0.number)" } ?? "") + (target.map { " \($0)" } ?? "")
    case .searchEnded(let search, let services, _):
      return "end of search" + (search.map { " \($0.number)" } ?? "") + (services.map { " with \($0) services" } ?? "")
    case .description(let outcome): return "description" + (outcome.map { " (\($0.word))" } ?? "")
    case .peripheral(let pattern): return pattern.text
    case .nearby(let pattern): return pattern.text
    case .managed(let pattern): return pattern.text
    case .failed(let reason): return "failed" + (reason.map { " (\($0.rawValue))" } ?? "")
    case .rejected(let reason): return "rejected" + (reason.map { " (\($0.rawValue))" } ?? "")
    }
  }
}
