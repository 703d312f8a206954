import ArgumentParser
import Foundation
import RollcallPrimitives
import RollcallReporting
import RollcallRunning

/// `run --watch`: runs, waits until a scenario is changed, runs what that asks for, until somebody ends it.
struct RunWatch {
  let command: RunCommand

  /// Files are looked at every half second; whether somebody ended it is asked five times as often.
  private static let (pauses, pauseSeconds) = (5, 0.1)

  func run() throws {
    if command.paths.contains(InputFiles.standardInput) {
      throw Complaint("--watch looks at files again and again, and standard input can be read once")
    }
    let interrupt = RunInterrupt()
    var files = try look()
    // What makes no sense at the start is no matter of changes.
    _ = try command.perform(.everything, interrupt)
    while !interrupt.hasCome {
      interrupt.isIdle = true
      Output.complain("watching \(PlainWords.count(files.scenarios.count, "scenario")); Ctrl-C ends")
      let found = try wait(&files, interrupt)
      interrupt.isIdle = false
      guard let change = found else { break }
      Output.complain("--- \(TimeStyle.local.text(.now, since: nil)) \(change.text)")
      if change.wanted == .nothing { continue }
      do { _ = try command.perform(change.wanted, interrupt) } catch let complaint as Complaint {
        // A file that is being written is looked at again when it is.
        Output.complain(complaint.message)
      }
    }
    throw Exit.interrupted
  }

  private func look() throws -> WatchedFiles {
    WatchedFiles(
      command.paths, filter: try command.filters.filter(), beside: command.expected.map { [$0] } ?? [])
  }

  /// Waits until something is different; `nil`: it was ended.
  private func wait(_ files: inout WatchedFiles, _ interrupt: RunInterrupt) throws -> WatchChange? {
    while true {
      for _ in 0..<RunWatch.pauses {
        if interrupt.hasCome { return nil }
        Thread.sleep(forTimeInterval: RunWatch.pauseSeconds)
      }
      let now = try look()
      let change = WatchChange(from: files, to: now)
      files = now
      if !change.isEmpty { return change }
    }
  }
}
