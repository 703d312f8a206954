public import RollcallPrimitives

/// A PDU of the advertising channels, decoded: header and addresses; its data stays where it is.
public struct AdvertisingPDU: Hashable, Sendable {
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// Connectable and scannable, to everybody.
    case connectable = 0
    /// Connectable, to one central.
    case directed = 1
    case nonconnectable = 2
    case scanRequest = 3
    case scanResponse = 4
    case connectRequest = 5
    case scannable = 6
    /// ADV_EXT_IND, and all that it leads to on other channels.
    case extended = 7
    case connectResponse = 8

    /// As the standard spells it.
    public var name: String {
      switch self {
      case .connectable: "ADV_IND"
      case .directed: "ADV_DIRECT_IND"
      case .nonconnectable: "ADV_NONCONN_IND"
      case .scanRequest: "SCAN_REQ"
      case .scanResponse: "SCAN_RSP"
      case .connectRequest: "CONNECT_IND"
      case .scannable: "ADV_SCAN_IND"
      case .extended: "ADV_EXT_IND"
      case .connectResponse: "AUX_CONNECT_RSP"
      }
    }
  }

  /// What the common header of an extended advertisement has beside addresses.
  @frozen public struct Extension: Hashable, Sendable, BitwiseCopyable {
    /// A number of `Mode`, or the reserved one.
    public var mode: UInt8
    /// Bits 0 ... 11 name the data, bits 12 ... 15 the advertising set.
    public var dataInfo: UInt16?
    /// Where another packet with more is.
    public var pointer: Pointer?
    /// In dBm.
    public var transmitPower: Int8?

    @inlinable public var hasPointer: Bool { pointer != nil }
  }

  /// What a radio that hears an extended advertisement can do beside that.
  public enum Mode {
    public static let neither: UInt8 = 0
    /// Ask for a connection.
    public static let connectable: UInt8 = 1
    /// Ask for more data.
    public static let scannable: UInt8 = 2
  }

  /// AuxPtr: when and where the packet is sent that an extended advertisement leads to (from memory of the Core
  /// specification, 6.B.2.3.4.5).
  @frozen public struct Pointer: Hashable, Sendable, BitwiseCopyable {
    /// 0 ... 36; more in a packet that is wrong.
    public var channel: UInt8
    /// From the start of this packet to that of the other one, which begins within one unit from there: a multiple of
    /// 30 us, or of 300 us from 245.7 ms on; at most 2.4573 s.
    public var offset: Interval
    /// 0: 1M, 1: 2M, 2: coded; more means nothing.
    public var physical: UInt8
    @inlinable public init(channel: UInt8, offset: Interval, physical: UInt8 = 0) {
      (self.channel, self.offset, self.physical) = (channel, offset, physical)
    }
  }

  public static let headerBytes = 2
  /// Of the payload of a legacy advertisement: an address, and 31 bytes of data.
  public static let legacyPayloadBytesMaximum = 37

  public var kind: Kind
  /// Of who sends: an advertiser, or who asks it; `nil`: an extended advertisement without it.
  public var sender: RadioAddress?
  /// Whom it is sent to; `nil`: everybody.
  public var target: RadioAddress?
  /// Whether the sender knows the second way to choose channels.
  public var hasChannelSelection2: Bool
  /// Where its data stands, from the first byte of the header: advertising data, or the fields of CONNECT_IND.
  public var data: Range<Int>
  public var `extension`: Extension?

  /// Bytes of header and payload.
  @inlinable public var byteCount: Int { data.upperBound }

  /// Whether the device behind it can be connected to now.
  public var isConnectable: Bool {
    switch kind {
    case .connectable, .directed: true
    case .extended: `extension`?.mode == Mode.connectable
    default: false
    }
  }

  /// Whether a peripheral speaks of itself in it.
  public var isAdvertisement: Bool {
    switch kind {
    case .connectable, .directed, .nonconnectable, .scannable, .scanResponse, .extended: true
    case .scanRequest, .connectRequest, .connectResponse: false
    }
  }

  /// As the standard spells it, of a packet on this channel; `nil`: one of 37 ... 39.
  public func name(onChannel channel: UInt8?) -> String {
    guard let channel, channel < 37 else { return kind.name }
    switch kind {
    case .extended: return isAuxiliaryResponse(onChannel: channel) ? "AUX_SCAN_RSP" : "AUX_ADV_IND"
    case .scanRequest: return "AUX_SCAN_REQ"
    case .connectRequest: return "AUX_CONNECT_REQ"
    default: return kind.name
    }
  }

  /// Whether it answers a scanner, as an extended advertisement. Its form is that of AUX_ADV_IND: it is known by the
  /// numbers of the set and of the data, which AUX_ADV_IND has and the answers of this package have not.
  /// - Parameter channel: `nil`: not known, as of a packet that a controller reports.
  public func isAuxiliaryResponse(onChannel channel: UInt8?) -> Bool {
    if let channel, channel >= 37 { return false }
    guard kind == .extended else { return false }
    return sender != nil && target == nil && `extension`?.dataInfo == nil
  }

  /// Reads the PDU at the start of `bytes`: header and payload, whatever stands behind them.
  public init(_ bytes: UnsafeRawBufferPointer) throws(RadioFault) {
    guard bytes.count >= AdvertisingPDU.headerBytes else { throw RadioFault(.tooShort, at: bytes.count) }
    guard let kind = Kind(rawValue: bytes[0] & 15) else { throw RadioFault(.unknownKind, at: 0) }
    let length = Int(bytes[1])
    guard AdvertisingPDU.lengths(of: kind).contains(length) else { throw RadioFault(.badLength, at: 1) }
    guard bytes.count >= 2 + length else { throw RadioFault(.cut, at: bytes.count) }
    self.kind = kind
    hasChannelSelection2 = bytes[0] & 0x20 != 0
    let (isRandomSender, isRandomTarget) = (bytes[0] & 0x40 != 0, bytes[0] & 0x80 != 0)
    (sender, target, `extension`) = (nil, nil, nil)
    data = 2..<2 + length
    func address(_ offset: Int, _ isRandom: Bool) -> RadioAddress {
      RadioAddress(bits: bytes.littleEndian(offset, count: 6), isRandom: isRandom)
    }
    switch kind {
    case .connectable, .nonconnectable, .scannable, .scanResponse:
      sender = address(2, isRandomSender)
      data = 8..<2 + length
    case .directed, .scanRequest, .connectRequest:
      sender = address(2, isRandomSender)
      target = address(8, isRandomTarget)
      data = 14..<2 + length
    case .extended, .connectResponse:
      let headerBytes = Int(bytes[2] & 0x3F)
      let end = 3 + headerBytes
      guard end <= 2 + length else { throw RadioFault(.badHeader, at: 2) }
      data = end..<2 + length
      var found = Extension(mode: bytes[2] &>> 6, dataInfo: nil, pointer: nil, transmitPower: nil)
      // A header without a byte has no flags either.
      if headerBytes > 0 {
        let flags = bytes[3]
        var offset = 4
        /// Where a field of so many bytes stands, if the flags say that it is there.
        func field(_ bit: UInt8, _ count: Int) throws(RadioFault) -> Int? {
          guard flags & bit != 0 else { return nil }
          guard offset + count <= end else { throw RadioFault(.badHeader, at: offset) }
          defer { offset += count }
          return offset
        }
        if let place = try field(1, 6) { sender = address(place, isRandomSender) }
        if let place = try field(2, 6) { target = address(place, isRandomTarget) }
        _ = try field(4, 1)
        if let place = try field(8, 2) { found.dataInfo = bytes.little16(place) }
        if let place = try field(16, 3) { found.pointer = Pointer(bytes.littleEndian(place, count: 3)) }
        _ = try field(32, 18)
        if let place = try field(64, 1) { found.transmitPower = Int8(bitPattern: bytes[place]) }
      }
      `extension` = found
    }
  }

  /// Payload bytes that a kind can have.
  static func lengths(of kind: Kind) -> ClosedRange<Int> {
    switch kind {
    case .connectable, .nonconnectable, .scannable, .scanResponse: 6...legacyPayloadBytesMaximum
    case .directed, .scanRequest: 12...12
    case .connectRequest: 34...34
    case .extended, .connectResponse: 1...255
    }
  }
}
