import Foundation
import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallPhones

/// Rows MP-24 to MP-46 of the contract, from one application to another over the virtual network.
@Suite("Sessions on phones of the virtual world", .serialized) struct NearbySessionTests {
  @Test("a third member is connected with both, and one that leaves is seen to go by all (MP-24 to MP-27, MP-40)")
  func mesh() throws {
    let world = try nearbyWorld("ben", "cem")
    let apps = [("Ada", nil), ("Ben", "ben"), ("Cem", "cem")].map { NearbyApp($0, on: world, phone: $1) }
    for app in apps {
      app.advertiser.startAdvertisingPeer()
      app.browser.startBrowsingForPeers()
    }
    world.run(for: .seconds(5))
    for app in apps { app.clear() }
    apps[2].invite("Ada")
    world.run(for: .seconds(5))
    apps[0].invite("Ben")
    world.run(for: .seconds(5))
    expectEqual(
      apps.map { $0.lines.filter { !$0.hasPrefix("invited") } },
      [
        ["Cem connecting of 0", "Cem connected of 1", "Ben connecting of 1", "Ben connected of 2"],
        ["Ada connecting of 0", "Ada connected of 1", "Cem connecting of 1", "Cem connected of 2"],
        ["Ada connecting of 0", "Ada connected of 1", "Ben connecting of 1", "Ben connected of 2"],
      ])
    for app in apps { app.clear() }
    apps[1].session.disconnect()
    world.run(for: .seconds(1))
    expectEqual(apps[0].lines, ["Ben notConnected of 1"])
    expectEqual(apps[2].lines, ["Ben notConnected of 1"])
    expectEqual(apps[1].lines, ["Ada notConnected of 0", "Cem notConnected of 0"])
    expectEqual(apps[1].send([1], to: [apps[0].peer]), "notConnected")
    // One of the receivers is gone: nobody gets anything (MP-29).
    expectEqual(apps[0].send([1], to: [apps[1].peer, apps[2].peer]), "notConnected")
    world.run(for: .seconds(1))
    expectEqual(apps[2].data, [])
  }

  @Test("what is sent reliably arrives once, whole and in order though three datagrams of ten are lost (MP-30, MP-32)")
  func reliable() throws {
    let pair = try NearbyPair("network: {link: {loss: 30%, multicast-loss: 0%, duplicate: 5%}}")
    let messages = (0..<40).map { number in [UInt8](repeating: UInt8(number), count: number * number * 7) }
    for message in messages { expectEqual(pair.ada.send(message), "sent") }
    pair.world.run(for: .seconds(60))
    expectEqual(pair.ben.data, messages)
  }

  @Test("what is sent unreliably arrives at most once, and does not wait for what is sent reliably (MP-31)")
  func unreliable() throws {
    let pair = try NearbyPair("network: {link: {loss: 30%, multicast-loss: 0%, duplicate: 20%}}")
    let messages = (0..<200).map { [UInt8(truncatingIfNeeded: $0), 9] }
    for message in messages { expectEqual(pair.ada.send(message, .unreliable), "sent") }
    pair.world.run(for: .seconds(5))
    #expect(pair.ben.data.count > 100 && pair.ben.data.count < 200)
    expectEqual(Set(pair.ben.data).count, pair.ben.data.count)
    // A quarter of a megabyte waits on a slow link.
    let slow = try NearbyPair("network: {link: {bandwidth: 200kbit/s}}")
    expectEqual(slow.ada.send([UInt8](repeating: 1, count: 250_000)), "sent")
    slow.world.run(for: .seconds(1))
    expectEqual(slow.ada.send([2], .unreliable), "sent")
    slow.world.run(for: .seconds(3))
    expectEqual(slow.ben.data, [[2]])
    slow.world.run(for: .seconds(60))
    expectEqual(slow.ben.data.map(\.count), [1, 250_000])
  }

  /// A file of so many bytes, while `body` runs.
  private func withFile(_ count: Int, _ name: String = "a.bin", _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent(name)
    try Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }).write(to: url)
    try body(url)
  }

  private func send(_ url: URL, _ name: String, from app: NearbyApp, to peer: MCPeerID) -> Progress? {
    app.session.sendResource(at: url, withName: name, toPeer: peer) { app.write("sent \(name): \(app.words($0))") }
  }

  @Test("a resource arrives whole, from a file or a page, with progress to its total (MP-33 to MP-36, MP-38)")
  func resources() throws {
    let pair = try NearbyPair()
    try withFile(150_000) { url in
      let progress = try #require(send(url, "photo", from: pair.ada, to: pair.ben.peer))
      var counts: [Int64] = []
      for _ in 0..<40 {
        pair.world.run(for: .milliseconds(5))
        counts.append(progress.completedUnitCount)
      }
      pair.world.run(for: .seconds(5))
      expectEqual(counts, counts.sorted())
      expectEqual(progress.completedUnitCount, 150_000)
      expectEqual(pair.ben.incoming.map(\.completedUnitCount), [150_000])
      expectEqual(pair.ben.lines, ["receiving photo, 150000", "received photo: 150000 bytes in a.bin, nil"])
      expectEqual(pair.ada.lines, ["sent photo: nil"])
    }
    let page = try #require(URL(string: "http://example.test/b/page.html"))
    pair.world.setPage(Data([1, 2, 3]), at: page, after: .seconds(2))
    for url in [page, URL(string: "https://example.test/none")!, URL(string: "ftp://example.test/x")!] {
      _ = send(url, url.lastPathComponent, from: pair.ada, to: pair.ben.peer)
    }
    try withFile(0) { url in
      _ = send(url, "empty", from: pair.ada, to: pair.ben.peer)
      pair.world.run(for: .seconds(10))
    }
    expectEqual(
      pair.ben.lines.dropFirst(2).sorted(),
      [
        "received empty: 0 bytes in a.bin, nil", "received page.html: 3 bytes in page.html, nil", "receiving empty, 1",
        "receiving page.html, 3",
      ])
    expectEqual(
      pair.ada.lines.dropFirst().sorted(),
      [
        "sent empty: nil", "sent none: \(URLError.errorDomain) \(URLError.Code.cannotFindHost.rawValue)",
        "sent page.html: nil", "sent x: unsupported",
      ])
    #expect(pair.world.isReproducible)
  }

  @Test("either side can cancel a resource, and both hear of its end once; a departure ends it, too (MP-37)")
  func cancelled() throws {
    for ending in ["sender", "receiver", "departure"] {
      let pair = try NearbyPair("network: {link: {bandwidth: 2Mbit/s}}")
      try withFile(400_000) { url in
        let progress = try #require(send(url, "film", from: pair.ada, to: pair.ben.peer))
        pair.world.run(for: .milliseconds(500))
        switch ending {
        case "sender": progress.cancel()
        case "receiver": pair.ben.incoming.first?.cancel()
        default: pair.ben.session.disconnect()
        }
        pair.world.run(for: .seconds(10))
        let (here, there) =
          switch ending {
          case "sender": ("cancelled", "cancelled")
          case "receiver": ("cancelled", "cancelled")
          default: ("notConnected", "notConnected")
          }
        expectEqual(pair.ada.lines.filter { $0.hasPrefix("sent") }, ["sent film: \(here)"], "\(ending)")
        expectEqual(
          pair.ben.lines.filter { $0.hasPrefix("received") }, ["received film: nothing in -, \(there)"], "\(ending)")
        #expect(progress.completedUnitCount < 400_000)
      }
    }
  }

  @Test("a stream brings its bytes and its end, and a departure breaks it with an error (MP-39)")
  func streams() throws {
    let pair = try NearbyPair()
    expectEqual(
      pair.ada.words(NearbyApp.error { try pair.ada.session.startStream(withName: "x", toPeer: pair.ada.peer) }),
      "notConnected")
    let output = try pair.ada.session.startStream(withName: "voice", toPeer: pair.ben.peer)
    output.open()
    expectEqual(output.write([1, 2, 3], maxLength: 3), 3)
    pair.world.run(for: .seconds(1))
    expectEqual(pair.ben.lines, ["stream voice from Ada"])
    let input = pair.ben.inputs[0]
    input.open()
    var buffer = [UInt8](repeating: 0, count: 8)
    expectEqual(input.read(&buffer, maxLength: 8), 3)
    expectEqual(buffer[..<3], [1, 2, 3])
    output.close()
    pair.world.run(for: .seconds(1))
    expectEqual(input.read(&buffer, maxLength: 8), 0)
    expectEqual(input.streamStatus, .atEnd)
    // The reader closes, and the other side writes no more.
    let second = try pair.ada.session.startStream(withName: "second", toPeer: pair.ben.peer)
    second.open()
    pair.world.run(for: .seconds(1))
    pair.ben.inputs[1].open()
    pair.ben.inputs[1].close()
    pair.world.run(for: .seconds(1))
    expectEqual(second.write([1], maxLength: 1), -1)
    let third = try pair.ada.session.startStream(withName: "third", toPeer: pair.ben.peer)
    third.open()
    pair.world.run(for: .seconds(1))
    pair.ben.inputs[2].open()
    pair.ada.session.disconnect()
    pair.world.run(for: .seconds(1))
    expectEqual(pair.ben.inputs[2].read(&buffer, maxLength: 8), -1)
    expectEqual(pair.ada.words(pair.ben.inputs[2].streamError), "notConnected")
  }

  @Test("certificates are shown before a peer is connected, and one that is refused is not (MP-41, MP-42)")
  func certificates() throws {
    for accepts in [true, false] {
      let pair = try NearbyPair(isConnected: false, identity: [Data([7]), Data([8, 9])])
      pair.ben.acceptsCertificates = accepts
      pair.ada.invite("Ben")
      pair.world.run(for: .seconds(5))
      expectEqual(
        pair.ben.lines.suffix(2),
        ["certificate [[7], [8, 9]]", accepts ? "Ada connected of 1" : "Ada notConnected of 0"])
      expectEqual(pair.ada.lines.suffix(1), [accepts ? "Ben connected of 1" : "Ben notConnected of 0"])
    }
  }

  /// A delegate with the required methods, and no other.
  private final class RequiredMethods: NSObject, MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {}
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}
    func session(
      _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}
    func session(
      _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
      with progress: Progress
    ) {}
    func session(
      _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
      at localURL: URL?, withError error: (any Error)?
    ) {}
  }

  @Test(
    "without a method for certificates they are accepted, or never answered until the attempt's time is over (MP-42)")
  func certificatesWithoutMethod() throws {
    for policies in [[], [.certificateWithoutCallbackIsNoAnswer]] as [[NearbyPolicy]] {
      let pair = try NearbyPair(
        nearby: NearbySettings(policies: policies), isConnected: false, identity: [Data([7])])
      let delegate = RequiredMethods()
      pair.ben.session.delegate = delegate
      let start = pair.world.now
      pair.ada.invite("Ben", timeout: 8)
      pair.world.run(for: .seconds(7))
      expectEqual(pair.ada.lines.suffix(1), [policies.isEmpty ? "Ben connected of 1" : "Ben connecting of 0"])
      pair.world.run(for: .seconds(30))
      expectEqual(pair.ada.lines.suffix(1), [policies.isEmpty ? "Ben connected of 1" : "Ben notConnected of 0"])
      guard !policies.isEmpty else { continue }
      let time = try #require(pair.ada.log.last).at - start
      #expect(time >= .seconds(8) && time < .seconds(9), "\(time)")
      expectEqual(pair.ben.session.connectedPeers, [])
    }
  }

  @Test("of the nine pairs of encryption preferences two do not connect and four are sealed (MP-43)")
  func encryption() throws {
    let all: [MCEncryptionPreference] = [.optional, .required, .none]
    var sealed = 0
    for (one, other) in all.flatMap({ one in all.map { (one, $0) } }) {
      let pair = try NearbyPair(encryption: (one, other))
      let secret = Array("everybody may read this line".utf8)
      var isSeen = false
      pair.world.world.tap = { _, bytes, _ in isSeen = isSeen || bytes.firstRange(of: secret) != nil }
      let fits = !(one == .required && other == .none || one == .none && other == .required)
      expectEqual(pair.ada.session.connectedPeers.count, fits ? 1 : 0)
      guard fits else { continue }
      expectEqual(pair.ada.send(secret), "sent")
      pair.world.run(for: .seconds(1))
      expectEqual(pair.ben.data, [secret])
      let isSealed = one == .required || other == .required || one == .optional && other == .optional
      expectEqual(isSeen, !isSealed, "\(one.rawValue) with \(other.rawValue)")
      if isSealed { sealed += 1 }
    }
    expectEqual(sealed, 4)
  }

  @Test("peers that exchange connection data connect when both ask, and no other way (MP-44 to MP-46)")
  func manual() throws {
    let world = try nearbyWorld("ben", "cem")
    let apps = [("Ada", nil), ("Ben", "ben"), ("Cem", "cem")].map { NearbyApp($0, on: world, phone: $1) }
    let answers = Guarded<[String: Data]>([:])
    var data: [String: Data] { answers.current }
    func ask(_ from: Int, _ to: Int) {
      let (app, name) = (Carried(apps[from]), apps[to].peer.displayName)
      apps[from].session.nearbyConnectionData(forPeer: apps[to].peer) { found, error in
        app.value.write("data for \(name): \(app.value.words(error))")
        answers.withLock { $0["\(from) for \(to)"] = found }
      }
      world.run(for: .milliseconds(10))
    }
    ask(0, 1)
    ask(1, 0)
    let forBen = try #require(data["0 for 1"])
    let forAda = try #require(data["1 for 0"])
    // One side alone.
    apps[1].session.connectPeer(apps[0].peer, withNearbyConnectionData: forBen)
    world.run(for: .seconds(10))
    expectEqual(apps[1].lines, ["data for Ada: nil", "Ada connecting of 0"])
    // Data for somebody else, and data that was damaged.
    ask(2, 0)
    apps[2].session.connectPeer(apps[0].peer, withNearbyConnectionData: forBen)
    world.run(for: .seconds(1))
    var damaged = forBen
    damaged[damaged.count / 2] ^= 1
    apps[2].session.connectPeer(apps[0].peer, withNearbyConnectionData: damaged)
    world.run(for: .seconds(1))
    expectEqual(
      apps[2].lines.dropFirst(),
      ["Ada connecting of 0", "Ada notConnected of 0", "Ada connecting of 0", "Ada notConnected of 0"])
    apps[0].session.connectPeer(apps[1].peer, withNearbyConnectionData: forAda)
    world.run(for: .seconds(1))
    expectEqual(apps[0].lines, ["data for Ben: nil", "Ben connecting of 0", "Ben connected of 1"])
    expectEqual(apps[1].lines.suffix(1), ["Ada connected of 1"])
    // An attempt that is taken back.
    ask(0, 2)
    ask(2, 0)
    apps[2].session.connectPeer(apps[0].peer, withNearbyConnectionData: try #require(data["0 for 2"]))
    world.run(for: .milliseconds(10))
    apps[2].session.cancelConnectPeer(apps[0].peer)
    world.run(for: .milliseconds(10))
    apps[0].session.connectPeer(apps[2].peer, withNearbyConnectionData: try #require(data["2 for 0"]))
    world.run(for: .seconds(60))
    expectEqual(apps[2].lines.suffix(1), ["Ada notConnected of 0"])
    expectEqual(apps[0].session.connectedPeers, [apps[1].peer])
  }

  @Test("a peer out of reach is gone after its silence, and can be invited again when it is back")
  func outOfReach() throws {
    let pair = try NearbyPair()
    pair.world.setReachable(false, "ben")
    pair.world.run(for: .seconds(25))
    expectEqual(pair.ada.lines, ["Ben notConnected of 0"])
    expectEqual(pair.ben.lines, ["Ada notConnected of 0"])
    pair.world.setReachable(true, "ben")
    pair.ada.invite("Ben")
    pair.world.run(for: .seconds(5))
    expectEqual(pair.ada.lines.suffix(1), ["Ben connected of 1"])
  }
}

extension NearbyApp {
  static func error<Result>(_ body: () throws -> Result) -> (any Error)? {
    do { _ = try body() } catch { return error }
    return nil
  }
}
