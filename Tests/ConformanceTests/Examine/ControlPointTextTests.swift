import RollcallConformance
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import Testing

@testable import RollcallExaminers
@testable import RollcallJudging

@Suite("What is said of an examined control point")
struct ControlPointTextTests {
  private let setting = Examined.setting([.nameCase, .noUSN, .redirects, .byebye])
  private var result: ControlPointResult {
    Examined.run(setting) { ToyControlPoint([.namelessTaken]) }.result()
  }

  @Test("before anything is sent: how many packets, how long, to whom, from where, and what it starts")
  func plan() {
    expectEqual(
      ControlPointText.plan(setting, interface: "eth0", command: "toy -i eth0"),
      #"""
      sends at most 131 packets in at most 178 s, from 10.77.1.10:50902 on eth0, to the first control point that searches and to the group, TTL 2
        run 1  at most 32 packets  answers to its search: 1 probe
        run 2  at most 36 packets  answers to its search: 2 probes
        run 3  at most 15 packets  announcements: 1 probe
        run 4  at most 21 packets  announcements: 2 probes
        run 5  at most 27 packets  stories of several announcements: 1 probe
        what fails is put once more, alone: if all of it did, at most 336 packets in 510 s
      at the end every bait says byebye
      descriptions are served at 10.77.1.10:50900
      each run starts and ends: toy -i eth0
      """#.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    expectEqual(
      ControlPointText.probes(Examined.setting([.nameCase, .byebye])),
      [
        "  name-case         UDA-1.1.2-NAMECASE        field names in mixed case",
        "  byebye            -                         a set, then its byebyes",
      ])
    var bounded = setting
    bounded.duration = .seconds(20)
    expectEqual(ControlPointPlan(bounded).seconds, 20)
    (bounded.examined, bounded.repeats) = (IPAddress(10, 0, 0, 9), 0)
    let lines = ControlPointText.plan(bounded, interface: "eth0", command: nil)
    #expect(lines[0].hasSuffix(" on eth0, to 10.0.0.9 and to the group, TTL 2"), "\(lines[0])")
    #expect(!lines.contains { $0.contains("what fails") })
    expectEqual(lines.last, "descriptions are served at 10.77.1.10:50900")
  }

  @Test("afterwards: who it was, a line for each probe, what was found with its bytes, what listening adds")
  func text() {
    expectEqual(
      ControlPointText.lines(result, command: "toy -i eth0", isRecorded: true),
      #"""
      control point 10.77.1.20, toy/1 UPnP/1.1 toy/1, claims UDA 1.1
        searched for urn:schemas-upnp-org:device:Basic:1, MX 1, 10 datagrams from port 40000
        5 starts of toy -i eth0

        ✓ name-case         UDA-1.1.2-NAMECASE        must      taken (answer, announcement) [fetched]
        ✘ no-usn            UDA-1.1.5-DISCARD         should    taken (answer, announcement) [fetched]
        ✓ redirects         H-CP-FETCH                hardening asked 1 time (answer, announcement) [fetched]
        ✓ byebye            -                         hardening gone 0.00 s after its byebye [listed in its output]

      ✘ UDA-1.1.5-DISCARD (should)  no-usn: no USN, put twice
          clause    a malformed message is dropped in silence (UDA 2.0, section 1.1.5)
          expected  a message without USN names no device
          found     taken (answer, announcement) [fetched]
          remedy    Drop a malformed message without an answer; count it for yourself.
          5.721 s  sent 10.77.1.10:50902 -> 10.77.1.20:40000, frame 8
              HTTP/1.1 200 OK
              CACHE-CONTROL: max-age=1800
              EXT:
              LOCATION: http://10.77.1.10:50900/b/000000000004.xml
              SERVER: Linux/6.1 UPnP/1.1 Lamp/1.0
              ST: urn:schemas-upnp-org:device:Basic:1
              BOOTID.UPNP.ORG: 1
              CONFIGID.UPNP.ORG: 1
          5.721 s  asked for
              GET /b/000000000004.xml from 10.77.1.20
          10.723 s  sent 10.77.1.10:50902 -> 239.255.255.250:1900, frame 25
              NOTIFY * HTTP/1.1
              HOST: 239.255.255.250:1900
              CACHE-CONTROL: max-age=1800
              LOCATION: http://10.77.1.10:50900/b/00000000000d.xml
              NT: urn:schemas-upnp-org:device:Basic:1
              NTS: ssdp:alive
              SERVER: Linux/6.1 UPnP/1.1 Lamp/1.0
              BOOTID.UPNP.ORG: 1
              CONFIGID.UPNP.ORG: 1
          10.723 s  asked for
              GET /b/00000000000d.xml from 10.77.1.20

      by listening: 10 messages, 12 clauses held

      4 probes: 3 held, 1 violated; with listening 0 breaches of a must, 1 of a should
      """#.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }

  /// What came of an examination, made by hand: thirteen searches, nine others, every verdict but one that holds.
  private var made: ControlPointResult {
    func row(_ probe: ControlPointProbe, _ verdict: ControlPointRow.Verdict, _ found: String) -> ControlPointRow {
      ControlPointRow(
        probe: probe, clause: nil, verdict: verdict, expected: "e", found: found, asked: 1, ways: [.answer],
        evidence: nil, records: [])
    }
    var rows = [
      row(.nameCase, .violated, "f"), row(.noServer, .inconclusive, "g"), row(.newLocation, .notBound, "h"),
    ]
    rows[0].clause = ClauseID.nameCase.clause
    rows[0].asked = 3
    rows[0].evidence = .fetched
    rows[0].records = [
      ControlPointRecord(time: .zero + .seconds(1), position: 1, what: "sent a", text: "A"),
      ControlPointRecord(time: .zero + .seconds(2), position: 0, what: "output", text: "B"),
    ]
    // Seven names with their commas: of the first reason 97 letters, of the second 96.
    rows += ControlPointProbe.allCases[5...11].map { row($0, .notObservable, "one") }
    rows += ControlPointProbe.allCases[4...10].map { row($0, .notObservable, "two") }
    let searches = (1...13).map { (number: Int) -> ControlPointResult.Search in
      ControlPointResult.Search(target: "t\(number)", maximumWaitSeconds: 1, copies: 1, ports: [40_000])
    }
    return ControlPointResult(
      setting: Examined.setting([.nameCase]), examined: IPAddress(10, 0, 0, 9),
      others: (1...9).map { IPAddress(10, 0, 1, UInt8($0)) }, rows: rows, judgement: .mixed(of: .controlPoint),
      listened: .mixed(of: .controlPoint), starts: 5, lineCount: 0, searches: searches, sentCount: 1, heardCount: 2)
  }

  /// What is told of `made`.
  private func madeText(isRecorded: Bool) -> [String] {
    func head(_ clause: ClauseID, _ mark: String, _ frame: Int, often: String = "") -> [String] {
      let place = isRecorded && frame > 0 ? "frame \(frame)" : "at \(frame).000 s"
      return ["\(mark) \(clause.clause.id) (\(clause.clause.levelText))  \(place)\(often)", reference(clause)]
    }
    func breach(_ clause: ClauseID, _ frame: Int, often: String = "") -> [String] {
      let found = ["    expected  e\(frame)", "    found     f\(frame)", remedy(clause)]
      return head(clause, "✘", frame, often: often) + found
    }
    func doubt(_ clause: ClauseID, _ frame: Int) -> [String] {
      head(clause, "?", frame) + ["    unsure    w\(frame)"]
    }
    let others: [String] = (1...8).map { "10.0.1.\($0)" }
    let searches: [String] = (1...12).map { "  searched for t\($0), MX 1, 1 datagram from port 40000" }
    let who: [String] =
      ["control point 10.0.0.9, no USER-AGENT, claims UDA 1.0"] + searches
      + [
        "  and for 1 targets more", "  5 starts of toy",
        "  others searched and were not examined: " + others.joined(separator: ", "), "",
      ]
    let table = [
      "  ✘ name-case         UDA-1.1.2-NAMECASE        must      f [fetched]",
      "  ? no-server         -                         hardening g",
      "  · new-location      -                         hardening h",
      "  · not observable, since one:",
      "      higher-minor, more-directives, host-without-port, eight-bit, no-server, higher-version,",
      "      higher-st",
      "  · not observable, since two:",
      "      any-uuid, higher-minor, more-directives, host-without-port, eight-bit, no-server, higher-version",
    ]
    let frame = isRecorded ? ", frame 1" : ""
    let findings = [
      "", "✘ UDA-1.1.2-NAMECASE (must)  name-case: field names in mixed case, put 3 times", reference(.nameCase),
      "    expected  e", "    found     f [fetched]", remedy(.nameCase),
      "    1.000 s  sent a\(frame)", "        A", "    2.000 s  output", "        B",
      "", "? no clause (hardening)  no-server: no SERVER, put once", "    expected  e", "    found     g",
      "", "by listening: 0 messages, 2 clauses held",
    ]
    let first = doubt(.aliveMaxAgeFloor, 0) + breach(.ntVersion, 1, often: ", 3 times") + doubt(.aliveMaxAge, 2)
    let second = breach(.aliveHost, 3) + breach(.aliveHost, 4) + doubt(.aliveHost, 5) + doubt(.aliveHost, 6)
    let last: String =
      "17 probes: 1 violated, 1 inconclusive, 14 not observable, 1 not bound; "
      + "with listening 2 breaches of a must, 0 of a should"
    return who + table + findings + first + second + breach(.ttlEscape, 0) + ["", last]
  }

  @Test("what is much is counted, what has one reason is one line, and a frame is named where there is a capture")
  func madeByHand() {
    var result = made
    for isRecorded in [true, false] {
      let lines = ControlPointText.lines(result, command: "toy", isRecorded: isRecorded)
      expectEqual(lines, madeText(isRecorded: isRecorded), "\(isRecorded)")
    }
    result.searches.removeLast()
    result.others = []
    let few = ControlPointText.lines(result, command: nil, isRecorded: true)
    expectEqual(few[12], "  searched for t12, MX 1, 1 datagram from port 40000")
    expectEqual(few[13], "")
    let words: [(words: [String], lines: [String])] = [
      ([], []), (["ab", "cd"], ["ab, cd"]), (["ab", "cde"], ["ab,", "cde"]), (["abcdefgh", "i"], ["abcdefgh,", "i"]),
      (["ab", "cd", "ef", "gh", "i"], ["ab, cd,", "ef, gh,", "i"]),
    ]
    for row in words { expectEqual(ControlPointText.wrapped(row.words, width: 6), row.lines, "\(row.words)") }
    // Nobody was heard.
    (result.examined, result.others) = (nil, [IPAddress(10, 0, 1, 1)])
    (result.searches, result.rows) = (Array(result.searches.prefix(1)), Array(result.rows.prefix(1)))
    let start = #"{"schema":"rollcall/1","kind":"#
    let examined: String =
      #""examined","input":"i","controlPoint":null,"uda":"1.0","#
      + #""searches":[{"target":"t1","mx":1,"datagrams":1,"ports":1}],"others":["10.0.1.1"]}"#
    let probe: String =
      #""probe","input":"i","probe":"name-case","clause":"UDA-1.1.2-NAMECASE","level":"must","role":"controlPoint","#
      + #""verdict":"violated","asked":3,"ways":["answer"],"expected":"e","found":"f","shownBy":"fetched","#
      + #""witnesses":[{"time":"1.000000000","frame":1,"what":"sent a","text":"A"},"#
      + #"{"time":"2.000000000","what":"output","text":"B"}]}"#
    let summary: String =
      #""summary","input":"i","party":null,"starts":5,"datagrams":{"sent":1,"heard":2},"#
      + #""probes":{"held":0,"violated":1,"inconclusive":0,"notObservable":0,"notBound":0},"clauses":"#
    let breaches = #","breaches":{"must":2,"should":0,"may":0,"hardening":1}}"#
    let clauses = JudgementLines.clauses(result.judgement)
    let findings = result.listened.rows.map { JudgementLines.json($0, input: "i", isTrace: false) }
    expectEqual(
      ControlPointLines.lines(result, input: "i"),
      [start + examined, start + probe] + findings + [start + summary + clauses + breaches])
  }

  @Test("of a message twelve lines are shown, without the empty ones, and … stands for those behind them")
  func longMessages() {
    var edited = self.result
    func shown(_ text: String) -> [String] {
      for place in edited.rows.indices where edited.rows[place].verdict == .violated {
        edited.rows[place].records = Array(edited.rows[place].records.prefix(1))
        edited.rows[place].records[0].text = text
      }
      let lines = ControlPointText.lines(edited, command: nil, isRecorded: true)
      return lines.filter { $0.hasPrefix("        ") }.map { String($0.dropFirst(8)) }
    }
    let names: [String] = (1...13).map { "line\($0)" }
    let twelve: [String] = Array(names.prefix(12))
    let end = #"\r\n"#
    expectEqual(shown(twelve.joined(separator: end)), twelve)
    expectEqual(shown(twelve.joined(separator: end) + end + end), twelve)
    expectEqual(shown(names.joined(separator: end)), twelve + ["…"])
    expectEqual(shown(names.joined(separator: end) + end + end), twelve + ["…"])
    expectEqual(shown("a" + end + end + "b" + end), ["a", "b"])
    expectEqual(shown(""), [])
  }

  @Test("as JSON lines: an object for each probe, findings, and a summary")
  func json() throws {
    let lines = ControlPointLines.lines(result, input: "control-point eth0")
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["schema"] as? String == "rollcall/1")
    }
    expectEqual(lines.count, 6)
    #expect(
      lines.map { $0.replacing(/"witnesses":\[.*\]/, with: "W").replacing(/"clauses":{.*}},/, with: "C,") }
        == #"""
        {"schema":"rollcall/1","kind":"examined","input":"control-point eth0","controlPoint":"10.77.1.20","userAgent":"toy/1 UPnP/1.1 toy/1","uda":"1.1","searches":[{"target":"urn:schemas-upnp-org:device:Basic:1","mx":1,"datagrams":10,"ports":1}],"others":[]}
        {"schema":"rollcall/1","kind":"probe","input":"control-point eth0","probe":"name-case","clause":"UDA-1.1.2-NAMECASE","level":"must","party":"10.77.1.20","role":"controlPoint","verdict":"held","asked":2,"ways":["answer","announcement"],"expected":"field names are compared without regard to case","found":"taken (answer, announcement)","shownBy":"fetched",W}
        {"schema":"rollcall/1","kind":"probe","input":"control-point eth0","probe":"no-usn","clause":"UDA-1.1.5-DISCARD","level":"should","party":"10.77.1.20","role":"controlPoint","verdict":"violated","asked":2,"ways":["answer","announcement"],"expected":"a message without USN names no device","found":"taken (answer, announcement)","shownBy":"fetched",W}
        {"schema":"rollcall/1","kind":"probe","input":"control-point eth0","probe":"redirects","clause":"H-CP-FETCH","level":"hardening","party":"10.77.1.20","role":"controlPoint","verdict":"held","asked":2,"ways":["answer","announcement"],"expected":"redirects are followed a bounded number of times (20)","found":"asked 1 time (answer, announcement)","shownBy":"fetched",W}
        {"schema":"rollcall/1","kind":"probe","input":"control-point eth0","probe":"byebye","clause":null,"level":"hardening","party":"10.77.1.20","role":"controlPoint","verdict":"held","asked":1,"ways":["story"],"expected":"a device that says byebye is gone","found":"gone 0.00 s after its byebye","shownBy":"listed in its output",W}
        {"schema":"rollcall/1","kind":"summary","input":"control-point eth0","party":"10.77.1.20","starts":5,"datagrams":{"sent":72,"heard":10},"probes":{"held":3,"violated":1,"inconclusive":0,"notObservable":0,"notBound":0},C,"breaches":{"must":0,"should":1,"may":0,"hardening":0}}
        """#.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }

  @Test("a command is cut into words as a shell would cut it, and nothing else a shell does is done")
  func words() throws {
    try expectEqual(CommandWords.split("upnpc -l"), ["upnpc", "-l"])
    try expectEqual(
      CommandWords.split(" a  'b c' \"d 'e'\" f\\ g '' $HOME | h"),
      [
        "a", "b c", "d 'e'", "f g", "", "$HOME", "|", "h",
      ])
    #expect(throws: CommandWords.Failure.openQuote) { try CommandWords.split("a 'b") }
    #expect(throws: CommandWords.Failure.openQuote) { try CommandWords.split("a \\") }
    #expect(throws: CommandWords.Failure.empty) { try CommandWords.split("  ") }
  }

  @Test("every probe says what it is in few words, and has a name of its own")
  func probes() {
    for probe in ControlPointProbe.allCases {
      #expect(!probe.facts.gist.isEmpty && probe.facts.gist.count < 70)
      #expect(!probe.facts.ways.isEmpty)
      expectEqual(ControlPointProbe.nearest(to: probe.rawValue).first, probe.rawValue)
    }
    expectEqual(ControlPointProbe.nearest(to: "byby").first, "byebye")
    expectEqual(Set(ControlPointProbe.allCases.map(\.rawValue)).count, ControlPointProbe.allCases.count)
  }
}
