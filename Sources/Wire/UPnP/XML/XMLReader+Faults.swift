/// Finds the line and the column of an offset; in a row of rising offsets every byte is looked at once.
struct XMLPlaceFinder {
  let encoding: XMLEncoding
  let markBytes: Int
  /// Of the UTF-8, and the place that it has.
  private var offset = 0
  private var place: XMLPlace

  init(encoding: XMLEncoding, markBytes: Int) {
    (self.encoding, self.markBytes) = (encoding, markBytes)
    place = XMLPlace(offset: markBytes, line: 1, column: 1)
  }

  /// - Parameter target: an offset in the UTF-8 of the document, its end included.
  mutating func place(of target: Int, in bytes: UnsafeBufferPointer<UInt8>) -> XMLPlace {
    if target < offset { (offset, place) = (0, XMLPlace(offset: markBytes, line: 1, column: 1)) }
    while offset < target {
      let byte = bytes[offset]
      place.offset &+= encoding.originalBytes(byte)
      offset &+= 1
      if byte == 10 || byte == 13 && !(offset < bytes.count && bytes[offset] == 10) {
        (place.line, place.column) = (place.line &+ 1, 1)
      } else if byte & 0xC0 != 0x80 {
        // A CR before LF is the first half of the line end, and a character of its line.
        place.column &+= 1
      }
    }
    return place
  }
}

extension XMLReader {
  @inline(never)
  mutating func fault(_ reason: XMLFault.Reason, at offset: Int, expected: String, found: String? = nil) -> XMLFault {
    XMLFault(
      reason, at: places.place(of: offset, in: bytes), expected: expected, found: found ?? excerpt(at: offset))
  }

  /// The document ends where something else had to come.
  @inline(never) mutating func atEnd(expected: String) -> XMLFault {
    if isBroken {
      return fault(.badBytes, at: bytes.count, expected: "a character of the encoding of the document", found: "none")
    }
    return fault(.cutShort, at: bytes.count, expected: expected)
  }

  /// The document has at least one byte more than it may.
  @inline(never) mutating func tooLong() -> XMLFault {
    var (end, place) = (0, places.place(of: 0, in: bytes))
    while end < bytes.count, place.offset < limits.documentBytes {
      end &+= 1
      place = places.place(of: end, in: bytes)
    }
    place.offset = limits.documentBytes
    return XMLFault(
      .documentTooLong, at: place, expected: "a document of at most \(limits.documentBytes) bytes", found: "more")
  }

  /// A byte of 0x80 and above that begins no character, or a character that XML does not allow.
  @inline(never) mutating func badCharacter(at offset: Int) -> XMLFault {
    guard let (scalar, _) = XMLCharacters.scalar(bytes, at: offset) else {
      return fault(
        .badBytes, at: offset, expected: "a character in UTF-8", found: "the byte \(XMLReader.hex(bytes[offset]))")
    }
    return fault(
      .character, at: offset, expected: "a character that XML allows", found: "U+\(XMLReader.hex(scalar))")
  }

  /// Lenient mode goes on; strict mode does not.
  @inline(never)
  mutating func allowLeniently(
    _ reason: XMLFault.Reason, at offset: Int, expected: String, found: String? = nil
  ) throws(XMLFault) {
    if mode == .strict { throw fault(reason, at: offset, expected: expected, found: found) }
    flawCount += 1
    // Each place that is worked out costs time, and a document can have as many flaws as bytes.
    if flaws.count < XMLReader.flawsMaximum {
      flaws.append(fault(reason, at: offset, expected: expected, found: found))
    }
  }

  /// The same for a fault that is there.
  mutating func allowLeniently(_ fault: XMLFault) throws(XMLFault) {
    if mode == .strict { throw fault }
    flawCount += 1
    if flaws.count < XMLReader.flawsMaximum { flaws.append(fault) }
  }

  /// A few characters of what stands there, in quotation marks.
  private func excerpt(at offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the document" }
    var end = offset
    var count = 0
    while end < bytes.count, count < 16, let (scalar, size) = XMLCharacters.scalar(bytes, at: end), scalar >= 0x20,
      scalar != 0x7F
    {
      end &+= size
      count += 1
    }
    if end == offset { return "the byte \(XMLReader.hex(bytes[offset]))" }
    return "“\(string(offset, end))”"
  }

  private static func hex(_ value: some FixedWidthInteger) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, (value is UInt8 ? 2 : 4) - digits.count)) + digits
  }
}
