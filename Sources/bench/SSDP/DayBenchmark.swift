import RollcallDevices
import RollcallDiscovery
import Foundation
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace

/// A virtual day of two hundred devices that come and go, with one control point that searches every hour.
enum DayBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let deviceCount = options.size(200, smoke: 4)
    let hours = options.isSmoke ? [1, 2] : [6, 12, 24]
    let box = SearchBenchmark.Box(World(plan: plan(deviceCount: deviceCount, hours: hours.last ?? 1)))
    let began = ProcessClock.now()
    box.world.start()
    var resident: [Int] = []
    for hour in hours {
      box.world.run(until: .zero + .hours(Int64(hour)))
      resident.append(ResidentMemory.now ?? 0)
    }
    let seconds = Double(ProcessClock.now() - began) / 1e9
    let delivered = box.world.network.statistics.delivered
    let total = hours.last ?? 1
    report.note(
      "day: \(deviceCount) devices, all their announcements, 2 % lost, latency 200 us to 3 ms; each restarts, crashes"
    )
    report.note("or leaves and comes back every few hours; a search every hour; \(box.world.reports.count) reports")
    report.add(
      Figure(
        name: "\(total) virtual hours, \(deviceCount) devices", value: seconds, unit: "s CPU",
        anchor: ("that much virtual time, s", Double(total) * 3_600), ratio: seconds / Double(total) / 3_600,
        target: .atMost(30), aimsAtValue: true))
    report.add(
      Figure(name: "the same, a delivered datagram", value: seconds * 1e9 / Double(max(1, delivered)), unit: "ns"))
    let text = zip(hours, resident).map { "\($0) h \(Report.number(Double($1) / 1_048_576))" }.joined(separator: ", ")
    report.note("resident MiB: \(text)")
    if let first = resident.first, let last = resident.last, first > 0 {
      report.add(
        Figure(
          name: "resident memory at the end", value: Double(last) / 1_048_576, unit: "MiB",
          anchor: ("after \(hours[0]) h", Double(first) / 1_048_576), ratio: Double(last) / Double(first),
          target: .atMost(1.1)))
    }
    return box.world.gate.digest.state
  }

  /// So many virtual hours of two hundred devices.
  static func passes(_ hours: Int) -> (operations: Int, proof: UInt64) {
    let box = SearchBenchmark.Box(World(plan: plan(deviceCount: 200, hours: hours)))
    box.world.runAll()
    return (box.world.network.statistics.delivered, box.world.gate.digest.state)
  }

  /// What applications ask for; half of it nobody has.
  private static let targets = [
    "upnp:rootdevice", "urn:schemas-upnp-org:device:MediaRenderer:1", "urn:schemas-upnp-org:device:MediaServer:1",
    "urn:dial-multiscreen-org:service:dial:1", "urn:schemas-upnp-org:device:InternetGatewayDevice:1", "roku:ecp",
    "urn:schemas-upnp-org:device:Printer:1", "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
    "urn:schemas-wifialliance-org:device:WFADevice:1", "urn:schemas-upnp-org:service:ContentDirectory:4",
    "urn:schemas-upnp-org:device:HVAC_System:1", "urn:schemas-sony-com:service:ScalarWebAPI:1",
  ]

  /// - Parameter controlPointCount: so many more, each of which asks for something every minute.
  static func plan(deviceCount: Int, hours: Int, controlPointCount: Int = 0) -> WorldPlan {
    let subnet = Subnet()
    let seed = Seed(24)
    let latency = Delay.uniform(.microseconds(200) ... .microseconds(3_000))
    let loss = Loss.uniform(.percent(2))
    let blueprints = Profile.allCases.map { $0.blueprint() }
    var hosts = [subnet.host("phone", 1, latency: latency, inboundLoss: loss)]
    var machines = Machines()
    machines.append(DiscoveryEngine(EngineConfiguration()))
    var commands: [(time: Instant, host: Int, command: Command)] = []
    let end = Instant.zero + .hours(Int64(hours))
    for number in 0..<deviceCount {
      let name = "device-\(number)"
      hosts.append(subnet.host(name, number + 2, latency: latency, inboundLoss: loss))
      machines.append(RootDevice(blueprints[number % blueprints.count], seed: seed, name: name))
      var dice = seed.stream(name + "/churn")
      var time = Instant.zero + dice.interval(in: .zero ... .minutes(1))
      commands.append((time: time, host: number + 1, command: .act(.appear)))
      while true {
        time += dice.interval(in: .minutes(30) ... .hours(5))
        if time >= end { break }
        let act: Act
        switch dice.below(3) {
        case 0: act = .reboot
        case 1: act = .crash(downFor: dice.interval(in: .seconds(10) ... .minutes(10)), keepsState: true)
        default: act = .leave
        }
        commands.append((time: time, host: number + 1, command: .act(act)))
        if act == .leave {
          time += dice.interval(in: .minutes(1) ... .minutes(30))
          commands.append((time: time, host: number + 1, command: .act(.appear)))
        }
      }
    }
    var searchTime = Instant.zero + .minutes(5)
    var number: UInt32 = 0
    while searchTime < end {
      number += 1
      commands.append((time: searchTime, host: 0, command: .search(Search(id: SearchID(number), target: "ssdp:all"))))
      searchTime += .hours(1)
    }
    for number in 0..<controlPointCount {
      let name = "control-point-\(number)"
      var dice = seed.stream(name)
      hosts.append(subnet.host(name, deviceCount + number + 2, latency: latency, inboundLoss: loss))
      machines.append(DiscoveryEngine(EngineConfiguration()))
      var time = Instant.zero + dice.interval(in: .minutes(1) ... .minutes(2))
      var search: UInt32 = 0
      while time < end {
        search += 1
        let target = dice.below(100) == 0 ? "ssdp:all" : targets[Int(dice.below(UInt64(targets.count)))]
        commands.append(
          (time: time, host: hosts.count - 1, command: .search(Search(id: SearchID(search), target: target))))
        time += dice.interval(in: .seconds(30) ... .seconds(90))
      }
    }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts),
      duration: .hours(Int64(hours)), seed: seed)
    plan.machines = machines
    plan.commands = commands
    return plan
  }
}
