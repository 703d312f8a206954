public import RollcallPrimitives

/// The bytes of what a controller tells its host, each packet with its kind before it (H4).
public enum HCIEvent {
  public static let disconnectionCompleteCode: UInt8 = 0x05
  public static let remoteVersionCode: UInt8 = 0x0C
  public static let commandCompleteCode: UInt8 = 0x0E
  public static let commandStatusCode: UInt8 = 0x0F
  public static let completedPacketsCode: UInt8 = 0x13
  public static let leMetaCode: UInt8 = 0x3E

  /// Subevents of LE Meta.
  public static let connectionComplete: UInt8 = 0x01
  public static let advertisingReport: UInt8 = 0x02
  public static let connectionUpdateComplete: UInt8 = 0x03
  public static let remoteFeatures: UInt8 = 0x04
  public static let dataLengthChange: UInt8 = 0x07
  public static let extendedAdvertisingReport: UInt8 = 0x0D
  public static let scanTimeout: UInt8 = 0x11
  public static let advertisingSetTerminated: UInt8 = 0x12

  /// An event of at most 255 bytes of parameters.
  public static func bytes(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    precondition(parameters.count <= 255, "an event of \(parameters.count) bytes")
    return [HCIPacket.Kind.event.rawValue, code, UInt8(parameters.count)] + parameters
  }

  /// The host may send one more command, always.
  public static func commandComplete(_ opcode: HCIOpcode, _ results: [UInt8]) -> [UInt8] {
    bytes(commandCompleteCode, [1] + little(opcode.rawValue) + results)
  }

  public static func commandStatus(_ opcode: HCIOpcode, _ status: HCIStatus) -> [UInt8] {
    bytes(commandStatusCode, [status.rawValue, 1] + little(opcode.rawValue))
  }

  public static func disconnectionComplete(_ handle: UInt16, _ reason: HCIStatus) -> [UInt8] {
    bytes(disconnectionCompleteCode, [0] + little(handle) + [reason.rawValue])
  }

  public static func completedPackets(_ handle: UInt16, _ count: UInt16) -> [UInt8] {
    bytes(completedPacketsCode, [1] + little(handle) + little(count))
  }

  public static func le(_ subevent: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    bytes(leMetaCode, [subevent] + parameters)
  }

  /// - Parameter handle: 0 where there is no connection, for another status than success.
  public static func connectionComplete(
    _ status: HCIStatus, _ handle: UInt16, _ role: LinkRole, peer: RadioAddress, _ parameters: LinkParameters
  ) -> [UInt8] {
    le(
      connectionComplete,
      [status.rawValue] + little(handle) + [role == .central ? 0 : 1, peer.isRandom ? 1 : 0] + peer.littleEndian
        + parameters.littleEndian + [0])
  }

  public static func connectionUpdateComplete(_ handle: UInt16, _ parameters: LinkParameters) -> [UInt8] {
    le(connectionUpdateComplete, [0] + little(handle) + parameters.littleEndian)
  }

  /// One advertisement, as hosts without extended advertising are told of it; `nil`: it cannot be told to them.
  public static func report(_ report: AdvertisingReport) -> [UInt8]? {
    guard let number = report.kind.flatMap({ AdvertisingReport.kinds.firstIndex(of: $0) }), report.data.count <= 31
    else { return nil }
    return le(
      advertisingReport,
      [1, UInt8(number), report.address.isRandom ? 1 : 0] + report.address.littleEndian + [UInt8(report.data.count)]
        + report.data + [strength(report.strength)])
  }

  /// What a controller says of the data in a report.
  public enum DataStatus: UInt16, Sendable {
    case complete = 0
    /// More of it is in the next report.
    case moreToCome = 0x20
    /// The rest of it was not heard.
    case truncated = 0x40
  }

  /// The same for hosts with extended advertising; `advertised`: the kind of what a scan response answers.
  public static func extendedReport(
    _ report: AdvertisingReport, answering advertised: AdvertisingPDU.Kind? = nil, _ status: DataStatus = .complete
  ) -> [UInt8] {
    precondition(
      report.data.count <= AdvertisingPDU.extendedDataBytesMaximum, "a report of \(report.data.count) bytes of data")
    func properties(_ kind: AdvertisingPDU.Kind?) -> UInt16 {
      switch kind {
      case .connectable: 0x13
      case .directed: 0x15
      case .scannable: 0x12
      case .nonconnectable: 0x10
      case .scanResponse: 0x08 | (advertised == .scannable ? 0x12 : 0x13)
      default:
        (report.isConnectable ? 1 : 0) | (report.isScannable ? 2 : 0) | (report.isScanResponse ? 8 : 0)
          | status.rawValue
      }
    }
    let directed: UInt16 = report.target == nil ? 0 : 4
    let target: [UInt8] =
      report.target.map { [$0.isRandom ? 1 : 0] + $0.littleEndian } ?? [UInt8](repeating: 0, count: 7)
    // The PHY is 1M, and none or 1M on a data channel; the power is not told, and it is not periodic.
    let middle: [UInt8] = [
      1, report.kind == nil ? 1 : 0, report.setNumber ?? 0xFF, 127, strength(report.strength), 0, 0,
    ]
    return le(
      extendedAdvertisingReport,
      [1] + little(properties(report.kind) | directed) + [report.address.isRandom ? 1 : 0]
        + report.address.littleEndian + middle + target + [UInt8(report.data.count)] + report.data)
  }

  /// Data of a connection, in as many packets as are needed.
  public static func data(_ handle: UInt16, _ frame: [UInt8], packetBytesMaximum: Int) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var offset = 0
    repeat {
      let part = frame[offset..<min(frame.count, offset + packetBytesMaximum)]
      // The first part of a frame is marked 2 on its way to a host, all others 1.
      let flags: UInt16 = offset == 0 ? 0x2000 : 0x1000
      packets.append(
        [HCIPacket.Kind.data.rawValue] + little(handle | flags) + little(UInt16(part.count)) + part)
      offset += part.count
    } while offset < frame.count
    return packets
  }

  private static func little(_ value: UInt16) -> [UInt8] { [UInt8](littleEndian: UInt64(value), count: 2) }
  private static func strength(_ strength: Int8?) -> UInt8 { UInt8(bitPattern: strength ?? 127) }
}
