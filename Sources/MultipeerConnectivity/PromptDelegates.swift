// Told of the two parts of the framework that ask a person. Optional methods have a body to fall back on.

/// Told when an invitation is shown, and when it is no longer.
public protocol MCAdvertiserAssistantDelegate: AnyObject {
  func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant)
  func advertiserAssistantDidDismissInvitation(_ advertiserAssistant: MCAdvertiserAssistant)
  /// The first one as the reference of 2013 spells it. The fall-back body of the other spelling calls it.
  func advertiserAssitantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant)
}

extension MCAdvertiserAssistantDelegate {
  public func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {
    advertiserAssitantWillPresentInvitation(advertiserAssistant)
  }

  public func advertiserAssistantDidDismissInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {}
  public func advertiserAssitantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {}
}

/// Told of what a person does with a browser. The application has to dismiss it after either of the first two.
public protocol MCBrowserViewControllerDelegate: AnyObject {
  func browserViewControllerDidFinish(_ browserViewController: MCBrowserViewController)
  func browserViewControllerWasCancelled(_ browserViewController: MCBrowserViewController)
  /// Whether a peer that was found is shown. Without this method all are.
  func browserViewController(
    _ browserViewController: MCBrowserViewController, shouldPresentNearbyPeer peerID: MCPeerID,
    withDiscoveryInfo info: [String: String]?
  ) -> Bool
}

extension MCBrowserViewControllerDelegate {
  public func browserViewController(
    _ browserViewController: MCBrowserViewController, shouldPresentNearbyPeer peerID: MCPeerID,
    withDiscoveryInfo info: [String: String]?
  ) -> Bool { true }
}
