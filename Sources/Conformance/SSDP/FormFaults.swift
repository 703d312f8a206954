/// Everything that is wrong with the form of a message, where a strict reader stops at the first thing.
///
/// Read line by line and without the readers of `Wire`, so that what they take for granted is judged as well.
package struct FormFaults: Sendable, BitwiseCopyable {
  package enum Fault: UInt8, Hashable, Sendable, CaseIterable {
    /// None of the three start lines.
    case startLine
    /// LF without CR, or several CRs.
    case lineEnd
    /// A control byte other than tab in a value.
    case controlByte
    case noColon
    case emptyName
    /// A name with bytes that no token has.
    case nameBytes
    /// A line that goes on the one before; RFC 2616 allows it.
    case folded
    case blankBeforeColon
    case noBlankLine
    case bytesAfterBlankLine
    case tooManyFields
  }

  private var bits: UInt16 = 0
  // By fault: an array in place of which more is used than there are.
  private var offsets = SIMD16<Int32>(repeating: -1)

  package init() {}

  package var isEmpty: Bool { bits == 0 }
  package func has(_ fault: Fault) -> Bool { bits >> UInt16(fault.rawValue) & 1 != 0 }
  /// Where it first stands, in bytes from the start of the datagram; −1 without it.
  package func offset(of fault: Fault) -> Int { Int(offsets[Int(fault.rawValue)]) }

  private mutating func note(_ fault: Fault, at offset: Int) {
    if has(fault) { return }
    bits |= 1 << UInt16(fault.rawValue)
    offsets[Int(fault.rawValue)] = Int32(truncatingIfNeeded: offset)
  }

  /// Reads all lines of a datagram.
  package init(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    var isFirst = true
    var fieldCount = 0
    while start < bytes.count {
      var feed = start
      while feed < bytes.count, bytes[feed] != 10 { feed &+= 1 }
      var end = feed
      while end > start, bytes[end &- 1] == 13 { end &-= 1 }
      if feed < bytes.count, feed &- end != 1 { note(.lineEnd, at: end) }
      if isFirst {
        if !FormFaults.isStartLine(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { note(.startLine, at: start) }
        isFirst = false
      } else if end == start, feed < bytes.count {
        if feed &+ 1 < bytes.count { note(.bytesAfterBlankLine, at: feed &+ 1) }
        return
      } else if end > start {
        fieldCount &+= 1
        if fieldCount > 32 { note(.tooManyFields, at: start) }
        readField(bytes, start, end)
      }
      start = feed &+ 1
    }
    note(.noBlankLine, at: bytes.count)
  }

  private mutating func readField(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) {
    var value = start
    if bytes[start] == 32 || bytes[start] == 9 {
      note(.folded, at: start)
    } else {
      var colon = start
      while colon < end, bytes[colon] != 58 { colon &+= 1 }
      if colon == end { return note(.noColon, at: start) }
      if colon == start { note(.emptyName, at: start) }
      var nameEnd = colon
      // The first byte of the line is no blank, and before it stands an LF.
      while bytes[nameEnd &- 1] == 32 || bytes[nameEnd &- 1] == 9 { nameEnd &-= 1 }
      if nameEnd != colon { note(.blankBeforeColon, at: nameEnd) }
      for offset in start..<nameEnd where !FormFaults.isToken(bytes[offset]) {
        note(.nameBytes, at: offset)
        break
      }
      value = colon
    }
    for offset in value..<end where bytes[offset] < 32 && bytes[offset] != 9 || bytes[offset] == 127 {
      note(.controlByte, at: offset)
      break
    }
  }

  /// Whether a byte may stand in a token: no control byte, blank or separator of RFC 2616.
  package static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...32, 127...: return false
    case 34, 40, 41, 44, 47, 58...64, 91, 92, 93, 123, 125: return false
    default: return true
    }
  }

  static func isStartLine(_ line: UnsafeRawBufferPointer) -> Bool {
    Bytes.isExactly(line, "NOTIFY * HTTP/1.1") || Bytes.isExactly(line, "M-SEARCH * HTTP/1.1")
      || Bytes.isExactly(line, "HTTP/1.1 200 OK")
  }

  /// Whether a datagram that no reader takes is still an attempt at SSDP, and whose.
  package static func attempt(_ bytes: UnsafeRawBufferPointer) -> Party.Role? {
    if Bytes.hasPrefix(bytes, ignoringCase: "m-search") { return .controlPoint }
    if Bytes.hasPrefix(bytes, ignoringCase: "notify") || Bytes.hasPrefix(bytes, ignoringCase: "http/") {
      return .device
    }
    return nil
  }
}
