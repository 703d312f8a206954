import ArgumentParser
import Foundation
import RollcallLive
import RollcallReporting
import RollcallRunning

/// Runs everything in two processes of its own and compares the digests.
struct DeterminismCheck {
  let command: RunCommand
  let files: [ScenarioFile]

  func run() throws {
    let (first, second) = (try digests(), try digests())
    var differences: [String] = []
    for (index, line) in first.enumerated() where index >= second.count || second[index] != line {
      differences.append(line.key)
      if differences.count == 1 { try explain(line) }
    }
    if first.isEmpty || first.count != second.count {
      throw Complaint("the two processes did not run the same", code: Exit.broken)
    }
    if differences.isEmpty {
      try Output(path: command.output.output).line(
        "\(files.count) scenarios, \(first.count) runs, each in two processes: every digest is equal")
      return
    }
    let list = differences.prefix(5).joined(separator: "; ")
    throw Complaint(
      "\(differences.count) of \(first.count) runs differ between two processes: \(list)", code: Exit.notDeterministic)
  }

  private struct Line: Equatable {
    var scenario: String
    var point: String
    var seed: UInt64
    var digest: String
    var key: String { "\(scenario) seed \(seed)\(point.isEmpty ? "" : " \(point)")" }
  }

  private func digests() throws -> [Line] {
    let text = try child(command.paths + options + ["--format", "json"])
    return try text.split(separator: "\n").compactMap { line in
      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        object["kind"] as? String == "run", let scenario = object["scenario"] as? String,
        let seed = object["seed"] as? NSNumber, let digest = object["digest"] as? String
      else { return nil }
      // An engine that fails says the same twice, and proves nothing.
      if command.engine != nil, object["outcome"] as? String == "error" {
        let why = object["message"] as? String ?? "a run came to nothing"
        throw Complaint("\(scenario) seed \(seed): \(why)", code: Exit.broken)
      }
      let point = (object["point"] as? [String: String] ?? [:]).sorted { $0.key < $1.key }
        .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      return Line(scenario: scenario, point: point, seed: seed.uint64Value, digest: digest)
    }
  }

  /// Shows the first trace entry at which two processes part.
  private func explain(_ line: Line) throws {
    guard line.point.isEmpty else { return }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var traces: [[Substring]] = []
    for name in ["first", "second"] {
      let file = folder.appendingPathComponent(name).path
      _ = try child(
        [line.scenario, "--seed", "\(line.seed)", "--trace", file, "--quiet"] + engineOptions
          + (command.canary ? ["--canary"] : []))
      traces.append(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n"))
    }
    for index in 0..<max(traces[0].count, traces[1].count) {
      let left = index < traces[0].count ? traces[0][index] : "(ended)"
      let right = index < traces[1].count ? traces[1][index] : "(ended)"
      if left == right { continue }
      Output.complain("\(line.key): entry \(index + 1) differs\n  one process    \(left)\n  another        \(right)")
      return
    }
    Output.complain("\(line.key): the digests differ, the traces do not")
  }

  private var options: [String] {
    var options: [String] = []
    if let seed = command.seed { options += ["--seed", "\(seed)"] }
    if let seeds = command.seeds { options += ["--seeds", seeds] }
    if let shard = command.shard { options += ["--shard", shard] }
    if let jobs = command.jobs { options += ["--jobs", "\(jobs)"] }
    options += command.filters.words
    options += engineOptions
    for replacement in command.replacements { options += ["--set", replacement] }
    if command.canary { options.append("--canary") }
    return options
  }

  private var engineOptions: [String] {
    guard let engine = command.engine else { return [] }
    return ["--engine", engine] + (command.engineLimit.map { ["--engine-limit", "\($0)"] } ?? [])
  }

  /// Runs this very program again; its own verdicts do not matter here.
  private func child(_ arguments: [String]) throws -> String {
    var program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    if !FileManager.default.isExecutableFile(atPath: program) { program = Bundle.main.executableURL?.path ?? program }
    let outcome = SystemProgram.run(
      [program, "run"] + arguments,
      // The order of hashed collections must differ between the two, so that depending on it shows.
      without: ["SWIFT_DETERMINISTIC_HASHING"], keepsErrors: false)
    guard let outcome else { throw Complaint("a process of its own cannot be started", code: Exit.broken) }
    guard let code = outcome.exitCode, code != 2 else {
      let end = outcome.exitCode.map { "status \($0)" } ?? "a signal"
      throw Complaint("a process of its own ended with \(end)", code: Exit.broken)
    }
    return String(decoding: outcome.output, as: UTF8.self)
  }
}
