public import RollcallPrimitives

// The bytes of PDUs of the advertising channels.
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
      kind != .extended && kind != .connectResponse && lengths(of: kind).contains(payload.count),
      "\(kind.name) of \(payload.count) bytes")
    let header =
      kind.rawValue | (hasChannelSelection2 ? 0x20 : 0) | (sender.isRandom ? 0x40 : 0)
      | (target?.isRandom == true ? 0x80 : 0)
    return [header, UInt8(payload.count)] + payload
  }

  /// The bytes of an extended advertisement that holds all it says: address, set, power, and at most 229 bytes of data.
  /// - Parameters:
  ///   - mode: a number of `Mode`.
  ///   - dataInfo: `nil`: an answer to a scanner.
  public static func extendedBytes(
    from sender: RadioAddress, mode: UInt8, dataInfo: UInt16?, transmitPower: Int8? = nil, data: [UInt8]
  ) -> [UInt8] {
    let flags: UInt8 = 1 | (dataInfo == nil ? 0 : 8) | (transmitPower == nil ? 0 : 64)
    var fields = [flags] + sender.littleEndian
    if let dataInfo { fields += [UInt8](littleEndian: UInt64(dataInfo), count: 2) }
    if let transmitPower { fields.append(UInt8(bitPattern: transmitPower)) }
    let payload = [mode &<< 6 | UInt8(fields.count)] + fields + data
    precondition(mode < 4 && payload.count <= 255, "an extended advertisement of \(payload.count) bytes")
    return [Kind.extended.rawValue | (sender.isRandom ? 0x40 : 0), UInt8(payload.count)] + payload
  }

  /// Data of an extended advertisement of this package has at most so many bytes: one report of a controller holds them.
  public static let extendedDataBytesMaximum = 229

  /// The number of the set, 0 ... 15, and one that names the data.
  public static func dataInfo(set: UInt8, of data: [UInt8]) -> UInt16 {
    UInt16(set & 15) &<< 12 | UInt16(truncatingIfNeeded: data.withUnsafeBytes { Digest.hash($0) }) & 0xFFF
  }

  /// ADV_EXT_IND that says nothing but where the rest is.
  public static func pointerBytes(mode: UInt8, dataInfo: UInt16, _ pointer: Pointer) -> [UInt8] {
    let fields = [8 | 16] + [UInt8](littleEndian: UInt64(dataInfo), count: 2) + pointer.bytes
    return [Kind.extended.rawValue, UInt8(1 + fields.count), mode &<< 6 | UInt8(fields.count)] + fields
  }

  /// AUX_CONNECT_RSP.
  public static func connectResponseBytes(from sender: RadioAddress, to target: RadioAddress) -> [UInt8] {
    let fields = [1 | 2] + sender.littleEndian + target.littleEndian
    let header = Kind.connectResponse.rawValue | (sender.isRandom ? 0x40 : 0) | (target.isRandom ? 0x80 : 0)
    return [header, UInt8(1 + fields.count), UInt8(fields.count)] + fields
  }
}

extension AdvertisingPDU.Pointer {
  /// - Parameter word: the three bytes, lowest first.
  init(_ word: UInt64) {
    channel = UInt8(word & 0x3F)
    offset = .microseconds(Int64(word &>> 8 & 0x1FFF) * (word & 0x80 == 0 ? 30 : 300))
    physical = UInt8(word &>> 21)
  }

  var bytes: [UInt8] {
    let microseconds = UInt64(clamping: offset.nanoseconds / 1_000)
    let isCoarse = microseconds >= 245_700
    let units = min(0x1FFF, microseconds / (isCoarse ? 300 : 30))
    let word = UInt64(channel & 0x3F) | (isCoarse ? 0x80 : 0) | units &<< 8 | UInt64(physical & 7) &<< 21
    return [UInt8](littleEndian: word, count: 3)
  }
}

extension RadioAddress {
  /// The six bytes as they stand on the air, lowest first.
  public var littleEndian: [UInt8] { [UInt8](littleEndian: bits, count: 6) }
}
