public import Dispatch
import RollcallDoors
import RollcallPrimitives

/// Finds devices that an application can use, makes one of what is one for a person, and tells of those that can do what
/// the application needs.
///
///     LiveNetwork.attach()
///     let manager = DiscoveryManager.shared
///     manager.capabilityFilters = [CapabilityFilter([.any("MediaPlayer"), Capability("VolumeControl.Set")])]
///     manager.delegate = self
///     manager.startDiscovery()
///
/// Inside of a virtual world (`PhoneWorld.enter`) a manager runs on its phone, and callbacks take no virtual time.
public final class DiscoveryManager: @unchecked Sendable {
  struct Memory {
    weak var delegate: (any DiscoveryManagerDelegate)?
    var setup = DiscoverySetup()
    var isSearching = false
    fileprivate var door: Door?
    /// By id; what iterates looks at `order`.
    var devices: [String: ConnectableDevice] = [:]
    /// Ids of all devices that are there, in the order in which they were found.
    var order: [String] = []
    /// All that are there, those that meet no filter too, as the host said last.
    var present: [ConnectableDevice] = []
    /// The one that was lost last: the end of its connection is told behind the loss.
    var leaving: ConnectableDevice?
    var streams: [(number: Int, continuation: AsyncStream<DiscoveryEvent>.Continuation)] = []
    var streamTotal = 0
    /// Requests about apps that are not answered yet, by number; `requestTotal` is the last one.
    var requests: [(number: UInt32, answer: @Sendable (AppReport.Outcome) -> Void)] = []
    var requestTotal: UInt32 = 0
    weak var picker: DevicePicker?
    /// Of the application; with a sink while it searches.
    var providers: [(provider: any DiscoveryProvider, sink: DiscoveryProviderSink?)] = []
  }

  private static let sharedOne = Guarded<DiscoveryManager?>(nil)
  let memory = Guarded(Memory())
  let host: (any DiscoveryHost)?
  /// Web apps that the application launched or joined.
  let webApps = WebAppSessions()
  /// Where code with `await` runs.
  let executor: any TaskExecutor
  let keeper: KnownDevices
  /// Where devices are kept between two launches; `nil`: they are not.
  public var deviceStore: (any ConnectableDeviceStore)? { keeper.store }
  /// Whether devices and what their users typed are loaded from the store, and saved in it.
  public var useDeviceStore: Bool { deviceStore != nil }
  /// Callbacks are made here.
  public let queue: DispatchQueue

  /// The manager of the process; made when it is first asked for, without a store unless `shared(withDeviceStore:)` came
  /// first.
  public static var shared: DiscoveryManager { shared(withDeviceStore: nil) }

  /// The same; the store counts where the manager is not made yet.
  public static func shared(withDeviceStore store: (any ConnectableDeviceStore)?) -> DiscoveryManager {
    sharedOne.withLock { one in
      if let manager = one { return manager }
      let manager = DiscoveryManager(deviceStore: store)
      one = manager
      return manager
    }
  }

  /// A manager on the network that this task runs on. One network has one manager at a time.
  /// - Parameters:
  ///   - deviceStore: where devices are kept between two launches of the application; `nil`: nowhere.
  ///   - queue: a serial queue for callbacks.
  public init(deviceStore: (any ConnectableDeviceStore)? = nil, queue: DispatchQueue = .main) {
    (keeper, self.queue) = (KnownDevices(deviceStore), queue)
    host = DiscoveryLink.host
    executor = QueueExecutor(queue, host?.queues)
    host?.queues.add(queue)
  }

  deinit {
    if let door = memory.current.door { host?.detach(door) }
    host?.queues.remove(queue)
    for stream in memory.current.streams { stream.continuation.finish() }
  }

  public weak var delegate: (any DiscoveryManagerDelegate)? {
    get { memory.withLock { $0.delegate } }
    set { memory.withLock { $0.delegate = newValue } }
  }

  /// What the application asks for, as the next start has it.
  var setup: DiscoverySetup { memory.withLock { $0.setup } }
  func change(_ body: (inout DiscoverySetup) -> Void) { memory.withLock { body(&$0.setup) } }

  // MARK: - Discovery

  /// Between a start and a stop. It is not searching either after an error that says that there is no network to search on:
  /// then it can be started again.
  public var isSearching: Bool { memory.withLock { $0.isSearching } }

  /// Searches, and tells of devices: those that are there at once, others as they come. Does nothing while it searches.
  public func startDiscovery() {
    host?.queues.heardCall()
    guard let host else {
      let error = DiscoveryError(
        .noNetwork,
        "there is no network to discover on: call LiveNetwork.attach() first, or make the manager in a world")
      return schedule { $0.fail(error) }
    }
    let door = Door(self)
    let setup = memory.withLock { memory -> DiscoverySetup? in
      if memory.isSearching { return nil }
      (memory.isSearching, memory.door) = (true, door)
      return memory.setup
    }
    guard var setup else { return }
    let begun = keeper.begin(setup, nowUnixSeconds: host.unixSeconds)
    setup.remembered = begun.remembered
    if let trouble = begun.trouble { failLater(DiscoveryError(.store, trouble.description)) }
    host.attach(door, setup)
    for entry in memory.current.providers { begin(entry.provider) }
  }

  /// Searches and tells no more; every device that was told is lost. For an application that goes to the background.
  public func stopDiscovery() {
    host?.queues.heardCall()
    let (door, providers) = memory.withLock { memory in
      guard memory.isSearching else { return (Door?.none, memory.providers) }
      memory.isSearching = false
      defer {
        memory.door = nil
        for place in memory.providers.indices { memory.providers[place].sink = nil }
      }
      return (memory.door, memory.providers)
    }
    guard let door else { return }
    for entry in providers { if let sink = entry.sink { end(entry.provider, sink) } }
    host?.detach(door)
    door.close()
    schedule { $0.loseAll() }
  }

  /// Searches now, whenever the next search is due.
  public func rescan() {
    ask(.rescan)
    if isSearching { for entry in memory.current.providers { entry.provider.rescan() } }
  }

  func ask(_ command: ManagerCommand) {
    host?.queues.heardCall()
    if isSearching { host?.ask(command) }
  }

  /// Asks something of a device. Where nothing is searched any more, the device is gone.
  func ask(_ command: DeviceCommand, of device: ConnectableDevice) {
    // It is being connected from now on, before anything is told of that.
    if command == .connect { schedule { $0.notePickerChange() } }
    if isSearching { return ask(.device(device.id, command)) }
    host?.queues.heardCall()
    guard command == .connect else { return }
    schedule { manager in
      let failure = ConnectionFailure(.noDevice, "the discovery was stopped")
      if let event = device.take(.failed(failure)) { manager.tell(event) }
    }
  }

  private func notePickerChange() { memory.withLock { $0.picker }?.noteChange() }

  /// Asks something about an app on a device; the answer comes on the queue.
  func ask(
    _ deed: AppRequest.Deed, of device: ConnectableDevice, _ answer: @escaping @Sendable (AppReport.Outcome) -> Void
  ) {
    host?.queues.heardCall()
    guard isSearching, let host else {
      let failure = ConnectionFailure(.noDevice, "the discovery was stopped")
      return schedule { _ in answer(.failed(failure)) }
    }
    let number = memory.withLock { memory -> UInt32 in
      memory.requestTotal &+= 1
      memory.requests.append((memory.requestTotal, answer))
      return memory.requestTotal
    }
    host.ask(.device(device.id, .app(AppRequest(number, deed))))
  }

  // MARK: - Devices

  /// The devices that meet the filters, in the order in which they were found.
  public var devices: [ConnectableDevice] {
    memory.withLock { memory in memory.order.compactMap { memory.devices[$0] } }
  }

  /// Behind these the ones that meet no filter, in the order in which they were made.
  var devicesAndOthers: [ConnectableDevice] {
    memory.withLock { memory in
      memory.order.compactMap { memory.devices[$0] } + memory.present.filter { memory.devices[$0.id] == nil }
    }
  }

  public func device(withID id: String) -> ConnectableDevice? { memory.withLock { $0.devices[id] } }

  /// The list of devices for a person to pick one from, as it is and as it will be; one for each manager.
  public func devicePicker() -> DevicePicker {
    memory.withLock { memory in
      if let picker = memory.picker { return picker }
      let picker = DevicePicker(self, showing: memory.order.compactMap { memory.devices[$0] })
      memory.picker = picker
      return picker
    }
  }

  /// Everything that is told from now on, in order, kept for as long as nobody asks for it.
  public func events() -> AsyncStream<DiscoveryEvent> {
    let (stream, continuation) = AsyncStream<DiscoveryEvent>.makeStream()
    let number = memory.withLock { memory -> Int in
      memory.streamTotal += 1
      memory.streams.append((memory.streamTotal, continuation))
      return memory.streamTotal
    }
    continuation.onTermination = { [weak self] _ in
      self?.memory.withLock { memory in memory.streams.removeAll { $0.number == number } }
    }
    return stream
  }

  // MARK: - On the queue

  /// What a host says reaches the manager by this, as long as the manager wants it.
  fileprivate final class Door: DiscoveryDoor {
    private let manager: Guarded<WeakManager>

    init(_ manager: DiscoveryManager) { self.manager = Guarded(WeakManager(manager: manager)) }

    func push(_ news: DiscoveryNews) {
      guard let manager = manager.current.manager else { return }
      manager.schedule { [weak self] manager in
        // It was closed meanwhile.
        guard self?.manager.current.manager != nil else { return }
        switch news {
        case .managed(let report): manager.take(report)
        case .present(let devices): manager.take(devices)
        case .failed(let failure): manager.fail(DiscoveryError(failure))
        case .ended(let failure):
          // First, so that an application that is told of it can start again.
          manager.stopDiscovery()
          manager.fail(DiscoveryError(failure))
        case .hourPassed: manager.noteSeen(manager.devices)
        }
      }
    }

    func close() { manager.withLock { $0.manager = nil } }
  }

  private struct WeakManager: @unchecked Sendable { weak var manager: DiscoveryManager? }

  private func schedule(_ body: @escaping @Sendable (DiscoveryManager) -> Void) {
    let deed: @Sendable () -> Void = { [weak self] in if let self { body(self) } }
    if let host { host.queues.schedule(on: queue, deed) } else { queue.async(execute: deed) }
  }

  /// These are there. What was told of a device stays as it was told: a report of what is new follows.
  private func take(_ list: [PresentDevice]) {
    guard let host else { return }
    let now = host.unixSeconds
    memory.withLock { memory in
      var former: [String: ConnectableDevice] = [:]
      for device in memory.present { former[device.id] = device }
      memory.present = list.map { entry -> ConnectableDevice in
        if let told = memory.devices[entry.id] { return told }
        let device = former[entry.id] ?? ConnectableDevice(entry.id, entry.state, of: self, nowUnixSeconds: now)
        device.update(entry.state)
        return device
      }
    }
  }

  private func take(_ report: ManagerReport) {
    switch report.event {
    case .connection(let connection): return take(connection, of: report.id)
    case .app(let app): return take(app)
    case .webApp(let webApp):
      for event in webApps.take(webApp, of: report.id) { tell(event) }
      return
    case .capabilities(let added, let removed):
      guard let device = device(withID: report.id) else { return }
      device.update(report.state)
      return tell(.capabilitiesChanged(device, added: added, removed: removed))
    // An application with a store of its own asks that.
    case .remembered: return
    case .found, .updated, .lost: break
    }
    guard let host else { return }
    let now = host.unixSeconds
    let event = memory.withLock { memory -> DiscoveryEvent? in
      let known = memory.devices[report.id]
      switch report.event {
      case .found:
        let device =
          known ?? memory.present.first { $0.id == report.id }
          ?? ConnectableDevice(report.id, report.state, of: self, nowUnixSeconds: now)
        device.update(report.state)
        memory.devices[report.id] = device
        if known == nil { memory.order.append(report.id) }
        return .found(device)
      case .updated:
        known?.update(report.state)
        return known.map { .updated($0) }
      case .lost:
        guard let known else { return nil }
        known.update(report.state)
        memory.devices[report.id] = nil
        memory.order.removeAll { $0 == report.id }
        memory.leaving = known
        return .lost(known)
      case .capabilities, .connection, .app, .webApp, .remembered: return nil
      }
    }
    guard let event else { return }
    switch event {
    case .found(let device), .updated(let device): keep(device)
    case .lost(let device): noteSeen([device])
    default: break
    }
    tell(event)
  }

  private func take(_ report: ConnectionReport, of id: String) {
    let device = memory.withLock { memory in
      memory.devices[id] ?? (memory.leaving?.id == id ? memory.leaving : nil)
        ?? memory.present.first { $0.id == id }
    }
    guard let device else { return }
    let event = device.take(report)
    switch report {
    case .ready: keep(device, isReady: true)
    case .paired: keep(device)
    case .disconnected, .failed, .pairingRequired: break
    }
    if let event { tell(event) }
  }

  private func take(_ report: AppReport) {
    let answer = memory.withLock { memory -> (@Sendable (AppReport.Outcome) -> Void)? in
      guard let place = memory.requests.firstIndex(where: { $0.number == report.request }) else { return nil }
      return memory.requests.remove(at: place).answer
    }
    answer?(report.outcome)
  }

  /// Saves what is known of a device.
  private func keep(_ device: ConnectableDevice, isReady: Bool = false) {
    guard let host else { return }
    device.noteSeen(atUnixSeconds: host.unixSeconds)
    // Without a store most devices are only found: `save` would leave them out.
    guard isReady || keeper.keepsStates(of: device.id) || device.hasSomethingToKeep else { return }
    save(device.stored(isReady: isReady))
  }

  /// Saves what the application wants to be kept, though the device may be gone.
  func keepLater(_ device: ConnectableDevice) { schedule { $0.save(device.stored()) } }

  private func save(_ device: StoredDevice) {
    do {
      try keeper.save(device)
    } catch {
      fail(DiscoveryError(.store, error.description))
    }
  }

  /// These are there, or were until now.
  private func noteSeen(_ present: [ConnectableDevice]) {
    guard let host, !present.isEmpty else { return }
    let now = host.unixSeconds
    for device in present { device.noteSeen(atUnixSeconds: now) }
    do {
      try keeper.noteSeen(present.map(\.id), nowUnixSeconds: now)
    } catch {
      fail(DiscoveryError(.store, error.description))
    }
  }

  private func fail(_ error: DiscoveryError) { tell(.failed(error)) }
  func failLater(_ error: DiscoveryError) { schedule { $0.fail(error) } }
  /// Does something on the queue.
  func later(_ body: @escaping @Sendable () -> Void) { schedule { _ in body() } }

  private func loseAll() {
    let (gone, requests) = memory.withLock { memory in
      // Started anew meanwhile: these are of the search before.
      let gone = memory.order.compactMap { memory.devices[$0] }
      let requests = memory.requests
      (memory.order, memory.devices, memory.present, memory.requests, memory.leaving) = ([], [:], [], [], nil)
      return (gone, requests)
    }
    noteSeen(gone)
    for request in requests {
      request.answer(.failed(ConnectionFailure(.deviceLost, "the discovery was stopped")))
    }
    for device in gone {
      tell(.lost(device))
      for event in webApps.endAll(of: device.id) { tell(event) }
      if let event = device.loseConnection() { tell(event) }
    }
  }

  private func tell(_ event: DiscoveryEvent) {
    let (delegate, streams, picker) = memory.withLock { ($0.delegate, $0.streams, $0.picker) }
    for stream in streams { stream.continuation.yield(event) }
    if let picker { tell(event, to: picker) }
    // An application may have the picker in the place of a delegate of its own.
    if let delegate, delegate !== picker { tell(event, to: delegate) }
    switch event {
    case .found, .lost, .updated, .failed: break
    // Its update follows.
    case .capabilitiesChanged(let device, _, _): device.tell(event)
    case .ready(let device), .disconnected(let device, _), .connectionFailed(let device, _),
      .pairingRequired(let device, _, _):
      picker?.noteChange()
      device.tell(event)
    case .webAppMessage(let session, _), .webAppDisconnected(let session): session.tell(event)
    }
  }

  private func tell(_ event: DiscoveryEvent, to delegate: any DiscoveryManagerDelegate) {
    switch event {
    case .found(let device): delegate.discoveryManager(self, didFind: device)
    case .lost(let device): delegate.discoveryManager(self, didLose: device)
    case .updated(let device): delegate.discoveryManager(self, didUpdate: device)
    case .failed(let error): delegate.discoveryManager(self, didFailWith: error)
    default: break
    }
  }
}
