import RollcallPrimitives
import RollcallWire

/// What a host asked its controller to send.
struct HCIAdvertising: Sendable {
  /// Sets, in the order in which they were made; without extended advertising there is one, with the number 0.
  var sets: [HCIAdvertisingSet] = []

  static let setsMaximum = 8
  /// Of a set whose packets are those of Bluetooth 4, and of another one: all of it in one packet.
  static let legacyDataBytesMaximum = 31
  static let dataBytesMaximum = AdvertisingPDU.extendedDataBytesMaximum

  var nextEnd: Instant { sets.reduce(.never) { min($0, $1.endsAt) } }
}

struct HCIAdvertisingSet: Sendable {
  let handle: UInt8
  /// Its number on the radio: one of few, so that it can be used again.
  let slot: UInt8
  var kind = AdvertisingPDU.Kind.connectable
  /// Of extended packets: a number of `AdvertisingPDU.Mode`.
  var mode: UInt8 = 0
  /// Of extended packets: 0 ... 15.
  var number: UInt8 = 0
  var interval = Interval.milliseconds(1_280)
  var ownKind: UInt8 = 0
  /// Of this set alone.
  var ownAddress: RadioAddress?
  /// `nil`: no parameters were set yet, and it is for everybody.
  var target: RadioAddress?
  var data: [UInt8] = []
  var response: [UInt8] = []
  /// Parts of data that come one by one.
  var partialData: [UInt8]?
  var partialResponse: [UInt8]?
  var isOn = false
  var endsAt = Instant.never
  /// From which it sends now.
  var address: RadioAddress?

  init(_ handle: UInt8, slot: UInt8) { (self.handle, self.slot) = (handle, slot) }

  var isExtended: Bool { kind == .extended }
  var isConnectable: Bool {
    kind == .connectable || kind == .directed || isExtended && mode == AdvertisingPDU.Mode.connectable
  }

  /// Data and response that its packets have room for.
  var roomForData: Int {
    if isExtended { return mode == AdvertisingPDU.Mode.scannable ? 0 : HCIAdvertising.dataBytesMaximum }
    return HCIAdvertising.legacyDataBytesMaximum
  }
  var roomForResponse: Int {
    if isExtended { return mode == AdvertisingPDU.Mode.scannable ? HCIAdvertising.dataBytesMaximum : 0 }
    return HCIAdvertising.legacyDataBytesMaximum
  }
}

extension HCIController {
  // MARK: - Without extended advertising

  mutating func advertise(_ opcode: HCIOpcode, _ parameters: inout HCIParameters) {
    if advertising.sets.isEmpty { advertising.sets = [HCIAdvertisingSet(0, slot: 0)] }
    switch opcode {
    case .setAdvertisingParameters:
      guard !advertising.sets[0].isOn else { return refuse(opcode, .commandDisallowed) }
      let (shortest, longest, kind, ownKind) = (
        parameters.word(), parameters.word(), parameters.byte(), parameters.byte()
      )
      let target = RadioAddress(isRandom: parameters.byte(), bits: parameters.bits(6))
      let kinds: [AdvertisingPDU.Kind] = [.connectable, .directed, .scannable, .nonconnectable, .directed]
      guard kind < kinds.count, ownKind <= 3, kind == 1 || (0x20...0x4000).contains(shortest) && shortest <= longest
      else { return refuse(opcode, .invalidParameters) }
      advertising.sets[0].kind = kinds[Int(kind)]
      // High duty: a packet each 3.75 ms, which this air sends every 20 ms.
      advertising.sets[0].interval = kind == 1 ? .milliseconds(20) : .microseconds(625 * Int64(shortest))
      (advertising.sets[0].ownKind, advertising.sets[0].target) = (ownKind, target)
      complete(opcode)
    case .setAdvertisingEnable:
      let enable = parameters.byte()
      guard enable <= 1 else { return refuse(opcode, .invalidParameters) }
      if enable == 1, address(of: advertising.sets[0]) == nil { return refuse(opcode, .invalidParameters) }
      complete(opcode)
      if enable == 1 { begin(0, endsAt: .never) } else { stop(0) }
    default:
      let count = Int(parameters.byte())
      guard count <= HCIAdvertising.legacyDataBytesMaximum else { return refuse(opcode, .invalidParameters) }
      let data = Array(parameters.rest().prefix(count))
      if opcode == .setAdvertisingData { advertising.sets[0].data = data } else { advertising.sets[0].response = data }
      complete(opcode)
      // What is on the air changes at once.
      if advertising.sets[0].isOn { begin(0, endsAt: .never) }
    }
  }

  // MARK: - With extended advertising

  mutating func advertiseExtended(_ opcode: HCIOpcode, _ parameters: inout HCIParameters, at now: Instant) {
    switch opcode {
    case .setExtendedAdvertisingParameters: return setParameters(opcode, &parameters)
    case .setExtendedAdvertisingEnable: return enable(opcode, &parameters, at: now)
    case .clearAdvertisingSets:
      guard !advertising.sets.contains(where: \.isOn) else { return refuse(opcode, .commandDisallowed) }
      advertising.sets = []
      return complete(opcode)
    default: break
    }
    let handle = parameters.byte()
    guard let place = advertising.sets.firstIndex(where: { $0.handle == handle }) else {
      return refuse(opcode, .unknownAdvertisingIdentifier)
    }
    switch opcode {
    case .setAdvertisingSetAddress:
      let isOpen = advertising.sets[place].isConnectable || advertising.sets[place].kind == .scannable
      guard !(advertising.sets[place].isOn && isOpen) else {
        return refuse(opcode, .commandDisallowed)
      }
      advertising.sets[place].ownAddress = RadioAddress(bits: parameters.bits(6), isRandom: true)
      complete(opcode)
    case .removeAdvertisingSet:
      guard !advertising.sets[place].isOn else { return refuse(opcode, .commandDisallowed) }
      advertising.sets.remove(at: place)
      complete(opcode)
    default: setData(opcode, place, &parameters)
    }
  }

  private mutating func setParameters(_ opcode: HCIOpcode, _ parameters: inout HCIParameters) {
    let (handle, properties, shortest, longest) = (
      parameters.byte(), parameters.word(), parameters.long(), parameters.long()
    )
    let (channels, ownKind) = (parameters.byte(), parameters.byte())
    let target = RadioAddress(isRandom: parameters.byte(), bits: parameters.bits(6))
    let policy = parameters.byte()
    _ = parameters.byte()
    let (physical, _, secondPhysical) = (parameters.byte(), parameters.byte(), parameters.byte())
    let (number, tellsOfRequests) = (parameters.byte(), parameters.byte())
    guard handle <= 0xEF, channels & 7 != 0, ownKind <= 3, policy <= 3, shortest >= 0x20, shortest <= longest,
      number <= 15, tellsOfRequests <= 1
    else { return refuse(opcode, .invalidParameters) }
    let wanted: HCIAdvertisingForm
    switch HCIAdvertisingForm.reading(properties) {
    case .success(let form): wanted = form
    case .failure(let refusal): return refuse(opcode, refusal.status)
    }
    // On 1M and all three channels, for everybody, and without events for requests of scanners.
    guard physical == 1, channels & 7 == 7, policy == 0, tellsOfRequests == 0,
      wanted.kind != .extended || secondPhysical == 1
    else { return refuse(opcode, .unsupportedFeature) }
    let place: Int
    if let known = advertising.sets.firstIndex(where: { $0.handle == handle }) {
      guard !advertising.sets[known].isOn else { return refuse(opcode, .commandDisallowed) }
      // The data that it has must fit into what it becomes.
      var changed = advertising.sets[known]
      (changed.kind, changed.mode) = (wanted.kind, wanted.mode)
      guard changed.data.count <= changed.roomForData, changed.response.count <= changed.roomForResponse else {
        return refuse(opcode, .invalidParameters)
      }
      place = known
    } else {
      let slots = Set(advertising.sets.map(\.slot))
      guard let slot = (0..<UInt8(HCIAdvertising.setsMaximum)).first(where: { !slots.contains($0) }) else {
        return refuse(opcode, .memoryExceeded)
      }
      place = advertising.sets.count
      advertising.sets.append(HCIAdvertisingSet(handle, slot: slot))
    }
    (advertising.sets[place].kind, advertising.sets[place].mode) = (wanted.kind, wanted.mode)
    (advertising.sets[place].target, advertising.sets[place].number) = (target, number)
    (advertising.sets[place].ownKind, advertising.sets[place].interval) = (
      ownKind, .microseconds(625 * Int64(shortest))
    )
    complete(opcode, [0])
  }

  private mutating func setData(_ opcode: HCIOpcode, _ place: Int, _ parameters: inout HCIParameters) {
    let (operation, _, count) = (parameters.byte(), parameters.byte(), Int(parameters.byte()))
    guard operation <= 4, parameters.leftCount == count else { return refuse(opcode, .invalidParameters) }
    let isResponse = opcode == .setExtendedScanResponseData
    let path: WritableKeyPath<HCIAdvertisingSet, [UInt8]> = isResponse ? \.response : \.data
    let partial: WritableKeyPath<HCIAdvertisingSet, [UInt8]?> = isResponse ? \.partialResponse : \.partialData
    if operation == 4 { return complete(opcode) }
    // 0 and 2 go on with what 1 began; 3 is everything.
    var data = parameters.rest()
    if operation == 0 || operation == 2 {
      guard let before = advertising.sets[place][keyPath: partial] else { return refuse(opcode, .commandDisallowed) }
      data = before + data
    }
    let set = advertising.sets[place]
    guard data.count <= (isResponse ? set.roomForResponse : set.roomForData) else {
      advertising.sets[place][keyPath: partial] = nil
      return refuse(opcode, .invalidParameters)
    }
    let isWhole = operation >= 2
    advertising.sets[place][keyPath: partial] = isWhole ? nil : data
    if isWhole { advertising.sets[place][keyPath: path] = data }
    complete(opcode)
    if isWhole, advertising.sets[place].isOn { begin(place, endsAt: advertising.sets[place].endsAt) }
  }

  private mutating func enable(_ opcode: HCIOpcode, _ parameters: inout HCIParameters, at now: Instant) {
    let (enable, count) = (parameters.byte(), Int(parameters.byte()))
    guard enable <= 1, parameters.leftCount == 4 * count, count > 0 || enable == 0 else {
      return refuse(opcode, .invalidParameters)
    }
    var wanted: [(place: Int, endsAt: Instant)] = []
    for _ in 0..<count {
      let (handle, duration, events) = (parameters.byte(), parameters.word(), parameters.byte())
      guard let place = advertising.sets.firstIndex(where: { $0.handle == handle }) else {
        return refuse(opcode, .unknownAdvertisingIdentifier)
      }
      guard events == 0 else { return refuse(opcode, .unsupportedFeature) }
      guard enable == 0 || address(of: advertising.sets[place]) != nil else {
        return refuse(opcode, .invalidParameters)
      }
      // Who may be asked needs something to say.
      let set = advertising.sets[place]
      guard enable == 0 || !set.isExtended || set.mode != AdvertisingPDU.Mode.scannable || !set.response.isEmpty else {
        return refuse(opcode, .commandDisallowed)
      }
      wanted.append((place, duration == 0 ? .never : now + .milliseconds(10 * Int64(duration))))
    }
    complete(opcode)
    if count == 0 { for place in advertising.sets.indices { stop(place) } }
    for (place, endsAt) in wanted {
      if enable == 1 { begin(place, endsAt: endsAt) } else { stop(place) }
    }
  }

  // MARK: - On the air

  /// The devices that it makes present: addresses from which it advertises or is connected to, each once.
  package var presentDevices: [String] {
    var names: [String] = []
    let addresses =
      advertising.sets.filter(\.isOn).compactMap(\.address) + links.filter { $0.role == .peripheral }.map(\.own)
    for address in addresses where !names.contains(address.deviceName) { names.append(address.deviceName) }
    return names
  }

  private func address(of set: HCIAdvertisingSet) -> RadioAddress? {
    set.ownKind & 1 == 1 ? set.ownAddress ?? randomAddress : publicAddress
  }

  private mutating func begin(_ place: Int, endsAt: Instant) {
    let set = advertising.sets[place]
    guard let address = address(of: set) else { return }
    (advertising.sets[place].isOn, advertising.sets[place].endsAt) = (true, endsAt)
    advertising.sets[place].address = address
    if set.isExtended { return beginExtended(set, address) }
    let answers = set.kind == .connectable || set.kind == .scannable
    want(
      .advertise(
        set: set.slot, every: set.interval,
        pdu: set.kind == .directed
          ? AdvertisingPDU.bytes(.directed, from: address, to: set.target)
          : AdvertisingPDU.bytes(set.kind, from: address, data: set.data),
        response: answers ? AdvertisingPDU.bytes(.scanResponse, from: address, data: set.response) : []))
  }

  private mutating func beginExtended(_ set: HCIAdvertisingSet, _ address: RadioAddress) {
    let isAsked = set.mode == AdvertisingPDU.Mode.scannable
    let said = isAsked ? set.response : set.data
    want(
      .advertise(
        set: set.slot, every: set.interval,
        pdu: AdvertisingPDU.extendedBytes(
          from: address, mode: set.mode, dataInfo: AdvertisingPDU.dataInfo(set: set.number, of: said),
          data: set.data),
        response: isAsked
          ? AdvertisingPDU.extendedBytes(
            from: address, mode: AdvertisingPDU.Mode.neither, dataInfo: nil, data: set.response) : []))
  }

  private mutating func stop(_ place: Int) {
    guard advertising.sets[place].isOn else { return }
    (advertising.sets[place].isOn, advertising.sets[place].endsAt) = (false, .never)
    want(.stopAdvertising(set: advertising.sets[place].slot))
  }

  mutating func endSetsByTime(at now: Instant) {
    for place in advertising.sets.indices where advertising.sets[place].endsAt <= now {
      stop(place)
      tell(
        HCIEvent.le(
          HCIEvent.advertisingSetTerminated,
          [HCIStatus.advertisingTimeout.rawValue, advertising.sets[place].handle, 0, 0, 0]))
    }
  }

  /// A central connected to this address: the set has ended, and a host with extended advertising is told which.
  mutating func setWasConnected(_ address: RadioAddress, handle: UInt16) {
    guard
      let place = advertising.sets.firstIndex(where: { set in
        set.isOn && set.address == address && set.isConnectable
      })
    else { return }
    (advertising.sets[place].isOn, advertising.sets[place].endsAt) = (false, .never)
    guard isExtended == true else { return }
    tell(
      HCIEvent.le(
        HCIEvent.advertisingSetTerminated,
        [HCIStatus.success.rawValue, advertising.sets[place].handle, UInt8(handle & 0xFF), UInt8(handle >> 8), 0]))
  }
}

/// What the properties of a set ask for.
struct HCIAdvertisingForm {
  var kind: AdvertisingPDU.Kind
  /// Of extended packets: a number of `AdvertisingPDU.Mode`.
  var mode: UInt8 = 0

  struct Refusal: Error { let status: HCIStatus }

  static func reading(_ properties: UInt16) -> Result<HCIAdvertisingForm, Refusal> {
    // Packets as they were before extended advertising.
    let kinds: [UInt16: AdvertisingPDU.Kind] = [
      0x13: .connectable, 0x15: .directed, 0x1D: .directed, 0x12: .scannable, 0x10: .nonconnectable,
    ]
    if properties & 0x10 != 0 {
      return kinds[properties & 0x7F].map { .success(HCIAdvertisingForm(kind: $0)) }
        ?? .failure(Refusal(status: .unsupportedFeature))
    }
    // Connectable and scannable at once, or high duty: the standard has no such extended packets.
    if properties & 3 == 3 || properties & 8 != 0 { return .failure(Refusal(status: .invalidParameters)) }
    // For one central alone, without an address, with the power, or what later versions have.
    guard properties & ~3 == 0 else { return .failure(Refusal(status: .unsupportedFeature)) }
    return .success(HCIAdvertisingForm(kind: .extended, mode: UInt8(properties)))
  }
}

extension RadioAddress {
  /// As commands have it: 1 and 3 are random.
  init(isRandom kind: UInt8, bits: UInt64) { self.init(bits: bits, isRandom: kind & 1 == 1) }
}
