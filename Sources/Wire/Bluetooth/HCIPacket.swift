public import RollcallPrimitives

/// A packet between a host and a Bluetooth controller, as far as it tells what the controller heard.
public struct HCIPacket: Hashable, Sendable {
  /// The byte before a packet on a serial line (H4).
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case command = 1
    case data = 2
    case voice = 3
    case event = 4
    case isochronous = 5

    /// Bytes of the header behind the kind.
    var headerBytes: Int {
      switch self {
      case .event: 2
      case .command, .voice: 3
      case .data, .isochronous: 4
      }
    }

    /// Bytes behind a header that is whole, as it says.
    func contentCount(_ bytes: UnsafeRawBufferPointer) -> Int {
      switch self {
      case .event: Int(bytes[1])
      case .command, .voice: Int(bytes[2])
      case .data: Int(bytes.little16(2))
      case .isochronous: Int(bytes.little16(2) & 0x3FFF)
      }
    }
  }

  public var kind: Kind
  /// Opcode of a command, code of an event, else the connection handle with its flags.
  public var code: UInt16
  /// Where the parameters or the data stand, from the first byte behind the kind.
  public var content: Range<Int>

  /// Reads a packet with its kind before it.
  public static func reading(h4 bytes: UnsafeRawBufferPointer) throws(RadioFault) -> HCIPacket {
    guard let first = bytes.first else { throw RadioFault(.tooShort, at: 0) }
    guard let kind = Kind(rawValue: first) else { throw RadioFault(.unknownKind, at: 0) }
    do throws(RadioFault) {
      return try HCIPacket(kind, UnsafeRawBufferPointer(rebasing: bytes[1...]))
    } catch {
      throw RadioFault(error.reason, at: error.offset + 1)
    }
  }

  /// Reads a packet whose kind the file tells.
  public init(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) throws(RadioFault) {
    self.kind = kind
    let headerBytes = kind.headerBytes
    guard bytes.count >= headerBytes else { throw RadioFault(.tooShort, at: bytes.count) }
    code = kind == .event ? UInt16(bytes[0]) : bytes.little16(0)
    content = headerBytes..<headerBytes + kind.contentCount(bytes)
    guard content.upperBound <= bytes.count else { throw RadioFault(.cut, at: bytes.count) }
  }
}

/// One advertisement as a controller reports it to its host: a packet whose CRC was right.
public struct AdvertisingReport: Hashable, Sendable {
  /// `nil`: of an extended advertisement, which has properties of its own.
  public var kind: AdvertisingPDU.Kind?
  public var isConnectable: Bool
  public var isScanResponse: Bool
  /// Of an extended advertisement: whether a scanner may ask for more; of the answer to that too.
  public var isScannable = false
  /// Whom it is sent to; `nil`: everybody. What is read does not say it.
  public var target: RadioAddress?
  /// Of an extended advertisement: the number of its set, 0 ... 15; `nil`: not known. What is read does not say it.
  public var setNumber: UInt8?
  public var address: RadioAddress
  /// In dBm; `nil`: the controller could not tell (127).
  public var strength: Int8?
  public var data: [UInt8]

  public init(
    kind: AdvertisingPDU.Kind?, isConnectable: Bool, isScanResponse: Bool, address: RadioAddress, strength: Int8?,
    data: [UInt8]
  ) {
    (self.kind, self.isConnectable, self.isScanResponse) = (kind, isConnectable, isScanResponse)
    (self.address, self.strength, self.data) = (address, strength, data)
  }

  public static let leMetaEvent: UInt16 = 0x3E
  private static let legacySubevent: UInt8 = 0x02
  private static let extendedSubevent: UInt8 = 0x0D

  /// The reports of an event's parameters; none for another event. An extended advertisement without an address is left
  /// out: nobody can tell whose it is.
  public static func reports(ofEvent code: UInt16, _ bytes: UnsafeRawBufferPointer) throws(RadioFault)
    -> [AdvertisingReport]
  {
    guard code == leMetaEvent, let subevent = bytes.first else { return [] }
    guard subevent == legacySubevent || subevent == extendedSubevent else { return [] }
    guard bytes.count >= 2 else { throw RadioFault(.tooShort, at: bytes.count) }
    var reports: [AdvertisingReport] = []
    var offset = 2
    for _ in 0..<bytes[1] {
      let report: AdvertisingReport? =
        subevent == legacySubevent ? try legacy(bytes, &offset) : try extended(bytes, &offset)
      if let report { reports.append(report) }
    }
    return reports
  }

  private static func address(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> RadioAddress {
    // 0 and 2 are public addresses, 1 and 3 random ones; 2 and 3 were resolved by the controller.
    RadioAddress(bits: bytes.littleEndian(offset + 1, count: 6), isRandom: bytes[offset] & 1 == 1)
  }

  private static func strength(_ byte: UInt8) -> Int8? { byte == 127 ? nil : Int8(bitPattern: byte) }

  /// The kinds of a legacy report, by their number in it.
  static let kinds: [AdvertisingPDU.Kind] = [.connectable, .directed, .scannable, .nonconnectable, .scanResponse]

  private static func legacy(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws(RadioFault)
    -> AdvertisingReport
  {
    guard bytes.count >= offset + 9 else { throw RadioFault(.cut, at: bytes.count) }
    guard Int(bytes[offset]) < kinds.count else { throw RadioFault(.unknownKind, at: offset) }
    let kind = kinds[Int(bytes[offset])]
    let data = offset + 9..<offset + 9 + Int(bytes[offset + 8])
    guard bytes.count > data.upperBound else { throw RadioFault(.cut, at: bytes.count) }
    let report = AdvertisingReport(
      kind: kind, isConnectable: kind == .connectable || kind == .directed, isScanResponse: kind == .scanResponse,
      address: address(bytes, offset + 1), strength: strength(bytes[data.upperBound]), data: Array(bytes[data]))
    offset = data.upperBound + 1
    return report
  }

  /// - Returns: `nil`: its sender does not say who it is.
  private static func extended(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws(RadioFault)
    -> AdvertisingReport?
  {
    guard bytes.count >= offset + 24 else { throw RadioFault(.cut, at: bytes.count) }
    let properties = bytes.little16(offset)
    let data = offset + 24..<offset + 24 + Int(bytes[offset + 23])
    guard bytes.count >= data.upperBound else { throw RadioFault(.cut, at: bytes.count) }
    if bytes[offset + 2] == 0xFF {
      offset = data.upperBound
      return nil
    }
    let (isConnectable, isScannable) = (properties & 1 != 0, properties & 2 != 0)
    let isScanResponse = properties & 8 != 0
    let legacyKind: AdvertisingPDU.Kind =
      if isScanResponse { .scanResponse } else if properties & 4 != 0 { .directed } else if isConnectable {
        .connectable
      } else if isScannable { .scannable } else { .nonconnectable }
    var report = AdvertisingReport(
      kind: properties & 0x10 != 0 ? legacyKind : nil, isConnectable: isConnectable && !isScanResponse,
      isScanResponse: isScanResponse, address: address(bytes, offset + 2), strength: strength(bytes[offset + 13]),
      data: Array(bytes[data]))
    report.isScannable = report.kind == nil && isScannable
    offset = data.upperBound
    return report
  }
}

extension AdvertisingReport {
  /// The bytes of a PDU that says the same; `nil` where the data is too long for one.
  public var pdu: [UInt8]? {
    guard let kind else {
      guard data.count <= 229 else { return nil }
      // An answer to a scanner is known by the numbers that it has not.
      if isScanResponse {
        return AdvertisingPDU.extendedBytes(
          from: address, mode: AdvertisingPDU.Mode.neither, dataInfo: nil, data: data)
      }
      let mode =
        isConnectable
        ? AdvertisingPDU.Mode.connectable
        : isScannable ? AdvertisingPDU.Mode.scannable : AdvertisingPDU.Mode.neither
      return AdvertisingPDU.extendedBytes(from: address, mode: mode, dataInfo: 0, data: data)
    }
    guard data.count <= 31 else { return nil }
    // The report of a directed advertisement has no data, and does not say to whom it went: to this host.
    if kind == .directed {
      return AdvertisingPDU.bytes(kind, from: address, to: RadioAddress(bits: 0, isRandom: false))
    }
    return AdvertisingPDU.bytes(kind, from: address, data: data)
  }
}
