extension SSDPReader {
  /// Reads what well-behaved stacks send; `false` without an opinion for everything else, which then goes to
  /// `readSlowly`. Where it answers `true` the slow reader gives the same index.
  ///
  /// It takes: an exact start line, CR LF everywhere, a blank line, no other control byte (not even a tab) up to
  /// there, names of 1 to 31 bytes directly before their colon, at most 32 fields; in strict mode also nothing after
  /// the blank line, plain ASCII, names that are tokens, no known field twice. The spans it is given hold `count`
  /// bytes and the padding; loads inside them are not checked again.
  static func readFast(
    _ span: borrowing RawSpan, count: Int, mode: SSDPMode, into index: UnsafeMutablePointer<SSDPIndex>
  ) -> Bool {
    // Shorter datagrams have padding behind them.
    let head = inner(span, 0)
    let isStrict = mode == .strict
    let start: Int
    let form: StartLine
    if head == 0x2A20_5946_4954_4F4E, inner(span, 8) == 0x2E31_2F50_5454_4820,
      inner(span, 11) == 0x0A0D_312E_312F_5054
    {
      (form, start) = (.notify, 19)
    } else if head == 0x4843_5241_4553_2D4D, inner(span, 8) == 0x2F50_5454_4820_2A20,
      inner(span, 13) == 0x0A0D_312E_312F_5054
    {
      (form, start) = (.search, 21)
    } else if head == 0x312E_312F_5054_5448, inner(span, 8) == 0x0D4B_4F20_3030_3220, innerByte(span, 16) == 10 {
      (form, start) = (.response, 17)
    } else {
      return false
    }
    if count <= start { return false }
    clear(index)
    let names = SSDPNameTable.shared
    var line = start
    var block = 0
    var fieldCount = 0
    var seen: UInt32 = 0
    var repeated: UInt32 = 0
    scan: while true {
      if block >= count { return false }
      // Control bytes, in strict mode also all that is not ASCII: each has to be of a line end.
      var odd = Lanes.controls(span, block)
      if isStrict { odd |= Lanes.high(span, block) }
      // Not the start line again, nor an LF whose CR was the last byte of the block before.
      if line > block { odd &= ~0 &<< UInt64(truncatingIfNeeded: line &- block) }
      while odd != 0 {
        var end = block &+ odd.trailingZeroBitCount
        let lineStart = line
        line = end &+ 2
        if line > count || innerPair(span, end) != 0x0A0D { return false }
        // CR and LF; behind the last byte of a block there is nothing more to take away.
        odd &= odd &- 1
        odd &= odd &- 1
        if end == lineStart {
          if isStrict && line != count { return false }
          break scan
        }
        guard UInt(bitPattern: fieldCount) < UInt(SSDPIndex.fieldCountMaximum) else { return false }
        // The line that was read into this place before had most often the same name. Whatever stands there, it is
        // only a guess.
        var number = Int(truncatingIfNeeded: UnsafePointer(index).field(at: fieldCount) &>> 24 & 31)
        var nameCount = names.count(of: number)
        var name = names.packed(of: number)
        if innerByte(span, lineStart &+ nameCount) != 58 || !names.begins(span, lineStart, with: number) {
          name = packedName(span, lineStart, end, isStrict: isStrict)
          if name == 0 { return false }
          nameCount = Int(truncatingIfNeeded: name &>> 16 & 31)
          number = Int(truncatingIfNeeded: name &>> 24 & 31)
        }
        // Most values stand behind one blank and end with their line. Values end at the CR at the latest.
        var value = lineStart &+ nameCount &+ 1
        if innerByte(span, value) == 32 { value &+= 1 }
        if innerByte(span, value) == 32 || innerByte(span, end &- 1) == 32 {
          while innerByte(span, value) == 32 { value &+= 1 }
          while end > value, innerByte(span, end &- 1) == 32 { end &-= 1 }
        }
        index.setField(
          name | pack(nameStart: lineStart, nameCount: 0, field: 0, valueStart: value, valueCount: end &- value),
          at: fieldCount)
        let bit = (1 as UInt32) &<< UInt32(truncatingIfNeeded: number)
        if seen & bit == 0 {
          index.setPosition(fieldCount, of: number)
        } else {
          if isStrict, number != 0 { return false }
          repeated |= bit
        }
        fieldCount &+= 1
        seen |= bit
      }
      block &+= 64
    }
    index.pointee.fieldCount = Int32(truncatingIfNeeded: fieldCount)
    index.pointee.seen = seen
    index.pointee.repeated = repeated
    index.pointee.byteCount = Int32(truncatingIfNeeded: line)
    decode(span, form, mode, index)
    return true
  }

  /// The length and number of a name that is not the guessed one, where an index has them; 0 where the slow reader has
  /// to look at the line. `end` is the place of its CR.
  @inline(never)
  private static func packedName(
    _ span: borrowing RawSpan, _ start: Int, _ end: Int, isStrict: Bool
  ) -> UInt64 {
    let count = Lanes.colons(span, start).trailingZeroBitCount
    if count == 0 || count > 31 || start &+ count >= end { return 0 }
    if innerByte(span, start) == 32 || innerByte(span, start &+ count &- 1) == 32 { return 0 }
    let number = SSDPNameTable.shared.number(span, start, count)
    if isStrict, number == 0, !isName(span, start, count) { return 0 }
    return pack(nameStart: 0, nameCount: count, field: number, valueStart: 0, valueCount: 0)
  }

  /// Whether every byte of a name is a token byte.
  private static func isName(_ span: borrowing RawSpan, _ start: Int, _ count: Int) -> Bool {
    var offset = start
    while offset < start &+ count {
      if !isToken(byte(span, offset)) { return false }
      offset &+= 1
    }
    return true
  }
}
