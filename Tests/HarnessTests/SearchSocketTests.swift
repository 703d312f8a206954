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
}
