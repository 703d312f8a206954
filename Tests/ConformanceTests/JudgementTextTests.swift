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

  @Test("what differs from a reviewed file comes in the order of the breaches and then of its lines, if it was wanted")
  func differences() throws {
    let judgement = graded
    let lines = ExpectedFindings.lines(judgement)
    expectEqual(lines.count, 5)
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
