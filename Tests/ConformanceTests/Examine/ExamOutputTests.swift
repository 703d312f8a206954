import RollcallConformance
import RollcallDevices
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import Testing

@testable import RollcallExaminers
@testable import RollcallJudging

@Suite("What an examination prints") struct ExamOutputTests {
  private func result(_ quirks: [Quirk] = [.relaxedSearch]) throws -> (report: ExamReport, judgement: Judgement) {
    var bench = ExamBench(plan: DeviceExamPlan(probes: [.mxMissing, .versionHigher], patience: .zero), quirks: quirks)
    bench.description = Profile.basic.description
    bench.description.root.uuid = DeviceUUID("2fac1234-31f8-11b4-a222-08002b34c003")
    let result = bench.run()
    return (try #require(result.report), try #require(result.judgement))
  }

  @Test("before anything is sent: how much, how long, where to")
  func plan() {
    let plan = DeviceExamPlan(target: "uuid:2fac1234", patience: .seconds(30))
    expectEqual(
      ExamPlanText.lines(plan, interface: "eth0", address: IPAddress(10, 0, 0, 2)),
      [
        "examine: uuid:2fac1234, on eth0 from 10.0.0.2 and nowhere else",
        "  at most \(plan.packetsMaximum) searches, to 239.255.255.250:1900 and to the device's own address, "
          + "each below 400 bytes, TTL 2",
        "  one request for its description over HTTP, if LOCATION is at the device's own address",
        "  at most 6 min 9 s; a device that answers well takes about 45 s, and up to 30 s more until it renews",
      ])
    expectEqual(plan.packetsMaximum, 264)
    // Twenty probes take fifteen seconds, more take longer; two minutes are told as minutes.
    let rows: [(probes: Int, byebye: Interval, takes: String, waits: String)] = [
      (20, .nanoseconds(118_000_000_001), "15 s", "119 s"), (21, .nanoseconds(119_000_000_001), "45 s", "2 min 0 s"),
    ]
    for row in rows {
      var short = DeviceExamPlan(patience: .zero, byebyeWait: row.byebye, family: .v6)
      short.probes = Array(DeviceProbe.allCases.prefix(row.probes))
      let lines = ExamPlanText.lines(short, interface: "eth0", address: nil)
      expectEqual(lines.count, 4)
      expectEqual(lines.first, "examine: the only device there, on eth0 and nowhere else")
      expectEqual(
        lines.dropFirst().first,
        "  at most \(short.packetsMaximum) searches, to [ff02::c]:1900 and to the device's own address, "
          + "each below 400 bytes, TTL 2")
      #expect(lines[2].hasSuffix("; a device that answers well takes about \(row.takes)"), "\(lines[2])")
      expectEqual(lines[3], "  at the end it says when to stop the device, and waits \(row.waits) for byebye")
    }
    expectEqual(ExamPlanText.list(plan).count, plan.probes.count)
    expectEqual(
      ExamPlanText.list(plan).first { $0.hasPrefix("mx-missing") },
      "mx-missing          2 searches at most  multicast without MX meets silence (UDA-1.3.3-MX-MISSING)")
  }

  @Test("for people: who, what was asked, what was found with the bytes of it, and a last line")
  func text() throws {
    let (report, judgement) = try result()
    let lines = ExamText(report, judgement, interface: "eth0").lines
    expectEqual(
      lines,
      [
        "uuid:2fac1234-31f8-11b4-a222-08002b34c003  192.168.1.10 on eth0",
        "  Linux/6.6 UPnP/2.0 Rollcall/1.0, judged by UDA 2.0",
        "  4 messages, max-age 1800, http://192.168.1.10:49152/description.xml",
        "",
        "  probe             asked  answers  waits               what ought to come",
        "✓ search-all            3       12  0.573 to 1.998 s    ssdp:all is answered with the whole set",
        "✓ search-root           2        2  0.666 to 0.988 s    upnp:rootdevice is answered once",
        "✓ version-higher        4        0                      a version that the device does not have meets silence",
        "✘ mx-missing            2        2  0.630 to 0.865 s    multicast without MX meets silence",
        "✓ still-there           2        2  0.774 to 0.779 s    the device answers after all this",
        "",
        "✘ UDA-1.3.3-MX-MISSING (must)  asked by mx-missing",
        "    clause    a multicast search without MX is not answered (UDA 1.1, section 1.3.3)",
        "    expected  silence to a multicast search without MX",
        "    found     an answer after 0.865 s to ST: upnp:rootdevice, no MX; 2 of 2 were answered",
        "    remedy    Drop a multicast search without MX.",
        "    25.568 s > 239.255.255.250:1900  M-SEARCH * HTTP/1.1  ST: upnp:rootdevice",
        "    26.434 s < 192.168.1.10:1900  HTTP/1.1 200 OK  ST: upnp:rootdevice"
          + "  USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::upnp:rootdevice",
        "",
        "25 clauses held, 1 broken, 0 open, 57 not exercised",
        "13 searches in 11.002 s: 1 broken must, 0 broken shoulds, 0 other",
      ])
  }

  /// A root device with a part, what came of five probes, and what it broke: made by hand.
  private func made() -> (report: ExamReport, judgement: Judgement) {
    var root = ExamDevice(uuid: "a", source: IPAddress(10, 0, 0, 1), location: "", firstHeard: .zero)
    root.claim = .uda11
    root.searchPort = 1_901
    root.maxAgeSeconds = 0
    root.adverts = [ExamAdvert(target: "upnp:rootdevice", uuid: "a")]
    let part = ExamDevice(uuid: "b", source: root.source, location: "", firstHeard: .zero)
    func row(_ probe: DeviceProbe, _ mark: ExamRow.Mark, _ asked: Int = 0, remark: String? = nil) -> ExamRow {
      ExamRow(
        probe: probe, askedCount: asked, answeredCount: 0, answerCount: 10 * asked, waits: nil, mark: mark,
        remark: remark)
    }
    var rows = [
      row(.searchAll, .held, 1), row(.otherStartLine, .violated, 10, remark: "odd"),
      row(.renewal, .notAsked, remark: "why"), row(.answerPort, .notAsked), row(.mxZero, .notAsked),
      row(.mxHuge, .notAsked),
    ]
    let (half, long) = (Interval.milliseconds(500), Interval.seconds(1_000))
    (rows[0].waits, rows[1].waits) = (half...half, Interval.seconds(100)...long)
    let report = ExamReport(
      subject: ExamSubject(root: root, parts: [part]), rows: rows, rulings: [], packetCount: 7, duration: .seconds(5),
      presence: .left(at: .zero + .seconds(2), with: "byebye"))
    var judgement = Judgement.mixed()
    // What the table of probes says already is not said again.
    judgement.rows.insert(judgement.rows[0], at: 0)
    judgement.rows[0].probe = Judgement.ruling(.aliveMaxAgeFloor, .inconclusive, probe: "renewal")
    var asked = Judgement.ruling(.aliveHost, .violated, 4, probe: "unicast")
    asked.evidence = (1...5).map { (number: Int) -> ProbeMessage in
      ProbeMessage(
        time: .zero + .seconds(Int64(number)), isSent: number == 1, peer: Endpoint(root.source, port: 1_900),
        port: 50_000, bytes: [UInt8(64 + number)])
    }
    judgement.rows[5].probe = asked
    return (report, judgement)
  }

  @Test("a page has each fact of a device, what was not asked, and findings by rank with four messages each")
  func page() {
    let (report, judgement) = made()
    func breach(_ clause: ClauseID, _ entry: Int, _ source: String) -> [String] {
      let head = "✘ \(clause.clause.id) (\(clause.clause.levelText))  \(source)"
      return ["", head, reference(clause), "    expected  e\(entry)", "    found     f\(entry)", remedy(clause)]
    }
    func doubt(_ clause: ClauseID, _ entry: Int) -> [String] {
      let head = "? \(clause.clause.id) (\(clause.clause.levelText))  heard at \(entry).000 s"
      return ["", head, reference(clause), "    unsure    w\(entry)"]
    }
    let head = [
      "uuid:a  10.0.0.1 on eth0", "  no SERVER, judged by UDA 1.1",
      "  1 message, 1 embedded, max-age 0, SEARCHPORT 1901, no LOCATION",
      "✘ it left with byebye at 2.000 s; what was asked after that is not judged", "",
    ]
    let blanks = String(repeating: " ", count: 36)
    let table = [
      "  probe             asked  answers  waits               what ought to come",
      "✓ search-all            1       10  0.500 s             " + DeviceProbe.searchAll.gist,
      "✘ other-start-line     10      100  100.000 to 1000.000 s " + DeviceProbe.otherStartLine.gist + " — odd",
      "· renewal           " + blanks + DeviceProbe.renewal.gist + " — why",
      "  not asked: mx-zero, mx-huge",
    ]
    let evidence = [
      "     1.000 s > 10.0.0.1:1900  A", "     2.000 s < 10.0.0.1:1900  B", "     3.000 s < 10.0.0.1:1900  C",
      "     4.000 s < 10.0.0.1:1900  D",
    ]
    let breaches =
      breach(.aliveHost, 3, "heard at 3.000 s") + breach(.aliveHost, 4, "asked by unicast") + evidence
      + breach(.ttlEscape, 0, "heard at 0.000 s") + breach(.ntVersion, 1, "heard at 1.000 s, 3 times")
    let doubts =
      doubt(.aliveMaxAge, 2) + doubt(.aliveHost, 5) + doubt(.aliveHost, 6) + doubt(.aliveMaxAgeFloor, 0)
    let end = [
      "", "2 clauses held, 3 broken, 2 open, 2 not exercised",
      "7 searches in 5 s: 1 broken must, 0 broken shoulds, 2 other",
    ]
    expectEqual(
      ExamText(report, judgement, interface: "eth0").lines, head + table + breaches + doubts + end)
    let lines = ExamLines.lines(report, judgement, input: "e")
    func ids(_ probe: DeviceProbe) -> String {
      "\"clauses\":[" + probe.clauses.map { "\"\($0.clause.id)\"" }.joined(separator: ",") + "],"
    }
    let start = #"{"schema":"rollcall/1","kind":"#
    let examined: String =
      #""examined","input":"e","device":"uuid:a","parts":["uuid:b"],"source":"10.0.0.1","location":"","#
      + #""uda":"1.1","maxAge":0,"messages":["upnp:rootdevice"],"searches":7,"seconds":"5.000000000","#
      + #""presence":"left","presenceText":"it left with byebye at 2.000 s"}"#
    let first: String =
      #""probe","input":"e","probe":"search-all","verdict":"held","# + ids(.searchAll)
      + #""asked":1,"answered":0,"answers":10,"shortestWait":"0.500000000","longestWait":"0.500000000"}"#
    let second: String =
      #""probe","input":"e","probe":"other-start-line","verdict":"violated","# + ids(.otherStartLine)
      + #""asked":10,"answered":0,"answers":100,"shortestWait":"100.000000000","longestWait":"1000.000000000","#
      + #""remark":"odd"}"#
    expectEqual(Array(lines.prefix(3)), [start + examined, start + first, start + second])
    var lasting = report
    lasting.subject.root.maxAgeSeconds = -1
    #expect(!ExamLines.lines(lasting, judgement, input: "e")[0].contains("maxAge"))
    expectEqual(
      ExamText(lasting, judgement, interface: "eth0").lines[2],
      "  1 message, 1 embedded, SEARCHPORT 1901, no LOCATION")
  }

  @Test("a probe without a verdict says why: it was not seen, or no clause binds the device")
  func doubt() throws {
    let result = ExamBench(
      plan: DeviceExamPlan(probes: [.renewal, .mxMissing, .versionLower], patience: .seconds(1)),
      description: Profile.mediaServer.description, quirks: [.relaxedSearch]
    ).run()
    let (report, judgement) = (try #require(result.report), try #require(result.judgement))
    let lines = ExamText(report, judgement, interface: "eth0").lines
    let rows = lines.filter { $0.hasPrefix("? ") || $0.hasPrefix("· ") }
    expectEqual(
      rows.map { $0.split(separator: " ", maxSplits: 2).prefix(2).joined(separator: " ") },
      [
        "· version-lower", "· mx-missing", "? renewal",
      ])
    #expect(rows[0].hasSuffix("— no type has a version above 1"))
    #expect(rows[1].hasSuffix("multicast without MX meets silence — no clause binds it under UDA 1.0"))
    #expect(rows[2].contains("— not seen within "))
    expectEqual(lines.last?.hasSuffix("0 broken musts, 0 broken shoulds, 0 other"), true)
  }

  @Test("as JSON lines: who, each probe, each finding with its evidence, the tallies")
  func json() throws {
    let (report, judgement) = try result()
    let lines = ExamLines.lines(report, judgement, input: "examine/eth0")
    let head = #"{"schema":"rollcall/1","kind":"#
    expectEqual(lines.count, 9)
    #expect(
      lines[0] == head
        + #""examined","input":"examine/eth0","device":"uuid:2fac1234-31f8-11b4-a222-08002b34c003","parts":[],"#
        + #""source":"192.168.1.10","location":"http://192.168.1.10:49152/description.xml","#
        + #""server":"Linux/6.6 UPnP/2.0 Rollcall/1.0","uda":"2.0","maxAge":1800,"#
        + #""messages":["urn:schemas-upnp-org:device:Basic:1","urn:rollcall-example:service:Presence:1","#
        + #""uuid:2fac1234-31f8-11b4-a222-08002b34c003","upnp:rootdevice"],"searches":13,"seconds":"11.002234669","presence":"present"}"#
    )
    expectEqual(
      lines[4],
      head
        + #""probe","input":"examine/eth0","probe":"version-higher","verdict":"held","#
        + #""clauses":["UDA-1.3.3-ST-HIGHER"],"asked":4,"answered":0,"answers":0}"#)
    expectEqual(
      lines[5],
      head
        + #""probe","input":"examine/eth0","probe":"mx-missing","verdict":"violated","#
        + #""clauses":["UDA-1.3.3-MX-MISSING"],"asked":2,"answered":2,"answers":2,"shortestWait":"0.630226545","#
        + #""longestWait":"0.865929908"}"#)
    #expect(
      lines[7] == head
        + #""finding","input":"examine/eth0","clause":"UDA-1.3.3-MX-MISSING","level":"must","severity":"risks","#
        + #""party":"192.168.1.10","role":"device","uda":"2.0","verdict":"violated","entry":23,"#
        + #""time":"26.434239627","expected":"silence to a multicast search without MX","#
        + #""found":"an answer after 0.865 s to ST: upnp:rootdevice, no MX; 2 of 2 were answered","strength":"must","#
        + #""grade":"error","costs":"some peers will stumble","place":"UDA 1.1, section 1.3.3","#
        + #""remedy":"Drop a multicast search without MX.","probe":"mx-missing","evidence":[{"time":"25.568309719","direction":"sent","#
        + #""peer":"239.255.255.250:1900","port":55632,"bytes":"M-SEARCH * HTTP/1.1\\r\\nHOST: 239.255.255.250:1900"#
        + #"\\r\\nMAN: \"ssdp:discover\"\\r\\nST: upnp:rootdevice\\r\\nUSER-AGENT: Linux/1 UPnP/2.0 rollcall/0\\r\\n"#
        + #"CPFN.UPNP.ORG: Rollcall\\r\\n\\r\\n"},{"time":"26.434239627","direction":"heard","#
        + #""peer":"192.168.1.10:1900","port":55632,"bytes":"HTTP/1.1 200 OK\\r\\nCACHE-CONTROL: max-age=1800\\r\\n"#
        + #"DATE: Mon, 01 Jan 2024 00:00:26 GMT\\r\\nEXT:\\r\\nLOCATION: http://192.168.1.10:49152/description.xml"#
        + #"\\r\\nSERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\\r\\nST: upnp:rootdevice\\r\\n"#
        + #"USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::upnp:rootdevice\\r\\nBOOTID.UPNP.ORG: 1\\r\\n"#
        + #"CONFIGID.UPNP.ORG: 1\\r\\n\\r\\n"}]}"#)
    #expect(
      lines[8].contains(
        #""UDA-1.3.3-MX-MISSING":{"held":0,"violated":1,"inconclusive":0,"notExercised":0}"#))
    #expect(
      lines[8].contains(#""UDA-1.3.3-ST-HIGHER":{"held":1,"violated":0,"inconclusive":0,"notExercised":0}"#))
  }

  @Test("as JUnit and SARIF the clause that was asked for is a case and a result like any other")
  func reports() throws {
    let (_, judgement) = try result()
    let judged = JudgedInput(path: "examine/eth0", judgement: judgement, isTrace: true)
    #expect(judged.isBroken(isStrict: false))
    let suites = JudgementResults.suites([judged], isStrict: false)
    let junit = JUnitDocument(suites).text
    #expect(
      junit.hasPrefix(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"83\" failures=\"1\" errors=\"0\" time=\"0.000\">"
      ))
    #expect(
      junit.contains(
        "<failure message=\"192.168.1.10, device, at entry 23: expected silence to a multicast search without MX; "
          + "found an answer after 0.865 s to ST: upnp:rootdevice, no MX; 2 of 2 were answered\" type=\"must\">"))
    let name = "UDA-1.3.3-ST-ALL ssdp:all is answered once for each message of the set"
    #expect(
      junit.contains("<testcase name=\"\(name)\" classname=\"examine/eth0\" time=\"0.000\" file=\"examine/eth0\"/>"))
    let sarif = SARIFDocument.text(suites, version: "0")
    #expect(sarif.contains(#""results":[{"ruleId":"UDA-1.3.3-MX-MISSING","ruleIndex":0,"level":"error""#))
  }

  @Test("clauses tells which of them asking judges, and how to ask")
  func clauses() throws {
    let clause = try #require(Clause.named("UDA-1-LISTEN-UC"))
    expectEqual(
      ClauseText.line(clause),
      "UDA-1-LISTEN-UC          must      1.1+ by examine        hears unicast searches on port 1900 or on the "
        + "SEARCHPORT that it announced")
    expectEqual(ClauseText.explanation(of: clause).last, "  asked     rollcall examine device -i IFACE --only unicast")
    expectEqual(
      ClauseText.whyNotInCaptures(clause),
      ["not judged: takes a unicast search of our own; a captured one without an answer may have been lost"])
    expectEqual(ClauseText.whyNotInCaptures(ClauseID.aliveHost.clause), [])
    // What every answer is held against has no probe of its own.
    let held = DeviceProbe.answerClauses.map(\.clause).filter { $0.probes.isEmpty }
    #expect(!held.isEmpty)
    for clause in held {
      #expect(ClauseText.explanation(of: clause).contains("  asked     rollcall examine device -i IFACE"))
    }
    #expect(
      JudgementLines.json(clause).contains(
        #""status":"needs-probe","examine":["device"],"reason":"takes a unicast search of our own;"#))
    let total = ClauseText.summary[0].split(separator: " ").compactMap { Int($0) }
    expectEqual(total.dropFirst().reduce(0, +), total[0])
  }
}
