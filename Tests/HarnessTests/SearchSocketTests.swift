import RollcallConformance
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing

/// Which datagrams on other ports than 1900 are discovery: judge and replay go by the same rule.
@Suite("Sockets that search") struct SearchSocketTests {
  private static let tv = "11111111-2222-3333-4444-555555555555"
  private static let socket = "192.168.1.9:40000"

  /// How many messages a judge hears, and a replay.
  private func counts(_ capture: TinyCapture) throws -> [Int] {
    var judge = ClauseJudge(Circumstances())
    var hearing = CaptureHearing()
    var reader = try capture.reader()
    hearing.run(&reader, judge: &judge)
    var replay = Replay(options: ReplayOptions())
    var again = try capture.reader()
    replay.run(&again)
    return [Judgement(judge).messageCount, replay.summary.messageCount]
  }

  @Test("an answer from any port is one where its search was seen, and none where it was not")
  func answer() throws {
    let answer = TinyCapture.answer(SearchSocketTests.tv)
    var capture = TinyCapture()
    capture.add(1, "192.168.1.20:50001", SearchSocketTests.socket, answer)
    try expectEqual(counts(capture), [0, 0])
    capture.add(2, SearchSocketTests.socket, TinyCapture.search("upnp:rootdevice"))
    capture.add(2.1, "192.168.1.20:50001", SearchSocketTests.socket, answer)
    try expectEqual(counts(capture), [2, 2])
  }

  @Test("a search of a port that a device named is heard; of one that nobody named, not")
  func searchPort() throws {
    let search = TinyCapture.search("upnp:rootdevice")
    var capture = TinyCapture()
    capture.add(1, SearchSocketTests.socket, "192.168.1.20:50002", search)
    try expectEqual(counts(capture), [0, 0])
    capture.add(
      2, "192.168.1.20",
      TinyCapture.alive(SearchSocketTests.tv, more: "BOOTID.UPNP.ORG: 1\nSEARCHPORT.UPNP.ORG: 50002\n"))
    capture.add(3, SearchSocketTests.socket, "192.168.1.20:50002", search)
    try expectEqual(counts(capture), [2, 2])
  }

  // MARK: Searches of one socket

  private static let own = Endpoint(IPAddress(192, 168, 1, 9), port: 40_000)

  /// A copy of a search for these bytes leaves the socket: the number of its search.
  private func adopt(
    _ sockets: inout SearchSockets, _ target: [UInt8], mx: Int = 1, milliseconds: Int64 = 0
  ) -> UInt32 {
    target.withUnsafeBytes { bytes in
      sockets.adopt(
        target: bytes, from: Self.own, to: Endpoint(IPAddress(239, 255, 255, 250), port: 1_900),
        maximumWaitSeconds: mx, at: .zero + .milliseconds(milliseconds), anyAddress: false
      ).id.number
    }
  }

  @Test("copies are of one search if the bytes of their targets are the same, whether they are text or not")
  func targets() {
    var sockets = SearchSockets()
    let targets = ["é", "è", "ab", "ac"].map { Array($0.utf8) } + [[0x61, 0xFF], [0x80]]
    for _ in 0..<2 { expectEqual(targets.map { adopt(&sockets, $0) }, [1, 2, 3, 4, 5, 6]) }
  }

  @Test("searches that end at this instant make room, so that none that goes on is forgotten")
  func ended() {
    var sockets = SearchSockets()
    expectEqual(adopt(&sockets, Array("long".utf8), mx: 120), 1)
    for number in 2...256 { expectEqual(adopt(&sockets, Array("t\(number)".utf8)), UInt32(number)) }
    expectEqual(adopt(&sockets, Array("new".utf8), milliseconds: 1_100), 257)
    expectEqual(adopt(&sockets, Array("long".utf8), milliseconds: 1_100), 1)
    expectEqual(adopt(&sockets, Array("t2".utf8), milliseconds: 1_100), 258)
  }

  @Test("a port that searches does so at its own address alone, and nobody is asked there")
  func ports() {
    var sockets = SearchSockets()
    let (tv, lamp) = (Endpoint(IPAddress(192, 168, 1, 20), port: 50_001), IPAddress(192, 168, 1, 21))
    sockets.learnSearcher(Self.own)
    expectEqual(sockets.place(from: tv, to: Self.own), .searcher)
    for other in [Endpoint(lamp, port: 40_000), Endpoint(Self.own.address, port: 40_001), tv] {
      expectEqual(sockets.place(from: tv, to: other), nil)
    }
    expectEqual(sockets.place(from: tv, to: Endpoint(lamp, port: 1_900)), .port1900)
    expectEqual(sockets.place(from: Endpoint(lamp, port: 1_900), to: tv), .port1900)
  }
}
