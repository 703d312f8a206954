public import Foundation

/// Tells nearby peers that this application can be invited.
open class MCNearbyServiceAdvertiser: NSObject {
  let core: AdvertiserCore
  private let localPeer: MCPeerID

  /// An invalid service type ends the program, as an exception of Apple's does; `PeerRules.fault(serviceType:)` asks
  /// without that. Information that no TXT record takes fails at `startAdvertisingPeer()`.
  public init(peer myPeerID: MCPeerID, discoveryInfo info: [String: String]?, serviceType: String) {
    let call = "MCNearbyServiceAdvertiser.init(peer:discoveryInfo:serviceType:)"
    PeerRules.require(PeerRules.fault(serviceType: serviceType), in: call)
    localPeer = myPeerID
    core = AdvertiserCore(
      AdvertiserSetup(peer: myPeerID.key, serviceType: serviceType, info: InfoPair.list(info)))
    super.init()
    core.advertiser = self
    core.link.begin(core, as: .advertiser(core.setup), in: call)
  }

  deinit { core.link.end() }

  open weak var delegate: (any MCNearbyServiceAdvertiserDelegate)?

  open var myPeerID: MCPeerID { localPeer }
  open var discoveryInfo: [String: String]? { InfoPair.dictionary(core.setup.info) }
  open var serviceType: String { core.setup.serviceType }

  open func startAdvertisingPeer() { core.start() }

  /// Invitations that are under way can still be answered.
  open func stopAdvertisingPeer() { core.stop() }
}
