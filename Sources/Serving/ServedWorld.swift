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
  /// What is wanted of streams outside.
  package var want: (StreamEffect) -> Void = { _ in }
  package private(set) var tally = Tally()
  private var streams = ServedStreams()
  /// What the devices said on their streams since the world was last looked at.
  private var said: [StreamSignal] = []
  private let options: Options
  private var world: World
  /// Addresses of the scenario from which somebody outside was heard.
  private var heard: Set<IPAddress> = []
  /// Programs on this host.
  private var ownHost = OwnHost()

  package init(_ plan: ServedPlan, options: Options) {
    (self.plan, self.options) = (plan, options)
    let uplink = Gateway.Uplink()
    world = World(plan: plan.world(seed: options.seed, gateway: Gateway(uplink, hearsMDNS: plan.hasMDNS)))
    world.setWayOut(host: 0, takesAllMulticast: plan.isQuietInside)
    uplink.send = { [unowned self] in leave($0, $1) }
    uplink.streamed = { [unowned self] in said.append($0) }
  }

  // MARK: Time

  private func virtual(_ now: Instant) -> Instant { .zero + (now - .zero) * options.speed }

  /// When something happens next, on the real clock.
  package var deadline: Instant? {
    let time = min(world.nextEventTime ?? .never, streams.deadline)
    if time == .never { return nil }
    let (quotient, remainder) = time.nanoseconds.quotientAndRemainder(dividingBy: options.speed)
    return Instant(nanoseconds: quotient + (remainder > 0 ? 1 : 0))
  }

  package func begin() {
    world.start()
    carryOut(streams.begin(plan))
  }

  /// Everything up to `now` on the real clock happens.
  package func advance(to now: Instant) {
    let end = virtual(now)
    repeat {
      // What a device says is handed on at its moment, so that what comes back is not late.
      world.run(until: min(end, world.nextEventTime ?? end))
      handOn()
    } while world.nextEventTime.map { $0 <= end } ?? false
    world.run(until: end)
    carryOut(streams.advance(to: end))
  }

  private func handOn() {
    while !said.isEmpty {
      let signals = said
      said = []
      for signal in signals { carryOut(streams.inside(signal, at: world.now)) }
      world.run(until: world.now)
    }
  }

  /// Every device that is present says byebye, and every responder goodbye, as fast as it can.
  package func end(at now: Instant) {
    advance(to: now)
    for device in plan.devices where device.isPresent(in: world) {
      world.ask(.act(.leave), ofHost: device.host)
    }
    for host in plan.responders { world.ask(.act(.leave), ofHost: host) }
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
    var source = source
    if let prefixBits = plan.prefixBits(ofServed: source.address, on: interface) {
      source.address = ownHost.alias(of: source.address, prefixBits: prefixBits, on: interface)
    }
    if plan.planned.contains(source.address) { heard.insert(source.address) }
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
    if let real = ownHost.address(of: destination) {
      datagram.destination.address = real
    } else if plan.planned.contains(destination), !heard.contains(destination) {
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

  // MARK: Streams

  /// What became of a stream outside, or of a listener.
  /// - Returns: the listener that the system refused, if that is what became of it.
  @discardableResult
  package func take(_ signal: StreamSignal, at now: Instant) -> ServedPlan.Listener? {
    advance(to: now)
    if case .ended(let stream, _) = signal, let refused = streams.listeners.first(where: { $0.stream == stream }) {
      return refused.at
    }
    carryOut(streams.outside(signal, plan: plan, at: virtual(now)))
    world.run(until: world.now)
    handOn()
    return nil
  }

  private func carryOut(_ wants: [ServedStreams.Want]) {
    for want in wants {
      switch want {
      case .outside(let effect): self.want(effect)
      case .inside(let effect): world.want(effect, ofHost: 0)
      }
    }
  }

  /// Descriptions that were served, and requests that were refused.
  package var servedCount: Int { streams.servedCount }
  package var refusedCount: Int { streams.refusedCount }
}
