import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// What the suites of the attribute protocol share.
enum AttributeSamples {
  /// Two digits a byte, with blanks between them.
  static func hex(_ text: String) -> [UInt8] { text.split(separator: " ").compactMap { UInt8($0, radix: 16) } }

  static func result(_ bytes: [UInt8], mtu: Int = AttributePDU.mtuMaximum) -> Result<AttributePDU, AttributeFault> {
    bytes.withUnsafeBytes { raw in
      do throws(AttributeFault) { return .success(try AttributePDU(raw, mtu: mtu)) } catch { return .failure(error) }
    }
  }

  static func read(_ bytes: [UInt8]) throws(AttributeFault) -> AttributePDU { try result(bytes).get() }

  /// `nil`: the bytes are read.
  static func fault(_ bytes: [UInt8], mtu: Int = AttributePDU.mtuMaximum) -> AttributeFault? {
    if case .failure(let fault) = result(bytes, mtu: mtu) { fault } else { nil }
  }

  static let heartRate = BluetoothUUID(short: 0x180D)
  /// F0010203-0405-0607-0809-0A0B0C0D0E0F.
  static let own = BluetoothUUID(high: 0xF001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)

  /// Each kind of PDU, and its bytes as they were put together by hand.
  static let all: [(pdu: AttributePDU, bytes: String)] = [
    (.errorResponse(request: 0x52, handle: 0, error: .unlikelyError), "01 52 00 00 0E"),
    (.exchangeMTURequest(mtu: 0x0205), "02 05 02"),
    (.exchangeMTUResponse(mtu: 22), "03 16 00"),
    (.findInformationRequest(0x0102...0xFFFF), "04 02 01 FF FF"),
    (
      .findInformationResponse([.init(1, BluetoothUUID(short: 0x2800)), .init(0x0203, heartRate)]),
      "05 01 01 00 00 28 03 02 0D 18"
    ),
    (
      .findInformationResponse([.init(0x0908, own)]),
      "05 02 08 09 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 F0"
    ),
    (.findByTypeValueRequest(1...9, type: 0x2800, value: [0x0D, 0x18]), "06 01 00 09 00 00 28 0D 18"),
    (.findByTypeValueRequest(1...1, type: 0x2803, value: []), "06 01 00 01 00 03 28"),
    (.findByTypeValueResponse([0x0010...0x0011, 0x0100...0xFFFF]), "07 10 00 11 00 00 01 FF FF"),
    (.readByTypeRequest(5...6, type: heartRate), "08 05 00 06 00 0D 18"),
    (.readByTypeRequest(5...6, type: own), "08 05 00 06 00 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 F0"),
    (.readByTypeResponse([.init(3, [7, 8, 9]), .init(0x0304, [0, 0, 1])]), "09 05 03 00 07 08 09 04 03 00 00 01"),
    (.readByTypeResponse([.init(3, []), .init(4, [])]), "09 02 03 00 04 00"),
    (.readRequest(handle: 0x1234), "0A 34 12"),
    (.readResponse(value: [1, 2, 3]), "0B 01 02 03"),
    (.readBlobRequest(handle: 0x1234, offset: 0x0056), "0C 34 12 56 00"),
    (.readBlobResponse(value: []), "0D"),
    (.readMultipleRequest(handles: [1, 0x0200, 1]), "0E 01 00 00 02 01 00"),
    (.readMultipleResponse(values: [9, 8]), "0F 09 08"),
    (.readByGroupTypeRequest(1...0xFFFF, type: BluetoothUUID(short: 0x2800)), "10 01 00 FF FF 00 28"),
    (
      .readByGroupTypeRequest(1...2, type: own),
      "10 01 00 02 00 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 F0"
    ),
    (
      .readByGroupTypeResponse([.init(1...5, [0x0D, 0x18]), .init(6...0x0107, [0x0F, 0x18])]),
      "11 06 01 00 05 00 0D 18 06 00 07 01 0F 18"
    ),
    (.readByGroupTypeResponse([.init(1...5, [])]), "11 04 01 00 05 00"),
    (.writeRequest(handle: 0x0011, value: [1, 0]), "12 11 00 01 00"),
    (.writeResponse, "13"),
    (.prepareWriteRequest(handle: 2, offset: 0x0304, value: [5, 6]), "16 02 00 04 03 05 06"),
    (.prepareWriteResponse(handle: 2, offset: 0x0304, value: []), "17 02 00 04 03"),
    (.executeWriteRequest(writes: false), "18 00"),
    (.executeWriteRequest(writes: true), "18 01"),
    (.executeWriteResponse, "19"),
    (.handleValueNotification(handle: 0x0010, value: [0x56]), "1B 10 00 56"),
    (.handleValueIndication(handle: 0x0010, value: []), "1D 10 00"),
    (.handleValueConfirmation, "1E"),
    (.readMultipleVariableRequest(handles: [0x0A0B, 1]), "20 0B 0A 01 00"),
    (.readMultipleVariableResponse([.init(size: 2, [7, 8]), .init(size: 0, [])]), "21 02 00 07 08 00 00"),
    (.readMultipleVariableResponse([.init(size: 1, [7]), .init(size: 0x0102, [9])]), "21 01 00 07 02 01 09"),
    (.multipleHandleValueNotification([.init(0x0A0B, [1, 2]), .init(3, [])]), "23 0B 0A 02 00 01 02 03 00 00 00"),
    (.multipleHandleValueNotification([.init(3, [1])]), "23 03 00 01 00 01"),
    (.writeCommand(handle: 0x1234, value: [9]), "52 34 12 09"),
    (
      .signedWriteCommand(handle: 3, value: [9], signature: .init(counter: 0x0102_0304, code: 0x1112_1314_1516_1718)),
      "D2 03 00 09 04 03 02 01 18 17 16 15 14 13 12 11"
    ),
  ]
}

@Suite struct AttributePDUTests {
  private typealias Samples = AttributeSamples

  @Test func `each kind of PDU is written byte by byte as it should be, and read again as it was`() throws {
    for (pdu, text) in Samples.all {
      let bytes = Samples.hex(text)
      expectEqual(pdu.bytes, bytes, "\(pdu)")
      try expectEqual(Samples.read(bytes), pdu)
      expectEqual(pdu.opcode.rawValue, bytes[0])
    }
    expectEqual(Set(Samples.all.map(\.pdu.opcode)), Set(AttributePDU.Opcode.allCases))
  }

  @Test func `the opcodes have the numbers and the names of the standard`() {
    let names = AttributePDU.Opcode.allCases.map { String($0.rawValue, radix: 16) + " " + $0.name }
    expectEqual(
      names,
      [
        "1 ATT_ERROR_RSP", "2 ATT_EXCHANGE_MTU_REQ", "3 ATT_EXCHANGE_MTU_RSP", "4 ATT_FIND_INFORMATION_REQ",
        "5 ATT_FIND_INFORMATION_RSP", "6 ATT_FIND_BY_TYPE_VALUE_REQ", "7 ATT_FIND_BY_TYPE_VALUE_RSP",
        "8 ATT_READ_BY_TYPE_REQ", "9 ATT_READ_BY_TYPE_RSP", "a ATT_READ_REQ", "b ATT_READ_RSP",
        "c ATT_READ_BLOB_REQ", "d ATT_READ_BLOB_RSP", "e ATT_READ_MULTIPLE_REQ", "f ATT_READ_MULTIPLE_RSP",
        "10 ATT_READ_BY_GROUP_TYPE_REQ", "11 ATT_READ_BY_GROUP_TYPE_RSP", "12 ATT_WRITE_REQ", "13 ATT_WRITE_RSP",
        "16 ATT_PREPARE_WRITE_REQ", "17 ATT_PREPARE_WRITE_RSP", "18 ATT_EXECUTE_WRITE_REQ",
        "19 ATT_EXECUTE_WRITE_RSP", "1b ATT_HANDLE_VALUE_NTF", "1d ATT_HANDLE_VALUE_IND", "1e ATT_HANDLE_VALUE_CFM",
        "20 ATT_READ_MULTIPLE_VARIABLE_REQ", "21 ATT_READ_MULTIPLE_VARIABLE_RSP", "23 ATT_MULTIPLE_HANDLE_VALUE_NTF",
        "52 ATT_WRITE_CMD", "d2 ATT_SIGNED_WRITE_CMD",
      ])
    expectEqual(AttributePDU.mtuDefault, 23)
    expectEqual(AttributePDU.mtuMaximum, 517)
    expectEqual(AttributePDU.valueBytesMaximum, 512)
  }

  @Test func `a UUID of 32 bits is written with 16 bytes, and one of 16 bits with 2 however it was read`() throws {
    let base = "FB 34 9B 5F 80 00 00 80 00 10 00 00"
    let wide = BluetoothUUID(short: 0x0001_180D)
    let request = AttributePDU.readByTypeRequest(1...2, type: wide)
    expectEqual(request.bytes, Samples.hex("08 01 00 02 00 \(base) 0D 18 01 00"))
    try expectEqual(Samples.read(request.bytes), request)
    let long = try Samples.read(Samples.hex("10 01 00 02 00 \(base) 0D 18 00 00"))
    expectEqual(long, .readByGroupTypeRequest(1...2, type: Samples.heartRate))
    expectEqual(long.bytes, Samples.hex("10 01 00 02 00 0D 18"))
    // The last UUID of 16 bits, and the first of 32.
    expectEqual(AttributePDU.readByTypeRequest(1...2, type: BluetoothUUID(short: 0xFFFF)).bytes.count, 7)
    expectEqual(AttributePDU.readByTypeRequest(1...2, type: BluetoothUUID(short: 0x1_0000)).bytes.count, 21)
    // One that needs 16 bytes makes all of a list so long.
    let mixed = AttributePDU.findInformationResponse([.init(1, Samples.heartRate), .init(2, wide)])
    expectEqual(mixed.bytes, Samples.hex("05 02 01 00 \(base) 0D 18 00 00 02 00 \(base) 0D 18 01 00"))
    try expectEqual(Samples.read(mixed.bytes), mixed)
  }

  @Test func `a value that its PDU had no room for is told from a whole one`() throws {
    let pdu = try Samples.read(Samples.hex("21 01 00 07 03 00 08 09"))
    guard case .readMultipleVariableResponse(let values) = pdu else {
      Issue.record("another kind of PDU")
      return
    }
    expectEqual(values, [.init(size: 1, [7]), .init(size: 3, [8, 9])])
    expectEqual(values.map(\.isWhole), [true, false])
  }

  @Test func `entries of one size may fill the byte that says it`() throws {
    let value = [UInt8](repeating: 7, count: 253)
    let byType = AttributePDU.readByTypeResponse([.init(1, value), .init(2, value)])
    expectEqual(byType.bytes.prefix(4), [9, 255, 1, 0])
    try expectEqual(Samples.read(byType.bytes), byType)
    let byGroup = AttributePDU.readByGroupTypeResponse([.init(1...2, Array(value.dropLast(2)))])
    expectEqual(byGroup.bytes.prefix(6), [0x11, 255, 1, 0, 2, 0])
    try expectEqual(Samples.read(byGroup.bytes), byGroup)
  }

  @Test func `a value in a notification of several may fill the two bytes of its size`() {
    let pdu = AttributePDU.multipleHandleValueNotification([.init(1, [UInt8](repeating: 7, count: 0xFFFF))])
    expectEqual(pdu.bytes.prefix(6), [0x23, 1, 0, 0xFF, 0xFF, 7])
    expectEqual(Samples.result(pdu.bytes, mtu: 65540), .success(pdu))
    expectEqual(Samples.fault(pdu.bytes, mtu: 65539), AttributeFault(.tooLong, at: 65539))
  }

  @Test func `a PDU that no peer should send can be written, and is refused`() {
    func refused(_ pdu: AttributePDU, as bytes: String, _ reason: AttributeFault.Reason, _ offset: Int) {
      expectEqual(pdu.bytes, Samples.hex(bytes))
      expectEqual(Samples.fault(pdu.bytes), AttributeFault(reason, at: offset))
    }
    refused(.readRequest(handle: 0), as: "0A 00 00", .zeroHandle, 1)
    refused(.findInformationResponse([]), as: "05 01", .emptyList, 2)
    refused(.readByTypeResponse([]), as: "09 02", .emptyList, 2)
    refused(.readByGroupTypeResponse([]), as: "11 04", .emptyList, 2)
    refused(.findByTypeValueResponse([]), as: "07", .emptyList, 1)
    refused(.readMultipleRequest(handles: [1]), as: "0E 01 00", .tooFewEntries, 3)
    refused(.multipleHandleValueNotification([]), as: "23", .emptyList, 1)
  }

  /// Three bytes that no PDU can have are tried with some third bytes only: each refusal costs the test library more
  /// than the reader. All 16 843 009 inputs were tried once, with the same result.
  @Test func `of all inputs of up to three bytes none traps, and what is read is written as it was`() {
    let ofThreeBytes = AttributeSamples.hex("02 03 0A 0B 0D 0F 12 1B 1D 21 52")
    var accepted = [0, 0, 0, 0]
    var differing = 0
    var outside = 0
    func attempt(_ bytes: UnsafeRawBufferPointer) {
      do throws(AttributeFault) {
        let pdu = try AttributePDU(bytes)
        accepted[bytes.count] += 1
        if pdu.bytes != Array(bytes) { differing += 1 }
      } catch {
        if !(0...bytes.count).contains(error.offset) { outside += 1 }
      }
    }
    for first in UInt8.min...UInt8.max {
      var bytes: [UInt8] = [first, 0, 0]
      bytes.withUnsafeMutableBytes { raw in
        let (one, two, three) = (raw[..<1], raw[..<2], UnsafeRawBufferPointer(raw))
        attempt(UnsafeRawBufferPointer(rebasing: one))
        for tail in 0..<(ofThreeBytes.contains(first) ? 65536 : 512) {
          raw[1] = UInt8(truncatingIfNeeded: tail)
          raw[2] = UInt8(truncatingIfNeeded: tail &>> 8)
          if tail < 256 { attempt(UnsafeRawBufferPointer(rebasing: two)) }
          attempt(three)
        }
      }
    }
    attempt(UnsafeRawBufferPointer(start: nil, count: 0))
    // One byte: three empty values, two answers without a field, a confirmation. Two: the values and two flags. Three:
    // six kinds with any number, five with a handle that is not 0.
    expectEqual(accepted, [0, 6, 3 * 256 + 2, 6 * 65536 + 5 * 65535])
    expectEqual(differing, 0)
    expectEqual(outside, 0)
  }
}

@Suite struct AttributeErrorTests {
  @Test func `the errors have the numbers and the names of the standard`() {
    let names = (UInt8(1)...0x13).map { AttributeError(rawValue: $0).name }
    expectEqual(
      names,
      [
        "Invalid Handle", "Read Not Permitted", "Write Not Permitted", "Invalid PDU", "Insufficient Authentication",
        "Request Not Supported", "Invalid Offset", "Insufficient Authorization", "Prepare Queue Full",
        "Attribute Not Found", "Attribute Not Long", "Insufficient Encryption Key Size",
        "Invalid Attribute Value Length", "Unlikely Error", "Insufficient Encryption", "Unsupported Group Type",
        "Insufficient Resources", "Database Out Of Sync", "Value Not Allowed",
      ])
    expectEqual(
      (UInt8(0xFC)...0xFF).map { AttributeError(rawValue: $0).name },
      [
        "Write Request Rejected", "Client Characteristic Configuration Descriptor Improperly Configured",
        "Procedure Already in Progress", "Out of Range",
      ])
    expectEqual(AttributeError.attributeNotFound.description, "Attribute Not Found (0x0A)")
    expectEqual(AttributeError.insufficientEncryption.description, "Insufficient Encryption (0x0F)")
    expectEqual(AttributeError.unsupportedGroupType.description, "Unsupported Group Type (0x10)")
    expectEqual(AttributeError(rawValue: 0x14).description, "0x14")
  }

  @Test func `the numbers of applications and of common profiles have their bounds`() {
    let facts: [(UInt8, String?)] = [
      (0, nil), (0x14, nil), (0x7F, nil), (0x80, "Application Error"), (0x9F, "Application Error"), (0xA0, nil),
      (0xDF, nil), (0xE0, "Common Profile and Service Error"), (0xFB, "Common Profile and Service Error"),
    ]
    for (number, name) in facts {
      let error = AttributeError(rawValue: number)
      expectEqual(error.name, name, "\(number)")
      expectEqual(error.isOfApplication, (name == "Application Error"))
      expectEqual(error.isOfCommonProfile, (name == "Common Profile and Service Error"))
    }
    #expect(AttributeError.outOfRange.isOfCommonProfile)
  }
}
