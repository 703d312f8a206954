import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import RollcallScenarios
import RollcallSessions
import Testing

/// `rollcall diff`: where two lists of reports part, and because of which datagram.
@Suite("Diff of reports")
struct DiffTests {
  static let tv = "00000000-0000-4000-8000-000000000001"

  private func side(
    _ capture: TinyCapture, _ settings: [String] = [], path: String = "one.pcapng", searches: SearchOverride? = nil,
    until: Interval? = nil
  ) throws -> DiffSide {
    try DiffInput(path: path, settings: settings, until: until, searches: searches).captureSide {
      try capture.reader()
    }
  }

  /// A television whose byebye comes from somewhere else.
  private let capture = TinyCapture.forgedByebye(of: DiffTests.tv)

  @Test("a setting that makes the difference is shown with the datagram and what each side made of it")
  func setting() throws {
    let diff = ReportDiff(try side(capture), try side(capture, ["byebye-source=any-address"]))
    expectEqual(
      DiffText.lines(diff, width: 90).joined(separator: "\n"),
      """
      A  one.pcapng: 2 reports
      B  one.pcapng with byebye-source=any-address: 2 reports

      They differ from report 2 on:
        +0.000 frame 1 found                         +0.000 frame 1 found
        uuid:00000000-0000-4000-8000-000000000001    uuid:00000000-0000-4000-8000-000000000001
        http://192.168.1.20/d.xml 192.168.1.20       http://192.168.1.20/d.xml 192.168.1.20
        +10.000 frame 3 lost                       | +5.000 frame 2 lost
        uuid:00000000-0000-4000-8000-000000000001    uuid:00000000-0000-4000-8000-000000000001
        byebye                                       byebye
      1 changed (|), 0 only in A (<), 0 only in B (>)

      The datagram that made the difference:
        frame 2, 1005.000000000 notify-byebye 192.168.1.66:1900 → 239.255.255.250:1900
          HOST: 239.255.255.250:1900
          NT: upnp:rootdevice
          NTS: ssdp:byebye
          USN: uuid:00000000-0000-4000-8000-000000000001::upnp:rootdevice
        A  refused, foreignByebye: a byebye from an address that never announced the device
           (byte 91)
        B  ended it
      """)
    for line in DiffText.json(diff) {
      #expect((try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["kind"] is String)
    }
  }

  @Test("the same settings are equal, and so are settings that make no difference")
  func equal() throws {
    #expect(ReportDiff(try side(capture), try side(capture)).isEqual)
    let other = ReportDiff(try side(capture), try side(capture, ["byebye=each-part", "tombstone=5s"]))
    #expect(other.isEqual && other.datagram == nil)
    expectEqual(DiffText.lines(other).last, "equal")
  }

  @Test("a loss by time is traced to the datagram that promised less on one side")
  func promise() throws {
    var capture = TinyCapture()
    let silent = TinyCapture.alive(DiffTests.tv).replacing("CACHE-CONTROL: max-age=1800\n", with: "")
    capture.add(0, "192.168.1.20", TinyCapture.alive(DiffTests.tv, maxAge: 20))
    capture.add(10, "192.168.1.20", silent)
    capture.add(11, "192.168.1.30", TinyCapture.alive("other", location: "http://192.168.1.30/"))
    capture.add(50, "192.168.1.20", TinyCapture.byebye(DiffTests.tv))
    let diff = ReportDiff(try side(capture), try side(capture, ["default-lease=15s"]))
    expectEqual(diff.first, 2)
    expectEqual(diff.datagram?.frame, 2)
    expectEqual(diff.madeA, ["renewed for 1800 s, with 10 s left"])
    expectEqual(diff.madeB, ["renewed for 15 s, with 10 s left"])
  }

  @Test("reports that only time makes name no datagram")
  func time() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.9:40000", TinyCapture.search("ssdp:all", mx: 3))
    let diff = ReportDiff(
      try side(capture, until: .seconds(9)),
      try side(capture, searches: SearchOverride(maximumWaitSeconds: 1), until: .seconds(9)))
    #expect(diff.first == 0 && diff.changedCount == 1 && diff.datagram == nil)
    expectEqual(
      DiffText.lines(diff).last, "No datagram and no packet made the difference: time alone caused the report.")
  }

  @Test("two captures count time from their own start, within a tolerance, and a frame of one is none of the other")
  func captures() throws {
    var later = capture
    later.epochSeconds = 5_000
    later.lines[2].seconds += 0.01
    let (one, other) = (try side(capture), try side(later, path: "two.pcapng"))
    expectEqual(ReportDiff(one, other).first, 1)
    var options = ReportDiff.Options()
    options.within = .milliseconds(20)
    #expect(ReportDiff(one, other, options: options).isEqual)
    options.within = .milliseconds(9)
    #expect(!ReportDiff(one, other, options: options).isEqual)
    options.comparesTimes = false
    #expect(ReportDiff(one, other, options: options).isEqual)

    // What only one of them has stands alone, and everything behind it is found again.
    later.lines.insert(
      TinyCapture.Line(
        seconds: 1, source: "192.168.1.40:1900", destination: TinyCapture.group,
        text: TinyCapture.alive("more", location: "http://192.168.1.40/")), at: 1)
    later.lines[3].seconds = 10
    let more = ReportDiff(one, try side(later, path: "two.pcapng"))
    #expect((more.changedCount, more.onlyACount, more.onlyBCount) == (0, 0, 1))
    expectEqual(more.datagram?.source?.description, "192.168.1.40:1900")
    #expect(more.madeA == [] && more.madeB == ["made the device known, for 1800 s"])
  }

  @Test("recorded reports are compared with their capture, and a changed line is found", arguments: OwnCapture.all)
  func recorded(_ own: OwnCapture) throws {
    let input = DiffInput(path: own.path)
    let replayed = try input.side()
    let text = try own.text("expected.jsonl")
    let reviewed = DiffInput(path: "expected.jsonl")
    #expect(ReportDiff(replayed, try reviewed.reportsSide(text)).isEqual)
    let lines = text.split(separator: "\n").map(String.init)
    let last = try #require(lines.lastIndex { !$0.hasPrefix("#") })
    var dropped = lines
    dropped.remove(at: last)
    let shorter = ReportDiff(replayed, try reviewed.reportsSide(dropped.joined(separator: "\n")))
    #expect(shorter.first == replayed.reports.count - 1 && shorter.onlyACount == 1)
  }

  @Test("what cannot be compared is refused with its place")
  func unreadable() throws {
    func complaint(_ body: () throws -> DiffSide) -> String {
      do { return "\(try body().reports.count) reports" } catch { return "\(error)" }
    }
    expectEqual(
      complaint { try DiffInput(path: "nothing.pcap").side() }, "nothing.pcap: there is no such file or folder")
    expectEqual(
      complaint { try DiffInput(path: "x.jsonl").reportsSide("# fine\n\nnot json\n") },
      "x.jsonl:3: expected a JSON line of rollcall, found 'not json'")
    expectEqual(
      complaint { try DiffInput(path: "x.jsonl").reportsSide("{\"kind\":\"report\"}\n") },
      "x.jsonl:1: expected a report as 'rollcall replay --format json' writes it, with all the fields of its "
        + "event, found '{\"kind\":\"report\"}'")
    expectEqual(complaint { try DiffInput(path: "x.jsonl").reportsSide("{\"kind\":\"summary\"}\n") }, "0 reports")
    let mx3 = SearchOverride(maximumWaitSeconds: 3)
    for input in [
      DiffInput(path: "x.jsonl", settings: ["byebye=each-part"]), DiffInput(path: "x.jsonl", isStrict: true),
      DiffInput(path: "x.jsonl", peerFaults: [.lossForgotten]), DiffInput(path: "x.jsonl", searches: mx3),
    ] {
      expectEqual(
        complaint { try input.reportsSide("") },
        "x.jsonl: recorded reports cannot be given other settings; name the capture", "\(input)")
    }
    let scenario = try Scenario(yaml: DiffTests.scenario, file: "x.yaml")
    expectEqual(
      complaint { try DiffInput(path: "x.yaml", searches: mx3).scenarioSide(scenario) },
      "x.yaml: a scenario says itself how it searches; another MX is for captures alone")
    expectEqual(
      complaint { try self.side(self.capture, ["byeby=each-part"]) }, "unknown key 'byeby', did you mean 'byebye'?")
  }

  // MARK: Runs

  static let scenario = """
    scenario: Says goodbye
    duration: 30s
    inhabitants: {tv: {kind: root-device, profile: tv}}
    timeline: [{at: 10s, leave: tv}]
    expect: [{found: tv}]
    """

  private func run(_ settings: [String] = [], seed: UInt64 = 1) throws -> DiffSide {
    try DiffInput(path: "goodbye.yaml", settings: settings, seed: seed).scenarioSide(
      try Scenario(yaml: DiffTests.scenario, file: "goodbye.yaml"))
  }

  @Test("two runs with the same seed are equal; a planted fault differs at the datagram that it takes no notice of")
  func runs() throws {
    #expect(ReportDiff(try run(), try run()).isEqual)
    let diff = ReportDiff(try run(), try run(["switches=byebyeIgnored"]))
    #expect((diff.changedCount, diff.onlyACount, diff.onlyBCount) == (0, 1, 0))
    expectEqual(diff.datagram?.type, "notify-byebye")
    #expect(diff.madeA == ["caused the report"] && diff.madeB == ["caused no report"])
    #expect(DiffText.lines(diff).contains { $0.contains("only in A (<)") })
    // Another seed is another run: the same reports at other times.
    let other = ReportDiff(try run(seed: 1), try run(seed: 2))
    #expect(!other.isEqual)
    var options = ReportDiff.Options()
    options.comparesTimes = false
    #expect(ReportDiff(try run(seed: 1), try run(seed: 2), options: options).isEqual)
  }
}
