import Foundation
import MultipeerConnectivity
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallPhones

/// Rows MP-04 to MP-19 of the contract, from one application to another over the virtual network.
@Suite("Advertising, browsing and inviting on phones of the virtual world", .serialized)
struct NearbyDiscoveryTests {
  @Test("a peer of the same name that was made here is not the one that was found (MP-04)")
  func sameName() throws {
    let pair = try NearbyPair()
    let twin = pair.world.enter { MCPeerID(displayName: "Ben") }
    expectEqual(pair.ada.send([1], to: [twin]), "notConnected")
    pair.ada.browser.invitePeer(twin, to: pair.ada.session, withContext: nil, timeout: 5)
    pair.world.run(for: .seconds(10))
    expectEqual(pair.ada.lines, ["Ben connecting of 1", "Ben notConnected of 1"])
    expectEqual(pair.ben.lines, [])
    expectEqual(pair.ada.session.connectedPeers, [pair.ben.peer])
  }

  @Test("peers of one service type are found and lost, between start and stop (MP-09, MP-16, MP-17)")
  func foundAndLost() throws {
    let world = try nearbyWorld("ben", "cem")
    let ada = NearbyApp("Ada", on: world)
    let ben = NearbyApp("Ben", on: world, phone: "ben", info: ["room": "12", "_d": "x", "empty": ""])
    let cem = NearbyApp("Cem", on: world, phone: "cem", type: "other")
    for app in [ben, cem] { app.advertiser.startAdvertisingPeer() }
    world.run(for: .seconds(5))
    expectEqual(ada.lines, [])
    ada.browser.startBrowsingForPeers()
    world.run(for: .seconds(5))
    expectEqual(ada.lines, ["found Ben _d=x empty= room=12"])
    ada.browser.stopBrowsingForPeers()
    ben.advertiser.stopAdvertisingPeer()
    world.run(for: .seconds(5))
    ben.advertiser.startAdvertisingPeer()
    world.run(for: .seconds(5))
    expectEqual(ada.lines.count, 1)
    // Whoever browses again is told again of those that are there.
    ada.clear()
    for _ in 0..<2 {
      ada.browser.startBrowsingForPeers()
      world.run(for: .seconds(5))
      ada.browser.stopBrowsingForPeers()
      world.run(for: .seconds(1))
    }
    expectEqual(ada.lines.count, 2)
    ada.clear()
    ada.browser.startBrowsingForPeers()
    world.run(for: .seconds(5))
    ben.advertiser.stopAdvertisingPeer()
    world.run(for: .seconds(2))
    expectEqual(ada.lines, ["found Ben _d=x empty= room=12", "lost Ben"])
  }

  @Test("a goodbye loses a peer a second later, a silent crash when its records run out (MP-19)")
  func times() throws {
    let pair = try NearbyPair(isConnected: false)
    pair.world.leave("ben")
    pair.world.run(for: .seconds(1) + .milliseconds(50))
    expectEqual(pair.ada.lines, ["found Ben room=1", "lost Ben"])
    pair.world.appear("ben")
    pair.world.run(for: .seconds(5))
    expectEqual(pair.ada.lines.suffix(1), ["found Ben room=1"])
    let since = pair.world.now
    pair.world.vanish("ben")
    pair.world.run(for: .minutes(80))
    expectEqual(pair.ada.lines.suffix(1), ["lost Ben"])
    let time = try #require(pair.ada.log.last).at - since
    // The record with the shortest time that it needs is that of its place, with 120 s.
    #expect(time <= .seconds(120) && time > .seconds(60), "\(time)")
  }

  @Test("an answer puts the inviter into the session that it names, or says no (MP-12, MP-25, MP-26)")
  func answers() throws {
    let pair = try NearbyPair(isConnected: false)
    pair.ben.accepts = nil
    pair.ada.invite("Ben", context: Data([1, 2, 3]))
    pair.world.run(for: .seconds(1))
    expectEqual(pair.ben.lines, ["invited by Ada with 3 bytes"])
    expectEqual(pair.ada.lines.suffix(1), ["Ben connecting of 0"])
    pair.ben.handlers[0](false, nil)
    pair.world.run(for: .seconds(1))
    expectEqual(pair.ada.lines.suffix(1), ["Ben notConnected of 0"])
    expectEqual(pair.ben.lines.count, 1)
    // Another session than that of the application's delegate.
    let second = pair.world.enter("ben") { MCSession(peer: pair.ben.peer) }
    pair.ada.clear()
    pair.ada.invite("Ben")
    pair.world.run(for: .seconds(1))
    pair.ben.handlers[1](true, second)
    pair.world.run(for: .seconds(1))
    expectEqual(pair.ada.lines, ["Ben connecting of 0", "Ben connected of 1"])
    expectEqual(second.connectedPeers, [pair.ada.peer])
    expectEqual(pair.ben.session.connectedPeers, [])
  }

  @Test("an invitation that nobody answers ends with its time, and a later answer changes nothing (MP-13, MP-15)")
  func timeouts() throws {
    for (timeout, seconds) in [(5.0, 5), (0, 30), (-1, 30), (Double.infinity, 0)] {
      let pair = try NearbyPair(isConnected: false)
      pair.ben.accepts = nil
      let start = pair.world.now
      pair.ada.invite("Ben", timeout: timeout)
      pair.world.run(for: .seconds(300))
      if seconds == 0 {
        expectEqual(pair.ada.lines.suffix(1), ["Ben connecting of 0"])
      } else {
        expectEqual(pair.ada.lines.suffix(1), ["Ben notConnected of 0"])
        let time = try #require(pair.ada.log.last).at - start
        #expect(time >= .seconds(Int64(seconds)) && time < .seconds(Int64(seconds) + 1), "\(timeout)")
      }
      pair.ben.handlers[0](true, pair.ben.session)
      pair.world.run(for: .seconds(60))
      expectEqual(pair.ben.session.connectedPeers.count, seconds == 0 ? 1 : 0, "\(timeout)")
      expectEqual(pair.ada.session.connectedPeers.count, seconds == 0 ? 1 : 0, "\(timeout)")
    }
  }

  @Test("bytes that nobody expects, at the ports of a phone and in a context, change nothing (MP-14)")
  func hostile() throws {
    let pair = try NearbyPair(isConnected: false)
    let place = try #require(pair.world.world.network.interfaces(of: 0).first?.addresses.first?.address)
    var draws = Seed(7).stream("hostile")
    for number in 0..<400 as Range<Int> {
      var bytes = (0..<Int(draws.below(200))).map { _ in UInt8(truncatingIfNeeded: draws.next()) }
      // Half of them begin as packets of sessions do.
      if number % 2 == 0, bytes.count > 1 { (bytes[0], bytes[1]) = (UInt8(1 + number / 2 % 5), 1) }
      let port: UInt16 = number % 4 == 3 ? 5353 : 49_400
      bytes.withUnsafeBytes { raw in
        pair.world.world.enter(
          raw, from: Endpoint(place, port: 40_000), to: Endpoint(place, port: port), gateway: 1,
          interface: InterfaceID(0))
      }
      if number % 100 == 0 { pair.world.run(for: .milliseconds(10)) }
    }
    pair.world.run(for: .seconds(1))
    let context = (0..<60_000).map { _ in UInt8(truncatingIfNeeded: draws.next()) }
    pair.ada.invite("Ben", context: Data(context))
    pair.world.run(for: .seconds(5))
    expectEqual(pair.ben.lines, ["invited by Ada with 60000 bytes", "Ada connecting of 0", "Ada connected of 1"])
    expectEqual(pair.ada.session.connectedPeers.count, 1)
    // One that is longer than an invitation can have ends the attempt.
    pair.ada.session.disconnect()
    pair.world.run(for: .seconds(1))
    pair.ada.clear()
    pair.ada.invite("Ben", context: Data(count: 70_000))
    pair.world.run(for: .seconds(1))
    expectEqual(pair.ada.lines, ["Ben connecting of 0", "Ben notConnected of 0"])
  }

  @Test("a peer that was lost cannot be invited (MP-18)")
  func lost() throws {
    let pair = try NearbyPair(isConnected: false)
    pair.ben.advertiser.stopAdvertisingPeer()
    pair.world.run(for: .seconds(3))
    pair.ada.clear()
    pair.ada.invite("Ben")
    pair.world.run(for: .seconds(1))
    expectEqual(pair.ada.lines, ["Ben connecting of 0", "Ben notConnected of 0"])
    expectEqual(pair.ben.lines, [])
  }

  @Test("a person picks a peer, another one accepts, declines or ignores it, after a while (MP-48, MP-49)")
  func people() throws {
    for answer in [NearbyAnswer.accept, .decline, .ignore] {
      let world = try nearbyWorld("ben")
      let (view, shown) = (PromptApp("Ada", on: world), PromptApp("Ben", on: world, phone: "ben"))
      world.pick("Ben", after: .seconds(1))
      world.pressDone(after: .seconds(1))
      world.answerInvitations(answer, after: .seconds(2), on: "ben")
      shown.assistant.start()
      view.controller.viewWillAppear(true)
      world.run(for: .seconds(20))
      switch answer {
      case .accept: expectEqual([shown.lines, view.lines], [["present", "dismiss"], ["found Ben", "done"]])
      case .decline: expectEqual([shown.lines, view.lines], [["present", "dismiss"], ["found Ben"]])
      case .ignore: expectEqual([shown.lines, view.lines], [["present"], ["found Ben"]])
      }
      expectEqual(view.session.connectedPeers.count, answer == .accept ? 1 : 0)
      if answer == .ignore {
        // Its time is over: nobody need answer it any more.
        world.run(for: .seconds(30))
        expectEqual(shown.lines, ["present", "dismiss"])
      }
      if answer == .decline {
        world.pressCancel(after: .seconds(1))
        world.run(for: .seconds(5))
        expectEqual(view.lines.suffix(1), ["cancel"])
      }
      #expect(world.isReproducible)
    }
  }
}
