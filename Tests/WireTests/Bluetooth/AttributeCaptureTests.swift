import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// What two hosts said to each other in the recorded conversation `ble-hci/central.btsnoop`: the bytes as they stand in
/// its packets, and the values that tshark 4.0 decodes from them. Each PDU stands here once, in the order of the
/// conversation; it is the whole of the attribute protocol in that file.
@Suite struct AttributeCaptureTests {
  private static let characteristic = BluetoothUUID(short: 0x2803)
  private static let service = BluetoothUUID(short: 0x2800)

  /// Number of the packet, its PDU in hexadecimal digits, and what it says.
  private static let facts: [(packet: Int, text: String, pdu: AttributePDU)] = [
    (44, "10 01 00 ff ff 00 28", .readByGroupTypeRequest(0x0001...0xFFFF, type: service)),
    (
      46, "11 06 01 00 05 00 00 18 06 00 0d 00 01 18 0e 00 11 00 0f 18",
      .readByGroupTypeResponse([
        .init(0x0001...0x0005, [0x00, 0x18]), .init(0x0006...0x000D, [0x01, 0x18]),
        .init(0x000E...0x0011, [0x0F, 0x18]),
      ])
    ),
    (47, "10 12 00 ff ff 00 28", .readByGroupTypeRequest(0x0012...0xFFFF, type: service)),
    (
      49, "11 14 12 00 14 00 fb 34 9b 5f 80 00 00 80 00 10 00 00 f0 ff 00 00",
      .readByGroupTypeResponse([
        .init(
          0x0012...0x0014,
          [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0xF0, 0xFF, 0x00, 0x00])
      ])
    ),
    (50, "10 15 00 ff ff 00 28", .readByGroupTypeRequest(0x0015...0xFFFF, type: service)),
    (52, "01 10 15 00 0a", .errorResponse(request: 0x10, handle: 0x0015, error: .attributeNotFound)),
    (53, "08 01 00 05 00 03 28", .readByTypeRequest(0x0001...0x0005, type: characteristic)),
    (
      55, "09 07 02 00 02 03 00 00 2a 04 00 02 05 00 01 2a",
      .readByTypeResponse([
        .init(0x0002, [0x02, 0x03, 0x00, 0x00, 0x2A]), .init(0x0004, [0x02, 0x05, 0x00, 0x01, 0x2A]),
      ])
    ),
    (56, "08 05 00 05 00 03 28", .readByTypeRequest(0x0005...0x0005, type: characteristic)),
    (58, "01 08 05 00 0a", .errorResponse(request: 0x08, handle: 0x0005, error: .attributeNotFound)),
    (59, "0a 03 00", .readRequest(handle: 0x0003)),
    // The device's name.
    (61, "0b 52 43 2d 50 65 72 69", .readResponse(value: Array("RC-Peri".utf8))),
    (62, "0a 05 00", .readRequest(handle: 0x0005)),
    (64, "0b 00 00", .readResponse(value: [0x00, 0x00])),
    (65, "08 06 00 0d 00 03 28", .readByTypeRequest(0x0006...0x000D, type: characteristic)),
    (
      67, "09 07 07 00 20 08 00 05 2a 0a 00 0a 0b 00 29 2b 0c 00 02 0d 00 2a 2b",
      .readByTypeResponse([
        .init(0x0007, [0x20, 0x08, 0x00, 0x05, 0x2A]), .init(0x000A, [0x0A, 0x0B, 0x00, 0x29, 0x2B]),
        .init(0x000C, [0x02, 0x0D, 0x00, 0x2A, 0x2B]),
      ])
    ),
    (68, "08 0d 00 0d 00 03 28", .readByTypeRequest(0x000D...0x000D, type: characteristic)),
    (70, "01 08 0d 00 0a", .errorResponse(request: 0x08, handle: 0x000D, error: .attributeNotFound)),
    (71, "04 09 00 09 00", .findInformationRequest(0x0009...0x0009)),
    (73, "05 01 09 00 02 29", .findInformationResponse([.init(0x0009, BluetoothUUID(short: 0x2902))])),
    (74, "0a 0b 00", .readRequest(handle: 0x000B)),
    (76, "0b 00", .readResponse(value: [0x00])),
    (77, "0a 0d 00", .readRequest(handle: 0x000D)),
    (
      79, "0b dd 2b 74 25 67 e2 c4 9f 7a ca fa 57 6d 13 7a 73",
      .readResponse(
        value: [
          0xDD, 0x2B, 0x74, 0x25, 0x67, 0xE2, 0xC4, 0x9F, 0x7A, 0xCA, 0xFA, 0x57, 0x6D, 0x13, 0x7A, 0x73,
        ])
    ),
    (80, "08 0e 00 11 00 03 28", .readByTypeRequest(0x000E...0x0011, type: characteristic)),
    (82, "09 07 0f 00 12 10 00 19 2a", .readByTypeResponse([.init(0x000F, [0x12, 0x10, 0x00, 0x19, 0x2A])])),
    (83, "08 10 00 11 00 03 28", .readByTypeRequest(0x0010...0x0011, type: characteristic)),
    (85, "01 08 10 00 0a", .errorResponse(request: 0x08, handle: 0x0010, error: .attributeNotFound)),
    (86, "04 11 00 11 00", .findInformationRequest(0x0011...0x0011)),
    (88, "05 01 11 00 02 29", .findInformationResponse([.init(0x0011, BluetoothUUID(short: 0x2902))])),
    (89, "0a 10 00", .readRequest(handle: 0x0010)),
    (91, "0b 57", .readResponse(value: [87])),
    (92, "08 12 00 14 00 03 28", .readByTypeRequest(0x0012...0x0014, type: characteristic)),
    (
      94, "09 15 13 00 0a 14 00 fb 34 9b 5f 80 00 00 80 00 10 00 00 f1 ff 00 00",
      .readByTypeResponse([
        .init(
          0x0013,
          [
            0x0A, 0x14, 0x00, 0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0xF1, 0xFF, 0x00,
            0x00,
          ])
      ])
    ),
    (95, "08 14 00 14 00 03 28", .readByTypeRequest(0x0014...0x0014, type: characteristic)),
    (97, "01 08 14 00 0a", .errorResponse(request: 0x08, handle: 0x0014, error: .attributeNotFound)),
    (98, "0a 14 00", .readRequest(handle: 0x0014)),
    (
      100, "0b 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15",
      .readResponse(value: Array(0...21))
    ),
    (101, "0c 14 00 16 00", .readBlobRequest(handle: 0x0014, offset: 22)),
    (103, "0d 16 17 18 19 1a 1b 1c 1d 1e 1f 20 21 22 23 24 25 26 27", .readBlobResponse(value: Array(22...39))),
    (107, "12 11 00 01 00", .writeRequest(handle: 0x0011, value: [0x01, 0x00])),
    (109, "13", .writeResponse),
    (110, "1b 10 00 56", .handleValueNotification(handle: 0x0010, value: [86])),
    (111, "1b 10 00 55", .handleValueNotification(handle: 0x0010, value: [85])),
    (112, "02 b9 00", .exchangeMTURequest(mtu: 185)),
    (114, "03 05 02", .exchangeMTUResponse(mtu: 517)),
  ]

  @Test func `the PDUs of a recorded conversation say what tshark says of them, and are written as they were sent`()
    throws
  {
    for (packet, text, pdu) in AttributeCaptureTests.facts {
      let bytes = AttributeSamples.hex(text)
      try expectEqual(AttributeSamples.read(bytes), pdu, "packet \(packet)")
      expectEqual(pdu.bytes, bytes, "packet \(packet)")
      // Nobody had agreed on more bytes than these.
      expectEqual(AttributeSamples.fault(bytes, mtu: AttributePDU.mtuDefault), nil, "packet \(packet)")
    }
  }

  @Test func `a PDU of a recorded conversation is found behind the header of its frame`() throws {
    // All of packet 46 behind the HCI header.
    let bytes = AttributeSamples.hex("14 00 04 00 11 06 01 00 05 00 00 18 06 00 0d 00 01 18 0e 00 11 00 0f 18")
    let frame = try bytes.withUnsafeBytes { try ChannelFrame($0) }
    expectEqual(frame.channel, .attributes)
    expectEqual(frame.payload, 4..<24)
    let pdu = try AttributeSamples.read(Array(bytes[frame.payload]))
    expectEqual(pdu.opcode.name, "ATT_READ_BY_GROUP_TYPE_RSP")
    expectEqual(ChannelFrame.bytes(frame.channel, pdu.bytes), bytes)
  }

  @Test func `the type of a service of its own in a recorded conversation is its 16-bit form on the base`() throws {
    let bytes = AttributeSamples.hex("11 14 12 00 14 00 fb 34 9b 5f 80 00 00 80 00 10 00 00 f0 ff 00 00")
    guard case .readByGroupTypeResponse(let groups) = try AttributeSamples.read(bytes) else {
      Issue.record("another kind of PDU")
      return
    }
    expectEqual(
      groups.map { group in group.value.withUnsafeBytes { BluetoothUUID(littleEndian: $0) } },
      [
        BluetoothUUID(short: 0xFFF0)
      ])
  }
}
