public import Foundation

/// Looks for advertisers of one service type, and invites them. A subclass with a discovery of its own calls the methods
/// of its delegate.
open class MCNearbyServiceBrowser: NSObject {
  let core: BrowserCore
  private let localPeer: MCPeerID

  /// An invalid service type ends the program, as an exception of Apple's does; `PeerRules.fault(serviceType:)` asks
  /// without that.
  public init(peer myPeerID: MCPeerID, serviceType: String) {
    let call = "MCNearbyServiceBrowser.init(peer:serviceType:)"
    PeerRules.require(PeerRules.fault(serviceType: serviceType), in: call)
    localPeer = myPeerID
    core = BrowserCore(BrowserSetup(peer: myPeerID.key, serviceType: serviceType))
    super.init()
    core.browser = self
    core.link.begin(core, as: .browser(core.setup), in: call)
  }

  deinit { core.link.end() }

  open weak var delegate: (any MCNearbyServiceBrowserDelegate)?

  open var myPeerID: MCPeerID { localPeer }
  open var serviceType: String { core.setup.serviceType }

  open func startBrowsingForPeers() { core.start() }

  /// After this call the delegate is told of no peer, not even of one that was found before.
  open func stopBrowsingForPeers() { core.stop() }

  /// What comes of it is told to the delegate of the session. A time-out that is not positive is 30 seconds; an infinite
  /// one does not end.
  open func invitePeer(
    _ peerID: MCPeerID, to session: MCSession, withContext context: Data?, timeout: TimeInterval
  ) {
    core.invite(peerID, to: session, context: context, timeout: timeout)
  }
}
