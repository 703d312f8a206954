import RollcallConformance
import RollcallDevices
import RollcallJudging
import RollcallPrimitives
import RollcallRunning
import RollcallSimulation
import RollcallTrace

/// A small network with one device and some control points, run in virtual time and judged by its trace.
struct Stand {
  var description = Profile.basic.description
  var quirks: [Quirk] = []
  var hasIPv6 = false
  /// Interfaces of the device, each on a segment of its own with all control points.
  var segments = 1
  /// What the device is told to do.
  var acts: [(at: Interval, act: Act)] = [(.zero, .appear), (.minutes(61), .leave)]
  var searchers = Stand.searchers
  var faults: [(time: Instant, fault: Fault)] = []
  var duration = Interval.minutes(62)
  var seed: UInt64 = 1

  /// Two control points in good form: one asks everybody, one asks the device alone.
  static let searchers: [ControlPointDecoy.Plan] = {
    var everybody = ControlPointDecoy.Plan(target: "ssdp:all")
    (everybody.copies, everybody.userAgent) = (2, "OS/1.0 UPnP/1.1 Product/1.0")
    (everybody.interval, everybody.searchCountMaximum) = (.seconds(300) ... .seconds(300), 4)
    var root = everybody
    (root.target, root.sourcePort) = ("upnp:rootdevice", 50_001)
    (root.interval, root.unicastTo) = (.seconds(290) ... .seconds(290), Endpoint(device4, port: 1_900))
    return [everybody, root]
  }()

  /// Control points in bad form, and such as ask for what the device is not: silence is the right answer to them.
  static let oddSearchers: [ControlPointDecoy.Plan] = {
    let type = "urn:schemas-upnp-org:device:Basic"
    let odd: [(target: String, maximumWaitSeconds: Int64, oddities: [ControlPointDecoy.Oddity])] = [
      ("ssdp:all", 3, [.noMX]), ("ssdp:all", 0, []), ("ssdp:all", 3, [.noMAN]), ("ssdp:all", 3, [.unquotedMAN]),
      ("urn:rollcall-example:device:Stranger:1", 3, []), (type + ":9", 3, []),
      ("urn:schemas-upnp-org:device:Bas", 3, []),
      ("upnp:rootdevice", 10, []), (type + ":1", 5, []),
    ]
    return odd.enumerated().map { number, one in
      var plan = ControlPointDecoy.Plan(target: one.target)
      (plan.maximumWaitSeconds, plan.oddities, plan.sourcePort) = (one.maximumWaitSeconds, one.oddities, 51_000)
      plan.interval = .seconds(Int64(100 + number)) ... .seconds(Int64(100 + number))
      plan.searchCountMaximum = 3
      return plan
    }
  }()

  /// An hour in which much happens: a second interface that goes and comes back, a restart, a move, a departure, and
  /// control points of all sorts.
  static let eventful: Stand = {
    var stand = Stand()
    stand.segments = 2
    stand.searchers += Stand.oddSearchers
    stand.faults = [
      (.zero + .minutes(15), .interfaceDown(host: 0, interface: InterfaceID(1))),
      (.zero + .minutes(18), .interfaceUp(host: 0, interface: InterfaceID(1))),
    ]
    stand.acts = [
      (.zero, .appear), (.minutes(30), .reboot),
      (.minutes(40), .move(interface: InterfaceID(0), to: IPAddress(192, 168, 1, 11))), (.minutes(61), .leave),
    ]
    return stand
  }()

  static let device4 = IPAddress(192, 168, 1, 10)

  private static func interface(_ segment: Int, _ host: UInt8, _ hasIPv6: Bool) -> InterfacePlan {
    var addresses = [InterfaceAddress(IPAddress(192, 168, UInt8(1 + segment), host), prefixBits: 24)]
    if hasIPv6 {
      addresses.append(
        InterfaceAddress(
          IPAddress(v6High: 0xFE80_0000_0000_0000, low: UInt64(segment) << 16 | UInt64(host)), prefixBits: 64))
    }
    return InterfacePlan(segment: segment, addresses: addresses)
  }

  var hosts: [String] { ["device"] + searchers.indices.map { "searcher\($0)" } }

  /// Everything that happened.
  var trace: [TraceEntry] {
    let seed = Seed(seed)
    var plan = NetworkPlan(segments: (0..<segments).map { SegmentPlan(name: "lan\($0)") })
    plan.hosts.append(
      HostPlan(name: "device", interfaces: (0..<segments).map { Stand.interface($0, 10, hasIPv6) }))
    var machines = Machines()
    machines.append(RootDevice(description, quirks: quirks, seed: seed, name: "device"))
    for (number, searcher) in searchers.enumerated() {
      let name = "searcher\(number)"
      plan.hosts.append(
        HostPlan(name: name, interfaces: (0..<segments).map { Stand.interface($0, UInt8(20 + number), hasIPv6) }))
      machines.append(ControlPointDecoy(searcher, seed: seed, name: name))
    }
    var world = WorldPlan(network: plan, duration: duration, seed: seed)
    world.machines = machines
    world.commands = acts.map { (time: .zero + $0.at, host: 0, command: .act($0.act)) }
    for number in searchers.indices { world.commands.append((time: .zero, host: number + 1, command: .act(.appear))) }
    world.commands.sort { $0.time < $1.time }
    world.faults = faults
    let recorder = Recorder()
    var run = World(plan: world, recorder: recorder)
    run.runAll()
    return recorder.entries
  }

  func judged(_ wanted: (Clause) -> Bool = { _ in true }) -> Judgement {
    TraceHearing.judgement(trace, hosts: hosts, end: .zero + duration, wanted: wanted)
  }
}

extension Judgement {
  /// Ids of clauses that the device violated, in the order of the catalogue.
  var violatedByDevice: [String] {
    judged.filter { clause in
      parties.indices.contains { parties[$0].name == "device" && tally(clause, party: $0).violated > 0 }
    }.map(\.clause.id)
  }

  /// Findings, a line each.
  var lines: [String] {
    rows.map { row in
      "\(row.clause.id) \(row.party.name) \(row.finding.ruling.rawValue) x\(row.finding.count): "
        + "\(row.finding.expected) | \(row.finding.found)"
    }
  }
}
