public import Foundation

/// Advertises, and has a person answer the invitations. The person is the one of the device's script.
open class MCAdvertiserAssistant: NSObject {
  let core: AssistantCore

  /// An invalid service type ends the program, as an exception of Apple's does.
  public init(serviceType: String, discoveryInfo info: [String: String]?, session: MCSession) {
    core = AssistantCore(
      MCNearbyServiceAdvertiser(peer: session.myPeerID, discoveryInfo: info, serviceType: serviceType), session)
    super.init()
    core.assistant = self
    core.begin()
  }

  deinit { core.link.end() }

  open weak var delegate: (any MCAdvertiserAssistantDelegate)?

  open var session: MCSession { core.session }
  open var discoveryInfo: [String: String]? { core.advertiser.discoveryInfo }
  open var serviceType: String { core.advertiser.serviceType }

  open func start() { core.advertiser.startAdvertisingPeer() }

  /// An invitation that is shown, and those behind it, are declined.
  open func stop() { core.stop() }
}
