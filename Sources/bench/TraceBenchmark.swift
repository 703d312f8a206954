import RollcallPrimitives
import RollcallSimulation
import RollcallTrace

/// What it costs to keep every entry of a run, beyond the digest that is always on.
enum TraceBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let count = options.size(1_000, smoke: 5)
    func contender(_ name: String, _ recorder: @escaping () -> Recorder?) -> Contender {
      Contender(name) {
        let kept = recorder()
        let box = SearchBenchmark.Box(
          World(plan: SearchBenchmark.plan(deviceCount: count, seed: Seed(9)), recorder: kept))
        return {
          box.world.runAll()
          return (
            Int(box.world.gate.entryCount), Proof.fold(box.world.gate.digest.state, UInt64(kept?.entries.count ?? 0))
          )
        }
      }
    }
    let contest = Contest(
      [contender("recorder") { Recorder() }, contender("digest") { nil }], passes: options.passes(9))
    report.note("trace: the search above with N = \(count); with the recorder every entry is kept with its bytes")
    report.add(
      Figure(
        name: "an entry with the in-memory recorder", value: contest.median(0), unit: "ns",
        anchor: ("an entry with the digest only", contest.median(1)), ratio: contest.ratio(0, to: 1)))
    return contest.proof
  }
}
