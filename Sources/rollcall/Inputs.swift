import ArgumentParser
import Foundation
import RollcallEngines
import RollcallJudging
import RollcallLive
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios

/// Reads what the command line names.
enum Inputs {
  /// Scenarios, every one of which has to be readable.
  static func scenarios(_ paths: [String], replacing: [String] = []) throws -> [ScenarioFile] {
    let (files, unreadable) = try readable(paths, replacing: replacing)
    if !unreadable.isEmpty { throw Complaint(unreadable.map(\.text).joined(separator: "\n")) }
    return files
  }

  /// The one scenario that a verb serves, with its path; of a sweep the first point.
  static func resolvedScenario(_ path: String, of verb: String) throws -> (path: String, resolved: Resolved) {
    let files = try scenarios([path])
    guard files.count == 1, let file = files.first else { throw Complaint("\(path): \(verb) takes one scenario") }
    do { return (file.path, try file.scenario.points(file: file.path)[0].scenario.resolved()) } catch {
      throw Complaint("\(error)")
    }
  }

  /// The scenarios that can be read, and why the others cannot.
  /// - Parameters:
  ///   - filter: what its paths leave out is not read.
  ///   - wanted: which of the files are read.
  static func readable(
    _ paths: [String], replacing: [String] = [], filter: ScenarioFilter = ScenarioFilter(),
    wanted: WatchChange.Wanted = .everything
  ) throws -> (files: [ScenarioFile], unreadable: [UnreadableInput]) {
    var files: [ScenarioFile] = []
    var unreadable: [UnreadableInput] = []
    var isAnyThere = false
    for path in paths {
      guard let found = ScenarioFile.paths(at: path) else {
        unreadable.append(UnreadableInput(path, "there is no such file or folder"))
        continue
      }
      isAnyThere = isAnyThere || !found.isEmpty
      for file in found where filter.takes(path: file) && wanted.takes(file) {
        do {
          var read = try ScenarioFile.read(file)
          read.isNamed = file == path
          if !replacing.isEmpty { read.scenario = try replaced(read, replacing) }
          files.append(read)
        } catch let error as ScenarioErrors {
          unreadable.append(UnreadableInput(file, error))
        } catch let error as Complaint {
          throw error
        } catch {
          unreadable.append(UnreadableInput(file, "\(error)"))
        }
      }
    }
    if !isAnyThere, unreadable.isEmpty { throw Complaint("no scenario found in \(paths.joined(separator: " "))") }
    return (files, unreadable)
  }

  /// Replacements are a sweep with one value each.
  private static func replaced(_ file: ScenarioFile, _ replacements: [String]) throws -> Scenario {
    var scenario = file.scenario
    var sweep: [Sweep] = []
    for text in replacements {
      guard let equals = text.firstIndex(of: "="),
        let one = Sweep(String(text[..<equals]), [String(text[text.index(after: equals)...])])
      else { throw Complaint("--set takes PATH=VALUE, as in network.link.loss=10%, and not '\(text)'") }
      sweep.append(one)
    }
    let paths = sweep.map { $0.path.description }
    scenario.sweep = scenario.sweep.filter { !paths.contains($0.path.description) } + sweep
    return scenario
  }

  static func suite(
    _ files: [ScenarioFile], _ command: RunCommand, isOver: @escaping @Sendable () -> Bool
  ) throws -> Suite {
    var options = Suite.Options()
    options.isOver = isOver
    options.jobs = try jobs(command.jobs)
    options.filter = try command.filters.filter()
    options.bites = command.bites
    options.engine = try engine(command.engine, limitSeconds: command.engineLimit)
    if command.output.format == .json { options.reports = command.reports ? .all : .failed }
    if let seed = command.seed { options.seeds = seed...seed }
    if let text = command.seeds { options.seeds = try seeds(text) }
    options.shard = try shard(command.shard)
    // The alarm test: a seed that differs from process to process, as careless code would have it.
    if command.canary { options.seedNoise = UInt64(bitPattern: Int64("canary".hashValue)) }
    // What --set says is found out here, where the sweep that it is comes to be unfolded.
    do { return try Suite(files: files, options: options) } catch { throw Complaint("\(error)") }
  }

  /// An engine in a process of its own; `nil`: none was named.
  static func engine(_ command: String?, limitSeconds: Double?) throws -> RunEngine? {
    if command == nil, limitSeconds != nil { throw Complaint("--engine-limit is for --engine") }
    guard let command else { return nil }
    let limitSeconds = limitSeconds ?? EngineProcess.limitSeconds
    guard (0.001...3_600).contains(limitSeconds) else {
      throw Complaint("--engine-limit takes seconds from 0.001 to 3600, and not \(limitSeconds)")
    }
    let words: [String]
    do { words = try CommandWords.split(command) } catch { throw Complaint("--engine \(command): \(error.rawValue)") }
    return RunEngine(command: command) { () throws(EngineFailure) -> any EngineChannel in
      try EngineProcess(words, limitSeconds: limitSeconds)
    }
  }

  static func seeds(_ text: String) throws -> ClosedRange<UInt64> {
    if let seeds = Scenario.seeds(text) { return seeds }
    throw Complaint(
      "--seeds takes what 'seeds:' takes, 7 or 1..200 with at most \(Scenario.seedsMaximum) seeds, and not '\(text)'")
  }

  /// All runs by default.
  static func shard(_ text: String?) throws -> (index: Int, count: Int) {
    guard let text else { return (1, 1) }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int(digits: $0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], index >= 1, index <= count else {
      throw Complaint("--shard takes I/K with I from 1 to K, as in 1/4, and not '\(text)'")
    }
    return (index, count)
  }

  static func jobs(_ wanted: Int?) throws -> Int {
    guard let wanted else { return max(1, ProcessInfo.processInfo.activeProcessorCount) }
    guard (1...1_024).contains(wanted) else {
      throw Complaint("--jobs takes a number from 1 to 1024, and not \(wanted)")
    }
    return wanted
  }
}
