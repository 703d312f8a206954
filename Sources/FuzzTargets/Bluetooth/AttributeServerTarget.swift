package import RollcallDevices
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// The server of attributes of a peripheral: bytes choose what hostile centrals send it, and what befalls it.
  ///
  /// A request has one answer, of its kind or an error, within the ATT_MTU, and nothing else has one; what is no PDU is
  /// refused with the error that fits it. Lists rise, one indication waits for its confirmation, and nobody is told of
  /// anything before something was written.
  package static let attributeServer = attributeServer(with: [])

  /// The same with bad habits: shows that this target would notice them.
  package static func attributeServer(with quirks: [PeripheralQuirk]) -> FuzzTarget {
    FuzzTarget(
      name: "attribute-server", kind: .machine, dictionary: ServerScript.words, seeds: ServerScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = ServerScript(bytes, quirks)
      try script.run()
    }
  }
}

/// One input of the attribute server, carried out.
struct ServerScript {
  /// A connection as the central and the controller have it.
  private struct Link {
    let number: LinkID
    var mtu = AttributePDU.mtuDefault
    /// Sent by the peripheral and not acknowledged; a controller drops what is more.
    var unacknowledged = 0
    var isUnconfirmed = false
    var preparedCount = 0
    var hasWritten = false
  }

  private var choices: ByteChoices
  private var bench: MachineBench<Peripheral>
  private let mtu: UInt16
  private var links: [Link] = []
  private var linkCount: UInt32 = 0
  private var isOn = true
  private var hasLeft = false

  static let operationsMaximum = 80
  static let preparedMaximum = 32

  init(_ bytes: [UInt8], _ quirks: [PeripheralQuirk]) {
    var choices = ByteChoices(bytes)
    mtu = choices.pick([23, 24, 48, 247, 517])
    let plan = AttributeParts.plan(mtu: mtu, quirks: quirks, connections: 2)
    bench = MachineBench(Peripheral(plan, name: "lamp"), at: .zero)
    self.choices = choices
  }

  // MARK: Operations

  mutating func run() throws(FuzzFinding) {
    _ = try take(bench.receive(.host(.power(.on))))
    _ = try take(bench.receive(.application(.act(.appear))))
    try connect()
    var count = 0
    while !choices.isOver, count < ServerScript.operationsMaximum {
      count += 1
      switch choices.byte() {
      case ..<90: try hear(request().bytes)
      case ..<150: try hear(choices.take(choices.below(40)))
      case ..<160:
        // A frame of any form: only one of this channel can be answered.
        let frame = choices.take(choices.below(20))
        guard let link = pick() else { continue }
        if case .pdu = AttributeParts.read(frame, mtu: links[link].mtu) { continue }
        if case .fault = AttributeParts.read(frame, mtu: links[link].mtu) { continue }
        let wishes = bench.receive(.radio(.link(links[link].number, .frame(frame))))
        try expect(try take(wishes).isEmpty, "what is no frame of its channel is answered")
      case ..<175: try acknowledge(1 + choices.below(16))
      case ..<185: try connect()
      case ..<195: try end()
      case ..<215: try pass(choices.pick(AttributeParts.intervals))
      case ..<230: _ = try take(bench.receive(.application(.act(.reconfigure))))
      case ..<235: try power()
      default: try hear(AttributePDU.handleValueConfirmation.bytes)
      }
    }
    while !links.isEmpty { try end() }
    hasLeft = true
    _ = try take(bench.receive(.application(.act(.leave))))
    try expect(bench.machine.deadline == nil, "it left and wants to be woken")
    try expect(bench.machine.presentDevices.isEmpty, "it left and is there")
  }

  private mutating func pick() -> Int? { links.isEmpty ? nil : choices.below(links.count) }

  private mutating func connect() throws(FuzzFinding) {
    guard isOn, links.count < 2 else { return }
    linkCount += 1
    let number = LinkID(0 &- linkCount)
    links.append(Link(number: number))
    let signal = LinkSignal.connected(
      .peripheral, own: AttributeParts.peripheral, peer: AttributeParts.central, LinkParameters())
    let sent = try take(bench.receive(.radio(.link(number, signal))))
    try expect(sent.isEmpty, "it answers somebody who asked nothing: \(sent)")
  }

  private mutating func end() throws(FuzzFinding) {
    guard let link = pick() else { return }
    let number = links.remove(at: link).number
    let sent = try take(bench.receive(.radio(.link(number, .ended(choices.pick([.closedByPeer, .timedOut]))))))
    try expect(sent.isEmpty, "it answers the end of a connection: \(sent)")
  }

  private mutating func power() throws(FuzzFinding) {
    isOn.toggle()
    while !isOn, !links.isEmpty { try end() }
    _ = try take(bench.receive(.host(.power(isOn ? .on : .off))))
  }

  private mutating func acknowledge(_ count: Int) throws(FuzzFinding) {
    guard let link = pick(), links[link].unacknowledged > 0 else { return }
    let frames = min(count, links[link].unacknowledged)
    links[link].unacknowledged -= frames
    _ = try take(bench.receive(.radio(.link(links[link].number, .acknowledged(frames: UInt32(frames))))))
  }

  private mutating func pass(_ interval: Interval) throws(FuzzFinding) {
    let end = bench.now + interval
    var steps = 0
    while let wishes = bench.step(until: end) {
      steps += 1
      try expect(steps < 4_000, "it wants to be woken without end")
      let sent = try take(wishes)
      try expect(sent.isEmpty, "an answer to nothing: \(sent)")
    }
  }

  private mutating func request() -> AttributePDU {
    let (kind, first) = (choices.below(14), 1 + UInt16(choices.below(40)))
    let last = max(first, UInt16(choices.byte()) * 257)
    let type = choices.pick(AttributeParts.uuids)
    switch kind {
    case 0: return .exchangeMTURequest(mtu: last)
    case 1: return .findInformationRequest(first...last)
    case 2: return .findByTypeValueRequest(first...last, type: 0x2800, value: [0x0F, 0x18])
    case 3: return .readByTypeRequest(first...last, type: type)
    case 4: return .readRequest(handle: first)
    case 5: return .readBlobRequest(handle: first, offset: last)
    case 6: return .readByGroupTypeRequest(first...last, type: type)
    case 7: return .writeRequest(handle: first, value: choices.take(choices.below(20)))
    case 8: return .prepareWriteRequest(handle: first, offset: last % 300, value: choices.take(choices.below(18)))
    case 9: return .executeWriteRequest(writes: last & 1 == 0)
    case 10: return .writeCommand(handle: first, value: choices.take(choices.below(20)))
    case 11: return .writeRequest(handle: first, value: [UInt8(last & 3), 0])
    case 12: return .readMultipleVariableRequest(handles: [first, last])
    default: return .signedWriteCommand(handle: first, value: [1], signature: .init(counter: 1, code: 2))
    }
  }

  // MARK: What it says

  private mutating func hear(_ payload: [UInt8]) throws(FuzzFinding) {
    guard let link = pick() else { return }
    let frame = ChannelFrame.bytes(.attributes, payload)
    let reading = AttributeParts.read(frame, mtu: links[link].mtu)
    switch reading {
    case .pdu(.exchangeMTURequest(let other)): links[link].mtu = AttributeParts.mtu(mtu, other)
    case .pdu(.handleValueConfirmation): links[link].isUnconfirmed = false
    case .pdu(.writeCommand), .pdu(.writeRequest), .pdu(.executeWriteRequest): links[link].hasWritten = true
    default: break
    }
    let number = links[link].number
    let answers = try take(bench.receive(.radio(.link(number, .frame(frame)))))
    try expect(answers.allSatisfy { $0.number == number }, "somebody else is answered")
    // Requests have even numbers; the bit 0x40 is that of commands.
    guard let opcode = payload.first, opcode & 0x41 == 0, opcode != 0x1E else {
      return try expect(answers.isEmpty, "\(payload) is answered: \(answers)")
    }
    guard answers.count == 1, let answer = answers.first?.pdu else {
      throw FuzzFinding("\(payload) has \(answers.count) answers")
    }
    switch reading {
    case .fault(let fault):
      try expect(
        answer == .errorResponse(request: opcode, handle: 0, error: fault.error), "\(fault) is answered: \(answer)")
    case .pdu(let request): try check(answer, to: request, link)
    case .cut, .otherChannel: throw FuzzFinding("what is no frame of its channel is answered")
    }
  }

  private mutating func check(_ answer: AttributePDU, to request: AttributePDU, _ link: Int) throws(FuzzFinding) {
    if case .errorResponse(let opcode, _, _) = answer {
      try expect(opcode == request.opcode.rawValue, "the error is about another request")
    } else {
      try expect(answer.opcode.rawValue == request.opcode.rawValue + 1, "\(request) is answered: \(answer)")
    }
    switch (request, answer) {
    case (.findInformationRequest(let range), .findInformationResponse(let found)):
      try check(found.map { $0.handle...$0.handle }, in: range)
    case (.readByTypeRequest(let range, _), .readByTypeResponse(let found)):
      try check(found.map { $0.handle...$0.handle }, in: range)
    case (.readByGroupTypeRequest(let range, _), .readByGroupTypeResponse(let found)):
      try check(found.map(\.handles), in: range)
    case (.findByTypeValueRequest(let range, _, _), .findByTypeValueResponse(let found)):
      try check(found, in: range)
    case (.prepareWriteRequest(let handle, let offset, let value), .prepareWriteResponse):
      links[link].preparedCount += 1
      try expect(links[link].preparedCount <= ServerScript.preparedMaximum, "it keeps what is prepared without end")
      try expect(
        answer == .prepareWriteResponse(handle: handle, offset: offset, value: value), "it prepares something else")
    case (.executeWriteRequest, _): links[link].preparedCount = 0
    default: break
    }
  }

  /// What is listed begins inside the range that was asked for, and rises.
  private func check(_ found: [ClosedRange<UInt16>], in range: ClosedRange<UInt16>) throws(FuzzFinding) {
    var least = Int(range.lowerBound)
    for one in found {
      try expect(Int(one.lowerBound) >= least && one.lowerBound <= range.upperBound, "\(found) is no list in \(range)")
      least = Int(one.upperBound) + 1
    }
  }

  /// Takes down what it sends.
  /// - Returns: the answers among it.
  private mutating func take(
    _ wishes: [MachineBench<Peripheral>.Wish]
  ) throws(FuzzFinding) -> [(number: LinkID, pdu: AttributePDU)] {
    var answers: [(number: LinkID, pdu: AttributePDU)] = []
    for wish in wishes {
      guard case .radio(let effect) = wish.effect else { throw FuzzFinding("it wants \(wish.effect)") }
      guard case .link(let number, let wanted) = effect else { continue }
      guard case .send(let frame) = wanted else { throw FuzzFinding("it wants \(wanted), and nobody asked it to") }
      guard let link = links.firstIndex(where: { $0.number == number }) else {
        throw FuzzFinding("it sends on connection \(number.number), which is over")
      }
      let pdu = try AttributeParts.sent(frame, mtu: links[link].mtu)
      switch pdu {
      case .handleValueNotification:
        try expect(links[link].hasWritten, "it notifies who subscribed to nothing")
        try expect(
          links[link].unacknowledged < LinkSize.framesMaximum - 1, "it notifies, and has no room for an answer")
      case .handleValueIndication:
        try expect(links[link].hasWritten, "it indicates to who subscribed to nothing")
        try expect(!links[link].isUnconfirmed, "a second indication before the confirmation")
        links[link].isUnconfirmed = true
      default: answers.append((number, pdu))
      }
      links[link].unacknowledged = min(LinkSize.framesMaximum, links[link].unacknowledged + 1)
    }
    return answers
  }

  // MARK: Seeds

  static let words = ["\u{0}\u{0}\u{0}\u{7F}", "\u{0}\u{6}\u{0}\u{7F}\u{6}", "\u{0}\u{0B}\u{7}\u{0}\u{0}\u{1}"]

  /// 0 asks, 90 sends bytes, 160 acknowledges, 175 connects, 185 ends, 195 lets time go by, 215 reconfigures, 230
  /// switches the radio, 235 confirms.
  static let seeds: [[UInt8]] = {
    let exchange: [UInt8] = [0, 0, 0, 9, 0, 0]
    func ask(_ kind: UInt8, _ handle: UInt8, _ last: UInt8 = 255, _ type: UInt8 = 6) -> [UInt8] {
      [0, kind, handle - 1, last, type]
    }
    // Of one connection: a choice of it stands behind each request.
    func one(_ parts: [[UInt8]]) -> [UInt8] { parts.flatMap { $0 + [0] } }
    let lists: [UInt8] = (1...40).flatMap { ask(1, $0) + [0] + ask(3, $0, 255, 9) + [0] }
    let subscribe = (1...40).flatMap { ask(11, $0, 1) + [0] }
    let indicate = (1...40).flatMap { ask(11, $0, 2) + [0] }
    // One by one: together they take the compiler seconds.
    let asked = one([ask(6, 1), ask(6, 1, 255, 7), ask(2, 1), ask(4, 19), ask(5, 19, 0)])
    let told: [UInt8] = [195, 3, 160, 15, 0, 195, 6]
    let confirmed: [UInt8] = [215, 235, 0, 215, 215, 235, 0]
    let written: [UInt8] = (0..<34).flatMap { _ in ask(8, 19, 0) + [0, 0] }
    let ended: [UInt8] = [0, 7, 19, 0, 0, 2, 1, 1, 1, 185, 0, 0, 230, 230, 175]
    let linked: [UInt8] = [1, 90, 3, 0x0A, 0, 0, 0, 90, 1, 0x22, 0, 90, 0, 0, 150, 4, 3, 0, 5, 0, 0]
    let read: [UInt8] = (0..<3).flatMap { ask(4, 19 + $0) + [0] }
    var samples: [[UInt8]] = [[3] + exchange + asked, [0] + lists]
    samples.append([4] + exchange + subscribe + told)
    samples.append([3] + indicate + confirmed)
    samples.append([2] + written + one([ask(9, 1, 2)]))
    samples.append([1, 175] + subscribe + ended)
    samples.append(linked + one([ask(12, 3), ask(13, 3)]))
    samples.append([3] + read + [195, 2] + ask(10, 21) + [2, 1, 2, 0])
    return samples
  }()
}
