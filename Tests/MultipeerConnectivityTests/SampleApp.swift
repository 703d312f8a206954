// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// An application as it is written for Apple's systems: it knows Foundation, Dispatch and MultipeerConnectivity, and
// nothing of a virtual device.
import Dispatch
import Foundation
import MultipeerConnectivity

/// A chat: it advertises and browses, the peer with the lower hash invites, messages go to everybody, a file and a stream
/// to one.
final class Chat: NSObject {
  private static let serviceType = "abc-txtchat"

  let peerID: MCPeerID
  let session: MCSession
  private let advertiser: MCNearbyServiceAdvertiser
  private let browser: MCNearbyServiceBrowser
  private var output: OutputStream?
  private var input: InputStream?
  private(set) var log: [String] = []
  private(set) var file: Data?
  private(set) var voice = Data()

  init(name: String) {
    peerID = MCPeerID(displayName: name)
    session = MCSession(peer: peerID, securityIdentity: nil, encryptionPreference: .required)
    advertiser = MCNearbyServiceAdvertiser(peer: peerID, discoveryInfo: ["room": "1"], serviceType: Self.serviceType)
    browser = MCNearbyServiceBrowser(peer: peerID, serviceType: Self.serviceType)
    super.init()
    session.delegate = self
    advertiser.delegate = self
    browser.delegate = self
  }

  func start() {
    advertiser.startAdvertisingPeer()
    browser.startBrowsingForPeers()
  }

  func say(_ text: String) {
    do {
      try session.send(Data(text.utf8), toPeers: session.connectedPeers, with: .reliable)
    } catch MCError.notConnected {
      log.append("nobody")
    } catch let error as MCError where error.code == .invalidParameter {
      log.append("nobody to hear it")
    } catch {
      log.append("failed")
    }
  }

  func send(_ url: URL, to peer: MCPeerID) -> Progress? {
    session.sendResource(at: url, withName: url.lastPathComponent, toPeer: peer) { [weak self] error in
      self?.log.append(error == nil ? "file sent" : "file not sent")
    }
  }

  func speak(_ bytes: Data, to peer: MCPeerID) throws {
    let stream = try session.startStream(withName: "voice", toPeer: peer)
    output = stream
    voice = bytes
    stream.delegate = self
    stream.schedule(in: .main, forMode: .default)
    stream.open()
  }

  func leave() {
    browser.stopBrowsingForPeers()
    advertiser.stopAdvertisingPeer()
    session.disconnect()
  }
}

extension Chat: MCNearbyServiceBrowserDelegate {
  func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
  ) {
    guard info?["room"] == "1", self.peerID.hash < peerID.hash else { return }
    browser.invitePeer(peerID, to: session, withContext: Data("hello".utf8), timeout: 10)
  }

  func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {
    log.append("lost \(peerID.displayName)")
  }
}

extension Chat: MCNearbyServiceAdvertiserDelegate {
  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
    withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
  ) {
    invitationHandler(context == Data("hello".utf8), session)
  }
}

extension Chat: MCSessionDelegate {
  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
    switch state {
    case .connected: log.append("\(peerID.displayName) is here")
    case .notConnected: log.append("\(peerID.displayName) is gone")
    case .connecting: break
    @unknown default: log.append("new state")
    }
  }

  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
    log.append("\(peerID.displayName): \(String(decoding: data, as: UTF8.self))")
  }

  func session(
    _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
  ) {
    log.append("\(streamName) of \(peerID.displayName)")
    input = stream
    stream.delegate = self
    stream.schedule(in: .main, forMode: .default)
    stream.open()
  }

  func session(
    _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    with progress: Progress
  ) {
    log.append("receiving \(resourceName)")
  }

  func session(
    _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    at localURL: URL?, withError error: (any Error)?
  ) {
    file = localURL.flatMap { try? Data(contentsOf: $0) }
    log.append(error == nil ? "received \(resourceName)" : "not received \(resourceName)")
  }
}

extension Chat: StreamDelegate {
  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch eventCode {
    case .hasSpaceAvailable:
      guard let output = aStream as? OutputStream else { return }
      let count = voice.withUnsafeBytes { bytes in
        bytes.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
      }
      voice.removeFirst(max(0, count))
      if voice.isEmpty { output.close() }
    case .hasBytesAvailable:
      guard let input = aStream as? InputStream else { return }
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = input.read(&buffer, maxLength: buffer.count)
      if count > 0 { voice.append(contentsOf: buffer[..<count]) }
    case .endEncountered:
      log.append("heard all")
      aStream.close()
    default: break
    }
  }
}
