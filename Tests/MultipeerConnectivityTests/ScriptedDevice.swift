import MultipeerConnectivity
import RollcallDoors

/// A device that does what a test says: it writes down what it is asked, and pushes what it is told to.
final class ScriptedDevice: VirtualNearbyDevice, @unchecked Sendable {
  private struct State {
    var policies = PeerPolicies()
    var doors: [(any NearbyDoor)?] = []
    var roles: [NearbyRole] = []
    var detached: [NearbyNumber] = []
    var requests: [NearbyRequest] = []
    var misuses: [PeerMisuse] = []
    var identities: UInt8 = 0
    var firstEvents: [NearbyEvent] = []
    var pages: [URL: Result<[UInt8], any Error>] = [:]
    var fetched: [URL] = []
    var waitingFetches: [@Sendable (Result<[UInt8], any Error>) -> Void] = []
  }

  let queues = DoorQueues()
  let callbacks = DispatchQueue(label: "callbacks of a scripted device")
  private let state: Guarded<State>

  private func locked<Result>(_ body: (inout State) -> Result) -> Result { state.withLock(body) }

  /// - Parameter firstEvents: pushed into each door that attaches, before it has its number.
  init(_ policies: PeerPolicies = PeerPolicies(), firstEvents: [NearbyEvent] = []) {
    state = Guarded(State(policies: policies, firstEvents: firstEvents))
  }

  // MARK: The device

  var policies: PeerPolicies { locked { $0.policies } }

  func makeIdentity() -> [UInt8] {
    locked { state in
      state.identities += 1
      return [state.identities] + Array(repeating: 0, count: 15)
    }
  }

  func attach(_ door: any NearbyDoor, as role: NearbyRole) -> NearbyNumber {
    locked { state in
      state.doors.append(door)
      state.roles.append(role)
      for event in state.firstEvents { door.push(event) }
      return NearbyNumber(state.doors.count)
    }
  }

  func detach(_ object: NearbyNumber) {
    let door = locked { state in
      state.detached.append(object)
      defer { state.doors[object.value - 1] = nil }
      return state.doors[object.value - 1]
    }
    // It may hold the last reference to another object, which detaches in turn.
    withExtendedLifetime(door) {}
  }

  func perform(_ request: NearbyRequest, for object: NearbyNumber) { locked { $0.requests.append(request) } }

  func fetch(_ url: URL, _ answer: @escaping @Sendable (Result<[UInt8], any Error>) -> Void) {
    let page = locked { state in
      state.fetched.append(url)
      if state.pages[url] == nil { state.waitingFetches.append(answer) }
      return state.pages[url]
    }
    if let page { answer(page) }
  }

  func heard(_ misuse: PeerMisuse) { locked { $0.misuses.append(misuse) } }

  // MARK: The script

  var requests: [NearbyRequest] { locked { $0.requests } }
  var roles: [NearbyRole] { locked { $0.roles } }
  var detached: [NearbyNumber] { locked { $0.detached } }
  var misuses: [PeerMisuse.Kind] { locked { $0.misuses.map(\.kind) } }
  var fetched: [URL] { locked { $0.fetched } }

  var sessionRequests: [SessionRequest] {
    requests.compactMap { request in
      if case .session(let request) = request { request } else { nil }
    }
  }

  func forgetRequests() { locked { $0.requests = [] } }
  func page(_ url: String, _ result: Result<[UInt8], any Error>) { locked { $0.pages[URL(string: url)!] = result } }

  func answerFetches(_ result: Result<[UInt8], any Error>) {
    for answer in locked({ state in
      defer { state.waitingFetches = [] }
      return state.waitingFetches
    }) { answer(result) }
  }

  func settle() { queues.drain() }

  /// The door of the latest object of the event's role, or of an earlier one.
  private func door(for event: NearbyEvent, back: Int) -> (any NearbyDoor)? {
    locked { state in
      let meant = state.roles.indices.filter { index in
        switch (event, state.roles[index]) {
        case (.advertiser, .advertiser), (.browser, .browser), (.session, .session), (.assistant, .assistant),
          (.browserView, .browserView):
          true
        default: false
        }
      }
      return state.doors[meant[meant.count - 1 - back]]
    }
  }

  /// Pushes without waiting: the callbacks are still to come.
  func pushOnly(_ event: NearbyEvent, back: Int = 0) { door(for: event, back: back)?.push(event) }

  /// Pushes events in one go, and waits for the callbacks.
  func push(_ events: NearbyEvent..., back: Int = 0) {
    for event in events { pushOnly(event, back: back) }
    settle()
  }

  func push(_ events: SessionEvent...) {
    for event in events { pushOnly(.session(event)) }
    settle()
  }
}

/// Makes objects of the application that belong to a device.
func on<Result>(_ device: any VirtualNearbyDevice, _ body: () throws -> Result) rethrows -> Result {
  try NearbyLink.$current.withValue(device, operation: body)
}

extension PeerKey {
  /// Another peer, by a number.
  static func other(_ number: UInt8, _ name: String? = nil) -> PeerKey {
    PeerKey(identity: [0xF0, number], name: name ?? "peer \(number)")
  }
}
