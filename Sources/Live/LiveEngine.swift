package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallTrace

/// The live driver: the engine of the simulations, on a real network.
///
/// A timer that is late changes nothing for the engine: it is woken at the time it asked for, as everywhere, and only
/// what it sends is late. So a trace of a live run replays entry for entry.
package final class LiveEngine: LiveMachine<DiscoveryEngine> {
  private let searches: [Search]
  /// Every search that was asked for, in the order of their numbers.
  package private(set) var asked: [SearchID] = []
  /// Interfaces that were down when they were last told of.
  private var down: [InterfaceID] = []
  package private(set) var ended = Instant.zero

  /// - Parameters:
  ///   - searches: given when the run begins.
  ///   - onReport: called on the event loop, in order.
  package init(
    _ configuration: EngineConfiguration, searches: [Search], recorder: Recorder? = nil,
    onReport: @escaping (Report, Instant) -> Void
  ) {
    self.searches = searches
    var configuration = configuration
    // On a real network somebody may send names that collide; no output depends on it, so a trace replays all the same.
    configuration.hashSeed = .random(in: .min ... .max)
    super.init(DiscoveryEngine(configuration), recorder: recorder)
    self.onReport = onReport
  }

  package var engine: DiscoveryEngine { machine }

  package override func begin(at now: Instant) {
    for search in searches { ask(search, at: now) }
  }

  private func ask(_ search: Search, at now: Instant) {
    asked.append(search.id)
    give(.command(.search(search)), at: now)
  }

  /// On an interface that is back everything is searched for again: the devices there were lost with it.
  package override func take(_ change: InterfaceChange, at now: Instant) {
    super.take(change, at: now)
    let wasDown = down.contains(change.interface)
    down.removeAll { $0 == change.interface }
    if !change.isUp { down.append(change.interface) }
    guard change.isUp, wasDown, !asked.isEmpty, asked.count < LiveEngine.searchesMaximum else { return }
    for var search in searches where search.interface == nil || search.interface == change.interface {
      (search.id, search.interface) = (SearchID((asked.last?.number ?? 0) + 1), change.interface)
      ask(search, at: now)
    }
  }

  /// An interface that comes and goes is not searched for ever.
  private static let searchesMaximum = 10_000

  /// Searches that are still open end as stopped; devices stay what they are.
  package override func end(at now: Instant) {
    for search in asked { give(.command(.stopSearch(search)), at: now) }
    if engine.configuration.descriptions == .fetch { give(.command(.stopDescriptions), at: now) }
    ended = self.now
  }
}
