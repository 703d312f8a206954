package import RollcallPrimitives
import RollcallReporting

/// The digest of a scenario: of all of its runs, in their order; of one run, that run's own.
///
/// The same stands in the text of `rollcall run`, in its JSON lines of kind `scenario`, and in `Scenarios/digests.txt`.
package struct ScenarioDigest: Hashable, Sendable {
  package private(set) var runCount = 0
  private var first = Digest()
  private var sum = Digest()

  package init() {}

  package mutating func add(_ run: Digest) {
    runCount += 1
    if runCount == 1 { first = run }
    sum.combine(run.state)
  }

  package var digest: Digest { runCount == 1 ? first : sum }
}

extension RunLines {
  /// `{"kind":"scenario",…}`, behind the runs of a scenario.
  package static func scenario(_ path: String, digest: ScenarioDigest) -> String {
    var line = JSONLine(kind: "scenario")
    line.add("scenario", path)
    line.add("runs", digest.runCount)
    line.add("digest", digest.digest.description)
    return line.closed
  }
}
