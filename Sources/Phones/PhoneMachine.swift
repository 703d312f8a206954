package import RollcallDiscovery
package import RollcallPeers
package import RollcallPrimitives
import RollcallWire
import Synchronization

/// The machine of a phone: Rollcall's own engine, which connects and asks, a record of what its radio hears, since an
/// application that scans is told of packets and not of devices, and its nearby side.
package struct PhoneMachine: Machine, Sendable {
  private(set) var engine: DiscoveryEngine
  let heard: Heard
  private(set) var device: PeerDevice?
  private let box: NearbyBox
  private let engineHearsNetwork: Bool

  /// What was heard since it was taken last.
  package final class Heard: Sendable {
    struct State {
      var packets: [(time: Instant, packet: RadioPDU)] = []
      /// Of connections that centrals have made.
      var links: [(time: Instant, number: LinkID, signal: LinkSignal)] = []
      /// Of searches by hand.
      var searches: [SearchNews] = []
      /// What the radio said last.
      var power: (time: Instant, isOn: Bool)?
      /// When the phone wants time to stop for it.
      var alarm = Instant.never
    }
    let state = Mutex(State())
    package init() {}
  }

  /// - Parameters:
  ///   - nearby: its nearby side; `nil`: it has no network.
  ///   - engineHearsNetwork: whether the engine hears the LAN, too.
  package init(
    _ configuration: EngineConfiguration, heard: Heard, nearby: (device: PeerDevice, box: NearbyBox)? = nil,
    engineHearsNetwork: Bool = true
  ) {
    engine = DiscoveryEngine(configuration)
    (self.heard, self.engineHearsNetwork) = (heard, engineHearsNetwork)
    (device, box) = (nearby?.device, nearby?.box ?? NearbyBox())
  }

  package var deadline: Instant? {
    mutating get {
      if box.isWaiting { return .zero }
      let next = min(
        engine.deadline ?? .never, device?.deadline ?? .never, heard.state.withLock { $0.alarm })
      return next == .never ? nil : next
    }
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      let port = datagram.destination.port
      if port == Endpoint.mdnsPort || port == device?.plan.port {
        device?.receive(signal, at: now, into: &outbox)
        handOver()
      }
      // The engine looks for services as well; the port of the sessions is none of its.
      if engineHearsNetwork, port != device?.plan.port { give(signal, at: now, into: &outbox) }
    case .value(let id):
      let value = outbox.values[id]
      switch value {
      case .radio(.heard(let packet)): heard.state.withLock { $0.packets.append((now, packet)) }
      // Those that this phone made itself are the engine's, which numbers them from below.
      case .radio(.link(let number, let signal)) where number.number > UInt32.max / 2:
        heard.state.withLock { $0.links.append((now, number, signal)) }
      case .host(.power(let power)): heard.state.withLock { $0.power = (now, power == .on) }
      case .host(.interface):
        device?.receive(signal, at: now, into: &outbox)
        handOver()
        if !engineHearsNetwork { return }
      default: break
      }
      give(signal, at: now, into: &outbox)
    }
  }

  /// Gives the engine a signal, and notes what comes of it for searches by hand.
  private mutating func give(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    let first = outbox.count
    engine.receive(signal, at: now, into: &outbox)
    noteSearches(signal, from: first, outbox)
  }

  private mutating func noteSearches(_ signal: Signal?, from first: Int, _ outbox: Outbox) {
    let news = engine.searchNews(of: signal, from: first, in: outbox)
    if !news.isEmpty { heard.state.withLock { $0.searches += news } }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    heard.state.withLock { if $0.alarm <= now { $0.alarm = .never } }
    let first = outbox.count
    engine.wake(at: now, into: &outbox)
    noteSearches(nil, from: first, outbox)
    device?.wake(at: now, into: &outbox)
    if device != nil { box.perform(on: &device!, at: now, into: &outbox) }
    handOver()
  }

  private mutating func handOver() {
    if device != nil { box.take(from: &device!) }
  }
}
