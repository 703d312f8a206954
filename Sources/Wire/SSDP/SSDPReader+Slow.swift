import RollcallPrimitives

extension SSDPReader {
  /// The three start lines.
  enum StartLine: CaseIterable {
    case notify, search, response

    var text: StaticString {
      switch self {
      case .notify: "NOTIFY * HTTP/1.1"
      case .search: "M-SEARCH * HTTP/1.1"
      case .response: "HTTP/1.1 200 OK"
      }
    }
  }

  /// Reads anything, a byte at a time, by the table of `SSDPReader`. `count` is at least 1.
  static func readSlowly(
    _ span: borrowing RawSpan, count: Int, mode: SSDPMode, into index: UnsafeMutablePointer<SSDPIndex>
  ) -> Rejection? {
    clear(index)
    var line = 0
    var end = 0
    let wrongEnd = endOfLine(span, count, mode, &line, &end)
    let form: StartLine
    switch startLine(span, end, mode, isWhole: line > end) {
    case .failure(let rejection): return rejection
    case .success(let found): form = found
    }
    if let wrongEnd { return wrongEnd }
    var fieldCount = 0
    while line < count {
      let start = line
      if let wrong = endOfLine(span, count, mode, &line, &end) { return wrong }
      if start == end {
        index.pointee.byteCount = Int32(truncatingIfNeeded: line)
        if mode == .strict, line < count { return Rejection(.bytesAfterBlankLine, at: line) }
        index.pointee.fieldCount = Int32(truncatingIfNeeded: fieldCount)
        decode(span, form, mode, index)
        return nil
      }
      if let wrong = field(span, start, end, mode, &fieldCount, index) { return wrong }
    }
    if mode == .strict { return Rejection(.noBlankLine, at: count) }
    index.pointee.byteCount = Int32(truncatingIfNeeded: count)
    index.pointee.fieldCount = Int32(truncatingIfNeeded: fieldCount)
    decode(span, form, mode, index)
    return nil
  }

  /// Moves `line` to the next line and `end` to the end of this one's text; both are `count` where no line end comes.
  private static func endOfLine(
    _ span: borrowing RawSpan, _ count: Int, _ mode: SSDPMode, _ line: inout Int, _ end: inout Int
  ) -> Rejection? {
    let start = line
    var feed = start
    while feed < count, byte(span, feed) != 10 { feed &+= 1 }
    end = feed
    line = feed < count ? feed &+ 1 : count
    while end > start, byte(span, end &- 1) == 13 { end &-= 1 }
    // A CR at the very end of a datagram is half a line end, so `line > end` says that the line is whole.
    if mode == .lenient { return nil }
    if feed == count { return Rejection(.noBlankLine, at: count) }
    if feed &- end != 1 { return Rejection(.lineEnd, at: end) }
    return nil
  }

  private enum StartLineAnswer {
    case success(StartLine)
    case failure(Rejection)
  }

  /// Which of the three the bytes up to `end` are; `isWhole` says that a line end follows.
  private static func startLine(
    _ span: borrowing RawSpan, _ end: Int, _ mode: SSDPMode, isWhole: Bool
  ) -> StartLineAnswer {
    var longest = 0
    for form in StartLine.allCases {
      let text = form.text
      let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      var same = 0
      while same < end, same < bytes.count, byte(span, same) == bytes[same] { same &+= 1 }
      longest = max(longest, same)
      guard same == bytes.count else { continue }
      var rest = same
      if mode == .lenient { while rest < end, isBlank(byte(span, rest)) { rest &+= 1 } }
      if rest == end { return .success(form) }
    }
    return .failure(Rejection(longest == end && !isWhole ? .tooShort : .startLine, at: longest))
  }

  /// One line that is not blank.
  private static func field(
    _ span: borrowing RawSpan, _ start: Int, _ end: Int, _ mode: SSDPMode, _ fieldCount: inout Int,
    _ index: UnsafeMutablePointer<SSDPIndex>
  ) -> Rejection? {
    let isStrict = mode == .strict
    if isBlank(byte(span, start)) { return isStrict ? Rejection(.foldedLine, at: start) : nil }
    var colon = start
    while colon < end, byte(span, colon) != 58 { colon &+= 1 }
    if colon == end { return isStrict ? Rejection(.noColon, at: start) : nil }
    if colon == start { return isStrict ? Rejection(.emptyName, at: start) : nil }
    var nameEnd = colon
    while isBlank(byte(span, nameEnd &- 1)) { nameEnd &-= 1 }
    if isStrict, nameEnd != colon { return Rejection(.whitespaceBeforeColon, at: nameEnd) }
    if nameEnd &- start > 255 { return isStrict ? Rejection(.tooLong, at: start &+ 255) : nil }
    var value = colon &+ 1
    var valueEnd = end
    while value < valueEnd, isBlank(byte(span, value)) { value &+= 1 }
    while valueEnd > value, isBlank(byte(span, valueEnd &- 1)) || byte(span, valueEnd &- 1) == 13 { valueEnd &-= 1 }
    let number = SSDPNameTable.shared.number(span, start, nameEnd &- start)
    let bit = (1 as UInt32) &<< UInt32(truncatingIfNeeded: number)
    if isStrict {
      for offset in start..<nameEnd where !isToken(byte(span, offset)) { return Rejection(.nameBytes, at: offset) }
      for offset in value..<valueEnd {
        let byte = byte(span, offset)
        if byte < 32 && byte != 9 || byte == 127 { return Rejection(.controlByte, at: offset) }
      }
      if let offset = firstByteNotUTF8(span, value, valueEnd) { return Rejection(.notUTF8, at: offset) }
      if number != 0, index.pointee.seen & bit != 0 { return Rejection(.duplicateField, at: start) }
    }
    if fieldCount == SSDPIndex.fieldCountMaximum { return Rejection(.tooManyFields, at: start) }
    let field = pack(
      nameStart: start, nameCount: nameEnd &- start, field: number, valueStart: value, valueCount: valueEnd &- value)
    index.setField(field, at: fieldCount)
    if index.pointee.seen & bit == 0 {
      index.setPosition(fieldCount, of: number)
    } else {
      index.pointee.repeated |= bit
    }
    fieldCount &+= 1
    index.pointee.seen |= bit
    return nil
  }

  @inline(__always) static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// A byte in lower case; only letters change.
  @inline(__always) static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }
}
