import RollcallConformance
import RollcallDevices
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallReplaying
import RollcallScenarios
import Testing

@testable import RollcallRunning

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
    _ sockets: inout SearchSockets, _ target: [UInt8], mx: Int = 1, milliseconds: Int64 = 0,
    from source: Endpoint = SearchSocketTests.own
  ) -> UInt32 {
    target.withUnsafeBytes { bytes in
      sockets.adopt(
        target: bytes, from: source, to: Endpoint(IPAddress(239, 255, 255, 250), port: 1_900),
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

  @Test("of too many sockets the searches of all are forgotten, and no later socket is known to search")
  func tooMany() {
    var sockets = SearchSockets(socketsMaximum: 2)
    let tv = Endpoint(IPAddress(192, 168, 1, 20), port: 50_001)
    let own = (1...4).map { Endpoint(Self.own.address, port: 40_000 + $0) }
    let numbers = [0, 1, 0, 2, 1, 0, 3].map { place in adopt(&sockets, Array("all".utf8), from: own[place]) }
    // Three are more than two, so that the next copy, whosever it is, begins anew.
    expectEqual(numbers, [1, 2, 1, 3, 4, 5, 6])
    expectEqual(own.map { sockets.place(from: tv, to: $0) }, [.searcher, .searcher, nil, nil])
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

  // MARK: Programs beside the engine

  @Test("searches of a program beside the engine count from when it appears to the end, each at its time and address")
  func besideEngine() throws {
    func search(_ target: String) -> [UInt8] {
      let lines = [
        "M-SEARCH * HTTP/1.1", "HOST: 239.255.255.250:1900", "MAN: \"ssdp:discover\"", "MX: 1", "ST: \(target)", "", "",
      ]
      return Array(lines.joined(separator: "\r\n").utf8)
    }
    let (one, other) = (IPAddress(192, 168, 1, 2), IPAddress(v6High: 0xFE80 << 48, low: 2))
    let host = Endpoint(IPAddress(192, 168, 1, 77), port: 1_900)
    var plan = Recorded.Plan()
    plan.speaksAs = [one, other]
    plan.utterances = [
      // The end of the run belongs to it, and what is no search is left out.
      Recorded.Utterance(
        messages: [search("upnp:rootdevice"), Array("hello".utf8)], starts: [.seconds(1), .seconds(28)],
        paces: [[.zero, .seconds(3)]], sourcePort: 40_000),
      Recorded.Utterance(
        messages: [search("ssdp:all")], starts: [.milliseconds(500)], destination: host, sourcePort: 40_000),
      Recorded.Utterance(
        messages: [search("late")], starts: [.nanoseconds(28_000_000_001)], sourcePort: 40_000),
      Recorded.Utterance(
        messages: [search("upnp:rootdevice")], starts: [.seconds(1)],
        destination: Endpoint(IPAddress(v6High: 0xFF02 << 48, low: 0xC), port: 1_900), sourcePort: 40_000),
    ]
    let text = """
      scenario: A television and a program
      duration: 30s
      inhabitants: {tv: {kind: root-device}, app: {kind: root-device}}
      """
    var resolved = try Scenario(yaml: text, file: "beside.yaml").resolved()
    resolved.hosts[2].role = .other(.recorded(plan))
    func appear(_ host: Int, _ seconds: Int64) -> ResolvedCommand {
      ResolvedCommand(id: "appear", at: .zero + .seconds(seconds), host: host, command: .act(.appear))
    }
    func adopt(_ milliseconds: Int64, _ number: UInt32, _ target: String, _ source: IPAddress, host: Endpoint? = nil)
      -> ResolvedCommand
    {
      let search = Search(id: SearchID(number), target: target, maximumWaitSeconds: 1, broadcasts: 1, host: host)
      return ResolvedCommand(
        id: "adopt", at: .zero + .milliseconds(milliseconds), host: 0,
        command: .adopt(search, copyAt: Endpoint(source, port: 40_000)))
    }
    // Copies from both addresses are of one search.
    expectEqual(
      SharedSearches.commands(of: resolved, [appear(1, 0), appear(2, 2)]),
      [
        adopt(2_500, 1, "ssdp:all", one, host: host), adopt(3_000, 2, "upnp:rootdevice", one),
        adopt(3_000, 2, "upnp:rootdevice", other), adopt(30_000, 3, "upnp:rootdevice", one),
      ])
    // Who only appears by the timeline is not listened to.
    expectEqual(SharedSearches.commands(of: resolved, [appear(1, 0)]), [])
  }
}
