import RollcallDevices
import RollcallDiscovery
import Foundation
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace

/// One control point, many devices: three searches with MX 3, a tenth of everything lost, six answers each.
///
/// Datagrams are real: built from each device's own values, parsed, looked up and deduplicated.
enum SearchBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let counts = options.isSmoke ? [5, 20] : [100, 1_000, 10_000]
    // Small worlds run several times in a row, so that each measurement takes some milliseconds.
    func repeatCount(of count: Int) -> Int { max(1, (counts.last ?? 1) / count / 4) }
    var contenders = counts.map { count in
      Contender("\(count)") {
        let repeats = repeatCount(of: count)
        let boxes = (0..<repeats).map { Box(world(deviceCount: count, seed: UInt64($0))) }
        for box in boxes { box.settleIn() }
        return {
          var delivered = 0
          var proof: UInt64 = 0
          for box in boxes {
            box.world.run(until: end)
            delivered += box.world.network.statistics.delivered
            proof = Proof.fold(proof, box.world.gate.digest.state)
          }
          return (delivered, proof)
        }
      }
    }
    switch SearchModel.open() {
    case .success(let model):
      contenders += counts.map { count in
        Contender("model, \(count)") { { model.run(deviceCount: count, repeats: repeatCount(of: count)) } }
      }
    case .failure(let absence): report.note("search: left out beside the model in C++: \(absence.text)")
    }
    let hasModel = contenders.count > counts.count
    let contest = Contest(contenders, passes: options.passes(7))
    report.note(
      "search: 1 control point, N devices, ssdp:all three times with MX 3, each link loses 10 % of what arrives,")
    report.note(
      "latency 200 us to 3 ms each way, 6 answers each (root, UUID, type, 3 services); built, parsed, deduplicated,")
    report.note(
      "every service reported. Measured from the first search to the end; hosts have joined before. A datagram")
    report.note("counts once for each machine that it was delivered to; lost ones do not count.")
    for (index, count) in counts.enumerated() {
      let model = counts.count + index
      // For the first and the last of them there is an aim.
      let aims: [Target?] = [.atLeast(0.9), nil, .atLeast(0.6)]
      report.add(
        Figure(
          name: "search, N = \(Report.number(Double(count)))", value: 1e3 / contest.median(index),
          unit: "M datagrams/s", anchor: hasModel ? ("the model in C++", 1e3 / contest.median(model)) : nil,
          ratio: hasModel ? contest.ratio(model, to: index) : nil,
          target: hasModel && !options.isSmoke ? aims[index] : nil))
    }
    report.note(
      "the model has no links, leases or reports. Measured elsewhere: ns-3's UDP stack 0.14, SimPy 0.11 M datagrams/s")
    let largest = counts.count - 1
    report.add(
      Figure(
        name: "cost a datagram, largest to smallest N", value: contest.median(largest), unit: "ns",
        anchor: ("N = \(counts[0])", contest.median(0)), ratio: contest.ratio(largest, to: 0), target: .atMost(2)))
    return contest.proof
  }

  /// This many runs with two hundred devices.
  /// - Parameter startOnly: leaves the searches out, so that what comes before them can be taken off.
  static func passes(_ count: Int, startOnly: Bool = false) -> (operations: Int, proof: UInt64) {
    var delivered = 0
    var proof: UInt64 = 0
    for number in 0..<count {
      let box = Box(world(deviceCount: 200, seed: UInt64(number)))
      box.settleIn()
      if !startOnly { box.world.run(until: end) }
      delivered += box.world.network.statistics.delivered
      proof = Proof.fold(proof, box.world.gate.digest.state)
    }
    return (delivered, proof)
  }

  final class Box {
    var world: World
    init(_ world: consuming World) { self.world = world }

    /// Every host learns its interface and joins its groups; nothing of that is measured.
    func settleIn() {
      world.start()
      world.run(until: .zero + .milliseconds(10_999))
    }
  }

  private static let end = Instant.zero + .seconds(25)

  static let blueprint: DeviceBlueprint = {
    var description = DeviceDescription(
      root: DevicePart(
        type: "urn:schemas-upnp-org:device:MediaRenderer:1",
        services: ["RenderingControl", "ConnectionManager", "AVTransport"].map {
          "urn:schemas-upnp-org:service:\($0):1"
        }))
    // They were there before the run: their next announcement comes long after it, so that only searches find them.
    description.timing.startJitter = .hours(2) ... .hours(2)
    description.timing.renewalPermille = nil
    return DeviceBlueprint(description)
  }()

  static func world(deviceCount: Int, seed: UInt64) -> World {
    World(plan: plan(deviceCount: deviceCount, seed: Seed(seed)))
  }

  static func plan(deviceCount: Int, seed: Seed, keepsEveryService: Bool = true) -> WorldPlan {
    let subnet = Subnet()
    let latency = Delay.uniform(.microseconds(200) ... .microseconds(3_000))
    let loss = Loss.uniform(.percent(10))
    var hosts: [HostPlan] = []
    hosts.reserveCapacity(deviceCount + 1)
    let interface = subnet.interface(latency: latency, inboundLoss: loss)
    hosts.append(subnet.host("phone", 1, interface))
    var machines = Machines()
    // Room for all of them: that nothing is evicted is a part of the work.
    var configuration = EngineConfiguration()
    configuration.limits.entriesTotal = max(configuration.limits.entriesTotal, deviceCount * 8)
    if keepsEveryService {
      configuration.limits.servicesPerSearch = max(configuration.limits.servicesPerSearch, deviceCount * 8)
    }
    machines.append(DiscoveryEngine(configuration))
    var commands: [(time: Instant, host: Int, command: Command)] = []
    commands.reserveCapacity(deviceCount + 1)
    for number in 0..<deviceCount {
      let name = "device-\(number)"
      hosts.append(subnet.host(name, number + 2, interface))
      machines.append(RootDevice(blueprint, seed: seed, name: name))
      commands.append((time: .zero, host: number + 1, command: .act(.appear)))
    }
    let search = Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 3, broadcasts: 3)
    commands.append((time: .zero + .seconds(11), host: 0, command: .search(search)))
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(25), seed: seed)
    plan.machines = machines
    plan.commands = commands
    return plan
  }

  // MARK: Memory

  /// Runs the world with `deviceCount` devices in this process and says what it took at most.
  static func peakReport(deviceCount: Int) -> String {
    var world = World(plan: plan(deviceCount: deviceCount, seed: Seed(1), keepsEveryService: false))
    world.runAll()
    guard let engine = world.machine(ofHost: 0, as: DiscoveryEngine.self) else { return "" }
    return "peak \(ResidentMemory.peak ?? -1) devices \(engine.counters.devicesPresent) "
      + "leases \(engine.counters.openLeases) delivered \(world.network.statistics.delivered) "
      + "proof \(Proof.text(world.gate.digest.state))"
  }

  static func runMemory(_ options: Options, _ report: Report) -> UInt64 {
    let count = options.size(100_000, smoke: 50)
    guard let words = child(["--peak", "\(count)"])?.split(whereSeparator: \.isWhitespace), words.count == 10,
      let peak = Double(words[1]), peak > 0, let devices = Int(words[3])
    else {
      report.note("memory was left out: the child process or /proc/self/status did not say")
      return 0
    }
    report.note(
      "memory: the search above in a process of its own, plan included: \(devices) devices found, \(words[5]) leases;")
    report.note("the engine has room for all leases and keeps its own bound of 16 384 services a search")
    report.add(
      Figure(
        name: "\(Report.number(Double(count))) devices, resident peak", value: peak / 1_048_576, unit: "MiB",
        target: .atMost(230)))
    return UInt64(words[9], radix: 16) ?? 0
  }

  /// What this very program prints with other arguments.
  static func child(_ arguments: [String]) -> String? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = pipe
    do { try process.run() } catch { return nil }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: output, as: UTF8.self) : nil
  }
}

/// `Tools/anchors/search-model.cpp`: the same search without all that makes it a network.
private struct SearchModel {
  private typealias Search = @convention(c) (UInt32, UInt64, UnsafeMutablePointer<UInt64>) -> UInt64
  private let body: Search

  static func open() -> Result<SearchModel, AnchorAbsence> {
    AnchorInC.function("rollcall_anchor_search", in: "search-model.cpp", linking: ["stdc++"]).map {
      SearchModel(body: unsafeBitCast($0, to: Search.self))
    }
  }

  /// Datagrams that arrived, and a digest of all that happened.
  func run(deviceCount: Int, repeats: Int) -> (operations: Int, proof: UInt64) {
    var (delivered, proof): (Int, UInt64) = (0, 0)
    for seed in 0..<repeats {
      var digest: UInt64 = 0
      delivered += Int(body(UInt32(deviceCount), UInt64(seed), &digest))
      proof = Proof.fold(proof, digest)
    }
    return (delivered, proof)
  }
}
