// swift-format-ignore-file: AlwaysUseLowerCamelCase

// An application as it is written for Apple's systems, for the live scene in which two processes meet on one network.
import Foundation
import MultipeerConnectivity

/// Advertises and browses; the peer with the lower hash invites, says hello, is answered, and leaves.
final class NearbySample: NSObject, MCSessionDelegate, MCNearbyServiceAdvertiserDelegate, MCNearbyServiceBrowserDelegate
{
  private let peer: MCPeerID
  private let session: MCSession
  private let advertiser: MCNearbyServiceAdvertiser
  private let browser: MCNearbyServiceBrowser
  private let say: (String) -> Void
  private var hasInvited = false
  private var hasFound = false
  /// A peer that said hello before this one had found it. It is answered afterwards, since it leaves with the answer.
  private var waiting: MCPeerID?

  init(name: String, say: @escaping (String) -> Void) {
    self.say = say
    peer = MCPeerID(displayName: name)
    session = MCSession(peer: peer, securityIdentity: nil, encryptionPreference: .required)
    advertiser = MCNearbyServiceAdvertiser(peer: peer, discoveryInfo: ["of": name], serviceType: "rc-sample")
    browser = MCNearbyServiceBrowser(peer: peer, serviceType: "rc-sample")
    super.init()
    session.delegate = self
    advertiser.delegate = self
    browser.delegate = self
    advertiser.startAdvertisingPeer()
    browser.startBrowsingForPeers()
  }

  func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
  ) {
    say("found \(peerID.displayName) of \(info?["of"] ?? "-")")
    hasFound = true
    if let waiting { greet(waiting) }
    waiting = nil
    guard peer.hash < peerID.hash else { return }
    hasInvited = true
    browser.invitePeer(peerID, to: session, withContext: nil, timeout: 10)
  }

  func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) { say("lost \(peerID.displayName)") }

  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID, withContext context: Data?,
    invitationHandler: @escaping (Bool, MCSession?) -> Void
  ) {
    say("invited by \(peerID.displayName)")
    invitationHandler(true, session)
  }

  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
    switch state {
    case .connected:
      say("connected")
      if hasInvited { greet(peerID) }
    case .notConnected:
      say("gone")
      finish()
    case .connecting: break
    }
  }

  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
    say("heard \(String(decoding: data, as: UTF8.self))")
    // An answer shows that the message before it has arrived: whoever leaves drops what is still on its way.
    if hasInvited { session.disconnect() } else if hasFound { greet(peerID) } else { waiting = peerID }
  }

  private func greet(_ other: MCPeerID) {
    do { try session.send(Data("hello from \(peer.displayName)".utf8), toPeers: [other], with: .reliable) } catch {
      say("not sent: \(error)")
    }
  }

  private func finish() {
    advertiser.stopAdvertisingPeer()
    browser.stopBrowsingForPeers()
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { exit(0) }
  }

  func session(_: MCSession, didReceive _: InputStream, withName _: String, fromPeer _: MCPeerID) {}
  func session(_: MCSession, didStartReceivingResourceWithName _: String, fromPeer _: MCPeerID, with _: Progress) {}
  func session(
    _: MCSession, didFinishReceivingResourceWithName _: String, fromPeer _: MCPeerID, at _: URL?,
    withError _: (any Error)?
  ) {}
}
