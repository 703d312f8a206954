public import RollcallPrimitives

/// The data of CONNECT_IND: when and where the two radios meet (from memory of the Core specification, 6.B.2.3.3.1).
public struct ConnectRequest: Hashable, Sendable, BitwiseCopyable {
  /// Stands before every packet of the connection.
  public var accessAddress: UInt32
  /// 24 bits: where the CRC of the connection's packets begins.
  public var crcStart: UInt32
  /// The first packet comes within so long.
  public var windowUnits: UInt8
  /// From 1.25 ms behind this packet on.
  public var windowOffsetUnits: UInt16
  /// Units of 1.25 ms, as those of the window.
  public var intervalUnits: UInt16
  public var latency: UInt16
  /// Units of 10 ms.
  public var timeoutUnits: UInt16
  /// 37 bits: the channels that are used.
  public var channels: UInt64
  /// Channels from one event to the next: 5 ... 16.
  public var hop: UInt8
  /// 0 ... 7: how exact the central's clock is.
  public var clockAccuracy: UInt8

  public static let byteCount = 22
  public static let allChannels: UInt64 = (1 << 37) - 1

  /// - Parameter seed: what the access address, the start of the CRC and the hop are made of.
  public init(parameters: LinkParameters, seed: UInt64) {
    accessAddress = ConnectRequest.accessAddress(seed)
    crcStart = UInt32(truncatingIfNeeded: seed &>> 32) & 0xFF_FFFF
    (windowUnits, windowOffsetUnits) = (2, 0)
    (intervalUnits, latency) = (parameters.intervalUnits, parameters.latency)
    timeoutUnits = parameters.timeoutUnits
    channels = ConnectRequest.allChannels
    hop = 5 + UInt8(truncatingIfNeeded: (seed &>> 56) % 12)
    clockAccuracy = 0
  }

  /// What stands in the data of a PDU of that kind; `nil` for another number of bytes.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == ConnectRequest.byteCount else { return nil }
    accessAddress = UInt32(bytes.littleEndian(0, count: 4))
    crcStart = UInt32(bytes.littleEndian(4, count: 3))
    windowUnits = bytes[7]
    windowOffsetUnits = bytes.little16(8)
    intervalUnits = bytes.little16(10)
    latency = bytes.little16(12)
    timeoutUnits = bytes.little16(14)
    channels = bytes.littleEndian(16, count: 5) & ConnectRequest.allChannels
    hop = bytes[21] & 0x1F
    clockAccuracy = bytes[21] &>> 5
  }

  public var bytes: [UInt8] {
    [UInt8](littleEndian: UInt64(accessAddress), count: 4) + [UInt8](littleEndian: UInt64(crcStart), count: 3)
      + [windowUnits]
      + [windowOffsetUnits, intervalUnits, latency, timeoutUnits].flatMap {
        [UInt8](littleEndian: UInt64($0), count: 2)
      } + [UInt8](littleEndian: channels, count: 5) + [hop | clockAccuracy &<< 5]
  }

  /// An address that receivers can tell from noise and from advertising: made of `seed` and the words behind it.
  private static func accessAddress(_ seed: UInt64) -> UInt32 {
    var word = seed
    while true {
      let address = UInt32(truncatingIfNeeded: word)
      if isUsable(address) { return address }
      word = word &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
      word ^= word &>> 29
    }
  }

  /// Six equal bits in a row at most, four bytes that are not all equal, two changes within the six highest bits and
  /// 24 in all, and more than one bit that is not as in the address of advertising.
  static func isUsable(_ address: UInt32) -> Bool {
    let changes = address ^ address &>> 1
    var (run, longest) = (1, 1)
    for bit in 0..<31 {
      run = changes &>> UInt32(bit) & 1 == 0 ? run + 1 : 1
      longest = max(longest, run)
    }
    let first = address & 0xFF
    return longest <= 6 && address != first &* 0x0101_0101 && (changes & 0x7FFF_FFFF).nonzeroBitCount <= 24
      && (changes &>> 26 & 0x1F).nonzeroBitCount >= 2
      && (address ^ AirFrame.advertisingAddress).nonzeroBitCount > 1
  }
}
