import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import Testing

@testable import RollcallJudging

/// The order and the bounds of what people and reports are told of a judgement.
@Suite("What is told of a judgement") struct JudgementTextTests {
  private func lines(_ judgement: Judgement, isTrace: Bool = false) -> [String] {
    JudgementText(judgement, isTrace: isTrace).lines
  }

  /// A breach of each level: the first message of a must, a may and a rule of our own, the second of one from memory.
  private var graded: Judgement {
    let odd = "urn:schemas-upnp-org:device:Basic:1.0"
    return Said.judged([
      .alive(["HOST": nil, "SEARCHPORT.UPNP.ORG": "1900", "MAN": "x"]),
      .alive(["NT": odd, "USN": "uuid:\(Said.uuid)::\(odd)"]), .search(["MX": "10"]),
    ])
  }

  @Test("rows of the matrix come by level, what must be first and what is remembered last, and the last line adds up")
  func levels() {
    let lines = self.lines(graded)
    expectEqual(
      Array(lines.prefix(6)),
      [
        "  clause                    level      A B",
        "  UDA-1.2.2-A-HOST          must       ✘ ·",
        "  UDA-1.3.2-MX-MAX5         should     · ✘",
        "  UDA-1.2.2-A-SEARCHPORT    may        ✘ ·",
        "  H-A-STRAY                 hardening  ✘ ·",
        "  UDA-1.2.2-NT-VER          (memory)   ✘ ·",
      ])
    guard lines.count > 8 else { return }
    #expect(lines[6].hasSuffix(" not exercised   ✘ violated  ? inconclusive  ✓ held  · not exercised"), "\(lines[6])")
    expectEqual(
      Array(lines[7...8]),
      [
        "  A 192.168.1.10 device, UDA 2.0, 2 messages: Linux/6.6 UPnP/2.0 Product/1.0",
        "  B 192.168.1.20 control point, UDA 2.0, 1 messages: OS/1.0 UPnP/2.0 Product/1.0",
      ])
    expectEqual(lines.last, "3 messages of 2 parties: 1 breaches of a must, 1 of a should, 3 other")
    let grades = graded.rows.map { "\($0.clause.grade().rawValue) \($0.clause.grade(isStrict: true).rawValue)" }
    expectEqual(grades.sorted(), ["error error", "note note", "note note", "note note", "warning error"])
  }

  @Test("sixteen parties have a column, those with most breaches first and then as they were heard; others have a name")
  func columns() {
    func crowd(_ count: UInt8) -> [Said] {
      (0..<count).map { Said.alive(["HOST": nil]).by(IPAddress(10, 0, 0, $0)) }
    }
    let most = lines(Said.judged(crowd(16)))
    #expect(!most.contains { $0.hasSuffix(" parties more") })
    expectEqual(most.filter { $0.hasPrefix("  P 10.0.0.15 device, ") }.count, 1)
    // The last one breaks it twice.
    let more = lines(Said.judged(crowd(17) + [Said.alive(["HOST": nil]).by(IPAddress(10, 0, 0, 16))]))
    #expect(more.contains("  and 1 parties more"))
    let legend: [String] = more.filter { $0.contains(" device, UDA 2.0, ") }.map { line in
      line.split(separator: " ").prefix(2).joined(separator: " ")
    }
    expectEqual(legend.count, 16)
    expectEqual(Array(legend.prefix(2)) + legend.suffix(1), ["A 10.0.0.16", "B 10.0.0.0", "P 10.0.0.14"])
    let found = more.filter { $0.hasPrefix("✘ UDA-1.2.2-A-HOST ") }
    expectEqual(found.count, 17)
    guard found.count == 17 else { return }
    #expect(found[0].hasPrefix("✘ UDA-1.2.2-A-HOST (must) B  frame 1 at "), "\(found[0])")
    #expect(found[15].hasPrefix("✘ UDA-1.2.2-A-HOST (must) 10.0.0.15  frame 16 at "), "\(found[15])")
    #expect(found[16].hasPrefix("✘ UDA-1.2.2-A-HOST (must) A  frame 17 at "), "\(found[16])")
    #expect(found[16].contains(", 2 times, last frame 18  uuid:") && !found[0].contains("times"), "\(found[16])")
    let traced = lines(Said.judged(crowd(1) + crowd(1)), isTrace: true)
    #expect(traced.contains { $0.contains(" A  entry 1 at ") && $0.contains(", 2 times, last entry 2") })
  }

  @Test("an input fails by a must, by a should if strict, and by its reviewed file alone where there is one")
  func outcomes() {
    func outcomes(_ judgement: Judgement, _ differences: [ExpectedFindings.Difference]?) -> [String] {
      let input = JudgedInput(path: "a", judgement: judgement, isTrace: false, differences: differences)
      return [false, true].map { "\(input.outcome(isStrict: $0).rawValue) \(input.isBroken(isStrict: $0))" }
    }
    let (must, should) = (Said.judged([.alive(["HOST": nil])]), Said.judged([.search(["MX": "10"])]))
    let quiet = Said.judged([.alive()])
    let noise = Said.judged([Said.alive().with { $0.text = "hello" }])
    expectEqual(outcomes(must, nil), ["failed true", "failed true"])
    expectEqual(outcomes(should, nil), ["passed false", "failed true"])
    expectEqual(outcomes(quiet, nil), ["passed false", "passed false"])
    expectEqual(outcomes(noise, nil), ["vacuous true", "vacuous true"])
    expectEqual(outcomes(must, []), ["passed false", "passed false"])
    expectEqual(outcomes(quiet, [.unexpected("x")]), ["failed true", "failed true"])
    expectEqual(outcomes(noise, [.passed(line: 1, "x")]), ["failed true", "failed true"])
    expectEqual(outcomes(noise, []), ["vacuous true", "vacuous true"])
    let input = JudgedInput(path: "a", judgement: noise, isTrace: false)
    expectEqual(input.vacuity, "nothing was judged: no clause applies to any message")
  }

  @Test("a case of a report says whether its clause was held, open or not exercised, and where it was broken first")
  func cases() throws {
    let bare = Said.alive(["HOST": nil]).later(.milliseconds(300))
    let wide = Said.search(["MX": "10"]).later(.milliseconds(200))
    let judgement = Said.judged([.search(), .answer(), wide, bare, bare])
    func suite(_ isStrict: Bool, _ differences: [ExpectedFindings.Difference]?, isTrace: Bool = true) -> ResultSuite {
      let input = JudgedInput(path: "a", judgement: judgement, isTrace: isTrace, differences: differences)
      return JudgementResults.suites([input], isStrict: isStrict)[0]
    }
    func one(_ clause: ClauseID, _ suite: ResultSuite) throws -> ResultCase {
      try #require(suite.cases.first { $0.name.hasPrefix(clause.clause.id + " ") })
    }
    let plain = suite(false, nil)
    expectEqual(plain.cases.count, judgement.judged.count)
    let must = try one(.aliveHost, plain)
    let expected = "expected HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port; found nothing"
    let message = "192.168.1.10, device, at entry 4 (2 times): \(expected)"
    expectEqual(must.outcome, .failed(message: message, type: "must", text: message))
    expectEqual(must.line, 4)
    expectEqual(must.findings.map(\.message), ["192.168.1.10, device, at entry 4: \(expected)"])
    expectEqual(must.findings.map(\.count), [2])
    expectEqual(must.findings.map(\.knownBy), [nil])
    try expectEqual(one(.aliveHost, suite(false, nil, isTrace: false)).line, nil)
    try expectEqual(one(.answerDelay, plain).outcome, .skipped("inconclusive"))
    try expectEqual(one(.byebyeFields, plain).outcome, .skipped("not exercised"))
    try expectEqual(one(.aliveMaxAge, plain).outcome, .passed)
    let should = try one(.searchMXMaximum, plain)
    expectEqual(should.outcome, .passed)
    expectEqual(should.output, "192.168.1.20, control point, at entry 3: expected MX of at most 5; found 10")
    expectEqual(should.findings.map(\.level), [.warning])
    let strict = try one(.searchMXMaximum, suite(true, nil))
    expectEqual(strict.findings.map(\.level), [.error])
    expectEqual(strict.outcome, .failed(message: should.output ?? "", type: "should", text: should.output ?? ""))
    // What a reviewed file has is known; what it has in vain, and what it lacks, are cases of their own.
    let reviewed = suite(true, [.passed(line: 3, "x")])
    expectEqual(reviewed.cases.count, judgement.judged.count + 1)
    try expectEqual(one(.aliveHost, reviewed).outcome, .passed)
    try expectEqual(one(.aliveHost, reviewed).findings.map(\.knownBy), ["the reviewed file has it"])
    let last = try #require(reviewed.cases.last)
    let told = "line 3 expects a breach that does not occur: x"
    expectEqual(last.outcome, .failed(message: told, type: "expected findings"))
    expectEqual(last.findings.map(\.message), [told])
    let row = try #require(judgement.rows.first { $0.finding.clause == .aliveHost })
    let lacking = suite(false, [.unexpected(ExpectedFindings.line(row))])
    try expectEqual(one(.aliveHost, lacking).findings.count, 0)
    expectEqual(lacking.cases.last?.findings.map(\.message), ["192.168.1.10, device, at entry 4: \(expected)"])
  }

  /// What is told of `Judgement.mixed()`.
  /// - Parameter word: what an entry is called.
  private func mixedText(_ word: String, _ time: (Int) -> String) -> [String] {
    func head(_ clause: ClauseID, _ mark: String, _ entry: Int, often: String = "") -> String {
      let place = entry > 0 ? "\(word) \(entry)" : "at the end"
      return "\(mark) \(clause.clause.id) (\(clause.clause.levelText)) A  \(place) at \(time(entry))\(often)"
    }
    let matrix = [
      "  clause                    level      A",
      "  UDA-1.2.2-A-HOST          must       ✘",
      "  UDA-1.2.2-A-CC            must       ?",
      "  UDA-1.2.2-A-CC-1800       should     ?",
      "  H-TTL-ESCAPE              hardening  ✘",
      "  UDA-1.2.2-NT-VER          (memory)   ✘",
      "  2 clauses held by everybody, 2 not exercised   ✘ violated  ? inconclusive  ✓ held  · not exercised",
      "  A 10.0.0.1 device, UDA 1.0, 0 messages",
    ]
    let first = [
      head(.aliveMaxAgeFloor, "?", 0), reference(.aliveMaxAgeFloor), "    unsure    w0",
      head(.ntVersion, "✘", 1, often: ", 3 times, last \(word) 9"), reference(.ntVersion),
      "    expected  e1", "    found     f1", remedy(.ntVersion),
      head(.aliveMaxAge, "?", 2), reference(.aliveMaxAge), "    unsure    w2",
    ]
    let second = [
      head(.aliveHost, "✘", 3), reference(.aliveHost), "    expected  e3", "    found     f3", remedy(.aliveHost),
      head(.aliveHost, "✘", 4), "    expected  e4", "    found     f4",
      head(.aliveHost, "?", 5), "    unsure    w5", head(.aliveHost, "?", 6), "    unsure    w6",
      head(.ttlEscape, "✘", 0), reference(.ttlEscape), "    expected  e0", "    found     f0", remedy(.ttlEscape),
      "0 messages of 1 parties: 2 breaches of a must, 0 of a should, 2 other",
    ]
    return matrix + first + second
  }

  @Test("a page has the matrix, who it is about, each finding with its place, and a last line; 32 rows at most")
  func page() {
    let mixed = Judgement.mixed()
    expectEqual(mixed.rows.map(\.clause.rank), [1, 4, 0, 0, 0, 0, 0, 3])
    expectEqual(Clause.catalogue.first { $0.level == .may && !$0.isFromMemory }?.rank, 2)
    // Times of a capture are written as is asked for; those of a trace count from its start.
    let capture = JudgementText(mixed, isTrace: false, times: .utc).lines
    expectEqual(capture, mixedText("frame") { "1970-01-01 00:00:0\($0).000Z" })
    let trace = JudgementText(mixed, isTrace: true, times: .utc).lines
    expectEqual(trace, mixedText("entry") { "\($0).000000000" })
    let many: [ClauseID] = ClauseID.allCases.filter { $0.clause.standard == .uda }
    func matrix(_ count: Int) -> [String] {
      let rulings: [ProbeRuling] = many.prefix(count).map { Judgement.ruling($0, .violated, 1) }
      let lines = JudgementText(Judgement.made(rulings), isTrace: true).lines
      return lines.prefix { !$0.contains(" held by everybody, ") }.map { String($0) }
    }
    let (full, more) = (matrix(32), matrix(33))
    expectEqual([full.count, more.count], [33, 34])
    #expect(full.last?.hasSuffix(" ✘") == true, "\(full)")
    expectEqual(more.last, "  and 1 clauses more")
  }

  @Test("a report has each clause with its outcome and each breach with its place, as a line where the input has lines")
  func results() {
    for isTrace in [true, false] {
      let word = isTrace ? "entry" : "frame"
      func message(_ entry: Int, often: String = "") -> String {
        let place = entry > 0 ? "\(word) \(entry)" : "the end"
        return "10.0.0.1, device, at \(place)\(often): expected e\(entry); found f\(entry)"
      }
      func finding(
        _ number: ClauseID, _ level: ResultFinding.Level, _ entry: Int, count: Int = 1
      ) -> ResultFinding {
        let clause = number.clause
        let rule = ResultRule(
          clause.id, title: clause.gist, explanation: "\(clause.gist) (\(clause.place))", help: clause.remedy,
          level: level,
          facts: [
            ResultFact("severity", clause.severity.rawValue), ResultFact("strength", clause.levelText),
            ResultFact("costs", clause.severity.explanation), ResultFact("place", clause.place),
          ])
        return ResultFinding(
          rule, level, at: ResultPlace("p", line: isTrace && entry > 0 ? entry : nil), message(entry),
          identity: [clause.id, "10.0.0.1", "device", "f\(entry)"], count: count,
          facts: [
            ResultFact("party", "10.0.0.1"), ResultFact(word, entry), ResultFact("time", "\(entry).000000000"),
            ResultFact("count", count),
          ])
      }
      func one(
        _ number: ClauseID, line: Int? = nil, _ outcome: ResultCase.Outcome = .passed, output: String? = nil,
        findings: [ResultFinding] = []
      ) -> ResultCase {
        ResultCase(
          "\(number.clause.id) \(number.clause.gist)", line: isTrace ? line : nil, outcome: outcome, output: output,
          findings: findings)
      }
      var input = JudgedInput(path: "p", judgement: .mixed(), isTrace: isTrace)
      (input.timestamp, input.duration) = ("t", .seconds(2))
      let suites = JudgementResults.suites([input], isStrict: false, others: [ResultSuite("other")])
      let cases: [ResultCase] = [
        one(.ttlEscape, output: message(0), findings: [finding(.ttlEscape, .note, 0)]),
        one(.oneDatagram), one(.locationReach),
        one(
          .ntVersion, line: 1, output: message(1, often: " (3 times)"),
          findings: [finding(.ntVersion, .note, 1, count: 3)]),
        one(
          .aliveHost, line: 3,
          .failed(message: message(3), type: "must", text: message(3) + "\n" + message(4)),
          findings: [finding(.aliveHost, .error, 3), finding(.aliveHost, .error, 4)]),
        one(.aliveMaxAge, .skipped("inconclusive")), one(.aliveMaxAgeFloor, .skipped("inconclusive")),
        one(.searchMXMaximum, .skipped("not exercised")), one(.answerDelay, .skipped("not exercised")),
      ]
      expectEqual(
        suites,
        [
          ResultSuite("p", file: "p", timestamp: "t", duration: .seconds(2), cases: cases), ResultSuite("other"),
        ], "\(word)")
    }
  }

  @Test("what differs from a reviewed file comes in the order of the breaches and then of its lines, if it was wanted")
  func differences() throws {
    let judgement = graded
    let lines = ExpectedFindings.lines(judgement)
    expectEqual(lines.count, 5)
    expectEqual(
      lines.filter { $0.contains("A-HOST") },
      [
        #"{"clause":"UDA-1.2.2-A-HOST","party":"192.168.1.10","role":"device","found":"nothing","count":1,"at":1}"#
      ])
    let gone = "{\"clause\":\"UDA-1.2.2-A-LOC\",\"party\":\"x\",\"role\":\"device\",\"found\":\"nothing\"}"
    let role = lines[0].replacing("\"role\":\"device\"", with: "\"role\":\"controlPoint\"")
    let file = try ExpectedFindings([gone, lines[3], role, lines[1]].joined(separator: "\n"))
    expectEqual(
      file.differences(judgement),
      [
        .unexpected(lines[0]), .unexpected(lines[2]), .unexpected(lines[4]), .passed(line: 1, gone),
        .passed(line: 3, role),
      ])
    // How often it is, and where, is for the reader.
    let counted = lines.map { $0.replacing("\"count\":1", with: "\"count\":7").replacing("\"at\":", with: "\"at\":1") }
    try expectEqual(ExpectedFindings(counted.joined(separator: "\n")).differences(judgement), [])
    var narrow = judgement
    narrow.rows = []
    let wanted = judgement.rows[0].clause.id
    expectEqual(file.differences(narrow) { $0.id == wanted }, [.passed(line: 3, role)])
  }
}
