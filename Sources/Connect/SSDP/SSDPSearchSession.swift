public import Dispatch
import Foundation
import RollcallDoors
import RollcallPrimitives

/// One search by hand: it asks a few times, tells of each service that answers once, and ends by itself.
///
///     LiveNetwork.attach()
///     let configuration = SSDPSearchSessionConfiguration.createMulticastConfiguration(forSearchTarget: "ssdp:all")
///     session = SSDPSearchSession(configuration: configuration)
///     session?.delegate = self
///     session?.startSearch()
///
/// It ends MX times the number of broadcasts, and a tenth of a second, after its start. It is single-use: another search
/// needs another session. It lives as long as somebody holds it; when nobody does, the search stops and nothing more is told.
/// Any number of sessions may run at once, also beside a `DiscoveryManager`.
///
/// Which answers are accepted is the rule of the engine. An answer has to come to the port that asked, while the session runs;
/// its ST has to be what was asked for, in the same or a higher version; its LOCATION has to be near (not `127.0.0.1`, not the
/// host of somebody else off the link).
public final class SSDPSearchSession: @unchecked Sendable {
  private enum Stage { case new, searching, over }

  private struct Memory {
    weak var delegate: (any SSDPSearchSessionDelegate)?
    var stage = Stage.new
    /// Given by the host.
    var number: SearchID?
    var heard = Heard()
    /// What was told, in order.
    var found: [SSDPService] = []
  }

  /// What answered; only looked up.
  struct Heard {
    /// The most services of one session, as of a search of the engine.
    var countMaximum = 16_384
    var services: Set<SSDPService.Identity> = []

    /// - Returns: whether it is new, and there is room for it.
    mutating func insert(_ service: SSDPService.Identity) -> Bool {
      services.count < countMaximum && services.insert(service).inserted
    }
  }

  private let configuration: SSDPSearchSessionConfiguration
  private let host: any DiscoveryHost
  private let memory = Guarded(Memory())
  /// Callbacks are made here.
  public let queue: DispatchQueue

  /// A session whose callbacks are made on the main queue.
  /// - Returns: `nil` where there is no network to search on: `LiveNetwork.attach` was not called, and there is no world.
  public convenience init?(configuration: SSDPSearchSessionConfiguration) {
    self.init(configuration: configuration, queue: .main)
  }

  /// - Parameter queue: a serial queue for callbacks.
  /// - Returns: `nil` where there is no network to search on.
  public init?(configuration: SSDPSearchSessionConfiguration, queue: DispatchQueue) {
    guard let host = DiscoveryLink.host else { return nil }
    (self.configuration, self.host, self.queue) = (configuration, host, queue)
    host.queues.add(queue)
  }

  deinit {
    let (stage, number) = memory.withLock { ($0.stage, $0.number) }
    if stage == .searching, let number { host.stopSearch(number) }
    host.queues.remove(queue)
  }

  public weak var delegate: (any SSDPSearchSessionDelegate)? {
    get { memory.withLock { $0.delegate } }
    set { memory.withLock { $0.delegate = newValue } }
  }

  // MARK: - Search

  /// Sends the first M-SEARCH, and listens. Does nothing the second time.
  public func startSearch() {
    host.queues.heardCall()
    let isFirst = memory.withLock { memory in
      defer { if memory.stage == .new { memory.stage = .searching } }
      return memory.stage == .new
    }
    guard isFirst else { return }
    // What follows is told even if the application lets the session go: it holds itself until then.
    guard let search = configuration.search else {
      return host.queues.schedule(on: queue) { self.abort(.addressCreationFailure) }
    }
    let number = host.begin(search, for: Door(self))
    let isOver = memory.withLock { memory in
      memory.number = number
      return memory.stage == .over
    }
    // Stopped meanwhile, on another thread.
    if isOver { host.stopSearch(number) }
  }

  /// Ends the search before its time: nothing more is sent or found. Does nothing while it does not search.
  public func stopSearch() {
    host.queues.heardCall()
    guard close() else { return }
    host.queues.schedule(on: queue) { self.tellStop() }
  }

  /// Whether it was open until now.
  private func close() -> Bool {
    let (wasOpen, number) = memory.withLock { memory -> (Bool, SearchID?) in
      guard memory.stage == .searching else { return (false, nil) }
      memory.stage = .over
      return (true, memory.number)
    }
    if wasOpen, let number { host.stopSearch(number) }
    return wasOpen
  }

  // MARK: - What the host says

  /// What a host says reaches the session by this, as long as somebody holds the session.
  private final class Door: SearchDoor {
    private let session: Guarded<Weakly<SSDPSearchSession>>

    init(_ session: SSDPSearchSession) { self.session = Guarded(Weakly(session)) }

    func push(_ event: SearchNews.Event) { session.current.object?.take(event) }
  }

  /// On a thread of the host. Repetitions end here, so that a busy network does not fill the queue of the application.
  private func take(_ event: SearchNews.Event) {
    switch event {
    case .answer(let bytes):
      let time = Date(timeIntervalSince1970: Double(host.unixNanoseconds) / 1_000_000_000)
      guard let service = SSDPServiceParser.parse(bytes, receivedAt: time) else { return }
      let isNew = memory.withLock { $0.heard.insert(service.identity) }
      let carried = Carried(service)
      if isNew { schedule { $0.tell(carried.value) } }
    case .ended(let wasStopped): schedule { $0.end(timedOut: !wasStopped) }
    case .failed(let failure): schedule { $0.abort(.searchAborted(DiscoveryError(failure))) }
    }
  }

  private func schedule(_ body: @escaping @Sendable (SSDPSearchSession) -> Void) {
    host.queues.schedule(on: queue) { [weak self] in if let self { body(self) } }
  }

  // MARK: - On the queue

  private func tell(_ service: SSDPService) {
    let isOpen = memory.withLock { memory in
      guard memory.stage == .searching else { return false }
      memory.found.append(service)
      return true
    }
    if isOpen { delegate?.searchSession(self, didFindService: service) }
  }

  private func abort(_ error: SSDPSearchSessionError) {
    if close() { delegate?.searchSession(self, didAbortWithError: error) }
  }

  private func end(timedOut: Bool) {
    guard close() else { return }
    if timedOut { delegate?.searchSessionDidTimeOut(self) }
    tellStop()
  }

  private func tellStop() {
    delegate?.searchSessionDidStopSearch(self, foundServices: memory.withLock { $0.found })
  }
}
