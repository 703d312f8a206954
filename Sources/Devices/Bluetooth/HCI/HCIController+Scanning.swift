import RollcallPrimitives
import RollcallWire

/// What a host asked its controller to listen for.
struct HCIScanning: Sendable {
  var window = Interval.milliseconds(10)
  var interval = Interval.milliseconds(10)
  var isActive = false
  var usesAcceptList = false
  var ownKind: UInt8 = 0
  var isOn = false
  var filtersDuplicates = false
  var endsAt = Instant.never
  /// Kinds of what was reported already.
  var reported: Set<Seen> = []
  /// What the last advertisement of an address was, for its scan response.
  var kinds: [RadioAddress: AdvertisingPDU.Kind] = [:]
  /// Set and data of the last extended advertisement of an address, for its scan response.
  var dataInfos: [RadioAddress: UInt16] = [:]

  struct Seen: Hashable {
    let address: RadioAddress
    let isResponse: Bool
    /// Of an extended advertisement: its set and its data, other data being no duplicate.
    var dataInfo: UInt16?
  }
  /// Of each of the two; a controller has little room, and forgets all of them when there is none left.
  static let addressesMaximum = 4_096
}

extension HCIController {
  mutating func scan(_ opcode: HCIOpcode, _ parameters: inout HCIParameters, at now: Instant) {
    switch opcode {
    case .setScanParameters:
      guard !scanning.isOn else { return refuse(opcode, .commandDisallowed) }
      let isActive = parameters.byte()
      let (interval, window) = (parameters.word(), parameters.word())
      setScan(opcode, isActive, interval, window, ownKind: parameters.byte(), policy: parameters.byte())
    case .setExtendedScanParameters:
      guard !scanning.isOn else { return refuse(opcode, .commandDisallowed) }
      let (ownKind, policy, physical) = (parameters.byte(), parameters.byte(), parameters.byte())
      // 1M alone; five bytes for each.
      guard physical == 1 else { return refuse(opcode, physical & 1 == 1 ? .unsupportedFeature : .invalidParameters) }
      guard parameters.leftCount == 5 else { return refuse(opcode, .invalidParameters) }
      let isActive = parameters.byte()
      let (interval, window) = (parameters.word(), parameters.word())
      setScan(opcode, isActive, interval, window, ownKind: ownKind, policy: policy)
    case .setScanEnable:
      enableScan(opcode, parameters.byte(), filters: parameters.byte(), endsAt: .never)
    default:
      let (enable, filters, duration, period) = (
        parameters.byte(), parameters.byte(), parameters.word(), parameters.word()
      )
      // Neither again and again by itself, nor with duplicates once each time.
      guard period == 0, filters < 2 else { return refuse(opcode, .unsupportedFeature) }
      enableScan(
        opcode, enable, filters: filters,
        endsAt: duration == 0 ? .never : now + .milliseconds(10 * Int64(duration)))
    }
  }

  private mutating func setScan(
    _ opcode: HCIOpcode, _ isActive: UInt8, _ interval: UInt16, _ window: UInt16, ownKind: UInt8, policy: UInt8
  ) {
    guard isActive <= 1, interval >= 4, window >= 4, window <= interval, ownKind <= 3, policy <= 3,
      interval <= 0x4000 || opcode == .setExtendedScanParameters
    else { return refuse(opcode, .invalidParameters) }
    func time(_ units: UInt16) -> Interval { .microseconds(625 * Int64(units)) }
    (scanning.window, scanning.interval) = (time(window), time(interval))
    (scanning.isActive, scanning.ownKind, scanning.usesAcceptList) = (isActive == 1, ownKind, policy & 1 == 1)
    complete(opcode)
  }

  private mutating func enableScan(_ opcode: HCIOpcode, _ enable: UInt8, filters: UInt8, endsAt: Instant) {
    guard enable <= 1, filters <= 1 else { return refuse(opcode, .invalidParameters) }
    guard enable == 1 else {
      complete(opcode)
      if scanning.isOn { stopScan() }
      return
    }
    guard let own = address(ofKind: scanning.ownKind) else { return refuse(opcode, .invalidParameters) }
    scanning.isOn = true
    scanning.filtersDuplicates = filters == 1
    (scanning.reported, scanning.kinds, scanning.dataInfos, scanning.endsAt) = ([], [:], [:], endsAt)
    complete(opcode)
    want(.setAddress(own))
    want(.scan(window: scanning.window, interval: scanning.interval, isActive: scanning.isActive))
  }

  private mutating func stopScan() {
    scanning.isOn = false
    (scanning.reported, scanning.kinds, scanning.dataInfos, scanning.endsAt) = ([], [:], [:], .never)
    want(.stopScan)
  }

  mutating func endScanByTime() {
    stopScan()
    tell(HCIEvent.le(HCIEvent.scanTimeout, []))
  }

  /// Something was heard: the host is told, once or each time.
  mutating func report(_ packet: RadioPDU) {
    guard scanning.isOn,
      let pdu = packet.bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }), pdu.isAdvertisement,
      let sender = pdu.sender, pdu.byteCount == packet.bytes.count
    else { return }
    if let target = pdu.target, target != address(ofKind: scanning.ownKind) { return }
    if scanning.usesAcceptList, !acceptList.contains(sender) { return }
    if pdu.kind == .extended { return reportExtended(packet, pdu, sender) }
    let isResponse = pdu.kind == .scanResponse
    if !isResponse {
      if scanning.kinds.count >= HCIScanning.addressesMaximum { scanning.kinds = [:] }
      scanning.kinds[sender] = pdu.kind
    }
    if scanning.filtersDuplicates {
      if scanning.reported.count >= HCIScanning.addressesMaximum { scanning.reported = [] }
      guard scanning.reported.insert(HCIScanning.Seen(address: sender, isResponse: isResponse)).inserted else { return }
    }
    var report = AdvertisingReport(
      kind: pdu.kind, isConnectable: pdu.isConnectable, isScanResponse: isResponse, address: sender,
      strength: packet.strength, data: pdu.kind == .directed ? [] : Array(packet.bytes[pdu.data]))
    report.target = pdu.target
    if isExtended == true {
      tell(HCIEvent.extendedReport(report, answering: scanning.kinds[sender]))
    } else if let event = HCIEvent.report(report) {
      tell(event)
    }
  }

  /// A packet of extended advertising, for hosts that know of it. What only leads to another one is not reported.
  private mutating func reportExtended(_ packet: RadioPDU, _ pdu: AdvertisingPDU, _ sender: RadioAddress) {
    guard isExtended == true, let fields = pdu.extension, !(fields.hasPointer && pdu.data.isEmpty) else { return }
    let isResponse = pdu.isAuxiliaryResponse(onChannel: packet.channel)
    if let dataInfo = fields.dataInfo {
      if scanning.dataInfos.count >= HCIScanning.addressesMaximum { scanning.dataInfos = [:] }
      scanning.dataInfos[sender] = dataInfo
    }
    let dataInfo = scanning.dataInfos[sender]
    if scanning.filtersDuplicates {
      if scanning.reported.count >= HCIScanning.addressesMaximum { scanning.reported = [] }
      let seen = HCIScanning.Seen(address: sender, isResponse: isResponse, dataInfo: dataInfo)
      guard scanning.reported.insert(seen).inserted else { return }
    }
    var report = AdvertisingReport(
      kind: nil, isConnectable: pdu.isConnectable, isScanResponse: isResponse, address: sender,
      strength: packet.strength, data: [])
    report.isScannable = fields.mode == AdvertisingPDU.Mode.scannable || isResponse
    report.target = pdu.target
    report.setNumber = dataInfo.map { UInt8($0 &>> 12) }
    let data = Array(packet.bytes[pdu.data])
    var offset = 0
    repeat {
      let end = min(data.count, offset + AdvertisingPDU.extendedDataBytesMaximum)
      report.data = Array(data[offset..<end])
      offset = end
      let whole: HCIEvent.DataStatus = fields.hasPointer ? .truncated : .complete
      tell(HCIEvent.extendedReport(report, offset < data.count ? .moreToCome : whole))
    } while offset < data.count
  }
}
