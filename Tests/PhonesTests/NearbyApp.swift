// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import MultipeerConnectivity
import RollcallPrimitives
import RollcallScenarios

@testable import RollcallPhones

/// A world with phones and nothing else: one in the place of the engine, and others by their names.
func nearbyWorld(
  _ others: String..., seed: UInt64 = 1, _ more: String = "", nearby: NearbySettings = NearbySettings()
) throws -> PhoneWorld {
  let scenario = try Scenario(yaml: "scenario: Nearby phones\nduration: 3h\n" + more, file: "phones.yaml")
  return PhoneWorld(
    try scenario.resolved(), seed: Seed(seed), others: others.map { OtherPhone($0) }, nearby: nearby)
}

/// An application with one object of each kind, and a line for each callback.
final class NearbyApp: NSObject, MCSessionDelegate, MCNearbyServiceAdvertiserDelegate, MCNearbyServiceBrowserDelegate {
  let peer: MCPeerID
  let session: MCSession
  let advertiser: MCNearbyServiceAdvertiser
  let browser: MCNearbyServiceBrowser
  private let world: PhoneWorld
  private(set) var log: [(at: Instant, line: String)] = []
  private(set) var found: [MCPeerID] = []
  private(set) var handlers: [(Bool, MCSession?) -> Void] = []
  private(set) var data: [[UInt8]] = []
  private(set) var inputs: [InputStream] = []
  private(set) var incoming: [Progress] = []
  /// What becomes of an invitation; `nil`: its handler is kept.
  var accepts: Bool? = true
  var acceptsCertificates = true
  var invites = false
  /// Called with each line.
  var reaction: (NearbyApp, String) -> Void = { _, _ in }

  init(
    _ name: String, on world: PhoneWorld, phone: String? = nil, info: [String: String]? = nil, type: String = "abc",
    encryption: MCEncryptionPreference = .optional, identity: [Any]? = nil, as peer: MCPeerID? = nil
  ) {
    self.world = world
    (self.peer, session, advertiser, browser) = world.enter(phone) {
      let peer = peer ?? MCPeerID(displayName: name)
      return (
        peer, MCSession(peer: peer, securityIdentity: identity, encryptionPreference: encryption),
        MCNearbyServiceAdvertiser(peer: peer, discoveryInfo: info, serviceType: type),
        MCNearbyServiceBrowser(peer: peer, serviceType: type)
      )
    }
    super.init()
    session.delegate = self
    advertiser.delegate = self
    browser.delegate = self
  }

  var lines: [String] { log.map(\.line) }
  /// With the whole seconds at which they came.
  var timed: [String] { log.map { "\($0.at.nanoseconds / 1_000_000_000) s \($0.line)" } }
  func clear() { log = [] }

  func write(_ line: String) {
    log.append((world.now, line))
    reaction(self, line)
  }

  func peer(_ name: String) -> MCPeerID? { found.last { $0.displayName == name } }

  func invite(_ name: String, context: Data? = nil, timeout: TimeInterval = 30) {
    guard let peer = peer(name) else { return write("no \(name)") }
    browser.invitePeer(peer, to: session, withContext: context, timeout: timeout)
  }

  func send(_ bytes: [UInt8], to peers: [MCPeerID]? = nil, _ mode: MCSessionSendDataMode = .reliable) -> String {
    do { try session.send(Data(bytes), toPeers: peers ?? session.connectedPeers, with: mode) } catch {
      return words(error)
    }
    return "sent"
  }

  func words(_ error: (any Error)?) -> String {
    guard let error else { return "nil" }
    return (error as? MCError).map { "\($0.code)" } ?? "\((error as NSError).domain) \((error as NSError).code)"
  }

  // MARK: Sessions

  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
    write("\(peerID.displayName) \(state) of \(session.connectedPeers.count)")
  }
  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
    self.data.append(Array(data))
    write("\(data.count) bytes from \(peerID.displayName)")
  }
  func session(
    _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
  ) {
    inputs.append(stream)
    write("stream \(streamName) from \(peerID.displayName)")
  }
  func session(
    _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    with progress: Progress
  ) {
    incoming.append(progress)
    write("receiving \(resourceName), \(progress.totalUnitCount)")
  }
  func session(
    _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    at localURL: URL?, withError error: (any Error)?
  ) {
    let contents = localURL.flatMap { try? Data(contentsOf: $0) }.map { "\($0.count) bytes" } ?? "nothing"
    write("received \(resourceName): \(contents) in \(localURL?.lastPathComponent ?? "-"), \(words(error))")
  }
  func session(
    _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
    certificateHandler: @escaping (Bool) -> Void
  ) {
    if let certificate { write("certificate \(certificate.map { Array($0 as? Data ?? Data()) })") }
    certificateHandler(acceptsCertificates)
  }

  // MARK: Discovery

  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
    withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
  ) {
    handlers.append(invitationHandler)
    write("invited by \(peerID.displayName) with \(context.map { "\($0.count) bytes" } ?? "nil")")
    if let accepts { invitationHandler(accepts, session) }
  }
  func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {
    write("not advertising \(words(error))")
  }
  func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
  ) {
    found.append(peerID)
    let pairs = info.map { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
    write("found \(peerID.displayName) \(pairs ?? "nil")")
    if invites { invite(peerID.displayName) }
  }
  func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) { write("lost \(peerID.displayName)") }
  func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
    write("not browsing \(words(error))")
  }
}

/// Two applications on two phones, connected: the first one has invited.
struct NearbyPair {
  let world: PhoneWorld
  let ada: NearbyApp
  let ben: NearbyApp

  init(
    _ more: String = "", seed: UInt64 = 1, nearby: NearbySettings = NearbySettings(), isConnected: Bool = true,
    encryption: (MCEncryptionPreference, MCEncryptionPreference) = (.optional, .optional), identity: [Any]? = nil
  ) throws {
    world = try nearbyWorld("ben", seed: seed, more, nearby: nearby)
    ada = NearbyApp("Ada", on: world, encryption: encryption.0, identity: identity)
    ben = NearbyApp("Ben", on: world, phone: "ben", info: ["room": "1"], encryption: encryption.1)
    ben.advertiser.startAdvertisingPeer()
    ada.browser.startBrowsingForPeers()
    world.run(for: .seconds(5))
    guard isConnected else { return }
    ada.invite("Ben")
    world.run(for: .seconds(10))
    ada.clear()
    ben.clear()
  }
}
