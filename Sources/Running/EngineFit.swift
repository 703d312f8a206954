import RollcallDiscovery
package import RollcallScenarios

/// What of a scenario an engine in another process can be asked (docs/engine-protocol.md): it has datagrams and time.
package enum EngineFit {
  /// Why a scenario is not for such an engine; `nil`: it is.
  package static func obstacle(of scenario: Scenario) -> String? {
    if let kind = scenario.inhabitants.lazy.compactMap({ obstacle(of: $0.kind) }).first { return kind }
    let engine = scenario.engine.configuration
    if engine.descriptions == .fetch { return "its engine fetches descriptions" }
    if engine.scan != nil { return "its engine scans for peripherals" }
    if !engine.browse.isEmpty { return "its engine looks for services" }
    if engine.manager != nil { return "its engine has a manager of devices" }
    if let deed = scenario.timeline.lazy.compactMap({ obstacle(of: $0.deed) }).first { return deed }
    if !scenario.expectations.isEmpty, unanswered(in: scenario).count == scenario.expectations.count {
      return "it expects nothing that such an engine reports"
    }
    return nil
  }

  /// The ids of expectations that no report of such an engine answers, in their order.
  package static func unanswered(in scenario: Scenario) -> [String] {
    scenario.expectations.indices.filter { !isAnswered(scenario.expectations[$0].kind) }
      .map { scenario.id(ofExpectation: $0) }
  }

  private static func obstacle(of kind: InhabitantKind) -> String? {
    switch kind {
    case .peripheral, .hciHost, .recordedPeripheral: "it has Bluetooth"
    case .mdnsResponder, .mdnsTester: "it has services of multicast DNS"
    case .nearbyPeer, .phone: "it has nearby peers"
    case .recorded(let section): section.isBesideEngine ? "it has a program on the engine's host" : nil
    default: nil
    }
  }

  private static func obstacle(of deed: TimelineEntry.Deed) -> String? {
    switch deed {
    case .search, .stopSearch, .hold, .release, .stopEngine, .act: nil
    case .walk, .peripheral: "its timeline has Bluetooth"
    case .browse, .stopBrowsing, .reconfirm: "its engine looks for services"
    case .manager, .device: "its engine has a manager of devices"
    }
  }

  private static func isAnswered(_ kind: Expectation.Kind) -> Bool {
    switch kind {
    case .happens(let happens): isAnswered(happens.event, happens.when)
    case .never(let never): isAnswered(never.event, never.when)
    case .share(let share): isAnswered(share.event, share.when)
    case .present, .converged, .distribution, .conforms: true
    case .always: false
    }
  }

  private static func isAnswered(_ event: EventPattern, _ when: When) -> Bool {
    if case .after(.event(let anchor), _) = when, !isReported(anchor) { return false }
    return isReported(event)
  }

  private static func isReported(_ event: EventPattern) -> Bool {
    switch event {
    case .found, .lost, .changed, .service, .searchEnded, .failed: true
    default: false
    }
  }
}

extension Resolved {
  /// The same scenario with what such an engine can answer; of another engine as it is.
  package func asked(of engine: RunEngine?) -> Resolved {
    guard engine?.isForeign == true else { return self }
    let unanswered = EngineFit.unanswered(in: scenario)
    var copy = self
    copy.expectations.removeAll { unanswered.contains($0.id) }
    return copy
  }
}
