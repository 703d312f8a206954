extension SSDPReader {
  /// Reads numbers and NTS out of the fields that were found; values lie inside the datagram, so no place is checked.
  @inline(__always)
  static func decode(
    _ span: borrowing RawSpan, _ form: StartLine, _ mode: SSDPMode, _ index: UnsafeMutablePointer<SSDPIndex>
  ) {
    let seen = index.pointee.seen
    @inline(__always) func has(_ field: SSDPField) -> Bool { seen &>> UInt32(field.rawValue) & 1 != 0 }
    @inline(__always) func range(_ field: SSDPField) -> Range<Int> {
      let index = UnsafePointer(index)
      return SSDPIndex.valueRange(index.field(at: index.position(of: field)))
    }
    switch form {
    case .search: index.pointee.kind = .search
    case .response: index.pointee.kind = .response
    case .notify: if has(.nts) { index.pointee.kind = notifyKind(span, range(.nts), mode) }
    }
    if has(.cacheControl) { index.pointee.maxAgeSeconds = maxAge(span, range(.cacheControl)) }
    if has(.bootID) { index.pointee.bootID = decimal(span, range(.bootID)) }
    if has(.configID) { index.pointee.configID = decimal(span, range(.configID)) }
    if has(.mx) { index.pointee.maximumWaitSeconds = Int32(truncatingIfNeeded: decimal(span, range(.mx))) }
    if seen & rareNumbers != 0 {
      if has(.nextBootID) { index.pointee.nextBootID = decimal(span, range(.nextBootID)) }
      if has(.searchPort) { index.pointee.searchPort = Int32(truncatingIfNeeded: decimal(span, range(.searchPort))) }
    }
  }

  private static var rareNumbers: UInt32 {
    1 &<< UInt32(SSDPField.nextBootID.rawValue) | 1 &<< UInt32(SSDPField.searchPort.rawValue)
  }

  /// What NTS says; the lenient reader does not look at the case of letters.
  @inline(__always)
  private static func notifyKind(_ span: borrowing RawSpan, _ range: Range<Int>, _ mode: SSDPMode) -> SSDPKind {
    let start = range.lowerBound
    if range.count == 10 {
      if inner(span, start) == 0x696C_613A_7064_7373, inner(span, start &+ 2) == 0x6576_696C_613A_7064 {
        return .notifyAlive
      }
    } else if range.count == 11, inner(span, start) == 0x6579_623A_7064_7373 {
      if inner(span, start &+ 3) == 0x6579_6265_7962_3A70 { return .notifyByebye }
    } else if range.count == 11, inner(span, start) == 0x6470_753A_7064_7373 {
      if inner(span, start &+ 3) == 0x6574_6164_7075_3A70 { return .notifyUpdate }
    }
    return mode == .strict ? .notifyOther : caselessNotifyKind(span, range)
  }

  @inline(never)
  private static func caselessNotifyKind(_ span: borrowing RawSpan, _ range: Range<Int>) -> SSDPKind {
    if equals(span, range, "ssdp:alive") { return .notifyAlive }
    if equals(span, range, "ssdp:byebye") { return .notifyByebye }
    if equals(span, range, "ssdp:update") { return .notifyUpdate }
    return .notifyOther
  }

  /// Whether bytes are this lower-case text, the case of their letters aside.
  static func equals(_ span: borrowing RawSpan, _ range: Range<Int>, _ text: StaticString) -> Bool {
    if range.count != text.utf8CodeUnitCount { return false }
    for offset in range where lower(byte(span, offset)) != text.utf8Start[offset &- range.lowerBound] { return false }
    return true
  }

  /// A non-negative decimal number of 31 bits; leading zeros do not count (UDA-1.2.2-BOOT-ZEROS).
  ///
  /// Shape: digits and nothing else. −1 for anything else and for more than 2³¹ − 1.
  @inline(__always)
  static func decimal(_ span: borrowing RawSpan, _ range: Range<Int>) -> Int64 {
    if range.isEmpty { return -1 }
    var value: UInt64 = 0
    var offset = range.lowerBound
    while offset < range.upperBound {
      let digit = innerByte(span, offset) &- 48
      if digit > 9 { return -1 }
      value = value &* 10 &+ UInt64(digit)
      if value > 0x7FFF_FFFF { return -1 }
      offset &+= 1
    }
    return Int64(bitPattern: value)
  }

  /// Seconds of the first max-age directive in a CACHE-CONTROL value (UDA-1.2.2-A-CC, H-CP-MAXAGE).
  ///
  /// Shape: the name in any case as a whole token; then any blanks, `=`, `:` and quotes; then digits, which end at
  /// the first byte that is none. Other directives are ignored wherever they stand. Capped at 2³¹ − 1; −1 without
  /// the directive, without digits, and for negative numbers. Leading zeros are just zeros: decimal, not octal.
  @inline(__always)
  static func maxAge(_ span: borrowing RawSpan, _ range: Range<Int>) -> Int32 {
    let start = range.lowerBound
    if range.count >= 9, inner(span, start) == 0x3D65_6761_2D78_616D, innerByte(span, start &+ 8) &- 48 <= 9 {
      return seconds(span, start &+ 8, range.upperBound)
    }
    return searchedMaxAge(span, range)
  }

  @inline(never)
  private static func searchedMaxAge(_ span: borrowing RawSpan, _ range: Range<Int>) -> Int32 {
    let end = range.upperBound
    var offset = range.lowerBound
    while offset < end {
      // One token or one byte between tokens at a time.
      var tokenEnd = offset
      while tokenEnd < end, isToken(byte(span, tokenEnd)) { tokenEnd &+= 1 }
      if equals(span, offset..<tokenEnd, "max-age") {
        offset = tokenEnd
        while offset < end, isBetweenNameAndNumber(byte(span, offset)) { offset &+= 1 }
        return seconds(span, offset, end)
      }
      offset = max(tokenEnd, offset &+ 1)
    }
    return -1
  }

  private static func isBetweenNameAndNumber(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\"")
  }

  @inline(__always)
  private static func seconds(_ span: borrowing RawSpan, _ start: Int, _ end: Int) -> Int32 {
    var value: UInt64 = 0
    var offset = start
    while offset < end {
      let digit = innerByte(span, offset) &- 48
      if digit > 9 { break }
      value = min(value &* 10 &+ UInt64(digit), 0x7FFF_FFFF)
      offset &+= 1
    }
    return offset == start ? -1 : Int32(truncatingIfNeeded: value)
  }

  /// The first byte of a range that begins no valid UTF-8 sequence.
  static func firstByteNotUTF8(_ span: borrowing RawSpan, _ start: Int, _ end: Int) -> Int? {
    var offset = start
    while offset < end {
      let count = sequenceCount(span, offset, end)
      if count == 0 { return offset }
      offset &+= count
    }
    return nil
  }

  /// Bytes of the UTF-8 sequence at `offset`, 1 ... 4; 0 where there is none: cut, overlong, surrogate or too large.
  static func sequenceCount(_ span: borrowing RawSpan, _ offset: Int, _ end: Int) -> Int {
    let first = byte(span, offset)
    if first < 0x80 { return 1 }
    let count = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
    if count == 0 || offset &+ count > end { return 0 }
    let second = byte(span, offset &+ 1)
    let lowest: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
    let highest: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
    if second < lowest || second > highest { return 0 }
    for next in (offset &+ 2)..<(offset &+ max(2, count)) where byte(span, next) & 0xC0 != 0x80 { return 0 }
    return count
  }
}
