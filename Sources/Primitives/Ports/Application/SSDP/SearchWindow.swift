// How long a search listens: one rule for engines, captures and their stories.
extension Search {
  /// How long a search listens after a copy of it: MX and a tenth of a second for the way back (UDA-1.3.2-WAIT).
  package static func listening(waitSeconds: Int) -> Interval {
    .seconds(Int64(max(1, waitSeconds))) + .milliseconds(100)
  }

  /// MX of a captured search: 1 ... 120 s, since a capture holds what old searches asked for and got
  /// (UDA-1.3.2-MX-MAX5: 1.0 allowed it).
  package static func capturedWaitSeconds(_ seconds: Int) -> Int { min(max(seconds, 1), 120) }

  /// How long a captured search listens after a copy of it.
  package var capturedListening: Interval {
    Search.listening(waitSeconds: Search.capturedWaitSeconds(maximumWaitSeconds))
  }
}
