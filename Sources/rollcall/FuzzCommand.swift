import ArgumentParser
import RollcallFuzzTargets
import RollcallPrimitives
import RollcallReporting
import RollcallTrace

struct FuzzCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz",
    abstract: "Feed a fuzz target seeded mutations for a quick look; `make fuzz-smoke` uses libFuzzer.",
    discussion: "rollcall fuzz ssdp-lenient --seed 7 --runs 200000")

  @Argument(help: "The target; without one, all are listed.")
  var target: String?

  @Option(help: "The seed of the mutations.")
  var seed: UInt64 = 1

  @Option(help: "How many inputs.")
  var runs = 20_000

  func run() throws {
    let out = try Output(path: nil)
    guard let target else {
      for one in allTargets { out.line(one.name) }
      return
    }
    guard let one = FuzzTarget.named(target) else {
      throw Complaint(
        "there is no fuzz target '\(target)'; there are \(allTargets.map(\.name).joined(separator: ", "))")
    }
    try Numbers.check(runs, 1...1_000_000_000, "--runs")
    out.line("\(one.name): \(runs) inputs, seed \(seed)")
    out.flush()
    let progress = Progress("fuzzing")
    defer { progress.end() }
    var inputs = FuzzMutations(of: one, seed: Seed(seed))
    for number in 1...runs {
      if number % 64 == 0 { progress.show(.counted(done: number, of: runs, what: one.name)) }
      let input = inputs.next()
      do throws(FuzzFinding) {
        try one.run(input)
      } catch {
        throw Complaint(
          "input \(number): \(error.what)\n  \(WordWriter.escaped(input))\n"
            + "again: rollcall fuzz \(target) --seed \(seed) --runs \(number)", code: Exit.expectationFailed)
      }
    }
    progress.end()
    out.line("\(one.name): nothing found")
  }
}
