package import RollcallPrimitives
package import RollcallRunning

/// What a campaign keeps of a run.
package struct RunRecord: Hashable, Sendable {
  /// Which run it was.
  package struct Key: Hashable, Sendable, Comparable {
    /// Of the points of the sweep, from 0.
    package var point: Int
    package var seed: UInt64
    package init(point: Int, seed: UInt64) { (self.point, self.seed) = (point, seed) }
    package static func < (left: Key, right: Key) -> Bool { (left.point, left.seed) < (right.point, right.seed) }
  }

  package var key: Key
  package var outcome: RunOutcome
  /// Of the whole run.
  package var digest: Digest
  package var entries: UInt64
  package var facts = Facts()
  /// Devices that the engine could find, and those that it reported found.
  package var sought = 0
  package var found = 0
  /// From the engine's first search, or from the start of a run without one, to the report of the last of them, where all
  /// of them were found.
  package var foundAfter: Interval?
  /// Which expectation failed, and how; what went wrong otherwise. `nil`: nothing.
  package var failure: String?

  package init(key: Key, outcome: RunOutcome, digest: Digest, entries: UInt64) {
    (self.key, self.outcome, self.digest, self.entries) = (key, outcome, digest, entries)
  }

  package var hasFoundAll: Bool { found == sought }
}

extension RunRecord {
  /// The digest of what a campaign came to: the same for the same runs, in however many parts they were performed.
  /// - Parameter records: in the order of their keys.
  package static func digest(of records: some Sequence<RunRecord>) -> Digest {
    var digest = Digest()
    for record in records {
      digest.combine(UInt64(record.key.point), record.key.seed)
      digest.combine(record.digest.state, record.entries)
      digest.combine(UInt64(record.sought), UInt64(record.found))
      digest.combine(UInt64(bitPattern: record.foundAfter?.nanoseconds ?? -1), record.facts.bits)
      digest.combine(record.outcome.rawValue)
      digest.combine(record.failure ?? "")
    }
    return digest
  }
}
