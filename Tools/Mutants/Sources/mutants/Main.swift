import ArgumentParser
import Foundation

@main
struct Mutants: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutants",
    abstract: "Changes the sources in small ways, and sees whether a test notices each.",
    discussion: """
      All mutants are compiled into one copy of the sources and chosen at start by a number in ROLLCALL_MUTANT. Each runs \
      only the tests that reach it, the quick ones first. Tables of what came of them lie in Tools/Mutants/Results.
      """)

  @Option(help: "The repository.") var root = "."
  @Option(help: "Only these rooms; may be repeated. Names: \(Room.all.map(\.name).joined(separator: ", ")).")
  var room: [String] = []
  @Option(help: "Only mutants of files whose path below Sources begins so; may be repeated.")
  var file: [String] = []
  @Option(help: "Only this many mutants, drawn by --seed.") var sample: Int?
  @Option(help: "The seed of --sample.") var seed: UInt64 = 1
  @Option(help: "Processes at a time.") var jobs = 2
  @Option(help: "Stop after this many minutes; what was not run keeps its row.") var minutes: Double?
  @Option(help: "Leave tests out that take longer than this alone, in seconds.") var slowest: Double?
  @Flag(help: "Only the tests that are written for the rooms; mutants that others notice are left out.") var near =
    false
  @Flag(help: "Only mutants whose row says that they survived, or that have no row.") var open = false
  @Flag(help: "Only list the mutants, each with the number that chooses it.") var list = false
  @Flag(help: "Only build the copy, and note what does not compile.") var build = false
  @Flag(help: "Take the copy as it was built, whatever the sources hold now.")
  var built = false
  @Flag(help: "With --built: build the present tests into that copy, in place of its own.")
  var tests = false
  @Flag(
    help:
      "Compare with the tables and change nothing: exit 1 where a mutant that a test noticed is noticed no more.")
  var check = false
  @Option(help: "The greatest share of survivors and mutants not run that a room may have, in percent.") var survivors =
    5.0
  @Option(help: "The greatest share of mutants of a room that may be called equivalent, in percent.") var equivalents =
    10.0

  func run() throws {
    do { try go() } catch let complaint as Complaint {
      FileHandle.standardError.write(Data("mutants: \(complaint)\n".utf8))
      throw ExitCode(2)
    }
  }

  private func go() throws {
    let root = URL(fileURLWithPath: self.root).standardizedFileURL
    let rooms =
      try room.isEmpty
      ? Room.all
      : room.map { name in
        guard let found = Room.all.first(where: { $0.name == name }) else {
          throw Complaint("there is no room '\(name)'")
        }
        return found
      }
    let results = root.appendingPathComponent("Tools/Mutants/Results")
    func place(_ room: Room) -> URL { results.appendingPathComponent("\(room.name).tsv") }
    var tables = try rooms.map { try Table(at: place($0)) }
    let unbuildable = Set(tables.flatMap { table in table.rows.filter { $0.value.status == .unbuildable }.map(\.key) })
    let workspace = try Workspace(
      root: root, rooms: rooms, tests: near ? rooms.flatMap(\.nearTests) : Room.allTests,
      unbuildable: unbuildable, isCheck: check, isBuilt: built)
    if list {
      for mutant in workspace.mutants {
        let key = mutant.key
        say("\(mutant.number)\t\(key.file):\(mutant.line)\t\(key.function)\t\(key.text)\t\(key.ordinal)")
      }
      return
    }
    func keepUnbuildable() throws {
      for index in rooms.indices {
        for key in workspace.unbuildable where rooms[index].owns(key.file) {
          tables[index].rows[key] = Table.Row(status: .unbuildable, note: "", change: "")
        }
        if !check { try tables[index].write(to: place(rooms[index])) }
      }
    }
    if check {
      // Only what is asked goes into the copy: that builds as fast as the sources themselves.
      let noticed = Campaign.noticed(workspace.mutants, tables: tables, builtTests: workspace.tests)
      if noticed.isEmpty { throw Complaint("the tables name no mutant that these tests noticed") }
      workspace.keep(only: Campaign.draw(sample ?? .max, of: noticed, seed: seed))
    } else if open, !built {
      workspace.keep(only: Campaign.open(workspace.mutants, tables: tables))
    }
    if tests && !built { throw Complaint("--tests renews the tests of a copy that is built: call with --built, too") }
    if tests { try workspace.buildTests { say($0) } }
    if !built { try workspace.build(say: { say($0) }, keep: keepUnbuildable) }
    try keepUnbuildable()
    if build { return }
    var campaign = Campaign(
      rooms: rooms, tables: tables, mutants: workspace.mutants, tests: Tests(workspace: workspace), jobs: jobs,
      builtTests: workspace.tests)
    campaign.living = workspace.living
    campaign.isCheck = check
    campaign.slowestSeconds = slowest ?? .infinity
    campaign.files = file
    campaign.isOpenOnly = open
    campaign.sample = sample.map { ($0, seed) }
    campaign.deadline = minutes.map { ContinuousClock.now + .seconds($0 * 60) }
    let regressions = try campaign.run { tables in
      if !check { for (index, table) in tables.enumerated() { try table.write(to: place(rooms[index])) } }
    }
    // A check asks whether what was noticed is noticed; the bounds are a whole run's.
    var isGood = regressions.isEmpty
    if !check {
      let account = campaign.account(survivors: survivors, equivalents: equivalents, isGood: &isGood)
      for line in account { say(line) }
    }
    say(campaign.summary)
    for mutant in regressions {
      say("survives: Sources/\(mutant.key.file).swift:\(mutant.line) \(mutant.key.function): \(mutant.key.text)")
    }
    if !isGood { throw ExitCode(1) }
  }
}

/// A line that is seen at once.
func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
