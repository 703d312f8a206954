package import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// The control point: bytes choose its configuration, then one operation after the other: datagrams put together
  /// from parts or taken raw, changes of interfaces, refusals, commands, steps of time.
  ///
  /// After each operation its invariants hold, its deadline lies ahead, its counters agree with what it told, and what
  /// it told is a story that can happen. A second engine, with another hash seed and payloads that it knows again, does
  /// the same to the byte.
  package static let controlPoint = controlPoint(planting: [])

  /// The same with faults in the engine: shows that this target would notice them.
  package static func controlPoint(planting switches: EngineSwitches) -> FuzzTarget {
    FuzzTarget(
      name: "control-point", kind: .machine, dictionary: EngineScript.words, seeds: EngineScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = EngineScript(bytes, switches)
      try script.run()
    }
  }
}

/// One input of the control point, carried out.
struct EngineScript {
  private var choices: ByteChoices
  private let configuration: EngineConfiguration
  private var bench: MachineBench<DiscoveryEngine>
  private var twin: MachineBench<DiscoveryEngine>
  private var story = EngineStory()
  private var datagramCount = 0
  private var isStopped = false
  /// Sockets of searches, as the engine sent from them.
  private var sockets: [Endpoint] = []

  static let operationsMaximum = 200

  init(_ bytes: [UInt8], _ switches: EngineSwitches) {
    var choices = ByteChoices(bytes)
    var configuration = EngineScript.configuration(&choices)
    configuration.switches = switches
    self.configuration = configuration
    var other = configuration
    other.hashSeed = 0x9E37_79B9_7F4A_7C15
    let start = choices.pick([Instant.zero, Instant(nanoseconds: 1_700_000_000_000_000_000)])
    bench = MachineBench(DiscoveryEngine(configuration), at: start)
    // Its twin reads every message anew.
    other.messagesRememberedMaximum = 0
    twin = MachineBench(DiscoveryEngine(other), at: start)
    self.choices = choices
  }

  private static func configuration(_ choices: inout ByteChoices) -> EngineConfiguration {
    var configuration = EngineConfiguration()
    let flags = choices.byte()
    configuration.mode = flags & 1 == 0 ? .lenient : .strict
    configuration.byebyePolicy = flags & 2 == 0 ? .anyPart : .eachPart
    configuration.byebyeSource = flags & 4 == 0 ? .sameAddress : .anyAddress
    configuration.updateSource = configuration.byebyeSource
    configuration.locationPolicy = flags & 8 == 0 ? .scope : .off
    configuration.unsolicited = flags & 16 == 0 ? .reject : .accept
    configuration.userAgent = flags & 32 == 0 ? nil : "Rollcall/1.0"
    if flags & 64 != 0 { configuration.tombstone = .zero }
    if flags & 128 != 0 {
      // Everything is scarce.
      configuration.limits.entriesTotal = 1 + choices.below(8)
      configuration.limits.entriesPerSource = 1 + choices.below(6)
      configuration.limits.entriesPerDevice = 1 + choices.below(4)
      configuration.limits.parts = 1 + choices.below(4)
      configuration.limits.searchesOpen = choices.below(3)
      configuration.limits.servicesPerSearch = choices.below(3)
      configuration.limits.tombstones = choices.below(3)
      configuration.limits.idleParts = choices.below(3)
      configuration.limits.nameBytes = 20 + choices.below(200)
      configuration.limits.locationBytes = choices.below(200)
      configuration.leaseMaximumSeconds = choices.below(200)
      configuration.leaseDefaultSeconds = choices.below(200)
    }
    return configuration
  }

  // MARK: Operations

  mutating func run() throws(FuzzFinding) {
    try give(.interface(EngineScript.change(0, isUp: true)))
    var count = 0
    while !choices.isOver, count < EngineScript.operationsMaximum {
      count += 1
      switch choices.byte() {
      case ..<128: try hear(assembled())
      case ..<136: try hear(choices.take(Int(choices.byte()) * 2))
      case ..<150: try give(.interface(EngineScript.change(choices.below(3), isUp: choices.bool(), choices.byte())))
      case ..<156: try refuse()
      case ..<176: try search()
      case ..<182: try give(.command(.stopSearch(SearchID(UInt32(choices.below(6))))))
      case ..<190: try hold()
      case ..<191: try stop()
      case ..<200: try wakeEarly()
      default: try pass()
      }
    }
    try end()
  }

  private static let intervals: [Interval] = [
    .nanoseconds(1), .milliseconds(1), .milliseconds(100), .milliseconds(999), .seconds(1), .seconds(3), .seconds(31),
    .seconds(60), .seconds(100), .seconds(1_800), .hours(24), .hours(9_000),
  ]

  /// Time goes on, by the deadlines on the way, or past them all at once.
  private mutating func pass() throws(FuzzFinding) {
    let choice = choices.byte()
    let end = bench.now + EngineScript.intervals[Int(choice & 0x7F) % EngineScript.intervals.count]
    if choice & 0x80 == 0 {
      var steps = 0
      while let told = bench.step(until: end) {
        steps += 1
        try expect(steps < 100_000, "it wants to be woken without end")
        guard let other = twin.step(until: end) else { throw FuzzFinding("with another hash seed it sleeps longer") }
        try take(told, other, isWake: true)
      }
      try expect(twin.step(until: end) == nil, "with another hash seed it wakes earlier")
    } else {
      // What is due is done by the first call that comes late.
      bench.skip(to: end)
      twin.skip(to: end)
      let (told, other) = (bench.wake(), twin.wake())
      try take(told, other, isWake: true)
    }
  }

  private mutating func wakeEarly() throws(FuzzFinding) {
    // A lease of no length ends now.
    let isEarly = bench.machine.deadline.map { $0 > bench.now } ?? true
    let (told, other) = (bench.wake(), twin.wake())
    try expect(!isEarly || told.isEmpty && other.isEmpty, "an early wake makes a difference: \(told)")
    try take(told, other, isWake: true)
  }

  private mutating func stop() throws(FuzzFinding) {
    try give(.command(.stop))
    isStopped = true
    story.stopped()
    try expect(story.present.isEmpty && story.isQuiet, "it stopped and kept something")
    try expect(bench.machine.deadline == nil, "it stopped and wants to be woken")
  }

  private mutating func end() throws(FuzzFinding) {
    if !isStopped { try stop() }
    try expect(bench.machine.counters.openLeases == 0, "it stopped and kept leases")
    try expect(bench.store.liveCount == 0 && twin.store.liveCount == 0, "payloads are left over")
  }

  private mutating func hold() throws(FuzzFinding) {
    let name = choices.bool() ? story.present.first ?? "uuid:a" : "uuid:" + choices.pick(EngineScript.uuids)
    try give(.command(choices.bool() ? .hold(device: name) : .release(device: name)))
  }

  private mutating func refuse() throws(FuzzFinding) {
    let isJoin = choices.bool()
    let socket = sockets.isEmpty ? nil : sockets[choices.below(sockets.count)]
    try give(
      .refused(
        Refusal(
          deed: isJoin ? .join : .send, interface: InterfaceID(UInt16(choices.below(3))),
          address: choices.bool() ? .ssdpGroup4 : .ssdpGroup6, port: isJoin ? 1_900 : socket?.port ?? 1_900)))
  }

  private mutating func search() throws(FuzzFinding) {
    let flags = choices.byte()
    var search = Search(
      id: SearchID(UInt32(choices.below(6))), target: choices.pick(EngineScript.targets),
      maximumWaitSeconds: choices.below(7), broadcasts: choices.below(5))
    if flags & 1 != 0 { search.spacing = choices.pick(EngineScript.intervals) }
    if flags & 2 != 0 { search.host = Endpoint(choices.pick(EngineScript.peers), port: flags & 4 != 0 ? 0 : 1_900) }
    if flags & 8 != 0 { search.interface = InterfaceID(UInt16(choices.below(3))) }
    if flags & 16 != 0 {
      let socket = Endpoint(choices.pick(EngineScript.peers), port: 50_000 + UInt16(choices.below(3)))
      sockets.append(socket)
      try give(.command(.adopt(search, copyAt: socket)), search: search.id)
    } else {
      try give(.command(.search(search)), search: search.id)
    }
  }

  // MARK: Carrying out

  /// The next decision about a message that is put together.
  mutating func part() -> UInt8 { choices.byte() }

  private mutating func give(_ signal: SignalValue, search: SearchID? = nil) throws(FuzzFinding) {
    let open = bench.machine.openSearchCount
    let (told, other) = (bench.receive(signal), twin.receive(signal))
    // A copy of an adopted search extends that search, under whatever number it comes.
    if let search, bench.machine.openSearchCount > open { try story.began(search) }
    try take(told, other)
  }

  private mutating func hear(_ bytes: [UInt8]) throws(FuzzFinding) {
    let source = Endpoint(choices.pick(EngineScript.peers), port: choices.bool() ? 1_900 : 50_001)
    let isV6 = source.address.family == .v6
    var destination = Endpoint.ssdp(isV6: isV6)
    if choices.bool(), !sockets.isEmpty { destination = sockets[choices.below(sockets.count)] }
    let interface = InterfaceID(UInt16(choices.byte() < 200 ? 0 : choices.below(4)))
    if !isStopped { datagramCount += 1 }
    let told = bench.receive(bytes, from: source, to: destination, on: interface)
    let other = twin.receive(bytes, from: source, to: destination, on: interface)
    let rejections = told.filter { if case .rejected? = $0.report { true } else { false } }
    try expect(rejections.count <= 1, "one datagram was refused twice")
    if case .rejected(let rejection)? = rejections.first?.report {
      try expect((0...bytes.count).contains(rejection.offset), "refused at byte \(rejection.offset) of \(bytes.count)")
    }
    try take(told, other, isDatagram: true)
  }

  private mutating func take(
    _ wishes: [MachineBench<DiscoveryEngine>.Wish], _ other: [MachineBench<DiscoveryEngine>.Wish],
    isDatagram: Bool = false, isWake: Bool = false
  ) throws(FuzzFinding) {
    try expect(wishes == other, "with another hash seed it does otherwise: \(wishes) \(other)")
    for wish in wishes {
      switch wish.effect {
      case .application(let report): try story.tell(report, isDatagram: isDatagram)
      case .transmit(let datagram):
        try expect(!isStopped, "it sends after it stopped")
        if !sockets.contains(datagram.source), sockets.count < 64 { sockets.append(datagram.source) }
        let isRead = SSDPReader.withReading(wish.bytes, mode: .strict) { reading in
          guard case .message(let message) = reading else { return false }
          let isMulticast = datagram.destination.address.isMulticast
          return message.kind == .search && message.check(.strict, isMulticast: isMulticast) == nil
        }
        try expect(isRead, "it sends what strict readers refuse: \(String(decoding: wish.bytes, as: UTF8.self))")
      case .lan(.join), .lan(.leave): break
      case .lan(.readdress): throw FuzzFinding("an engine takes no address")
      case .streams, .radio, .store, .process, .other: throw FuzzFinding("an engine wants no \(wish.effect)")
      }
    }
    var engine = bench.machine
    if let deadline = engine.deadline {
      try expect(
        isWake ? deadline > bench.now : deadline >= bench.now, "its deadline \(deadline) lies behind \(bench.now)")
    }
    try expect(engine.counters.datagrams == datagramCount, "datagrams are counted wrong")
    try story.check(engine)
    try checkBounds(engine)
  }

  private func checkBounds(_ engine: DiscoveryEngine) throws(FuzzFinding) {
    let limits = configuration.limits
    try expect(engine.counters.openLeases <= limits.entriesTotal, "more leases than \(limits.entriesTotal)")
    try expect(engine.openSearchCount <= limits.searchesOpen, "more searches than \(limits.searchesOpen)")
    try expect(engine.recordCounts[0] <= limits.entriesTotal + 1, "more places for leases than leases")
  }
}

extension MachineBench.Wish {
  var report: Report? { if case .application(let report) = effect { report } else { nil } }
}
