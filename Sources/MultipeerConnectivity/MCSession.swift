public import Foundation

/// A group of up to eight peers that send each other messages, streams and resources.
open class MCSession: NSObject {
  let core: SessionCore
  private let identity: [Any]?

  /// Without an identity; encryption is optional.
  public convenience init(peer myPeerID: MCPeerID) {
    self.init(peer: myPeerID, securityIdentity: nil, encryptionPreference: .optional)
  }

  /// - Parameter identity: The local certificate, then the others of its chain. Linux has no `SecIdentity`; the device
  ///   says what stands for one, and takes the `Data` of a certificate.
  public init(
    peer myPeerID: MCPeerID, securityIdentity identity: [Any]?, encryptionPreference: MCEncryptionPreference
  ) {
    self.identity = identity
    core = SessionCore(peer: myPeerID, encryption: encryptionPreference)
    super.init()
    core.session = self
    core.begin(identity)
  }

  deinit { core.end() }

  open weak var delegate: (any MCSessionDelegate)?

  open var myPeerID: MCPeerID { core.localPeer }
  open var securityIdentity: [Any]? { identity }
  open var encryptionPreference: MCEncryptionPreference { core.encryption }

  /// Without the local peer, in the order in which they were connected.
  open var connectedPeers: [MCPeerID] { core.connectedPeers }

  /// Returns when the message waits to be sent. Throws `MCError.notConnected` if one of the peers is not connected.
  open func send(_ data: Data, toPeers peerIDs: [MCPeerID], with mode: MCSessionSendDataMode) throws {
    try core.send(data, to: peerIDs, mode)
  }

  /// Leaves the session. The object can be used again.
  open func disconnect() { core.disconnect() }

  /// The stream has to be scheduled and opened.
  open func startStream(withName streamName: String, toPeer peerID: MCPeerID) throws -> OutputStream {
    try core.startStream(streamName, to: peerID)
  }

  /// Sends the contents of a file, or of a web address that this device fetches. The handler is called once, with nil
  /// when the peer has all of it.
  @discardableResult
  open func sendResource(
    at resourceURL: URL, withName resourceName: String, toPeer peerID: MCPeerID,
    withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
  ) -> Progress? {
    core.sendResource(at: resourceURL, name: resourceName, to: peerID, completionHandler)
  }

  // MARK: Connecting without an invitation

  /// Both sides have to call it, each with data that the other one obtained for it.
  open func connectPeer(_ peerID: MCPeerID, withNearbyConnectionData data: Data) {
    core.connect(peerID, data)
  }

  /// Ends an attempt, or forgets data that was obtained for the peer.
  open func cancelConnectPeer(_ peerID: MCPeerID) { core.cancelConnect(peerID) }

  /// What `peerID` needs to connect to this session.
  open func nearbyConnectionData(
    forPeer peerID: MCPeerID, withCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) {
    core.connectionData(for: peerID, completionHandler)
  }

  open func nearbyConnectionData(forPeer peerID: MCPeerID) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      nearbyConnectionData(forPeer: peerID) { data, error in
        if let data {
          continuation.resume(returning: data)
        } else {
          continuation.resume(throwing: error ?? MCError(.unknown))
        }
      }
    }
  }
}
