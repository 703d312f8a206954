import RollcallDevices
import RollcallPeers
import RollcallPrimitives

extension WorldBuilder {
  /// So many identities of a host are known by its name.
  private static let identitiesMaximum = 16

  /// The peer of a host, as an engine and other peers report it: one device, whatever identity it has.
  func peer(_ plan: NearbyPeerPlan, named name: String, host: Int) -> ResolvedDevice? {
    let ids = (0..<WorldBuilder.identitiesMaximum).map { NearbyPeerPlan.id(ofHost: name, $0) }
    let names = ids.map { plan.deviceName(of: $0) }
    guard let type = PeerRecord.serviceType(plan.type) else { return nil }
    var device = ResolvedDevice(
      name: name, host: host, kind: .service(MDNSService(type, PeerRecord.instance(of: ids[0]), port: 0)),
      identity: names[0])
    device.laterIdentities = Array(names.dropFirst())
    return device
  }
}

extension Resolved {
  package var nearbyPeers: [Int] {
    hosts.indices.filter { if case .other(.nearbyPeer) = hosts[$0].role { true } else { false } }
  }

  /// Hosts whose reports are what a run is about: engines say what they found, nearby peers what they were told.
  package var tellingHosts: [Int] { hosts.indices.filter { hosts[$0].role == .engine } + nearbyPeers }

  /// What the scenario calls its nearby peers, by each of their names as devices, which are others for each seed.
  package var peerNames: [String: String] {
    var found: [String: String] = [:]
    for device in devices {
      guard case .other(.nearbyPeer) = hosts[device.host].role else { continue }
      for identity in device.identities { found[identity] = device.name }
    }
    return found
  }
}
