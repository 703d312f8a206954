import Foundation
import RollcallExpectations
import Testing

@testable import RollcallLive

@Suite("A program that is run to its end") struct SystemProgramTests {
  /// `exit code: output`; on a thread that may wait: those of tests are the ones on which tasks run.
  private func run(
    _ words: [String], without variables: [String] = [], input: String = "", keepsErrors: Bool = true
  ) async -> String {
    let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<SystemProgram.Outcome?, Never>) in
      Thread.detachNewThread {
        continuation.resume(
          returning: SystemProgram.run(words, without: variables, input: input, keepsErrors: keepsErrors))
      }
    }
    guard let outcome else { return "not started" }
    let output = String(decoding: outcome.output, as: UTF8.self)
    return "\(outcome.exitCode.map { "\($0)" } ?? "signal"): \(output.count > 40 ? "\(output.count)" : output)"
  }

  @Test("gives what it printed, errors among it or left out, and its exit code")
  func output() async {
    let words = ["sh", "-c", "cat; echo bad >&2; exit 3"]
    expectEqual(await run(words, input: "in\n"), "3: in\nbad\n")
    expectEqual(await run(words, input: "in\n", keepsErrors: false), "3: in\n")
    expectEqual(await run(["/bin/sh", "-c", "printf '%s|' \"$@\"", "sh", "a  b", "", "$HOME"]), "0: a  b||$HOME|")
  }

  @Test("a signal ends it without an exit code, and what is not there is not started")
  func ends() async {
    expectEqual(await run(["sh", "-c", "echo one; kill -9 $$"]), "signal: one\n")
    expectEqual(await run(["rollcall-no-such-program"]), "not started")
    expectEqual(await run(["/nowhere/program"]), "not started")
    expectEqual(await run([]), "not started")
  }

  @Test("it has the environment of its caller, without what is taken out")
  func environment() async {
    let words = ["sh", "-c", "test -n \"$PATH\" && echo \"${HOME-none}\""]
    expectEqual(await run(words, without: ["HOME"]), "0: none\n")
  }

  @Test("more than a pipe holds goes in and comes out")
  func large() async {
    expectEqual(await run(["cat"], input: String(repeating: "x", count: 300_000)), "0: 300000")
  }
}
