import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
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
  private var world: World
  private let recorder = Recorder()
  private var choices: ByteChoices
  private var story = EngineStory()
  /// Entries of the recorder that are checked already.
  private var checkedCount = 0
  /// What the last entry of each host was given: a datagram or anything else, and how often it was woken in a row.
  private var wasGivenDatagram = [false, false]
  private var wakes = [(time: Instant.zero, count: 0), (time: Instant.zero, count: 0)]
  private var canCorrupt = false
  private var hasRefusedJoins = false

  static let eventsMaximum: UInt64 = 100_000
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
    var world = WorldPlan(network: plan, duration: .zero, seed: seed)
    world.machines.append(DiscoveryEngine())
    world.machines.append(RootDevice(NetworkScript.blueprint, seed: seed, name: "device"))
    world.eventsMaximum = NetworkScript.eventsMaximum
    self.world = World(plan: world, recorder: recorder)
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
    world.start()
    if choices.bool() { try ask(.act(.appear), of: .device) }
    var count = 0
    while !choices.isOver, count < NetworkScript.operationsMaximum {
      count += 1
      try operate()
    }
    try heal()
    try ask(.stop, of: .engine)
    story.stopped()
    try ask(.act(.vanish), of: .device)
    try pass(.seconds(120))
    try expect(world.payloads.liveCount == 0, "\(world.payloads.liveCount) payloads are left over")
    return world.gate.digest
  }

  private mutating func operate() throws(FuzzFinding) {
    let interface = InterfaceID(0)
    let host = choices.below(2)
    switch choices.below(16) {
    case 0: world.apply(.interfaceDown(host: host, interface: interface))
    case 1: world.apply(.interfaceUp(host: host, interface: interface))
    case 2: world.apply(.partition(number: 1, from: [host], to: [1 - host]))
    case 3: world.apply(.healPartition(number: 1))
    case 4:
      let rule = NetworkScript.rule(&choices)
      canCorrupt = canCorrupt || !rule.corrupt.isZero
      world.apply(.link(host: host, interface: interface, outbound: choices.bool(), rule: rule))
    case 5: world.apply(.refuseMulticastSends(host: 0, choices.bool()))
    case 6:
      hasRefusedJoins = true
      world.apply(.refuseJoins(host: host, choices.bool()))
    case 7:
      let id = SearchID(UInt32(choices.below(4)))
      let search = Search(
        id: id, target: choices.bool() ? "ssdp:all" : "upnp:rootdevice", broadcasts: 1 + choices.below(3))
      let open = engine.openSearchCount
      world.ask(.search(search), ofHost: Host.engine.rawValue)
      if engine.openSearchCount > open { try story.began(id) }
      try check()
    case 8, 9:
      let acts: [Act] = [
        .appear, .leave, .vanish, .reboot, .update, .reconfigure, .crash(downFor: .seconds(2), keepsState: host == 0),
        .move(interface: interface, to: IPAddress(192, 168, 1, 21 + UInt8(host))), .relocate(port: 80),
      ]
      try ask(.act(choices.pick(acts)), of: .device)
    default: try pass(choices.pick([.milliseconds(1), .milliseconds(120), .seconds(1), .seconds(5), .seconds(35)]))
    }
    try pass(.zero)
  }

  /// The second act: nothing harms the network any more, and within a lease the engine knows the device.
  private mutating func heal() throws(FuzzFinding) {
    world.apply(.healEverything)
    try pass(.seconds(2))
    try ask(.act(.appear), of: .device)
    try pass(NetworkScript.lease + .seconds(30))
    // Somebody who could not join when it asked, or whose membership nobody asks about, stays deaf.
    if canCorrupt || hasRefusedJoins || plan.segments[0].snooping && plan.segments[0].querierInterval == nil { return }
    guard let device = world.machine(ofHost: Host.device.rawValue, as: RootDevice.self) else { return }
    let name = "uuid:\(device.uuid)"
    try expect(
      story.present == [name], "one lease after the network healed, \(story.present) are present and not \(name)")
  }

  // MARK: Driving

  private var engine: DiscoveryEngine { world.all(DiscoveryEngine.self)[0] }

  private mutating func ask(_ command: Command, of host: Host) throws(FuzzFinding) {
    world.ask(command, ofHost: host.rawValue)
    try check()
  }

  private mutating func pass(_ interval: Interval) throws(FuzzFinding) {
    world.run(until: world.now + interval)
    try expect(world.reachedBudget == nil, "the run does not end: \(world.reachedBudget ?? "")")
    try check()
    try story.check(engine)
  }

  /// Reads on in what passed the gate.
  private mutating func check() throws(FuzzFinding) {
    while checkedCount < recorder.entries.count {
      let entry = recorder.entries[checkedCount]
      checkedCount += 1
      let host = Int(entry.station)
      switch entry.content {
      case .received: (wasGivenDatagram[host], wakes[host].count) = (true, 0)
      case .signal: (wasGivenDatagram[host], wakes[host].count) = (false, 0)
      case .woken:
        wasGivenDatagram[host] = false
        wakes[host] = (entry.time, wakes[host].time == entry.time ? wakes[host].count + 1 : 1)
        try expect(wakes[host].count < 1_000, "a machine wants to be woken again and again at \(entry.time)")
      case .effect(.application(let report)): try story.tell(report, isDatagram: wasGivenDatagram[host])
      case .effect(.lan), .sent: break
      case .effect(let effect): throw FuzzFinding("nobody here wants \(effect)")
      }
    }
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
