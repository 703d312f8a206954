extension XMLReader {
  /// The name at `start`; its colon is at `start - 1` where it has none.
  @inline(__always)
  mutating func readName(at start: Int) throws(XMLFault) -> (colon: Int, end: Int) {
    var (place, colon, part) = (start, start &- 1, start)
    while place < bytes.count {
      let byte = bytes[place]
      if XMLCharacters.isNameByte(byte) {
        guard place != part || XMLCharacters.isNameStartByte(byte) else { break }
        place &+= 1
      } else if byte == UInt8(ascii: ":") {
        guard colon < start, place > start else {
          throw fault(.name, at: place, expected: "a name with one colon inside")
        }
        (colon, part) = (place, place &+ 1)
        place &+= 1
      } else if byte >= 0x80 {
        guard let (scalar, count) = XMLCharacters.scalar(bytes, at: place) else { throw badCharacter(at: place) }
        guard place == part ? XMLCharacters.isNameStart(scalar) : XMLCharacters.isName(scalar) else { break }
        place &+= count
      } else {
        break
      }
    }
    guard place > part, place &- start <= limits.nameBytes else { throw badName(from: start, to: place, part: part) }
    return (colon, place)
  }

  @inline(never) private mutating func badName(from start: Int, to end: Int, part: Int) -> XMLFault {
    if end > part {
      return fault(
        .nameTooLong, at: start, expected: "a name of at most \(limits.nameBytes) bytes", found: "a longer one")
    }
    return end < bytes.count ? fault(.name, at: end, expected: "a name") : atEnd(expected: "a name")
  }

  @inline(__always) func behindBlanks(_ place: Int) -> Int {
    var place = place
    while place < bytes.count, XMLCharacters.isBlank(bytes[place]) { place &+= 1 }
    return place
  }

  // MARK: Start tags

  /// The start tag at the offset.
  @inline(__always) mutating func readStartTag() throws(XMLFault) {
    let tagStart = offset
    elementCount &+= 1
    guard elementCount <= limits.elements, open.count < limits.depth else { throw tooManyElements(at: tagStart) }
    let start = tagStart &+ 1
    let (colon, end) = try readName(at: start)
    current = Tag(
      start: start, colon: colon, end: end, namespace: Namespace.none, bindingsAround: bindings.count,
      tagStart: tagStart)
    slots.removeAll(keepingCapacity: true)
    var place = end
    if place < bytes.count, bytes[place] == UInt8(ascii: ">") {
      place &+= 1
    } else {
      place = try readAttributes(from: end)
    }
    if colon >= start || !slots.isEmpty {
      try resolveNames()
    } else {
      current.namespace = defaultNamespace
    }
    open.append(current)
    bindingsInForce = bindings.count
    offset = place
  }

  @inline(never) private mutating func tooManyElements(at tagStart: Int) -> XMLFault {
    if open.count >= limits.depth {
      return fault(
        .tooDeep, at: tagStart, expected: "at most \(limits.depth) elements in each other", found: "one more")
    }
    return fault(.tooManyElements, at: tagStart, expected: "at most \(limits.elements) elements", found: "one more")
  }

  /// What stands between the name of an element and the end of its tag. Comes back with the offset behind that.
  private mutating func readAttributes(from start: Int) throws(XMLFault) -> Int {
    ownValues.removeAll(keepingCapacity: true)
    var place = start
    while true {
      let behind = behindBlanks(place)
      guard behind < bytes.count else { throw atEnd(expected: "the end of a tag") }
      switch bytes[behind] {
      case UInt8(ascii: ">"): return behind &+ 1
      case UInt8(ascii: "/"):
        guard behind &+ 1 < bytes.count else { throw atEnd(expected: "the end of a tag") }
        guard bytes[behind &+ 1] == UInt8(ascii: ">") else { throw fault(.tag, at: behind, expected: "“/>”") }
        hasEndToCome = true
        return behind &+ 2
      default:
        guard behind > place else { throw fault(.tag, at: behind, expected: "a blank, “>” or “/>”") }
        guard slots.count < limits.attributes else {
          throw fault(
            .tooManyAttributes, at: behind, expected: "at most \(limits.attributes) attributes", found: "one more")
        }
        place = try readAttribute(at: behind)
      }
    }
  }

  private mutating func readAttribute(at start: Int) throws(XMLFault) -> Int {
    let (colon, end) = try readName(at: start)
    let (quote, valueStart) = try readQuote(behindName: end, else: .tag)
    let (value, behind) = try readValue(at: valueStart, quote: quote)
    slots.append(AttributeSlot(start: start, colon: colon, end: end, value: value))
    return behind
  }

  /// The `="` behind a name: which quotation mark it is, and where the value begins.
  /// - Parameter reason: of the fault where something else stands there.
  mutating func readQuote(
    behindName end: Int, else reason: XMLFault.Reason
  ) throws(XMLFault) -> (quote: UInt8, valueStart: Int) {
    var place = behindBlanks(end)
    guard place < bytes.count else { throw atEnd(expected: "“=”") }
    guard bytes[place] == UInt8(ascii: "=") else { throw fault(reason, at: place, expected: "“=”") }
    place = behindBlanks(place &+ 1)
    guard place < bytes.count else { throw atEnd(expected: "a value") }
    let quote = bytes[place]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw fault(reason, at: place, expected: "a value in quotation marks")
    }
    return (quote, place &+ 1)
  }

  /// The value that begins at `start`, and where its closing quotation mark ends.
  private mutating func readValue(at start: Int, quote: UInt8) throws(XMLFault) -> (Slice, end: Int) {
    let ownStart = ownValues.count
    var (run, place, hasPieces) = (start, start, false)
    while true {
      while place < bytes.count, !XMLCharacters.isSpecialInValue(bytes[place]) { place &+= 1 }
      guard place < bytes.count else { throw atEnd(expected: "the quotation mark behind a value") }
      let byte = bytes[place]
      switch byte {
      case quote:
        if hasPieces { takeValue(run, place) }
        let slice =
          hasPieces
          ? Slice(start: ownStart, end: ownValues.count, isOwn: true) : Slice(start: start, end: place)
        guard slice.end &- slice.start <= limits.valueBytes else {
          throw fault(
            .valueTooLong, at: start, expected: "a value of at most \(limits.valueBytes) bytes", found: "a longer one")
        }
        return (slice, place &+ 1)
      case UInt8(ascii: "\""), UInt8(ascii: "'"): place &+= 1
      case UInt8(ascii: "<"): throw fault(.lessThanInValue, at: place, expected: "a value without “<”")
      case UInt8(ascii: "&"):
        if let (scalar, end) = try readReference(at: place) {
          takeValue(run, place)
          XMLCharacters.append(scalar, to: &ownValues)
          (run, place, hasPieces) = (end, end, true)
        } else {
          place &+= 1
        }
      case 9, 10, 13:
        // Section 3.3.3: each blank, and each line end, is one space.
        takeValue(run, place)
        ownValues.append(0x20)
        place = byte == 13 ? behindLineEnd(place) : place &+ 1
        (run, hasPieces) = (place, true)
      default: place = try behindCharacter(at: place)
      }
    }
  }

  private mutating func takeValue(_ start: Int, _ end: Int) {
    ownValues.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
  }

  // MARK: End tags

  /// The end tag at the offset, which has to be that of the innermost element.
  @inline(__always) mutating func readEndTag() throws(XMLFault) {
    let top = open[open.count &- 1]
    let start = offset &+ 2
    let end = start &+ (top.end &- top.start)
    guard end < bytes.count, isSame(top.start, start, end &- start) else { throw wrongEndTag() }
    var place = end
    if bytes[place] != UInt8(ascii: ">") {
      place = behindBlanks(place)
      guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else { throw wrongEndTag() }
    }
    open[open.count &- 1].tagStart = offset
    offset = place &+ 1
  }

  /// Whether the document has the same bytes at both offsets.
  @inline(__always) private func isSame(_ left: Int, _ right: Int, _ count: Int) -> Bool {
    for index in 0..<count where bytes[left &+ index] != bytes[right &+ index] { return false }
    return true
  }

  @inline(never) private mutating func wrongEndTag() -> XMLFault {
    let (start, expected) = (offset &+ 2, "“</\(innermost)>”")
    do throws(XMLFault) {
      let end = try readName(at: start).end
      if !string(start, end).utf8.elementsEqual(innermost.utf8) {
        if end == bytes.count { return atEnd(expected: expected) }
        return fault(.mismatchedTag, at: offset, expected: expected, found: "“</\(string(start, end))>”")
      }
      let place = behindBlanks(end)
      return place < bytes.count ? fault(.tag, at: place, expected: "“>”") : atEnd(expected: expected)
    } catch {
      return error
    }
  }
}
