import RollcallConformance
import RollcallExaminers
import RollcallDevices
import RollcallExpectations
import RollcallExplaining
import RollcallJudging
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import Testing

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
