import Foundation
import RollcallExpectations
import Testing

/// README, CONTRIBUTING and pages of docs show commands and what they print: all of it is tried. Stories are tried by
/// Tools/stories.sh, each in an empty folder.
@Suite("Commands that the pages show")
struct ShownCommandTests {
  /// README and the pages that it leads to. Their commands run in one folder, and what is shown twice is run once.
  private static let readmePages = [
    "README.md", "docs/command-line.md", "docs/captures.md", "docs/live.md", "docs/a-scenario.md",
    "docs/reading-a-failure.md", "docs/determinism.md",
  ]
  private static let storyPages = ["flaky-device", "customer-capture", "fuzzing", "device-maker"].map {
    "docs/stories/\($0).md"
  }

  /// Why a command is not run here.
  private static let reasons: [(prefix: String, why: String)] = [
    ("make test", "it is what runs this"), ("RECORD=1 make test", "it is what runs this"),
    ("make check", "long: it runs this among others"), ("make format", "it changes the sources"),
    ("make lint", "long: it builds in release"), ("make scenarios", "long: it builds in release"),
    ("make determinism", "long: it builds in release"), ("RECORD=1 make determinism", "long: it builds in release"),
    ("make fuzz-smoke", "long: libFuzzer"), ("make cov", "long: it builds anew"),
    ("make cov-readers", "long: it builds anew"), ("make asan", "long: it builds anew"),
    ("make tsan", "long: it builds anew"), ("make prove", "long: hours"), ("make bench", "long: it builds in release"),
    ("make mutants", "long: it builds anew"), ("make example", "long: it builds anew"),
    ("make seeds", "long: it builds in release"),
    ("make install", "it writes outside of the repository"), ("make uninstall", "it writes outside of the repository"),
    ("make man", "long: it builds in release"), ("make catalogues", "long: it builds in release"),
    ("make engines", "long: it builds in release"),
    ("make pictures", "it needs a browser"),
    ("make stories", "long: it builds in release"), ("make docs", "long: it builds anew"),
    ("make live-test", "it needs root and network namespaces"),
    ("make captures", "it needs root and network namespaces"), ("rollcall serve", "it needs a network"),
    ("rollcall serve-hci", "it runs until it is stopped"),
    ("rollcall discover", "it needs a network"), ("rollcall record", "it needs a network"),
    ("rollcall examine", "it needs a network"),
    ("rollcall run Scenarios --format junit --output results.xml", "long: the runs of `make run` once more"),
    ("rollcall run PATH --check-determinism", "`make determinism` does it"),
    ("rollcall run Scenarios/ssdp --watch", "it runs until it is stopped"),
  ]

  /// What stands for a name in capitals, and what `make run` runs.
  private static let meanings: [(shown: String, run: [String])] = [
    ("make run", ["rollcall run Scenarios", "rollcall replay Captures"]),
    ("rollcall shrink SCENARIO --seed N", ["rollcall shrink Scenarios/ssdp/quick-return.yaml --seed 1 --bite"]),
    (
      "rollcall diff A B",
      ["rollcall diff Captures/gssdp-renewal-lost/capture.pcapng Captures/gssdp-renewal-lost/expected.jsonl"]
    ),
    ("rollcall fuzz ssdp-lenient --seed 7 --runs 200000", ["rollcall fuzz ssdp-lenient --seed 7 --runs 2000"]),
    (
      "rollcall run Scenarios/ssdp/quick-return.yaml --seeds 1..200",
      ["rollcall run Scenarios/ssdp/quick-return.yaml --seeds 1..20"]
    ),
    (
      "rollcall campaign swarm --seeds 1..1000 -o nightly", ["rollcall campaign swarm --seeds 1..8 -o nightly"]
    ),
    (
      "rollcall campaign swarm --seeds 1..1000 -o nightly --html nightly.html",
      ["rollcall campaign swarm --seeds 1..8 -o nightly --html nightly.html"]
    ),
    // Those of `make run` once more, under one seed.
    ("rollcall run Scenarios/bluetooth", ["rollcall run Scenarios/bluetooth --seeds 1"]),
    ("rollcall run Scenarios/field/renewal-lost.yaml", ["rollcall run Scenarios/field/renewal-lost.yaml"]),
  ]

  /// The commands to run for a shown one; `nil`: it is not run, for one of the reasons.
  private static func runnable(_ command: String) -> [String]? {
    if reasons.contains(where: { command == $0.prefix || command.hasPrefix($0.prefix + " ") }) { return nil }
    if let meaning = meanings.first(where: { $0.shown == command }) { return meaning.run }
    return [
      command.replacing("CAPTURE", with: "Captures/gssdp-renewal-lost/capture.pcapng")
        .replacing("SCENARIO", with: "Scenarios/ssdp/quick-return.yaml")
        .replacing("--record FILE", with: "--record recorded.jsonl")
        .replacing(" FILE", with: " Scenarios/ssdp/quick-return.yaml")
    ]
  }

  /// Words of a command line; marks hold blanks together.
  private static func words(_ command: String) -> [String] {
    var words: [String] = []
    for (place, part) in command.components(separatedBy: "'").enumerated() {
      if place % 2 == 1 { words.append(part) } else { words += part.split(separator: " ").map(String.init) }
    }
    return words
  }

  /// A folder with captures and scenarios as in the repository, in which a command may write.
  private func withRepository<Result>(_ body: (URL) throws -> Result) throws -> Result {
    try Places.withTemporaryFolder { folder in
      for name in ["Captures", "Scenarios"] {
        try FileManager.default.copyItem(
          at: Places.root.appendingPathComponent(name), to: folder.appendingPathComponent(name))
      }
      return try body(folder)
    }
  }

  /// Exit codes that mean no mistake: verdicts are what the pages are about.
  private func outcome(_ commands: [String], in folder: URL) throws -> (lines: [String], problem: String?) {
    var lines: [String] = []
    for (place, command) in commands.enumerated() {
      let words = ShownCommandTests.words(command)
      guard words.first == "rollcall" else {
        return ([], "\(command) is no command of rollcall, and no reason is listed")
      }
      let run = try ToolRun(Array(words.dropFirst()), in: folder)
      if run.exitCode != 0, run.exitCode != 1 { return ([], "\(command) ends with \(run.exitCode): \(run.errors)") }
      if place > 0 { lines.append("") }
      let text = run.text.isEmpty ? run.errors : run.text
      lines += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
    }
    return (lines, nil)
  }

  /// - Parameter known: commands that another page's test runs.
  private func problems(of pages: [String], except known: [String] = []) throws -> [String] {
    try withRepository { folder in
      var problems: [String] = []
      // What is shown twice is run once.
      var outcomes: [String: (lines: [String], problem: String?)] = [:]
      for name in pages {
        let shown = ShownCommands(try page(name))
        for file in shown.files { try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name)) }
        for command in shown.commands where !known.contains(command.text) {
          guard let commands = ShownCommandTests.runnable(command.text) else { continue }
          let (lines, problem) = try outcomes[command.text] ?? outcome(commands, in: folder)
          if command.text == "make run", outcomes[command.text] == nil {
            problems += try differences(fromRecorded: lines)
          }
          outcomes[command.text] = (lines, problem)
          if let problem {
            problems.append("\(name), line \(command.line): \(problem)")
          } else if let shown = command.shown, let difference = ShownCommands.difference(shown: shown, output: lines) {
            problems.append("\(name), line \(command.line): \(command.text): \(difference)")
          }
        }
      }
      return problems
    }
  }

  /// Scenarios of a run whose digest over all points and seeds is not the one in `Scenarios/digests.txt`.
  private func differences(fromRecorded lines: [String]) throws -> [String] {
    let text = try String(contentsOf: Places.root.appendingPathComponent("Scenarios/digests.txt"), encoding: .utf8)
    let recorded = text.split(separator: "\n").map(String.init)
    let found = lines.compactMap { line -> String? in
      let words = line.split(separator: " ")
      guard words.count > 2, words[1].hasPrefix("Scenarios/") else { return nil }
      return "\(words[1]) \(words[words.count - 1])"
    }.sorted()
    let (only, missing) = (found.filter { !recorded.contains($0) }, recorded.filter { !found.contains($0) })
    return only.map { "the run gives \($0)" } + missing.map { "Scenarios/digests.txt has \($0)" }
  }

  private func page(_ name: String) throws -> String {
    try String(contentsOf: Places.root.appendingPathComponent(name), encoding: .utf8)
  }

  @Test(
    "README and the pages that it leads to: every command runs, or says why not, and prints what the page shows",
    .enabled(if: ToolRun.isBuilt))
  func readme() throws {
    let commands = try ShownCommandTests.readmePages.flatMap { ShownCommands(try page($0)).commands }
    #expect(commands.count > 25)
    #expect(commands.count { $0.shown != nil } >= 8)
    for problem in try problems(of: ShownCommandTests.readmePages) { Issue.record("\(problem)") }
  }

  @Test("CONTRIBUTING: every command runs, or says why not", .enabled(if: ToolRun.isBuilt))
  func contributing() throws {
    #expect(ShownCommands(try page("CONTRIBUTING.md")).commands.count > 15)
    for problem in try problems(of: ["CONTRIBUTING.md"], except: ["make run"]) { Issue.record("\(problem)") }
  }

  @Test("docs/mdns.md: every command runs, or says why not", .enabled(if: ToolRun.isBuilt))
  func multicastDNS() throws {
    #expect(ShownCommands(try page("docs/mdns.md")).commands.count >= 8)
    for problem in try problems(of: ["docs/mdns.md"]) { Issue.record("\(problem)") }
  }

  @Test("docs/suites.md: every command runs and prints what the page shows", .enabled(if: ToolRun.isBuilt))
  func suites() throws {
    let page = try page("docs/suites.md")
    #expect(ShownCommands(page).commands.count >= 9)
    #expect(ShownCommands(page).commands.count { $0.shown != nil } >= 4)
    for problem in try problems(of: ["docs/suites.md"]) { Issue.record("\(problem)") }
    // What the page shows of the file that is written is what is written.
    let shown = page.components(separatedBy: "```json\n").dropFirst().first?.components(separatedBy: "```")[0]
    try withRepository { folder in
      let command = try #require(ShownCommands(page).commands.first { $0.text.contains("--write-expected") })
      let words = ShownCommandTests.words(command.text).dropFirst()
      try expectEqual(ToolRun(Array(words), in: folder).exitCode, 1)
      let text = try String(contentsOf: folder.appendingPathComponent("known.jsonl"), encoding: .utf8)
      expectEqual(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0 + "\n" }.joined(), shown)
    }
  }

  @Test("docs/pictures.md: every command runs, or says why not", .enabled(if: ToolRun.isBuilt))
  func pictures() throws {
    #expect(ShownCommands(try page("docs/pictures.md")).commands.count >= 6)
    for problem in try problems(of: ["docs/pictures.md"]) { Issue.record("\(problem)") }
  }

  @Test("every make target that a page shows is in the Makefile")
  func targets() throws {
    let makefile = try page("Makefile")
    for name in ShownCommandTests.readmePages + ShownCommandTests.storyPages + ["CONTRIBUTING.md", "docs/pictures.md"] {
      for command in ShownCommands(try page(name)).commands {
        guard let target = command.text.firstMatch(of: /make ([a-z-]+)/)?.output.1 else { continue }
        #expect(makefile.contains("\n\(target): "), "\(name): make \(target)")
      }
    }
  }

  @Test(
    "the scenario that a page shows whole is the file, and mistakes in one are told as the page says",
    .enabled(if: ToolRun.isBuilt))
  func scenario() throws {
    let page = try page("docs/a-scenario.md")
    let yaml = try #require(
      page.components(separatedBy: "```yaml\n").dropFirst().first?.components(separatedBy: "```")[0])
    #expect(yaml == (try self.page("Scenarios/ssdp/lamp-bridge-loses-one-burst.yaml")))
    try Places.withTemporaryFolder { folder in
      let bad = """
        scenario: Three mistakes
        duratoin: 60s
        inhabitants:
          tv: {kind: root-device, quirks: [noBlankLin]}
        timeline:
          - {at: "20", leave: tv}

        """
      try Data(bad.utf8).write(to: folder.appendingPathComponent("bad.yaml"))
      let run = try ToolRun("run", "bad.yaml", in: folder)
      expectEqual(run.exitCode, 2)
      for line in page.split(separator: "\n") where line.hasPrefix("bad.yaml:") {
        let message = line.drop { $0 != " " }
        #expect(run.errors.contains(message), "\(line) is not in \(run.errors)")
      }
    }
  }

  @Test("what a page omits stands for anything, and what it shows has to be there, in order, and nothing else")
  func differences() {
    func difference(_ shown: String, _ output: String) -> String? {
      ShownCommands.difference(
        shown: shown.components(separatedBy: "\n"), output: output.components(separatedBy: "\n"))
    }
    expectEqual(difference("a\nb", "a\nb"), nil)
    expectEqual(difference("a\n  …\nd", "a\nb\nc\nd"), nil)
    expectEqual(difference("…\nd in 0.3 s", "a\nd in 112.5 s"), nil)
    expectEqual(difference("a {1,…,9} b", "a {1,2,3,9} b"), nil)
    #expect(difference("a\nb", "a\nc") != nil)
    #expect(difference("a", "a\nb") != nil)
    #expect(difference("b", "a\nb") != nil)
    #expect(difference("a\n…\nc\nb", "a\nb\nc") != nil)
    #expect(difference("…\nx", "a\nb") != nil)
    #expect(difference("a {1,…,9} b", "a {1,2} b") != nil)
  }

  @Test("commands are found in blocks and in prose, with what is shown behind them, and files by their names")
  func parsing() {
    let page = """
      Text `rollcall judge CAPTURE` and `--quiet`, and `make run`:

      ```
      shown
      ```

          rollcall clauses     # a remark
          other thing

      ```yaml
      rollcall: no
      ```

      ```yaml tv.yaml
      scenario: A
      tags: []
      ```
      """
    expectEqual(ShownCommands(page).files, [.init(name: "tv.yaml", text: "scenario: A\ntags: []\n")])
    expectEqual(
      ShownCommands(page).commands,
      [
        .init(text: "rollcall judge CAPTURE", line: 1, shown: nil), .init(text: "make run", line: 1, shown: ["shown"]),
        .init(text: "rollcall clauses", line: 7, shown: nil),
      ])
  }
}
