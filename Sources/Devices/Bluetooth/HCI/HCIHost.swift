package import RollcallPrimitives
package import RollcallWire

/// The host of a controller: what a machine wants of its radio becomes packets for the controller (H4), and packets of
/// the controller become signals of the radio port.
///
/// The other side of `HCIController`, of which it knows nothing but the packets. It keeps no clock. One command is under
/// way at a time, and packets of data go as long as the controller has room. Bytes that are no packets end the stream;
/// packets that make no sense are counted and have no effect.
package struct HCIHost: Sendable {
  /// What is to be done, in this order.
  package enum Output: Hashable, Sendable {
    /// A packet for the controller, with its kind before it.
    case packet([UInt8])
    case radio(RadioSignal)
    /// The radio can be used from now on.
    case ready
    /// It cannot, and why.
    case failed(String)
  }

  /// What made no sense, how often, and where in the stream of the controller it stood first.
  package struct Rejection: Hashable, Sendable {
    package var reason: String
    package var count: Int
    package var offset: Int
  }

  struct Command: Sendable {
    var opcode: HCIOpcode
    var parameters: [UInt8]
  }

  /// Commands that wait: more are asked for only of a controller that does not answer.
  static let commandsMaximum = 1_024
  static let setsMaximum = 32
  static let rejectionsMaximum = 64

  /// Under which it advertises and connects; `nil`: its controller has not told it yet.
  package private(set) var own: RadioAddress?
  private var hasFailed = false
  private var waiting: [Command] = []
  private var underWay: Command?
  private var stream = HCIStream(packetBytesMaximum: 1 + 4 + LinkSize.frameBytesMaximum)
  /// Bytes of the packets before the one that is read.
  private var passedBytes = 0
  package private(set) var rejections: [Rejection] = []
  private var output: [Output] = []
  /// Of one packet of data, and how many packets the controller takes before some have left.
  private(set) var dataBytesMaximum = 27
  private(set) var dataCount = 1
  private(set) var acceptListMaximum = 1
  private var setCount = 1
  /// Sets of the machine, by the place that they have in the controller.
  private var sets: [UInt8?] = []
  var links = HCIHostLinks()

  /// - Parameter address: a random address to use; `nil`: the public one of the controller.
  package init(address: RadioAddress? = nil) { own = address }

  /// What came of everything since it was taken last.
  package mutating func take() -> [Output] {
    defer { output = [] }
    return output
  }

  /// Begins, with a controller that may have been somebody else's.
  package mutating func begin() {
    ask(.reset)
    ask(.setEventMask, HCICommand.mask([HCIEvent.disconnectionCompleteCode, HCIEvent.leMetaCode]))
    ask(
      .setLEEventMask,
      HCICommand.mask([
        HCIEvent.connectionComplete, HCIEvent.connectionUpdateComplete, HCIEvent.extendedAdvertisingReport,
      ]))
    ask(.readLEBufferSize)
    ask(.readAcceptListSize)
    ask(.writeSuggestedDataLength, HCICommand.longestData(bytes: 251, microseconds: 2_120))
    if let own { ask(.setRandomAddress, own.littleEndian) } else { ask(.readAddress) }
    ask(.readAdvertisingSetCount)
  }

  var isRandom: Bool { own?.isRandom ?? false }

  // MARK: - What the machine wants

  package mutating func want(_ effect: RadioEffect) {
    switch effect {
    case .advertise(let set, let every, let pdu, let response): advertise(set, every, pdu, response)
    case .stopAdvertising(let set):
      guard let handle = sets.firstIndex(of: set) else { return }
      sets[handle] = nil
      ask(.setExtendedAdvertisingEnable, HCICommand.advertisingEnable(false, UInt8(handle)))
      ask(.removeAdvertisingSet, [UInt8(handle)])
    case .scan(let window, let interval, let isActive):
      ask(.setExtendedScanEnable, HCICommand.scanEnable(false))
      ask(
        .setExtendedScanParameters,
        HCICommand.scanParameters(window: window, interval: interval, isActive: isActive, isRandom: isRandom))
      ask(.setExtendedScanEnable, HCICommand.scanEnable(true))
    case .stopScan: ask(.setExtendedScanEnable, HCICommand.scanEnable(false))
    case .setAddress(let address):
      guard address.isRandom else { return reject("a public address, which is the controller's own") }
      own = address
      ask(.setRandomAddress, address.littleEndian)
    case .reset:
      (sets, links, waiting) = ([], HCIHostLinks(after: links), [])
      begin()
    case .link(let link, let effect): want(effect, of: link)
    case .resend: reject("a recorded packet, which no controller sends")
    }
  }

  private mutating func advertise(_ set: UInt8, _ every: Interval, _ pdu: [UInt8], _ response: [UInt8]) {
    guard let read = pdu.withUnsafeBytes({ try? AdvertisingPDU($0) }), read.byteCount == pdu.count else {
      return reject("an advertisement that is no packet")
    }
    let known = sets.firstIndex(of: set)
    guard let handle = known ?? sets.firstIndex(of: nil) ?? (sets.count < setCount ? sets.count : nil) else {
      return reject("more sets than the controller has room for")
    }
    guard
      let parameters = HCICommand.advertisingParameters(
        UInt8(handle), read.kind, every: every, isRandom: isRandom, to: read.target)
    else { return reject("an advertisement of another kind than those of Bluetooth 4") }
    if handle == sets.count { sets.append(set) } else { sets[handle] = set }
    if known != nil { ask(.setExtendedAdvertisingEnable, HCICommand.advertisingEnable(false, UInt8(handle))) }
    ask(.setExtendedAdvertisingParameters, parameters)
    if let own, own.isRandom { ask(.setAdvertisingSetAddress, [UInt8(handle)] + own.littleEndian) }
    if read.kind != .directed {
      ask(.setExtendedAdvertisingData, HCICommand.advertisingData(UInt8(handle), Array(pdu[read.data])))
    }
    if read.kind == .connectable || read.kind == .scannable {
      let found = response.withUnsafeBytes { try? AdvertisingPDU($0) }
      ask(
        .setExtendedScanResponseData,
        HCICommand.advertisingData(UInt8(handle), found.map { Array(response[$0.data]) } ?? []))
    }
    ask(.setExtendedAdvertisingEnable, HCICommand.advertisingEnable(true, UInt8(handle)))
  }

  // MARK: - Commands

  mutating func ask(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) {
    guard !hasFailed else { return }
    guard waiting.count < HCIHost.commandsMaximum else { return fail("the controller answers no commands") }
    waiting.append(Command(opcode: opcode, parameters: parameters))
    sendNext(room: 1)
  }

  private mutating func sendNext(room: UInt8) {
    guard room > 0, underWay == nil, !waiting.isEmpty, !hasFailed else { return }
    let next = waiting.removeFirst()
    underWay = next
    send(HCICommand.bytes(next.opcode, next.parameters))
  }

  private mutating func answered(_ opcode: HCIOpcode, _ results: [UInt8], room: UInt8) {
    // Opcode 0 answers no command, and says that there is room.
    guard opcode.rawValue != 0 else { return sendNext(room: room) }
    guard let command = underWay, command.opcode == opcode else {
      return reject("the answer to a command that was not sent")
    }
    underWay = nil
    finish(command, results)
    sendNext(room: room)
  }

  private mutating func finish(_ command: Command, _ results: [UInt8]) {
    let status = results.first ?? HCIStatus.unknownCommand.rawValue
    let isSetUp: [HCIOpcode] = [
      .reset, .setEventMask, .setLEEventMask, .readLEBufferSize, .readAcceptListSize, .readAddress,
      .readAdvertisingSetCount,
    ]
    if status != 0, isSetUp.contains(command.opcode) {
      return fail("the controller refuses command \(HCIHost.words(command.opcode)) with error \(status)")
    }
    let bytes = Array(results.dropFirst())
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard bytes.count >= offset + count else { return nil }
      return Int(bytes.withUnsafeBytes { $0.littleEndian(offset, count: count) })
    }
    switch command.opcode {
    case .readLEBufferSize:
      guard let length = number(0, 2), let count = number(2, 1), length >= 27, count > 0 else {
        return fail("the controller has no room for data of Bluetooth LE")
      }
      (dataBytesMaximum, dataCount) = (length, count)
    case .readAcceptListSize: acceptListMaximum = max(1, number(0, 1) ?? 1)
    case .readAddress:
      guard let bits = number(0, 6) else { return fail("the controller has no address") }
      own = RadioAddress(bits: UInt64(bits), isRandom: false)
    // The last command of the beginning.
    case .readAdvertisingSetCount:
      setCount = min(HCIHost.setsMaximum, max(1, number(0, 1) ?? 1))
      output.append(.ready)
    default:
      if !finishOfLink(command, status, bytes), status != 0 {
        reject("command \(HCIHost.words(command.opcode)) was refused with error \(status)")
      }
    }
  }

  private static func words(_ opcode: HCIOpcode) -> String { "0x" + String(opcode.rawValue, radix: 16) }

  // MARK: - Packets of the controller

  /// Bytes of the controller, cut anywhere.
  /// - Throws: where they are no packets; the offset counts from the first byte. Nothing behind them can be read.
  package mutating func receive(_ bytes: some Collection<UInt8>) throws(RadioFault) {
    stream.append(bytes)
    while let packet = try stream.next() {
      take(packet)
      passedBytes += packet.count
    }
  }

  private mutating func take(_ packet: [UInt8]) {
    guard !hasFailed, let read = packet.withUnsafeBytes({ try? HCIPacket.reading(h4: $0) }) else { return }
    let content = Array(packet[(1 + read.content.lowerBound)..<(1 + read.content.upperBound)])
    switch read.kind {
    case .event:
      content.withUnsafeBytes { bytes in
        do throws(RadioFault) { take(try HCINotice(event: read.code, bytes)) } catch {
          reject("an event that is \(error.reason.rawValue)", at: 1 + read.content.lowerBound + error.offset)
        }
      }
    case .data: takeData(read.code, content)
    case .command, .voice, .isochronous: reject("a packet of kind \(read.kind.rawValue)")
    }
  }

  private mutating func take(_ notice: HCINotice) {
    switch notice {
    case .completed(let opcode, let results, let room): answered(opcode, results, room: room)
    case .begun(let opcode, let status, let room): answered(opcode, [status], room: room)
    case .connected(let connection): connected(connection)
    case .disconnected(let handle, let status, let reason): disconnected(handle, status, reason)
    // One that was refused leaves the parameters as they are.
    case .updated(let handle, let status, let parameters): if status == 0 { updated(handle, parameters) }
    case .sent(let all): for one in all { sent(one.handle, Int(one.count)) }
    case .heard(let reports):
      for report in reports {
        guard let pdu = report.pdu else { continue }
        // Which channel it was, a host is not told.
        tell(
          .heard(
            RadioPDU(
              channel: nil, strength: report.strength, accessAddress: AirFrame.advertisingAddress, bytes: pdu)))
      }
    case .other: break
    }
  }

  // MARK: - Output

  mutating func send(_ packet: [UInt8]) { output.append(.packet(packet)) }
  mutating func tell(_ signal: RadioSignal) { output.append(.radio(signal)) }

  private mutating func fail(_ reason: String) {
    guard !hasFailed else { return }
    (hasFailed, waiting, underWay) = (true, [], nil)
    output.append(.failed(reason))
  }

  /// - Parameter offset: within the packet that is read.
  mutating func reject(_ reason: String, at offset: Int = 0) {
    if let place = rejections.firstIndex(where: { $0.reason == reason }) {
      rejections[place].count += 1
    } else if rejections.count < HCIHost.rejectionsMaximum {
      rejections.append(Rejection(reason: reason, count: 1, offset: passedBytes + offset))
    }
  }
}
