import Foundation

/// The tests of the mutated copy: which there are, how long each takes, and which mutants each reaches.
struct Tests: Sendable {
  struct Test: Sendable {
    /// As `swift test list` prints it.
    var id: String
    var seconds: Double
    /// Mutants that it asks for, by number.
    var reached: Set<Int>
  }

  private let program: URL
  private let folder: URL
  private(set) var all: [Test] = []
  private var records: TestRecords?

  init(program: URL, folder: URL) { (self.program, self.folder) = (program, folder) }

  init(workspace: Workspace) {
    self.init(
      program: workspace.scratch.appendingPathComponent("debug/RollcallPackageTests.xctest"), folder: workspace.copy)
  }

  private var base: [String] { [program.path, "--testing-library", "swift-testing"] }

  /// All tests. What runs some of them afterwards starts with their records alone.
  mutating func list() throws -> [String] {
    let listed = try Tool.run(base + ["--list-tests"], folder: folder, seconds: 60)
    let ids = listed.output.split(separator: "\n").map(String.init).filter { $0.contains("/") || $0.contains("()") }
    if listed.code != 0 || ids.isEmpty { throw Complaint("the mutated copy lists no tests:\n\(listed.output)") }
    try findRecords()
    return ids
  }

  /// Where the records of the tests stand: with those of a few the program starts twenty times as fast.
  private mutating func findRecords() throws {
    records = try TestRecords { [base, folder] bit, isSet in
      let events = FileManager.default.temporaryDirectory.appendingPathComponent("mutants-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: events) }
      _ = try Tool.run(
        base + ["--list-tests", "--event-stream-output-path", events.path],
        environment: [MutantSwitch.records: "\(isSet ? "+" : "-")\(bit)"], folder: folder, seconds: 60,
        keepsOutput: false)
      return TestRecords.names(in: (try? String(contentsOf: events, encoding: .utf8)) ?? "")
    }
  }

  private func environment(_ variables: [String: String], for ids: [String]) -> [String: String] {
    guard let kept = records?.kept(for: ids) else { return variables }
    return variables.merging([MutantSwitch.records: kept]) { $1 }
  }

  /// Runs each test alone, without a mutant, and notes what it reaches. A test keeps what was found of it until its module
  /// or the code under test is compiled anew.
  mutating func survey(count: Int, jobs: Int, say: @escaping @Sendable (String) -> Void) throws {
    let ids = try list()
    let known = recalled(count: count)
    let missing = ids.filter { known[$0] == nil }
    all = ids.compactMap { known[$0] }
    if missing.isEmpty { return }
    say("surveying \(missing.count) of \(ids.count) tests")
    let found = Locked(known)
    let (base, folder, this) = (base, folder, self)
    try forEach(missing.count, jobs: jobs) { index in
      let id = missing[index]
      let map = FileManager.default.temporaryDirectory.appendingPathComponent("mutants-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: map) }
      try Data(count: count + 1).write(to: map)
      let result = try Tool.run(
        base + Self.filters([id]), environment: this.environment([MutantSwitch.reached: map.path], for: [id]),
        folder: folder, seconds: 300)
      if result.code != 0 {
        // It cannot judge; it reaches nothing, so that it is never asked.
        say("\(id) fails without a mutant and is left out:\n\(result.output.suffix(1_000))")
        found.change { $0[id] = Test(id: id, seconds: result.seconds, reached: []) }
        return
      }
      let bytes = try Data(contentsOf: map)
      let reached = Set(bytes.indices.filter { bytes[$0] != 0 })
      found.change { $0[id] = Test(id: id, seconds: result.seconds, reached: reached) }
    }
    all = ids.compactMap { found.value[$0] }
    let lines = all.map { test in
      "\(test.id)\t\(test.seconds)\t" + test.reached.sorted().map(String.init).joined(separator: " ")
    }
    try ((["\(count)"] + lines).joined(separator: "\n")).write(to: notes, atomically: true, encoding: .utf8)
  }

  private var notes: URL { program.deletingLastPathComponent().appendingPathComponent("mutants-survey.tsv") }

  /// What a survey found of the tests whose modules were not compiled since, by name.
  private func recalled(count: Int) -> [String: Test] {
    guard let text = try? String(contentsOf: notes, encoding: .utf8), let surveyed = Self.date(of: notes) else {
      return [:]
    }
    let compiled = Self.modules(compiledAfter: surveyed, below: program.deletingLastPathComponent())
    return Self.recalled(from: text, count: count, compiled: compiled)
  }

  /// - Parameter compiled: the modules that were compiled since. Where one is not of tests, nothing is of use any more.
  static func recalled(from notes: String, count: Int, compiled: Set<String>) -> [String: Test] {
    let lines = notes.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first == "\(count)", compiled.allSatisfy({ $0.hasSuffix("Tests") }) else { return [:] }
    var tests: [String: Test] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard parts.count == 3, !compiled.contains(String(parts[0].prefix { $0 != "." })) else { continue }
      tests[String(parts[0])] = Test(
        id: String(parts[0]), seconds: Double(parts[1]) ?? 0,
        reached: Set(parts[2].split(separator: " ").compactMap { Int($0) }))
    }
    return tests
  }

  /// The modules with an object that is younger than a date. That of the program itself lists the tests for XCTest alone.
  static func modules(compiledAfter date: Date, below folder: URL) -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let modules = names.filter { $0.hasSuffix(".build") && !$0.hasPrefix("RollcallPackage") }
    return Set(
      modules.filter { name in
        let objects = folder.appendingPathComponent(name)
        let files = FileManager.default.enumerator(atPath: objects.path)?.compactMap { $0 as? String } ?? []
        return files.contains { file in
          file.hasSuffix(".o") && Self.date(of: objects.appendingPathComponent(file)).map { $0 > date } ?? false
        }
      }.map { String($0.dropLast(6)) })
  }

  private static func date(of url: URL) -> Date? {
    (try? FileManager.default.attributesOfItem(atPath: url.path))?[.modificationDate] as? Date
  }

  /// What came of some tests under a mutant.
  enum Outcome {
    case passed
    /// By the first test that failed; "trap" or "time" where none could say so.
    case killed(by: String)
  }

  func run(_ ids: [String], under mutant: Int, seconds: Double) throws -> Outcome {
    let events = FileManager.default.temporaryDirectory.appendingPathComponent("mutants-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: events) }
    // Eight gigabytes of addresses: a mutant that fills memory ends by itself. So does a tool that a test started and
    // left behind: no process has more seconds of a core than the tests have.
    let limits = "ulimit -v 8388608; ulimit -t \(Int(seconds.rounded(.up)) + 1); exec \"$@\""
    let words = ["/bin/sh", "-c", limits, "sh"]
    let result = try Tool.run(
      words + base + ["--event-stream-output-path", events.path] + Self.filters(ids),
      environment: environment([MutantSwitch.chosen: "\(mutant)"], for: ids), folder: folder, seconds: seconds,
      keepsOutput: false)
    if result.code == 0 { return .passed }
    if let failed = Self.failed(in: (try? String(contentsOf: events, encoding: .utf8)) ?? "", among: ids) {
      return .killed(by: failed)
    }
    let only = ids.count == 1 ? ids[0] : ""
    return .killed(by: only.isEmpty ? (result.code == nil ? "time" : "trap") : only)
  }

  /// The first test with an issue in a stream of events.
  static func failed(in events: String, among ids: [String]) -> String? {
    for event in TestRecords.payloads("event", in: events) where event["kind"] as? String == "issueRecorded" {
      guard let test = event["testID"] as? String else { continue }
      // An event names its file and place behind the name.
      if let id = ids.first(where: { test == $0 || test.hasPrefix($0 + "/") }) { return id }
      return test
    }
    return nil
  }

  private static func filters(_ ids: [String]) -> [String] {
    let special = Set("\\^$.|?*+()[]{}")
    let escaped = ids.map { id in id.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined() }
    return ["--filter", "^(" + escaped.joined(separator: "|") + ")($|/)"]
  }
}

/// A value that several threads change.
final class Locked<Value>: @unchecked Sendable {
  private var held: Value
  private let lock = NSLock()
  init(_ value: Value) { held = value }
  var value: Value { lock.withLock { held } }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&held) } }
}

/// Does `body` for 0..<count on some threads, and throws the first error.
func forEach(_ count: Int, jobs: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let next = Locked(0)
  let problem = Locked<(any Error)?>(nil)
  DispatchQueue.concurrentPerform(iterations: max(1, jobs)) { _ in
    while problem.value == nil {
      var mine = 0
      next.change {
        mine = $0
        $0 += 1
      }
      if mine >= count { return }
      do { try body(mine) } catch { problem.change { $0 = $0 ?? error } }
    }
  }
  if let error = problem.value { throw error }
}
