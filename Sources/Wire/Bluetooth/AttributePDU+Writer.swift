import RollcallPrimitives

extension AttributePDU {
  /// The bytes of the PDU, opcode first.
  ///
  /// What a reader would refuse is written as it stands: handle 0, an empty list, more bytes than an ATT_MTU.
  ///
  /// - Precondition: The values of a response to a read by type or by group type are of one size, at most 253 and 251
  ///   bytes. A value in a notification of several has at most 65535.
  public var bytes: [UInt8] {
    [opcode.rawValue] + parameters
  }

  /// What stands behind the opcode.
  private var parameters: [UInt8] {
    switch self {
    case .errorResponse(let request, let handle, let error): [request] + two(handle) + [error.rawValue]
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): two(mtu)
    case .findInformationRequest(let handles): two(handles)
    case .findInformationResponse(let entries): written(entries)
    case .findByTypeValueRequest(let handles, let type, let value): two(handles) + two(type) + value
    case .findByTypeValueResponse(let ranges): ranges.flatMap { two($0) }
    case .readByTypeRequest(let handles, let type), .readByGroupTypeRequest(let handles, let type):
      two(handles) + type.attributeBytes
    case .readByTypeResponse(let entries): sized(entries.map { two($0.handle) + $0.value }, least: 2)
    case .readRequest(let handle): two(handle)
    case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value): value
    case .readBlobRequest(let handle, let offset): two(handle) + two(offset)
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles): handles.flatMap { two($0) }
    case .readByGroupTypeResponse(let groups): sized(groups.map { two($0.handles) + $0.value }, least: 4)
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
      .handleValueNotification(let handle, let value), .handleValueIndication(let handle, let value):
      two(handle) + value
    case .prepareWriteRequest(let handle, let offset, let value),
      .prepareWriteResponse(let handle, let offset, let value):
      two(handle) + two(offset) + value
    case .executeWriteRequest(let writes): [writes ? 1 : 0]
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: []
    case .readMultipleVariableResponse(let values): values.flatMap { two($0.size) + $0.value }
    case .multipleHandleValueNotification(let entries): entries.flatMap { two($0.handle) + behindSize($0.value) }
    case .signedWriteCommand(let handle, let value, let signature):
      two(handle) + value + [UInt8](littleEndian: UInt64(signature.counter), count: 4)
        + [UInt8](littleEndian: signature.code, count: 8)
    }
  }

  private func two(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(number &>> 8)] }

  private func two(_ handles: ClosedRange<UInt16>) -> [UInt8] { two(handles.lowerBound) + two(handles.upperBound) }

  private func behindSize(_ value: [UInt8]) -> [UInt8] {
    precondition(value.count <= 0xFFFF, "a value of \(value.count) bytes in a notification")
    return two(UInt16(value.count)) + value
  }

  /// Entries of one size behind the byte that says it; without an entry, the least size that there can be.
  private func sized(_ entries: [[UInt8]], least: UInt8) -> [UInt8] {
    guard let size = entries.first?.count else { return [least] }
    precondition(size <= 255 && entries.allSatisfy { $0.count == size }, "entries of different sizes, or too long")
    return [UInt8(size)] + entries.flatMap { $0 }
  }

  /// Format 1 where every UUID has 2 bytes, else format 2.
  private func written(_ entries: [TypedHandle]) -> [UInt8] {
    let isShort = entries.allSatisfy { $0.type.attributeBytes.count == 2 }
    return [isShort ? 1 : 2]
      + entries.flatMap { two($0.handle) + (isShort ? $0.type.attributeBytes : $0.type.longBytes) }
  }
}
