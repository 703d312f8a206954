import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// Faults of a controller, for tests that show that the target would notice them: they change what comes out of it.
package enum ControllerFault: String, Hashable, Sendable, CaseIterable {
  /// Every eighth answer to a command is left out.
  case answersMissing
  case answersTwice
  /// Packets for the host lack their last byte.
  case packetsCut
  /// What is sent on a connection is sent once more when it is over.
  case sendsAfterEnd
  /// Every packet for the host comes a thousand times.
  case repeatsWithoutEnd
  /// The radio is asked for an advertisement that is none.
  case badAdvertisement
}

extension FuzzTarget {
  /// The controller of a virtual radio: bytes are what a hostile host sends it, and what its radio hears.
  ///
  /// A command has one answer, accepted or not, and nothing else has one; packets for the host are whole, in bounded
  /// number, and of connections that the host can know; what the radio is asked for is something that it can do.
  package static let hciCommands = hciCommands(with: nil)

  /// The same of a controller with a fault.
  package static func hciCommands(with fault: ControllerFault?) -> FuzzTarget {
    FuzzTarget(
      name: "hci-commands", kind: .machine, dictionary: HCIScript.words, seeds: HCIScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = HCIScript(bytes, fault)
      try script.run()
    }
  }
}

/// One input of the controller, carried out.
struct HCIScript {
  private typealias Output = HCIController.Output

  private var choices: ByteChoices
  private var controller = HCIController(publicAddress: HCIScript.publicAddress)
  private var air = HCIAir()
  private var now = Instant.zero
  private let fault: ControllerFault?
  private var answerCount = 0
  /// Of connections: the strengths that were asked for. One answer is for all who asked before it came.
  private var strengthsAsked = 0

  static let operationsMaximum = 100
  /// What one call may bring: a controller has 8 advertising sets, 16 addresses to wait for, and some events.
  static let outputMaximum = 64
  static let publicAddress = RadioAddress(bits: 0x00C0_FFEE_0001, isRandom: false)

  /// Every command of the controller with as many bytes of parameters as it has, at least; and one that it does not know.
  static let commands: [(opcode: HCIOpcode, count: Int)] =
    HCICommandTable.rows.map { ($0.opcode, $0.parameterBytes.lowerBound) } + [(HCIOpcode(rawValue: 0xFC00), 0)]

  init(_ bytes: [UInt8], _ fault: ControllerFault?) { (choices, self.fault) = (ByteChoices(bytes), fault) }

  // MARK: - Operations

  mutating func run() throws(FuzzFinding) {
    var count = 0
    while !choices.isOver, count < HCIScript.operationsMaximum {
      count += 1
      switch choices.byte() {
      case ..<110: try command()
      case ..<130: try host(choices.take(choices.below(40)))
      case ..<165: try data()
      case ..<185: try air(air.advertisement(&choices))
      case ..<205: try air(air.change(&choices))
      case ..<230: try air(air.speech(&choices))
      default: try pass()
      }
      try expect(controller.deadline > now, "it wants to be woken at a time that is over")
      try expect(controller.rejections.count <= 64, "it keeps reasons without end")
    }
    // Whatever the host did, a reset ends everything.
    try host(HCICommand.bytes(.reset))
    try expect(air.isSilent, "after a reset its radio is not at rest")
    try expect(controller.deadline == .never && controller.presentDevices.isEmpty, "a reset leaves something behind")
  }

  private mutating func command() throws(FuzzFinding) {
    let (opcode, count) = choices.pick(HCIScript.commands)
    var parameters = choices.take(count)
    parameters += [UInt8](repeating: 0, count: count - parameters.count)
    let way = choices.byte()
    // Some are longer or shorter than they ought to be, and commands of data have as much as they say.
    if way < 40 { parameters += choices.take(Int(way)) } else if way > 250 { parameters = Array(parameters.dropLast()) }
    try host(HCICommand.bytes(opcode, parameters))
  }

  private mutating func data() throws(FuzzFinding) {
    let handle = UInt16(choices.below(24))
    let flags = UInt16(choices.pick([0, 0, 1, 2, 3, 4]) as Int)
    var content = choices.take(choices.below(60))
    // Often a frame that is whole.
    if choices.bool() { content = ChannelFrame.bytes(.attributes, content) }
    if choices.byte() > 250 { content += [UInt8](repeating: 7, count: 250) }
    let code = handle | flags << 12
    try host(
      [2, UInt8(truncatingIfNeeded: code), UInt8(code >> 8)] + [UInt8](littleEndian: UInt64(content.count), count: 2)
        + content)
  }

  /// A packet of the host.
  private mutating func host(_ packet: [UInt8]) throws(FuzzFinding) {
    controller.receive(packet, at: now)
    let answers = try take()
    guard let read = packet.withUnsafeBytes({ try? HCIPacket.reading(h4: $0) }), read.kind == .command else {
      return try expect(answers.isEmpty, "\(packet) is answered: \(answers)")
    }
    let isLater = read.code == HCIOpcode.readStrength.rawValue && answers.isEmpty && strengthsAsked < 64
    if isLater { strengthsAsked += 1 }
    try expect(
      answers == [read.code] || isLater, "command \(String(read.code, radix: 16)) has the answers \(answers)")
    // With parameters it is refused, as every command that has more than it ought to.
    if read.code == HCIOpcode.reset.rawValue, read.content.isEmpty {
      try expect(air.wasReset, "a reset does not reach the radio")
      strengthsAsked = 0
    }
  }

  /// Something that the radio hears, if there is something.
  private mutating func air(_ signal: RadioSignal?) throws(FuzzFinding) {
    guard let signal else { return }
    controller.hear(signal, at: now)
    let answers = try take()
    guard !answers.isEmpty else { return }
    try expect(answers == [HCIOpcode.readStrength.rawValue] && strengthsAsked > 0, "an answer to nothing: \(answers)")
    // Connections come and go in one order, so what is asked of several is answered one by one.
    strengthsAsked -= 1
  }

  private mutating func pass() throws(FuzzFinding) {
    let end = now + choices.pick(AttributeParts.intervals)
    var steps = 0
    while controller.deadline <= end {
      steps += 1
      try expect(steps < 100, "it wants to be woken without end")
      now = max(now, controller.deadline)
      controller.wake(at: now)
      let answers = try take()
      try expect(answers.isEmpty, "it answers nobody: \(answers)")
      try expect(controller.deadline > now, "it was woken, and wants to be again")
    }
    now = end
  }

  // MARK: - What comes out

  /// Looks at what comes out.
  /// - Returns: the opcodes of the answers to commands among it.
  private mutating func take() throws(FuzzFinding) -> [UInt16] {
    air.wasReset = false
    var answers: [UInt16] = []
    let outputs = broken(controller.take())
    try expect(outputs.count <= HCIScript.outputMaximum, "\(outputs.count) packets and wishes at once")
    for output in outputs {
      switch output {
      case .radio(let effect): try air.take(effect)
      case .packet(let packet):
        guard let read = packet.withUnsafeBytes({ try? HCIPacket.reading(h4: $0) }),
          read.content.upperBound + 1 == packet.count
        else { throw FuzzFinding("\(packet) is no packet") }
        switch read.kind {
        case .data:
          try expect(read.content.count <= HCIController.dataBytesMaximum, "\(read.content.count) bytes of data")
        case .event:
          let parameters = Array(packet[(1 + read.content.lowerBound)...])
          if let answer = try HCIScript.opcode(ofAnswer: UInt8(read.code), parameters) { answers.append(answer) }
        default: throw FuzzFinding("a packet of kind \(read.kind) for a host")
        }
      }
    }
    return answers
  }

  private static func opcode(ofAnswer code: UInt8, _ parameters: [UInt8]) throws(FuzzFinding) -> UInt16? {
    let place: Int
    switch code {
    case HCIEvent.commandCompleteCode: place = 1
    case HCIEvent.commandStatusCode: place = 2
    default: return nil
    }
    try expect(parameters.count >= place + 2, "an answer without an opcode")
    return UInt16(parameters[place]) | UInt16(parameters[place + 1]) << 8
  }

  /// What a controller with the planted fault would say.
  private mutating func broken(_ outputs: [Output]) -> [Output] {
    guard let fault else { return outputs }
    return outputs.flatMap { output -> [Output] in
      guard case .packet(let packet) = output else {
        guard case .radio(let effect) = output else { return [output] }
        switch (fault, effect) {
        case (.badAdvertisement, .advertise(let set, let every, let pdu, let response)):
          return [.radio(.advertise(set: set, every: every, pdu: Array(pdu.dropLast()), response: response))]
        case (.sendsAfterEnd, .link(let link, .end)): return [output, .radio(.link(link, .send([0, 0, 4, 0])))]
        default: return [output]
        }
      }
      let isAnswer =
        packet.count > 1 && packet[0] == 4
        && (packet[1] == HCIEvent.commandCompleteCode || packet[1] == HCIEvent.commandStatusCode)
      if isAnswer { answerCount += 1 }
      switch fault {
      case .answersMissing: return isAnswer && answerCount % 8 == 0 ? [] : [output]
      case .answersTwice: return isAnswer ? [output, output] : [output]
      case .packetsCut: return [.packet(Array(packet.dropLast()))]
      case .repeatsWithoutEnd: return [Output](repeating: output, count: 1_000)
      case .sendsAfterEnd, .badAdvertisement: return [output]
      }
    }
  }

  // MARK: - Seeds

  static let words = ["\u{1}\u{3}\u{C}\u{0}", "\u{0}\u{13}", "\u{0}\u{14}\u{1}", "\u{0}\u{0}\u{64}"]

  /// 0 is a command, 110 any packet, 130 data, 165 an advertisement, 185 a connection comes or goes, 205 the other side
  /// speaks, 230 time goes by.
  static let seeds: [[UInt8]] = {
    // The way behind the parameters is 100: as many as there ought to be.
    func ask(_ opcode: HCIOpcode, _ parameters: [UInt8] = [], more: [UInt8] = []) -> [UInt8] {
      let place = commands.firstIndex { $0.opcode == opcode } ?? 0
      return [0, UInt8(place)] + parameters + [more.isEmpty ? 100 : UInt8(more.count)] + more
    }
    let address: [UInt8] = [2, 0, 0, 0, 0, 0xC4]
    let begin =
      ask(.reset) + ask(.setEventMask, [255, 255, 255, 255, 255, 255, 255, 63])
      + ask(.setLEEventMask, [255, 255, 255, 0, 0, 0, 0, 0])
      + ask(.setRandomAddress, address)
    let lamp: [UInt8] = [1, 0, 0, 0xEE, 0xFF, 0xC0]
    let advertise =
      ask(.setAdvertisingParameters, [0xA0, 0, 0xA0, 0, 0, 1, 0] + lamp + [7, 0])
      + ask(.setAdvertisingData, [3, 2, 1, 6] + [UInt8](repeating: 0, count: 28)) + ask(.setAdvertisingEnable, [1])
    let scan = ask(.setScanParameters, [1, 0x10, 0, 0x10, 0, 1, 0]) + ask(.setScanEnable, [1, 0])
    let create = ask(.createConnection, [0x10, 0, 0x10, 0, 0, 1] + lamp + [1, 24, 0, 24, 0, 0, 0, 72, 0, 0, 0, 0, 0])
    let extended =
      ask(
        .setExtendedAdvertisingParameters,
        [0, 0x13, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 1, 0] + lamp + [0, 0, 1, 0, 1, 0, 0])
      + ask(.setAdvertisingSetAddress, [0] + address)
      + ask(.setExtendedAdvertisingData, [0, 3, 0, 3], more: [2, 1, 6])
      + ask(.setExtendedAdvertisingEnable, [1, 1, 0, 100, 0, 0])
    let extendedScan =
      ask(.setExtendedScanParameters, [1, 0, 1, 1, 16, 0, 16, 0], more: [0])
      + ask(.setExtendedScanEnable, [1, 1, 50, 0, 0, 0])
    // Kind, address, data; then a connection that is made, speech, and its end.
    let heard: [UInt8] = [165, 0, 1, 3, 2, 1, 6, 165, 4, 1, 0]
    let life: [UInt8] = [185, 0, 0, 205, 0, 0, 5, 1, 2, 3, 4, 5, 130, 1, 0, 5, 9, 9, 9, 9, 9, 1, 0, 205, 1, 0, 15]
    let strength = ask(.readStrength, [1, 0]) + [205, 2, 0, 200]
    let reads = commands.filter { $0.count == 0 && $0.opcode != .reset }.flatMap { ask($0.opcode) }
    return [
      begin + reads, begin + scan + heard, begin + advertise + [185, 1, 0] + life, begin + create + life + strength,
      begin + create + life + ask(.disconnect, [1, 0, 0x13]) + [185, 2, 0, 0],
      begin + create + ask(.cancelConnection) + [185, 0, 0],
      begin + extended + [230, 3, 185, 1, 0] + life + [230, 2], begin + extendedScan + heard + [230, 2],
      begin + ask(.addToAcceptList, [1] + lamp) + ask(.addToAcceptList, [1] + address) + create + [185, 0, 1] + strength
        + ask(.reset),
    ]
  }()
}
