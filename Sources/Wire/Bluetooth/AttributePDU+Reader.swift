import RollcallPrimitives

extension AttributePDU {
  /// Reads the one PDU that `bytes` are, opcode first: bytes behind its end are a fault.
  ///
  /// Sizes are checked before handles. Whether handles rise from entry to entry and lie in the range that was asked for
  /// is not looked at here: only who sent the request can tell.
  ///
  /// - Parameter mtu: the ATT_MTU of the connection, at least 23. More bytes are refused.
  public init(_ bytes: UnsafeRawBufferPointer, mtu: Int = AttributePDU.mtuMaximum) throws(AttributeFault) {
    guard let first = bytes.first else { throw AttributeFault(.tooShort, at: 0) }
    guard bytes.count <= mtu else { throw AttributeFault(.tooLong, at: mtu) }
    guard let opcode = Opcode(rawValue: first) else { throw AttributeFault(.unknownOpcode, at: 0) }
    let fields = AttributeFields(bytes: bytes)
    switch opcode {
    case .errorResponse:
      try fields.needs(exactly: 5)
      // No request has a handle here that has to be there: 0 is allowed, and so is any opcode.
      self = .errorResponse(
        request: bytes[1], handle: bytes.little16(2), error: AttributeError(rawValue: bytes[4]))
    case .exchangeMTURequest:
      try fields.needs(exactly: 3)
      self = .exchangeMTURequest(mtu: bytes.little16(1))
    case .exchangeMTUResponse:
      try fields.needs(exactly: 3)
      self = .exchangeMTUResponse(mtu: bytes.little16(1))
    case .findInformationRequest:
      try fields.needs(exactly: 5)
      self = .findInformationRequest(try fields.range(1))
    case .findInformationResponse: self = .findInformationResponse(try fields.typedHandles())
    case .findByTypeValueRequest:
      try fields.needs(7)
      self = .findByTypeValueRequest(try fields.range(1), type: bytes.little16(5), value: fields.rest(7))
    case .findByTypeValueResponse:
      var found: [ClosedRange<UInt16>] = []
      for place in try fields.entries(from: 1, size: 4) { found.append(try fields.range(place)) }
      self = .findByTypeValueResponse(found)
    case .readByTypeRequest:
      let type = try fields.typeBehindRange()
      self = .readByTypeRequest(try fields.range(1), type: type)
    case .readByTypeResponse:
      let size = try fields.entrySize(minimum: 2)
      var found: [HandleValue] = []
      for place in try fields.entries(from: 2, size: size) {
        found.append(HandleValue(try fields.handle(place), Array(bytes[place + 2..<place + size])))
      }
      self = .readByTypeResponse(found)
    case .readRequest:
      try fields.needs(exactly: 3)
      self = .readRequest(handle: try fields.handle(1))
    case .readResponse: self = .readResponse(value: fields.rest(1))
    case .readBlobRequest:
      try fields.needs(exactly: 5)
      self = .readBlobRequest(handle: try fields.handle(1), offset: bytes.little16(3))
    case .readBlobResponse: self = .readBlobResponse(value: fields.rest(1))
    case .readMultipleRequest: self = .readMultipleRequest(handles: try fields.handles())
    case .readMultipleResponse: self = .readMultipleResponse(values: fields.rest(1))
    case .readByGroupTypeRequest:
      let type = try fields.typeBehindRange()
      self = .readByGroupTypeRequest(try fields.range(1), type: type)
    case .readByGroupTypeResponse:
      let size = try fields.entrySize(minimum: 4)
      var found: [Group] = []
      for place in try fields.entries(from: 2, size: size) {
        found.append(Group(try fields.range(place), Array(bytes[place + 4..<place + size])))
      }
      self = .readByGroupTypeResponse(found)
    case .writeRequest:
      let found = try fields.handleValue()
      self = .writeRequest(handle: found.handle, value: found.value)
    case .writeResponse:
      try fields.needs(exactly: 1)
      self = .writeResponse
    case .prepareWriteRequest:
      try fields.needs(5)
      self = .prepareWriteRequest(handle: try fields.handle(1), offset: bytes.little16(3), value: fields.rest(5))
    case .prepareWriteResponse:
      try fields.needs(5)
      self = .prepareWriteResponse(handle: try fields.handle(1), offset: bytes.little16(3), value: fields.rest(5))
    case .executeWriteRequest:
      try fields.needs(exactly: 2)
      guard bytes[1] <= 1 else { throw AttributeFault(.badFlags, at: 1) }
      self = .executeWriteRequest(writes: bytes[1] == 1)
    case .executeWriteResponse:
      try fields.needs(exactly: 1)
      self = .executeWriteResponse
    case .handleValueNotification:
      let found = try fields.handleValue()
      self = .handleValueNotification(handle: found.handle, value: found.value)
    case .handleValueIndication:
      let found = try fields.handleValue()
      self = .handleValueIndication(handle: found.handle, value: found.value)
    case .handleValueConfirmation:
      try fields.needs(exactly: 1)
      self = .handleValueConfirmation
    case .readMultipleVariableRequest: self = .readMultipleVariableRequest(handles: try fields.handles())
    case .readMultipleVariableResponse: self = .readMultipleVariableResponse(try fields.sizedValues())
    case .multipleHandleValueNotification:
      self = .multipleHandleValueNotification(try fields.sizedHandleValues())
    case .writeCommand:
      let found = try fields.handleValue()
      self = .writeCommand(handle: found.handle, value: found.value)
    case .signedWriteCommand:
      try fields.needs(15)
      let end = bytes.count - 12
      let signature = Signature(
        counter: UInt32(bytes.littleEndian(end, count: 4)), code: bytes.littleEndian(end + 4, count: 8))
      self = .signedWriteCommand(
        handle: try fields.handle(1), value: Array(bytes[3..<end]), signature: signature)
    }
  }
}

/// The bytes of one PDU, and the checks that several kinds of PDU share. Offsets count from the opcode.
private struct AttributeFields {
  let bytes: UnsafeRawBufferPointer

  /// So many bytes, or more.
  func needs(_ count: Int) throws(AttributeFault) {
    guard bytes.count >= count else { throw AttributeFault(.tooShort, at: bytes.count) }
  }

  func needs(exactly count: Int) throws(AttributeFault) {
    try needs(count)
    guard bytes.count == count else { throw AttributeFault(.tooLong, at: count) }
  }

  /// What stands from `offset` on; the caller has checked that the bytes go at least so far.
  func rest(_ offset: Int) -> [UInt8] { Array(bytes[offset...]) }

  /// The handle at `offset`; the caller has checked that it is there.
  func handle(_ offset: Int) throws(AttributeFault) -> UInt16 {
    let handle = bytes.little16(offset)
    guard handle != 0 else { throw AttributeFault(.zeroHandle, at: offset) }
    return handle
  }

  /// First and last handle at `offset`; the caller has checked that they are there.
  func range(_ offset: Int) throws(AttributeFault) -> ClosedRange<UInt16> {
    let (first, last) = (try handle(offset), bytes.little16(offset + 2))
    guard first <= last else { throw AttributeFault(.reversedRange, at: offset) }
    return first...last
  }

  /// Where the entries of one size begin that fill the PDU from `start` on.
  func entries(from start: Int, size: Int) throws(AttributeFault) -> StrideTo<Int> {
    guard bytes.count > start else { throw AttributeFault(.emptyList, at: bytes.count) }
    let part = (bytes.count - start) % size
    guard part == 0 else { throw AttributeFault(.partOfEntry, at: bytes.count - part) }
    return stride(from: start, to: bytes.count, by: size)
  }

  /// The byte that says how long each entry is.
  func entrySize(minimum: Int) throws(AttributeFault) -> Int {
    try needs(2)
    let size = Int(bytes[1])
    guard size >= minimum else { throw AttributeFault(.badEntrySize, at: 1) }
    return size
  }

  /// The handle behind the opcode, and all that follows it.
  func handleValue() throws(AttributeFault) -> AttributePDU.HandleValue {
    try needs(3)
    return AttributePDU.HandleValue(try handle(1), rest(3))
  }

  /// Two handles or more.
  func handles() throws(AttributeFault) -> [UInt16] {
    let places = try entries(from: 1, size: 2)
    guard bytes.count >= 5 else { throw AttributeFault(.tooFewEntries, at: bytes.count) }
    var found: [UInt16] = []
    for place in places { found.append(try handle(place)) }
    return found
  }

  /// The type that ends a PDU, behind opcode, first and last handle.
  func typeBehindRange() throws(AttributeFault) -> BluetoothUUID {
    try needs(7)
    guard bytes.count == 7 || bytes.count == 21 else { throw AttributeFault(.badUUID, at: 5) }
    return uuid(5..<bytes.count)
  }

  /// A UUID of 2 or 16 bytes; the caller has checked that they are there.
  func uuid(_ place: Range<Int>) -> BluetoothUUID {
    place.count == 2
      ? BluetoothUUID(short: UInt32(bytes.little16(place.lowerBound)))
      : BluetoothUUID(
        high: bytes.littleEndian(place.lowerBound + 8, count: 8), low: bytes.littleEndian(place.lowerBound, count: 8))
  }

  /// Entries behind a byte that says whether their UUIDs have 2 bytes (1) or 16 (2).
  func typedHandles() throws(AttributeFault) -> [AttributePDU.TypedHandle] {
    try needs(2)
    guard bytes[1] == 1 || bytes[1] == 2 else { throw AttributeFault(.badFormat, at: 1) }
    let size = bytes[1] == 1 ? 4 : 18
    var found: [AttributePDU.TypedHandle] = []
    for place in try entries(from: 2, size: size) {
      found.append(AttributePDU.TypedHandle(try handle(place), uuid(place + 2..<place + size)))
    }
    return found
  }

  /// Values, each behind its size. The last one may be cut: its size says how long it is where there is room.
  func sizedValues() throws(AttributeFault) -> [AttributePDU.SizedValue] {
    guard bytes.count > 1 else { throw AttributeFault(.emptyList, at: 1) }
    var found: [AttributePDU.SizedValue] = []
    var place = 1
    while place < bytes.count {
      guard place + 2 <= bytes.count else { throw AttributeFault(.partOfEntry, at: place) }
      let size = bytes.little16(place)
      let end = min(place + 2 + Int(size), bytes.count)
      found.append(AttributePDU.SizedValue(size: size, Array(bytes[place + 2..<end])))
      place = end
    }
    return found
  }

  /// Values, each behind its handle and its size, all of them whole.
  func sizedHandleValues() throws(AttributeFault) -> [AttributePDU.HandleValue] {
    guard bytes.count > 1 else { throw AttributeFault(.emptyList, at: 1) }
    var found: [AttributePDU.HandleValue] = []
    var place = 1
    while place < bytes.count {
      guard place + 4 <= bytes.count else { throw AttributeFault(.partOfEntry, at: place) }
      let end = place + 4 + Int(bytes.little16(place + 2))
      guard end <= bytes.count else { throw AttributeFault(.overrun, at: place + 2) }
      found.append(AttributePDU.HandleValue(try handle(place), Array(bytes[place + 4..<end])))
      place = end
    }
    return found
  }
}
