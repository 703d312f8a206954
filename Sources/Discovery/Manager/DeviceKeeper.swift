import RollcallPrimitives

/// What an application keeps of its devices from one launch to the next, in the store of its host: all of them under
/// one key.
///
/// The rules are those of `DiscoveryManager` with a store of its own: a device is kept as the application was told of it, with
/// what its user typed, and when it was there last.
struct DeviceKeeper: Sendable {
  static let key = "devices"
  /// What is there all the time is noted so often, so that it never becomes too old.
  private static let seenInterval = Interval.hours(1)

  /// More is not sent before something was answered.
  private static let requestsMaximum = 8

  /// What the store was asked for and has not answered; it answers in order.
  private enum Request {
    /// - Parameter isOfLaunch: whether the application waits for it; else it is read in order to be added to.
    case read(isOfLaunch: Bool)
    case write(DeviceShelf)
    case delete
  }

  private let faults: ManagerFaults
  private var shelf: DeviceShelf
  /// What the store has, as far as it is known.
  private var written: DeviceShelf
  /// Whether that is known: what could not be read must not be written over.
  private var isRead = false
  /// The shelf has something that was not sent.
  private var isChanged = false
  private var requests: [Request] = []
  private var mustAsk = true
  /// The application was started, and waits for the store.
  private(set) var isLoading = true
  /// Ids of devices that were told and not lost, in the order in which they were told.
  private var present: [String] = []
  private(set) var deadline = Instant.never
  /// What users typed for devices that were not ready since, by id: under the policy of connected devices one that is paired
  /// for the first time is taken in only then.
  private var typed: [String: [RememberedKey]] = [:]

  init(_ policy: DeviceStorePolicy, _ faults: ManagerFaults) {
    (shelf, written, self.faults) = (DeviceShelf(policy), DeviceShelf(policy), faults)
  }

  /// What the store kept, as an application knows it that has just been started; ordered by id.
  var remembered: [StoredDevice] { faults.contains(.memoryNotLoaded) ? [] : shelf.devices }

  /// The wall clock, in seconds since 1970.
  private static func unixSeconds(_ now: Instant) -> Int64 {
    Instant.worldEpochUnixSeconds + now.nanoseconds / 1_000_000_000
  }

  // MARK: - What happens

  /// The application ends, and is started anew.
  mutating func relaunch() { (isLoading, mustAsk, present, typed, deadline) = (true, true, [], [:], .never) }

  /// - Returns: why a device cannot be kept, for people; `nil`: nothing is wrong.
  mutating func take(_ report: ManagerReport, at now: Instant) -> String? {
    let seconds = DeviceKeeper.unixSeconds(now)
    switch report.event {
    case .found:
      if !present.contains(report.id) { present.append(report.id) }
      return save(report, isReady: faults.contains(.foundIsConnected), at: seconds)
    case .updated: return save(report, at: seconds)
    case .connection(.ready):
      return save(report, keys: typed.removeValue(forKey: report.id) ?? [], isReady: true, at: seconds)
    case .connection(.paired(let key)):
      if faults.contains(.keysNotKept) { break }
      note(key, of: report.id)
      return save(report, keys: [key], at: seconds)
    case .lost:
      present.removeAll { $0 == report.id }
      noteSeen([report.id], at: seconds)
    case .remembered, .capabilities, .connection, .app, .webApp: break
    }
    return nil
  }

  private mutating func save(
    _ report: ManagerReport, keys: [RememberedKey] = [], isReady: Bool = false, at seconds: Int64
  ) -> String? {
    let before = shelf
    let device = StoredDevice(id: report.id, report.state, keys: keys, nowUnixSeconds: seconds, isReady: isReady)
    let fault = shelf.save(device)
    isChanged = isChanged || shelf != before
    switch fault {
    case nil: return nil
    case .tooMuch(let field, let found, let maximum):
      return "expected at most \(maximum) of \(field) in a device that is remembered, found \(found)"
    case .notAName(let field): return "expected a name without control characters as \(field), found something else"
    }
  }

  private mutating func note(_ key: RememberedKey, of id: String) {
    guard typed[id] != nil || typed.count < DeviceShelf.countMaximum else { return }
    typed[id, default: []].removeAll { $0.owner == key.owner && $0.service == key.service }
    typed[id]?.append(key)
  }

  private mutating func noteSeen(_ ids: [String], at seconds: Int64) {
    let before = shelf
    shelf.noteSeen(ids: ids, nowUnixSeconds: seconds)
    isChanged = isChanged || shelf != before
  }

  mutating func advance(to now: Instant) {
    guard deadline <= now else { return }
    deadline = now + DeviceKeeper.seenInterval
    noteSeen(present, at: DeviceKeeper.unixSeconds(now))
  }

  // MARK: - The store

  /// What the answer of a store comes to.
  struct Answer {
    /// It was the one that a start waited for.
    var isOfLaunch = false
    /// What is wrong, for people; `nil`: nothing is.
    var complaint: String?
  }

  mutating func receive(_ signal: StoreSignal, at now: Instant) -> Answer {
    guard signal.key == DeviceKeeper.key, !requests.isEmpty else { return Answer() }
    let request = requests.removeFirst()
    switch (request, signal) {
    case (.write(let shelf), .stored): written = shelf
    case (.delete, .stored): written = DeviceShelf(shelf.policy)
    case (.read(let isOfLaunch), .value(_, let bytes)):
      var complaint: String?
      do throws(WordError) {
        written = try DeviceShelf(shelf.policy, bytes: bytes ?? [])
      } catch {
        written = DeviceShelf(shelf.policy)
        complaint =
          "expected \(error.expected) at column \(error.column) of what the store keeps, found something else: "
          + "devices are found as new ones"
      }
      isRead = true
      if isOfLaunch { begin(at: now) } else { addToWritten() }
      return Answer(isOfLaunch: isOfLaunch, complaint: complaint)
    case (_, .failed(_, let failure)):
      if failure == .damaged { written = DeviceShelf(shelf.policy) }
      isChanged = false
      switch request {
      case .read(isOfLaunch: true):
        // Of a damaged one nothing is left; one that is refused may be read later.
        isRead = failure == .damaged
        written = DeviceShelf(shelf.policy)
        begin(at: now)
        return Answer(isOfLaunch: true, complaint: DeviceKeeper.complaint(failure))
      // It is added to what the store has with the next change.
      case .read: break
      case .write, .delete: shelf = expected
      }
      return Answer(complaint: DeviceKeeper.complaint(failure))
    default: break
    }
    return Answer()
  }

  /// What the store has when all that it was asked for is done.
  private var expected: DeviceShelf {
    for request in requests.reversed() {
      switch request {
      case .write(let shelf): return shelf
      case .delete: return DeviceShelf(shelf.policy)
      case .read: continue
      }
    }
    return written
  }

  /// The application begins with what the store has.
  private mutating func begin(at now: Instant) {
    let kept = expected
    (shelf, isLoading) = (kept, false)
    deadline = now + DeviceKeeper.seenInterval
    shelf.prune(nowUnixSeconds: DeviceKeeper.unixSeconds(now))
    isChanged = shelf != kept
  }

  /// What is on the shelf comes to what the store has.
  private mutating func addToWritten() {
    let (added, kept) = (shelf.devices, expected)
    shelf = kept
    for device in added { _ = shelf.save(device) }
    isChanged = shelf != kept
  }

  private static func complaint(_ failure: StoreFailure) -> String {
    switch failure {
    case .full: "expected room for what is remembered of devices, the disk is full: free some of it"
    case .damaged: "expected devices that are remembered, the store is damaged: they are found as new ones"
    case .denied: "expected a store for devices, the system refuses it: let the application read and write its data"
    }
  }

  /// The user wants nothing to be remembered.
  mutating func removeAll(into outbox: inout Outbox) {
    if faults.contains(.removeAllIgnored) { return }
    shelf.removeAll()
    typed = [:]
    (isChanged, isRead) = (false, true)
    requests.append(.delete)
    outbox.want(StoreEffect.delete(key: DeviceKeeper.key))
  }

  /// Writes what is new, and asks where a start waits for the answer.
  mutating func settle(into outbox: inout Outbox) {
    if isChanged, isRead, requests.count < DeviceKeeper.requestsMaximum {
      isChanged = false
      requests.append(.write(shelf))
      outbox.want(StoreEffect.put(key: DeviceKeeper.key, shelf.bytes))
    }
    if mustAsk {
      (mustAsk, isRead, isChanged) = (false, false, false)
      ask(isOfLaunch: true, into: &outbox)
    } else if isChanged, !isRead, requests.isEmpty {
      ask(isOfLaunch: false, into: &outbox)
    }
  }

  private mutating func ask(isOfLaunch: Bool, into outbox: inout Outbox) {
    requests.append(.read(isOfLaunch: isOfLaunch))
    outbox.want(StoreEffect.get(key: DeviceKeeper.key))
  }
}
