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
    /// 0: neither, 1: connectable, 2: scannable.
    public var mode: UInt8
    /// Bits 0 ... 11 name the data, bits 12 ... 15 the advertising set.
    public var dataInfo: UInt16?
    /// Whether it points to another packet with more.
    public var hasPointer: Bool
    /// In dBm.
    public var transmitPower: Int8?
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
    case .extended: `extension`?.mode == 1
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
      var found = Extension(mode: bytes[2] &>> 6, dataInfo: nil, hasPointer: false, transmitPower: nil)
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
        found.hasPointer = try field(16, 3) != nil
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

extension AdvertisingPDU {
  /// The bytes of a PDU of one of the legacy kinds: header, addresses, and at most 31 bytes of data. A request to connect
  /// has 22 bytes of data, a directed advertisement and a request to scan have none.
  public static func bytes(
    _ kind: Kind, from sender: RadioAddress, to target: RadioAddress? = nil, data: [UInt8] = [],
    hasChannelSelection2: Bool = false
  ) -> [UInt8] {
    var payload = sender.littleEndian
    if let target { payload += target.littleEndian }
    payload += data
    precondition(
      kind != .extended && lengths(of: kind).contains(payload.count), "\(kind.name) of \(payload.count) bytes")
    let header =
      kind.rawValue | (hasChannelSelection2 ? 0x20 : 0) | (sender.isRandom ? 0x40 : 0)
      | (target?.isRandom == true ? 0x80 : 0)
    return [header, UInt8(payload.count)] + payload
  }

  /// The bytes of an extended advertisement that holds all it says: address, set, power, and at most 229 bytes of data.
  public static func extendedBytes(
    from sender: RadioAddress, mode: UInt8, dataInfo: UInt16, transmitPower: Int8? = nil, data: [UInt8]
  ) -> [UInt8] {
    var fields = [UInt8(1 | 8 | (transmitPower == nil ? 0 : 64))] + sender.littleEndian
    fields += [UInt8](littleEndian: UInt64(dataInfo), count: 2)
    if let transmitPower { fields.append(UInt8(bitPattern: transmitPower)) }
    let payload = [mode &<< 6 | UInt8(fields.count)] + fields + data
    precondition(mode < 4 && payload.count <= 255, "an extended advertisement of \(payload.count) bytes")
    return [Kind.extended.rawValue | (sender.isRandom ? 0x40 : 0), UInt8(payload.count)] + payload
  }
}

extension RadioAddress {
  /// The six bytes as they stand on the air, lowest first.
  public var littleEndian: [UInt8] { [UInt8](littleEndian: bits, count: 6) }
}
