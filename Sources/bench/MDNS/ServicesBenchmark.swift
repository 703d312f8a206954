import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// A thousand hosts that probe for the names of ten services each, announce them and are browsed.
enum ServicesBenchmark {
  private static let servicesEach = 10
  /// Probes and announcements are over, the browser has asked seven times and knows all addresses.
  private static let seconds = 150

  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let hosts = options.size(1_000, smoke: 10)
    let before = ResidentMemory.now ?? 0
    let began = ProcessClock.now()
    let box = SearchBenchmark.Box(World(plan: plan(hosts)))
    box.world.start()
    box.world.run(until: .zero + .seconds(Int64(seconds)))
    let elapsed = Double(ProcessClock.now() - began) / 1e9
    let memory = Double((ResidentMemory.now ?? 0) - before)
    let services = hosts * servicesEach
    let found = box.world.machine(ofHost: hosts, as: ServiceBrowser.self)?.present.count ?? 0
    precondition(found == services, "\(found) of \(services) services were found")
    let delivered = box.world.network.statistics.delivered
    report.note(
      "services: \(hosts) hosts with \(servicesEach) services each appear at once and are browsed, \(seconds) virtual s"
    )
    report.add(
      Figure(
        name: "\(services) services, \(hosts) hosts", value: elapsed, unit: "s CPU",
        target: .atMost(60)))
    report.add(
      Figure(name: "the same, a delivered datagram", value: elapsed * 1e9 / Double(max(1, delivered)), unit: "ns"))
    report.add(
      Figure(
        name: "resident memory, a service", value: memory / Double(services), unit: "bytes", target: .atMost(4_096)))
    return box.world.gate.digest.state
  }

  private static func plan(_ count: Int) -> WorldPlan {
    let subnet = Subnet()
    let seed = Seed(1)
    var hosts: [HostPlan] = []
    var machines = Machines()
    var commands: [(time: Instant, host: Int, command: Command)] = []
    guard let web = try? ServiceType("http", .tcp) else { preconditionFailure("a service type") }
    for number in 0..<count {
      let name = "host-\(number)"
      let services = (0..<servicesEach).map { MDNSService(web, "Service \(number) \($0)", port: 80) }
      hosts.append(subnet.host(name, number + 1, latency: .constant(.microseconds(500))))
      machines.append(MDNSResponder(MDNSPlan(host: name, services: services), seed: seed, name: name))
      commands.append((time: .zero, host: number, command: .act(.appear)))
    }
    hosts.append(subnet.host("browser", count + 1, latency: .constant(.microseconds(500))))
    machines.append(ServiceBrowser([web], seed: seed, name: "browser"))
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(Int64(seconds)),
      seed: seed)
    plan.machines = machines
    plan.commands = commands
    return plan
  }
}
