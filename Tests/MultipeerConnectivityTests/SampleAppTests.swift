import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import Testing

@Suite struct SampleAppTests {
  private func chats(_ names: String...) -> (Neighbourhood, [Chat]) {
    let neighbourhood = Neighbourhood()
    let chats = names.map { name in
      let chat = on(neighbourhood.device()) { Chat(name: name) }
      chat.start()
      neighbourhood.settle()
      return chat
    }
    return (neighbourhood, chats)
  }

  @Test func `three applications find each other, chat, and see one leave`() {
    let (neighbourhood, chats) = chats("Ada", "Ben", "Cem")
    for chat in chats { expectEqual(chat.session.connectedPeers.count, 2) }
    chats[0].say("hi")
    neighbourhood.settle()
    expectEqual(chats[1].log.last, "Ada: hi")
    expectEqual(chats[2].log.last, "Ada: hi")
    chats[0].leave()
    neighbourhood.settle()
    for chat in chats[1...] {
      expectEqual(Set(chat.log.suffix(2)), ["Ada is gone", "lost Ada"])
      expectEqual(chat.session.connectedPeers.count, 1)
    }
    chats[0].say("anybody?")
    expectEqual(chats[0].log.last, "nobody to hear it")
    // The session is used again.
    chats[0].start()
    neighbourhood.settle()
    expectEqual(chats[0].session.connectedPeers.count, 2)
  }

  @Test func `a file arrives as it was sent`() throws {
    let (neighbourhood, chats) = chats("Ada", "Ben")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-sample-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("notes.txt")
    let contents = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    try contents.write(to: url)
    let peer = try #require(chats[0].session.connectedPeers.first)
    let progress = try #require(chats[0].send(url, to: peer))
    neighbourhood.settle()
    expectEqual(chats[1].file, contents)
    expectEqual(chats[1].log.suffix(2), ["receiving notes.txt", "received notes.txt"])
    expectEqual(chats[0].log.last, "file sent")
    #expect(progress.isFinished)
    // Cancelled before the device has taken it.
    let callbacks = neighbourhood.device(0).callbacks
    callbacks.suspend()
    let second = chats[0].send(url, to: peer)
    second?.cancel()
    callbacks.resume()
    neighbourhood.settle()
    expectEqual(chats[0].log.last, "file not sent")
    expectEqual(chats[1].log.last, "not received notes.txt")
    // An application that is let go of leaves, and an optimised build does so after its last use.
    withExtendedLifetime(chats) {}
  }

  @Test func `a stream brings all its bytes, and its end`() throws {
    let (neighbourhood, chats) = chats("Ada", "Ben")
    let peer = try #require(chats[0].session.connectedPeers.first)
    let sound = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    try chats[0].speak(sound, to: peer)
    neighbourhood.settle()
    expectEqual(chats[1].voice, sound)
    expectEqual(chats[1].log.suffix(2), ["voice of Ada", "heard all"])
  }

  @Test func `an invitation that nobody answers ends with the time, and a later answer changes nothing`() throws {
    let neighbourhood = Neighbourhood()
    let (here, there) = (neighbourhood.device(), neighbourhood.device())
    let (inviting, invited) = (Recorder(), Recorder())
    let (session, browser) = on(here) {
      let peer = MCPeerID(displayName: "Ada")
      return (MCSession(peer: peer), MCNearbyServiceBrowser(peer: peer, serviceType: "abc"))
    }
    let (advertiser, other) = on(there) {
      let peer = MCPeerID(displayName: "Ben")
      return (
        MCNearbyServiceAdvertiser(peer: peer, discoveryInfo: ["k": "v"], serviceType: "abc"), MCSession(peer: peer)
      )
    }
    (session.delegate, browser.delegate, advertiser.delegate) = (inviting, inviting, invited)
    advertiser.startAdvertisingPeer()
    browser.startBrowsingForPeers()
    neighbourhood.settle()
    browser.invitePeer(try #require(inviting.peers.first), to: session, withContext: nil, timeout: 1)
    neighbourhood.settle()
    expectEqual(invited.lines, ["invited by Ada with nil"])
    neighbourhood.letTimeRunOut()
    let handler = try #require(invited.handlers.first)
    handler(true, other)
    neighbourhood.settle()
    expectEqual(inviting.lines, ["found Ben k=v", "Ben notConnected of 0"])
    expectEqual(other.connectedPeers, [])
  }

  /// MP-44 to MP-46.
  @Test func `peers that exchange archives and connection data connect when both of them ask`() async throws {
    let neighbourhood = Neighbourhood()
    let sessions = ["Ada", "Ben", "Cem"].map { name in
      on(neighbourhood.device()) { MCSession(peer: MCPeerID(displayName: name)) }
    }
    func received(_ peer: MCPeerID) throws -> MCPeerID {
      let data = try NSKeyedArchiver.archivedData(withRootObject: peer, requiringSecureCoding: true)
      return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
    }
    let peers = try sessions.map { try received($0.myPeerID) }
    let forBen = try await sessions[0].nearbyConnectionData(forPeer: peers[1])
    let forAda = try await sessions[1].nearbyConnectionData(forPeer: peers[0])
    sessions[1].connectPeer(peers[0], withNearbyConnectionData: forBen)
    neighbourhood.settle()
    expectEqual(sessions[1].connectedPeers, [])
    // Data for another peer does not do.
    sessions[2].connectPeer(peers[0], withNearbyConnectionData: forBen)
    sessions[0].connectPeer(peers[1], withNearbyConnectionData: forAda)
    neighbourhood.settle()
    expectEqual(sessions[0].connectedPeers, [peers[1]])
    expectEqual(sessions[1].connectedPeers, [peers[0]])
    expectEqual(sessions[2].connectedPeers, [])
    let forCem = try await sessions[0].nearbyConnectionData(forPeer: peers[2])
    let back = try await sessions[2].nearbyConnectionData(forPeer: peers[0])
    sessions[2].connectPeer(peers[0], withNearbyConnectionData: forCem)
    sessions[2].cancelConnectPeer(peers[0])
    sessions[0].connectPeer(peers[2], withNearbyConnectionData: back)
    neighbourhood.settle()
    expectEqual(sessions[2].connectedPeers, [])
    expectEqual(sessions[0].connectedPeers, [peers[1]])
  }

  @Test func `a person selects a peer, and another one accepts`() throws {
    let neighbourhood = Neighbourhood()
    let (here, there) = (neighbourhood.device(), neighbourhood.device())
    here.person { request in
      guard case .browserView(.present(let screen)) = request else { return [] }
      if screen.isDoneEnabled { return [.browserView(.done)] }
      return screen.rows.filter { $0.state == .found }.map { .browserView(.selected($0.peer)) }
    }
    there.person { request in
      if case .assistant(.present(let number, _, _)) = request {
        [.assistant(.answered(number, accepts: true))]
      } else {
        []
      }
    }
    let (selecting, accepting) = (Recorder(), Recorder())
    let controller = on(here) {
      MCBrowserViewController(serviceType: "abc", session: MCSession(peer: MCPeerID(displayName: "Ada")))
    }
    let assistant = on(there) {
      MCAdvertiserAssistant(
        serviceType: "abc", discoveryInfo: nil, session: MCSession(peer: MCPeerID(displayName: "Ben")))
    }
    (controller.delegate, assistant.delegate) = (selecting, accepting)
    assistant.start()
    controller.viewWillAppear(true)
    neighbourhood.settle()
    expectEqual(selecting.lines, ["finish"])
    expectEqual(accepting.lines, ["present", "dismiss"])
    expectEqual(assistant.session.connectedPeers.map(\.displayName), ["Ada"])
  }

  @Test(arguments: [true, false])
  func `a certificate that is refused leads to no connection`(accepts: Bool) throws {
    let neighbourhood = Neighbourhood()
    let recorder = Recorder()
    let peers = ["Ada", "Ben"].map { name in on(neighbourhood.device()) { MCPeerID(displayName: name) } }
    let (first, browser) = on(neighbourhood.device()) {
      (
        MCSession(peer: peers[0], securityIdentity: [Data([7])], encryptionPreference: .optional),
        MCNearbyServiceBrowser(peer: peers[0], serviceType: "abc")
      )
    }
    let (second, advertiser) = on(neighbourhood.device()) {
      (MCSession(peer: peers[1]), MCNearbyServiceAdvertiser(peer: peers[1], discoveryInfo: nil, serviceType: "abc"))
    }
    (second.delegate, advertiser.delegate) = (recorder, recorder)
    advertiser.startAdvertisingPeer()
    browser.invitePeer(peers[1], to: first, withContext: nil, timeout: .infinity)
    neighbourhood.settle()
    let handler = try #require(recorder.handlers.first)
    handler(true, second)
    neighbourhood.settle()
    expectEqual(recorder.lines.suffix(1), ["certificate [[7]]"])
    expectEqual(second.connectedPeers, [])
    let certificateHandler = try #require(recorder.certificateHandlers.first)
    certificateHandler(accepts)
    neighbourhood.settle()
    expectEqual(second.connectedPeers.count, accepts ? 1 : 0)
    expectEqual(first.connectedPeers.count, accepts ? 1 : 0)
  }

  @Test func `the sample application imports nothing but Foundation, Dispatch and the door`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("SampleApp.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let imports = text.split(separator: "\n").filter { $0.contains("import ") }
    expectEqual(imports.map(String.init), ["import Dispatch", "import Foundation", "import MultipeerConnectivity"])
    for word in ["Nearby" + "Link", "Virtual", "package", "@testable"] { #expect(!text.contains(word), "\(word)") }
  }
}
