import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// One PDU of the attribute protocol, alone and as the payload of a frame; the same bytes are read as a frame too.
  package static let attributes = FuzzTarget(
    name: "attributes", dictionary: ["\u{1}\u{0}", "\u{0}\u{28}", "\u{3}\u{28}", "\u{2}\u{29}"], seeds: attributeSeeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    try checkFrame(bytes)
    let payload = Array(bytes.prefix(ChannelFrame.payloadBytesMaximum))
    let framed = ChannelFrame.bytes(.attributes, payload)
    let frame = framed.withUnsafeBytes { try? ChannelFrame($0) }
    try expect(frame.map { Array(framed[$0.payload]) } == payload, "a payload is lost in its frame")

    switch attributePDU(bytes) {
    case .failure(let fault):
      try expect((0...bytes.count).contains(fault.offset), "\(fault) lies outside")
      try expect((fault.reason == .unknownOpcode) == (fault.error == .requestNotSupported), "\(fault): \(fault.error)")
    case .success(let pdu):
      try expect(bytes.count <= AttributePDU.mtuMaximum, "\(bytes.count) bytes were read")
      try expect(pdu.opcode.rawValue == bytes.first, "\(pdu.opcode) was read")
      try expect(handles(of: pdu).allSatisfy { $0 != 0 }, "handle 0 was read: \(pdu)")
      let written = pdu.bytes
      try expect(attributePDU(written) == .success(pdu), "written and read again it is something else: \(pdu)")
      // Only a UUID that was longer than it needs to be is written in another way.
      if written != bytes {
        try expect(hasTypes(pdu) && written.count < bytes.count, "written in another way: \(pdu)")
      }
      // An ATT_MTU of just so many bytes changes nothing, one byte less refuses it.
      try expect(attributePDU(bytes, mtu: bytes.count) == .success(pdu), "its own size is too much: \(pdu)")
      let less = bytes.count - 1
      try expect(
        attributePDU(bytes, mtu: less) == .failure(AttributeFault(.tooLong, at: less)), "more than the ATT_MTU: \(pdu)")
    }
  }

  private static func checkFrame(_ bytes: [UInt8]) throws(FuzzFinding) {
    let result: Result<ChannelFrame, RadioFault> = bytes.withUnsafeBytes { raw in
      do throws(RadioFault) { return .success(try ChannelFrame(raw)) } catch { return .failure(error) }
    }
    switch result {
    case .failure(let fault): try expect(fault.offset == bytes.count, "\(fault) lies elsewhere")
    case .success(let frame):
      try expect(frame.byteCount <= bytes.count, "a frame of \(frame.byteCount) bytes")
      let written = ChannelFrame.bytes(frame.channel, Array(bytes[frame.payload]))
      try expect(written == Array(bytes.prefix(frame.byteCount)), "a frame is written as \(written)")
    }
  }

  private static func attributePDU(
    _ bytes: [UInt8], mtu: Int = AttributePDU.mtuMaximum
  ) -> Result<AttributePDU, AttributeFault> {
    bytes.withUnsafeBytes { raw in
      do throws(AttributeFault) { return .success(try AttributePDU(raw, mtu: mtu)) } catch { return .failure(error) }
    }
  }

  /// Whether it holds UUIDs, whose form is not kept.
  private static func hasTypes(_ pdu: AttributePDU) -> Bool {
    switch pdu {
    case .findInformationResponse, .readByTypeRequest, .readByGroupTypeRequest: true
    default: false
    }
  }

  /// Every handle that names an attribute.
  private static func handles(of pdu: AttributePDU) -> [UInt16] {
    switch pdu {
    case .findInformationRequest(let range), .findByTypeValueRequest(let range, _, _), .readByTypeRequest(let range, _),
      .readByGroupTypeRequest(let range, _):
      [range.lowerBound, range.upperBound]
    case .findInformationResponse(let entries): entries.map(\.handle)
    case .findByTypeValueResponse(let ranges): ranges.flatMap { [$0.lowerBound, $0.upperBound] }
    case .readByTypeResponse(let entries), .multipleHandleValueNotification(let entries): entries.map(\.handle)
    case .readByGroupTypeResponse(let groups): groups.flatMap { [$0.handles.lowerBound, $0.handles.upperBound] }
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles): handles
    case .readRequest(let handle), .readBlobRequest(let handle, _), .writeRequest(let handle, _),
      .prepareWriteRequest(let handle, _, _), .prepareWriteResponse(let handle, _, _),
      .handleValueNotification(let handle, _), .handleValueIndication(let handle, _), .writeCommand(let handle, _),
      .signedWriteCommand(let handle, _, _):
      [handle]
    case .errorResponse, .exchangeMTURequest, .exchangeMTUResponse, .readResponse, .readBlobResponse,
      .readMultipleResponse, .writeResponse, .executeWriteRequest, .executeWriteResponse, .handleValueConfirmation,
      .readMultipleVariableResponse:
      []
    }
  }

  /// At least one PDU of each kind, and bytes that are none.
  private static let attributeSeeds: [[UInt8]] = {
    let (service, own) = (BluetoothUUID(short: 0x2800), BluetoothUUID(high: 1, low: 2))
    let pdus: [AttributePDU] = [
      .errorResponse(request: 0x08, handle: 1, error: .attributeNotFound), .exchangeMTURequest(mtu: 185),
      .exchangeMTUResponse(mtu: 517), .findInformationRequest(1...9),
      .findInformationResponse([.init(1, service), .init(2, BluetoothUUID(short: 0x2803))]),
      .findInformationResponse([.init(1, own)]), .findByTypeValueRequest(1...9, type: 0x2800, value: [0x0D, 0x18]),
      .findByTypeValueResponse([1...3, 4...0xFFFF]), .readByTypeRequest(1...9, type: service),
      .readByTypeRequest(1...9, type: own), .readByTypeResponse([.init(1, [2, 3]), .init(2, [4, 5])]),
      .readRequest(handle: 3), .readResponse(value: [1, 2, 3]), .readBlobRequest(handle: 3, offset: 22),
      .readBlobResponse(value: [4]), .readMultipleRequest(handles: [1, 2]), .readMultipleResponse(values: [1, 2]),
      .readByGroupTypeRequest(1...0xFFFF, type: service),
      .readByGroupTypeResponse([.init(1...5, [0, 0x18]), .init(6...9, [1, 0x18])]),
      .writeRequest(handle: 3, value: [1, 0]), .writeResponse,
      .prepareWriteRequest(handle: 3, offset: 18, value: [7, 8]),
      .prepareWriteResponse(handle: 3, offset: 18, value: [7, 8]), .executeWriteRequest(writes: true),
      .executeWriteResponse, .handleValueNotification(handle: 3, value: [87]),
      .handleValueIndication(handle: 3, value: [1]), .handleValueConfirmation,
      .readMultipleVariableRequest(handles: [1, 2]),
      .readMultipleVariableResponse([.init(size: 1, [7]), .init(size: 3, [8])]),
      .multipleHandleValueNotification([.init(1, [7]), .init(2, [])]), .writeCommand(handle: 3, value: [1]),
      .signedWriteCommand(handle: 3, value: [1], signature: .init(counter: 1, code: 2)),
    ]
    // A type of 16 bits in its long form, a frame, an opcode without a meaning.
    let long: [UInt8] = [0x08, 1, 0, 2, 0, 0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0, 0x0D, 0x18, 0, 0]
    return pdus.map(\.bytes) + [long, ChannelFrame.bytes(.attributes, [0x0A, 3, 0]), [0xFF]]
  }()
}
