public import RollcallPrimitives

/// A PDU of the attribute protocol, which a client and a server of attributes speak on channel 4 of a connection.
///
/// Handles are 1 ... 65535, and 0 names no attribute. Numbers are written with their lowest byte first. The attribute
/// protocol has UUIDs of 2 and of 16 bytes only: one that is on the base UUID and fits 16 bits is written with 2 bytes,
/// every other one with 16. A UUID that was read with 16 bytes although it fits 16 bits is therefore written with 2.
public enum AttributePDU: Hashable, Sendable {
  /// A handle and the type of its attribute.
  public struct TypedHandle: Hashable, Sendable, BitwiseCopyable {
    public var handle: UInt16
    public var type: BluetoothUUID
    public init(_ handle: UInt16, _ type: BluetoothUUID) { (self.handle, self.type) = (handle, type) }
  }

  /// A handle and the value of its attribute, or the beginning of the value.
  public struct HandleValue: Hashable, Sendable {
    public var handle: UInt16
    public var value: [UInt8]
    public init(_ handle: UInt16, _ value: [UInt8]) { (self.handle, self.value) = (handle, value) }
  }

  /// A group of attributes, and the value of its first one: of a service, its UUID.
  public struct Group: Hashable, Sendable {
    /// From the attribute that declares the group to its last one.
    public var handles: ClosedRange<UInt16>
    public var value: [UInt8]
    public init(_ handles: ClosedRange<UInt16>, _ value: [UInt8]) { (self.handles, self.value) = (handles, value) }
  }

  /// A value with its size before it; where the PDU has no room for all of the value, its beginning.
  public struct SizedValue: Hashable, Sendable {
    /// Bytes of the whole value: at least as many as `value` has.
    public var size: UInt16
    public var value: [UInt8]
    /// Whether all bytes of the value are there.
    public var isWhole: Bool { value.count == Int(size) }
    public init(size: UInt16, _ value: [UInt8]) { (self.size, self.value) = (size, value) }
  }

  /// The 12 bytes that end a signed write command.
  public struct Signature: Hashable, Sendable, BitwiseCopyable {
    /// Rises by 1 with each signed command.
    public var counter: UInt32
    /// 8 bytes of the message authentication code, the first one lowest.
    public var code: UInt64
    public init(counter: UInt32, code: UInt64) { (self.counter, self.code) = (counter, code) }
  }

  /// The ATT_MTU of a connection on which nothing else was agreed: no PDU has more bytes.
  public static let mtuDefault = 23
  /// The largest ATT_MTU that is of use: it holds a prepared write of a whole value.
  public static let mtuMaximum = 517
  /// Of the value of an attribute. A PDU of more bytes is read all the same: the server refuses such a write with
  /// `AttributeError.invalidAttributeValueLength`.
  public static let valueBytesMaximum = 512

  /// `request` is the opcode of the request that failed, as it was sent; `handle` is 0 where the fault has no handle.
  case errorResponse(request: UInt8, handle: UInt16, error: AttributeError)
  /// What the client can receive. The smaller of both numbers holds; where one is below `mtuDefault`, that holds.
  case exchangeMTURequest(mtu: UInt16)
  /// What the server can receive.
  case exchangeMTUResponse(mtu: UInt16)
  case findInformationRequest(ClosedRange<UInt16>)
  /// At least one entry. All are written with 16 bytes for a UUID where one needs them.
  case findInformationResponse([TypedHandle])
  /// Of the type there are 16 bits only.
  case findByTypeValueRequest(ClosedRange<UInt16>, type: UInt16, value: [UInt8])
  /// At least one: from the handle that was found to the last one of its group.
  case findByTypeValueResponse([ClosedRange<UInt16>])
  case readByTypeRequest(ClosedRange<UInt16>, type: BluetoothUUID)
  /// At least one entry, all values of one size: 0 ... 253 bytes.
  case readByTypeResponse([HandleValue])
  case readRequest(handle: UInt16)
  case readResponse(value: [UInt8])
  case readBlobRequest(handle: UInt16, offset: UInt16)
  case readBlobResponse(value: [UInt8])
  /// At least two handles.
  case readMultipleRequest(handles: [UInt16])
  /// The values one behind the other: the client knows how long each of them is.
  case readMultipleResponse(values: [UInt8])
  case readByGroupTypeRequest(ClosedRange<UInt16>, type: BluetoothUUID)
  /// At least one group, all values of one size: 0 ... 251 bytes.
  case readByGroupTypeResponse([Group])
  case writeRequest(handle: UInt16, value: [UInt8])
  case writeResponse
  case prepareWriteRequest(handle: UInt16, offset: UInt16, value: [UInt8])
  case prepareWriteResponse(handle: UInt16, offset: UInt16, value: [UInt8])
  /// Writes all that was prepared, or forgets it.
  case executeWriteRequest(writes: Bool)
  case executeWriteResponse
  case handleValueNotification(handle: UInt16, value: [UInt8])
  case handleValueIndication(handle: UInt16, value: [UInt8])
  case handleValueConfirmation
  /// At least two handles.
  case readMultipleVariableRequest(handles: [UInt16])
  /// At least one value; only the last one may not be whole.
  case readMultipleVariableResponse([SizedValue])
  /// At least one entry; the sizes may differ. The standard asks for two, but BlueZ sends one as well.
  case multipleHandleValueNotification([HandleValue])
  case writeCommand(handle: UInt16, value: [UInt8])
  case signedWriteCommand(handle: UInt16, value: [UInt8], signature: Signature)
}

extension AttributePDU {
  /// The first byte of a PDU. Bit 6 marks a command, which nobody answers; bit 7 a signature at the end.
  public enum Opcode: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    case errorResponse = 0x01
    case exchangeMTURequest = 0x02
    case exchangeMTUResponse = 0x03
    case findInformationRequest = 0x04
    case findInformationResponse = 0x05
    case findByTypeValueRequest = 0x06
    case findByTypeValueResponse = 0x07
    case readByTypeRequest = 0x08
    case readByTypeResponse = 0x09
    case readRequest = 0x0A
    case readResponse = 0x0B
    case readBlobRequest = 0x0C
    case readBlobResponse = 0x0D
    case readMultipleRequest = 0x0E
    case readMultipleResponse = 0x0F
    case readByGroupTypeRequest = 0x10
    case readByGroupTypeResponse = 0x11
    case writeRequest = 0x12
    case writeResponse = 0x13
    case prepareWriteRequest = 0x16
    case prepareWriteResponse = 0x17
    case executeWriteRequest = 0x18
    case executeWriteResponse = 0x19
    case handleValueNotification = 0x1B
    case handleValueIndication = 0x1D
    case handleValueConfirmation = 0x1E
    case readMultipleVariableRequest = 0x20
    case readMultipleVariableResponse = 0x21
    case multipleHandleValueNotification = 0x23
    case writeCommand = 0x52
    case signedWriteCommand = 0xD2

    /// As the standard spells it: `ATT_READ_BY_GROUP_TYPE_REQ`.
    public var name: String {
      switch self {
      case .errorResponse: "ATT_ERROR_RSP"
      case .exchangeMTURequest: "ATT_EXCHANGE_MTU_REQ"
      case .exchangeMTUResponse: "ATT_EXCHANGE_MTU_RSP"
      case .findInformationRequest: "ATT_FIND_INFORMATION_REQ"
      case .findInformationResponse: "ATT_FIND_INFORMATION_RSP"
      case .findByTypeValueRequest: "ATT_FIND_BY_TYPE_VALUE_REQ"
      case .findByTypeValueResponse: "ATT_FIND_BY_TYPE_VALUE_RSP"
      case .readByTypeRequest: "ATT_READ_BY_TYPE_REQ"
      case .readByTypeResponse: "ATT_READ_BY_TYPE_RSP"
      case .readRequest: "ATT_READ_REQ"
      case .readResponse: "ATT_READ_RSP"
      case .readBlobRequest: "ATT_READ_BLOB_REQ"
      case .readBlobResponse: "ATT_READ_BLOB_RSP"
      case .readMultipleRequest: "ATT_READ_MULTIPLE_REQ"
      case .readMultipleResponse: "ATT_READ_MULTIPLE_RSP"
      case .readByGroupTypeRequest: "ATT_READ_BY_GROUP_TYPE_REQ"
      case .readByGroupTypeResponse: "ATT_READ_BY_GROUP_TYPE_RSP"
      case .writeRequest: "ATT_WRITE_REQ"
      case .writeResponse: "ATT_WRITE_RSP"
      case .prepareWriteRequest: "ATT_PREPARE_WRITE_REQ"
      case .prepareWriteResponse: "ATT_PREPARE_WRITE_RSP"
      case .executeWriteRequest: "ATT_EXECUTE_WRITE_REQ"
      case .executeWriteResponse: "ATT_EXECUTE_WRITE_RSP"
      case .handleValueNotification: "ATT_HANDLE_VALUE_NTF"
      case .handleValueIndication: "ATT_HANDLE_VALUE_IND"
      case .handleValueConfirmation: "ATT_HANDLE_VALUE_CFM"
      case .readMultipleVariableRequest: "ATT_READ_MULTIPLE_VARIABLE_REQ"
      case .readMultipleVariableResponse: "ATT_READ_MULTIPLE_VARIABLE_RSP"
      case .multipleHandleValueNotification: "ATT_MULTIPLE_HANDLE_VALUE_NTF"
      case .writeCommand: "ATT_WRITE_CMD"
      case .signedWriteCommand: "ATT_SIGNED_WRITE_CMD"
      }
    }
  }

  public var opcode: Opcode {
    switch self {
    case .errorResponse: .errorResponse
    case .exchangeMTURequest: .exchangeMTURequest
    case .exchangeMTUResponse: .exchangeMTUResponse
    case .findInformationRequest: .findInformationRequest
    case .findInformationResponse: .findInformationResponse
    case .findByTypeValueRequest: .findByTypeValueRequest
    case .findByTypeValueResponse: .findByTypeValueResponse
    case .readByTypeRequest: .readByTypeRequest
    case .readByTypeResponse: .readByTypeResponse
    case .readRequest: .readRequest
    case .readResponse: .readResponse
    case .readBlobRequest: .readBlobRequest
    case .readBlobResponse: .readBlobResponse
    case .readMultipleRequest: .readMultipleRequest
    case .readMultipleResponse: .readMultipleResponse
    case .readByGroupTypeRequest: .readByGroupTypeRequest
    case .readByGroupTypeResponse: .readByGroupTypeResponse
    case .writeRequest: .writeRequest
    case .writeResponse: .writeResponse
    case .prepareWriteRequest: .prepareWriteRequest
    case .prepareWriteResponse: .prepareWriteResponse
    case .executeWriteRequest: .executeWriteRequest
    case .executeWriteResponse: .executeWriteResponse
    case .handleValueNotification: .handleValueNotification
    case .handleValueIndication: .handleValueIndication
    case .handleValueConfirmation: .handleValueConfirmation
    case .readMultipleVariableRequest: .readMultipleVariableRequest
    case .readMultipleVariableResponse: .readMultipleVariableResponse
    case .multipleHandleValueNotification: .multipleHandleValueNotification
    case .writeCommand: .writeCommand
    case .signedWriteCommand: .signedWriteCommand
    }
  }
}
