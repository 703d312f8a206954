public import RollcallPrimitives

/// What a controller tells its host, as far as a host of Bluetooth LE has to know it.
public enum HCINotice: Hashable, Sendable {
  /// What a command came to: its results begin with a status. `room`: how many more commands the controller takes.
  case completed(HCIOpcode, results: [UInt8], room: UInt8)
  /// A command whose result comes later has begun, or was refused.
  case begun(HCIOpcode, status: UInt8, room: UInt8)
  case connected(Connection)
  /// Parameters that a connection has from now on, or why they are not its own.
  case updated(handle: UInt16, status: UInt8, LinkParameters)
  /// The end of a connection, or why it could not be ended.
  case disconnected(handle: UInt16, status: UInt8, reason: UInt8)
  /// So many packets of data have left the controller, of each of these connections.
  case sent([Sent])
  case heard([AdvertisingReport])
  /// Any other event.
  case other

  public struct Connection: Hashable, Sendable {
    public var status: UInt8
    public var handle: UInt16
    public var role: LinkRole
    public var peer: RadioAddress
    public var parameters: LinkParameters
  }

  public struct Sent: Hashable, Sendable {
    public var handle: UInt16
    public var count: UInt16
  }

  /// Reads the parameters of the event with this code.
  /// - Throws: where they end too early or have no meaning; the offset counts from the first byte of the parameters.
  public init(event code: UInt16, _ bytes: UnsafeRawBufferPointer) throws(RadioFault) {
    func need(_ count: Int) throws(RadioFault) {
      guard bytes.count >= count else { throw RadioFault(.cut, at: bytes.count) }
    }
    switch UInt8(truncatingIfNeeded: code) {
    case HCIEvent.commandCompleteCode:
      try need(3)
      self = .completed(HCIOpcode(rawValue: bytes.little16(1)), results: Array(bytes[3...]), room: bytes[0])
    case HCIEvent.commandStatusCode:
      try need(4)
      self = .begun(HCIOpcode(rawValue: bytes.little16(2)), status: bytes[0], room: bytes[1])
    case HCIEvent.disconnectionCompleteCode:
      try need(4)
      self = .disconnected(handle: bytes.little16(1) & 0x0FFF, status: bytes[0], reason: bytes[3])
    case HCIEvent.completedPacketsCode:
      try need(1)
      try need(1 + 4 * Int(bytes[0]))
      self = .sent(
        (0..<Int(bytes[0])).map {
          Sent(handle: bytes.little16(1 + 4 * $0) & 0x0FFF, count: bytes.little16(3 + 4 * $0))
        })
    case HCIEvent.leMetaCode:
      try need(1)
      func parameters(_ offset: Int) -> LinkParameters {
        LinkParameters(
          intervalUnits: bytes.little16(offset), latency: bytes.little16(offset + 2),
          timeoutUnits: bytes.little16(offset + 4))
      }
      if bytes[0] == HCIEvent.connectionUpdateComplete {
        try need(10)
        self = .updated(handle: bytes.little16(2) & 0x0FFF, status: bytes[1], parameters(4))
        return
      }
      guard bytes[0] == HCIEvent.connectionComplete else {
        let isReport = bytes[0] == HCIEvent.advertisingReport || bytes[0] == HCIEvent.extendedAdvertisingReport
        self = isReport ? .heard(try AdvertisingReport.reports(ofEvent: code, bytes)) : .other
        return
      }
      try need(19)
      guard bytes[4] <= 1 else { throw RadioFault(.unknownKind, at: 4) }
      self = .connected(
        Connection(
          status: bytes[1], handle: bytes.little16(2) & 0x0FFF, role: bytes[4] == 0 ? .central : .peripheral,
          peer: RadioAddress(bits: bytes.littleEndian(6, count: 6), isRandom: bytes[5] & 1 == 1),
          parameters: parameters(12)))
    default: self = .other
    }
  }
}
