import RollcallExpectations
import Testing

/// As `ApplicationSourceTests`, for the other door.
@Suite("Sources of applications that import MultipeerConnectivity") struct PeerApplicationSourceTests {
  @Test(
    "in each language mode they compile without a warning", .enabled(if: ApplicationSourceTests.isBuilt),
    arguments: [4, 5, 6])
  func withoutWarning(mode: Int) throws {
    try expectEqual(ApplicationSourceTests().complaints(about: Self.application, inMode: mode), [])
  }

  @Test("a header that Apple's framework does not have is not found", .enabled(if: ApplicationSourceTests.isBuilt))
  func unknownHeader() throws {
    let found = try ApplicationSourceTests().complaints(about: "import MultipeerConnectivity.MCThing\n", inMode: 5)
    expectEqual(found, ["App.swift:1:8: error: no such module 'MultipeerConnectivity.MCThing'"])
  }

  /// What application code uses, in one source.
  private static let application = """
    import MultipeerConnectivity.MCSession
    import MultipeerConnectivity.MCNearbyServiceBrowser
    import class MultipeerConnectivity.MCPeerID

    extension MCSession: @retroactive @unchecked Sendable {}
    extension MCPeerID: @retroactive @unchecked Sendable {}

    final class Chat: NSObject, MCSessionDelegate, MCNearbyServiceAdvertiserDelegate {
      private let peer = MCPeerID(displayName: "me")
      private lazy var session = MCSession(peer: peer, securityIdentity: nil, encryptionPreference: .required)
      private var peers: Set<MCPeerID> = []

      func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        switch state {
        case .connected: peers.insert(peerID)
        case .connecting: break
        case .notConnected: peers.remove(peerID)
        @unknown default: break
        }
        DispatchQueue.main.async { print(peerID.displayName, session.connectedPeers.count) }
      }

      func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        do {
          try session.send(data, toPeers: session.connectedPeers, with: .reliable)
        } catch MCError.notConnected {
        } catch let error as MCError where error.code == .invalidParameter {
          print((error as NSError).domain == MCErrorDomain)
        } catch { print(error) }
      }

      func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
      ) {}

      func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
      ) {}

      func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: Error?
      ) {
        guard let localURL = localURL else { return }
        session.sendResource(at: localURL, withName: resourceName, toPeer: peerID)
        session.sendResource(at: localURL, withName: resourceName, toPeer: peerID, withCompletionHandler: nil)
        let progress = session.sendResource(at: localURL, withName: resourceName, toPeer: peerID) { error in
          print(error?.localizedDescription ?? "sent")
        }
        progress?.cancel()
      }

      func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
      ) {
        invitationHandler(peer.hash < peerID.hash, session)
      }

      @available(macOS 10.15, iOS 13, *)
      func exchange(_ peerID: MCPeerID) async throws {
        let data = try await session.nearbyConnectionData(forPeer: peerID)
        session.connectPeer(peerID, withNearbyConnectionData: data)
      }
    }
    """
}
