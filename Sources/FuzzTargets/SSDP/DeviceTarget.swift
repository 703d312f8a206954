package import RollcallDevices
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// A root device without quirks: bytes choose its profile, then searches, acts, changes of interfaces and time.
  ///
  /// Strict readers accept everything it says. It speaks from an address it has, to the group or to somebody who asked
  /// and within MX; what waits is bounded, its deadline lies ahead, and when it has left nothing that it announced still
  /// stands.
  package static let rootDevice = rootDevice(with: [])

  /// The same with bad habits: shows that this target would notice them.
  package static func rootDevice(with quirks: [Quirk]) -> FuzzTarget {
    let profiles = Profile.allCases.filter { $0.quirks.isEmpty }
    let blueprints = profiles.map { $0.blueprint(adding: quirks) }
    return FuzzTarget(
      name: "root-device", kind: .machine, dictionary: DeviceScript.words, seeds: DeviceScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = DeviceScript(bytes, blueprints)
      try script.run()
    }
  }
}

/// One input of the root device, carried out.
struct DeviceScript {
  private typealias Wish = MachineBench<RootDevice>.Wish

  /// Somebody who asked and may be answered until then.
  private struct Question {
    var asker: Endpoint
    var interface: InterfaceID
    var until: Instant
  }

  /// What was announced where.
  private struct Announced: Hashable {
    var interface: InterfaceID
    var isV6: Bool
    var usn: [UInt8]
    var target: [UInt8]
  }

  private var choices: ByteChoices
  private var bench: MachineBench<RootDevice>
  private var interfaces: [InterfaceChange] = []
  private var questions: [Question] = []
  private var announced: [Announced] = []
  private var answerCount = 0
  private var owedMaximum = 0

  static let operationsMaximum = 60

  init(_ bytes: [UInt8], _ blueprints: [DeviceBlueprint]) {
    var choices = ByteChoices(bytes)
    let blueprint = choices.pick(blueprints)
    bench = MachineBench(RootDevice(blueprint, seed: Seed(UInt64(choices.byte())), name: "device"), at: .zero)
    self.choices = choices
  }

  private var adverts: Int { bench.machine.blueprint.set.adverts.count }

  // MARK: Operations

  mutating func run() throws(FuzzFinding) {
    var count = 0
    while !choices.isOver, count < DeviceScript.operationsMaximum {
      count += 1
      switch choices.byte() {
      case ..<60: try hear()
      case ..<70: try hear(choices.take(Int(choices.byte())), toGroup: choices.bool())
      case ..<90: try change(EngineScript.change(choices.below(3), isUp: choices.bool(), choices.byte()))
      case ..<100: try appear()
      case ..<160: try act()
      case ..<170:
        let wishes = bench.machine.deadline.map { $0 > bench.now } ?? true ? bench.wake() : []
        try expect(wishes.isEmpty, "an early wake makes a difference")
      default: try pass(choices.pick(DeviceScript.intervals))
      }
    }
    try leave()
  }

  private static let intervals: [Interval] = [
    .nanoseconds(1), .microseconds(100), .milliseconds(2), .milliseconds(50), .milliseconds(300), .seconds(1),
    .seconds(3), .seconds(40), .seconds(200),
  ]

  private mutating func pass(_ interval: Interval) throws(FuzzFinding) {
    let end = bench.now + interval
    var steps = 0
    while let wishes = bench.step(until: end) {
      steps += 1
      try expect(steps < 20_000, "it wants to be woken without end")
      try take(wishes)
    }
    questions.removeAll { $0.until < bench.now }
  }

  private mutating func act() throws(FuzzFinding) {
    let interface = InterfaceID(UInt16(choices.below(3)))
    switch choices.below(10) {
    case 0: try act(.leave)
    case 1: try vanish(.vanish)
    case 2: try vanish(.crash(downFor: choices.pick(DeviceScript.intervals), keepsState: choices.bool()))
    case 3: try act(.reboot)
    case 4: try act(.move(interface: interface, to: IPAddress(192, 168, 1, choices.byte())))
    case 5: try act(.move(interface: interface, to: IPAddress(v6High: 0xFE80 << 48, low: UInt64(choices.byte()))))
    case 6: try act(.relocate(port: UInt16(choices.byte()) * 257))
    case 7: try act(.update)
    case 8: try act(.reconfigure)
    default: try act(.send(script: 0))
    }
  }

  private mutating func act(_ act: Act) throws(FuzzFinding) { try take(bench.receive(.command(.act(act)))) }

  /// Begins anew, even in the middle of leaving: what was not revoked by then stands until its lease ends.
  private mutating func appear() throws(FuzzFinding) {
    if !bench.machine.isPresent { announced = [] }
    try act(.appear)
  }

  /// Silence at once: what was announced stands until its lease ends, and nobody revokes it.
  private mutating func vanish(_ act: Act) throws(FuzzFinding) {
    try self.act(act)
    announced = []
  }

  private mutating func change(_ change: InterfaceChange) throws(FuzzFinding) {
    let before = [address(of: change.interface, false), address(of: change.interface, true)]
    let known = interfaces.firstIndex { $0.interface == change.interface }
    if let known { interfaces[known] = change } else { interfaces.append(change) }
    // A path that is gone needs no byebye, and no answer can take it. Of an address that is gone what was announced is
    // revoked from the next one, but only if there is time: nothing is asked of it here.
    for isV6 in [false, true] where address(of: change.interface, isV6) != before[isV6 ? 1 : 0] {
      announced.removeAll { $0.interface == change.interface && $0.isV6 == isV6 }
    }
    try take(bench.receive(.interface(change)))
  }

  private mutating func hear() throws(FuzzFinding) {
    let targets =
      EngineScript.targets + bench.machine.blueprint.set.adverts.map(\.stem) + ["uuid:\(bench.machine.uuid)"]
    let waits = ["1", "3", "5", "120", "0", "x", "99999999999"]
    let flags = choices.byte()
    var text = "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n"
    if flags & 1 == 0 { text += "MAN: \"ssdp:discover\"\r\n" }
    if flags & 2 == 0 { text += "MX: \(choices.pick(waits))\r\n" }
    text += "ST: \(choices.pick(targets))\(flags & 4 == 0 ? "" : ":1")\r\n\r\n"
    try hear(Array(text.utf8), toGroup: flags & 8 == 0)
  }

  private mutating func hear(_ bytes: [UInt8], toGroup: Bool) throws(FuzzFinding) {
    let source = Endpoint(choices.pick(EngineScript.peers), port: 50_000 + UInt16(choices.below(4)))
    let isV6 = source.address.family == .v6
    let interface = InterfaceID(UInt16(choices.below(4)))
    let own = address(of: interface, isV6) ?? IPAddress(192, 168, 1, 99)
    let destination = Endpoint(toGroup ? (isV6 ? .ssdpGroup6 : .ssdpGroup4) : own, port: 1_900)
    let wait = SSDPReader.withReading(bytes, mode: .lenient) { reading -> Int? in
      guard case .message(let message) = reading, message.kind == .search else { return nil }
      return toGroup ? Int(message.index.pointee.maximumWaitSeconds) : 1
    }
    if let wait, wait > 0 {
      let seconds = Int64(min(5, wait))
      questions.append(Question(asker: source, interface: interface, until: bench.now + .seconds(seconds)))
      owedMaximum += adverts
    }
    try take(bench.receive(bytes, from: source, to: destination, on: interface))
  }

  /// Leaves, and sees to it that nothing stays behind.
  private mutating func leave() throws(FuzzFinding) {
    try act(.leave)
    try pass(.seconds(30))
    let machine = bench.machine
    try expect(announced.isEmpty, "it left, but \(announced.count) announcements still stand")
    try expect(machine.deadline == nil && machine.burstCount == 0, "it left and wants to be woken")
    try expect(machine.answers.isEmpty, "it left and still has answers to give")
    try expect(!machine.isPresent && bench.store.liveCount == 0, "it left and holds something")
  }

  // MARK: What it says

  private func address(of interface: InterfaceID, _ isV6: Bool) -> IPAddress? {
    guard let change = interfaces.first(where: { $0.interface == interface }), change.isUp else { return nil }
    return change.addresses.first { ($0.address.family == .v6) == isV6 }?.address
  }

  private mutating func take(_ wishes: [Wish]) throws(FuzzFinding) {
    for wish in wishes {
      switch wish.effect {
      case .transmit(let datagram): try check(datagram, wish.bytes)
      case .lan(.readdress(let address, let interface)): readdress(interface, to: address)
      case .lan(.join(let group, _)), .lan(.leave(let group, _)):
        try expect(group.address.isMulticast, "it joins \(group), no group")
      case .application: throw FuzzFinding("a device reports nothing")
      case .streams, .radio, .store, .process, .other: throw FuzzFinding("a device wants no \(wish.effect)")
      }
    }
    let machine = bench.machine
    try expect(machine.burstCount <= RootDevice.burstCountMaximum, "\(machine.burstCount) sets under way")
    try expect(machine.answers.count <= machine.blueprint.description.pendingAnswersMaximum, "too many answers wait")
    if let deadline = machine.deadline {
      try expect(deadline > bench.now, "its deadline \(deadline) lies behind \(bench.now)")
    }
  }

  private mutating func readdress(_ interface: InterfaceID, to address: IPAddress) {
    guard let index = interfaces.firstIndex(where: { $0.interface == interface }) else { return }
    let old = interfaces[index].addresses.firstIndex { $0.address.family == address.family }
    let new = InterfaceAddress(address, prefixBits: address.family == .v4 ? 24 : 64)
    if let old { interfaces[index].addresses[old] = new } else { interfaces[index].addresses.append(new) }
  }

  private mutating func check(_ datagram: Datagram, _ bytes: [UInt8]) throws(FuzzFinding) {
    let text = String(decoding: bytes, as: UTF8.self)
    let isV6 = datagram.source.address.family == .v6
    try expect(datagram.destination.address.family == datagram.source.address.family, "from one family to the other")
    try expect(
      address(of: datagram.interface, isV6) == datagram.source.address,
      "sent from \(datagram.source.address), which is not its address:\n\(text)")
    let reading = SSDPReader.read(bytes, mode: .strict)
    guard let message = reading.message else { throw FuzzFinding("strict readers refuse \(reading):\n\(text)") }
    let isMulticast = datagram.destination.address.isMulticast
    let wrong = SSDPReader.withReading(bytes, mode: .strict) { reading -> Rejection? in
      guard case .message(let message) = reading else { return nil }
      return message.check(.strict, isMulticast: isMulticast)
    }
    if let wrong { throw FuzzFinding("strict rules refuse it (\(wrong)):\n\(text)") }
    guard message.kind != .response else { return try checkAnswer(datagram) }
    try expect(
      datagram.destination == .ssdp(isV6: isV6), "announced to nobody:\n\(text)")
    note(message, datagram.interface, isV6)
  }

  private mutating func checkAnswer(_ datagram: Datagram) throws(FuzzFinding) {
    answerCount += 1
    try expect(answerCount <= owedMaximum, "more answers than searches ask for")
    let isAsked = questions.contains {
      $0.asker == datagram.destination && $0.interface == datagram.interface && bench.now <= $0.until
    }
    try expect(isAsked, "an answer at \(bench.now) to \(datagram.destination), who did not ask or is gone")
  }

  private mutating func note(_ message: SSDPOwnedMessage, _ interface: InterfaceID, _ isV6: Bool) {
    func value(_ field: SSDPField) -> [UInt8] { message.fields.first { $0.number == field }?.valueBytes ?? [] }
    let one = Announced(interface: interface, isV6: isV6, usn: value(.usn), target: value(.nt))
    announced.removeAll { $0 == one }
    if message.kind == .notifyAlive { announced.append(one) }
  }

  // MARK: Seeds

  static let words = [
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: ssdp:all\r\n\r\n", "\u{46}\u{0}\u{1}\u{0}",
    "\u{5a}", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
  ]

  /// 80 changes an interface, 90 appears, 100 acts, 170 lets time go by, 0 hears.
  static let seeds: [[UInt8]] = {
    let (up, both): ([UInt8], [UInt8]) = ([80, 0, 1, 0], [80, 0, 1, 2])
    let (appear, minute, search): ([UInt8], [UInt8], [UInt8]) = ([90], [170, 7], [0, 0, 1, 0, 0, 0, 0])
    let start = up + appear + minute
    return [
      [0, 1] + start + search + minute, [1, 2] + both + appear + minute + search + minute + [100, 0] + minute,
      [2, 3] + start + [100, 4, 0, 33] + minute + minute,
      [3, 4] + start + [80, 1, 1, 0] + minute + [80, 0, 0, 0] + minute,
      [4, 5] + start + [100, 2, 0, 7, 1] + minute + [100, 3, 0] + minute, [5, 0] + start + [100, 7, 0] + minute,
      [6, 0] + start + [0, 8, 1, 0, 0, 0, 0] + minute + [100, 6, 0, 9] + minute, [7, 0] + appear + up + [160] + minute,
    ]
  }()
}
