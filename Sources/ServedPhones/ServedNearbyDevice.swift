import MultipeerConnectivity
import RollcallDoors
import RollcallLive
import RollcallPeers
import RollcallPhones
import RollcallPrimitives
import RollcallSessions
import RollcallTrace
import RollcallWire

/// The nearby side of a phone of this process on a real interface, in real time: it finds others, and is found, by multicast
/// DNS on port 5353, and its sessions have one UDP port.
///
///     try ServedNearbyDevice.attach("eth0")
///     let app = Chat()
///
/// From then on, nearby objects that are made anywhere in this process attach to it. Its sessions are sealed with keyed sums
/// that protect nothing: it is for networks that simulate or test.
public final class ServedNearbyDevice: Sendable {
  /// The port of the sessions, if the program says no other.
  public static let port = PeerPlan.usualPort

  private static let attached = Guarded<ServedNearbyDevice?>(nil)

  private let device: SimulatedNearbyDevice
  private let run: LiveRun
  private let failure = Guarded<String?>(nil)

  /// - Parameters:
  ///   - interface: its name: `eth0`.
  ///   - name: the label of its host on the network, 1 to 63 bytes.
  public init(_ interface: String, name: String, port: UInt16 = ServedNearbyDevice.port) {
    var random = SystemRandomNumberGenerator()
    // Of nobody else: identities and keys come of it.
    let seed = Seed(random.next())
    let device = SimulatedNearbyDevice(
      name: name, seed: seed, queues: DoorQueues(), policies: NearbySettings().doorPolicies)
    let party = NearbyParty(device, seed: seed, name: name, port: port)
    let run = LiveRun(LivePlan(interfaces: [interface], duration: nil), party: party)
    (self.device, self.run) = (device, run)
    let advance: @Sendable (Instant) -> Void = { [weak party] in party?.advance(to: $0) }
    device.whenAsked { [weak run] in run?.tell(advance) }
    run.runApart { [failure] error in failure.withLock { $0 = "\(error)" } }
  }

  deinit { run.stop() }

  /// Makes a device the one of this process: nearby objects that are made from now on have it, unless their task has another.
  @discardableResult public static func attach(
    _ interface: String, name: String, port: UInt16 = ServedNearbyDevice.port
  ) -> ServedNearbyDevice {
    let served = ServedNearbyDevice(interface, name: name, port: port)
    NearbyLink.standard = served.device
    attached.withLock { $0 = served }
    return served
  }

  /// Runs code of an application on this device, beside others in one process.
  public func enter<Result>(_ body: () throws -> Result) rethrows -> Result {
    try NearbyLink.$current.withValue(device) { try body() }
  }

  /// Why it has no network; `nil` as long as it has, or was not asked for it yet.
  public var trouble: String? { failure.current }

  /// Leaves the network with goodbyes.
  public func close() {
    device.leave()
    run.stop()
  }
}

/// Joins a nearby device, its machine and a live run: all of it is on the run's event loop.
final class NearbyParty: LiveParty, @unchecked Sendable {
  private let device: SimulatedNearbyDevice
  private let box = NearbyBox()
  private let machine: LiveMachine<NearbyMachine>
  private let port: UInt16

  init(_ device: SimulatedNearbyDevice, seed: Seed, name: String, port: UInt16) {
    (self.device, self.port) = (device, port)
    var plan = NearbySettings().plan(host: String(name.prefix { $0 != "." })) { StandInCipher(seed: $0) }
    plan.port = port
    machine = LiveMachine(NearbyMachine(device: PeerDevice(plan, seed: seed, name: "nearby/\(name)"), box: box))
    machine.hearsItself = false
  }

  var outlet: (any LiveOutlet)? {
    get { machine.outlet }
    set { machine.outlet = newValue }
  }
  var deadline: Instant? { machine.deadline }

  func begin(at now: Instant) { machine.begin(at: now) }
  func end(at now: Instant) {
    machine.advance(to: now)
    machine.end(at: now)
  }
  func hear(_ datagram: HeardDatagram, at now: Instant) {
    machine.hear(datagram, at: now)
    handOn(at: now)
  }
  func take(_ refusal: Refusal, at now: Instant) { machine.take(refusal, at: now) }
  func take(_ change: InterfaceChange, at now: Instant) {
    if change.isUp {
      for entry in change.addresses where !entry.address.isMulticast {
        outlet?.listen(at: Endpoint(entry.address, port: port), on: change.interface)
      }
    }
    machine.take(change, at: now)
    handOn(at: now)
  }
  func advance(to now: Instant) {
    handOn(at: now)
    machine.advance(to: now)
    handOn(at: now)
  }

  /// What the machine told goes to the doors, and what they asked to the machine, which does it at its next turn.
  private func handOn(at now: Instant) {
    device.tell(box.takeTold(), at: now)
    box.add(device.takeSteps().steps)
  }
}

/// A nearby device without a radio beside it.
struct NearbyMachine: Machine {
  var device: PeerDevice
  let box: NearbyBox

  var deadline: Instant? { box.isWaiting ? .zero : device.deadline }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    device.receive(signal, at: now, into: &outbox)
    box.take(from: &device)
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    device.wake(at: now, into: &outbox)
    box.perform(on: &device, at: now, into: &outbox)
    box.take(from: &device)
  }
}
