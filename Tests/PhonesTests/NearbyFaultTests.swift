import Foundation
import MultipeerConnectivity
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallPhones

/// Rows MX-1 to MX-13 of the contract, each with the fault and with what cures it.
@Suite("What real devices do wrong, on demand", .serialized) struct NearbyFaultTests {
  private func settings(_ faults: NearbyFault...) -> NearbySettings { NearbySettings(faults: faults) }

  @Test("MX-1: two that invite each other at once part at once; one that elects by the lower identity invites alone")
  func mutualInvitations() throws {
    func run(_ faults: [NearbyFault], elects: Bool) throws -> [[String]] {
      let world = try nearbyWorld("ben", nearby: NearbySettings(faults: faults))
      let apps = [NearbyApp("Ada", on: world), NearbyApp("Ben", on: world, phone: "ben")]
      for app in apps {
        app.advertiser.startAdvertisingPeer()
        app.browser.startBrowsingForPeers()
      }
      world.run(for: .seconds(5))
      for (app, other) in zip(apps, ["Ben", "Ada"]) {
        app.clear()
        if !elects || app.peer.hash < (app.peer(other)?.hash ?? .min) { app.invite(other) }
      }
      world.run(for: .seconds(60))
      return apps.map { $0.lines.filter { !$0.hasPrefix("invited") } }
    }
    let fails = try run([.mutualInvitationsFail], elects: false)
    expectEqual(fails.map(\.last), ["Ben notConnected of 0", "Ada notConnected of 0"])
    let connects = [
      ["Ben connecting of 0", "Ben connected of 1"], ["Ada connecting of 0", "Ada connected of 1"],
    ]
    try expectEqual(run([.mutualInvitationsFail], elects: true), connects)
    try expectEqual(run([], elects: false), connects)
  }

  @Test("MX-2: a peer of a device that has made itself another one stays, for itself too; one that is kept is not")
  func ghosts() throws {
    let world = try nearbyWorld("ben", nearby: settings(.lateWithdrawal(.hours(1))))
    let ada = NearbyApp("Ada", on: world)
    ada.browser.startBrowsingForPeers()
    let first = NearbyApp("Ben", on: world, phone: "ben")
    first.advertiser.startAdvertisingPeer()
    world.run(for: .seconds(5))
    first.advertiser.stopAdvertisingPeer()
    let second = NearbyApp("Ben", on: world, phone: "ben")
    second.advertiser.startAdvertisingPeer()
    second.browser.startBrowsingForPeers()
    world.run(for: .seconds(10))
    expectEqual(ada.found, [first.peer, second.peer])
    expectEqual(second.found, [first.peer])
    // The ghost takes no invitation.
    ada.clear()
    ada.browser.invitePeer(first.peer, to: ada.session, withContext: nil, timeout: 10)
    world.run(for: .seconds(20))
    expectEqual(ada.lines, ["Ben connecting of 0", "Ben notConnected of 0"])
    // The cure: the application keeps its peer.
    second.advertiser.stopAdvertisingPeer()
    let third = NearbyApp("Ben", on: world, phone: "ben", as: second.peer)
    third.advertiser.startAdvertisingPeer()
    world.run(for: .seconds(10))
    expectEqual(ada.found, [first.peer, second.peer])
    ada.browser.invitePeer(second.peer, to: ada.session, withContext: nil, timeout: 10)
    world.run(for: .seconds(5))
    expectEqual(ada.lines.suffix(1), ["Ben connected of 1"])
  }

  @Test(
    "MX-3: an invitation to a peer that is gone lasts its whole time, and nobody hears that it is; a short one helps")
  func vanishedPeer() throws {
    for timeout in [30, 3] as [Int64] {
      let pair = try NearbyPair(isConnected: false)
      pair.ada.clear()
      pair.world.setReachable(false, "ben")
      let start = pair.world.now
      pair.ada.invite("Ben", timeout: Double(timeout))
      pair.world.run(for: .seconds(timeout + 1))
      expectEqual(pair.ada.lines, ["Ben connecting of 0", "Ben notConnected of 0"])
      #expect(try #require(pair.ada.log.last).at - start >= .seconds(timeout))
      pair.world.setReachable(true, "ben")
      pair.ada.invite("Ben", timeout: Double(timeout))
      pair.world.run(for: .seconds(3))
      expectEqual(pair.ada.lines.suffix(1), ["Ben connected of 1"])
    }
  }

  @Test("MX-4: after the background each peer is found several times; an application that remembers invites it once")
  func foundAgain() throws {
    for (repeats, remembers) in [(3, false), (3, true), (0, false)] {
      let pair = try NearbyPair(nearby: settings(.foundAgain(repeats)), isConnected: false)
      pair.world.setBackground(true)
      pair.world.run(for: .seconds(5))
      pair.ada.clear()
      var asked: Set<MCPeerID> = []
      var sessions: [MCSession] = []
      pair.ada.reaction = { [world = pair.world] app, line in
        guard line.hasPrefix("found"), let peer = app.found.last, !remembers || asked.insert(peer).inserted else {
          return
        }
        // A session of its own for each attempt, as is the cure of MX-8.
        let session = world.enter { MCSession(peer: app.peer) }
        session.delegate = app
        sessions.append(session)
        app.browser.invitePeer(peer, to: session, withContext: nil, timeout: 20)
      }
      pair.world.setBackground(false)
      pair.world.run(for: .seconds(30))
      func count(_ line: String) -> Int { pair.ada.lines.count { $0 == line } }
      let invitationCount = remembers ? 1 : 1 + repeats
      expectEqual(count("found Ben room=1"), 1 + repeats)
      // Each is an invitation of its own, and all but one of them are in vain.
      expectEqual(count("Ben connecting of 0"), invitationCount)
      expectEqual(count("Ben connected of 1"), 1)
      expectEqual(count("Ben notConnected of 0"), invitationCount - 1)
    }
  }

  @Test("MX-5: two sessions of one pair of peers end each other; a peer for each session does not")
  func sharedPeers() throws {
    for hasOwnPeer in [false, true] {
      let pair = try NearbyPair(nearby: settings(.sharedPeersCollide))
      let second = NearbyApp("Ada", on: pair.world, as: hasOwnPeer ? nil : pair.ada.peer)
      let other = NearbyApp("Ben", on: pair.world, phone: "ben", as: hasOwnPeer ? nil : pair.ben.peer)
      if hasOwnPeer { other.advertiser.startAdvertisingPeer() }
      second.browser.startBrowsingForPeers()
      pair.world.run(for: .seconds(5))
      pair.ben.accepts = nil
      second.browser.invitePeer(other.peer, to: second.session, withContext: nil, timeout: 10)
      pair.world.run(for: .seconds(1))
      if !hasOwnPeer {
        let handler = try #require(pair.ben.handlers.last)
        handler(true, other.session)
      }
      pair.world.run(for: .seconds(5))
      expectEqual(second.session.connectedPeers.count, 1)
      expectEqual(pair.ada.session.connectedPeers.count, hasOwnPeer ? 1 : 0)
      expectEqual(pair.ben.session.connectedPeers.count, hasOwnPeer ? 1 : 0)
    }
  }

  @Test("MX-6: peers are found, and each attempt fails after ten seconds")
  func noDataPath() throws {
    let pair = try NearbyPair(nearby: settings(.noDataPath), isConnected: false)
    let start = pair.world.now
    pair.ada.invite("Ben")
    pair.world.run(for: .seconds(20))
    expectEqual(pair.ada.lines, ["found Ben room=1", "Ben connecting of 0", "Ben notConnected of 0"])
    let time = try #require(pair.ada.log.last).at - start
    #expect(time >= .seconds(10) && time < .seconds(11))
  }

  @Test("MX-7: where the data path comes late, a short invitation fails and the one that follows does not")
  func lateDataPath() throws {
    let pair = try NearbyPair(nearby: settings(.lateDataPath(.seconds(15))), isConnected: false)
    pair.ada.invite("Ben", timeout: 5)
    pair.world.run(for: .seconds(12))
    expectEqual(pair.ada.lines.suffix(1), ["Ben notConnected of 0"])
    pair.ada.invite("Ben", timeout: 5)
    pair.world.run(for: .seconds(5))
    expectEqual(pair.ada.lines.suffix(1), ["Ben connected of 1"])
    // Or a long one from the beginning.
    let patient = try NearbyPair(nearby: settings(.lateDataPath(.seconds(15))), isConnected: false)
    patient.ada.invite("Ben", timeout: 30)
    patient.world.run(for: .seconds(15))
    expectEqual(patient.ada.lines.suffix(1), ["Ben connected of 1"])
  }

  @Test("MX-8: a session that was left stays in connecting; a fresh one connects")
  func stuckSession() throws {
    let pair = try NearbyPair(nearby: settings(.stuckAfterDisconnect))
    pair.ada.session.disconnect()
    pair.world.run(for: .seconds(5))
    pair.ada.invite("Ben", timeout: 20)
    pair.world.run(for: .seconds(15))
    expectEqual(pair.ada.lines.suffix(1), ["Ben connecting of 0"])
    pair.world.run(for: .seconds(10))
    expectEqual(pair.ada.lines.suffix(1), ["Ben notConnected of 0"])
    let fresh = pair.world.enter { MCSession(peer: pair.ada.peer) }
    pair.ada.browser.invitePeer(pair.ben.peer, to: fresh, withContext: nil, timeout: 20)
    pair.world.run(for: .seconds(5))
    expectEqual(fresh.connectedPeers.count, 1)
  }

  @Test("MX-9: a refusal in silence looks like a loss, and who tries again at once storms; one that is told does not")
  func silentRefusal() throws {
    var counts: [Int] = []
    for faults in [[.silentDecline], []] as [[NearbyFault]] {
      let pair = try NearbyPair(nearby: NearbySettings(faults: faults), isConnected: false)
      pair.ben.accepts = false
      // It takes an end before its time for a refusal, and another one for a loss.
      var start = pair.world.now
      pair.ada.reaction = { [world = pair.world] app, line in
        guard line.hasPrefix("Ben notConnected"), world.now - start >= .seconds(1) else { return }
        start = world.now
        app.invite("Ben", timeout: 1)
      }
      pair.ada.invite("Ben", timeout: 1)
      pair.world.run(for: .seconds(30))
      counts.append(pair.ben.handlers.count)
    }
    #expect(counts[0] >= 25, "\(counts)")
    expectEqual(counts[1], 1)
  }

  @Test("MX-10: an advertiser that stops and starts again is never lost; another peer is")
  func restartedAdvertiser() throws {
    let pair = try NearbyPair(nearby: settings(.lateWithdrawal(.seconds(20))), isConnected: false)
    pair.ben.advertiser.stopAdvertisingPeer()
    pair.world.run(for: .seconds(10))
    pair.ben.advertiser.startAdvertisingPeer()
    pair.world.run(for: .seconds(60))
    expectEqual(pair.ada.lines, ["found Ben room=1"])
    pair.ben.advertiser.stopAdvertisingPeer()
    let fresh = NearbyApp("Ben", on: pair.world, phone: "ben")
    fresh.advertiser.startAdvertisingPeer()
    pair.world.run(for: .seconds(60))
    expectEqual(pair.ada.lines, ["found Ben room=1", "found Ben nil", "lost Ben"])
  }

  @Test("MX-11: two sessions with optional encryption talk in plain bytes; one that requires it does not")
  func downgrade() throws {
    for (preference, isPlain) in [(MCEncryptionPreference.optional, true), (.required, false)] {
      let pair = try NearbyPair(nearby: settings(.plainIfOptional), encryption: (preference, .optional))
      let secret = Array("everybody may read this line".utf8)
      var isSeen = false
      pair.world.world.tap = { _, bytes, _ in isSeen = isSeen || bytes.firstRange(of: secret) != nil }
      expectEqual(pair.ada.send(secret), "sent")
      pair.world.run(for: .seconds(1))
      expectEqual(pair.ben.data, [secret])
      expectEqual(isSeen, isPlain)
    }
  }

  @Test("MX-12: in the background nothing is found and links end; back in front peers are found and invited anew")
  func background() throws {
    let pair = try NearbyPair()
    pair.world.setBackground(true, on: "ben")
    pair.world.run(for: .seconds(3))
    expectEqual(pair.ada.lines, ["Ben notConnected of 0", "lost Ben"])
    expectEqual(pair.ben.lines, ["Ada notConnected of 0"])
    pair.world.setBackground(false, on: "ben")
    pair.world.run(for: .seconds(5))
    expectEqual(pair.ada.lines.suffix(1), ["found Ben room=1"])
    pair.ada.invite("Ben")
    pair.world.run(for: .seconds(5))
    expectEqual(pair.ada.lines.suffix(1), ["Ben connected of 1"])
  }

  @Test("MX-13: after so many connections no other one comes to be; a phone that keeps its connection needs one")
  func fewConnections() throws {
    let pair = try NearbyPair(nearby: settings(.fewConnections(3)))
    var outcomes = ["Ben connected of 1"]
    for _ in 0..<3 {
      pair.ada.session.disconnect()
      pair.world.run(for: .seconds(1))
      pair.ada.invite("Ben", timeout: 5)
      pair.world.run(for: .seconds(6))
      outcomes += pair.ada.lines.suffix(1)
    }
    expectEqual(
      outcomes, ["Ben connected of 1", "Ben connected of 1", "Ben connected of 1", "Ben notConnected of 0"])
    let kept = try NearbyPair(nearby: settings(.fewConnections(3)))
    for number in 0..<10 {
      expectEqual(kept.ada.send([UInt8(number)]), "sent")
      kept.world.run(for: .seconds(10))
    }
    expectEqual(kept.ben.data.count, 10)
  }
}
