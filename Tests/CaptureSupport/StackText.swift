import RollcallPrimitives
package import RollcallWire

/// Our fields of a PDU in the text that `Tools/oracles/bluetooth.py` has: numbers, bytes as digits, `.` for nothing.
extension OtherStacks.Question {
  /// A PDU of the attribute protocol, read again from the bytes that we write for it.
  package init(_ pdu: AttributePDU) throws {
    let bytes = pdu.bytes
    let read = try bytes.withUnsafeBytes { try AttributePDU($0) }
    let code = OtherStacks.hex([read.opcode.rawValue])
    self.init(kind: "att", bytes: bytes, fields: ([code] + StackText.fields(of: read)).joined(separator: " "))
  }

  /// Advertising data as it was sent or written.
  package init(advertisingData bytes: [UInt8]) {
    let fields = bytes.withUnsafeBytes { AdvertisedFields($0) }
    self.init(kind: "ad", bytes: bytes, fields: StackText.fields(of: fields).joined(separator: " "))
  }

  /// A packet of the advertising channels, behind its access address and before its CRC.
  package init(packet: [UInt8]) throws {
    let pdu = try packet.withUnsafeBytes { try AdvertisingPDU($0) }
    let frame = AirFrame.bytes(pdu: packet)
    func flag(_ isSet: Bool) -> String { isSet ? "1" : "0" }
    func address(_ address: RadioAddress?) -> String {
      address.map { OtherStacks.hex($0.littleEndian.reversed()) } ?? "."
    }
    let fields = [
      String(pdu.kind.rawValue), flag(pdu.sender?.isRandom == true), flag(pdu.target?.isRandom == true),
      flag(pdu.hasChannelSelection2), address(pdu.sender), address(pdu.target),
      pdu.kind == .connectRequest ? StackText.request(packet[pdu.data]) : StackText.bytes(packet[pdu.data]),
      OtherStacks.hex(frame.suffix(3)),
    ]
    self.init(kind: "ll", bytes: frame, fields: fields.joined(separator: " "))
  }
}

enum StackText {
  static func bytes(_ bytes: some Collection<UInt8>) -> String { bytes.isEmpty ? "." : OtherStacks.hex(bytes) }
  static func list(_ items: [String]) -> String { items.isEmpty ? "." : items.joined(separator: ",") }
  static func uuid(_ uuid: BluetoothUUID) -> String { OtherStacks.hex(uuid.littleEndian.reversed()) }

  static func fields(of pdu: AttributePDU) -> [String] {
    func range(_ handles: ClosedRange<UInt16>) -> [String] { ["\(handles.lowerBound)", "\(handles.upperBound)"] }
    switch pdu {
    case .errorResponse(let request, let handle, let error): return ["\(request)", "\(handle)", "\(error.rawValue)"]
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): return ["\(mtu)"]
    case .findInformationRequest(let handles): return range(handles)
    case .findInformationResponse(let found): return [list(found.map { "\($0.handle)=\(uuid($0.type))" })]
    case .findByTypeValueRequest(let handles, let type, let value):
      return range(handles) + [uuid(BluetoothUUID(short: UInt32(type))), bytes(value)]
    case .findByTypeValueResponse(let found): return [list(found.map { "\($0.lowerBound)-\($0.upperBound)" })]
    case .readByTypeRequest(let handles, let type), .readByGroupTypeRequest(let handles, let type):
      return range(handles) + [uuid(type)]
    case .readByTypeResponse(let found), .multipleHandleValueNotification(let found):
      return [list(found.map { "\($0.handle)=\(bytes($0.value))" })]
    case .readByGroupTypeResponse(let found):
      return [list(found.map { "\($0.handles.lowerBound)-\($0.handles.upperBound)=\(bytes($0.value))" })]
    case .readRequest(let handle): return ["\(handle)"]
    case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value): return [bytes(value)]
    case .readBlobRequest(let handle, let offset): return ["\(handle)", "\(offset)"]
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      return [list(handles.map { "\($0)" })]
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
      .handleValueNotification(let handle, let value), .handleValueIndication(let handle, let value):
      return ["\(handle)", bytes(value)]
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: return []
    case .prepareWriteRequest(let handle, let offset, let value),
      .prepareWriteResponse(let handle, let offset, let value):
      return ["\(handle)", "\(offset)", bytes(value)]
    case .executeWriteRequest(let writes): return [writes ? "1" : "0"]
    case .readMultipleVariableResponse(let values): return [list(values.map { "\($0.size)=\(bytes($0.value))" })]
    case .signedWriteCommand(let handle, let value, let signature):
      return ["\(handle)", bytes(value), "\(signature.counter)", "\(signature.code)"]
    }
  }

  static func fields(of found: AdvertisedFields) -> [String] {
    var text: [String] = []
    func add(_ name: String, _ parts: [String]) {
      if !parts.isEmpty { text.append(name + "=" + parts.joined(separator: ",")) }
    }
    add("flags", found.flags.map { ["\($0)"] } ?? [])
    add("services", found.services.map(uuid))
    add("solicited", found.solicitedServices.map(uuid))
    add("data", found.serviceData.map { uuid($0.service) + ":" + bytes($0.data) })
    add(
      "company", found.manufacturerData.map { OtherStacks.hex($0.prefix(2).reversed()) + ":" + bytes($0.dropFirst(2)) })
    add("power", found.transmitPower.map { ["\($0)"] } ?? [])
    add("appearance", found.appearance.map { ["\($0)"] } ?? [])
    add(found.isNameShortened ? "short-name" : "name", found.name.map { [bytes(Array($0.utf8))] } ?? [])
    return text
  }

  /// The fields of CONNECT_IND behind the addresses.
  static func request(_ data: ArraySlice<UInt8>) -> String {
    guard let request = Array(data).withUnsafeBytes({ ConnectRequest($0) }) else { return "?" }
    let numbers: [UInt64] = [
      UInt64(request.accessAddress), UInt64(request.crcStart), UInt64(request.windowUnits),
      UInt64(request.windowOffsetUnits), UInt64(request.intervalUnits), UInt64(request.latency),
      UInt64(request.timeoutUnits), request.channels, UInt64(request.hop), UInt64(request.clockAccuracy),
    ]
    return numbers.map { "\($0)" }.joined(separator: "/")
  }
}
