import CoreBluetooth
import RollcallDoors

/// A phone that does what a test says: it writes down what it is asked, and pushes what it is told to.
final class ScriptedPhone: PeripheralRolePhone, @unchecked Sendable {
  private struct State {
    var authorization = CBManagerAuthorization.allowedAlways
    var tellsOfLinksLostWithPower = false
    var supportsExtendedScanAndConnect = false
    var firstEvents: [PhoneEvent] = []
    var firstRoleEvents: [PeripheralRoleEvent] = []
    /// Pushes the first events of managers that are new.
    var starts: [() -> Void] = []
    var startsAtOnce = false
    var doors: [any PhoneDoor] = []
    var roleDoors: [any PeripheralRoleDoor] = []
    var setups: [ManagerSetup] = []
    var detached: [ManagerNumber] = []
    var requests: [PhoneRequest] = []
    var requesters: [ManagerNumber] = []
    var roleRequests: [PeripheralRoleRequest] = []
    var updates: [[UInt8]] = []
    var misuses: [APIMisuse] = []
    var known: [KnownPeripheral] = []
    var connected: [KnownPeripheral] = []
    var answers: (PhoneRequest) -> [PhoneEvent] = { _ in [] }
    var hasRoom = true
    var writeLength = 182
  }

  let queues = DoorQueues()
  private let lock = NSRecursiveLock()
  private var state = State()

  private func locked<Result>(_ body: (inout State) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&state)
  }

  init(
    firstEvents: [PhoneEvent] = [.state(.poweredOn)], firstRoleEvents: [PeripheralRoleEvent] = [],
    startsAtOnce: Bool = false
  ) {
    state.firstEvents = firstEvents
    state.firstRoleEvents = firstRoleEvents
    state.startsAtOnce = startsAtOnce
  }

  // MARK: The phone

  var authorization: CBManagerAuthorization {
    get { locked { $0.authorization } }
    set { locked { $0.authorization = newValue } }
  }

  var tellsOfLinksLostWithPower: Bool {
    get { locked { $0.tellsOfLinksLostWithPower } }
    set { locked { $0.tellsOfLinksLostWithPower = newValue } }
  }

  var supportsExtendedScanAndConnect: Bool {
    get { locked { $0.supportsExtendedScanAndConnect } }
    set { locked { $0.supportsExtendedScanAndConnect = newValue } }
  }

  func attach(_ door: any PhoneDoor, as setup: ManagerSetup) -> ManagerNumber {
    locked { state in
      state.doors.append(door)
      state.setups.append(setup)
      let events = state.firstEvents
      state.starts.append { for event in events { door.push(event) } }
      if state.startsAtOnce { state.starts.removeLast()() }
      return ManagerNumber(state.doors.count)
    }
  }

  func attach(_ door: any PeripheralRoleDoor, as setup: ManagerSetup) -> ManagerNumber {
    locked { state in
      state.roleDoors.append(door)
      state.setups.append(setup)
      let events = state.firstRoleEvents
      state.starts.append { for event in events { door.push(event) } }
      return ManagerNumber(100 + state.roleDoors.count)
    }
  }

  func detach(_ manager: ManagerNumber) { locked { $0.detached.append(manager) } }

  func perform(_ request: PhoneRequest, for manager: ManagerNumber) {
    let (door, answers) = locked { state in
      state.requests.append(request)
      state.requesters.append(manager)
      return (state.doors[manager.value - 1], state.answers)
    }
    for event in answers(request) { door.push(event) }
  }

  /// What the phone answers to requests by itself.
  func answer(_ answers: @escaping (PhoneRequest) -> [PhoneEvent]) { locked { $0.answers = answers } }

  func perform(_ request: PeripheralRoleRequest, for manager: ManagerNumber) {
    locked { $0.roleRequests.append(request) }
  }

  func update(_ characteristic: UInt16, _ bytes: [UInt8], to centrals: [UUID]?, for manager: ManagerNumber) -> Bool {
    locked { state in
      guard state.hasRoom else { return false }
      state.updates.append(bytes)
      return true
    }
  }

  func known(_ identifiers: [UUID], to manager: ManagerNumber) -> [KnownPeripheral] { locked { $0.known } }

  func connected(withAnyOf services: [AttributeUUID]?, to manager: ManagerNumber) -> [KnownPeripheral] {
    locked { $0.connected }
  }

  func maximumWriteLength(_ peripheral: UUID, withResponse: Bool, for manager: ManagerNumber) -> Int {
    withResponse ? 512 : locked { $0.writeLength }
  }

  func hasRoomToWrite(_ peripheral: UUID, for manager: ManagerNumber) -> Bool { locked { $0.hasRoom } }

  func heard(_ misuse: APIMisuse) { locked { $0.misuses.append(misuse) } }

  // MARK: The script

  var requests: [PhoneRequest] { locked { $0.requests } }
  var requesters: [ManagerNumber] { locked { $0.requesters } }
  var roleRequests: [PeripheralRoleRequest] { locked { $0.roleRequests } }
  var setups: [ManagerSetup] { locked { $0.setups } }
  var detached: [ManagerNumber] { locked { $0.detached } }
  var updates: [[UInt8]] { locked { $0.updates } }
  var misuses: [APIMisuse.Kind] { locked { $0.misuses.map(\.kind) } }

  var known: [KnownPeripheral] {
    get { locked { $0.known } }
    set { locked { $0.known = newValue } }
  }

  var connected: [KnownPeripheral] {
    get { locked { $0.connected } }
    set { locked { $0.connected = newValue } }
  }

  var hasRoom: Bool {
    get { locked { $0.hasRoom } }
    set { locked { $0.hasRoom = newValue } }
  }

  /// The number of the latest scan.
  var scan: Int? {
    for case .startScan(let request) in requests.reversed() { return request.number }
    return nil
  }

  /// The link of the latest attempt.
  var link: Int {
    for case .connect(_, let link, _) in requests.reversed() { return link }
    return 0
  }

  /// Lets time move until the application rests. Managers that are new hear of their state now, not while the statement
  /// of the application that makes them is still under way.
  func settle() {
    repeat {
      for start in locked({ state in
        defer { state.starts = [] }
        return state.starts
      }) { start() }
      queues.drain()
    } while locked { !$0.starts.isEmpty }
  }

  /// Pushes events into the door of a manager, in one go, and waits for the callbacks.
  func push(_ events: PhoneEvent..., to manager: Int = 0) {
    let door = locked { $0.doors[manager] }
    for event in events { door.push(event) }
    settle()
  }

  /// Pushes without waiting: the callbacks are still to come.
  func pushOnly(_ event: PhoneEvent, to manager: Int = 0) {
    locked { $0.doors[manager] }.push(event)
  }

  func pushRole(_ events: PeripheralRoleEvent...) {
    let door = locked { $0.roleDoors[0] }
    for event in events { door.push(event) }
    settle()
  }
}

/// Makes managers of the application that belong to a phone.
func on<Result>(_ phone: ScriptedPhone, _ body: () throws -> Result) rethrows -> Result {
  try PhoneLink.$current.withValue(phone, operation: body)
}
