import RollcallPrimitives
import RollcallWire

// What the controller says of itself, and its list of addresses.
extension HCIController {
  /// Of Bluetooth 5.2, without encryption: data length extension, extended advertising.
  static let leFeatures: UInt64 = 1 << 5 | 1 << 12
  static let acceptListMaximum = 16
  /// On the air for the longest packet, in microseconds.
  private static let longestMicroseconds: UInt16 = 2_120

  mutating func inform(_ opcode: HCIOpcode, _ parameters: inout HCIParameters) {
    func little(_ value: UInt64, _ count: Int) -> [UInt8] { [UInt8](littleEndian: value, count: count) }
    switch opcode {
    // Version 5.2 of both layers; 0xFFFF is no company.
    case .readLocalVersion: complete(opcode, [0x0B, 0, 0, 0x0B, 0xFF, 0xFF, 0, 0])
    case .readSupportedCommands: complete(opcode, HCICommandTable.mask)
    // LE, and no BR/EDR.
    case .readSupportedFeatures: complete(opcode, [0, 0, 0, 0, 0x60, 0, 0, 0])
    // Those of LE are the only ones.
    case .readBufferSize: complete(opcode, [0, 0, 0, 0, 0, 0, 0])
    case .readAddress: complete(opcode, publicAddress.littleEndian)
    case .readLEBufferSize:
      complete(opcode, little(UInt64(HCIController.dataBytesMaximum), 2) + [UInt8(HCIController.dataCount)])
    case .readLEFeatures: complete(opcode, little(HCIController.leFeatures, 8))
    case .readAdvertisingPower: complete(opcode, [0])
    case .readAcceptListSize: complete(opcode, [UInt8(HCIController.acceptListMaximum)])
    // Every state, and every two at a time.
    case .readSupportedStates: complete(opcode, little(0x0000_03FF_FFFF_FFFF, 8))
    case .readSuggestedDataLength:
      complete(
        opcode, little(UInt64(suggestedDataLength.bytes), 2) + little(UInt64(suggestedDataLength.microseconds), 2))
    case .writeSuggestedDataLength:
      let (bytes, microseconds) = (parameters.word(), parameters.word())
      guard (27...251).contains(bytes), (328...17_040).contains(microseconds) else {
        return refuse(opcode, .invalidParameters)
      }
      suggestedDataLength = (bytes, microseconds)
      complete(opcode)
    case .readMaximumDataLength:
      let length =
        little(UInt64(HCIController.dataBytesMaximum), 2) + little(UInt64(HCIController.longestMicroseconds), 2)
      complete(opcode, length + length)
    case .readMaximumAdvertisingDataLength: complete(opcode, little(UInt64(HCIAdvertising.dataBytesMaximum), 2))
    case .readAdvertisingSetCount: complete(opcode, [UInt8(HCIAdvertising.setsMaximum)])
    default: refuse(opcode, .unknownCommand)
    }
  }

  mutating func accept(_ opcode: HCIOpcode, _ parameters: inout HCIParameters) {
    // While it is in use it stays as it is.
    guard !(scanning.isOn && scanning.usesAcceptList), !(pending?.usesAcceptList ?? false) else {
      return refuse(opcode, .commandDisallowed)
    }
    if opcode == .clearAcceptList {
      acceptList = []
      return complete(opcode)
    }
    let kind = parameters.byte()
    // 0xFF: advertisers without an address, of which there are none.
    guard kind <= 1 else { return refuse(opcode, kind == 0xFF ? .unsupportedFeature : .invalidParameters) }
    let address = RadioAddress(bits: parameters.bits(6), isRandom: kind == 1)
    if opcode == .removeFromAcceptList {
      acceptList.removeAll { $0 == address }
    } else if !acceptList.contains(address) {
      guard acceptList.count < HCIController.acceptListMaximum else { return refuse(opcode, .memoryExceeded) }
      acceptList.append(address)
    }
    complete(opcode)
  }
}
