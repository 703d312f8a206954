public import Foundation

/// Told of what happens in a session, on a queue of the framework's own.
public protocol MCSessionDelegate: AnyObject {
  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState)
  /// One message, as it was sent. It is not to be trusted.
  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID)
  /// The stream has to be scheduled and opened.
  func session(
    _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID)
  func session(
    _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    with progress: Progress)
  /// The file is gone when this method has returned.
  func session(
    _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    at localURL: URL?, withError error: (any Error)?)
  /// Nothing has been checked: the application decides by calling the handler. Each element is the `Data` of a
  /// certificate; nil: the peer has no identity.
  func session(
    _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
    certificateHandler: @escaping (Bool) -> Void)
}

extension MCSessionDelegate {
  /// A delegate without this method accepts everybody, unless the device's policy says another.
  public func session(
    _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
    certificateHandler: @escaping (Bool) -> Void
  ) {
    if session.core.link.policies.certificateWithoutCallback == .isAccepted { certificateHandler(true) }
  }
}
