// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import MultipeerConnectivity
import RollcallDoors
import Testing

/// A delegate of everything that writes a line for each call.
final class Recorder: MCSessionDelegate, MCNearbyServiceAdvertiserDelegate, MCNearbyServiceBrowserDelegate,
  MCAdvertiserAssistantDelegate, MCBrowserViewControllerDelegate, @unchecked Sendable
{
  private let lock = NSRecursiveLock()
  private var written: [String] = []
  private var reaction: (String) -> Void = { _ in }
  private var found: [MCPeerID] = []
  private var answers: [(Bool, MCSession?) -> Void] = []
  private var certificateAnswers: [(Bool) -> Void] = []
  private var streams: [InputStream] = []
  private var receivedProgress: [Progress] = []
  private var files: [URL] = []
  private var isOwnQueue: [Bool] = []
  private var filter: (MCPeerID) -> Bool = { _ in true }

  static let key = DispatchSpecificKey<Bool>()

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  var lines: [String] { locked { written } }
  var peers: [MCPeerID] { locked { found } }
  var handlers: [(Bool, MCSession?) -> Void] { locked { answers } }
  var certificateHandlers: [(Bool) -> Void] { locked { certificateAnswers } }
  var inputs: [InputStream] { locked { streams } }
  var progress: [Progress] { locked { receivedProgress } }
  var urls: [URL] { locked { files } }
  /// For each call, whether it came on the queue that the test marked.
  var queues: [Bool] { locked { isOwnQueue } }

  /// What the application does within a callback.
  func react(_ body: @escaping (String) -> Void) { locked { reaction = body } }
  func show(_ filter: @escaping (MCPeerID) -> Bool) { locked { self.filter = filter } }
  func clear() { locked { written = [] } }

  func write(_ line: String) {
    let reaction = locked {
      written.append(line)
      isOwnQueue.append(DispatchQueue.getSpecific(key: Self.key) ?? false)
      return self.reaction
    }
    reaction(line)
  }

  /// The kind and number of an error, as an application looks at it.
  static func words(_ error: (any Error)?) -> String {
    guard let error else { return "nil" }
    if let error = error as? MCError { return "\(error.code)" }
    return "\((error as NSError).domain) \((error as NSError).code)"
  }

  private func text(_ info: [String: String]?) -> String {
    info.map { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",") } ?? "nil"
  }

  // MARK: MCSessionDelegate

  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
    write("\(peerID.displayName) \(state) of \(session.connectedPeers.count)")
  }

  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
    write("data \(Array(data)) from \(peerID.displayName)")
  }

  func session(
    _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
  ) {
    locked { streams.append(stream) }
    write("stream \(streamName) from \(peerID.displayName)")
  }

  func session(
    _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    with progress: Progress
  ) {
    locked { receivedProgress.append(progress) }
    write("receiving \(resourceName) from \(peerID.displayName), \(progress.totalUnitCount)")
  }

  func session(
    _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    at localURL: URL?, withError error: (any Error)?
  ) {
    if let localURL { locked { files.append(localURL) } }
    let contents = localURL.flatMap { try? Data(contentsOf: $0) }.map { "\($0.count) bytes" } ?? "nothing"
    write("received \(resourceName): \(contents), \(Self.words(error))")
  }

  func session(
    _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
    certificateHandler: @escaping (Bool) -> Void
  ) {
    locked { certificateAnswers.append(certificateHandler) }
    write("certificate \(certificate.map { $0.map { Array($0 as? Data ?? Data()) }.description } ?? "nil")")
  }

  // MARK: Discovery

  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
    withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
  ) {
    locked { answers.append(invitationHandler) }
    write("invited by \(peerID.displayName) with \(context.map { Array($0).description } ?? "nil")")
  }

  func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {
    write("not advertising \(Self.words(error))")
  }

  func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
  ) {
    locked { found.append(peerID) }
    write("found \(peerID.displayName) \(text(info))")
  }

  func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) { write("lost \(peerID.displayName)") }

  func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
    write("not browsing \(Self.words(error))")
  }

  // MARK: Prompts

  func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) { write("present") }
  func advertiserAssistantDidDismissInvitation(_ advertiserAssistant: MCAdvertiserAssistant) { write("dismiss") }
  func browserViewControllerDidFinish(_ browserViewController: MCBrowserViewController) { write("finish") }
  func browserViewControllerWasCancelled(_ browserViewController: MCBrowserViewController) { write("cancel") }

  func browserViewController(
    _ browserViewController: MCBrowserViewController, shouldPresentNearbyPeer peerID: MCPeerID,
    withDiscoveryInfo info: [String: String]?
  ) -> Bool { locked { filter }(peerID) }
}

/// An application with one object of each kind, on a device that a test scripts.
struct Bench {
  let device: ScriptedDevice
  let recorder = Recorder()
  let peer: MCPeerID
  let session: MCSession
  let browser: MCNearbyServiceBrowser
  let advertiser: MCNearbyServiceAdvertiser

  init(_ policies: PeerPolicies = PeerPolicies()) {
    let device = ScriptedDevice(policies)
    self.device = device
    (peer, session, browser, advertiser) = on(device) {
      let peer = MCPeerID(displayName: "me")
      return (
        peer, MCSession(peer: peer), MCNearbyServiceBrowser(peer: peer, serviceType: "abc-txtchat"),
        MCNearbyServiceAdvertiser(peer: peer, discoveryInfo: ["a": "1"], serviceType: "abc-txtchat")
      )
    }
    session.delegate = recorder
    browser.delegate = recorder
    advertiser.delegate = recorder
  }

  /// The number of the session on the device.
  var sessionNumber: NearbyNumber { NearbyNumber(1) }

  /// A peer of the session, as the application knows it.
  @discardableResult
  func connected(_ number: UInt8 = 1) throws -> MCPeerID {
    device.push(.state(.other(number), .connecting), .state(.other(number), .connected))
    recorder.clear()
    device.forgetRequests()
    return try #require(session.connectedPeers.last)
  }

  /// A peer that the browser has found.
  func found(_ number: UInt8 = 1) throws -> MCPeerID {
    browser.startBrowsingForPeers()
    device.push(.browser(.found(run: 1, .other(number), nil)))
    recorder.clear()
    device.forgetRequests()
    return try #require(recorder.peers.last)
  }

  /// The handler of an invitation that the application was given.
  func invited(_ number: UInt8 = 1) throws -> (Bool, MCSession?) -> Void {
    advertiser.startAdvertisingPeer()
    device.push(.advertiser(.invited(run: 1, invitation: Int(number), from: .other(number), context: nil)))
    recorder.clear()
    device.forgetRequests()
    return try #require(recorder.handlers.last)
  }
}
