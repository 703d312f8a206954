import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallScenarios
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallConformance
@testable import RollcallRunning

/// Values of runs and suites at their bounds.
@Suite("Values of runs, at their bounds") struct RunValueTests {
  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  private static func run(_ verdicts: [Verdict]) -> SuiteRun {
    SuiteRun(
      path: "a.yaml", title: "", point: [], seed: 1, outcome: .failed, digest: Digest(), entries: 0,
      virtualTime: .seconds(10), verdicts: verdicts)
  }

  // MARK: Chances

  @Test("the chance of a larger sum of squares follows its formula for two and four degrees of freedom")
  func survival() {
    for x in [0, 0.25, 1, 2, 3, 3.5, 4, 5, 5.5, 6, 7, 8, 9.5, 20, 60, 200] {
      let (two, four) = (exp(-x / 2), exp(-x / 2) * (1 + x / 2))
      #expect(abs(ChiSquare.survival(x, degrees: 2) - two) <= 1e-12 * two, "\(x)")
      #expect(abs(ChiSquare.survival(x, degrees: 4) - four) <= 1e-12 * max(four, 0.01), "\(x)")
    }
  }

  // MARK: What is told of a run

  @Test("a verdict has its finding, its time, a window that was cut off, and only the reports around it")
  func nearby() {
    func report(_ side: NearbyReport.Side, _ seconds: Int64, _ cause: ReportCause) -> NearbyReport {
      NearbyReport(side: side, time: at(seconds), report: .lost(device: "uuid:a", cause: .byebye), cause: cause)
    }
    let near = [
      report(.before, 5, ReportCause(entry: 12, frame: 3, text: "byebye")),
      report(.after, 9, ReportCause(entry: 20, frame: nil, text: "woken")),
    ]
    var run = Self.run([
      Verdict(
        id: "e1", text: "t", place: Place(line: 1, column: 5), outcome: .violated,
        reason: .broken(clause: "C", by: "tv", expected: "x", found: "y", at: at(7)), untestedWindows: 1),
      Verdict(id: "e2", text: "t", outcome: .held),
    ])
    run.nearby = [("e3", [near[1]]), ("e1", near)]
    let expected =
      #""expectations":[{"id":"e1","line":1,"outcome":"violated","expected":"C of tv: x","found":"y","#
      + #""time":"7.000000000","untestedWindows":1,"nearby":[{"side":"before","entry":12,"frame":3,"#
      + #""cause":"byebye","report":{"time":"5.000000000","layer":"ssdp","event":"lost","device":"uuid:a","#
      + #""cause":"byebye"}},{"side":"after","entry":20,"frame":null,"cause":"woken","report":"#
      + #"{"time":"9.000000000","layer":"ssdp","event":"lost","device":"uuid:a","cause":"byebye"}}]},"#
      + #"{"id":"e2","outcome":"held"}]}"#
    let line = RunLines.json(run)
    #expect(line.hasSuffix(expected), "\(line)")
  }

  @Test("a finding stands in the first line as in any other, and nowhere where its expectation has no place")
  func findings() {
    let quiet = VerdictReason.nothingHappened
    let run = Self.run([
      Verdict(id: "e1", text: "t", place: Place(line: 1, column: 5), outcome: .vacuous, reason: quiet),
      Verdict(id: "e2", text: "t", outcome: .vacuous, reason: quiet),
    ])
    expectEqual(run.findings.map(\.place), [ResultPlace("a.yaml", line: 1, column: 5), ResultPlace("a.yaml")])
  }

  @Test("the line of a scenario has its path, how many runs it has and their digest")
  func scenarioLine() {
    var digest = ScenarioDigest()
    digest.add(Digest())
    expectEqual(
      RunLines.scenario("a.yaml", digest: digest),
      #"{"schema":"rollcall/1","kind":"scenario","scenario":"a.yaml","runs":1,"digest":"a0761d6478bd642f"}"#)
  }

  // MARK: Which runs there are

  @Test("no pattern fits a path without a name, and a range behind all numbers that are dealt has none of them")
  func outside() {
    expectEqual(["", ".", "./", "a"].map { PathPattern("**")?.fits($0) }, [false, false, false, true])
    expectEqual(ShardPlan.Deal(first: 2, stride: 3, count: 4).within(12..<20), nil)
  }

  @Test("a scenario is run if its path is wanted and its tags are, and one that was read was named")
  func filter() throws {
    let text = """
      scenario: A television
      duration: 5s
      tags: [slow]
      inhabitants: {tv: {kind: root-device}}
      expect: [{found: tv}]
      """
    let file = ScenarioFile(path: "a/b.yaml", scenario: try Scenario(yaml: text, file: "a/b.yaml"))
    expectEqual(file.isNamed, true)
    func count(_ path: String, _ tag: String) throws -> Int {
      let filter = ScenarioFilter(tags: [tag], paths: [try #require(PathPattern(path))])
      return try Suite(files: [file], options: Suite.Options(filter: filter)).files.count
    }
    try expectEqual([count("a", "slow"), count("a", "fast"), count("c", "slow"), count("c", "fast")], [1, 0, 0, 0])
  }

  @Test("a new file alone is a change, and so is a changed file alone")
  func changes() {
    let (one, two) = (WatchedFiles.Mark(seconds: 1), WatchedFiles.Mark(seconds: 2))
    let scenarios: [[String: WatchedFiles.Mark]] = [[:], ["a": one], ["a": two]]
    let files = scenarios.map { WatchedFiles(scenarios: $0, others: [:]) }
    expectEqual(
      [(0, 0), (0, 1), (1, 2), (2, 2)].map { WatchChange(from: files[$0.0], to: files[$0.1]).isEmpty },
      [true, false, false, true])
  }

  // MARK: Expected results

  @Test("a line may end with CR LF, an empty one too, and its seeds may stand in any order, each once")
  func expectedLines() throws {
    func line(_ seeds: String) -> String { #"{"scenario":"a","seeds":[\#(seeds)],"outcome":"failed"}"# }
    func failed(_ seed: UInt64) -> SuiteRun {
      var run = Self.run([])
      (run.path, run.seed) = ("a", seed)
      return run
    }
    var expected = try ExpectedRuns("\r\n\r" + line(#""7..9","1..3""#) + "\n# end\r\n", file: "x")
    expectEqual(expected.entries.map(\.line), [2])
    expectEqual(
      [1, 3, 4, 6, 7, 9, 10].map { expected.standing(of: failed($0))?.kind },
      [.known, .known, .unexpectedFailure, .unexpectedFailure, .known, .known, .unexpectedFailure])
    do {
      _ = try ExpectedRuns(line(#""2","1..3""#), file: "x")
      Issue.record("a seed stands there twice")
    } catch {
      expectEqual(
        error,
        ExpectedRuns.Problem(
          line: 1, column: 1, expected: "each seed once; seed 2 of this scenario stands in line 1 as well"))
    }
  }

  @Test("five hundred ranges of seeds fit one line, and one more needs another")
  func ranges() {
    var failures = RunFailures()
    for seed: UInt64 in 0..<501 {
      var run = Self.run([])
      run.seed = seed * 2
      failures.add(run)
      if seed == 499 { expectEqual(failures.lines.count, 2) }
    }
    expectEqual(failures.lines.count, 3)
  }

  // MARK: Searches

  private static let own = IPAddress(192, 168, 1, 9)

  @Test("a device is asked at a port that it names, from 1 to 65535")
  func searchPorts() {
    let tv = IPAddress(192, 168, 1, 20)
    for (port, isPort) in [(-1, false), (0, false), (1, true), (65_535, true), (65_536, false)] as [(Int32, Bool)] {
      var sockets = SearchSockets()
      sockets.learn(JudgedMessage(kind: .notifyAlive, searchPort: port), from: Endpoint(tv, port: 1_900))
      let asked = Endpoint(tv, port: UInt16(truncatingIfNeeded: port))
      expectEqual(
        sockets.place(from: Endpoint(Self.own, port: 40_000), to: asked), isPort ? .searchPort : nil, "\(port)")
    }
  }

  @Test("the target of a search is found at the beginning, in the middle and at the end of a datagram")
  func sentTargets() {
    func isSearch(_ text: String) -> Bool {
      var sent = SentSearches()
      let datagram = RecordedDatagram(
        source: Endpoint(Self.own, port: 40_000), destination: Endpoint(.ssdpGroup4, port: 1_900),
        interface: InterfaceID(0), hopLimit: 2, bytes: Array(text.utf8))
      let search = Search(id: SearchID(1), target: "a")
      sent.take(TraceEntry(time: at(0), station: 0, content: .signal(.command(.search(search)))))
      sent.take(TraceEntry(time: at(0), station: 0, content: .sent(datagram)))
      return sent.search(of: datagram) != nil
    }
    // A datagram without a target may be the search.
    for text in ["", "ST: b", "\r\nST:", "\r\nST: a", "x\r\nST: a\r\n"] { #expect(isSearch(text), "\(text)") }
    for text in ["\r\nST: ", "x\r\nST: ", "\r\nST: b", "x\r\nST: ab\r\n"] { #expect(!isSearch(text), "\(text)") }
  }

  @Test("copies of a search are known by its port, from any address, and other datagrams belong to no search")
  func copies() throws {
    func resolved(_ search: String) throws -> Resolved {
      let text = """
        scenario: A lamp answers
        duration: 30s
        inhabitants: {lamp: {kind: root-device}}
        timeline: [{at: 1s, search: {id: 1, target: "ssdp:all"}}]
        expect:
          - distribution: {of: response-delay, from: lamp, \(search)range: 0s..3s}
        """
      return try Scenario(yaml: text, file: "x.yaml").resolved()
    }
    let (one, all) = (try resolved("search: 1, "), try resolved(""))
    expectEqual([DistributionSample.hosts(of: one), DistributionSample.hosts(of: all)], [[1, 0], [1]])

    func entry(_ station: UInt32, _ milliseconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
      TraceEntry(time: .zero + .milliseconds(milliseconds), station: station, content: content)
    }
    let sockets = [(9, 40_000), (8, 40_000), (9, 40_001)].map { last, port in
      Endpoint(IPAddress(192, 168, 1, UInt8(last)), port: UInt16(port))
    }
    let text =
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 3\r\nST: ssdp:all\r\n\r\n"
    func copy(_ socket: Int) -> RecordedDatagram {
      RecordedDatagram(
        source: sockets[socket], destination: Endpoint(.ssdpGroup4, port: 1_900), interface: InterfaceID(0),
        hopLimit: 2, bytes: Array(text.utf8))
    }
    func answer(_ socket: Int) -> RecordedDatagram {
      RecordedDatagram(
        source: Endpoint(IPAddress(192, 168, 1, 20), port: 1_900), destination: sockets[socket],
        interface: InterfaceID(0), hopLimit: 2, bytes: Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
    }
    let asked = entry(0, 1_000, .signal(.command(.search(Search(id: SearchID(1), target: "ssdp:all")))))
    // Each copy is sent, heard and answered, later each time.
    let trace =
      [asked, entry(0, 1_000, .sent(copy(0))), entry(1, 1_000, .received(copy(0))), entry(1, 1_100, .sent(answer(0)))]
      + (1...2).flatMap { number -> [TraceEntry] in
        let time = Int64(1_000 + number * 1_000)
        return [
          entry(0, time, .woken), entry(0, time, .sent(copy(number))), entry(1, time, .received(copy(number))),
          entry(1, time + 100 * Int64(number + 1), .sent(answer(number))),
        ]
      }
    func delays(_ resolved: Resolved) -> [[Interval]] {
      DistributionSample.take(from: trace, of: resolved).map(\.values)
    }
    expectEqual(delays(one), [[.milliseconds(100), .milliseconds(200)]])
    expectEqual(delays(all), [[.milliseconds(100), .milliseconds(200), .milliseconds(300)]])
  }
}
