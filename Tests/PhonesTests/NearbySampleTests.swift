import Foundation
import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallPhones

/// The sample application of the door, which knows nothing of a world, on phones: over multicast DNS and sessions.
@Suite("The sample application for MultipeerConnectivity on phones of the virtual world", .serialized)
struct NearbySampleTests {
  private func chats(_ world: PhoneWorld, _ phones: String...) -> [Chat] {
    let all = [("Ada", nil)] + phones.map { ($0.capitalized, $0) }
    let chats = all.map { name, phone in world.enter(phone) { Chat(name: name) } }
    for chat in chats { chat.start() }
    world.run(for: .seconds(10))
    return chats
  }

  @Test("three find each other, chat, see one leave, and take it back")
  func chat() throws {
    let world = try nearbyWorld("ben", "cem")
    let chats = chats(world, "ben", "cem")
    for chat in chats { expectEqual(chat.session.connectedPeers.count, 2) }
    chats[0].say("hi")
    world.run(for: .seconds(1))
    expectEqual(chats[1].log.last, "Ada: hi")
    expectEqual(chats[2].log.last, "Ada: hi")
    chats[0].leave()
    world.run(for: .seconds(3))
    for chat in chats[1...] {
      expectEqual(Set(chat.log.suffix(2)), ["Ada is gone", "lost Ada"])
      expectEqual(chat.session.connectedPeers.count, 1)
    }
    chats[0].say("anybody?")
    expectEqual(chats[0].log.last, "nobody to hear it")
    chats[0].start()
    world.run(for: .seconds(10))
    for chat in chats { expectEqual(chat.session.connectedPeers.count, 2) }
    #expect(world.isReproducible)
  }

  @Test("a file and a stream arrive as they were sent, unseen on the way; the same seed gives the same run")
  func fileAndStream() throws {
    func run(_ seed: UInt64) throws -> (digest: Digest, isSeen: Bool) {
      let world = try nearbyWorld("ben", seed: seed, "network: {link: {bandwidth: 100Mbit/s}}")
      let secret = Array("nobody else reads this line of text".utf8)
      var isSeen = false
      world.world.tap = { _, bytes, _ in isSeen = isSeen || bytes.firstRange(of: secret) != nil }
      let chats = chats(world, "ben")
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let url = folder.appendingPathComponent("notes.txt")
      let contents = Data(secret + (0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
      try contents.write(to: url)
      let peer = try #require(chats[0].session.connectedPeers.first)
      let progress = try #require(chats[0].send(url, to: peer))
      world.run(for: .seconds(5))
      expectEqual(chats[1].file, contents)
      expectEqual(chats[1].log.suffix(2), ["receiving notes.txt", "received notes.txt"])
      expectEqual(chats[0].log.last, "file sent")
      #expect(progress.isFinished)
      // Cancelled under way.
      let second = chats[0].send(url, to: peer)
      world.run(for: .milliseconds(1))
      second?.cancel()
      world.run(for: .seconds(5))
      expectEqual(chats[0].log.last, "file not sent")
      expectEqual(chats[1].log.last, "not received notes.txt")
      let sound = Data((0..<90_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
      try chats[0].speak(sound, to: peer)
      world.run(for: .seconds(5))
      expectEqual(chats[1].voice, sound)
      expectEqual(chats[1].log.suffix(2), ["voice of Ada", "heard all"])
      #expect(world.isReproducible)
      return (world.digest, isSeen)
    }
    let first = try run(1)
    #expect(!first.isSeen)
    try expectEqual(run(1).digest, first.digest)
    try #expect(run(2).digest != first.digest)
  }

  @Test("a phone says nothing to the network before it has a nearby object")
  func silence() throws {
    let world = try nearbyWorld("ben")
    var sentCount = 0
    world.world.tap = { datagram, _, _ in if datagram.destination.port != 1900 { sentCount += 1 } }
    world.run(for: .seconds(60))
    expectEqual(sentCount, 0)
    let app = NearbyApp("Ben", on: world, phone: "ben")
    app.advertiser.startAdvertisingPeer()
    world.run(for: .seconds(10))
    #expect(sentCount > 0)
  }

  @Test("identities are the same in every run, of no two peers, and stay in an archive")
  func identities() throws {
    func identities(_ seed: UInt64) throws -> [[UInt8]] {
      let world = try nearbyWorld("ben", seed: seed)
      return [nil, nil, "ben"].map { phone in world.enter(phone) { MCPeerID(displayName: "x").key.identity } }
    }
    let first = try identities(1)
    expectEqual(Set(first).count, 3)
    expectEqual(first.map(\.count), [16, 16, 16])
    try expectEqual(identities(1), first)
    try #expect(Set(identities(2)).isDisjoint(with: first))
    let world = try nearbyWorld("ben")
    let peer = world.enter { MCPeerID(displayName: "Ada") }
    let data = try NSKeyedArchiver.archivedData(withRootObject: peer, requiringSecureCoding: true)
    let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
    let (one, other) = (NearbyApp("-", on: world, as: copy), NearbyApp("Ben", on: world, phone: "ben"))
    one.advertiser.startAdvertisingPeer()
    other.browser.startBrowsingForPeers()
    world.run(for: .seconds(5))
    expectEqual(other.found, [peer])
  }

  @Test("calls from elsewhere are told, as with CoreBluetooth")
  func outside() throws {
    let pair = try NearbyPair()
    expectEqual(pair.world.outsideCalls, [])
    let isDone = DispatchSemaphore(value: 0)
    let session = Carried(pair.ada.session)
    Thread {
      session.value.disconnect()
      isDone.signal()
    }.start()
    isDone.wait()
    pair.world.run(for: .seconds(1))
    // It asks the device, and tells its own delegate.
    expectEqual(pair.world.outsideCalls.map(\.call), ["MCSession.disconnect", "MCSession.disconnect"])
    #expect(!pair.world.isReproducible)
    expectEqual(pair.ben.lines, ["Ada notConnected of 0"])
  }
}
