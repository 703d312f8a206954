public import RollcallPrimitives

/// The bytes of commands that a host sends to its controller, each packet with its kind before it (H4).
///
/// Addresses of the host itself are its random address, or its public one. Times are rounded down to the units of the
/// standard and kept inside its bounds.
public enum HCICommand {
  /// A command of at most 255 bytes of parameters.
  public static func bytes(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) -> [UInt8] {
    precondition(parameters.count <= 255, "a command of \(parameters.count) bytes")
    return [HCIPacket.Kind.command.rawValue] + little(opcode.rawValue) + [UInt8(parameters.count)] + parameters
  }

  /// Which events the host wants: bit 0 is event 1.
  public static func mask(_ events: [UInt8]) -> [UInt8] {
    [UInt8](littleEndian: events.reduce(0) { $0 | 1 << UInt64($1 - 1) }, count: 8)
  }

  public static func longestData(bytes: UInt16, microseconds: UInt16) -> [UInt8] {
    little(bytes) + little(microseconds)
  }

  // MARK: - Scanning, on 1M alone

  public static func scanParameters(
    window: Interval, interval: Interval, isActive: Bool, isRandom: Bool
  ) -> [UInt8] {
    let units = units(interval, of: 625_000, in: 4...0xFFFF)
    return [isRandom ? 1 : 0, 0, 1, isActive ? 1 : 0] + little(UInt16(units))
      + little(UInt16(min(units, Self.units(window, of: 625_000, in: 4...0xFFFF))))
  }

  /// Everything that is heard, again and again, without an end.
  public static func scanEnable(_ isOn: Bool) -> [UInt8] { [isOn ? 1 : 0, 0, 0, 0, 0, 0] }

  // MARK: - Advertising, with packets as they were before extended advertising

  /// - Returns: `nil` for a kind that is no advertisement, or an extended one.
  public static func advertisingParameters(
    _ handle: UInt8, _ kind: AdvertisingPDU.Kind, every interval: Interval, isRandom: Bool, to target: RadioAddress?
  ) -> [UInt8]? {
    let properties: [AdvertisingPDU.Kind: UInt16] = [
      .connectable: 0x13, .directed: 0x15, .scannable: 0x12, .nonconnectable: 0x10,
    ]
    guard let properties = properties[kind] else { return nil }
    let every = [UInt8](littleEndian: UInt64(units(interval, of: 625_000, in: 0x20...0xFF_FFFF)), count: 3)
    let peer = [target?.isRandom == true ? 1 : 0] + (target?.littleEndian ?? [0, 0, 0, 0, 0, 0])
    // All three channels, to everybody, at a power of the controller's choice, on 1M.
    return [handle] + little(properties) + every + every + [7, isRandom ? 1 : 0] + peer + [0, 0x7F, 1, 0, 1, 0, 0]
  }

  /// Of a set: all of its advertising data or of its scan response, at most 31 bytes.
  public static func advertisingData(_ handle: UInt8, _ data: [UInt8]) -> [UInt8] {
    [handle, 3, 1, UInt8(data.count)] + data
  }

  public static func advertisingEnable(_ isOn: Bool, _ handle: UInt8) -> [UInt8] {
    [isOn ? 1 : 0, 1, handle, 0, 0, 0]
  }

  // MARK: - Connections, on 1M alone

  public static func address(_ address: RadioAddress) -> [UInt8] { [address.isRandom ? 1 : 0] + address.littleEndian }

  /// Waits for any address of the accept list.
  public static func connect(_ parameters: LinkParameters, isRandom: Bool) -> [UInt8] {
    // It listens all the time, and sends for as long as there is something to send.
    [1, isRandom ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x60, 0, 0x60, 0] + bytes(parameters)
  }

  /// Other parameters for a connection that stands.
  public static func update(_ handle: UInt16, _ parameters: LinkParameters) -> [UInt8] {
    little(handle) + bytes(parameters)
  }

  private static func bytes(_ parameters: LinkParameters) -> [UInt8] {
    let interval = little(UInt16(units(parameters.interval, of: 1_250_000, in: 6...3_200)))
    let timeout = little(UInt16(units(parameters.timeout, of: 10_000_000, in: 10...3_200)))
    return interval + interval + little(parameters.latency) + timeout + [0, 0, 0, 0]
  }

  public static func handle(_ handle: UInt16) -> [UInt8] { little(handle) }

  public static func disconnect(_ handle: UInt16) -> [UInt8] {
    little(handle) + [HCIStatus.remoteUserTerminated.rawValue]
  }

  /// A frame for a connection, in as many packets as are needed.
  public static func data(_ handle: UInt16, _ frame: [UInt8], packetBytesMaximum: Int) -> [[UInt8]] {
    precondition(packetBytesMaximum > 0, "packets without data")
    var packets: [[UInt8]] = []
    var offset = 0
    repeat {
      let part = frame[offset..<min(frame.count, offset + packetBytesMaximum)]
      // The first part of a frame is marked 0 on its way to a controller, all others 1.
      let flags: UInt16 = offset == 0 ? 0 : 0x1000
      packets.append([HCIPacket.Kind.data.rawValue] + little(handle | flags) + little(UInt16(part.count)) + part)
      offset += part.count
    } while offset < frame.count
    return packets
  }

  private static func little(_ value: UInt16) -> [UInt8] { [UInt8](littleEndian: UInt64(value), count: 2) }

  private static func units(_ time: Interval, of nanoseconds: Int64, in range: ClosedRange<Int64>) -> Int64 {
    min(range.upperBound, max(range.lowerBound, time.nanoseconds / nanoseconds))
  }
}
