import RollcallPrimitives
package import RollcallWire

/// The commands that the controller of a virtual radio knows.
package enum HCICommandTable {
  package struct Row: Sendable {
    package let opcode: HCIOpcode
    /// Bytes of parameters.
    package let parameterBytes: ClosedRange<Int>
    /// Its place in what the controller says that it supports.
    let octet: Int
    let bit: Int
  }

  package static let rows: [Row] = [
    row(.disconnect, 3...3, 0, 5), row(.readRemoteVersion, 2...2, 2, 7), row(.setEventMask, 8...8, 5, 6),
    row(.reset, 0...0, 5, 7), row(.readLocalVersion, 0...0, 14, 3), row(.readSupportedCommands, 0...0, 14, 4),
    row(.readSupportedFeatures, 0...0, 14, 5), row(.readBufferSize, 0...0, 14, 7), row(.readAddress, 0...0, 15, 1),
    row(.readStrength, 2...2, 15, 5), row(.setEventMaskPage2, 8...8, 22, 2), row(.writeLEHostSupport, 2...2, 24, 6),
    row(.setLEEventMask, 8...8, 25, 0), row(.readLEBufferSize, 0...0, 25, 1), row(.readLEFeatures, 0...0, 25, 2),
    row(.setRandomAddress, 6...6, 25, 4), row(.setAdvertisingParameters, 15...15, 25, 5),
    row(.readAdvertisingPower, 0...0, 25, 6), row(.setAdvertisingData, 32...32, 25, 7),
    row(.setScanResponseData, 32...32, 26, 0), row(.setAdvertisingEnable, 1...1, 26, 1),
    row(.setScanParameters, 7...7, 26, 2), row(.setScanEnable, 2...2, 26, 3), row(.createConnection, 25...25, 26, 4),
    row(.cancelConnection, 0...0, 26, 5), row(.readAcceptListSize, 0...0, 26, 6), row(.clearAcceptList, 0...0, 26, 7),
    row(.addToAcceptList, 7...7, 27, 0), row(.removeFromAcceptList, 7...7, 27, 1),
    row(.updateConnection, 14...14, 27, 2), row(.readRemoteFeatures, 2...2, 27, 5),
    row(.readSupportedStates, 0...0, 28, 3), row(.setDataLength, 6...6, 33, 6),
    row(.readSuggestedDataLength, 0...0, 33, 7), row(.writeSuggestedDataLength, 4...4, 34, 0),
    row(.readMaximumDataLength, 0...0, 35, 3), row(.setAdvertisingSetAddress, 7...7, 36, 1),
    row(.setExtendedAdvertisingParameters, 25...25, 36, 2), row(.setExtendedAdvertisingData, 4...255, 36, 3),
    row(.setExtendedScanResponseData, 4...255, 36, 4), row(.setExtendedAdvertisingEnable, 2...255, 36, 5),
    row(.readMaximumAdvertisingDataLength, 0...0, 36, 6), row(.readAdvertisingSetCount, 0...0, 36, 7),
    row(.removeAdvertisingSet, 1...1, 37, 0), row(.clearAdvertisingSets, 0...0, 37, 1),
    row(.setExtendedScanParameters, 8...18, 37, 5), row(.setExtendedScanEnable, 6...6, 37, 6),
    row(.extendedCreateConnection, 26...58, 37, 7),
  ]

  private static func row(_ opcode: HCIOpcode, _ bytes: ClosedRange<Int>, _ octet: Int, _ bit: Int) -> Row {
    Row(opcode: opcode, parameterBytes: bytes, octet: octet, bit: bit)
  }

  static func row(of opcode: HCIOpcode) -> Row? { rows.first { $0.opcode == opcode } }

  /// The 64 bytes of Read Local Supported Commands.
  static let mask: [UInt8] = {
    var mask = [UInt8](repeating: 0, count: 64)
    for row in rows { mask[row.octet] |= 1 << row.bit }
    return mask
  }()

  /// Commands of advertising and scanning as they were before extended advertising, and those with it: a host uses one
  /// kind, from a reset to the next. Commands that only read do not count: hosts ask them before they choose.
  static let legacy: [HCIOpcode] = [
    .setAdvertisingParameters, .setAdvertisingData, .setScanResponseData,
    .setAdvertisingEnable, .setScanParameters, .setScanEnable,
  ]
  static let extended: [HCIOpcode] = [
    .setAdvertisingSetAddress, .setExtendedAdvertisingParameters, .setExtendedAdvertisingData,
    .setExtendedScanResponseData, .setExtendedAdvertisingEnable, .removeAdvertisingSet, .clearAdvertisingSets,
    .setExtendedScanParameters,
    .setExtendedScanEnable,
  ]
}

/// The parameters of a command, read from the front; the caller has checked how many there are.
struct HCIParameters {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var leftCount: Int { bytes.count - offset }

  mutating func byte() -> UInt8 {
    offset += 1
    return bytes[offset - 1]
  }

  mutating func word() -> UInt16 { UInt16(bits(2)) }

  /// Three bytes.
  mutating func long() -> UInt32 { UInt32(bits(3)) }

  mutating func bits(_ count: Int) -> UInt64 {
    offset += count
    return bytes.withUnsafeBytes { $0.littleEndian(offset - count, count: count) }
  }

  /// The shortest interval in units of 1.25 ms, and parameters with the longest one.
  mutating func linkParameters() -> (shortestUnits: UInt16, longest: LinkParameters) {
    let (shortest, longest, latency, timeout) = (word(), word(), word(), word())
    return (shortest, LinkParameters(intervalUnits: longest, latency: latency, timeoutUnits: timeout))
  }

  /// All that are left; nothing is read behind them.
  func rest() -> [UInt8] { Array(bytes[offset...]) }
}
