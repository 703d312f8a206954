import Foundation
import MultipeerConnectivity
import RollcallPrimitives

@testable import RollcallPhones

/// An application with the two parts of the framework that ask a person, and a line for each callback.
final class PromptApp: MCAdvertiserAssistantDelegate, MCBrowserViewControllerDelegate {
  let session: MCSession
  let assistant: MCAdvertiserAssistant
  let controller: MCBrowserViewController
  private let world: PhoneWorld
  private(set) var log: [(at: Instant, line: String)] = []

  init(_ name: String, on world: PhoneWorld, phone: String? = nil) {
    self.world = world
    (session, assistant, controller) = world.enter(phone) {
      let session = MCSession(peer: MCPeerID(displayName: name))
      return (
        session, MCAdvertiserAssistant(serviceType: "abc", discoveryInfo: nil, session: session),
        MCBrowserViewController(serviceType: "abc", session: session)
      )
    }
    assistant.delegate = self
    controller.delegate = self
  }

  var lines: [String] { log.map(\.line) }
  var connected: [String] { session.connectedPeers.map(\.displayName).sorted() }

  /// When a line was written last; `nil`: never.
  func time(of line: String) -> Instant? { log.last { $0.line == line }?.at }

  private func write(_ line: String) { log.append((world.now, line)) }

  func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) { write("present") }
  func advertiserAssistantDidDismissInvitation(_ advertiserAssistant: MCAdvertiserAssistant) { write("dismiss") }
  func browserViewController(
    _ browserViewController: MCBrowserViewController, shouldPresentNearbyPeer peerID: MCPeerID,
    withDiscoveryInfo info: [String: String]?
  ) -> Bool {
    write("found \(peerID.displayName)")
    return true
  }
  func browserViewControllerDidFinish(_ browserViewController: MCBrowserViewController) { write("done") }
  func browserViewControllerWasCancelled(_ browserViewController: MCBrowserViewController) { write("cancel") }
}
