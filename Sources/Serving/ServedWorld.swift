import RollcallDevices
package import RollcallPrimitives
import RollcallRunning
import RollcallSimulation
import RollcallWire

/// A scenario's inhabitants in real time, behind real interfaces.
///
/// The network of the scenario stays what it is, with every link rule and fault: only the engine's host is another. It
/// is a gateway, and what reaches it leaves by a real interface. So a real control point stands where the engine stood,
/// and is lost datagrams, delayed and partitioned by the code of the simulations.
package final class ServedWorld {
  /// How to serve.
  package struct Options: Sendable {
    package var seed: Seed
    /// Virtual seconds in a real one.
    package var speed: Int64
    /// Whether each inhabitant has its own address; else all of them have the interface's.
    package var hasOwnAddresses: Bool

    package init(seed: Seed, speed: Int64 = 1, hasOwnAddresses: Bool = false) {
      (self.seed, self.speed, self.hasOwnAddresses) = (seed, max(1, speed), hasOwnAddresses)
    }
  }

  /// What became of the traffic between both networks.
  package struct Tally: Hashable, Sendable {
    /// Datagrams from outside, and datagrams that left.
    package var entered = 0
    package var left = 0
    /// Left with an address of ours in place of a forged source.
    package var forged = 0
    /// Were meant for an address of the scenario that is not here: its engine's, for one.
    package var forNobody = 0
    /// Had no address of their family to leave from.
    package var withoutAddress = 0
  }

  package let plan: ServedPlan
  /// Where datagrams go that leave; the bytes are good until the call returns.
  package var send: (Datagram, UnsafeRawBufferPointer) -> Void = { _, _ in }
  package private(set) var tally = Tally()
  private let options: Options
  private var world: World
  /// Who was heard from outside.
  private var heard: Set<IPAddress> = []
  private static let heardMaximum = 65_536

  package init(_ plan: ServedPlan, options: Options) {
    (self.plan, self.options) = (plan, options)
    let uplink = Gateway.Uplink()
    world = World(plan: plan.world(seed: options.seed, gateway: Gateway(uplink)))
    world.setWayOut(host: 0, takesAllMulticast: plan.isQuietInside)
    uplink.send = { [unowned self] in leave($0, $1) }
  }

  // MARK: Time

  private func virtual(_ now: Instant) -> Instant { .zero + (now - .zero) * options.speed }

  /// When something happens next, on the real clock.
  package var deadline: Instant? {
    world.nextEventTime.map { time in
      let (quotient, remainder) = time.nanoseconds.quotientAndRemainder(dividingBy: options.speed)
      return Instant(nanoseconds: quotient + (remainder > 0 ? 1 : 0))
    }
  }

  package func begin() { world.start() }

  /// Everything up to `now` on the real clock happens.
  package func advance(to now: Instant) { world.run(until: virtual(now)) }

  /// Every device that is present says byebye, as fast as it can.
  package func end(at now: Instant) {
    advance(to: now)
    for device in plan.devices where world.machine(ofHost: device.host, as: RootDevice.self)?.isPresent == true {
      world.ask(.act(.leave), ofHost: device.host)
    }
    world.run(until: virtual(now) + .seconds(2))
  }

  // MARK: Datagrams

  /// Somebody outside sent this.
  package func enter(
    _ bytes: UnsafeRawBufferPointer, from source: Endpoint, to destination: Endpoint, interface: InterfaceID,
    at now: Instant
  ) {
    guard bytes.count <= PayloadStore.payloadBytesMaximum else { return }
    advance(to: now)
    tally.entered += 1
    if heard.count < ServedWorld.heardMaximum { heard.insert(source.address) }
    if destination.address.isMulticast || options.hasOwnAddresses {
      world.enter(bytes, from: source, to: destination, gateway: 0, interface: interface)
    } else {
      // Behind one address everybody hears what is sent to it.
      for alias in plan.aliases(on: interface, destination.address.family) {
        world.enter(
          bytes, from: source, to: Endpoint(alias, port: destination.port), gateway: 0, interface: interface)
      }
    }
    world.run(until: world.now)
  }

  private func leave(_ datagram: Datagram, _ bytes: UnsafeRawBufferPointer) {
    var datagram = datagram
    let destination = datagram.destination.address
    if plan.planned.contains(destination), !heard.contains(destination) {
      tally.forNobody += 1
      return
    }
    let own = plan.served(on: datagram.interface)
    if !own.contains(datagram.source.address) {
      guard let address = own.first(where: { $0.family == datagram.source.address.family }) else {
        tally.withoutAddress += 1
        return
      }
      datagram.source.address = address
      tally.forged += 1
    }
    tally.left += 1
    send(datagram, bytes)
  }

  // MARK: Descriptions

  /// What a device's web server says.
  package enum Page: Hashable, Sendable {
    case document([UInt8])
    /// There is no such path.
    case unknown
    /// The device is off.
    case nobody
  }

  /// The description that is served at a path.
  package func page(at listener: Endpoint, path: String) -> Page {
    guard let device = plan.device(at: listener, path: path),
      let root = world.machine(ofHost: device.host, as: RootDevice.self)
    else { return .unknown }
    guard root.isPresent else { return .nobody }
    guard root.port == listener.port || plan.servesTwo(device) else { return .unknown }
    return .document(root.document(named: device.name).bytes)
  }
}
