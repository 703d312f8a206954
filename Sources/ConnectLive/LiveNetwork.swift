import Foundation
import RollcallConnect
import RollcallDiscovery
import RollcallDoors
import RollcallLive
import RollcallPrimitives

/// The real network of this machine, for managers and search sessions that are made outside of a virtual world.
///
///     LiveNetwork.attach()
///     let manager = DiscoveryManager.shared
public enum LiveNetwork {
  private static let attached = Guarded<LiveDiscovery?>(nil)

  /// Managers and search sessions that are made from now on, outside of a world, use the network of this machine. Nothing is
  /// sent before one of them starts.
  /// - Parameters:
  ///   - interfaces: their names, as `en0`; empty: all that are up and can multicast when one starts. A manager then takes
  ///     in others as well, when they come or get an address, and loses what was found on one that goes.
  ///   - userAgent: what searches say of the application, as UDA has it: `OS/version UPnP/1.1 product/version`.
  public static func attach(interfaces: [String] = [], userAgent: String? = nil) {
    let host = LiveDiscovery(interfaces: interfaces, userAgent: userAgent)
    attached.withLock { $0 = host }
    DiscoveryLink.standard = host
  }

  /// Managers and sessions that are made from now on have no network; those that run end.
  public static func detach() {
    let host = attached.withLock { host in
      defer { host = nil }
      return host
    }
    host?.end()
    DiscoveryLink.standard = nil
  }
}

/// Runs an engine on the network while a manager wants it, and one for each search by hand.
final class LiveDiscovery: DiscoveryHost, @unchecked Sendable {
  private struct Memory {
    var door: (any DiscoveryDoor)?
    var run: LiveRun?
    var engine: LiveEngine?
  }
  private struct Searches {
    /// Those that are not over, in the order in which they began.
    var open: [(id: SearchID, search: LiveSearch)] = []
    var count: UInt32 = 0
  }
  let queues = DoorQueues()
  var unixNanoseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000_000) }
  private let interfaces: [String]
  private let userAgent: String?
  private let scan: () -> [LiveInterface]
  private let memory = Guarded(Memory())
  private let searches = Guarded(Searches())

  /// - Parameter scan: what interfaces there are.
  init(interfaces: [String], userAgent: String?, scan: @escaping () -> [LiveInterface] = LiveInterface.scan) {
    (self.interfaces, self.userAgent, self.scan) = (interfaces, userAgent, scan)
  }

  deinit {
    memory.current.run?.stop()
    for entry in searches.current.open { entry.search.stop() }
  }

  /// Names of the interfaces to run on, as of now.
  private var usableInterfaces: [String] {
    interfaces.isEmpty ? scan().filter(\.isUsable).map(\.name) : interfaces
  }
  private static let noInterface = Failure(
    reason: .noInterface,
    explanation: "no interface of this machine is up and can multicast: see whether a network is connected")

  func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup) {
    let names = usableInterfaces
    if names.isEmpty { return door.push(.ended(LiveDiscovery.noInterface)) }
    var configuration = EngineConfiguration()
    configuration.descriptions = .fetch
    configuration.querySeed = Seed(UInt64.random(in: .min ... .max))
    configuration.userAgent = userAgent
    configuration.manager = ManagerConfiguration(setup)
    let engine = LiveEngine(configuration, searches: []) { [weak self] report, _ in self?.take(report) }
    var plan = LivePlan(interfaces: names, duration: nil)
    plan.followsOthers = interfaces.isEmpty
    let run = LiveRun(plan, party: engine, scan: scan)
    var nextHour = Instant.zero + .hours(1)
    var shownChanges: UInt64?
    // Once a second: somebody who forges devices makes this no dearer.
    run.onLook = { [weak self] now in
      let machine = engine.engine
      if let changes = machine.managedChanges, changes != shownChanges {
        shownChanges = changes
        self?.push(.present(machine.managedDevices.map { PresentDevice(id: $0.id, state: $0.state) }))
      }
      if now < nextHour { return }
      nextHour = now + .hours(1)
      self?.push(.hourPassed)
    }
    let before = memory.withLock { memory in
      defer { memory = Memory(door: door, run: run, engine: engine) }
      return memory.run
    }
    before?.stop()
    // The application is told once if it looks for what is found by radio.
    give(.host(.power(.unsupported)))
    run.runApart { [weak self] error in
      self?.forget(run)
      door.push(.ended(Failure(reason: .noInterface, explanation: "\(error)")))
    }
  }

  func ask(_ command: ManagerCommand) { give(.command(.manager(command))) }

  private func give(_ signal: SignalValue) {
    let (run, engine) = memory.withLock { ($0.run, $0.engine) }
    guard let run, let engine else { return }
    let box = UncheckedBox(engine)
    run.tell { now in box.value.give(signal, at: now) }
  }

  /// This one is over by itself: there is nothing to stop.
  private func forget(_ run: LiveRun) {
    memory.withLock { memory in if memory.run === run { memory = Memory() } }
  }

  func detach(_ door: any DiscoveryDoor) {
    if memory.withLock({ $0.door === door }) { endManager() }
  }

  /// Ends everything.
  func end() {
    endManager()
    let open = searches.withLock { searches in
      defer { searches.open = [] }
      return searches.open
    }
    for entry in open { entry.search.stop() }
  }

  private func endManager() {
    let run = memory.withLock { memory in
      defer { memory = Memory() }
      return memory.run
    }
    run?.stop()
  }

  func begin(_ search: Search, for door: any SearchDoor) -> SearchID {
    var search = search
    search.id = searches.withLock { searches in
      defer { searches.count += 1 }
      return .byHand(after: searches.count)
    }
    let (id, names) = (search.id, usableInterfaces)
    if names.isEmpty {
      door.push(.failed(LiveDiscovery.noInterface))
      return id
    }
    let live = LiveSearch(search, interfaces: names, userAgent: userAgent) { [weak self] event in
      door.push(event)
      if case .ended = event { self?.stopSearch(id) }
    }
    searches.withLock { $0.open.append((id, live)) }
    live.begin { reason in door.push(.failed(Failure(reason: .noInterface, explanation: reason))) }
    return id
  }

  func stopSearch(_ id: SearchID) {
    let search = searches.withLock { searches -> LiveSearch? in
      guard let place = searches.open.firstIndex(where: { $0.id == id }) else { return nil }
      return searches.open.remove(at: place).search
    }
    search?.stop()
  }

  /// On the event loop.
  private func take(_ report: Report) {
    if let news = DiscoveryNews(report) { push(news) }
  }
  private func push(_ news: DiscoveryNews) { memory.withLock { $0.door }?.push(news) }
}

/// The engine is used on its event loop alone.
private struct UncheckedBox: @unchecked Sendable {
  let value: LiveEngine
  init(_ value: LiveEngine) { self.value = value }
}
