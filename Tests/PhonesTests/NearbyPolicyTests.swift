import Foundation
import MultipeerConnectivity
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import Testing

@testable import RollcallPhones

@Suite("Choices that the documentation leaves open, for phones of a world", .serialized) struct NearbyPolicyTests {
  @Test("each choice changes what it names at the door of a phone, and nothing else")
  func choices() {
    func check(_ policy: NearbyPolicy, _ change: (inout PeerPolicies) -> Void) {
      var expected = NearbySettings().doorPolicies
      #expect(expected != NearbySettings(policies: [policy]).doorPolicies, "\(policy) changes nothing")
      change(&expected)
      expectEqual(NearbySettings(policies: [policy]).doorPolicies, expected, "\(policy)")
    }
    check(.acceptWithoutSessionIsNoAnswer) { $0.acceptWithoutSession = .isNoAnswer }
    check(.secondAnswerIsGiven) { $0.secondAnswer = .isGiven }
    check(.answerAfterStopIsIgnored) { $0.answerAfterStop = .isIgnored }
    check(.repeatedInvitationIsSent) { $0.repeatedInvitation = .isSent }
    check(.emptyMessageIsInvalid) { $0.emptyMessage = .isInvalid }
    check(.emptyReceiversAreAllowed) { $0.emptyReceivers = .isAllowed }
    check(.unknownReceiverIsLeftOut) { $0.unknownReceiver = .isLeftOut }
    check(.ninthPeerIsLeftToTheSession) { $0.ninthPeer = .isLeftToTheDevice }
    check(.changedInfoIsSilent) { $0.changedInfo = .isSilent }
    check(.ownAdvertisementIsFound) { $0.findsOwnAdvertisement = true }
    check(.ownDisconnectIsSilent) { $0.tellsOfOwnDisconnect = false }
    check(.certificateWithoutCallbackIsNoAnswer) { $0.certificateWithoutCallback = .isNoAnswer }
    // What a session sends at most is known at the door, too.
    expectEqual(NearbySettings().doorPolicies.messageBytesMaximum, 16_777_216)
    check(.messageBytesMaximum(9)) { $0.messageBytesMaximum = 9 }
    let plan = NearbySettings(policies: [.messageBytesMaximum(9)]).plan(host: "phone") { StandInCipher(seed: $0) }
    expectEqual(plan.sessions.messageBytesMaximum, 9)
    check(.streamBytesMaximum(9)) { $0.streamBytesMaximum = 9 }
  }

  @Test("applications on phones meet the choices that were made")
  func applications() throws {
    func run(_ policies: [NearbyPolicy]) throws -> [String] {
      let world = try nearbyWorld("ben", nearby: NearbySettings(policies: policies))
      let (ada, ben) = (NearbyApp("Ada", on: world), NearbyApp("Ben", on: world, phone: "ben"))
      ben.advertiser.startAdvertisingPeer()
      ada.browser.startBrowsingForPeers()
      world.run(for: .seconds(5))
      ada.invite("Ben")
      world.run(for: .seconds(5))
      ada.clear()
      let words = world.enter {
        [ada.send([]), ada.send([1], to: []), ada.send([UInt8](repeating: 1, count: 65_537))]
      }
      world.run(for: .seconds(5))
      world.enter { ada.session.disconnect() }
      world.run(for: .seconds(5))
      return words + ada.lines + ben.data.map { "\($0.count) bytes came" }
    }
    try expectEqual(
      run([]), ["sent", "invalidParameter", "sent", "Ben notConnected of 0", "0 bytes came", "65537 bytes came"])
    try expectEqual(
      run([
        .emptyMessageIsInvalid, .emptyReceiversAreAllowed, .messageBytesMaximum(65_536), .ownDisconnectIsSilent,
      ]), ["invalidParameter", "sent", "invalidParameter"])
    try expectEqual(run([.messageBytesMaximum(65_537)])[2], "sent")
  }
}
