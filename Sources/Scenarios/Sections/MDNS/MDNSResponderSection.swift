package import RollcallDevices
package import RollcallPrimitives
import RollcallWire

/// `kind: mdns-responder` — a host that offers services by multicast DNS.
package struct MDNSResponderSection: Hashable, Sendable {
  /// The label before `local`; `nil`: the name of the inhabitant.
  package var hostName: String?
  package var services: [MDNSService]
  /// What each `reconfigure` does, one after the other.
  package var changes: [MDNSChange]
  package var quirks: [MDNSQuirk] = []
  /// Before its first probe; `nil`: 0 to 250 ms, by chance.
  package var probeDelay: Interval?

  package init(
    hostName: String? = nil, services: [MDNSService] = [], changes: [MDNSChange] = [], probeDelay: Interval? = nil
  ) {
    (self.hostName, self.services, self.changes, self.probeDelay) = (hostName, services, changes, probeDelay)
  }

  func plan(named name: String) -> MDNSPlan {
    var plan = MDNSPlan(host: hostName ?? name, services: services)
    plan.changes = changes
    plan.quirks = quirks
    if let probeDelay { plan.timing.probeDelay = probeDelay...probeDelay }
    return plan
  }
}
