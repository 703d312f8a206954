package import RollcallPrimitives

// When it searches, and for what.
extension DeviceManager {
  /// Its searches have numbers from here on, so that they are none of the application's.
  static let firstSearch: UInt32 = 0x8000_0000
  /// How long it waits for other interfaces that come up at the same time.
  static let interfaceDelay = Interval.milliseconds(100)

  /// When something is to be done next. Mutating, so that it is read in place: the manager is large.
  package var deadline: Instant {
    mutating get { min(min(nextSearch, nextRetry), min(connections.deadline, keeper?.deadline ?? .never)) }
  }

  /// The services that are looked for by radio now.
  var soughtByRadio: [BluetoothUUID] { isRunning ? configuration.setup.radioServices : [] }

  mutating func onlyListen() {
    onlyListens = true
    configuration.searches = false
    nextSearch = .never
  }

  mutating func searchSoon(at now: Instant) {
    if isRunning, configuration.searches { nextSearch = min(nextSearch, now) }
  }

  /// An interface came up: devices behind it are searched for at once.
  package mutating func take(_ change: InterfaceChange, at now: Instant) {
    connections.take(change)
    if change.isUp, !change.addresses.isEmpty { searchSoon(at: now + DeviceManager.interfaceDelay) }
  }

  /// What is to be searched for now.
  package mutating func takeSearches(at now: Instant) -> [Search] {
    guard nextSearch <= now else { return [] }
    nextSearch = isOn(.searchesOnce) ? .never : configuration.rescan.map { now + $0 } ?? .never
    return soughtTypes.map { target in
      let id = SearchID(DeviceManager.firstSearch &+ searchTotal)
      searchTotal &+= 1
      return Search(
        id: id, target: target, maximumWaitSeconds: configuration.maximumWaitSeconds,
        broadcasts: configuration.broadcasts, spacing: configuration.spacing)
    }
  }
}
