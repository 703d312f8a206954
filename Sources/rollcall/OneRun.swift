import Foundation
import RollcallPicturing
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallTrace

/// One run with its trace kept, to be looked at.
struct OneRun {
  private let resolved: Resolved
  private let task: SuiteTask
  private let path: String
  /// The command that repeats it.
  private let again: String
  private let engine: RunEngine?

  init(suite: Suite, task: SuiteTask) throws {
    path = suite.files[task.file].path
    self.task = task
    let file = suite.files[task.file].scenario
    let points = try (suite.options.bites ? file.bitten ?? file : file).points(file: path)
    engine = suite.options.engine
    resolved = try points[task.point].scenario.resolved().asked(of: engine)
    again = FailureText.command(
      path: path, seed: task.seed, point: points[task.point].values, bites: suite.options.bites,
      engine: engine?.command)
  }

  /// A page of it.
  func picture() -> Picture {
    RunPicture.picture(of: resolved, seed: task.seed, path: path, again: again, engine: engine)
  }

  /// What happened, as a host saw it.
  func story(host name: String) throws -> RunStory {
    RunStory.tell(resolved, seed: task.seed, scenario: path, host: try host(named: name), engine: engine)
  }

  private func host(named name: String) throws -> Int {
    guard let host = resolved.host(named: name) else {
      let names = resolved.hosts.prefix(12).map(\.name).joined(separator: ", ")
      throw Complaint("--at \(name): there is no such host; there are \(names)")
    }
    return host
  }

  func writeCapture(to file: String, host name: String) throws {
    let host = try host(named: name)
    let result = Run.perform(
      resolved, seed: Seed(task.seed), options: RunOptions(recordedHosts: [host], watchedHost: host, engine: engine))
    let output = try Output(path: file)
    output.bytes(CaptureExport.write(result, of: resolved, host: host, scenario: path, seed: task.seed))
    try output.finish()
  }

  func writeTrace(to file: String) throws {
    let result = Run.perform(
      resolved, seed: Seed(task.seed),
      options: RunOptions(recordedHosts: Array(resolved.hosts.indices), engine: engine))
    let output = try Output(path: file)
    for entry in result.trace {
      output.line(TraceText.line(entry) { resolved.hosts[Int($0)].name })
    }
    try output.finish()
  }
}
