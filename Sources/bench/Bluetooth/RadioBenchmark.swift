import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// Peripherals within reach of one engine that listens all the time, and a virtual day of two hundred of them.
enum RadioBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    report.note("radio: peripherals that advertise every 100 ms, all within reach of one engine that scans passively")
    let events = options.size(200_000, smoke: 200)
    let contest = Contest(
      [2, 200, 2_000].map { count in Contender("\(count)") { { advertise(count, events: events) } } },
      passes: options.passes(3))
    for (number, count) in [2, 200, 2_000].enumerated() {
      report.add(
        Figure(
          name: "an advertising event among \(count)", value: contest.median(number), unit: "ns",
          anchor: number == 0 ? nil : ("among 2", contest.median(0)),
          ratio: number == 0 ? nil : contest.ratio(number, to: 0), target: number == 0 ? nil : .atMost(2)))
    }
    compareWithBumble(contest, options, report)
    let seconds = options.size(86_400, smoke: 10)
    let began = ProcessClock.now()
    let (count, proof) = day(seconds: Int64(seconds))
    let elapsed = Double(ProcessClock.now() - began) / 1e9
    report.add(
      Figure(
        name: "a virtual day of 200 peripherals, \(count) events", value: elapsed, unit: "s", target: .atMost(60)))
    return Proof.fold(contest.proof, proof)
  }

  private static func compareWithBumble(_ contest: Contest, _ options: Options, _ report: Report) {
    // In a smoke run nothing is installed.
    if options.isSmoke { return }
    let name = "bumble 0.0.236 LocalLink"
    report.note("radio: bumble's advertisers are driven in process, with a whole host behind its scanner")
    for (number, (count, events)) in [(2, 4_000), (200, 2_000), (2_000, 300)].enumerated() {
      switch AnchorInPython.number("bumble-locallink.py", [String(count), String(events)]) {
      case .failure(let absence): return report.note("radio: left out beside \(name): \(absence.text)")
      case .success(let cost):
        report.add(
          Figure(
            name: "an event among \(count), beside bumble", value: contest.median(number), unit: "ns",
            anchor: (name, cost), ratio: cost / contest.median(number), target: count == 200 ? .atLeast(700) : nil))
      }
    }
  }

  private static func advertise(_ count: Int, events: Int) -> (operations: Int, proof: UInt64) {
    // 105 ms from one event of a peripheral to the next, on the mean.
    let milliseconds = Int64(events) * 105 / Int64(count)
    return world(count, every: .milliseconds(100), duration: .milliseconds(milliseconds))
  }

  private static func day(seconds: Int64) -> (operations: Int, proof: UInt64) {
    world(200, every: .seconds(1), duration: .seconds(seconds))
  }

  /// How many advertising events there were, and the digest of the run.
  private static func world(
    _ count: Int, every interval: Interval, duration: Interval
  ) -> (operations: Int, proof: UInt64) {
    let names = (0...count).map { "r\($0)" }
    let hosts = names.map { HostPlan(name: $0, interfaces: []) }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: duration, seed: Seed(1))
    let medium = RadioMedium(
      RadioPlan(
        radios: names.enumerated().map { number, name in
          RadioHostPlan(name: name, position: Position(x: number == 0 ? 0 : 1_000 + Int64(number) * 7))
        }), seed: Seed(1))
    plan.media = [medium]
    var configuration = EngineConfiguration()
    configuration.scan = ScanPolicy(.passive)
    plan.machines.append(DiscoveryEngine(configuration))
    var starts = Seed(1).stream("starts")
    for number in 1...count {
      var fields = AdvertisedFields()
      fields.flags = 6
      fields.name = "peripheral"
      fields.services = [BluetoothUUID(short: 0x180F)]
      let address = RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(number), isRandom: true)
      plan.machines.append(
        Peripheral(
          PeripheralPlan(
            kind: .nonConnectable, address: .fixed(address), interval: interval,
            saying: PeripheralPlan.Saying(fields)), name: names[number]))
      plan.commands.append(
        (time: .zero + starts.interval(in: .zero...interval), host: number, command: .act(.appear)))
    }
    plan.commands.sort { ($0.time, $0.host) < ($1.time, $1.host) }
    var world = World(plan: plan)
    world.runAll()
    // Two thousand at once drown each other, but for a few.
    precondition(!world.reports.isEmpty, "some are found")
    return (medium.eventCount, world.gate.digest.state)
  }
}
