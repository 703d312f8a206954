public import RollcallPrimitives
public import RollcallTrace

/// The simulator: machines on the hosts of a virtual network, and virtual time that goes from event to event.
///
/// The world has the clock and the one queue; the LAN and every other medium schedule into it. It knows no type of
/// machine: a machine of another package lives here like those of this one.
public struct World: ~Copyable, Driver {
  public var gate: Gate
  public var outbox: Outbox
  package private(set) var network: VirtualNetwork
  /// Reports of engines in order; refused datagrams are counted in `rejections` and listed up to a bound.
  package private(set) var reports: [TimedReport] = []
  package private(set) var rejections = RejectionTally()
  /// What a mirror port would show: each datagram as it is sent, heard or not, with its bytes until the call returns.
  package var tap: ((Datagram, UnsafeRawBufferPointer, Instant) -> Void)?
  /// Asked whenever nothing is left to do at an instant and time is about to move on: here an application that has
  /// queues of its own does what it has to. `true`: it gave the world something, or may have; it is asked again before
  /// time moves.
  package var beforeTimeMoves: ((inout World) -> Bool)?
  /// Which budget ended the run: `more than 100 trace entries`; `nil`: none did.
  package private(set) var reachedBudget: String?
  private var eventCount: UInt64 = 0
  /// Whether the hosts are too many to be in a cache: then the memory of the next events is prefetched.
  private let isLarge: Bool
  /// A sum of what was prefetched: without it the compiler would leave the reads out.
  var prefetched: UInt64 = 0

  /// What is being given to machines.
  @usableFromInline var delivery = Delivery()
  @usableFromInline let schedule: Schedule
  /// `schedule.wakes`.
  @usableFromInline let wakes: UnsafeMutablePointer<Int64>
  @usableFromInline let machines: Machines
  private let media: [any Medium]
  private let commands: [(time: Instant, host: Int, command: Command)]
  private let faults: [(time: Instant, fault: Fault)]
  private let duration: Interval
  private let entriesMaximum: UInt64
  private let eventsMaximum: UInt64

  package init(plan: consuming WorldPlan, recorder: Recorder? = nil) {
    precondition(plan.machines.count == plan.network.hosts.count, "every host has one machine")
    isLarge = plan.network.hosts.count >= World.largeHostCount
    (commands, faults, media) = (plan.commands, plan.faults, plan.media)
    (duration, entriesMaximum, eventsMaximum) = (plan.duration, plan.entriesMaximum, plan.eventsMaximum)
    let payloads = PayloadStore()
    outbox = Outbox(payloads: payloads)
    gate = Gate(recorder: recorder)
    schedule = Schedule(hostCount: plan.network.hosts.count)
    wakes = schedule.wakes
    network = VirtualNetwork(plan: plan.network, seed: plan.seed, payloads: payloads, schedule: schedule)
    for (host, hostPlan) in plan.network.hosts.enumerated() {
      plan.machines.places[host].driftMillionths = hostPlan.clockDriftMillionths
    }
    machines = plan.machines
    for (number, entry) in commands.enumerated() { schedule.planned(number, at: entry.time) }
    for (number, entry) in faults.enumerated() { schedule.planned(commands.count + number, at: entry.time) }
  }

  deinit { schedule.end() }

  /// A host takes about a kilobyte.
  private static let largeHostCount = 512

  // MARK: - Looking in

  package var payloads: PayloadStore { outbox.payloads }
  package var now: Instant { schedule.now }
  package var pendingCount: Int { schedule.pendingCount }

  /// The machine of a host as it is now; `nil` where it is of another type.
  package func machine<M: Machine>(ofHost host: Int, as type: M.Type) -> M? {
    machines.machine(ofHost: host, as: type)
  }

  /// The machines of a type, in the order of their hosts; good until the world goes on.
  package func all<M: Machine>(_ type: M.Type) -> UnsafeBufferPointer<M> { machines.all(type) }

  /// The devices that are on the network now, by the names that an engine ought to report, in the order of their hosts.
  package var presentDevices: [String] { machines.presentDevices }

  package mutating func watchMembership(ofHost host: Int) { network.watchMembership(of: host) }

  // MARK: - Driving

  /// Starts every host: each learns its interfaces, in order; then every medium.
  package mutating func start() {
    for host in 0..<machines.count {
      for change in network.interfaces(of: host) { give(.interface(change), toHost: host) }
    }
    for number in media.indices { withMedium(number) { $0.begin(schedule: $1) } }
  }

  /// Runs until `end`, or until the budget is used up.
  package mutating func run(until end: Instant) {
    while true {
      if let barrier = beforeTimeMoves, schedule.nextTime != now, barrier(&self) {
        // Whatever asks for ever costs events, and so ends.
        eventCount &+= 1
        if exceedsBudget() { return }
        continue
      }
      guard let due = schedule.next(until: end) else { return }
      if isLarge, schedule.hasNewBucket { prefetch() }
      let counts: Bool
      switch due {
      case .wake(let host):
        let place = machines.places[host]
        let (pool, now) = (machines.pools + Int(place.pool), schedule.now)
        pool.pointee.calls.wake(&self, pool.pointee.memory, host, now)
        counts = true
      case .arrival(let index):
        counts = network.arrive(index, &delivery)
        if counts { deliver() }
      case .fanOut(let index):
        counts = network.fanOut(index, &delivery)
        if counts { deliver() }
      case .item(let index):
        counts = perform(schedule.take(index))
      }
      if !counts { continue }
      eventCount &+= 1
      if exceedsBudget() { return }
    }
  }

  @inline(__always) private mutating func exceedsBudget() -> Bool {
    if gate.entryCount <= entriesMaximum, eventCount <= eventsMaximum { return false }
    reachedBudget =
      gate.entryCount > entriesMaximum
      ? "more than \(entriesMaximum) trace entries" : "more than \(eventsMaximum) events"
    return true
  }

  /// Whether it was an event of the run, and not something between hosts and switches.
  private mutating func perform(_ item: Schedule.Item) -> Bool {
    switch item {
    case .planned(let number):
      if number < commands.count {
        give(.command(commands[number].command), toHost: commands[number].host)
      } else {
        apply(faults[number - commands.count].fault)
      }
    case .delivery(let value, let host): give(value, toHost: host)
    case .medium(let number, let token): withMedium(number) { $0.due(token, schedule: $1) }
    case .lan(let timer):
      network.run(timer)
      return false
    case .free: return false
    }
    return true
  }

  /// When the next event comes; `nil`: none is pending.
  package var nextEventTime: Instant? { schedule.nextTime }

  /// Something goes wrong with the network, or right again, now.
  package mutating func apply(_ fault: Fault) {
    network.apply(fault)
    if case .readdress(let host, let interface, _) = fault { tellMedia(ofAddressesOf: host, on: interface) }
  }

  /// Makes a host the way to every address that nobody here has.
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
    let mark = gate.sent(datagram, station: UInt32(truncatingIfNeeded: gateway), at: now, in: payloads)
    network.transmit(datagram, mark: mark, from: gateway)
  }

  /// Asks something of a host now.
  package mutating func ask(_ command: Command, ofHost host: Int) { give(.command(command), toHost: host) }

  /// A host wants something of a medium now that its machine did not ask for: a program outside did.
  package mutating func want(_ value: some PortValue, ofHost host: Int) {
    gate.wanted(Effect(value), station: UInt32(host), at: now)
    hand(value, from: host)
  }

  /// Gives a host something of any port now.
  package mutating func give(_ signal: SignalValue, toHost host: Int) {
    let pool = machines.pools + Int(machines.places[host].pool)
    pool.pointee.calls.give(&self, pool.pointee.memory, signal, host)
  }

  /// Looks at once when a host wants to be woken, since that changed without a signal.
  package mutating func look(atHost host: Int) {
    let (pool, now) = (machines.pools + Int(machines.places[host].pool), schedule.now)
    pool.pointee.calls.wake(&self, pool.pointee.memory, host, now)
  }

  /// The whole run, from the start to the planned end.
  package mutating func runAll() {
    start()
    run(until: .zero + duration)
  }

  /// Gives what arrived to its receivers: one call for those who follow one another in a pool.
  @inline(__always) private mutating func deliver() {
    delivery.time = now
    var place = 0
    while place < delivery.receivers.count {
      let number = machines.places[Int(delivery.receivers[place].host)].pool
      let pool = machines.pools + Int(number)
      place = pool.pointee.calls.receive(&self, pool.pointee.memory, number, place)
    }
    network.release()
  }

  public mutating func settle(station: UInt32, at now: Instant) {
    let host = Int(station)
    var position = 0
    while position < outbox.count {
      if let datagram = outbox.datagram(at: position) {
        let mark = gate.sent(datagram, station: station, at: now, in: outbox.payloads)
        if let tap { tap(datagram, payloads.bytes(of: datagram.payload), self.now) }
        network.transmit(datagram, mark: mark, from: host)
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
      if case .rejected(let rejection) = report {
        rejections.add(rejection, at: now)
      } else {
        reports.append(TimedReport(time: now, station: station, report: consume report))
      }
      return
    }
    let effect = outbox[position]
    gate.wanted(effect, station: station, at: now)
    let host = Int(station)
    switch effect {
    case .lan(.join(let group, let interface)): network.join(group, host: host, interface: interface)
    case .lan(.leave(let group, let interface)): network.leave(group, host: host, interface: interface)
    case .lan(.readdress(let address, let interface)):
      network.readdress(address, host: host, interface: interface)
      tellMedia(ofAddressesOf: host, on: interface)
    case .transmit, .application: break
    case .streams, .radio, .store, .process, .other:
      if let value = effect.value { hand(value, from: host) }
    }
  }

  /// A host has other addresses: what stood on one that is gone breaks off.
  private mutating func tellMedia(ofAddressesOf host: Int, on interface: InterfaceID) {
    for host in [host] + network.hostsBeside(host, on: interface) {
      for number in media.indices { withMedium(number) { $0.addressesChanged(of: host, schedule: $1) } }
    }
  }

  /// Hands what a host wants to the medium of its port, if there is one.
  private mutating func hand(_ value: any PortValue, from host: Int) {
    guard let number = media.firstIndex(where: { $0.port == type(of: value).port }) else { return }
    withMedium(number) { $0.want(value, from: host, schedule: $1) }
  }

  private mutating func withMedium(_ number: Int, _ body: (any Medium, MediumSchedule) -> Void) {
    let (medium, schedule) = (media[number], schedule)
    withUnsafeMutablePointer(to: &network) { body(medium, MediumSchedule(schedule: schedule, medium: number, lan: $0)) }
  }
}

// What a pool calls, for the concrete type of its machines.
extension World {
  @inlinable @inline(__always) mutating func receive<M: Machine>(
    by machines: UnsafeMutablePointer<M>, pool: UInt32, from first: Int
  ) -> Int {
    let receivers = delivery.receivers
    let sender = delivery.sender
    let mark = delivery.mark
    // With a recorder, which copies each datagram, machines are called: it is nothing to them.
    let kinds = gate.recorder == nil ? M.kinds(of: delivery.datagram, in: outbox.payloads) : .all
    var position = first
    while position < receivers.count {
      let receiver = receivers[position]
      if receiver != sender {
        let place = self.machines.places[Int(receiver.host)]
        if place.pool != pool { break }
        if isNothing(kinds, to: receiver.host, place, at: delivery.time) {
          position = passOver(kinds, pool: pool, from: position)
          continue
        }
        give(to: machines + Int(place.index), place, receiver, mark: mark)
      }
      position &+= 1
    }
    return position
  }

  /// Datagrams of these kinds are received by those to whom they are nothing, without a call. Returns the place of the
  /// first receiver that is of another pool, or has to be called.
  @inlinable @inline(__always) mutating func passOver(_ kinds: DatagramKinds, pool: UInt32, from first: Int) -> Int {
    let receivers = delivery.receivers
    let sender = delivery.sender
    let (mark, now) = (delivery.mark, delivery.time)
    // A copy, which needs no memory for what is folded.
    var gate = gate
    var position = first
    while position < receivers.count {
      let receiver = receivers[position]
      if receiver != sender {
        let place = machines.places[Int(receiver.host)]
        if place.pool != pool || !isNothing(kinds, to: receiver.host, place, at: now) { break }
        gate.received(mark: mark, on: receiver.interface, station: receiver.host, at: now)
      }
      position &+= 1
    }
    self.gate = gate
    return position
  }

  /// Whether the machine of a host hears none of these kinds, and need not be woken either.
  @inlinable @inline(__always) mutating func isNothing(
    _ kinds: DatagramKinds, to host: UInt32, _ place: MachinePlace, at now: Instant
  ) -> Bool {
    machines.heardKinds[Int(host)].isDisjoint(with: kinds) && !mayBeDue(place, host, at: now)
  }

  /// None is due before its wake: that is set after each call, or by `look`. By a clock of its own it may just be.
  @inlinable @inline(__always) mutating func mayBeDue(_ place: MachinePlace, _ host: UInt32, at now: Instant) -> Bool {
    wakes[Int(host)] <= now.nanoseconds || place.driftMillionths != 0
  }

  /// Gives what arrived to one machine.
  @inlinable @inline(__always) mutating func give<M: Machine>(
    to machine: UnsafeMutablePointer<M>, _ place: MachinePlace, _ receiver: Receiver, mark: UInt64
  ) {
    // Most have one interface. A word is not written without need: it is read at once, as a part of a larger one.
    if delivery.datagram.interface != receiver.interface { delivery.datagram.interface = receiver.interface }
    let time = place.driftMillionths == 0 ? delivery.time : local(place)
    if mayBeDue(place, receiver.host, at: delivery.time) { wakeIfDue(machine, station: receiver.host, at: time) }
    let next = hand(delivery.datagram, mark: mark, to: machine, station: receiver.host, at: time)
    if let next, next.nanoseconds < wakes[Int(receiver.host)] || place.driftMillionths != 0 {
      reschedule(next, Int(receiver.host), place)
    }
  }

  @inlinable mutating func give<M: Machine>(
    _ signal: SignalValue, to machines: UnsafeMutablePointer<M>, host: Int
  ) {
    let (place, station) = (self.machines.places[host], UInt32(truncatingIfNeeded: host))
    reschedule(give(signal, to: machines + Int(place.index), station: station, at: local(place)), host, place)
  }

  @inlinable mutating func wake<M: Machine>(_ machines: UnsafeMutablePointer<M>, host: Int, at now: Instant) {
    let (place, station) = (self.machines.places[host], UInt32(truncatingIfNeeded: host))
    let time = place.driftMillionths == 0 ? now : local(place)
    let machine = machines + Int(place.index)
    // What `wakeIfDue` does, in place: here machines are due, as a rule.
    var next = machine.pointee.deadline
    if let deadline = next, deadline <= time { next = wakeDue(machine, station: station, at: time) }
    reschedule(next, host, place)
  }

  // MARK: - Clocks

  @usableFromInline mutating func reschedule(_ deadline: Instant?, _ host: Int, _ place: MachinePlace) {
    guard let deadline else { return }
    schedule.wake(host: host, at: place.driftMillionths == 0 ? deadline : global(deadline, place.driftMillionths))
  }

  /// What the clock of a host says now. It changes nothing, and is mutating so that a call copies no world.
  @usableFromInline mutating func local(_ place: MachinePlace) -> Instant {
    place.driftMillionths == 0 ? now : drifted(now, place.driftMillionths)
  }

  /// The moment at which a clock that runs `millionths` fast says `time`, or just after it.
  private func global(_ time: Instant, _ millionths: Int64) -> Instant {
    // So late that a slow clock's moment for it may not be a number any more: nothing runs for 73 years.
    if time.nanoseconds > .max / 4 { return .never }
    let scale = 1_000_000 + millionths
    let product = time.nanoseconds.multipliedFullWidth(by: 1_000_000)
    let (quotient, remainder) = scale.dividingFullWidth(product)
    var result = Instant(nanoseconds: quotient + (remainder > 0 ? 1 : 0))
    // Rounding down twice may fall one nanosecond short.
    while drifted(result, millionths) < time { result.nanoseconds += 1 }
    return result
  }
}

/// What a clock that runs `millionths` fast shows at `time`.
func drifted(_ time: Instant, _ millionths: Int64) -> Instant {
  let product = time.nanoseconds.multipliedFullWidth(by: millionths)
  return time + .nanoseconds((1_000_000 as Int64).dividingFullWidth(product).quotient)
}
