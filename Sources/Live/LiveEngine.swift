package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallTrace

/// The live driver: the engine of the simulations, on a real network.
///
/// A timer that is late changes nothing for the engine: it is woken at the time it asked for, as everywhere, and only
/// what it sends is late. So a trace of a live run replays entry for entry.
package final class LiveEngine: LiveMachine<DiscoveryEngine> {
  private let searches: [Search]
  package private(set) var ended = Instant.zero

  /// - Parameters:
  ///   - searches: given when the run begins.
  ///   - onReport: called on the event loop, in order.
  package init(
    _ configuration: EngineConfiguration, searches: [Search], recorder: Recorder? = nil,
    onReport: @escaping (Report, Instant) -> Void
  ) {
    self.searches = searches
    super.init(DiscoveryEngine(configuration), recorder: recorder)
    self.onReport = onReport
  }

  package var engine: DiscoveryEngine { machine }

  package override func begin(at now: Instant) {
    for search in searches { give(.command(.search(search)), at: now) }
  }

  /// Searches that are still open end as stopped; devices stay what they are.
  package override func end(at now: Instant) {
    for search in searches { give(.command(.stopSearch(search.id)), at: now) }
    if engine.configuration.descriptions == .fetch { give(.command(.stopDescriptions), at: now) }
    ended = self.now
  }
}
