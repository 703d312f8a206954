import RollcallDoors

/// What every manager has: a phone, a queue, a state, and its number on the phone.
final class ManagerLink: Sendable {
  let phone: (any VirtualPhone)?
  let queue: DispatchQueue
  private let attachment = Attachment<ManagerNumber>()
  private let managerState = Guarded(CBManagerState.unknown)

  init(phone: (any VirtualPhone)?, queue: DispatchQueue?) {
    self.phone = phone
    self.queue = queue ?? .main
    phone?.queues.heardCall()
    phone?.queues.add(self.queue)
  }

  var state: CBManagerState {
    get { managerState.current }
    set { managerState.withLock { $0 = newValue } }
  }

  /// The number on the phone, as long as there is a manager.
  var number: ManagerNumber? { attachment.number }

  /// - Parameter number: `nil`: the phone does not serve the manager.
  func begin(_ number: ManagerNumber?) {
    for body in attachment.begin(number) { schedule(body) }
  }

  /// Puts the answer of the door itself to a call of the application behind everything that waits.
  func answer(_ body: @escaping @Sendable () -> Void) {
    phone?.queues.heardCall()
    run(body)
  }

  /// Puts `body` behind everything that waits on the manager's queue.
  func run(_ body: @escaping @Sendable () -> Void) {
    if !attachment.keeps(body) { schedule(body) }
  }

  private func schedule(_ body: @escaping @Sendable () -> Void) {
    guard let phone else {
      queue.async(execute: body)
      return
    }
    // A manager that is made in a callback is one of the same phone.
    phone.queues.schedule(on: queue) { PhoneLink.$current.withValue(phone, operation: body) }
  }

  /// The phone and the number for a request. It counts as something that happened.
  func reach() -> (phone: any VirtualPhone, number: ManagerNumber)? {
    guard let phone, let number else { return nil }
    phone.queues.heardCall()
    return (phone, number)
  }

  func end() {
    let number = attachment.end()
    phone?.queues.heardCall()
    phone?.queues.remove(queue)
    if let number { phone?.detach(number) }
  }

  func misused(_ kind: APIMisuse.Kind, in call: String, _ detail: String) {
    let misuse = APIMisuse(kind, in: call, detail)
    guard let phone else { return APIMisuse.report(misuse) }
    phone.heard(misuse)
  }

  /// Whether a command can take effect; one that cannot is reported.
  func allows(_ call: String) -> Bool {
    let state = state
    if state == .poweredOn { return true }
    misused(.notPoweredOn, in: call, "it has no effect while the state is \(state)")
    return false
  }
}
