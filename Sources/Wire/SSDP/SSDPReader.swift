public import RollcallPrimitives

/// Reads the form of an SSDP datagram: one pass, no allocation, no copy.
///
/// Form and field rules are apart. The reader refuses what cannot be cut into a start line and fields; whether the
/// fields suffice for anything is `SSDPMessage.check(_:isMulticast:)`. The first line that is wrong decides, and
/// within a line the order of this table. Offsets count bytes from the start of the datagram. A start line is one of
/// the three, letter for letter: HTTP/1.0, a lower-case method, another status are refused in both modes (D11).
///
/// | what stands there | lenient | strict |
/// |---|---|---|
/// | nothing (D04) | `empty` at 0 | same |
/// | more than 65 507 bytes | `tooLong` at 65 507 | same |
/// | a start line that is none of the three | `startLine` at the first byte that differs | same |
/// | a datagram that ends inside a start line (D09) | `tooShort` at its end | same |
/// | blanks after the start line | ignored | `startLine` there |
/// | LF without CR, or more than one CR before LF (D02, D06) | ends the line | `lineEnd` at the byte |
/// | an end before the blank line (D01) | everything before it counts | `noBlankLine` at the end |
/// | a line that starts with a blank (folded, D12) | dropped, never a field | `foldedLine` at the line |
/// | a line without a colon (D07) | skipped | `noColon` at the line |
/// | a colon without a name | skipped | `emptyName` at the line |
/// | blanks between name and colon | not part of the name | `whitespaceBeforeColon` there |
/// | a name of more than 255 bytes | the line is skipped | `tooLong` at its byte 255 |
/// | a name with bytes that no token has | kept as an unknown field | `nameBytes` at the byte |
/// | a control byte other than tab in a value | kept | `controlByte` at the byte |
/// | a value that is not UTF-8 (D14) | kept | `notUTF8` at the byte |
/// | a field of `SSDPField` that was there before (D13) | the first one holds | `duplicateField` at the line |
/// | more than 32 fields | `tooManyFields` at the line | same |
/// | bytes after the blank line (D03, D10) | ignored | `bytesAfterBlankLine` there |
///
/// Numbers that cannot be read are −1 in the index and refuse nothing here: see `SSDPIndex`. NTS is compared letter
/// for letter in strict mode and without regard to case in lenient mode. So strict accepts nothing that lenient
/// refuses, and both cut the same message into the same fields.
public enum SSDPReader {
  /// The largest payload that UDP over IPv4 carries.
  public static let byteCountMaximum = 65_507

  /// Reads a datagram into an index that the caller owns; what stood there before does not matter.
  ///
  /// `PayloadStore.paddingBytes` readable bytes must follow `bytes`; what they hold does not matter. After a
  /// rejection the index holds nothing that may be used.
  @discardableResult
  public static func read(
    _ bytes: UnsafeRawBufferPointer, mode: SSDPMode, into index: UnsafeMutablePointer<SSDPIndex>
  ) -> Rejection? {
    let count = bytes.count
    if count == 0 { return Rejection(.empty, at: 0) }
    if count > byteCountMaximum { return Rejection(.tooLong, at: byteCountMaximum) }
    let padded = UnsafeRawBufferPointer(start: bytes.baseAddress, count: count &+ PayloadStore.paddingBytes).bytes
    if readFast(padded, count: count, mode: mode, into: index) { return nil }
    return readSlowly(padded, count: count, mode: mode, into: index)
  }

  /// Reads a payload once for each mode, however many receivers ask: the index stays in the payload's note.
  ///
  /// The answer is good until the payload is released or read in the other mode.
  @inlinable @inline(__always)
  public static func reading(of payload: Payload, in store: PayloadStore, mode: SSDPMode) -> SSDPReading {
    let note = store.note(of: payload)
    if note.kind == noteKindMessage &+ UInt32(mode.rawValue) {
      return .message(
        SSDPMessage(
          bytes: store.bytes(of: payload), index: UnsafePointer(note.memory.assumingMemoryBound(to: SSDPIndex.self))))
    }
    return firstReading(of: payload, in: store, mode: mode)
  }

  @usableFromInline static let noteKindMessage: UInt32 = 0x5353_4410
  @usableFromInline static let noteKindRejection: UInt32 = 0x5353_4420

  @usableFromInline
  static func firstReading(of payload: Payload, in store: PayloadStore, mode: SSDPMode) -> SSDPReading {
    let note = store.note(of: payload)
    let number = UInt32(mode.rawValue)
    if note.kind == noteKindRejection &+ number {
      return .rejected(note.memory.assumingMemoryBound(to: Rejection.self).pointee)
    }
    let bytes = store.bytes(of: payload)
    let index = note.memory.bindMemory(to: SSDPIndex.self, capacity: 1)
    if let rejection = read(bytes, mode: mode, into: index) {
      note.memory.bindMemory(to: Rejection.self, capacity: 1).initialize(to: rejection)
      store.setNoteKind(noteKindRejection &+ number, of: payload)
      return .rejected(rejection)
    }
    store.setNoteKind(noteKindMessage &+ number, of: payload)
    return .message(SSDPMessage(bytes: bytes, index: UnsafePointer(index)))
  }
}

extension SSDPReader {
  /// Packs one field as `SSDPIndex` describes.
  @inline(__always)
  static func pack(nameStart: Int, nameCount: Int, field: Int, valueStart: Int, valueCount: Int) -> UInt64 {
    UInt64(
      truncatingIfNeeded: nameStart | nameCount &<< 16 | field &<< 24 | valueStart &<< 32 | valueCount &<< 48)
  }

  /// Clears everything that says what is valid; the arrays themselves stay as they are.
  @inline(__always)
  static func clear(_ index: UnsafeMutablePointer<SSDPIndex>) {
    index.pointee.fieldCount = 0
    index.pointee.seen = 0
    index.pointee.repeated = 0
    index.pointee.kind = .notifyOther
    index.pointee.maxAgeSeconds = -1
    index.pointee.bootID = -1
    index.pointee.nextBootID = -1
    index.pointee.configID = -1
    index.pointee.searchPort = -1
    index.pointee.maximumWaitSeconds = -1
    index.pointee.byteCount = 0
  }
}
