/// Why bytes are no PDU of the attribute protocol, and where that shows.
@frozen public struct AttributeFault: Error, Hashable, Sendable, BitwiseCopyable {
  public enum Reason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// The bytes end before the fields that each PDU of its kind has. Offset: where they end.
    case tooShort
    /// Bytes behind the last field, or more bytes than the ATT_MTU. Offset: the first one too many.
    case tooLong
    /// An opcode that no kind of PDU has. Offset: 0.
    case unknownOpcode
    /// A handle is 0. Offset: of the handle.
    case zeroHandle
    /// The first handle of a range is above the last one. Offset: of the first handle.
    case reversedRange
    /// A type of neither 2 nor 16 bytes. Offset: where it begins.
    case badUUID
    /// The format of a list of types is neither 1 nor 2. Offset: of the format.
    case badFormat
    /// An entry's size has no room for the entry's handles. Offset: of the size.
    case badEntrySize
    /// A list without an entry. Offset: where the first one would begin.
    case emptyList
    /// A list of one entry where there must be two. Offset: where the second one would begin.
    case tooFewEntries
    /// Bytes behind the last whole entry of a list. Offset: of the first of them.
    case partOfEntry
    /// A value's size goes beyond the end. Offset: of the size.
    case overrun
    /// A value of the flags that has no meaning. Offset: of the flags.
    case badFlags
  }
  public var reason: Reason
  /// Counts from the opcode.
  public var offset: Int
  @inlinable public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }

  /// What a server says of a request with this fault.
  public var error: AttributeError {
    switch reason {
    case .unknownOpcode: .requestNotSupported
    case .zeroHandle, .reversedRange: .invalidHandle
    case .tooShort, .tooLong, .badUUID, .badFormat, .badEntrySize, .emptyList, .tooFewEntries, .partOfEntry, .overrun,
      .badFlags:
      .invalidPDU
    }
  }
}
