/// Why bytes are no DNS message, or why a part of one was left out, and where that shows.
@frozen public struct DNSFault: Error, Hashable, Sendable, BitwiseCopyable {
  public enum Reason: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// The bytes end before the header does. Offset: where they end. Expected and found: bytes.
    case tooShort
    /// More bytes than a UDP datagram carries. Offset: the first one too many. Expected and found: bytes.
    case tooLong
    /// More entries than the bytes behind the header can hold, were each as short as can be. Offset: of the count.
    /// Expected: the bytes that are there. Found: the least that the counts up to here need.
    case countTooLarge
    /// More questions and records than are read. Offset: of the count that is too much. Expected and found: entries.
    case tooManyEntries
    /// A name goes beyond the message, or beyond the data of its record. Offset: where it should have ended.
    case nameOverrun
    /// A label that begins with the bits 01 or 10, for which there is no meaning: so a length above 63, too. Offset: of
    /// that byte. Expected: 63. Found: the byte.
    case labelType
    /// A name of more than 255 bytes. Offset: of the label that is too much. Expected and found: bytes.
    case nameTooLong
    /// A compression pointer to itself, forwards, or back into the name that it is part of. Offset: of the pointer.
    /// Expected: the offset that it has to stay below. Found: where it points.
    case pointerNotBackwards
    /// A compression pointer into the header. Offset: of the pointer. Expected: 12. Found: where it points.
    case pointerIntoHeader
    /// The names, each in full, are too many bytes. Offset: of the name. Expected: the bytes that all may have.
    case nameBudget
    /// A question without its type and class. Offset: where the bytes end. Expected and found: bytes behind the name.
    case questionOverrun
    /// A record without its type, class, TTL and length. Offset: where the bytes end. Expected and found: bytes.
    case recordOverrun
    /// A record says that its data goes beyond the end. Offset: of the length. Expected: the bytes left. Found: it.
    case dataOverrun
    /// Data that is shorter or longer than its type can be. Offset: of the data where it is too short, else of its
    /// first byte too many. Expected and found: bytes.
    case dataLength
    /// A string of a TXT record goes beyond its data. Offset: of its length. Expected: the bytes left. Found: the
    /// length.
    case textOverrun
    /// The windows of an NSEC record do not rise. Offset: of the window. Expected: the least one. Found: it.
    case bitmapWindow
    /// A bitmap of an NSEC record that has no byte, or more than 32. Offset: of its length. Expected: 32.
    case bitmapLength
    /// A bitmap of an NSEC record goes beyond the data. Offset: of its window. Expected: the bytes left. Found: what it
    /// takes, of which 2 are its window and its length.
    case bitmapOverrun
    /// Bytes behind the last record. Offset: of the first of them. Expected: 0. Found: how many.
    case trailingBytes
  }
  public var reason: Reason
  /// Counts from the first byte of the message.
  public var offset: Int
  /// What there should have been, in the unit that the reason tells.
  public var expected: Int
  /// What there was, in the unit that the reason tells.
  public var found: Int
  @inlinable public init(_ reason: Reason, at offset: Int, expected: Int, found: Int) {
    (self.reason, self.offset, self.expected, self.found) = (reason, offset, expected, found)
  }
}

extension DNSFault: CustomStringConvertible {
  /// A sentence for people: what was expected, what was found, and where.
  public var description: String {
    switch reason {
    case .tooShort: "byte \(offset): a header of \(expected) bytes was expected, found \(found) bytes"
    case .tooLong: "byte \(offset): at most \(expected) bytes were expected, found \(found)"
    case .countTooLarge:
      "byte \(offset): entries that fit into \(expected) bytes were expected, found counts that need \(found) bytes"
    case .tooManyEntries: "byte \(offset): at most \(expected) questions and records were expected, found \(found)"
    case .nameOverrun: "byte \(offset): a name was expected to go on here, found the end of what holds it"
    case .labelType:
      "byte \(offset): a label of at most \(expected) bytes or a pointer was expected, found byte \(found)"
    case .nameTooLong: "byte \(offset): a name of at most \(expected) bytes was expected, found \(found) or more"
    case .pointerNotBackwards:
      "byte \(offset): a pointer to a byte before \(expected) was expected, found one to \(found)"
    case .pointerIntoHeader:
      "byte \(offset): a pointer to byte \(expected) or behind it was expected, found one to \(found)"
    case .nameBudget: "byte \(offset): names of \(expected) bytes together were expected, found \(found) or more"
    case .questionOverrun:
      "byte \(offset): \(expected) bytes behind the name of a question were expected, found \(found)"
    case .recordOverrun: "byte \(offset): \(expected) bytes behind the name of a record were expected, found \(found)"
    case .dataOverrun: "byte \(offset): data of at most \(expected) bytes was expected, found a length of \(found)"
    case .dataLength: "byte \(offset): data of \(expected) bytes was expected, found \(found)"
    case .textOverrun: "byte \(offset): a string of at most \(expected) bytes was expected, found a length of \(found)"
    case .bitmapWindow: "byte \(offset): window \(expected) or a higher one was expected, found \(found)"
    case .bitmapLength: "byte \(offset): a bitmap of 1 to \(expected) bytes was expected, found a length of \(found)"
    case .bitmapOverrun: "byte \(offset): a bitmap of at most \(expected) bytes was expected, found \(found)"
    case .trailingBytes: "byte \(offset): the end of the message was expected, found \(found) bytes"
    }
  }
}
