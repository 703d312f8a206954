// What stands before the root and behind it.
extension XMLReader {
  /// Reads up to the `<` of the root.
  mutating func readProlog() throws(XMLFault) {
    var hasDeclaration = false
    if isDeclaration(at: 0) {
      offset = try readDeclaration(at: 0)
      hasDeclaration = true
    }
    while true {
      let place = behindBlanks(offset)
      guard place < bytes.count else {
        if isBroken { throw atEnd(expected: "an element") }
        throw fault(.noRoot, at: place, expected: "an element")
      }
      if bytes[place] != UInt8(ascii: "<") {
        do throws(XMLFault) {
          _ = try behindAny(at: place)
          try allowLeniently(.textOutsideRoot, at: place, expected: "“<”")
        } catch {
          try allowLeniently(error)
        }
        offset = place
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "<") { offset &+= 1 }
        continue
      }
      guard place &+ 1 < bytes.count else { throw atEnd(expected: "a tag") }
      switch bytes[place &+ 1] {
      case UInt8(ascii: "?"):
        if isDeclaration(at: place), !hasDeclaration, mode == .lenient {
          try allowLeniently(
            .declarationPlace, at: place, expected: "an XML declaration only where the document begins")
          offset = try readDeclaration(at: place)
          hasDeclaration = true
        } else {
          offset = try readInstruction(at: place)
        }
      case UInt8(ascii: "!"): offset = try readMarkup(at: place)
      case UInt8(ascii: "/"): throw fault(.tag, at: place, expected: "a start tag")
      default:
        offset = place
        return
      }
    }
  }

  /// Reads to the end of the document.
  mutating func readEpilog() throws(XMLFault) {
    do throws(XMLFault) { try readStrictEpilog() } catch {
      try allowLeniently(error)
    }
    (phase, offset) = (.finished, bytes.count)
  }

  private mutating func readStrictEpilog() throws(XMLFault) {
    while true {
      let place = behindBlanks(offset)
      guard place < bytes.count else {
        if isBroken { throw atEnd(expected: "the end of the document") }
        return
      }
      guard bytes[place] == UInt8(ascii: "<") else {
        _ = try behindAny(at: place)
        throw fault(.textOutsideRoot, at: place, expected: "the end of the document")
      }
      guard place &+ 1 < bytes.count else { throw atEnd(expected: "a comment or a processing instruction") }
      switch bytes[place &+ 1] {
      case UInt8(ascii: "?"): offset = try readInstruction(at: place)
      case UInt8(ascii: "!"): offset = try readMarkup(at: place)
      case UInt8(ascii: "/"): throw fault(.mismatchedTag, at: place, expected: "the end of the document")
      default: throw fault(.secondRoot, at: place, expected: "the end of the document")
      }
    }
  }

  private func isDeclaration(at place: Int) -> Bool {
    hasPrefix("<?xml", at: place) && place &+ 5 < bytes.count
      && (XMLCharacters.isBlank(bytes[place &+ 5]) || bytes[place &+ 5] == UInt8(ascii: "?"))
  }

  /// `<?xml version="1.0" encoding="utf-8" standalone="yes"?>` (section 2.8). Comes back with the offset behind it.
  private mutating func readDeclaration(at start: Int) throws(XMLFault) -> Int {
    guard let version = try readPart("version", at: start &+ 5) else {
      throw fault(.declaration, at: behindBlanks(start &+ 5), expected: "“version”")
    }
    guard version.value.hasPrefix("1."), version.value.utf8.count > 2,
      version.value.utf8.dropFirst(2).allSatisfy({ (48...57).contains($0) })
    else { throw fault(.declaration, at: version.start, expected: "version 1.0") }
    var end = version.end
    if let encoding = try readPart("encoding", at: end) {
      switch places.encoding.isNamed(encoding.value) {
      case true?: break
      case false?:
        let expected = "the name of the encoding that the document is in"
        throw fault(.encodingConflict, at: encoding.start, expected: expected)
      case nil:
        let expected = "UTF-8, UTF-16, ISO-8859-1, windows-1252 or US-ASCII"
        throw fault(.encoding, at: encoding.start, expected: expected)
      }
      end = encoding.end
    }
    if let standalone = try readPart("standalone", at: end) {
      guard standalone.value == "yes" || standalone.value == "no" else {
        throw fault(.declaration, at: standalone.start, expected: "“yes” or “no”")
      }
      end = standalone.end
    }
    end = behindBlanks(end)
    guard hasPrefix("?>", at: end) else {
      if bytes.count &- end < 2 { throw atEnd(expected: "“?>”") }
      throw fault(.declaration, at: end, expected: "“?>”")
    }
    return end &+ 2
  }

  /// ` name="value"`; `nil` where something else stands there. Values are short, and have no blanks in them.
  private mutating func readPart(
    _ name: StaticString, at start: Int
  ) throws(XMLFault) -> (value: String, start: Int, end: Int)? {
    var place = behindBlanks(start)
    guard place > start, hasPrefix(name, at: place) else { return nil }
    let (quote, valueStart) = try readQuote(behindName: place &+ name.utf8CodeUnitCount, else: .declaration)
    place = valueStart
    while place < bytes.count, bytes[place] != quote {
      let byte = bytes[place]
      guard XMLCharacters.isNameByte(byte) else {
        throw fault(.declaration, at: place, expected: "a letter, a digit or a quotation mark")
      }
      place &+= 1
    }
    guard place < bytes.count else { throw atEnd(expected: "a quotation mark") }
    return (string(valueStart, place), valueStart, place &+ 1)
  }
}
