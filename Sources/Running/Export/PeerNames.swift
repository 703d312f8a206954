package import RollcallPrimitives
package import RollcallScenarios

extension Resolved {
  /// Hosts whose reports are what a run is about: engines say what they found, nearby peers what they were told.
  package var tellingHosts: [Int] {
    hosts.indices.filter { host in
      switch hosts[host].role {
      case .engine, .other(.nearbyPeer): true
      default: false
      }
    }
  }

  package var nearbyPeers: [Int] {
    hosts.indices.filter { if case .other(.nearbyPeer) = hosts[$0].role { true } else { false } }
  }

  /// The host that has a device of this identity at some time.
  package func hostName(ofDevice identity: String) -> String? {
    devices.first { $0.identities.contains(identity) }.map { hosts[$0.host].name }
  }

  /// What a nearby peer was told, with the names of hosts in the place of identities, which are others for each seed.
  package func named(_ report: PeerReport) -> PeerReport {
    PeerReport(
      hostName(ofDevice: report.device) ?? report.device, peer: hostName(ofDevice: report.peer) ?? report.peer,
      named: report.name, report.event)
  }
}

extension PeerReport {
  /// `phone: tv connected`, where the devices have names for people.
  package var sentence: String { "\(device): " + (peer == device ? "" : "\(peer) ") + event.text }
}
