package import RollcallPrimitives
import RollcallWire

/// A Bluetooth LE peripheral: advertises, answers scanners, changes its address and what it says, is connected to and
/// serves its attributes, and falls silent.
///
/// A connected central is told of `leave` and of nothing else; without one `leave`, `vanish` and a crash look alike on
/// the air. All chance is the air's; its private
/// addresses follow from its name, so that a scenario can name them before the run.
package struct Peripheral: Machine, Sendable {
  package let plan: PeripheralPlan
  private let name: String
  /// Whether it is there and has not left.
  private var isPresent = false
  private var isPowered = true
  private var saysOther = false
  /// Whether it has advertised before: the first start takes the first address.
  private var hasStarted = false
  /// How many private addresses it has had.
  private var rotations: UInt32 = 0
  private var rotatesAt = Instant.never
  private var slowsAt = Instant.never
  private var restartsAt = Instant.never
  private var connections: [Connection] = []
  /// How many centrals have connected so far.
  private var connectionCount = 0
  private var table: AttributeTable

  private struct Connection: Sendable {
    let number: LinkID
    /// Its own address, as the central knows it.
    let address: RadioAddress
    var server = AttributeServer()
    var endsAt = Instant.never
    /// It has asked its controller for the end: what comes is still answered, and nothing is said unasked.
    var isEnding = false
    /// When it has something to say, or ends.
    var deadline: Instant { isEnding ? .never : min(server.deadline, endsAt) }
  }

  /// The one set that it advertises with.
  private static let set: UInt8 = 0

  package init(_ plan: PeripheralPlan, name: String) {
    (self.plan, self.name) = (plan, name)
    table = Peripheral.table(plan, saysOther: false)
  }

  private static func table(_ plan: PeripheralPlan, saysOther: Bool) -> AttributeTable {
    let saying = saysOther ? plan.otherSaying ?? plan.saying : plan.saying
    return AttributeTable(
      saysOther ? plan.otherGATT ?? plan.gatt : plan.gatt, name: saying.advertised.name ?? saying.responded.name,
      appearance: saying.advertised.appearance)
  }

  /// The private address number `number`, from 0, of a peripheral of this name: non-resolvable, so its two highest bits
  /// are 0.
  package static func privateAddress(_ number: UInt32, of name: String) -> RadioAddress {
    var digest = Digest()
    digest.combine(name)
    digest.combine(UInt64(number), 0xAD)
    return RadioAddress(bits: digest.state & 0x3FFF_FFFF_FFFF, isRandom: true)
  }

  package var address: RadioAddress {
    switch plan.address {
    case .fixed(let address): address
    case .rotating: Peripheral.privateAddress(rotations, of: name)
    }
  }

  private var isRunning: Bool { isPresent && isPowered && restartsAt == .never }
  private var isAdvertising: Bool { isRunning && connections.count < max(1, plan.connectionsMaximum) }

  package var presentDevices: [String] {
    var names: [String] = []
    for connection in connections where isRunning && !names.contains(connection.address.deviceName) {
      names.append(connection.address.deviceName)
    }
    if isAdvertising, !names.contains(address.deviceName) { names.append(address.deviceName) }
    return names
  }

  package var deadline: Instant? {
    let next = connections.reduce(min(rotatesAt, slowsAt, restartsAt)) { min($0, $1.deadline) }
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal else { return }
    switch outbox.values[id] {
    case .application(.act(let act)): perform(act, at: now, into: &outbox)
    case .host(.power(let state)): take(state == .on, at: now, into: &outbox)
    case .radio(.link(let number, let signal)): take(signal, of: number, at: now, into: &outbox)
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if restartsAt <= now { begin(at: now, into: &outbox) }
    if slowsAt <= now {
      slowsAt = .never
      advertise(at: now, into: &outbox)
    }
    if rotatesAt <= now {
      rotate(at: now)
      advertise(at: now, into: &outbox)
    }
    for index in connections.indices where !connections[index].isEnding {
      let frames = connections[index].server.wake(at: now, table)
      send(frames, connections[index].number, into: &outbox)
      if connections[index].endsAt <= now { endConnection(index, into: &outbox) }
    }
  }

  private mutating func endConnection(_ place: Int, into outbox: inout Outbox) {
    connections[place].isEnding = true
    outbox.want(RadioEffect.link(connections[place].number, .end))
  }

  private func send(_ frames: [[UInt8]], _ number: LinkID, into outbox: inout Outbox) {
    for frame in frames { outbox.want(RadioEffect.link(number, .send(frame))) }
  }

  // MARK: - Connections

  private mutating func take(_ signal: LinkSignal, of number: LinkID, at now: Instant, into outbox: inout Outbox) {
    if case .connected(_, let own, _, _) = signal { connected(number, own, at: now, into: &outbox) }
    guard let place = connections.firstIndex(where: { $0.number == number }) else { return }
    switch signal {
    case .frame(let frame):
      let frames = connections[place].server.receive(frame, &table, gatt, plan.quirks, at: now)
      send(frames, number, into: &outbox)
      guard let written = connections[place].server.takeWritten() else { return }
      for other in connections.indices where other != place && !connections[other].isEnding {
        send(connections[other].server.wasWritten(written, table), connections[other].number, into: &outbox)
      }
    case .acknowledged(let frames): connections[place].server.acknowledged(frames)
    case .ended:
      connections.remove(at: place)
      if isRunning { speed(at: now, into: &outbox) }
    case .connected, .strength, .updated: break
    }
  }

  private var gatt: GATTPlan { saysOther ? plan.otherGATT ?? plan.gatt : plan.gatt }

  private mutating func connected(
    _ number: LinkID, _ own: RadioAddress, at now: Instant, into outbox: inout Outbox
  ) {
    var connection = Connection(number: number, address: own)
    connectionCount += 1
    if plan.quirks.contains(.endsConnections) { connection.endsAt = now + .seconds(1) }
    connections.append(connection)
    if plan.quirks.contains(.refusesFirstConnection), connectionCount == 1 {
      endConnection(connections.count - 1, into: &outbox)
    }
    if plan.quirks.contains(.notifiesUnasked) {
      let pdu = AttributePDU.handleValueNotification(handle: table.firstOwnHandle, value: [1])
      send([ChannelFrame.bytes(.attributes, pdu.bytes)], number, into: &outbox)
    }
    // The controller has ended the set that was connected to.
    advertise(at: now, into: &outbox)
  }

  private mutating func perform(_ act: Act, at now: Instant, into outbox: inout Outbox) {
    switch act {
    case .appear:
      guard !isPresent || restartsAt != .never else { return }
      isPresent = true
      begin(at: now, into: &outbox)
    case .leave:
      isPresent = false
      restartsAt = .never
      for place in connections.indices { endConnection(place, into: &outbox) }
      end(into: &outbox)
    case .vanish:
      isPresent = false
      restartsAt = .never
      fallSilent(into: &outbox)
    case .crash(let downFor, _):
      guard isPresent else { return }
      fallSilent(into: &outbox)
      restartsAt = now + max(downFor, .zero)
    case .reboot:
      guard isRunning else { return }
      if !connections.isEmpty { fallSilent(into: &outbox) }
      begin(at: now, into: &outbox)
    case .reconfigure:
      saysOther.toggle()
      reconfigure(into: &outbox)
      if isAdvertising { speed(at: now, into: &outbox) }
    case .move, .relocate, .update, .rename, .send, .peer: break
    }
  }

  private mutating func take(_ isPowered: Bool, at now: Instant, into outbox: inout Outbox) {
    guard isPowered != self.isPowered else { return }
    self.isPowered = isPowered
    if !isPowered {
      (rotatesAt, slowsAt) = (.never, .never)
    } else if isPresent, restartsAt == .never {
      begin(at: now, into: &outbox)
    }
  }

  /// Begins to advertise, under a fresh address where it has private ones.
  private mutating func begin(at now: Instant, into outbox: inout Outbox) {
    restartsAt = .never
    guard isPowered else { return }
    if case .rotating(let interval) = plan.address {
      if hasStarted { rotations &+= 1 }
      rotatesAt = now + interval
    }
    hasStarted = true
    speed(at: now, into: &outbox)
  }

  private mutating func speed(at now: Instant, into outbox: inout Outbox) {
    slowsAt = plan.fast.map { now + $0.duration } ?? .never
    advertise(at: now, into: &outbox)
  }

  private mutating func rotate(at now: Instant) {
    guard case .rotating(let interval) = plan.address else { return }
    rotations &+= 1
    rotatesAt = now + interval
  }

  /// Its attributes are others from now on, and who subscribed to that is told.
  private mutating func reconfigure(into outbox: inout Outbox) {
    let before = table
    table = Peripheral.table(plan, saysOther: saysOther)
    guard before.attributes != table.attributes else { return }
    let last = max(before.lastHandle, table.lastHandle)
    let range = min(table.firstOwnHandle, last)...last
    for index in connections.indices where !connections[index].isEnding {
      let frames = connections[index].server.servicesChanged(range, table)
      send(frames, connections[index].number, into: &outbox)
    }
  }

  /// Without a word to those that are connected.
  private mutating func fallSilent(into outbox: inout Outbox) {
    end(into: &outbox)
    if !connections.isEmpty { outbox.want(RadioEffect.reset) }
    connections = []
  }

  private mutating func end(into outbox: inout Outbox) {
    (rotatesAt, slowsAt) = (.never, .never)
    outbox.want(RadioEffect.stopAdvertising(set: Peripheral.set))
  }

  private func advertise(at now: Instant, into outbox: inout Outbox) {
    guard isAdvertising else { return }
    let saying = saysOther ? plan.otherSaying ?? plan.saying : plan.saying
    let (pdu, response) = plan.isExtended ? extendedPDUs(saying) : legacyPDUs(saying)
    outbox.want(
      RadioEffect.advertise(
        set: Peripheral.set, every: slowsAt == .never ? plan.interval : plan.fast?.interval ?? plan.interval,
        pdu: pdu, response: response))
  }

  private func legacyPDUs(_ saying: PeripheralPlan.Saying) -> (pdu: [UInt8], response: [UInt8]) {
    let kind: AdvertisingPDU.Kind =
      switch plan.kind {
      case .connectable: .connectable
      case .scannable: .scannable
      case .nonConnectable: .nonconnectable
      }
    let response = PeripheralQuirk.bytes(of: saying.responded, [])
    return (
      AdvertisingPDU.bytes(kind, from: address, data: PeripheralQuirk.bytes(of: saying.advertised, plan.quirks)),
      response.isEmpty ? [] : AdvertisingPDU.bytes(.scanResponse, from: address, data: response)
    )
  }

  /// What scanners may ask for is all in the answer.
  private func extendedPDUs(_ saying: PeripheralPlan.Saying) -> (pdu: [UInt8], response: [UInt8]) {
    let most = PeripheralPlan.extendedDataBytesMaximum
    let isAsked = plan.kind == .scannable
    let data = PeripheralQuirk.bytes(of: isAsked ? saying.responded : saying.advertised, plan.quirks, upTo: most)
    let mode: UInt8 =
      switch plan.kind {
      case .nonConnectable: AdvertisingPDU.Mode.neither
      case .connectable: AdvertisingPDU.Mode.connectable
      case .scannable: AdvertisingPDU.Mode.scannable
      }
    let pdu = AdvertisingPDU.extendedBytes(
      from: address, mode: mode, dataInfo: AdvertisingPDU.dataInfo(set: Peripheral.set, of: data),
      data: isAsked ? [] : data)
    guard isAsked else { return (pdu, []) }
    return (
      pdu, AdvertisingPDU.extendedBytes(from: address, mode: AdvertisingPDU.Mode.neither, dataInfo: nil, data: data)
    )
  }
}
