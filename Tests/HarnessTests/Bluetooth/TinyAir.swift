import RollcallCapture
import RollcallPrimitives
import RollcallReducing
import RollcallWire

/// A capture of a handful of packets of Bluetooth LE, in any of the files that hold some.
struct TinyAir {
  /// How a file holds packets.
  enum File: CaseIterable, Sendable { case radioHeader, bare, ppi, nordic, hci, btsnoop, btsnoopMonitor }

  struct Packet {
    var milliseconds: Int64
    var pdu: [UInt8]
    var channel: UInt8 = 37
    var strength: Int8 = -50
    var accessAddress = AirFrame.advertisingAddress
    var hasRightCRC = true
  }
  var packets: [Packet] = []

  static func address(_ number: UInt64) -> RadioAddress {
    RadioAddress(bits: 0xC0FF_EE00_0000 | number, isRandom: true)
  }

  /// An advertisement with flags and a name, or a scan response with a name alone.
  static func pdu(_ number: UInt64, _ name: String?, _ kind: AdvertisingPDU.Kind = .connectable) -> [UInt8] {
    let flags: [UInt8] = kind == .scanResponse ? [] : [2, 1, 6]
    let named = name.map { AdvertisingStructure.bytes(.completeName, Array($0.utf8)) } ?? []
    return AdvertisingPDU.bytes(kind, from: address(number), data: flags + named)
  }

  mutating func add(
    _ milliseconds: Int64, _ number: UInt64, _ name: String?, _ kind: AdvertisingPDU.Kind = .connectable,
    channel: UInt8 = 37, strength: Int8 = -50
  ) {
    packets.append(
      Packet(
        milliseconds: milliseconds, pdu: TinyAir.pdu(number, name, kind), channel: channel, strength: strength))
  }

  func bytes(_ file: File = .radioHeader) -> [UInt8] {
    switch file {
    case .btsnoop: return snoop(1_002) { ([4] + TinyAir.event($0), 3) }
    case .btsnoopMonitor: return snoop(2_001) { (TinyAir.event($0), 3) }
    case .radioHeader, .bare, .ppi, .nordic, .hci: break
    }
    var writer = CaptureWriter(section: CaptureSection())
    let types: [File: UInt32] = [.radioHeader: 256, .bare: 251, .ppi: 192, .nordic: 272, .hci: 187]
    _ = writer.interface(name: "radio", linkType: types[file] ?? 256)
    for packet in packets {
      writer.frame(
        interface: 0, time: .zero + .seconds(1_000) + .milliseconds(packet.milliseconds),
        TinyAir.frame(packet, file))
    }
    writer.finish()
    return writer.bytes
  }

  private static func frame(_ packet: Packet, _ file: File) -> [UInt8] {
    let crc: UInt32? = packet.hasRightCRC ? nil : 0x12_3456
    let bare = AirFrame.bytes(pdu: packet.pdu, accessAddress: packet.accessAddress, crc: crc)
    switch file {
    case .radioHeader:
      let frame = AirFrame.bytes(pdu: packet.pdu, channel: packet.channel, strength: packet.strength)
      return packet.accessAddress == AirFrame.advertisingAddress && crc == nil
        ? frame : frame[..<8] + [0x13, 0] + bare
    case .ppi: return [0, 0, 8, 0, 251, 0, 0, 0] + bare
    case .nordic:
      // The header of version 2, and in it: its length, flags, channel, strength without its sign.
      let said: [UInt8] = [10, 1, packet.channel, UInt8(-Int(packet.strength)), 0, 0, 0, 0, 0, 0]
      return [0, UInt8(10 + bare.count), 0, 2, 0, 0, 6] + said + bare
    case .hci: return [4] + event(packet)
    case .bare, .btsnoop, .btsnoopMonitor: return bare
    }
  }

  /// LE Advertising Report with one report.
  private static func event(_ packet: Packet) -> [UInt8] {
    let kinds: [UInt8: UInt8] = [0: 0, 1: 1, 2: 3, 6: 2, 4: 4]
    let data = packet.pdu[8...]
    let kind: UInt8 = kinds[packet.pdu[0] & 15] ?? 0
    var report: [UInt8] = [kind, packet.pdu[0] >> 6 & 1]
    report += packet.pdu[2..<8]
    report.append(UInt8(data.count))
    report += data
    report.append(UInt8(bitPattern: packet.strength))
    return [0x3E, UInt8(2 + report.count), 2, 1] + report
  }

  private func snoop(_ kind: UInt32, _ record: (Packet) -> (bytes: [UInt8], flags: UInt32)) -> [UInt8] {
    func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    return packets.reduce(Array("btsnoop\0".utf8) + big(UInt32(1)) + big(kind)) { bytes, packet in
      let (frame, flags) = record(packet)
      let count = big(UInt32(frame.count))
      return bytes + count + count + big(flags) + big(UInt32(0))
        + big(0x00E0_3AB4_4A67_6000 + packet.milliseconds * 1_000) + frame
    }
  }

  func reader(_ file: File = .radioHeader) throws -> CaptureReader {
    guard let reader = CaptureBytes.reader(bytes(file)) else { throw CaptureTape.Problem.noMessages }
    return reader
  }
}
