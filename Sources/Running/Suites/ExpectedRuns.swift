import RollcallPrimitives
package import RollcallReporting
package import RollcallScenarios
import RollcallWire

/// How a run fails: what became of it, and which expectations do not hold.
package struct RunFailure: Hashable, Sendable, CustomStringConvertible {
  package var outcome: RunOutcome
  /// Ids, in the order of the text.
  package var expectations: [String]

  package init(_ outcome: RunOutcome, _ expectations: [String] = []) {
    (self.outcome, self.expectations) = (outcome, expectations.sorted())
  }

  /// `nil`: it passed.
  package init?(_ run: SuiteRun) {
    if run.outcome == .passed { return nil }
    self.init(run.outcome, run.verdicts.filter(\.isBad).map(\.id))
  }

  /// `failed by e1 and e3`, `budget`.
  package var description: String {
    outcome.rawValue + (expectations.isEmpty ? "" : " by " + expectations.joined(separator: " and "))
  }
}

/// How a run stands to the file of expected results; one that passes and has no line there has none.
package struct RunStanding: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    /// It fails as the file says.
    case known
    /// It passes, and the file says that it fails.
    case unexpectedPass
    /// It fails otherwise than the file says.
    case otherFailure
    /// It fails, and has no line in the file.
    case unexpectedFailure
  }
  package var kind: Kind
  /// The line of the file that is about it; `nil`: none.
  package var place: ResultPlace?
  /// What that line says.
  package var expected: RunFailure?

  package init(_ kind: Kind, place: ResultPlace? = nil, expected: RunFailure? = nil) {
    (self.kind, self.place, self.expected) = (kind, place, expected)
  }

  /// A line about it for a person; `nil`: its failure says all.
  package var text: String? {
    guard let place, let expected else { return nil }
    let line = "\(place.file):\(place.line ?? 0)"
    return switch kind {
    case .known: "known by \(line): \(expected)"
    case .unexpectedPass: "it passes, and \(line) says that it fails: \(expected)"
    case .otherFailure: "\(line) says that it fails otherwise: \(expected)"
    case .unexpectedFailure: nil
    }
  }
}

/// Runs that are known to fail: a file that `run --write-expected` writes and `run --expected` reads.
///
/// One JSON object a line, in the order of its text: the scenario, the point of its sweep, the seeds, and how they fail.
/// Empty lines and lines that begin with `#` are skipped. A run is known by scenario, point and seed.
package struct ExpectedRuns: Sendable {
  package struct Entry: Hashable, Sendable {
    /// Of the file, from 1.
    package var line: Int
    package var scenario: String
    package var point: [Point.Value]
    package var seeds: [ClosedRange<UInt64>]
    package var failure: RunFailure
  }

  /// Why a file is none.
  package struct Problem: Error, Hashable, Sendable {
    package var line: Int
    /// From 1, in bytes.
    package var column: Int
    package var expected: String
  }

  /// Lines of a file, and bytes of a line.
  package static let linesMaximum = 1_000_000
  static let lineBytesMaximum = 1 << 20
  /// Ranges of seeds that are written on one line.
  static let rangesMaximum = 500

  private struct Key: Hashable {
    var scenario: String
    var point: [Point.Value]
  }

  /// Some of the seeds of an entry.
  private struct Part {
    var seeds: ClosedRange<UInt64>
    var entry: Int
  }

  /// What it is called.
  package let file: String
  package let entries: [Entry]
  /// By scenario and point, in the order of their seeds.
  private var parts: [Key: [Part]] = [:]
  /// Entries that some run was of.
  private var isMet: [Bool]

  /// Reads a file.
  /// - Parameters:
  ///   - file: what it is called.
  ///   - linesMaximum: how many lines with runs it may have.
  package init(
    _ text: String, file: String, linesMaximum: Int = ExpectedRuns.linesMaximum
  ) throws(Problem) {
    self.file = file
    var entries: [Entry] = []
    for (number, line) in text.utf8.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      let bytes = Array(line.last == 13 ? line.dropLast() : line)
      if bytes.isEmpty || bytes.first == UInt8(ascii: "#") { continue }
      if entries.count == linesMaximum {
        throw Problem(line: number + 1, column: 1, expected: "at most \(linesMaximum) lines")
      }
      entries.append(try ExpectedRuns.entry(bytes, line: number + 1))
    }
    self.entries = entries
    isMet = Array(repeating: false, count: entries.count)
    var order: [Key] = []
    for (number, entry) in entries.enumerated() {
      let key = Key(scenario: ExpectedRuns.plain(entry.scenario), point: entry.point)
      if parts[key] == nil { order.append(key) }
      parts[key, default: []] += entry.seeds.map { Part(seeds: $0, entry: number) }
    }
    for key in order {
      let sorted = (parts[key] ?? []).sorted { ($0.seeds.lowerBound, $0.entry) < ($1.seeds.lowerBound, $1.entry) }
      for (left, right) in zip(sorted, sorted.dropFirst()) where left.seeds.upperBound >= right.seeds.lowerBound {
        let lines = [entries[left.entry].line, entries[right.entry].line].sorted()
        let seed = right.seeds.lowerBound
        throw Problem(
          line: lines[1], column: 1,
          expected: "each seed once; seed \(seed) of this scenario stands in line \(lines[0]) as well")
      }
      parts[key] = sorted
    }
  }

  private static func entry(_ bytes: [UInt8], line: Int) throws(Problem) -> Entry {
    func refused(_ expected: String, at offset: Int = 0) -> Problem {
      Problem(line: line, column: offset + 1, expected: expected)
    }
    var limits = JSONReader.Limits()
    limits.byteCountMaximum = lineBytesMaximum
    let value: JSONValue
    do { value = try JSONReader.read(bytes, limits: limits) } catch {
      throw refused("one JSON object with scenario, seeds and outcome", at: error.offset)
    }
    guard let scenario = value["scenario"]?.string else { throw refused("the path of a scenario in 'scenario'") }
    var point: [Point.Value] = []
    if let given = value["point"] {
      guard case .object(let members) = given else { throw refused("an object in 'point'") }
      for member in members {
        guard let text = member.value.string else { throw refused("texts in 'point'") }
        point.append(Point.Value(path: member.name, text: text))
      }
    }
    guard case .array(let listed)? = value["seeds"], !listed.isEmpty else {
      throw refused("a list of seeds in 'seeds'")
    }
    var seeds: [ClosedRange<UInt64>] = []
    for one in listed {
      guard let range = one.string.flatMap({ Scenario.seeds($0) }) else {
        throw refused("seeds as --seeds takes them in 'seeds', as in \"7\" or \"1..200\"")
      }
      seeds.append(range)
    }
    guard let outcome = value["outcome"]?.string.flatMap({ RunOutcome(rawValue: $0) }), outcome != .passed else {
      let known = RunOutcome.allCases.filter { $0 != .passed }.map(\.rawValue)
      throw refused("one of \(known.joined(separator: ", ")) in 'outcome'")
    }
    var expectations: [String] = []
    if let given = value["expectations"] {
      guard case .array(let ids) = given else { throw refused("a list of ids in 'expectations'") }
      for id in ids {
        guard let text = id.string else { throw refused("ids of expectations in 'expectations'") }
        expectations.append(text)
      }
    }
    return Entry(
      line: line, scenario: scenario, point: point, seeds: seeds, failure: RunFailure(outcome, expectations))
  }

  /// A path without what says nothing: `./` and a second bar.
  private static func plain(_ path: String) -> String {
    let names = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return path.hasPrefix("/") ? "/" + names : names
  }

  /// How a run stands to the file; `nil`: it passes, and nothing else is expected.
  package mutating func standing(of run: SuiteRun) -> RunStanding? {
    let failure = RunFailure(run)
    let own = parts[Key(scenario: ExpectedRuns.plain(run.path), point: run.point)] ?? []
    // The last part that begins no later than the seed.
    var (low, high) = (0, own.count)
    while low < high {
      let middle = (low + high) / 2
      if own[middle].seeds.lowerBound <= run.seed { low = middle + 1 } else { high = middle }
    }
    guard low > 0, own[low - 1].seeds.contains(run.seed) else {
      return failure == nil ? nil : RunStanding(.unexpectedFailure)
    }
    let number = own[low - 1].entry
    isMet[number] = true
    let entry = entries[number]
    let kind: RunStanding.Kind =
      failure == nil ? .unexpectedPass : failure == entry.failure ? .known : .otherFailure
    return RunStanding(kind, place: ResultPlace(file, line: entry.line), expected: entry.failure)
  }

  /// Entries of which no run was, in the order of the file.
  package var unmet: [Entry] { entries.indices.filter { !isMet[$0] }.map { entries[$0] } }
}

/// Failures of runs as they come, to be written down as expected.
package struct RunFailures: Sendable {
  private struct Key: Hashable {
    var scenario: String
    var point: [Point.Value]
    var failure: RunFailure
  }
  private var numbers: [Key: Int] = [:]
  private var groups: [(key: Key, seeds: SeedRanges)] = []

  package init() {}

  /// How many runs failed.
  package var count: Int { groups.reduce(0) { $0 + $1.seeds.count } }

  package mutating func add(_ run: SuiteRun) {
    guard let failure = RunFailure(run) else { return }
    let key = Key(scenario: run.path, point: run.point, failure: failure)
    let number = numbers[key] ?? groups.count
    if number == groups.count {
      numbers[key] = number
      groups.append((key, SeedRanges()))
    }
    groups[number].seeds.add(run.seed)
  }

  /// The lines of the file, in the order of scenarios, points and seeds.
  package var lines: [String] {
    var rows: [(scenario: String, point: String, first: UInt64, text: String)] = []
    for (key, seeds) in groups {
      let texts = seeds.texts
      for start in stride(from: 0, to: texts.count, by: ExpectedRuns.rangesMaximum) {
        var line = JSONLine()
        line.add("scenario", key.scenario)
        if !key.point.isEmpty { line.add("point", object: key.point.map { ($0.path, $0.text) }) }
        line.add("seeds", Array(texts[start..<min(texts.count, start + ExpectedRuns.rangesMaximum)]))
        line.add("outcome", key.failure.outcome.rawValue)
        if !key.failure.expectations.isEmpty { line.add("expectations", key.failure.expectations) }
        let point = key.point.map { "\($0.path)=\($0.text)" }.joined(separator: " ")
        rows.append((key.scenario, point, seeds.ranges[start].lowerBound, line.closed))
      }
    }
    rows.sort { ($0.scenario, $0.point, $0.first, $0.text) < ($1.scenario, $1.point, $1.first, $1.text) }
    return ["# Runs that are known to fail, as rollcall run --write-expected wrote them."] + rows.map(\.text)
  }
}
