/// Why bytes are no packet, frame, control message or connection data of a session, and where that shows.
@frozen package struct SessionFault: Error, Hashable, Sendable, BitwiseCopyable {
  package enum Reason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// The bytes end inside a field. Offset: where they end.
    case tooShort
    /// Bytes behind the last field. Offset: the first one too many.
    case tooLong
    /// A kind of packet, frame, piece or message that there is not. Offset: of the kind.
    case unknownKind
    /// A version that this code does not know. Offset: of the version.
    case wrongVersion
    /// A value that its field cannot have. Offset: of the field.
    case badValue
    /// A length or count above its limit. Offset: of the length.
    case overLimit
    /// A name that is empty or no UTF-8. Offset: of the first byte of the name.
    case badName
  }
  package var reason: Reason
  /// Counts from the first byte of what was read.
  package var offset: Int
  package init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}

/// Reads fields one after the other; numbers have their highest byte first.
struct SessionCursor {
  let bytes: UnsafeRawBufferPointer
  var offset: Int

  init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }

  var restCount: Int { bytes.count &- offset }

  mutating func need(_ count: Int) throws(SessionFault) {
    guard count <= restCount else { throw SessionFault(.tooShort, at: bytes.count) }
  }
  mutating func byte() throws(SessionFault) -> UInt8 {
    try need(1)
    defer { offset &+= 1 }
    return bytes[offset]
  }
  mutating func number<N: FixedWidthInteger & UnsignedInteger>(_ type: N.Type) throws(SessionFault) -> N {
    let count = N.bitWidth / 8
    try need(count)
    defer { offset &+= count }
    return N(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: N.self))
  }
  /// A number that counts something: at most 2⁶² − 1, so that sums of two do not wrap.
  mutating func counter() throws(SessionFault) -> Int {
    let place = offset
    let value = try number(UInt64.self)
    guard value < 1 &<< 62 else { throw SessionFault(.badValue, at: place) }
    return Int(value)
  }
  mutating func array(_ count: Int) throws(SessionFault) -> [UInt8] {
    try need(count)
    defer { offset &+= count }
    return Array(bytes[offset..<offset &+ count])
  }
  /// A name behind its length.
  mutating func name(_ lengthBytes: Int, minimum: Int = 1, maximum: Int) throws(SessionFault) -> String {
    let place = offset
    let count = lengthBytes == 1 ? Int(try byte()) : Int(try number(UInt16.self))
    guard count <= maximum else { throw SessionFault(.overLimit, at: place) }
    let start = offset
    guard count >= minimum else { throw SessionFault(.badName, at: start) }
    guard let text = String(validating: try array(count), as: UTF8.self) else {
      throw SessionFault(.badName, at: start)
    }
    return text
  }
  func end() throws(SessionFault) {
    guard restCount == 0 else { throw SessionFault(.tooLong, at: offset) }
  }
}

extension [UInt8] {
  /// Appends a number, highest byte first.
  mutating func append<N: FixedWidthInteger & UnsignedInteger>(number: N) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
