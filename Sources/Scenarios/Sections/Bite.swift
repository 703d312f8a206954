package import RollcallDevices
package import RollcallDiscovery
import RollcallPeers
package import RollcallSessions

/// The fault that a scenario is there to catch.
package enum Bite: Hashable, Sendable {
  /// With this switch planted in the engine the scenario must fail.
  case engine(EngineSwitch)
  /// With a manager like this one the scenario must fail.
  case manager(ManagerProfile)
  /// With this fault planted in every nearby peer the scenario must fail.
  case peers(PeerFault)
  /// With this quirk given to the inhabitant the scenario must fail.
  case inhabitant(String, Quirk)
  /// With this quirk given to the responder of multicast DNS the scenario must fail.
  case responder(String, MDNSQuirk)
}

extension Scenario {
  /// The scenario with its bite planted: it must fail now. `nil` where no bite was named.
  package var bitten: Scenario? {
    guard let bites else { return nil }
    var copy = self
    switch bites {
    case .engine(let fault): copy.engine.configuration.switches.insert(fault)
    case .manager(let profile):
      guard copy.engine.configuration.manager != nil else { return nil }
      copy.engine.configuration.manager?.profile = profile
    case .peers(let fault): copy.plant(fault)
    case .inhabitant(let name, let quirk):
      guard let found = inhabitant(named: name), copy.inhabitants[found.index].kind.plant(quirk) else { return nil }
    case .responder(let name, let quirk):
      guard let found = inhabitant(named: name), case .mdnsResponder(var section) = found.entry.kind else { return nil }
      section.quirks.append(quirk)
      copy.inhabitants[found.index].kind = .mdnsResponder(section)
    }
    return copy
  }

  /// Plants a fault in every nearby peer.
  package mutating func plant(_ fault: PeerFault) {
    for index in inhabitants.indices {
      guard case .nearbyPeer(var plan) = inhabitants[index].kind else { continue }
      plan.sessions.faults.insert(fault)
      inhabitants[index].kind = .nearbyPeer(plan)
    }
  }
}
