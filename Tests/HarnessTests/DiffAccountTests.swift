import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing

/// What `rollcall diff` says of a difference: to people, as JSON lines, and which datagram it puts it down to.
@Suite("Account of a difference")
struct DiffAccountTests {
  static let tv = "00000000-0000-4000-8000-000000000001"
  static let head = #"{"schema":"rollcall/1","kind":"report","time":""#

  private func replayed(_ capture: TinyCapture, _ input: DiffInput) throws -> DiffSide {
    try input.captureSide { try capture.reader() }
  }

  private func replayed(_ capture: TinyCapture, _ settings: String...) throws -> DiffSide {
    try replayed(capture, DiffInput(path: "one.pcapng", settings: settings))
  }

  private let forged = TinyCapture.forgedByebye(of: Self.tv)

  private func undated(_ uuid: String, _ target: String = "upnp:rootdevice", at address: String = "192.168.1.20")
    -> String
  {
    TinyCapture.alive(uuid, target, location: "http://\(address)/d.xml")
      .replacing("CACHE-CONTROL: max-age=1800\n", with: "")
  }

  // MARK: Sides

  @Test("a side is called by its path and by all that was set for it, and is replayed with that")
  func titles() throws {
    let all = DiffInput(
      path: "x.pcap", settings: ["tombstone=2s", "byebye=each-part"], switches: [.byebyeIgnored], isStrict: true,
      perspective: .host("192.168.1.9"), searches: SearchOverride(maximumWaitSeconds: 3, broadcasts: 2))
    var capture = forged
    capture.add(11, "192.168.1.30", undated("other", at: "192.168.1.30"))
    let cases: [(input: DiffInput, title: String, reports: Int)] = [
      (DiffInput(path: "x.pcap"), "x.pcap", 3),
      (DiffInput(path: "x.pcap", settings: ["byebye-source=any-address"]), "x.pcap with byebye-source=any-address", 3),
      (DiffInput(path: "x.pcap", switches: [.byebyeIgnored]), "x.pcap with switch byebyeIgnored", 2),
      (DiffInput(path: "x.pcap", isStrict: true), "x.pcap with strict", 2),
      // A host does not hear itself.
      (DiffInput(path: "x.pcap", perspective: .host("192.168.1.30")), "x.pcap with as 192.168.1.30", 2),
      (DiffInput(path: "x.pcap", searches: SearchOverride(broadcasts: 2)), "x.pcap with 2 broadcasts", 3),
      (
        all,
        "x.pcap with tombstone=2s, byebye=each-part, switch byebyeIgnored, strict, as 192.168.1.9, MX 3, 2 broadcasts",
        1
      ),
    ]
    for one in cases {
      let side = try replayed(capture, one.input)
      expectEqual(side.title, one.title)
      expectEqual(side.reports.count, one.reports, "\(one.title)")
    }
    let scenario = try Scenario(yaml: DiffTests.scenario, file: "x.yaml")
    try expectEqual(DiffInput(path: "x.yaml", seed: 7).scenarioSide(scenario).title, "x.yaml with seed 7")
    try expectEqual(DiffInput(path: "x.yaml").scenarioSide(scenario).title, "x.yaml")
  }

  @Test("a folder with two captures, a sweep of two points and faults for recorded reports are refused in words")
  func refused() throws {
    func complaint(_ body: () throws -> DiffSide) -> String {
      do { return "\(try body().title)" } catch { return "\(error)" }
    }
    try Places.withTemporaryFolder { folder in
      for (name, text) in [
        ("a.pcapng", "\(folder.path)/a.pcapng"), ("b.pcap", "\(folder.path): a folder with 2 captures; name one file"),
      ] {
        try Data(forged.bytes).write(to: folder.appendingPathComponent(name))
        expectEqual(complaint { try DiffInput(path: folder.path).side() }, text)
      }
    }
    func swept(_ counts: String) -> String {
      let yaml =
        "scenario: Sweep\nduration: 5s\ninhabitants: {tv: {kind: root-device}}\nexpect: [{found: tv}]\n"
        + "sweep: {inhabitants.tv.count: \(counts)}\n"
      return complaint { try DiffInput(path: "x.yaml").scenarioSide(try Scenario(yaml: yaml, file: "x.yaml")) }
    }
    expectEqual(swept("[1]"), "x.yaml")
    expectEqual(swept("[1, 2]"), "x.yaml: its sweep has 2 points, and one run is compared with one")
    expectEqual(
      complaint { try DiffInput(path: "x.jsonl", switches: [.byebyeIgnored]).reportsSide("") },
      "x.jsonl: recorded reports cannot be given other settings; name the capture")
  }

  @Test("of a sweep with one point that point is run, and what was set for a side holds there")
  func sweep() throws {
    func reports(_ body: String, _ settings: String...) throws -> [WrittenReport] {
      let yaml = "scenario: Sweep\nduration: 30s\nexpect: [{found: tv}]\n" + body
      return try DiffInput(path: "x.yaml", settings: settings)
        .scenarioSide(try Scenario(yaml: yaml, file: "x.yaml")).reports
    }
    let tv = "inhabitants: {tv: {kind: root-device}}\n"
    let (alone, three) = (try reports(tv), try reports(tv.replacing("device}", with: "device, count: 3}")))
    #expect(alone.count == 1 && three.count == 3)
    try expectEqual(reports(tv + "sweep: {inhabitants.tv.count: [3]}"), three)
    let forged = "inhabitants: {tv: {kind: root-device}, foe: {kind: byebye-spoofer, victims: [tv]}}\n"
    let believed = try reports(forged, "byebye-source=any-address")
    let swept = forged + "sweep: {engine.byebye-source: [any-address]}"
    expectEqual(believed.count, 2)
    try expectEqual(reports(swept), believed)
    try expectEqual(reports(swept, "byebye-source=same-address"), Array(believed.prefix(1)))
  }

  // MARK: Words

  private func lines(_ diff: ReportDiff, _ width: Int, _ times: TimeStyle = .relative) -> [String] {
    DiffText.lines(diff, width: width, times: times).map { line in
      var line = line
      while line.hasSuffix(" ") || line.hasSuffix("<") { line.removeLast() }
      return line
    }
  }

  @Test("a report of each kind is told in one order of its words, with its time since the first and its frame")
  func words() throws {
    let texts = [
      #"1.000000000","frame":3,"event":"found","device":"uuid:a","location":null,"source":"192.168.1.2","bootID":7}"#,
      #"2.500000000","frame":10,"event":"changed","device":"uuid:a","location":"x","source":"10.0.0.1","what":"location","from":null}"#,
      #"3.000000000","frame":11,"event":"changed","device":"uuid:a","location":"x","source":"10.0.0.1","what":"united","part":"uuid:b"}"#,
      #"4.000000000","frame":12,"event":"service","device":"uuid:a","search":2,"usn":"u","target":"t","location":"x"}"#,
      #"5.000000000","frame":null,"event":"searchEnded","search":2,"target":"t","cause":"stopped","services":["u"]}"#,
      #"6.000000000","frame":null,"event":"searchEnded","search":3,"target":"t","services":[]}"#,
      #"7.000000000","frame":null,"event":"failed","cause":"cannotSend","search":4,"interface":1,"explanation":"go"}"#,
      #"8.000000000","frame":13,"event":"lost","device":"uuid:a","cause":"byebye"}"#,
    ].map { Self.head + $0.replacing(",\"event\"", with: ",\"layer\":\"ssdp\",\"event\"") }
    let all = try DiffInput(path: "a.jsonl").reportsSide(texts.joined(separator: "\n"))
    let none = try DiffInput(path: "b.jsonl").reportsSide("# none\n")
    expectEqual(
      lines(ReportDiff(all, none), 200),
      [
        "A  a.jsonl: 8 reports", "B  b.jsonl: 0 reports", "", "They differ from report 1 on:",
        "  +0.000 frame 3 found uuid:a no location 192.168.1.2 bootID 7",
        "  +1.500 frame 10 changed uuid:a location no from x 10.0.0.1",
        "  +2.000 frame 11 changed uuid:a united uuid:b x 10.0.0.1", "  +3.000 frame 12 service uuid:a search 2 t u x",
        "  +4.000 search-ended stopped search 2 t 1 service", "  +5.000 search-ended search 3 t 0 services",
        "  +6.000 failed cannotSend search 4 1 go", "  +7.000 frame 13 lost uuid:a byebye",
        "0 changed (|), 8 only in A (<), 0 only in B (>)", "",
        "Which datagram or packet made the difference is not in files of reports: name the capture.",
      ])
    // Sixty columns are the least: two of 27, and what is longer goes on in the next line.
    let long = try DiffInput(path: "a.jsonl").reportsSide(texts[0].replacing("uuid:a", with: "uuid:" + Self.tv))
    for width in [20, 60] {
      expectEqual(
        Array(lines(ReportDiff(long, none), width)[4..<8]),
        [
          "  +0.000 frame 3 found", "  uuid:00000000-0000-4000-800", "  0-000000000001 no location",
          "  192.168.1.2 bootID 7",
        ])
      let blank = String(repeating: " ", count: 30)
      expectEqual(
        Array(lines(ReportDiff(none, all), width)[4..<7]),
        [
          blank + "> +0.000 frame 3 found uuid:a", blank + "  no location 192.168.1.2", blank + "  bootID 7",
        ])
    }
  }

  @Test("times of captures are told as asked for; those of runs count from their start")
  func times() throws {
    let diff = ReportDiff(try replayed(forged), try replayed(forged, "byebye-source=any-address"))
    func cells(_ diff: ReportDiff, _ times: TimeStyle) -> [String] {
      lines(diff, 80, times).filter { $0.contains(" lost") }
    }
    expectEqual(cells(diff, .relative), ["  +10.000 frame 3 lost                  | +5.000 frame 2 lost"])
    expectEqual(cells(diff, .epoch), ["  1010.000000000 frame 3 lost           | 1005.000000000 frame 2 lost"])
    let scenario = try Scenario(yaml: DiffTests.scenario, file: "x.yaml")
    let run = try DiffInput(path: "x.yaml", seed: 1).scenarioSide(scenario)
    let other = try DiffInput(path: "x.yaml", switches: [.byebyeIgnored], seed: 1).scenarioSide(scenario)
    let place = try #require(run.reports.last?.place)
    for style in [TimeStyle.relative, .epoch] {
      expectEqual(cells(ReportDiff(run, other), style), ["  +10.000 entry \(place) lost"])
    }
  }

  @Test("JSON has a line for the whole, one for each row with its mark and both reports, and one for the datagram")
  func json() throws {
    let (one, other) = (try replayed(forged), try replayed(forged, "byebye-source=any-address"))
    func report(_ time: Int, _ frame: Int, _ rest: String) -> String {
      #"{"time":"\#(time).000000000","frame":\#(frame),"report":{"layer":"ssdp",\#(rest)}}"#
    }
    let found = report(
      1_000, 1,
      #""event":"found","device":"uuid:\#(Self.tv)","location":"http://192.168.1.20/d.xml","source":"192.168.1.20""#)
    let lost = #""event":"lost","device":"uuid:\#(Self.tv)","cause":"byebye""#
    let whole = #"{"schema":"rollcall/1","kind":"diff","a":"one.pcapng","b":"one.pcapng"#
    let row = #"{"schema":"rollcall/1","kind":"diffRow","mark":"#
    let expected = [
      whole + #" with byebye-source=any-address","equal":false,"reportsA":2,"reportsB":2,"first":2,"changed":1,"#
        + #""onlyA":0,"onlyB":0}"#,
      row + #""equal","a":\#(found),"b":\#(found)}"#,
      row + #""changed","a":\#(report(1_010, 3, lost)),"b":\#(report(1_005, 2, lost))}"#,
      #"{"schema":"rollcall/1","kind":"diffDatagram","frame":2,"time":"1005.000000000","source":"192.168.1.66:1900","#
        + #""destination":"239.255.255.250:1900","type":"notify-byebye","headers":{"HOST":"239.255.255.250:1900","#
        + #""NT":"upnp:rootdevice","NTS":"ssdp:byebye","USN":"uuid:\#(Self.tv)::upnp:rootdevice"},"madeA":["refused, "#
        + #"foreignByebye: a byebye from an address that never announced the device (byte 91)"],"madeB":["ended it"]}"#,
    ]
    expectEqual(DiffText.json(ReportDiff(one, other)), expected)
    expectEqual(
      DiffText.json(ReportDiff(one, one)),
      [
        whole + #"","equal":true,"reportsA":2,"reportsB":2,"first":null,"changed":0,"onlyA":0,"onlyB":0}"#
      ])
    let none = try DiffInput(path: "none").reportsSide("")
    expectEqual(DiffText.json(ReportDiff(none, none)).count, 1)
    expectEqual(DiffText.json(ReportDiff(none, one))[1], row + #""onlyB","a":null,"b":\#(found)}"#)
    expectEqual(DiffText.json(ReportDiff(one, none))[1], row + #""onlyA","a":\#(found),"b":null}"#)
  }

  // MARK: Datagrams

  private func account(_ diff: ReportDiff) -> [String] {
    [diff.datagram?.frame.map { "frame \($0)" } ?? "no frame"] + diff.madeA.map { "A: " + $0 }
      + diff.madeB.map { "B: " + $0 }
  }

  @Test("a loss by time is put down to the last datagram before it of that device or a part of it, and to no other")
  func byTime() throws {
    let refused = "refused, foreignByebye: a byebye from an address that never announced the device (byte 91)"
    var several = TinyCapture()
    several.add(0, "192.168.1.20", TinyCapture.alive(Self.tv, maxAge: 20))
    several.add(5, "192.168.1.20", undated(Self.tv))
    several.add(10, "192.168.1.20", undated(Self.tv))
    // Another device, and what comes when the sides have parted.
    several.add(11, "192.168.1.30", undated("other", at: "192.168.1.30"))
    several.add(50, "192.168.1.20", TinyCapture.byebye(Self.tv))
    several.add(60, "192.168.1.20", undated(Self.tv))
    var parts = TinyCapture()
    parts.add(0, "192.168.1.20", TinyCapture.alive(Self.tv, maxAge: 20))
    parts.add(1, "192.168.1.20", TinyCapture.alive("part", "urn:x-y:service:z:1", maxAge: 20))
    parts.add(12, "192.168.1.20", undated("part", "urn:x-y:service:z:1"))
    parts.add(50, "192.168.1.20", TinyCapture.byebye(Self.tv))
    for (capture, frame, usual, short) in [
      (several, 3, "a copy, which changes nothing, for 1800 s", "renewed for 15 s, with 10 s left"),
      (parts, 3, "renewed for 1800 s, with 9 s left", "renewed for 15 s, with 9 s left"),
    ] {
      let (one, other) = (try replayed(capture), try replayed(capture, "default-lease=15s"))
      expectEqual(account(ReportDiff(one, other)), ["frame \(frame)", "A: " + usual, "B: " + short])
      expectEqual(account(ReportDiff(other, one)), ["frame \(frame)", "A: " + short, "B: " + usual])
    }
    // Whatever the device is called.
    var quoted = TinyCapture()
    quoted.add(0, "192.168.1.20", TinyCapture.alive(#"a"b\c"#, maxAge: 20))
    quoted.add(10, "192.168.1.20", undated(#"a"b\c"#))
    quoted.add(50, "192.168.1.30", undated("other", at: "192.168.1.30"))
    let (long, short) = (try replayed(quoted), try replayed(quoted, "default-lease=15s"))
    expectEqual(short.reports.map(\.device), [#"uuid:a"b\c"#, #"uuid:a"b\c"#, "uuid:other"])
    expectEqual(
      account(ReportDiff(long, short)),
      ["frame 2", "A: renewed for 1800 s, with 10 s left", "B: renewed for 15 s, with 10 s left"])
    // A frame that a file of reports names is looked up in the capture that it is compared with.
    let one = try replayed(forged)
    let line = ReportLine.json(try #require(one.reports.last).report, time: "1005.000000000", frame: 2)
    let first = ReportLine.json(try #require(one.reports.first).report, time: "1000.000000000", frame: 1)
    let recorded = try DiffInput(path: "x.jsonl").reportsSide(first + "\n" + line)
    expectEqual(account(ReportDiff(one, recorded)), ["frame 2", "A: " + refused])
    expectEqual(account(ReportDiff(recorded, one)), ["frame 2", "B: " + refused])
    // The earlier of two captures shows its own datagram, and nothing of the other's.
    var sooner = TinyCapture()
    (sooner.epochSeconds, sooner.lines) = (5_000, [forged.lines[0], forged.lines[2]])
    sooner.lines[1].seconds = 9
    let two = try replayed(sooner, DiffInput(path: "two.pcapng"))
    expectEqual(account(ReportDiff(one, two)), ["frame 2", "B: ended it"])
    expectEqual(account(ReportDiff(two, one)), ["frame 2", "A: ended it"])
  }

  @Test("of two runs the side that reported first names its datagram, and says whether the other heard it as well")
  func runs() throws {
    func compared(_ body: String, _ fault: EngineSwitch) throws -> [ReportDiff] {
      let scenario = try Scenario(yaml: "scenario: Run\nduration: 30s\n" + body, file: "x.yaml")
      let sound = try DiffInput(path: "x.yaml").scenarioSide(scenario)
      let faulty = try DiffInput(path: "x.yaml", switches: [fault]).scenarioSide(scenario)
      return [ReportDiff(sound, faulty), ReportDiff(faulty, sound)]
    }
    let tv = "inhabitants: {tv: {kind: root-device}}\n"
    let (caused, another, nothing) = ("caused the report", "caused another report", "caused no report")
    let cases: [(body: String, fault: EngineSwitch, type: String?, made: [[String]])] = [
      (
        tv + "timeline: [{at: 10s, leave: tv}]\nexpect: [{lost: tv}]", .byebyeIgnored, "notify-byebye",
        [[caused, nothing], [nothing, caused]]
      ),
      // One instant on both sides: the datagram of A, which B made something else of.
      (
        tv + "timeline: [{at: 9s, relocate: {who: tv, port: 9}}]\nexpect: [{changed: tv}]", .locationChangeIsLostFound,
        "notify-alive", [[caused, another], [caused, another]]
      ),
      // What is refused is no report of a comparison.
      (
        "inhabitants: {tv: {kind: root-device}, foe: {kind: byebye-spoofer, victims: [tv]}}\n"
          + "expect: [{never: {lost: tv}}]", .foreignByebyeAccepted, "notify-byebye",
        [[nothing, caused], [caused, nothing]]
      ),
      (
        "inhabitants: {tv: {kind: root-device, quirks: [maxAge(9), noRenewal]}}\nexpect: [{lost: tv}]", .neverExpires,
        nil, [[], []]
      ),
    ]
    for one in cases {
      let diffs = try compared(one.body, one.fault)
      expectEqual(diffs.map { $0.datagram?.type }, [one.type, one.type], "\(one.fault)")
      expectEqual(diffs.map { $0.madeA + $0.madeB }, one.made, "\(one.fault)")
      #expect(diffs.allSatisfy { $0.first == 1 }, "\(one.fault)")
    }
  }
}
