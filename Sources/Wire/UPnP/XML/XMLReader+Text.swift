extension XMLReader {
  /// The text from the offset to the next tag. `false`: there is none.
  @inline(__always) mutating func readText() throws(XMLFault) -> Bool {
    let start = offset
    var place = start
    while place < bytes.count, !XMLCharacters.isSpecialInText(bytes[place]) { place &+= 1 }
    // Nearly always the tag follows at once.
    if place &+ 1 < bytes.count, bytes[place] == UInt8(ascii: "<"), bytes[place &+ 1] != UInt8(ascii: "!"),
      bytes[place &+ 1] != UInt8(ascii: "?"), place &- start <= limits.textBytes
    {
      offset = place
      textSlice = Slice(start: start, end: place)
      return place > start
    }
    return try readTextInPieces(from: start, plainTo: place)
  }

  /// Text with references, sections, comments and the like in it. Pieces are put together where there are several.
  private mutating func readTextInPieces(from start: Int, plainTo plainEnd: Int) throws(XMLFault) -> Bool {
    ownText.removeAll(keepingCapacity: true)
    var (run, place, hasPieces) = (start, plainEnd, false)
    loop: while true {
      guard place < bytes.count else { throw atEnd(expected: "the end tag of “\(innermost)”") }
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "<"):
        guard place &+ 1 < bytes.count else { throw atEnd(expected: "a tag") }
        if bytes[place &+ 1] == UInt8(ascii: "?") {
          takeText(run, place)
          place = try readInstruction(at: place)
        } else if bytes[place &+ 1] == UInt8(ascii: "!") {
          takeText(run, place)
          place = try readMarkup(at: place)
        } else {
          break loop
        }
        (run, hasPieces) = (place, true)
      case UInt8(ascii: "&"):
        if let (scalar, end) = try readReference(at: place) {
          takeText(run, place)
          XMLCharacters.append(scalar, to: &ownText)
          (run, place, hasPieces) = (end, end, true)
        } else {
          place &+= 1
        }
      case UInt8(ascii: "]"):
        if place &+ 2 < bytes.count, bytes[place &+ 1] == byte, bytes[place &+ 2] == UInt8(ascii: ">") {
          throw fault(.sectionEnd, at: place, expected: "text without “]]>”")
        }
        place &+= 1
      case 13:
        takeText(run, place)
        ownText.append(10)
        place = behindLineEnd(place)
        (run, hasPieces) = (place, true)
      default: place = try behindCharacter(at: place)
      }
      while place < bytes.count, !XMLCharacters.isSpecialInText(bytes[place]) { place &+= 1 }
      if ownText.count &+ (place &- run) > limits.textBytes { break }
    }
    let count = ownText.count &+ (place &- run)
    guard count <= limits.textBytes else {
      throw fault(
        .textTooLong, at: start, expected: "at most \(limits.textBytes) bytes of text", found: "more")
    }
    offset = place
    if hasPieces {
      takeText(run, place)
      textSlice = Slice(start: 0, end: ownText.count, isOwn: true)
    } else {
      textSlice = Slice(start: run, end: place)
    }
    return count > 0
  }

  var innermost: String { open.last.map { string($0.start, $0.end) } ?? "" }

  private mutating func takeText(_ start: Int, _ end: Int) {
    ownText.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
  }

  /// Behind a CR, and the LF that belongs to it.
  func behindLineEnd(_ place: Int) -> Int {
    place &+ 1 < bytes.count && bytes[place &+ 1] == 10 ? place &+ 2 : place &+ 1
  }

  /// Behind a character that is there, is one, and is allowed.
  @inline(__always) mutating func behindCharacter(at place: Int) throws(XMLFault) -> Int {
    guard let (scalar, count) = XMLCharacters.scalar(bytes, at: place), XMLCharacters.isAllowed(scalar) else {
      throw badCharacter(at: place)
    }
    return place &+ count
  }

  /// The character that the reference at `place` means, and where the reference ends; `nil`: its `&` is text.
  mutating func readReference(at place: Int) throws(XMLFault) -> (scalar: UInt32, end: Int)? {
    if place &+ 1 < bytes.count, bytes[place &+ 1] == UInt8(ascii: "#") {
      return try readCharacterReference(at: place)
    }
    var end = place &+ 1
    while end < bytes.count, end &- place <= limits.nameBytes, XMLCharacters.isNameByte(bytes[end]) { end &+= 1 }
    guard end < bytes.count else { throw atEnd(expected: "a reference") }
    guard end > place &+ 1, bytes[end] == UInt8(ascii: ";"),
      !(48...57).contains(bytes[place &+ 1]), bytes[place &+ 1] != UInt8(ascii: "-"),
      bytes[place &+ 1] != UInt8(ascii: ".")
    else {
      try allowLeniently(.ampersand, at: place, expected: "a reference, as “&amp;”")
      return nil
    }
    let scalar: Unicode.Scalar
    switch string(place &+ 1, end) {
    case "lt": scalar = "<"
    case "gt": scalar = ">"
    case "amp": scalar = "&"
    case "quot": scalar = "\""
    case "apos": scalar = "'"
    default:
      try allowLeniently(.entity, at: place, expected: "one of &lt; &gt; &amp; &quot; &apos;")
      return nil
    }
    return (scalar.value, end &+ 1)
  }

  /// `&#10;`, `&#x0A;`
  private mutating func readCharacterReference(at place: Int) throws(XMLFault) -> (scalar: UInt32, end: Int) {
    var end = place &+ 2
    let isHex = end < bytes.count && bytes[end] == UInt8(ascii: "x")
    if isHex { end &+= 1 }
    let digits = end
    var scalar: UInt32 = 0
    while end < bytes.count, let digit = XMLReader.digit(bytes[end], isHex: isHex) {
      // Too large stays too large.
      scalar = min(scalar &* (isHex ? 16 : 10) &+ digit, 0x11_0000)
      end &+= 1
    }
    guard end < bytes.count else { throw atEnd(expected: "a reference to a character") }
    guard end > digits, bytes[end] == UInt8(ascii: ";"), XMLCharacters.isAllowed(scalar) else {
      throw fault(
        .characterReference, at: place, expected: "a reference to a character that XML allows, as “&#233;”")
    }
    return (scalar, end &+ 1)
  }

  private static func digit(_ byte: UInt8, isHex: Bool) -> UInt32? {
    switch byte {
    case 48...57: UInt32(byte) &- 48
    case 97...102 where isHex: UInt32(byte) &- 87
    case 65...70 where isHex: UInt32(byte) &- 55
    default: nil
    }
  }
}

// What begins with `<!` or `<?`.
extension XMLReader {
  func hasPrefix(_ prefix: StaticString, at place: Int) -> Bool {
    let count = prefix.utf8CodeUnitCount
    guard bytes.count &- place >= count else { return false }
    for index in 0..<count where bytes[place &+ index] != prefix.utf8Start[index] { return false }
    return true
  }

  /// A comment or, inside the root, a section of CDATA, whose text is taken. Comes back with the offset behind it.
  mutating func readMarkup(at place: Int) throws(XMLFault) -> Int {
    if hasPrefix("<!--", at: place) { return try readComment(at: place) }
    if hasPrefix("<!DOCTYPE", at: place) {
      throw fault(.doctype, at: place, expected: "a document without a document type", found: "“<!DOCTYPE”")
    }
    if phase == .content, hasPrefix("<![CDATA[", at: place) { return try readSection(at: place) }
    if bytes.count &- place < 9, isCut(at: place) { throw atEnd(expected: "a comment or a section") }
    let expected = phase == .content ? "“<!--” or “<![CDATA[”" : "“<!--”"
    throw fault(.markup, at: place, expected: expected)
  }

  /// Whether the document ends inside the beginning of a comment, a section or a document type.
  private func isCut(at place: Int) -> Bool {
    let rest = UnsafeBufferPointer(rebasing: bytes[place...])
    return "<!--".utf8.starts(with: rest) || "<!DOCTYPE".utf8.starts(with: rest)
      || phase == .content && "<![CDATA[".utf8.starts(with: rest)
  }

  private mutating func readComment(at start: Int) throws(XMLFault) -> Int {
    var place = start &+ 4
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "-"), place &+ 1 < bytes.count, bytes[place &+ 1] == UInt8(ascii: "-") {
        guard place &+ 2 < bytes.count else { break }
        guard bytes[place &+ 2] == UInt8(ascii: ">") else {
          throw fault(.comment, at: place, expected: "“-->”, or no “--” in a comment")
        }
        return place &+ 3
      }
      place = try behindAny(at: place)
    }
    throw atEnd(expected: "the end of a comment")
  }

  /// Text up to `]]>`, in which nothing has a meaning.
  private mutating func readSection(at start: Int) throws(XMLFault) -> Int {
    var place = start &+ 9
    var run = place
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "]") where hasPrefix("]]>", at: place):
        takeText(run, place)
        return place &+ 3
      case 13:
        takeText(run, place)
        ownText.append(10)
        place = behindLineEnd(place)
        run = place
      default: place = try behindAny(at: place)
      }
    }
    throw atEnd(expected: "the end of a section, “]]>”")
  }

  /// `<?name text?>`. Comes back with the offset behind it.
  mutating func readInstruction(at start: Int) throws(XMLFault) -> Int {
    let name = try readName(at: start &+ 2)
    guard name.colon < start &+ 2 else {
      throw fault(.instruction, at: name.colon, expected: "a name without a colon")
    }
    if string(start &+ 2, name.end).lowercased() == "xml" {
      throw fault(.declarationPlace, at: start, expected: "an XML declaration only where the document begins")
    }
    var place = name.end
    guard place < bytes.count else { throw atEnd(expected: "the end of a processing instruction") }
    guard XMLCharacters.isBlank(bytes[place]) || bytes[place] == UInt8(ascii: "?") else {
      throw fault(.instruction, at: place, expected: "a blank or “?>”")
    }
    let mustEnd = bytes[place] == UInt8(ascii: "?")
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "?") {
        guard place &+ 1 < bytes.count else { break }
        if bytes[place &+ 1] == UInt8(ascii: ">") { return place &+ 2 }
        if mustEnd { throw fault(.instruction, at: place, expected: "“?>”") }
      }
      place = try behindAny(at: place)
    }
    throw atEnd(expected: "the end of a processing instruction")
  }

  /// Behind one character that XML allows, a line end included.
  @inline(__always) mutating func behindAny(at place: Int) throws(XMLFault) -> Int {
    let byte = bytes[place]
    if byte &- 0x20 < 0x60 || XMLCharacters.isBlank(byte) { return place &+ 1 }
    return try behindCharacter(at: place)
  }
}
