import RollcallDoors

/// What every object has: a device, the queue of its callbacks, and its number on the device.
final class ObjectLink: Sendable {
  /// Of objects without a device.
  private static let alone = DispatchQueue(label: "MultipeerConnectivity without a device")
  /// Set on queues of callbacks.
  private static let mark = DispatchSpecificKey<Bool>()

  let device: (any VirtualNearbyDevice)?
  let queue: DispatchQueue
  private let attachment = Attachment<NearbyNumber>()

  init() {
    device = NearbyLink.device
    queue = device?.callbacks ?? Self.alone
    queue.setSpecific(key: Self.mark, value: true)
    device?.queues.heardCall()
    device?.queues.add(queue)
  }

  /// Whether the caller is a callback.
  static var isCallback: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

  var policies: PeerPolicies { device?.policies ?? PeerPolicies() }

  /// The number on the device, as long as there is an object.
  var number: NearbyNumber? { attachment.number }

  func begin(_ door: any NearbyDoor, as role: NearbyRole, in call: String) {
    let number = device?.attach(door, as: role)
    if number == nil { misused(.noDevice, in: call, "no virtual device is attached") }
    for body in attachment.begin(number) { schedule(body) }
  }

  /// Puts the answer of the door itself to a call of the application behind everything that waits.
  func answer(_ body: @escaping @Sendable () -> Void) {
    device?.queues.heardCall()
    run(body)
  }

  /// Puts `body` behind everything that waits for the queue of callbacks.
  func run(_ body: @escaping @Sendable () -> Void) {
    if !attachment.keeps(body) { schedule(body) }
  }

  private func schedule(_ body: @escaping @Sendable () -> Void) { schedule(on: queue, body) }

  /// The same on another queue that a world waits for.
  func schedule(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    guard let device else {
      queue.async(execute: body)
      return
    }
    // An object that is made in a callback is one of the same device.
    device.queues.schedule(on: queue) { NearbyLink.$current.withValue(device, operation: body) }
  }

  /// False if there is no device. It counts as something that happened.
  @discardableResult
  func request(_ request: NearbyRequest) -> Bool {
    guard let device, let number else { return false }
    device.queues.heardCall()
    device.perform(request, for: number)
    return true
  }

  func end() {
    guard let number = attachment.end() else { return }
    device?.queues.heardCall()
    device?.queues.remove(queue)
    device?.detach(number)
  }

  func misused(_ kind: PeerMisuse.Kind, in call: String, _ detail: String) {
    let misuse = PeerMisuse(kind, in: call, detail)
    guard let device else { return PeerMisuse.report(misuse) }
    device.heard(misuse)
  }
}
