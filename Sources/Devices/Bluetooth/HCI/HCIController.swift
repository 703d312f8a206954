package import RollcallPrimitives
import RollcallWire

/// The controller of a virtual radio, as a host stack outside sees it over HCI.
///
/// Packets of the host go in, with their kind before them (H4), and so does what the radio of the host hears; packets
/// for the host and wishes of the radio come out. It keeps no clock and draws no chance. What the host asks for and the
/// radio cannot do is refused with the error code of the standard, never ignored.
package struct HCIController: Sendable {
  /// What is to be done, in this order.
  package enum Output: Hashable, Sendable {
    /// A packet for the host, with its kind before it.
    case packet([UInt8])
    case radio(RadioEffect)
  }

  /// Of its packets of data: as much as one packet of the air carries, and as many as a connection may have on its way.
  package static let dataBytesMaximum = LinkSize.packetBytesMaximum
  package static let dataCount = LinkSize.framesMaximum
  /// A host cannot send longer packets: the longest are commands with 255 bytes of parameters.
  package static let packetBytesMaximum = 1 + 3 + 255

  package let publicAddress: RadioAddress
  var randomAddress: RadioAddress?
  var eventMask: UInt64 = HCIController.standardEventMask
  var leEventMask: UInt64 = HCIController.standardLEEventMask
  /// Whether the host used commands of extended advertising since the reset; `nil`: neither kind.
  var isExtended: Bool?
  var acceptList: [RadioAddress] = []
  var suggestedDataLength: (bytes: UInt16, microseconds: UInt16) = (27, 328)
  var advertising = HCIAdvertising()
  var scanning = HCIScanning()
  var links: [HCILink] = []
  /// The connection that is waited for: one at a time, to one of several addresses.
  var pending: HCIPending?
  var lastHandle: UInt16 = 0
  var lastLink: UInt32 = 0
  private var output: [Output] = []
  /// Packets of the host that made no sense, by why: for who serves.
  package private(set) var rejections: [(reason: String, count: Int)] = []

  /// What the standard says is not masked after a reset.
  static let standardEventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
  static let standardLEEventMask: UInt64 = 0x1F
  static let handleMaximum: UInt16 = 0x0EFF

  package init(publicAddress: RadioAddress) { self.publicAddress = publicAddress }

  /// When it is to be woken, for a scan or a set that ends by time.
  package var deadline: Instant { min(scanning.endsAt, advertising.nextEnd) }

  /// What came of everything since it was taken last.
  package mutating func take() -> [Output] {
    defer { output = [] }
    return output
  }

  package mutating func wake(at now: Instant) {
    if scanning.endsAt <= now { endScanByTime() }
    endSetsByTime(at: now)
  }

  /// A packet of the host.
  package mutating func receive(_ packet: [UInt8], at now: Instant) {
    guard let read = packet.withUnsafeBytes({ try? HCIPacket.reading(h4: $0) }) else {
      return reject("a packet that is not whole")
    }
    let content = Array(packet[(1 + read.content.lowerBound)..<(1 + read.content.upperBound)])
    switch read.kind {
    case .command: carryOut(HCIOpcode(rawValue: read.code), content, at: now)
    case .data: takeData(read.code, content)
    case .voice, .event, .isochronous: reject("a packet of kind \(read.kind.rawValue)")
    }
  }

  /// What its radio hears.
  package mutating func hear(_ signal: RadioSignal, at now: Instant) {
    switch signal {
    case .heard(let pdu): report(pdu)
    case .link(let link, let signal): take(signal, of: link, at: now)
    }
  }

  // MARK: - Output

  mutating func want(_ effect: RadioEffect) { output.append(.radio(effect)) }
  mutating func send(_ packet: [UInt8]) { output.append(.packet(packet)) }

  /// An event, unless the host has masked it.
  mutating func tell(_ event: [UInt8]) {
    let code = event[1]
    if code == HCIEvent.leMetaCode {
      guard eventMask >> 61 & 1 == 1, leEventMask >> UInt64(event[3] - 1) & 1 == 1 else { return }
    } else if code == HCIEvent.disconnectionCompleteCode || code == HCIEvent.remoteVersionCode {
      guard eventMask >> UInt64(code - 1) & 1 == 1 else { return }
    }
    send(event)
  }

  mutating func complete(_ opcode: HCIOpcode, _ results: [UInt8] = []) {
    send(HCIEvent.commandComplete(opcode, [HCIStatus.success.rawValue] + results))
  }

  mutating func refuse(_ opcode: HCIOpcode, _ status: HCIStatus) {
    if HCIController.answersWithStatus(opcode) {
      send(HCIEvent.commandStatus(opcode, status))
    } else {
      send(HCIEvent.commandComplete(opcode, [status.rawValue]))
    }
  }

  /// Commands whose result comes later, in an event of its own.
  private static func answersWithStatus(_ opcode: HCIOpcode) -> Bool {
    [
      .disconnect, .updateConnection, .readRemoteVersion, .createConnection, .extendedCreateConnection,
      .readRemoteFeatures,
    ]
    .contains(opcode)
  }

  mutating func reject(_ reason: String) {
    if let place = rejections.firstIndex(where: { $0.reason == reason }) {
      rejections[place].count += 1
    } else if rejections.count < 64 {
      rejections.append((reason, 1))
    }
  }

  // MARK: - Commands

  private mutating func carryOut(_ opcode: HCIOpcode, _ parameters: [UInt8], at now: Instant) {
    guard let row = HCICommandTable.row(of: opcode) else { return refuse(opcode, .unknownCommand) }
    guard row.parameterBytes.contains(parameters.count) else {
      reject("\(parameters.count) bytes of parameters behind opcode 0x" + String(opcode.rawValue, radix: 16))
      return refuse(opcode, .invalidParameters)
    }
    let isLegacy = HCICommandTable.legacy.contains(opcode)
    if isLegacy || HCICommandTable.extended.contains(opcode) {
      if isExtended == isLegacy { return refuse(opcode, .commandDisallowed) }
      isExtended = !isLegacy
    }
    var reader = HCIParameters(parameters)
    switch opcode {
    case .reset: reset()
    case .setEventMask:
      eventMask = reader.bits(8)
      complete(opcode)
    case .setLEEventMask:
      leEventMask = reader.bits(8)
      complete(opcode)
    case .setEventMaskPage2, .writeLEHostSupport: complete(opcode)
    case .setRandomAddress:
      randomAddress = RadioAddress(bits: reader.bits(6), isRandom: true)
      complete(opcode)
    case .setAdvertisingParameters, .setAdvertisingData, .setScanResponseData, .setAdvertisingEnable:
      advertise(opcode, &reader)
    case .setAdvertisingSetAddress, .setExtendedAdvertisingParameters, .setExtendedAdvertisingData,
      .setExtendedScanResponseData, .setExtendedAdvertisingEnable, .removeAdvertisingSet, .clearAdvertisingSets:
      advertiseExtended(opcode, &reader, at: now)
    case .setScanParameters, .setScanEnable, .setExtendedScanParameters, .setExtendedScanEnable:
      scan(opcode, &reader, at: now)
    case .createConnection, .extendedCreateConnection: create(opcode, &reader)
    case .cancelConnection: cancel()
    case .disconnect, .updateConnection, .readRemoteVersion, .readRemoteFeatures, .readStrength, .setDataLength:
      ask(opcode, &reader)
    case .clearAcceptList, .addToAcceptList, .removeFromAcceptList: accept(opcode, &reader)
    default: inform(opcode, &reader)
    }
  }

  private mutating func reset() {
    let rejections = rejections
    let (address, handle, link) = (publicAddress, lastHandle, lastLink)
    self = HCIController(publicAddress: address)
    // What the radio still says of connections before the reset is of no connection of now.
    (self.rejections, lastHandle, lastLink) = (rejections, handle, link)
    want(.reset)
    complete(.reset)
  }

  mutating func takeHandle() -> UInt16 {
    repeat {
      lastHandle = lastHandle >= HCIController.handleMaximum ? 1 : lastHandle + 1
    } while links.contains {
      $0.handle == lastHandle
    }
    return lastHandle
  }

  /// The address of a kind that a command names; `nil`: it was not set.
  func address(ofKind kind: UInt8) -> RadioAddress? {
    // 2 and 3 ask for a resolvable address, and without a list to resolve with that is the address of 0 and 1.
    switch kind {
    case 0, 2: publicAddress
    case 1, 3: randomAddress
    default: nil
    }
  }
}
