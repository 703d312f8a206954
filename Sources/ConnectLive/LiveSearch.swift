import RollcallConnect
import RollcallDiscovery
import RollcallDoors
import RollcallLive
import RollcallPrimitives

/// One search by hand on the network of this machine: an engine of its own, which lives as long as the search.
///
/// It stands beside the engine of a manager, which fetches descriptions and browses: who only searches wants neither.
final class LiveSearch: Sendable {
  private let run: LiveRun

  /// - Parameter tell: called on the event loop, in order.
  init(
    _ search: Search, interfaces: [String], userAgent: String?, tell: @escaping @Sendable (SearchNews.Event) -> Void
  ) {
    var configuration = EngineConfiguration()
    configuration.hashSeed = .random(in: .min ... .max)
    configuration.userAgent = userAgent
    let engine = SearchingEngine(DiscoveryEngine(configuration)) { news in
      if news.search == search.id { tell(news.event) }
    }
    let party = LiveMachine(engine)
    party.firstCommands = [.search(search)]
    run = LiveRun(LivePlan(interfaces: interfaces, duration: nil), party: party)
  }

  /// Runs until `stop`, on a thread of its own.
  /// - Parameter fail: called there where there can be no run.
  func begin(fail: @escaping @Sendable (String) -> Void) {
    run.runApart { fail("\($0)") }
  }

  func stop() { run.stop() }
}

/// The engine, and what searches by hand are told of each call to it.
private struct SearchingEngine: Machine {
  private var engine: DiscoveryEngine
  private let tell: @Sendable (SearchNews) -> Void

  init(_ engine: DiscoveryEngine, tell: @escaping @Sendable (SearchNews) -> Void) {
    (self.engine, self.tell) = (engine, tell)
  }

  var deadline: Instant? { mutating get { engine.deadline } }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    let first = outbox.count
    engine.receive(signal, at: now, into: &outbox)
    for news in engine.searchNews(of: signal, from: first, in: outbox) { tell(news) }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    let first = outbox.count
    engine.wake(at: now, into: &outbox)
    for news in engine.searchNews(of: nil, from: first, in: outbox) { tell(news) }
  }
}
