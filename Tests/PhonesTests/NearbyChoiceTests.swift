import Foundation
import MultipeerConnectivity
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallPhones

/// What sessions of phones do about the choices that the documentation leaves open, both ways.
@Suite("What choices do on phones", .serialized) struct NearbyChoiceTests {
  /// Ada browses, and has found Ben.
  private func pair(_ policies: [NearbyPolicy]) throws -> NearbyPair {
    try NearbyPair(nearby: NearbySettings(policies: policies), isConnected: false)
  }

  /// Ada has invited Ben three seconds ago, who has not answered.
  private func asked(_ policies: [NearbyPolicy]) throws -> NearbyPair {
    let pair = try pair(policies)
    pair.ben.accepts = nil
    pair.ada.clear()
    pair.ada.invite("Ben", timeout: 10)
    pair.world.run(for: .seconds(3))
    return pair
  }

  @Test("accepting without a session declines, or is no answer until the time runs out")
  func acceptWithoutSession() throws {
    func run(_ policies: [NearbyPolicy]) throws -> [String] {
      let pair = try asked(policies)
      pair.world.enter("ben") { pair.ben.handlers.first?(true, nil) }
      pair.world.run(for: .seconds(3))
      let early = pair.ada.lines
      pair.world.run(for: .seconds(10))
      return early + ["later"] + pair.ada.lines.dropFirst(early.count)
    }
    try expectEqual(run([]), ["Ben connecting of 0", "Ben notConnected of 0", "later"])
    try expectEqual(
      run([.acceptWithoutSessionIsNoAnswer]), ["Ben connecting of 0", "later", "Ben notConnected of 0"])
  }

  @Test("a second answer is ignored, or comes to an invitation that is over")
  func secondAnswer() throws {
    for policies in [[], [.secondAnswerIsGiven]] as [[NearbyPolicy]] {
      let pair = try asked(policies)
      pair.world.enter("ben") {
        pair.ben.handlers.first?(false, nil)
        pair.ben.handlers.first?(true, pair.ben.session)
      }
      pair.world.run(for: .seconds(20))
      expectEqual(pair.ada.lines, ["Ben connecting of 0", "Ben notConnected of 0"], "\(policies)")
      expectEqual(pair.ben.session.connectedPeers, [], "\(policies)")
    }
  }

  @Test("an answer after the advertiser has stopped counts, or does not")
  func answerAfterStop() throws {
    func run(_ policies: [NearbyPolicy]) throws -> String? {
      let pair = try asked(policies)
      pair.world.enter("ben") {
        pair.ben.advertiser.stopAdvertisingPeer()
        pair.ben.handlers.first?(true, pair.ben.session)
      }
      pair.world.run(for: .seconds(20))
      return pair.ada.lines.last { $0.hasPrefix("Ben") }
    }
    try expectEqual(run([]), "Ben connected of 1")
    try expectEqual(run([.answerAfterStopIsIgnored]), "Ben notConnected of 0")
  }

  @Test("an invitation while one is under way is none, or one more for a session that has one: neither ends the first")
  func repeatedInvitation() throws {
    for policies in [[], [.repeatedInvitationIsSent]] as [[NearbyPolicy]] {
      let pair = try pair(policies)
      pair.ben.accepts = nil
      pair.ada.clear()
      pair.ada.invite("Ben", timeout: 20)
      pair.world.run(for: .seconds(2))
      pair.ada.invite("Ben", timeout: 20)
      pair.world.run(for: .seconds(2))
      pair.world.enter("ben") { for handler in pair.ben.handlers { handler(true, pair.ben.session) } }
      pair.world.run(for: .seconds(10))
      expectEqual(pair.ada.session.connectedPeers, [pair.ben.peer], "\(policies): \(pair.ada.lines)")
      expectEqual(pair.ben.session.connectedPeers, [pair.ada.peer], "\(policies)")
      expectEqual(pair.ada.lines, ["Ben connecting of 0", "Ben connected of 1"], "\(policies)")
    }
  }

  @Test("a message to several peers, of whom one is no member, stops for all, or goes to the others")
  func unknownReceiver() throws {
    func run(_ policies: [NearbyPolicy]) throws -> [String] {
      let pair = try NearbyPair(nearby: NearbySettings(policies: policies))
      let word = pair.world.enter {
        pair.ada.send([1, 2, 3], to: [pair.ben.peer, MCPeerID(displayName: "Eve")])
      }
      pair.world.run(for: .seconds(3))
      return [word] + pair.ben.lines
    }
    try expectEqual(run([]), ["notConnected"])
    try expectEqual(run([.unknownReceiverIsLeftOut]), ["notConnected", "3 bytes from Ada"])
  }

  @Test("other discovery information of a peer that was found is found again, or not told")
  func changedInfo() throws {
    func run(_ policies: [NearbyPolicy]) throws -> [String] {
      let pair = try pair(policies)
      let second = pair.world.enter("ben") {
        MCNearbyServiceAdvertiser(peer: pair.ben.peer, discoveryInfo: ["room": "2"], serviceType: "abc")
      }
      pair.world.enter("ben") { second.startAdvertisingPeer() }
      pair.world.run(for: .seconds(10))
      return withExtendedLifetime(second) { pair.ada.lines }
    }
    try expectEqual(run([]), ["found Ben room=1", "found Ben room=2"])
    try expectEqual(run([.changedInfoIsSilent]), ["found Ben room=1"])
  }

  @Test("a browser does not find its own peer, or does")
  func ownAdvertisement() throws {
    func run(_ policies: [NearbyPolicy]) throws -> [String] {
      let world = try nearbyWorld("ben", nearby: NearbySettings(policies: policies))
      let ada = NearbyApp("Ada", on: world)
      ada.advertiser.startAdvertisingPeer()
      ada.browser.startBrowsingForPeers()
      world.run(for: .seconds(10))
      return ada.lines
    }
    try expectEqual(run([]), [])
    try expectEqual(run([.ownAdvertisementIsFound]), ["found Ada nil"])
  }

  @Test("the ninth peer hears that it is not connected, whether the door refuses it or the session")
  func ninthPeer() throws {
    for policies in [[], [.ninthPeerIsLeftToTheSession]] as [[NearbyPolicy]] {
      let names = (1...8).map { "p\($0)" }
      let scenario = try nearbyWorld(
        "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", nearby: NearbySettings(policies: policies))
      let ada = NearbyApp("Ada", on: scenario)
      let others = names.map { NearbyApp($0, on: scenario, phone: $0) }
      for other in others { other.advertiser.startAdvertisingPeer() }
      ada.browser.startBrowsingForPeers()
      scenario.run(for: .seconds(10))
      for name in names.dropLast() {
        ada.invite(name)
        scenario.run(for: .seconds(5))
      }
      expectEqual(ada.session.connectedPeers.count, 7, "\(policies)")
      ada.clear()
      ada.invite("p8", timeout: 10)
      scenario.run(for: .seconds(20))
      expectEqual(ada.lines.last, "p8 notConnected of 7", "\(policies): \(ada.lines)")
      expectEqual(ada.session.connectedPeers.count, 7, "\(policies)")
      withExtendedLifetime(others) {}
    }
  }

  @Test("a stream holds so many bytes for a writer")
  func streamBytes() throws {
    for (policies, written) in [([], 20), ([.streamBytesMaximum(9)], 9)] as [([NearbyPolicy], Int)] {
      let pair = try NearbyPair(nearby: NearbySettings(policies: policies))
      let stream = try pair.world.enter {
        try pair.ada.session.startStream(withName: "s", toPeer: pair.ben.peer)
      }
      pair.world.run(for: .seconds(2))
      let count = pair.world.enter {
        stream.open()
        return stream.write([UInt8](repeating: 1, count: 20), maxLength: 20)
      }
      expectEqual(count, written)
    }
  }
}
