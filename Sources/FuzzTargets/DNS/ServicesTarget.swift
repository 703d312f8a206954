package import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// An engine that looks for services: bytes choose what it browses, then one operation after the other: messages put
  /// together from records or taken raw, changes of interfaces, commands, steps of time.
  ///
  /// After each operation its invariants hold, its deadline lies ahead, and what it told is a story that can happen. A
  /// second engine, whose queries go out at other times, tells the same at the same times. What nobody says again ends
  /// within a day.
  package static let services = services(planting: [])

  /// The same with faults in the engine: shows that this target would notice them.
  package static func services(planting switches: EngineSwitches) -> FuzzTarget {
    FuzzTarget(
      name: "services", kind: .machine, dictionary: ["\u{0}\u{1}\u{2}", "\u{3}\u{4}"],
      seeds: [
        // A service is announced on one interface and on another; on one alone; its parts one by one.
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [3, 0, 0, 0, 0, 0, 200, 3, 0, 0, 2, 0, 0],
        [0, 0, 100, 0, 0, 0, 0, 0, 0, 100, 0, 1, 0, 0, 0, 0, 100, 0, 2, 0, 0, 0, 0, 100, 0, 3, 0, 0, 0],
      ]
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = ServiceScript(bytes, switches)
      try script.run()
    }
  }
}

/// One input of the target, carried out.
private struct ServiceScript {
  private var choices: ByteChoices
  private var bench: MachineBench<DiscoveryEngine>
  private var twin: MachineBench<DiscoveryEngine>
  /// What is there, by what was told.
  private var present: [String: DeviceSighting] = [:]

  private static let operationsMaximum = 200
  private static let types = ["_a._tcp", "_b._udp", "_s._sub._a._tcp"]

  init(_ bytes: [UInt8], _ switches: EngineSwitches) {
    choices = ByteChoices(bytes)
    var configuration = EngineConfiguration()
    configuration.switches = switches
    switch choices.below(4) {
    case 0: configuration.browse = [.type("_a._tcp")]
    case 1: configuration.browse = ServiceScript.types.map { .type($0) }
    case 2: break
    default: configuration.browse = [.everything]
    }
    configuration.querySeed = Seed(1)
    bench = MachineBench(DiscoveryEngine(configuration), at: .zero)
    configuration.querySeed = Seed(2)
    twin = MachineBench(DiscoveryEngine(configuration), at: .zero)
  }

  mutating func run() throws(FuzzFinding) {
    try interface(0, isUp: true)
    var count = 0
    while !choices.isOver, count < ServiceScript.operationsMaximum {
      count += 1
      switch choices.byte() {
      case ..<128: try hear(message().bytes)
      case ..<144:
        var bytes = message().bytes
        bytes[choices.below(min(256, bytes.count))] = choices.byte()
        try hear(bytes)
      case ..<152: try hear(choices.take(Int(choices.byte())))
      case ..<168: try interface(choices.below(3), isUp: choices.bool())
      case ..<184:
        let browse = choices.bool() ? ServiceBrowse.everything : .type(choices.pick(ServiceScript.types))
        try give(.command(choices.bool() ? .browse(browse) : .stopBrowsing(browse)))
      default:
        try pass(
          choices.pick([
            .milliseconds(1), .milliseconds(999), .seconds(1), .seconds(10), .seconds(120), .seconds(4_500),
          ]))
      }
    }
    try pass(.seconds(86_402))
    try expect(present.isEmpty, "a day after everything was silent, there is \(present.count)")
    try give(.command(.stop))
    try expect(bench.machine.deadline == nil, "it stopped and wants to be woken")
  }

  // MARK: - Messages

  private static let ttls: [UInt32] = [120, 0, 1, 10, 4_500, .max]

  private mutating func message() -> DNSMessage {
    let choice = choices.byte()
    var message = DNSMessage(flags: choice < 200 ? .response : .query)
    if choice < 100 {
      // All that it takes to find a service.
      let detail = choices.byte()
      message.answers = (0..<4).map { record($0, detail) }
      return message
    }
    for _ in 0...choices.below(4) {
      let record = record(choices.below(6), choices.byte())
      if message.flags.isResponse {
        message.answers.append(record)
      } else {
        message.questions.append(DNSQuestion(record.name, record.type, wantsUnicast: choices.bool()))
      }
    }
    return message
  }

  private func record(_ kind: Int, _ detail: UInt8) -> DNSRecord {
    let type = detail & 1 == 0 ? "_a._tcp.local" : "_b._udp.local"
    let instance = DNSName("\(detail & 2 == 0 ? "X" : "y").\(type)") ?? .root
    let host = DNSName(detail & 4 == 0 ? "h.local" : "G.local") ?? .root
    let name: DNSName
    let data: DNSData
    switch kind {
    case 0: (name, data) = (DNSName(type) ?? .root, .ptr(instance))
    case 1: (name, data) = (instance, .srv(priority: 0, weight: 0, port: UInt16(detail), target: host))
    case 2: (name, data) = (instance, .txt([1, detail]))
    case 3: (name, data) = (host, .address(IPAddress(192, 168, 1, detail)))
    case 4: (name, data) = (ServiceType.enumerationName, .ptr(DNSName(type) ?? .root))
    default: (name, data) = (DNSName("_s._sub.\(type)") ?? .root, .ptr(instance))
    }
    let ttl = ServiceScript.ttls[Int(detail >> 3) % ServiceScript.ttls.count]
    return DNSRecord(name, data, ttlSeconds: ttl, isCacheFlush: detail & 128 != 0)
  }

  // MARK: - Operations

  private mutating func hear(_ bytes: [UInt8]) throws(FuzzFinding) {
    let source = Endpoint(IPAddress(192, 168, 1, 20 + choices.byte() & 1), port: Endpoint.mdnsPort)
    let interface = InterfaceID(UInt16(choices.below(3)))
    try take(
      bench.receive(bytes, from: source, to: .mdns(.v4), on: interface),
      twin.receive(bytes, from: source, to: .mdns(.v4), on: interface))
  }

  private mutating func interface(_ number: Int, isUp: Bool) throws(FuzzFinding) {
    let address = InterfaceAddress(IPAddress(192, 168, UInt8(number + 1), 9), prefixBits: 24)
    try give(
      .interface(
        InterfaceChange(interface: InterfaceID(UInt16(number)), isUp: isUp, addresses: isUp ? [address] : [])))
  }

  private mutating func give(_ signal: SignalValue) throws(FuzzFinding) {
    try take(bench.receive(signal), twin.receive(signal))
    let isOver = if case .application(.stop) = signal { true } else { false }
    if isOver { try expect(present.isEmpty, "it stopped and kept \(present.count)") }
  }

  /// Both wake at times of their own, and what they tell has to come at the same times.
  private mutating func pass(_ interval: Interval) throws(FuzzFinding) {
    let end = bench.now + interval
    let (told, other) = (try reports(of: &bench, until: end), try reports(of: &twin, until: end))
    try expect(
      told.map(\.time) == other.map(\.time) && told.map(\.report) == other.map(\.report),
      "what it tells depends on when it asks")
    for one in told { try note(one.report) }
    try check()
  }

  private func reports(
    of bench: inout MachineBench<DiscoveryEngine>, until end: Instant
  ) throws(FuzzFinding) -> [(time: Instant, report: Report)] {
    var told: [(time: Instant, report: Report)] = []
    var steps = 0
    while let wishes = bench.step(until: end) {
      steps += 1
      try expect(steps < 100_000, "it wants to be woken without end")
      for case .application(let report) in wishes.map(\.effect) { told.append((bench.now, report)) }
    }
    return told
  }

  private mutating func take(
    _ told: [MachineBench<DiscoveryEngine>.Wish], _ other: [MachineBench<DiscoveryEngine>.Wish]
  ) throws(FuzzFinding) {
    func reports(_ wishes: [MachineBench<DiscoveryEngine>.Wish]) -> [Report] {
      wishes.compactMap { if case .application(let report) = $0.effect { report } else { nil } }
    }
    try expect(reports(told) == reports(other), "what it tells depends on when it asks")
    for report in reports(told) { try note(report) }
    try check()
  }

  // MARK: - What has to hold

  private mutating func note(_ report: Report) throws(FuzzFinding) {
    switch report {
    case .found(let device):
      try expect(present[device.device.lowercased()] == nil, "\(device.device) is found twice")
      present[device.device.lowercased()] = device
    case .changed(let device, let change):
      try expect(present[device.device.lowercased()] != nil, "\(device.device) changes and is not there")
      // Of a text not all is shown.
      if case .attribute(let name, let former) = change, name != .txt {
        try expect(device[name] != former, "\(name.rawValue) of \(device.device) changes to the same")
      }
      present[device.device.lowercased()] = device
    case .lost(let device, _):
      try expect(present.removeValue(forKey: device.lowercased()) != nil, "\(device) is lost and was not there")
    default: break
    }
  }

  private mutating func check() throws(FuzzFinding) {
    for bench in [bench, twin] {
      let broken = bench.machine.brokenInvariants
      try expect(broken.isEmpty, broken.joined(separator: "; "))
    }
    if let deadline = bench.machine.deadline { try expect(deadline > bench.now, "its deadline is past") }
  }
}
