import Foundation

/// Runs mutants against the tests that reach them.
struct Campaign {
  let rooms: [Room]
  private(set) var tables: [Table]
  let mutants: [Mutant]
  private var tests: Tests
  let jobs: Int
  var isCheck = false
  /// Keys of all mutants that the sources give, whether they are in the copy or not: other rows are of code that is gone.
  var living: Set<Mutant.Key>
  /// Only files that begin so; none: all.
  var files: [String] = []
  var isOpenOnly = false
  var sample: (count: Int, seed: UInt64)?
  var deadline: ContinuousClock.Instant?
  /// Targets of tests that are there.
  let builtTests: [String]
  /// Tests that take longer alone are left out.
  var slowestSeconds = Double.infinity
  /// Whether tests of other rooms are left out.
  private var isNear: Bool { builtTests.count < Room.allTests.count }
  /// How many mutants of a file each test noticed.
  private let noticing = Locked<[String: [String: Int]]>([:])
  private var ran = 0
  private var killed = 0

  init(rooms: [Room], tables: [Table], mutants: [Mutant], tests: Tests, jobs: Int, builtTests: [String]) {
    (self.rooms, self.tables, self.mutants, self.tests, self.jobs) = (rooms, tables, mutants, tests, jobs)
    self.builtTests = builtTests
    living = Set(mutants.map(\.key))
  }

  private func table(of key: Mutant.Key) -> Int? { rooms.firstIndex { $0.owns(key.file) } }

  private func row(_ key: Mutant.Key) -> Table.Row? { table(of: key).flatMap { tables[$0].rows[key] } }

  /// Runs what was chosen.
  /// - Parameter keep: is handed the tables now and then, and at the end.
  /// - Returns: of a check, mutants that were noticed once and are not now.
  mutating func run(keep: ([Table]) throws -> Void) throws -> [Mutant] {
    for index in tables.indices {
      tables[index].rows = tables[index].rows.filter { [living] in
        living.contains($0.key) || $0.value.status == .unbuildable
      }
    }
    var chosen = mutants.filter { mutant in
      (files.isEmpty || files.contains { mutant.key.file.hasPrefix($0) }) && row(mutant.key)?.status != .equivalent
    }
    if isOpenOnly { chosen = Self.open(chosen, tables: tables) }
    if isCheck {
      let outcomes = try checked(chosen)
      note(outcomes)
      return outcomes.filter { $0.by == nil }.map(\.mutant)
    }
    if let sample { chosen = Self.draw(sample.count, of: chosen, seed: sample.seed) }
    if chosen.isEmpty { return [] }
    try tests.survey(count: mutants.last?.number ?? 0, jobs: jobs) { say($0) }
    // The tables are kept now and then: a run of hours may be ended.
    for start in stride(from: 0, to: chosen.count, by: 100) {
      note(try explored(Array(chosen[start..<min(start + 100, chosen.count)])))
      try keep(tables)
      say("\(ran) of \(chosen.count) mutants, \(ran - killed) survive")
    }
    return []
  }

  /// The mutants of which no table says that a test noticed them, or that none can.
  static func open(_ mutants: [Mutant], tables: [Table]) -> [Mutant] {
    mutants.filter { mutant in
      let status = tables.lazy.compactMap { $0.rows[mutant.key]?.status }.first
      return status != .killed && status != .equivalent
    }
  }

  /// The mutants of which a table says that a test of some targets noticed them.
  static func noticed(_ mutants: [Mutant], tables: [Table], builtTests: [String]) -> [Mutant] {
    mutants.filter { mutant in
      guard let row = tables.lazy.compactMap({ $0.rows[mutant.key] }).first, row.status == .killed else { return false }
      return builtTests.contains(String(row.note.prefix { $0 != "." }))
    }
  }

  private struct Outcome {
    var mutant: Mutant
    /// `nil`: it survived.
    var by: String?
  }

  private mutating func note(_ outcomes: [Outcome]) {
    for outcome in outcomes {
      ran += 1
      if outcome.by != nil { killed += 1 }
      guard let index = table(of: outcome.mutant.key) else { continue }
      // Of a survivor of one room's tests nothing is known: those of others may notice it.
      if isCheck || outcome.by == nil && isNear { continue }
      // Slow tests can only notice more: a survivor of the quick ones counts as one until they are asked.
      let asked = slowestSeconds < .infinity ? String(format: "tests of at most %g s", slowestSeconds) : ""
      tables[index].rows[outcome.mutant.key] = Table.Row(
        status: outcome.by == nil ? .survived : .killed, note: outcome.by ?? asked,
        change: outcome.mutant.change.rawValue)
    }
  }

  /// All tests that reach a mutant, quick ones first.
  private func explored(_ chosen: [Mutant]) throws -> [Outcome] {
    let reaching = tests.all.filter { [slowestSeconds] in $0.seconds <= slowestSeconds }.sorted {
      ($0.seconds, $0.id) < ($1.seconds, $1.id)
    }
    let outcomes = Locked<[Outcome]>([])
    let known = Dictionary(uniqueKeysWithValues: chosen.map { ($0.number, row($0.key)?.note ?? "") })
    let (tests, deadline, noticing) = (tests, deadline, noticing)
    try forEach(chosen.count, jobs: jobs) { index in
      if let deadline, ContinuousClock.now > deadline { return }
      let mutant = chosen[index]
      // First the test that noticed this mutant once, or else those that noticed most in this file; then the rest.
      var rest = reaching.filter { $0.reached.contains(mutant.number) }
      let counts = noticing.value[mutant.key.file] ?? [:]
      let best = rest.filter { counts[$0.id] != nil }.sorted {
        let (count, other) = (counts[$0.id] ?? 0, counts[$1.id] ?? 0)
        return count == other ? $0.id < $1.id : count > other
      }
      var first = best.prefix(6).filter { $0.seconds < 0.5 }
      if let before = rest.first(where: { $0.id == known[mutant.number] }) { first = [before] }
      let ids = Set(first.map(\.id))
      rest.removeAll { ids.contains($0.id) }
      var by: String?
      for batch in [first] + Self.batches(of: rest) where by == nil && !batch.isEmpty {
        let seconds = batch.map(\.seconds).reduce(0, +)
        if case .killed(let test) = try tests.run(batch.map(\.id), under: mutant.number, seconds: 4 + seconds * 6) {
          by = test
        }
      }
      if let by { noticing.change { $0[mutant.key.file, default: [:]][by, default: 0] += 1 } }
      outcomes.change { $0.append(Outcome(mutant: mutant, by: by)) }
    }
    return outcomes.value.sorted { $0.mutant.number < $1.mutant.number }
  }

  /// A process costs a tenth of a second: some tests share one, fewer where they are slow.
  private static func batches(of tests: [Tests.Test]) -> [[Tests.Test]] {
    var batches: [[Tests.Test]] = []
    var seconds = 0.0
    for test in tests {
      if let last = batches.last, last.count < 400, seconds + test.seconds - 0.1 < max(1, last[0].seconds * 3) {
        batches[batches.count - 1].append(test)
        seconds += test.seconds - 0.1
      } else {
        batches.append([test])
        seconds = test.seconds
      }
    }
    return batches
  }

  /// The test that noticed a mutant has to notice it again; where it is gone, any test that is there.
  private mutating func checked(_ chosen: [Mutant]) throws -> [Outcome] {
    let ids = try tests.list()
    let (tests, deadline) = (tests, deadline)
    let known = Dictionary(uniqueKeysWithValues: chosen.map { ($0.number, row($0.key)?.note ?? "") })
    let outcomes = Locked<[Outcome]>([])
    try forEach(chosen.count, jobs: jobs) { index in
      if let deadline, ContinuousClock.now > deadline { return }
      let number = chosen[index].number
      let asked = ids.filter { $0 == known[number] }
      // One test takes a second or two, all of them less than half a minute: a mutant that never ends is noticed by that.
      var outcome = try tests.run(asked.isEmpty ? ids : asked, under: number, seconds: asked.isEmpty ? 90 : 20)
      if case .passed = outcome, !asked.isEmpty { outcome = try tests.run(ids, under: number, seconds: 90) }
      var by: String?
      if case .killed(let test) = outcome { by = test }
      outcomes.change { $0.append(Outcome(mutant: chosen[index], by: by)) }
    }
    return outcomes.value.sorted { $0.mutant.number < $1.mutant.number }
  }

  /// As many as asked for, by a seed: the same mutants give the same draw.
  static func draw(_ count: Int, of mutants: [Mutant], seed: UInt64) -> [Mutant] {
    func rank(_ mutant: Mutant) -> UInt64 {
      var sum = seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xCBF2_9CE4_8422_2325
      for byte in "\(mutant.key.file) \(mutant.key.function) \(mutant.key.text) \(mutant.key.ordinal)".utf8 {
        sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      sum ^= sum >> 32
      sum = sum &* 0xD6E8_FEB8_6659_FD93
      return sum ^ sum >> 32
    }
    let ranked = mutants.map { (rank($0), $0.number, $0) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    return ranked.prefix(count).map(\.2).sorted { $0.number < $1.number }
  }

  /// What this run alone came to.
  var summary: String { "this run: \(ran) mutants, \(killed) killed, \(ran - killed) survived" }

  /// A line a room.
  /// - Parameters:
  ///   - survivors: percent of a room that survive or were never run.
  ///   - equivalents: percent of a room that are called equivalent.
  func account(survivors: Double, equivalents: Double, isGood: inout Bool) -> [String] {
    var lines: [String] = []
    for (room, table) in zip(rooms, tables) {
      let rows = living.filter { room.owns($0.file) }.map { table.rows[$0]?.status }.filter { $0 != .unbuildable }
      func count(_ status: Table.Status?) -> Int { rows.filter { $0 == status }.count }
      let (dead, alive, same, missing) = (count(.killed), count(.survived), count(.equivalent), count(nil))
      if rows.isEmpty || missing == rows.count { continue }
      func part(_ count: Int) -> Double { 100 * Double(count) / Double(rows.count) }
      let bad = part(alive + missing) > survivors || part(same) > equivalents
      if bad { isGood = false }
      lines.append(
        String(
          format: "%@: %d mutants: %d killed, %d survived (%.1f %%), %d equivalent (%.1f %%), %d not run%@",
          room.name, rows.count, dead, alive, part(alive), same, part(same), missing,
          bad
            ? String(format: ": at most %g %% survive or are not run, %g %% are equivalent", survivors, equivalents)
            : ""
        ))
    }
    return lines
  }
}
