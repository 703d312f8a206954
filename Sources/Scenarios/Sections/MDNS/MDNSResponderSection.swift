package import RollcallDevices
import RollcallWire

/// `kind: mdns-responder` — a host that offers services by multicast DNS.
package struct MDNSResponderSection: Hashable, Sendable {
  /// The label before `local`; `nil`: the name of the inhabitant.
  package var hostName: String?
  package var services: [MDNSService]
  /// What each `reconfigure` does, one after the other.
  package var changes: [MDNSChange]
  package var quirks: [MDNSQuirk] = []

  package init(hostName: String? = nil, services: [MDNSService] = [], changes: [MDNSChange] = []) {
    (self.hostName, self.services, self.changes) = (hostName, services, changes)
  }

  func plan(named name: String) -> MDNSPlan {
    var plan = MDNSPlan(host: hostName ?? name, services: services)
    plan.changes = changes
    plan.quirks = quirks
    return plan
  }
}
