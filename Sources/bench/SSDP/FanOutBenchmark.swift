import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace

/// One multicast datagram to many devices that have no use for it, on a link without loss: what each receiver costs beyond
/// the queue.
enum FanOutBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let receivers = options.size(10_000, smoke: 50)
    let datagrams = options.size(300, smoke: 5)
    let contest = Contest(
      [
        Contender("world") { world(receivers: receivers, datagrams: datagrams, .announcements) },
        Contender("closures", operations: receivers * datagrams) {
          closures(receivers: receivers, datagrams: datagrams)
        },
        Contender("searches") { world(receivers: receivers, datagrams: datagrams, .searches) },
      ], passes: options.passes(9))
    report.note(
      "fan-out: \(datagrams) announcements of 300 bytes, each to \(receivers) root devices, constant latency, no loss"
    )
    report.add(
      Figure(
        name: "multicast delivery, a receiver", value: contest.median(0), unit: "ns",
        anchor: ("a closure and a shared [UInt8] each", contest.median(1)), ratio: contest.ratio(0, to: 1),
        target: .atMost(3.3), aimsAtValue: true))
    report.add(
      Figure(
        name: "the same, a search that nothing matches", value: contest.median(2), unit: "ns", target: .atMost(20)))
    return contest.proof
  }

  /// This many datagrams to a thousand devices.
  static func passes(_ count: Int) -> (operations: Int, proof: UInt64) {
    world(receivers: 1_000, datagrams: count, .announcements)()
  }

  private enum Traffic { case announcements, searches }

  private final class Box {
    var world: World
    init(_ world: consuming World) { self.world = world }
  }

  private static func world(
    receivers: Int, datagrams: Int, _ traffic: Traffic
  ) -> () -> (operations: Int, proof: UInt64) {
    let subnet = Subnet()
    var hosts = [subnet.host("sender", 1, latency: .constant(.microseconds(500)))]
    var machines = Machines()
    var commands: [(time: Instant, host: Int, command: Command)] = []
    let start = Instant.zero + .seconds(30)
    switch traffic {
    case .announcements:
      var flood = Flooder.Plan()
      flood.perSecond = 100
      flood.duration = .hours(1)
      flood.deviceCount = 1
      machines.append(Flooder(flood, seed: Seed(1), name: "sender"))
      commands.append((time: start, host: 0, command: .act(.appear)))
    case .searches:
      machines.append(DiscoveryEngine(EngineConfiguration()))
      for number in 0..<datagrams {
        let search = Search(
          id: SearchID(UInt32(number)), target: "urn:schemas-upnp-org:device:Nothing:1", maximumWaitSeconds: 1,
          broadcasts: 1)
        commands.append((time: start + .milliseconds(Int64(number) * 10), host: 0, command: .search(search)))
      }
    }
    for number in 0..<receivers {
      let name = "device-\(number)"
      hosts.append(subnet.host(name, number + 2, latency: .constant(.microseconds(500))))
      // They have joined, and say nothing of their own before the end.
      machines.append(RootDevice(SearchBenchmark.blueprint, seed: Seed(1), name: name))
      commands.append((time: .zero, host: number + 1, command: .act(.appear)))
    }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .hours(1), seed: Seed(1))
    plan.machines = machines
    plan.commands = commands
    let box = Box(World(plan: plan))
    // Joins and their membership reports are over before the first datagram leaves.
    box.world.start()
    box.world.run(until: start - .milliseconds(1))
    let before = box.world.network.statistics.delivered
    return {
      box.world.run(until: start + .milliseconds(Int64(datagrams) * 10 - 5))
      return (box.world.network.statistics.delivered - before, box.world.gate.digest.state)
    }
  }

  private static func closures(receivers: Int, datagrams: Int) -> UInt64 {
    final class Count { var heard = 0 }
    let total = Count()
    let hosts: [([UInt8]) -> Void] = (0..<receivers).map { number in { total.heard &+= $0.count ^ number } }
    for _ in 0..<datagrams {
      let payload = [UInt8](repeating: 7, count: 300)
      let events = hosts.map { host in { host(payload) } }
      for event in events { event() }
    }
    return UInt64(truncatingIfNeeded: total.heard)
  }
}

/// An IPv4 network with eight bits of prefix: room for sixteen million hosts.
struct Subnet {
  func address(_ number: Int) -> IPAddress { IPAddress(v4: 10 << 24 | UInt32(number)) }

  /// What all hosts have in common; each has an address of its own.
  func interface(latency: Delay, inboundLoss: Loss = .none) -> InterfacePlan {
    InterfacePlan(
      segment: 0, addresses: [], outbound: LinkRule(latency: latency),
      inbound: LinkRule(latency: latency, loss: inboundLoss))
  }

  func host(_ name: String, _ number: Int, _ interface: InterfacePlan) -> HostPlan {
    var interface = interface
    interface.addresses = [InterfaceAddress(address(number), prefixBits: 8)]
    return HostPlan(name: name, interfaces: [interface])
  }

  func host(_ name: String, _ number: Int, latency: Delay, inboundLoss: Loss = .none) -> HostPlan {
    host(name, number, interface(latency: latency, inboundLoss: inboundLoss))
  }
}
