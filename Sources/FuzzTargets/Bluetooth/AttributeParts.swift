import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// What the targets of both sides of the attribute protocol share: one server, and frames read and made.
enum AttributeParts {
  static let peripheral = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  static let central = RadioAddress(bits: 0xC0FF_EE00_00C0, isRandom: true)
  static let own = BluetoothUUID(high: 0x1234_5678_0000_1000, low: 0x8000_0080_5F9B_34FB)
  static let uuids: [BluetoothUUID] = [
    BluetoothUUID(short: 0x2A19), BluetoothUUID(short: 0x2A06), own, .deviceName, .serviceChanged,
    BluetoothUUID(short: 0x180F), .primaryService, .secondaryService, .include, .characteristic, .clientConfiguration,
  ]

  static let intervals: [Interval] = [
    .nanoseconds(1), .milliseconds(30), .seconds(1), .seconds(3), .seconds(29), .seconds(31), .seconds(200),
  ]

  /// Long and short UUIDs, services that include others, values of every kind, and one that nobody may read.
  static func plan(mtu: UInt16, quirks: [PeripheralQuirk] = [], connections: Int = 1) -> PeripheralPlan {
    let battery = GATTPlan.Service(
      BluetoothUUID(short: 0x180F),
      [
        .init(
          BluetoothUUID(short: 0x2A19), [.read, .notify], value: [64, 0], text: "Battery level",
          sendsEvery: .seconds(1))
      ])
    let ours = GATTPlan.Service(
      own, includes: [BluetoothUUID(short: 0x180F), BluetoothUUID(high: 3, low: 4)],
      [
        .init(own, [.read, .write], value: [UInt8](repeating: 7, count: 300)),
        .init(BluetoothUUID(short: 0x2A06), [.write, .writeWithoutResponse, .notify, .read], value: [1]),
        .init(BluetoothUUID(high: 5, low: 6), [.indicate, .write], value: [2, 3]),
        .init(BluetoothUUID(short: 0x2A1A), [.read], error: 0x81),
      ])
    let second = GATTPlan.Service(
      BluetoothUUID(high: 3, low: 4), isPrimary: false, [.init(BluetoothUUID(short: 0x2A1B), [.read], value: [9])])
    var fields = AdvertisedFields()
    fields.name = "Lamp"
    return PeripheralPlan(
      address: .fixed(peripheral), saying: PeripheralPlan.Saying(fields), quirks: quirks,
      gatt: GATTPlan([battery, ours, second], mtu: mtu), otherGATT: GATTPlan([ours], mtu: mtu),
      connectionsMaximum: connections)
  }

  /// What a frame of the attribute protocol says, as somebody with this ATT_MTU reads it; offsets count from the frame.
  enum Reading: Equatable {
    case pdu(AttributePDU)
    case fault(AttributeFault)
    /// It is no whole frame; the bytes end there.
    case cut(at: Int)
    case otherChannel
  }

  static func read(_ frame: [UInt8], mtu: Int) -> Reading {
    frame.withUnsafeBytes { bytes -> Reading in
      let found: ChannelFrame
      do throws(RadioFault) { found = try ChannelFrame(bytes) } catch { return .cut(at: error.offset) }
      guard found.channel == .attributes else { return .otherChannel }
      let payload = UnsafeRawBufferPointer(rebasing: bytes[found.payload])
      do throws(AttributeFault) { return .pdu(try AttributePDU(payload, mtu: mtu)) } catch { return .fault(error) }
    }
  }

  static func mtu(_ own: UInt16, _ other: UInt16) -> Int { max(AttributePDU.mtuDefault, Int(min(own, other))) }

  /// What a machine under test sends: one whole frame, one PDU, no more than the ATT_MTU.
  static func sent(_ frame: [UInt8], mtu: Int) throws(FuzzFinding) -> AttributePDU {
    guard case .pdu(let pdu) = read(frame, mtu: mtu) else {
      throw FuzzFinding("with an ATT_MTU of \(mtu) it sends \(frame), \(read(frame, mtu: mtu))")
    }
    try expect(frame == ChannelFrame.bytes(.attributes, pdu.bytes), "bytes behind a frame, or a UUID longer than it is")
    return pdu
  }

  /// Changes a frame: one of its bytes, its end, or a part behind it.
  static func change(_ frame: [UInt8], _ choices: inout ByteChoices) -> [UInt8] {
    var payload = Array(frame.dropFirst(ChannelFrame.headerBytes))
    let way = choices.byte()
    let place = payload.isEmpty ? 0 : choices.below(payload.count)
    switch way & 3 {
    case 0: if !payload.isEmpty { payload[place] ^= choices.byte() }
    case 1: payload.removeLast(payload.count - place)
    case 2: payload += choices.take(choices.below(24))
    default: if !payload.isEmpty { payload[place] = choices.byte() }
    }
    if way & 0x40 == 0 { return ChannelFrame.bytes(.attributes, payload) }
    // The header does not fit any more.
    return Array(frame.prefix(ChannelFrame.headerBytes)) + payload
  }
}
