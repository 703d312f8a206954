import RollcallDevices
package import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// The engine as the client of attributes: bytes choose what is asked, and what a hostile server answers. Its answers
  /// are those of a real peripheral, changed, left out or replaced.
  ///
  /// What is asked ends once. There is one request at a time, within the ATT_MTU and the room of the controller, and
  /// none waits for more than 30 s; what is no PDU is rejected at the byte that is wrong.
  package static let attributeClient = attributeClient(planting: [])

  /// The same with faults in the engine: shows that this target would notice them.
  package static func attributeClient(planting switches: EngineSwitches) -> FuzzTarget {
    FuzzTarget(
      name: "attribute-client", kind: .machine, dictionary: ClientScript.words, seeds: ClientScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = ClientScript(bytes, switches)
      try script.run()
    }
  }
}

/// One input of the attribute client, carried out.
struct ClientScript {
  enum Stage { case waiting, open, ending }
  /// The connection as the controller has it.
  struct Link {
    let number: LinkID
    var stage = Stage.waiting
    var unacknowledged = 0
    var mtu = AttributePDU.mtuDefault
    /// A request that was not answered yet, and when it was sent.
    var request: (opcode: UInt8, at: Instant)?
    /// Whether the other side has acknowledged or sent something.
    var hasAnswered = false
  }

  var choices: ByteChoices
  var bench: MachineBench<DiscoveryEngine>
  private var server: MachineBench<Peripheral>
  private var link: Link?
  private var story: ClientStory
  private var toServer: [[UInt8]] = []
  private var toClient: [[UInt8]] = []
  private var serverLinks: UInt32 = 0
  private var isOn = true

  static let operationsMaximum = 80

  init(_ bytes: [UInt8], _ switches: EngineSwitches) {
    var choices = ByteChoices(bytes)
    story = ClientStory(asksAll: choices.bool())
    let mtu = choices.pick([23, 24, 48, 247, 517] as [UInt16])
    var configuration = EngineConfiguration()
    configuration.switches = switches
    bench = MachineBench(DiscoveryEngine(configuration), at: .zero)
    server = MachineBench(Peripheral(AttributeParts.plan(mtu: mtu), name: "lamp"), at: .zero)
    _ = server.receive(.host(.power(.on)))
    _ = server.receive(.application(.act(.appear)))
    self.choices = choices
  }

  // MARK: Operations

  mutating func run() throws(FuzzFinding) {
    try give(.host(.power(.on)))
    var count = 0
    while !choices.isOver, count < ClientScript.operationsMaximum {
      count += 1
      switch choices.byte() {
      case ..<80: try pump(Int(choices.byte()))
      case ..<125:
        guard !toClient.isEmpty else { continue }
        try hear(AttributeParts.change(toClient.removeFirst(), &choices))
      case ..<145:
        let opcode = choices.bool() ? (link?.request?.opcode).map { $0 + 1 } ?? 0x1B : choices.byte()
        try hear(ChannelFrame.bytes(.attributes, [opcode] + choices.take(choices.below(40))))
      case ..<155:
        let request = link?.request?.opcode ?? choices.byte()
        let error = AttributeError(rawValue: choices.byte())
        try hear(
          ChannelFrame.bytes(.attributes, AttributePDU.errorResponse(request: request, handle: 1, error: error).bytes))
      case ..<165: try acknowledge(1 + choices.below(16))
      case ..<210: try ask()
      case ..<225: try pass(choices.pick(AttributeParts.intervals))
      case ..<233: try end(choices.pick([.closedByPeer, .timedOut, .notEstablished, .refused]))
      case ..<245: try hear(unasked())
      case ..<249: try power()
      default: if choices.bool() { toServer = [] } else { toClient = [] }
      }
    }
    try finish()
  }

  /// A controller and a peripheral that do as they should.
  private mutating func pump(_ rounds: Int) throws(FuzzFinding) {
    for _ in 0...rounds {
      if link?.stage == .waiting, isOn {
        try connect()
        continue
      }
      if link?.stage == .ending { try end(.closed) }
      try acknowledge(LinkSize.framesMaximum)
      if !toServer.isEmpty {
        let frame = toServer.removeFirst()
        take(server.receive(.radio(.link(LinkID(0 &- serverLinks), .frame(frame)))))
      }
      if toClient.isEmpty, toServer.isEmpty { return }
      if !toClient.isEmpty { try hear(toClient.removeFirst()) }
    }
  }

  /// Keeps what the peripheral sends; it acknowledges nothing, since room is not its matter here.
  private mutating func take(_ wishes: [MachineBench<Peripheral>.Wish]) {
    for wish in wishes {
      guard case .radio(.link(let number, .send(let frame))) = wish.effect, number == LinkID(0 &- serverLinks) else {
        continue
      }
      toClient.append(frame)
      _ = server.receive(.radio(.link(number, .acknowledged(frames: 1))))
    }
  }

  private mutating func connect() throws(FuzzFinding) {
    guard let number = link?.number else { return }
    link?.stage = .open
    serverLinks += 1
    let parameters = LinkParameters()
    let (own, peer) = (AttributeParts.central, AttributeParts.peripheral)
    take(
      server.receive(
        .radio(.link(LinkID(0 &- serverLinks), .connected(.peripheral, own: peer, peer: own, parameters)))))
    try give(.radio(.link(number, .connected(.central, own: own, peer: peer, parameters))))
  }

  private mutating func acknowledge(_ count: Int) throws(FuzzFinding) {
    guard let one = link, one.stage != .waiting, one.unacknowledged > 0 else { return }
    let frames = min(count, one.unacknowledged)
    link?.unacknowledged -= frames
    link?.hasAnswered = true
    try give(.radio(.link(one.number, .acknowledged(frames: UInt32(frames)))))
  }

  private mutating func end(_ end: LinkEnd) throws(FuzzFinding) {
    guard let one = link else { return }
    // Who asked for the end is told of no other; a connection that stands was established.
    var cause = one.stage == .ending ? .closed : end
    if cause == .notEstablished, one.hasAnswered || one.stage == .waiting { cause = .timedOut }
    let isAgain = cause == .notEstablished
    link = nil
    (toServer, toClient) = ([], [])
    if one.stage != .waiting { _ = server.receive(.radio(.link(LinkID(0 &- serverLinks), .ended(.closedByPeer)))) }
    story.controllerEnd = cause
    try give(.radio(.link(one.number, .ended(cause))))
    story.controllerEnd = nil
    try expect(isAgain == (link != nil), isAgain ? "it does not try again" : "it connects unasked")
    if !isAgain { try expect(story.attempt == .none, "a connection ended, and nothing was told") }
  }

  private mutating func power() throws(FuzzFinding) {
    isOn.toggle()
    if !isOn { try end(.radioOff) }
    try give(.host(.power(isOn ? .on : .off)))
  }

  private mutating func pass(_ interval: Interval) throws(FuzzFinding) {
    let end = bench.now + interval
    var steps = 0
    while let wishes = server.step(until: end) {
      steps += 1
      try expect(steps < 2_000, "the server wants to be woken without end")
      take(wishes)
    }
    while let wishes = bench.step(until: end) {
      steps += 1
      try expect(steps < 4_000, "it wants to be woken without end")
      try take(wishes, nil)
    }
    if let request = link?.request, link?.stage == .open {
      try expect(request.at + .seconds(30) > bench.now, "it waits for an answer for ever")
    }
  }

  private mutating func ask() throws(FuzzFinding) {
    let request = ClientScript.request(&choices, asksAll: story.asksAll)
    let isEnding = link.map { $0.stage == .ending } ?? false
    let failures = story.asked(request, isEnding: isEnding)
    try give(.application(.peripheral(CentralCommand(AttributeParts.peripheral, request))))
    try expect(story.connectFailures == failures, "\(request): \(story.connectFailures) failures to connect")
    story.connectFailures = 0
    // The strength comes from the controller.
    guard request == .readStrength, let one = link, one.stage == .open, story.attempt == .connected else { return }
    try give(.radio(.link(one.number, .strength(-60))))
  }

  private mutating func unasked() -> [UInt8] {
    let (handle, count) = (1 + UInt16(choices.below(40)), choices.below(24))
    let pdu: AttributePDU =
      switch choices.below(4) {
      case 0: .handleValueNotification(handle: handle, value: choices.take(count))
      case 1: .handleValueIndication(handle: handle, value: choices.take(count))
      case 2: .exchangeMTURequest(mtu: UInt16(choices.byte()) * 3)
      default: .readRequest(handle: handle)
      }
    return ChannelFrame.bytes(.attributes, pdu.bytes)
  }

  private mutating func finish() throws(FuzzFinding) {
    story.isStopping = true
    try give(.application(.stop))
    try expect(story.attempt == .none && story.isQuiet, "it stopped, and something is open")
    try expect(bench.machine.deadline == nil, "it stopped and wants to be woken")
  }

  // MARK: What it does

  private mutating func give(_ signal: SignalValue) throws(FuzzFinding) { try take(bench.receive(signal), nil) }

  private mutating func hear(_ frame: [UInt8]) throws(FuzzFinding) {
    guard let one = link, one.stage == .open else { return }
    link?.hasAnswered = true
    let reading = AttributeParts.read(frame, mtu: one.mtu)
    var confirmations = 0
    if case .pdu(let pdu) = reading {
      switch pdu {
      case .exchangeMTURequest(let other): link?.mtu = AttributeParts.mtu(517, other)
      case .exchangeMTUResponse(let other):
        if one.request?.opcode == 0x02 { link?.mtu = AttributeParts.mtu(517, other) }
      case .handleValueIndication: confirmations = one.unacknowledged < LinkSize.framesMaximum ? 1 : 0
      default: break
      }
      if case .errorResponse(let request, _, _) = pdu {
        if request == one.request?.opcode { link?.request = nil }
      } else if let request = one.request, pdu.opcode.rawValue == request.opcode + 1 {
        link?.request = nil
      }
    }
    let wishes = bench.receive(.radio(.link(one.number, .frame(frame))))
    try take(wishes, reading)
    let rejected = wishes.compactMap { wish -> Rejection? in
      if case .application(.rejected(let rejection)) = wish.effect { rejection } else { nil }
    }
    let header = ChannelFrame.headerBytes
    switch reading {
    case .cut(let offset):
      try expect(rejected == [Rejection(.badPacket, at: offset)], "\(frame) is no frame; rejected: \(rejected)")
    case .fault(let fault):
      try expect(rejected == [Rejection(.badPacket, at: header + fault.offset)], "\(fault); rejected: \(rejected)")
    case .otherChannel: try expect(wishes.allSatisfy { $0.radio == nil } && rejected.isEmpty, "another channel counts")
    case .pdu(let pdu):
      try expect(rejected.count <= 1, "one frame was rejected \(rejected.count) times")
      try expect(rejected.allSatisfy { (header...frame.count).contains($0.offset) }, "rejected at \(rejected)")
      guard confirmations > 0 else { return }
      let sent = wishes.count {
        $0.radio == ChannelFrame.bytes(.attributes, AttributePDU.handleValueConfirmation.bytes)
      }
      try expect(sent == 1, "\(pdu) is confirmed \(sent) times")
    }
  }

  private mutating func take(
    _ wishes: [MachineBench<DiscoveryEngine>.Wish], _ reading: AttributeParts.Reading?
  ) throws(FuzzFinding) {
    var refused: LinkID?
    for wish in wishes {
      switch wish.effect {
      case .application(let report):
        try story.tell(report)
        if case .rejected = report { try expect(reading != nil, "rejected, though nothing came") }
      case .radio(.link(let number, let effect)):
        try take(effect, number)
        if case .connect = effect, !isOn { refused = number }
      case .radio: break
      case .transmit, .lan, .streams, .store, .process, .other: throw FuzzFinding("it wants \(wish.effect)")
      }
    }
    let broken = bench.machine.brokenInvariants
    try expect(broken.isEmpty, broken.joined(separator: "; "))
    for mtu in bench.machine.links.map(\.mtu) {
      try expect(mtu == link?.mtu, "its ATT_MTU is \(mtu), the server's \(link?.mtu ?? 0)")
    }
    if let refused, link?.number == refused { try end(.refused) }
  }

  private mutating func take(_ effect: LinkEffect, _ number: LinkID) throws(FuzzFinding) {
    if case .connect(let address, let parameters) = effect {
      try expect(link == nil, "a second connection to one peripheral")
      try expect(address == AttributeParts.peripheral && parameters.areValid, "it connects to \(address)")
      link = Link(number: number)
      return
    }
    // Its end may be wanted twice: by the application, and when everything stops.
    guard let one = link, one.number == number, one.stage != .ending || effect == .end else {
      throw FuzzFinding("it wants \(effect) of connection \(number.number), which is over")
    }
    switch effect {
    case .end: link?.stage = .ending
    case .send(let frame):
      try expect(one.stage == .open, "it sends on a connection that does not stand")
      try expect(one.unacknowledged < LinkSize.framesMaximum, "it sends more frames than there is room for")
      link?.unacknowledged += 1
      // What it answers to a request for other parameters is no attribute.
      if frame.withUnsafeBytes({ (try? ChannelFrame($0))?.channel }) == .signalling { return }
      let pdu = try AttributeParts.sent(frame, mtu: one.mtu)
      let opcode = pdu.opcode.rawValue
      if opcode & 0x41 == 0, pdu != .handleValueConfirmation {
        try expect(one.request == nil, "a second request before the answer to the first: \(pdu)")
        link?.request = (opcode, bench.now)
      }
      toServer.append(frame)
    case .update(let parameters):
      try expect(parameters.areValid, "it wants parameters that no controller takes")
    case .readStrength, .connect: break
    }
  }
}

extension MachineBench.Wish {
  /// The frame that is sent; `nil`: it is something else.
  var radio: [UInt8]? { if case .radio(.link(_, .send(let frame))) = effect { frame } else { nil } }
}
