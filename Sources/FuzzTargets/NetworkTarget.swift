import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSimulation
import RollcallWire

extension FuzzTarget {
  /// A root device and an engine on a virtual network whose links, faults and timeline bytes choose.
  ///
  /// The run ends within its budget, told twice it is the same to the digest, the engine's story can happen, and when
  /// all have gone no payload is left. Where nothing was corrupted and everybody could join, the engine knows the device one
  /// lease after the network healed.
  package static let network = FuzzTarget(
    name: "network", kind: .machine, dictionary: ["\u{0}\u{0}", "\u{1}\u{1}\u{1}", "\u{FF}"], seeds: NetworkScript.seeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    var first = NetworkScript(bytes)
    let digest = try first.run()
    var second = NetworkScript(bytes)
    let again = try second.run()
    try expect(digest == again, "the same input gives \(digest) and \(again)")
  }
}

/// One input of the network, carried out.
struct NetworkScript: ~Copyable {
  private enum Host: Int { case engine, device }

  private let plan: NetworkPlan
  private var network: VirtualNetwork
  private var engine: DiscoveryEngine
  private var device: RootDevice
  private var outbox: Outbox
  private var choices: ByteChoices
  private var story = EngineStory()
  private var digest = Digest()
  private var eventCount = 0
  private var canCorrupt = false
  private var hasRefusedJoins = false

  static let eventsMaximum = 100_000
  static let operationsMaximum = 30
  static let engineAddress = IPAddress(192, 168, 1, 2)
  static let deviceAddress = IPAddress(192, 168, 1, 20)
  /// Every lease that is announced here.
  static let lease = Interval.seconds(60)
  private static let blueprint: DeviceBlueprint = {
    var description = DeviceDescription(
      root: DevicePart(type: "urn:schemas-upnp-org:device:Foo:2", services: ["urn:schemas-upnp-org:service:Bar:1"]))
    description.maxAgeSeconds = 60
    return DeviceBlueprint(description)
  }()

  init(_ bytes: [UInt8]) {
    var choices = ByteChoices(bytes)
    let flags = choices.byte()
    func addresses(_ address: IPAddress) -> [InterfaceAddress] {
      var all = [InterfaceAddress(address, prefixBits: 24)]
      if flags & 1 == 1 {
        all.append(InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: address.low & 0xFF), prefixBits: 64))
      }
      return all
    }
    var canCorrupt = false
    func interface(_ address: IPAddress) -> InterfacePlan {
      let (out, back) = (NetworkScript.rule(&choices), NetworkScript.rule(&choices))
      canCorrupt = canCorrupt || !out.corrupt.isZero || !back.corrupt.isZero
      return InterfacePlan(segment: 0, addresses: addresses(address), outbound: out, inbound: back)
    }
    let buffer = ReceiveBuffer(bytesMaximum: 4_096, serviceTime: .milliseconds(1))
    plan = NetworkPlan(
      segments: [
        SegmentPlan(
          name: "lan", snooping: flags & 2 != 0, querierInterval: flags & 4 != 0 ? .seconds(20) : nil)
      ],
      hosts: [
        HostPlan(
          name: "engine", interfaces: [interface(NetworkScript.engineAddress)],
          receiveBuffer: flags & 8 != 0 ? buffer : nil),
        HostPlan(name: "device", interfaces: [interface(NetworkScript.deviceAddress)]),
      ])
    self.canCorrupt = canCorrupt
    let seed = Seed(UInt64(choices.byte()))
    let payloads = PayloadStore()
    outbox = Outbox(payloads: payloads)
    network = VirtualNetwork(plan: plan, seed: seed, payloads: payloads)
    engine = DiscoveryEngine()
    device = RootDevice(NetworkScript.blueprint, seed: seed, name: "device")
    self.choices = choices
  }

  private static func rule(_ choices: inout ByteChoices) -> LinkRule {
    let what = choices.byte()
    var rule = LinkRule()
    let ratios = [Ratio.never, .percent(5), .percent(30), .percent(100)]
    if what & 1 != 0 { rule.loss = .uniform(ratios[choices.below(4)]) }
    if what & 2 != 0 {
      rule.loss = .gilbertElliott(
        goodToBad: .percent(UInt64(choices.below(100))), badToGood: .percent(UInt64(choices.below(100))),
        inGood: .never, inBad: .percent(90))
    }
    if what & 4 != 0 { rule.latency = .uniform(.milliseconds(1) ... .milliseconds(1 + Int64(choices.byte()))) }
    if what & 8 != 0 { rule.duplicate = ratios[choices.below(4)] }
    if what & 16 != 0 { rule.reorder = ratios[choices.below(4)] }
    if what & 32 != 0 { rule.corrupt = ratios[choices.below(3)] }
    if what & 64 != 0 { rule.bandwidth = 20_000 + 1_000 * Int64(choices.byte()) }
    if what & 128 != 0 {
      rule.latency = .exponential(minimum: .milliseconds(1), mean: .milliseconds(Int64(choices.byte())))
    }
    return rule
  }

  // MARK: The run

  mutating func run() throws(FuzzFinding) -> Digest {
    for host in 0..<2 {
      for change in network.interfaces(of: host) { try give(.interface(change), to: host) }
    }
    if choices.bool() { try give(.command(.act(.appear)), to: Host.device.rawValue) }
    var count = 0
    while !choices.isOver, count < NetworkScript.operationsMaximum {
      count += 1
      try operate()
    }
    try heal()
    try give(.command(.stop), to: Host.engine.rawValue)
    story.stopped()
    try give(.command(.act(.vanish)), to: Host.device.rawValue)
    try pass(.seconds(120))
    try expect(outbox.payloads.liveCount == 0, "\(outbox.payloads.liveCount) payloads are left over")
    return digest
  }

  private mutating func operate() throws(FuzzFinding) {
    let interface = InterfaceID(0)
    let host = choices.below(2)
    switch choices.below(16) {
    case 0: network.apply(.interfaceDown(host: host, interface: interface))
    case 1: network.apply(.interfaceUp(host: host, interface: interface))
    case 2: network.apply(.partition(number: 1, from: [host], to: [1 - host]))
    case 3: network.apply(.healPartition(number: 1))
    case 4:
      let rule = NetworkScript.rule(&choices)
      canCorrupt = canCorrupt || !rule.corrupt.isZero
      network.apply(.link(host: host, interface: interface, outbound: choices.bool(), rule: rule))
    case 5: network.apply(.refuseMulticastSends(host: 0, choices.bool()))
    case 6:
      hasRefusedJoins = true
      network.apply(.refuseJoins(host: host, choices.bool()))
    case 7:
      let id = SearchID(UInt32(choices.below(4)))
      let search = Search(
        id: id, target: choices.bool() ? "ssdp:all" : "upnp:rootdevice", broadcasts: 1 + choices.below(3))
      try give(.command(.search(search)), to: Host.engine.rawValue, search: id)
    case 8, 9:
      let acts: [Act] = [
        .appear, .leave, .vanish, .reboot, .update, .reconfigure, .crash(downFor: .seconds(2), keepsState: host == 0),
        .move(interface: interface, to: IPAddress(192, 168, 1, 21 + UInt8(host))), .relocate(port: 80),
      ]
      try give(.command(.act(choices.pick(acts))), to: Host.device.rawValue)
    default: try pass(choices.pick([.milliseconds(1), .milliseconds(120), .seconds(1), .seconds(5), .seconds(35)]))
    }
    try pass(.zero)
  }

  /// The second act: nothing harms the network any more, and within a lease the engine knows the device.
  private mutating func heal() throws(FuzzFinding) {
    network.apply(.healEverything)
    try pass(.seconds(2))
    try give(.command(.act(.appear)), to: Host.device.rawValue)
    try pass(NetworkScript.lease + .seconds(30))
    // Somebody who could not join when it asked, or whose membership nobody asks about, stays deaf.
    if canCorrupt || hasRefusedJoins || plan.segments[0].snooping && plan.segments[0].querierInterval == nil { return }
    let name = "uuid:\(device.uuid)"
    try expect(
      story.present == [name], "one lease after the network healed, \(story.present) are present and not \(name)")
  }

  // MARK: Driving

  private mutating func pass(_ interval: Interval) throws(FuzzFinding) {
    let end = network.now + interval
    while let event = network.nextEvent(until: end) {
      eventCount += 1
      try expect(eventCount <= NetworkScript.eventsMaximum, "the run does not end")
      switch event {
      case .wake(let host): try wakeIfDue(host)
      case .datagram(let datagram, let host): try give(.datagram(datagram), to: host)
      case .multicast(var datagram, let receivers, let sender):
        for receiver in receivers where receiver != sender {
          datagram.interface = receiver.interface
          try give(.datagram(datagram), to: Int(receiver.host))
        }
      case .refused(let host, let refusal): try give(.refused(refusal), to: host)
      case .interface(let host, let change): try give(.interface(change), to: host)
      case .appointment: throw FuzzFinding("an appointment that nobody made")
      }
    }
    try story.check(engine)
  }

  private mutating func give(_ value: SignalValue, to host: Int, search: SearchID? = nil) throws(FuzzFinding) {
    let id = outbox.values.put(value)
    try give(.value(id), to: host, search: search)
    outbox.values.remove(id)
  }

  private mutating func give(_ signal: Signal, to host: Int, search: SearchID? = nil) throws(FuzzFinding) {
    try wakeIfDue(host)
    let now = network.now
    if host == Host.device.rawValue {
      device.receive(signal, at: now, into: &outbox)
      return try settle(host, isDatagram: false)
    }
    let open = engine.openSearchCount
    engine.receive(signal, at: now, into: &outbox)
    if let search, engine.openSearchCount > open { try story.began(search) }
    if case .datagram = signal { try settle(host, isDatagram: true) } else { try settle(host, isDatagram: false) }
  }

  /// A machine whose deadline has come is woken before anything else reaches it.
  private mutating func wakeIfDue(_ host: Int) throws(FuzzFinding) {
    let isDevice = host == Host.device.rawValue
    var wakes = 0
    while let deadline = isDevice ? device.deadline : engine.deadline, deadline <= network.now {
      wakes += 1
      try expect(wakes < 1_000, "a machine wants to be woken again and again at \(network.now)")
      if isDevice {
        device.wake(at: network.now, into: &outbox)
      } else {
        engine.wake(at: network.now, into: &outbox)
      }
      try settle(host, isDatagram: false)
    }
    if let deadline = isDevice ? device.deadline : engine.deadline { network.scheduleWake(host: host, at: deadline) }
  }

  private mutating func settle(_ host: Int, isDatagram: Bool) throws(FuzzFinding) {
    for effect in outbox.effects {
      digest.combine(UInt64(bitPattern: network.now.nanoseconds), UInt64(host))
      switch effect {
      case .transmit(let datagram):
        digest.combine(outbox.payloads.digest(of: datagram.payload), UInt64(datagram.destination.port))
        network.transmit(datagram, from: host)
      case .lan(.join(let group, let interface)): network.join(group, host: host, interface: interface)
      case .lan(.leave(let group, let interface)): network.leave(group, host: host, interface: interface)
      case .lan(.readdress(let address, let interface)): network.readdress(address, host: host, interface: interface)
      case .application(let report):
        // Compared within this process only.
        digest.combine(UInt64(bitPattern: Int64(report.hashValue)))
        try story.tell(report, isDatagram: isDatagram)
      case .streams, .radio, .store, .process, .other: throw FuzzFinding("nobody here wants \(effect)")
      }
    }
    outbox.removeAll()
    let deadline = host == Host.engine.rawValue ? engine.deadline : device.deadline
    if let deadline { network.scheduleWake(host: host, at: deadline) }
  }

  // MARK: Seeds

  /// Flags, four link rules, the seed, whether the device is there at the start, then host, operation and details.
  static let seeds: [[UInt8]] = [
    [0, 0, 0, 0, 0, 1, 1, 0, 15, 4], [1, 1, 1, 0, 0, 0, 2, 1, 0, 15, 3, 0, 7, 0, 0, 1, 0, 15, 3],
    [2, 4, 20, 8, 2, 16, 1, 0, 3, 1, 0, 15, 4, 1, 8, 1, 0, 15, 3], [7, 0, 0, 32, 1, 0, 4, 1, 0, 15, 4, 0, 0, 0, 15, 2],
    [0, 0, 0, 0, 0, 5, 1, 0, 15, 3, 0, 2, 0, 15, 4, 0, 3, 1, 9, 7], [8, 64, 3, 128, 9, 0, 0, 6, 1, 1, 8, 3, 0, 15, 4],
    [0, 0, 0, 0, 0, 7, 1, 0, 5, 1, 0, 7, 1, 1, 2, 0, 15, 4], [0, 2, 9, 90, 0, 0, 0, 8, 1, 0, 15, 4, 0, 15, 4],
  ]
}
