/// Why bytes are no packet of Bluetooth LE, and where that shows.
@frozen public struct RadioFault: Error, Hashable, Sendable, BitwiseCopyable {
  public enum Reason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// The bytes end before the header does.
    case tooShort
    /// The header's length is not one that this kind of PDU can have.
    case badLength
    /// Fewer bytes than the header's length.
    case cut
    /// A kind of PDU without a meaning in advertising.
    case unknownKind
    /// Fields of an extended header beyond its length.
    case badHeader
    /// The CRC is not that of the bytes.
    case badCRC
    /// A header of a capture format in a version that is not known.
    case unknownVersion
  }
  public var reason: Reason
  /// Counts from the first byte of what was read.
  public var offset: Int
  @inlinable public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}
