/// A packet of Bluetooth LE as capture files hold it: what a receiver said of it, and where its parts stand.
///
/// All kinds of files have the access address, the PDU and three bytes of CRC; what stands before them differs.
public struct AirFrame: Hashable, Sendable {
  /// The access address of all advertising.
  @inlinable public static var advertisingAddress: UInt32 { 0x8E89_BED6 }

  /// What the receiver, or the writer of the file, found of the CRC.
  public enum Check: Hashable, Sendable, BitwiseCopyable { case good, bad, unknown }

  public var accessAddress: UInt32
  /// 0 ... 39 as the standard numbers channels: 37, 38 and 39 are those of advertising; `nil`: not known.
  public var channel: UInt8?
  /// In dBm; `nil`: not known.
  public var strength: Int8?
  public var check: Check
  /// Header and payload, from the first byte of the frame; as many bytes as are there.
  public var pdu: Range<Int>
  /// The three bytes behind the PDU; `nil` where the frame ends before.
  public var crc: UInt32?

  @inlinable public var isAdvertising: Bool { accessAddress == AirFrame.advertisingAddress }

  /// The channel at a frequency of 2402 + 2 × `number` MHz, as radio headers count.
  public static func channel(ofFrequency number: UInt8) -> UInt8? {
    switch number {
    case 0: 37
    case 1...11: number - 1
    case 12: 38
    case 13...38: number - 2
    case 39: 39
    default: nil
    }
  }

  /// A frame that begins with the access address (LINKTYPE 251).
  public init(bare bytes: UnsafeRawBufferPointer) throws(RadioFault) {
    try self.init(bytes, at: 0, isCoded: false)
  }

  /// A frame behind the radio header of ten bytes (LINKTYPE 256); each of its fields counts only where its flag says so.
  public init(behindRadioHeader bytes: UnsafeRawBufferPointer) throws(RadioFault) {
    guard bytes.count >= 10 else { throw RadioFault(.tooShort, at: bytes.count) }
    let flags = bytes.little16(8)
    try self.init(bytes, at: 10, isCoded: flags &>> 14 == 2)
    channel = AirFrame.channel(ofFrequency: bytes[0])
    if flags & 0x0002 != 0 { strength = Int8(bitPattern: bytes[1]) }
    if flags & 0x0400 != 0 { check = flags & 0x0800 != 0 ? .good : .bad }
  }

  /// A frame of the Nordic sniffer (LINKTYPE 272), headers of version 1 to 3; `nil` for what it says beside packets.
  public static func nordic(_ bytes: UnsafeRawBufferPointer) throws(RadioFault) -> AirFrame? {
    guard bytes.count >= 7 else { throw RadioFault(.tooShort, at: bytes.count) }
    let version = bytes[3]
    guard (1...3).contains(version) else { throw RadioFault(.unknownVersion, at: 3) }
    // From version 3 on, packet types 2 and 6 tell advertising channels from connections.
    guard bytes[6] == 6 || version == 3 && bytes[6] == 2 else { return nil }
    guard bytes.count >= 17 else { throw RadioFault(.tooShort, at: bytes.count) }
    guard bytes[7] >= 10 else { throw RadioFault(.badLength, at: 7) }
    let flags = bytes[8]
    var frame = try AirFrame(bytes, at: 7 + Int(bytes[7]), isCoded: version >= 2 && flags &>> 4 & 7 == 2)
    frame.channel = bytes[9] < 40 ? bytes[9] : nil
    // Its magnitude: there is nothing above 0 dBm on the air.
    frame.strength = Int8(clamping: -Int(bytes[10]))
    frame.check = flags & 1 != 0 ? .good : .bad
    return frame
  }

  /// - Parameter isCoded: whether a byte of the coded PHY stands before the PDU.
  private init(_ bytes: UnsafeRawBufferPointer, at start: Int, isCoded: Bool) throws(RadioFault) {
    let first = start + (isCoded ? 5 : 4)
    guard bytes.count >= first + 2 else { throw RadioFault(.tooShort, at: bytes.count) }
    accessAddress = UInt32(bytes.littleEndian(start, count: 4))
    let end = first + 2 + Int(bytes[first + 1])
    pdu = first..<min(end, bytes.count)
    (channel, strength, check, crc) = (nil, nil, .unknown, nil)
    guard end + 3 <= bytes.count else { return }
    let sent = UInt32(bytes.littleEndian(end, count: 3))
    crc = sent
    // Only for advertising does everybody know what the CRC starts from.
    if accessAddress == AirFrame.advertisingAddress {
      let right = LinkCRC.value(of: UnsafeRawBufferPointer(rebasing: bytes[pdu]))
      check = right == sent ? .good : .bad
    }
  }
}

extension AirFrame {
  /// Access address, PDU and CRC: a frame of LINKTYPE 251.
  public static func bytes(pdu: [UInt8], accessAddress: UInt32 = advertisingAddress, crc: UInt32? = nil) -> [UInt8] {
    let crc = crc ?? pdu.withUnsafeBytes { LinkCRC.value(of: $0) }
    return [UInt8](littleEndian: UInt64(accessAddress), count: 4) + pdu + [UInt8](littleEndian: UInt64(crc), count: 3)
  }

  /// The same of a packet of a connection.
  /// - Parameter crcStart: what CONNECT_IND said.
  public static func bytes(
    pdu: [UInt8], channel: UInt8, accessAddress: UInt32, crcStart: UInt32, isFromCentral: Bool
  ) -> [UInt8] {
    // A data packet of this direction.
    let direction: UInt16 = (isFromCentral ? 2 : 3) << 7
    return header(channel, strength: 0, flags: direction, accessAddress)
      + bytes(
        pdu: pdu, accessAddress: accessAddress,
        crc: pdu.withUnsafeBytes { LinkCRC.value(of: $0, start: crcStart) })
  }

  /// - Parameter flags: beside those of a packet that is dewhitened, with a reference address and a CRC that is right.
  private static func header(
    _ channel: UInt8, strength: Int8, flags: UInt16, _ accessAddress: UInt32
  ) -> [UInt8] {
    let flags = flags | 0x0001 | 0x0010 | 0x0400 | 0x0800
    return [frequency(of: channel), UInt8(bitPattern: strength), 0, 0]
      + [UInt8](littleEndian: UInt64(accessAddress), count: 4) + [UInt8](littleEndian: UInt64(flags), count: 2)
  }

  /// What the radio header says of a packet of advertising on a data channel: that it is one, and whether it is
  /// AUX_SCAN_RSP.
  private static func auxiliaryFlags(_ pdu: [UInt8], _ channel: UInt8) -> UInt16 {
    guard channel < 37 else { return 0 }
    let isResponse = pdu.withUnsafeBytes { bytes in
      (try? AdvertisingPDU(bytes))?.isAuxiliaryResponse(onChannel: channel) == true
    }
    return 1 << 7 | (isResponse ? 3 << 12 : 0)
  }

  private static func frequency(of channel: UInt8) -> UInt8 {
    switch channel {
    case 37: 0
    case 38: 12
    case 39: 39
    default: channel < 11 ? channel + 1 : channel + 2
    }
  }

  /// The same behind a radio header that says channel, strength and that the CRC is right: a frame of LINKTYPE 256.
  /// - Parameter strength: `nil`: not known.
  public static func bytes(pdu: [UInt8], channel: UInt8, strength: Int8?) -> [UInt8] {
    header(
      channel, strength: strength ?? 0, flags: (strength == nil ? 0 : 0x0002) | auxiliaryFlags(pdu, channel),
      advertisingAddress)
      + bytes(pdu: pdu)
  }
}
