package import RollcallDevices
package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallSimulation
package import RollcallTrace
import RollcallWire

/// What a world is built from: a network, a machine for each of its hosts, and what happens when.
package struct WorldPlan {
  package var network: NetworkPlan
  /// One for each host of the network, in the same order.
  package var machines: [PlannedMachine]
  /// What the timeline asks of whom; of equal times, the first stands first.
  package var commands: [(time: Instant, host: Int, command: Command)] = []
  package var faults: [(time: Instant, fault: Fault)] = []
  package var duration: Interval
  package var seed: Seed
  /// More trace entries than this end the run with outcome `budget`.
  package var entriesMaximum: UInt64 = 500_000_000
  /// The same for events of the network.
  package var eventsMaximum: UInt64 = 500_000_000

  package init(network: NetworkPlan, machines: [PlannedMachine], duration: Interval, seed: Seed) {
    (self.network, self.machines, self.duration, self.seed) = (network, machines, duration, seed)
  }
}

/// The machine of one host.
package enum PlannedMachine {
  indirect case engine(EngineConfiguration)
  case rootDevice(RootDevice)
  /// Anybody else.
  case inhabitant(Inhabitant)
  /// Hears everything of the groups it joined, and hands it on to `World.uplink`.
  case gateway
}

/// A report with the time at which it was made and the station that made it.
package struct TimedReport: Hashable, Sendable {
  package var time: Instant
  package var station: UInt32
  package var report: Report
  package init(time: Instant, station: UInt32, report: Report) {
    (self.time, self.station, self.report) = (time, station, report)
  }
}

/// The simulator: a virtual network, machines on its hosts, and virtual time that goes from event to event.
package struct World: ~Copyable, Driver {
  package var gate: Gate
  package var outbox: Outbox
  package private(set) var network: VirtualNetwork
  /// Reports of engines in order; refused datagrams are counted in `rejections` and listed up to a bound.
  package private(set) var reports: [TimedReport] = []
  package private(set) var rejections: RejectionTally
  /// What a mirror port would show: each datagram as it is sent, heard or not, with its bytes until the call returns.
  package var tap: ((Datagram, UnsafeRawBufferPointer, Instant) -> Void)?
  /// Which budget ended the run: `more than 100 trace entries`; `nil`: none did.
  package private(set) var reachedBudget: String?
  /// What reaches a gateway: the datagram, and its bytes until the call returns.
  package var uplink: ((Datagram, UnsafeRawBufferPointer) -> Void)?
  private var eventCount: UInt64 = 0

  private let commands: [(time: Instant, host: Int, command: Command)]
  private let faults: [(time: Instant, fault: Fault)]
  private let duration: Interval
  private let entriesMaximum: UInt64
  private let eventsMaximum: UInt64
  private let slots: [Slot]
  private let engines: UnsafeMutablePointer<DiscoveryEngine>
  private let engineCount: Int
  private let roots: UnsafeMutablePointer<RootDevice>
  private let rootCount: Int
  private let others: UnsafeMutablePointer<Inhabitant>
  private let otherCount: Int
  private let gateways: UnsafeMutablePointer<Gateway>
  private let gatewayCount: Int

  /// Where the machine of a host is kept, and how its clock runs.
  private struct Slot {
    enum Kind: UInt8 { case engine, root, other, gateway }
    var kind: Kind
    var index: Int32
    var driftMillionths: Int64
  }

  package init(plan: WorldPlan, recorder: Recorder? = nil) {
    precondition(plan.machines.count == plan.network.hosts.count, "every host has one machine")
    (commands, faults) = (plan.commands, plan.faults)
    (duration, entriesMaximum, eventsMaximum) = (plan.duration, plan.entriesMaximum, plan.eventsMaximum)
    let payloads = PayloadStore()
    outbox = Outbox(payloads: payloads)
    gate = Gate(recorder: recorder)
    network = VirtualNetwork(plan: plan.network, seed: plan.seed, payloads: payloads)
    rejections = RejectionTally()
    var slots: [Slot] = []
    var counts: (engine: Int, root: Int, other: Int, gateway: Int) = (0, 0, 0, 0)
    for (host, machine) in plan.machines.enumerated() {
      let drift = plan.network.hosts[host].clockDriftMillionths
      switch machine {
      case .engine:
        slots.append(Slot(kind: .engine, index: Int32(counts.engine), driftMillionths: drift))
        counts.engine += 1
      case .rootDevice:
        slots.append(Slot(kind: .root, index: Int32(counts.root), driftMillionths: drift))
        counts.root += 1
      case .inhabitant:
        slots.append(Slot(kind: .other, index: Int32(counts.other), driftMillionths: drift))
        counts.other += 1
      case .gateway:
        slots.append(Slot(kind: .gateway, index: Int32(counts.gateway), driftMillionths: drift))
        counts.gateway += 1
      }
    }
    self.slots = slots
    (engineCount, rootCount, otherCount, gatewayCount) = counts
    engines = .allocate(capacity: counts.engine)
    roots = .allocate(capacity: counts.root)
    others = .allocate(capacity: counts.other)
    gateways = .allocate(capacity: counts.gateway)
    gateways.initialize(repeating: Gateway(), count: counts.gateway)
    for (host, machine) in plan.machines.enumerated() {
      let index = Int(slots[host].index)
      switch machine {
      case .engine(let configuration): (engines + index).initialize(to: DiscoveryEngine(configuration))
      case .rootDevice(let device): (roots + index).initialize(to: device)
      case .inhabitant(let inhabitant): (others + index).initialize(to: inhabitant)
      case .gateway: break
      }
    }
    for (number, entry) in plan.commands.enumerated() { network.schedule(number, at: entry.time) }
    for (number, entry) in plan.faults.enumerated() { network.schedule(plan.commands.count + number, at: entry.time) }
  }

  deinit {
    engines.deinitialize(count: engineCount).deallocate()
    roots.deinitialize(count: rootCount).deallocate()
    others.deinitialize(count: otherCount).deallocate()
    gateways.deinitialize(count: gatewayCount).deallocate()
  }

  // MARK: - Looking in

  /// The most that any engine held at a time.
  package var peak: (entries: Int, devices: Int) {
    (0..<engineCount).reduce((0, 0)) { peak, index in
      let counters = engines[index].counters
      return (max(peak.0, counters.openLeasesPeak), max(peak.1, counters.devicesPresentPeak))
    }
  }

  package var payloads: PayloadStore { outbox.payloads }
  package var now: Instant { network.now }

  /// The engine of a host.
  package func engine(ofHost host: Int) -> DiscoveryEngine { engines[Int(slots[host].index)] }

  /// The root device of a host; `nil` where something else lives.
  package func rootDevice(ofHost host: Int) -> RootDevice? {
    slots[host].kind == .root ? roots[Int(slots[host].index)] : nil
  }

  package mutating func watchMembership(ofHost host: Int) { network.watchMembership(of: host) }

  // MARK: - Driving

  /// Starts every host: each learns its interfaces, in order.
  package mutating func start() {
    for host in slots.indices {
      for change in network.interfaces(of: host) { give(.interface(change), toHost: host) }
    }
  }

  /// Runs until `end`, or until the budget is used up.
  package mutating func run(until end: Instant) {
    while let event = network.nextEvent(until: end) {
      switch event {
      case .wake(let host): wake(host)
      case .datagram(let datagram, let host):
        deliver(datagram, mark: Gate.mark(of: datagram, in: payloads), to: host)
      case .multicast(let datagram, let receivers, let sender): deliver(datagram, to: receivers, from: sender)
      case .refused(let host, let refusal): give(.refused(refusal), toHost: host)
      case .interface(let host, let change): give(.interface(change), toHost: host)
      case .appointment(let number):
        if number < commands.count {
          give(.command(commands[number].command), toHost: commands[number].host)
        } else {
          network.apply(faults[number - commands.count].fault)
        }
      }
      eventCount &+= 1
      if gate.entryCount > entriesMaximum || eventCount > eventsMaximum {
        reachedBudget =
          gate.entryCount > entriesMaximum
          ? "more than \(entriesMaximum) trace entries" : "more than \(eventsMaximum) events"
        return
      }
    }
  }

  /// When the next event comes; `nil`: none is pending.
  package var nextEventTime: Instant? { mutating get { network.nextEventTime() } }

  /// Makes a gateway the way to every address that nobody here has.
  /// - Parameter takesAllMulticast: whether it alone hears the multicast of the others.
  package mutating func setWayOut(host: Int, takesAllMulticast: Bool) {
    network.setWayOut(host: host, takesAllMulticast: takesAllMulticast)
  }

  /// Somebody outside sends a datagram, which enters by a gateway.
  package mutating func enter(
    _ bytes: UnsafeRawBufferPointer, from source: Endpoint, to destination: Endpoint, gateway: Int,
    interface: InterfaceID
  ) {
    let datagram = Datagram(
      source: source, destination: destination, interface: interface, hopLimit: 1, payload: payloads.store(bytes))
    gate.sent(datagram, station: UInt32(truncatingIfNeeded: gateway), at: network.now, in: payloads)
    network.transmit(datagram, from: gateway)
  }

  /// Asks something of a host now.
  package mutating func ask(_ command: Command, ofHost host: Int) { give(.command(command), toHost: host) }

  /// The whole run, from the start to the planned end.
  package mutating func runAll() {
    start()
    run(until: .zero + duration)
  }

  /// One datagram to many.
  private mutating func deliver(
    _ datagram: Datagram, to receivers: UnsafeBufferPointer<Receiver>, from sender: Receiver
  ) {
    let mark = Gate.mark(of: datagram, in: payloads)
    var datagram = datagram
    for receiver in receivers where receiver != sender {
      datagram.interface = receiver.interface
      deliver(datagram, mark: mark, to: Int(receiver.host))
    }
  }

  @inline(__always) private mutating func deliver(_ datagram: Datagram, mark: UInt64, to host: Int) {
    let slot = slots[host]
    let index = Int(slot.index)
    let time = local(slot)
    let station = UInt32(truncatingIfNeeded: host)
    switch slot.kind {
    case .root:
      reschedule(give(datagram, mark: mark, to: roots + index, station: station, at: time), host, slot)
    case .engine:
      reschedule(give(datagram, mark: mark, to: engines + index, station: station, at: time), host, slot)
    case .gateway:
      give(datagram, mark: mark, to: gateways + index, station: station, at: time)
      uplink?(datagram, payloads.bytes(of: datagram.payload))
    case .other:
      reschedule(give(datagram, mark: mark, to: others + index, station: station, at: time), host, slot)
    }
  }

  private mutating func give(_ signal: SignalValue, toHost host: Int) {
    let slot = slots[host]
    let index = Int(slot.index)
    let time = local(slot)
    let station = UInt32(truncatingIfNeeded: host)
    switch slot.kind {
    case .root:
      reschedule(give(signal, to: roots + index, station: station, at: time), host, slot)
    case .engine:
      reschedule(give(signal, to: engines + index, station: station, at: time), host, slot)
    case .gateway:
      give(signal, to: gateways + index, station: station, at: time)
    case .other:
      reschedule(give(signal, to: others + index, station: station, at: time), host, slot)
    }
  }

  @inline(__always) private mutating func wake(_ host: Int) {
    let slot = slots[host]
    let index = Int(slot.index)
    let time = local(slot)
    let station = UInt32(truncatingIfNeeded: host)
    switch slot.kind {
    case .root:
      reschedule(wakeIfDue(roots + index, station: station, at: time), host, slot)
    case .engine:
      reschedule(wakeIfDue(engines + index, station: station, at: time), host, slot)
    case .gateway: break
    case .other:
      reschedule(wakeIfDue(others + index, station: station, at: time), host, slot)
    }
  }

  @inline(__always) private mutating func reschedule(_ deadline: Instant?, _ host: Int, _ slot: Slot) {
    guard let deadline else { return }
    network.scheduleWake(host: host, at: slot.driftMillionths == 0 ? deadline : global(deadline, slot))
  }

  package mutating func settle(station: UInt32, at now: Instant) {
    let host = Int(station)
    var position = 0
    while position < outbox.count {
      if let datagram = outbox.datagram(at: position) {
        gate.sent(datagram, station: station, at: now, in: outbox.payloads)
        if let tap { tap(datagram, payloads.bytes(of: datagram.payload), network.now) }
        network.transmit(datagram, from: host)
      } else {
        settleOther(position, station: station, at: now)
      }
      position &+= 1
    }
    outbox.removeAll()
  }

  private mutating func settleOther(_ position: Int, station: UInt32, at now: Instant) {
    if let report = outbox.takeReport(at: position) {
      gate.reported(report, station: station, at: now)
      return note(report, station: station, at: now)
    }
    let effect = outbox[position]
    gate.wanted(effect, station: station, at: now)
    let host = Int(station)
    switch effect {
    case .lan(.join(let group, let interface)): network.join(group, host: host, interface: interface)
    case .lan(.leave(let group, let interface)): network.leave(group, host: host, interface: interface)
    case .lan(.readdress(let address, let interface)): network.readdress(address, host: host, interface: interface)
    case .transmit, .application, .streams, .radio, .store, .process, .other: break
    }
  }

  private mutating func note(_ report: consuming Report, station: UInt32, at now: Instant) {
    if case .rejected(let rejection) = report {
      rejections.add(rejection, at: now)
    } else {
      reports.append(TimedReport(time: now, station: station, report: report))
    }
  }

  // MARK: - Clocks

  /// What the clock of a host says now.
  @inline(__always) private func local(_ slot: Slot) -> Instant {
    slot.driftMillionths == 0 ? network.now : drifted(network.now, slot.driftMillionths)
  }

  /// The moment at which the host's clock says `time`, or just after it.
  private func global(_ time: Instant, _ slot: Slot) -> Instant {
    // So late that a slow clock's moment for it may not be a number any more: nothing runs for 73 years.
    if time.nanoseconds > .max / 4 { return .never }
    let scale = 1_000_000 + slot.driftMillionths
    let product = time.nanoseconds.multipliedFullWidth(by: 1_000_000)
    let (quotient, remainder) = scale.dividingFullWidth(product)
    var result = Instant(nanoseconds: quotient + (remainder > 0 ? 1 : 0))
    // Rounding down twice may fall one nanosecond short.
    while drifted(result, slot.driftMillionths) < time { result.nanoseconds += 1 }
    return result
  }
}

/// What a clock that runs `millionths` fast shows at `time`.
func drifted(_ time: Instant, _ millionths: Int64) -> Instant {
  let product = time.nanoseconds.multipliedFullWidth(by: millionths)
  return time + .nanoseconds((1_000_000 as Int64).dividingFullWidth(product).quotient)
}

/// A host that joins the SSDP groups and wants nothing else.
struct Gateway: Machine {
  var deadline: Instant? { nil }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal, case .host(.interface(let change)) = outbox.values[id], change.isUp else {
      return
    }
    for address in change.addresses {
      outbox.join(.ssdp(address.address.family), on: change.interface)
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {}
}

/// Refused datagrams, counted by reason, the first of them listed: a flood is a counter, not growth.
package struct RejectionTally: Hashable, Sendable {
  package static let listedMaximum = 100_000
  package private(set) var listed: [(time: Instant, rejection: Rejection)] = []
  private var counts: [Int] = Array(repeating: 0, count: RejectionReason.allCases.count)

  package init() {}

  package mutating func add(_ rejection: Rejection, at time: Instant) {
    counts[RejectionTally.position(of: rejection.reason)] += 1
    if listed.count < RejectionTally.listedMaximum { listed.append((time, rejection)) }
  }

  /// How often each reason occurred, in the order in which reasons are declared; zeros left out.
  package var byReason: [(reason: RejectionReason, count: Int)] {
    zip(RejectionReason.allCases, counts).filter { $0.1 > 0 }.map { ($0.0, $0.1) }
  }

  package func count(of reason: RejectionReason) -> Int { counts[RejectionTally.position(of: reason)] }

  package var total: Int { counts.reduce(0, +) }

  private static func position(of reason: RejectionReason) -> Int {
    RejectionReason.allCases.firstIndex(of: reason) ?? 0
  }

  package static func == (left: RejectionTally, right: RejectionTally) -> Bool { left.counts == right.counts }
  package func hash(into hasher: inout Hasher) { hasher.combine(counts) }
}
