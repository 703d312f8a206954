import RollcallConformance
import RollcallDevices
import Foundation
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import Testing
import RollcallTrace

@Suite("What a judgement prints")
struct OutputTests {
  private var judgement: Judgement {
    Said.judged([.alive(["HOST": nil]), .alive(["HOST": nil]), .search(["MX": "10"]), .alive(["BOOTID.UPNP.ORG": "0"])])
  }

  private func text(_ inputs: [JudgedInput], _ format: ResultFormat, isStrict: Bool = false) -> String {
    format.text(JudgementResults.suites(inputs, isStrict: isStrict), version: "1")
  }

  @Test("a finding is a JSON line with clause, level, party, frame, time, expected and found")
  func json() throws {
    let row = try #require(judgement.rows.first)
    expectEqual(
      JudgementLines.json(row, input: "a.pcap", isTrace: false),
      "{\"schema\":\"rollcall/1\",\"kind\":\"finding\",\"input\":\"a.pcap\",\"clause\":\"UDA-1.2.2-A-HOST\","
        + "\"level\":\"must\",\"severity\":\"risks\",\"party\":\"192.168.1.10\",\"role\":\"device\",\"uda\":\"2.0\","
        + "\"device\":\"uuid:2fac1234-31f8-11b4-a222-08002b34c003\",\"verdict\":\"violated\",\"frame\":1,"
        + "\"time\":\"1700000000.000000000\",\"count\":2,\"lastFrame\":2,"
        + "\"expected\":\"HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port\","
        + "\"found\":\"nothing\",\"strength\":\"must\",\"grade\":\"error\",\"costs\":\"some peers will stumble\","
        + "\"place\":\"UDA 2.0, section 1.2.2\","
        + "\"remedy\":\"Write HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port.\"}")
    // What belongs to no frame has none.
    var late = row
    late.finding.position = 0
    expectEqual(
      JudgementLines.json(late, input: "a.pcap", isTrace: false),
      JudgementLines.json(row, input: "a.pcap", isTrace: false).replacing(#""frame":1,"#, with: #""frame":null,"#))
    var narrow = judgement
    (narrow.judged, narrow.unreadableCount, narrow.cutCount) = ([.aliveHost], 5, 6)
    expectEqual(
      JudgementLines.summary(narrow, input: "a.pcap"),
      #"{"schema":"rollcall/1","kind":"summary","input":"a.pcap","messages":4,"unreadable":5,"cut":6,"parties":2,"#
        + #""clauses":{"UDA-1.2.2-A-HOST":{"held":1,"violated":2,"inconclusive":0,"notExercised":0}},"problems":[]}"#)
    let text = JudgementLines.summary(judgement, input: "a.pcap")
    let summary = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let clauses = try #require(summary["clauses"] as? [String: [String: Int]])
    expectEqual(clauses["UDA-1.2.2-A-HOST"], ["held": 1, "violated": 2, "inconclusive": 0, "notExercised": 0])
    expectEqual(clauses["UDA-1.3.2-MAN"], ["held": 1, "violated": 0, "inconclusive": 0, "notExercised": 0])
    expectEqual(clauses["UDA-1.2.3-BB-FIELDS"], ["held": 0, "violated": 0, "inconclusive": 0, "notExercised": 1])
  }

  @Test("a judgement of no messages, and one of no clause that applies, is vacuous in every format")
  func vacuous() throws {
    let nobody = JudgedInput(path: "a.pcap", judgement: Said.judged([]), isTrace: false)
    #expect(nobody.outcome(isStrict: false) == .vacuous && nobody.outcome(isStrict: true) == .vacuous)
    #expect(nobody.isBroken(isStrict: false))
    expectEqual(nobody.vacuity, "nothing was judged: no message came by")
    #expect(
      JudgementLines.summary(nobody.judgement, input: "a.pcap", outcome: nobody.outcome(isStrict: false))
        .hasPrefix(
          "{\"schema\":\"rollcall/1\",\"kind\":\"summary\",\"input\":\"a.pcap\",\"outcome\":\"vacuous\",\"messages\":0,"
        ))
    #expect(
      text([nobody], .junit).contains(
        "<failure message=\"nothing was judged: no message came by\" type=\"vacuous\"/>"))
    #expect(
      text([nobody], .sarif).contains(
        "\"toolExecutionNotifications\":[{\"level\":\"error\",\"message\":{\"text\":\"a.pcap: nothing was judged"))
    var expected = nobody
    expected.differences = []
    expectEqual(expected.outcome(isStrict: false), .vacuous)
    let somebody = JudgedInput(path: "a.pcap", judgement: Said.judged([.alive()]), isTrace: false)
    #expect(somebody.vacuity == nil && somebody.outcome(isStrict: false) == .passed)
  }

  @Test("every clause says where it stands, and what to do about a breach, in one sentence of its own")
  func advice() throws {
    var remedies: [String] = []
    for clause in Clause.catalogue {
      #expect(clause.remedy.hasSuffix("."), "\(clause.id)")
      #expect(!remedies.contains(clause.remedy), "\(clause.id)")
      remedies.append(clause.remedy)
      // The narrowest column of ids.
      #expect(clause.id.count < 25, "\(clause.id)")
      if let section = clause.section { #expect(!section.subject.isEmpty, "\(clause.id)") }
      expectEqual((clause.section == nil), !clause.id.hasPrefix("UDA-") && !clause.id.hasPrefix("MD-"))
      expectEqual(
        ClauseText.explanation(of: clause).filter { $0.hasPrefix("  stands ") || $0.hasPrefix("  remedy ") }.count, 2)
    }
    expectEqual(
      Clause.named("UDA-1.2.2-A-CC-1800").map(ClauseText.explanation),
      [
        "UDA-1.2.2-A-CC-1800", "  max-age is at least 1800 seconds, and the same for the whole set",
        "  stands    UDA 2.0, section 1.2.2: announcing a device, ssdp:alive",
        "  binds     a device, under every version of UDA", "  level     should; where it is broken, untidy",
        "  evidence  UDA 2.0", "  seen      in a capture", "  status    checked",
        "  remedy    Use max-age=1800 or more, the same in all messages of the set.",
      ])
    let twice = try #require(Clause.named("H-MD-TWICE"))
    expectEqual(twice.place, "a rule of Rollcall, not of RFC 6762")
    #expect(ClauseText.explanation(of: twice).contains("  evidence  a rule of Rollcall, not of RFC 6762"))
    expectEqual(Clause.named("UDA-A-NLS")?.place, "UDA 1.1, annex A")
    expectEqual(Clause.named("H-TTL-ESCAPE")?.place, "a rule of Rollcall, not of UDA")
    expectEqual(Clause.named("UDA-0-AUTOIP")?.place, "UDA, from memory, chapter 0")
    // As JSON lines: what binds whom, since when, on what it rests, and what to do.
    let ids = ["UDA-A-NLS", "MD-01", "UDA-0-AUTOIP", "H-TTL-ESCAPE", "UDA-1-LISTEN-UC"]
    expectEqual(
      ids.compactMap { Clause.named($0).map { JudgementLines.json($0) } },
      #"""
      {"schema":"rollcall/1","kind":"clause","id":"UDA-A-NLS","binds":"device","level":"should","since":"1.1","until":"1.1","observed":["passive"],"severity":"lint","evidence":["UDA 1.1"],"normative":true,"status":"checked","gist":"OPT and 01-NLS go with BOOTID over IPv6","document":"UDA 1.1","section":"A","strength":"should","grade":"warning","costs":"untidy","place":"UDA 1.1, annex A","remedy":"Write OPT and 01-NLS beside BOOTID over IPv6."}
      {"schema":"rollcall/1","kind":"clause","id":"MD-01","binds":"either","level":"must","since":"RFC 6762","observed":["passive"],"severity":"breaks","evidence":["RFC 6762"],"test":"all find all, over both families, in messages that can be read and have TTL 255 (MD-01) (MD-02)","normative":true,"status":"checked","gist":"Multicast goes to 224.0.0.251 or FF02::FB, port 5353, and responses leave from port 5353","document":"RFC 6762","section":"5.2","strength":"must","grade":"error","costs":"discovery fails","place":"RFC 6762, section 5.2","remedy":"Send from a socket that is bound to port 5353, to the group of the family."}
      {"schema":"rollcall/1","kind":"clause","id":"UDA-0-AUTOIP","binds":"device","level":"hardening","since":"1.0","observed":["simulation"],"severity":"risks","evidence":["memory"],"normative":false,"status":"untestable","reason":"addressing lies below discovery, DHCP and ARP are not read here","gist":"without DHCP takes a probed address of 169.254/16 and goes on asking for DHCP","document":"UDA, from memory","section":"0","strength":"from memory, not normative","grade":"note","costs":"some peers will stumble","place":"UDA, from memory, chapter 0","remedy":"Fall back to 169.254/16 with probing where DHCP does not answer, and go on asking it."}
      {"schema":"rollcall/1","kind":"clause","id":"H-TTL-ESCAPE","binds":"either","level":"hardening","since":"1.0","observed":["passive"],"severity":"lint","evidence":["ours"],"normative":false,"status":"checked","gist":"multicast with TTL above 4, or a search with 64 or 255, leaks beyond the site","document":"a rule of Rollcall, not of UDA","section":null,"strength":"hardening","grade":"note","costs":"untidy","place":"a rule of Rollcall, not of UDA","remedy":"Set IP_MULTICAST_TTL to 2; a system's default for unicast, 64, is far too much."}
      {"schema":"rollcall/1","kind":"clause","id":"UDA-1-LISTEN-UC","binds":"device","level":"must","since":"1.1","observed":["probe"],"severity":"harms","evidence":["UDA 2.0"],"normative":true,"status":"needs-probe","examine":["device"],"reason":"takes a unicast search of our own; a captured one without an answer may have been lost","gist":"hears unicast searches on port 1900 or on the SEARCHPORT that it announced","document":"UDA 2.0","section":"1","strength":"must","grade":"error","costs":"a device is found wrongly, late, or lost","place":"UDA 2.0, chapter 1","remedy":"Bind a socket to port 1900, or to the SEARCHPORT that you announce, and answer there."}
      """#.split(separator: "\n").map(String.init))
  }

  @Test("a finding for people names what the clause asks for and the remedy, once for each clause")
  func adviceInText() {
    let lines = JudgementText(
      Said.judged([
        .alive(["HOST": nil]), .alive(["HOST": nil]).with { $0.from = Endpoint(IPAddress(10, 0, 0, 1), port: 1) },
      ]),
      isTrace: false
    ).lines.filter { $0.hasPrefix("✘ UDA-1.2.2-A-HOST ") || $0.hasPrefix("    clause ") || $0.hasPrefix("    remedy ") }
    expectEqual(lines.filter { $0.hasPrefix("✘") }.count, 2)
    expectEqual(
      lines.prefix(3).dropFirst(),
      [
        "    clause    alive has HOST with the group and port 1900 (UDA 2.0, section 1.2.2)",
        "    remedy    Write HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port.",
      ])
    expectEqual(lines.filter { $0.contains("(UDA 2.0, section 1.2.2)") && $0.contains("has HOST") }.count, 1)
  }

  @Test("the matrix fits one screen, however many parties and clauses there are")
  func matrix() {
    let crowd = (0..<200).map { number in
      Said.alive(["HOST": nil, "LOCATION": "here", "SERVER": "x"]).with {
        $0.from = Endpoint(IPAddress(10, 0, 0, UInt8(number)), port: 1_900)
      }
    }
    let lines = JudgementText(Said.judged(crowd), isTrace: false).lines
    let matrix = lines.prefix { !$0.hasPrefix("✘") }
    #expect(matrix.count <= JudgementText.rowsMaximum + JudgementText.columnsMaximum + 4)
    #expect(matrix.allSatisfy { $0.count <= 160 })
    #expect(matrix.contains("  and 184 parties more"))
  }

  @Test("expected findings are read back as they were written; one more and one less are both told")
  func expected() throws {
    let lines = ExpectedFindings.lines(judgement)
    expectEqual(lines.count, 2)
    let file = try ExpectedFindings("# reviewed\n\n" + lines.joined(separator: "\n") + "\n")
    expectEqual(file.differences(judgement), [])
    let edited = try ExpectedFindings("# reviewed\r\n\r\n" + lines.joined(separator: "\r\n") + "\r\n")
    expectEqual(edited.differences(judgement), [])
    let quiet = Said.judged([.alive()])
    expectEqual(
      file.differences(quiet), [.passed(line: 3, lines[0]), .passed(line: 4, lines[1])])
    let less = try ExpectedFindings(lines[1])
    expectEqual(less.differences(judgement), [.unexpected(lines[0])])
    // Lines about clauses that were not wanted are left out; one of a protocol that nobody spoke did not occur.
    let other = "{\"clause\":\"MD-49\",\"party\":\"a\",\"role\":\"device\",\"found\":\"b\"}"
    let more = try ExpectedFindings((lines + [other]).joined(separator: "\n"))
    expectEqual(more.differences(judgement), [.passed(line: 3, other)])
    expectEqual(more.differences(judgement) { $0.begins(withOneOf: ["UDA"]) }, [])
    expectEqual(more.differences(quiet) { $0.begins(withOneOf: ["MD"]) }, [.passed(line: 3, other)])
  }

  @Test(
    "a line that is no expected finding is refused with its number and what was expected",
    arguments: [
      ("{\"clause\":1}", "the fields clause, party, role and found"),
      ("[]", "one JSON object with clause, party, role and found"),
      (
        "{\"clause\":\"UDA-1.1-GENERI\",\"party\":\"a\",\"role\":\"device\",\"found\":\"b\"}",
        "a clause; the nearest to UDA-1.1-GENERI is UDA-1.1-GENERIC"
      ),
    ])
  func refused(line: String, expected: String) {
    #expect(throws: ExpectedFindings.Failure(line: 2, expected: expected)) { try ExpectedFindings("#\n" + line) }
  }

  @Test("quotes, control bytes and backslashes in a finding come back from the file as they were")
  func escapes() throws {
    let odd = Said.judged([.alive(["HOST": "\"a\\\u{1}\u{7F}é"])])
    let file = try ExpectedFindings(ExpectedFindings.lines(odd).joined(separator: "\n"))
    expectEqual(file.differences(odd), [])
  }

  @Test("SARIF has a rule for each broken clause and a result for each breach, errors for musts only")
  func sarif() throws {
    let input = JudgedInput(path: "a b.pcap", judgement: judgement, isTrace: false)
    let text = self.text([input], .sarif)
    let document = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["version"] as? String == "2.1.0")
    let run = try #require((document["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    expectEqual(results.map { $0["ruleId"] as? String }, ["UDA-1.2.2-A-HOST", "UDA-1.3.2-MX-MAX5"])
    expectEqual(results.map { $0["level"] as? String }, ["error", "warning"])
    #expect(text.contains("\"uri\":\"a%20b.pcap\""))
    let driver = ((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    let rule = try #require((driver?["rules"] as? [[String: Any]])?.first)
    #expect(
      rule["help"] as? [String: String] == [
        "text": "Write HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port."
      ])
    #expect(
      rule["properties"] as? [String: String] == [
        "severity": "risks", "strength": "must", "costs": "some peers will stumble", "place": "UDA 2.0, section 1.2.2",
      ])
    let strict = self.text([input], .sarif, isStrict: true)
    #expect(!strict.contains("\"level\":\"warning\""))
  }

  @Test("JUnit has a case for each clause that is judged, and fails for a should only when strict")
  func junit() {
    let input = JudgedInput(path: "a.pcap", judgement: judgement, isTrace: false)
    let count = judgement.judged.count
    #expect(text([input], .junit).contains("<testsuites tests=\"\(count)\" failures=\"1\""))
    #expect(text([input], .junit, isStrict: true).contains("<testsuites tests=\"\(count)\" failures=\"2\""))
    var reviewed = input
    reviewed.differences = [.unexpected("x")]
    let document = text([reviewed], .junit, isStrict: true)
    #expect(document.contains("<testsuites tests=\"\(count + 1)\" failures=\"1\""))
  }

  @Test("the nearest ids are offered for one that is none")
  func nearest() {
    expectEqual(Clause.named("uda-1.1-generic")?.id, "UDA-1.1-GENERIC")
    expectEqual(Clause.nearest(to: "fold", count: 1), ["UDA-1.1.2-FOLD"])
    expectEqual(Clause.nearest(to: "UDA-1.3.2-MX-MAX", count: 1), ["UDA-1.3.2-MX-MAX5"])
  }

  @Test("the trace of a run and its text are judged alike, entry by entry")
  func traces() throws {
    var stand = Stand.eventful
    stand.quirks = [.noHost, .lfInServer]
    let entries = stand.trace
    let text = entries.map { entry in TraceText.line(entry) { stand.hosts[Int($0)] } }.joined(separator: "\n")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString).trace")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let read = try JudgeInput.judge(file.path)
    #expect(read.isTrace)
    let direct = TraceHearing.judgement(entries, hosts: stand.hosts)
    func lines(_ judgement: Judgement) -> [String] {
      judgement.rows.map { JudgementLines.json($0, input: "run", isTrace: true) }
    }
    #expect(lines(direct).count > 3)
    expectEqual(lines(read.judgement), lines(direct))
    expectEqual(JudgementLines.summary(read.judgement, input: "x"), JudgementLines.summary(direct, input: "x"))
    // Another program may have written it anew with CR LF.
    let bytes: [UInt8] = text.utf8.flatMap { (byte: UInt8) -> [UInt8] in byte == 10 ? [13, 10] : [byte] }
    try Data(bytes).write(to: file)
    let anew = try JudgeInput.judge(file.path)
    #expect(anew.isTrace)
    expectEqual(lines(anew.judgement), lines(direct))
    // An entry has the number of its line, and what nobody wants is not judged.
    let gapped = text.replacing("\n", with: "\n\n", maxReplacements: 1)
    try Data(gapped.utf8).write(to: file)
    let places = try JudgeInput.judge(file.path, wanted: { $0.number == .aliveHost }).judgement
    expectEqual(places.judged, [.aliveHost])
    let rows = direct.rows.map(\.finding).filter { $0.clause == .aliveHost }
    expectEqual(
      places.rows.map { [$0.finding.position, $0.finding.lastPosition] },
      rows.map { row in [row.position, row.lastPosition].map { $0 > 1 ? $0 + 1 : $0 } })
    #expect(!rows.isEmpty)
  }

  @Test("a line that is none of a trace is refused with line and column")
  func brokenTrace() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString).trace")
    try Data("0.000000000 tv < wake\n0.5 tv > 10.0.0.1:1900 -> here if0 ttl4 x\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect {
      try JudgeInput.judge(file.path)
    } throws: { error in
      "\(error)" == "\(file.path):2:1: expected a time in seconds with nine decimals"
    }
  }
}
