/// The header of an 802.11 frame, as far as it tells where an IP packet begins (IEEE 802.11 section 9.2.3).
@frozen public struct WirelessHeader: Hashable, Sendable, BitwiseCopyable {
  public enum Content: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// LLC and one packet follow.
    case packet
    /// A management or control frame, or a data frame without data.
    case nothing
    /// The body is encrypted.
    case protected
    /// One of several fragments, or several packets in one frame (A-MSDU): not put together here.
    case pieces
  }

  public var content: Content
  /// Bytes before LLC, without the padding that some cards add.
  public var headerBytes: Int

  /// Reads the header at the start of `frame`; `nil` where the frame ends inside it, or for another version.
  public init?(_ frame: UnsafeRawBufferPointer) {
    guard frame.count >= 2, let base = frame.baseAddress else { return nil }
    let (control, flags) = (NetworkBytes.byte(base, 0), NetworkBytes.byte(base, 1))
    guard control & 3 == 0 else { return nil }
    content = .nothing
    headerBytes = 0
    // Type 2 is data; subtypes with bit 2 set carry none.
    guard control & 0x0C == 0x08, control & 0x40 == 0 else { return }
    headerBytes = 24
    if flags & 3 == 3 { headerBytes += 6 }
    let hasQoS = control & 0x80 != 0
    let qosOffset = headerBytes
    if hasQoS { headerBytes += flags & 0x80 != 0 ? 6 : 2 }
    guard headerBytes <= frame.count else { return nil }
    if flags & 0x40 != 0 {
      content = .protected
    } else if flags & 4 != 0 || NetworkBytes.byte(base, 22) & 15 != 0 {
      content = .pieces
    } else if hasQoS, NetworkBytes.byte(base, qosOffset) & 0x80 != 0 {
      content = .pieces
    } else {
      content = .packet
    }
  }
}

/// The header that a capture puts before an 802.11 frame to say how it was received (radiotap.org).
@frozen public struct RadiotapHeader: Hashable, Sendable, BitwiseCopyable {
  public var headerBytes: Int
  /// Whether the card padded the 802.11 header to a multiple of four bytes.
  public var padsHeader: Bool

  /// Reads the header at the start of `frame`; `nil` for another version, or where the frame ends inside it.
  public init?(_ frame: UnsafeRawBufferPointer) {
    guard frame.count >= 8, let base = frame.baseAddress, NetworkBytes.byte(base, 0) == 0 else { return nil }
    headerBytes = Int(NetworkBytes.word16(base, 2).byteSwapped)
    guard headerBytes >= 8, headerBytes <= frame.count else { return nil }
    let present = NetworkBytes.word32(base, 4).byteSwapped
    padsHeader = false
    guard present & 2 != 0 else { return }
    // Further words of the bit map stand before the fields, and the top bit of each announces the next.
    var offset = 8
    var word = present
    while word & 0x8000_0000 != 0 {
      guard offset + 4 <= headerBytes else { return nil }
      word = NetworkBytes.word32(base, offset).byteSwapped
      offset += 4
    }
    // The flags are the second field; before them stands a 64-bit time, aligned to its size, or nothing.
    if present & 1 != 0 { offset = ((offset + 7) & ~7) + 8 }
    guard offset < headerBytes else { return nil }
    padsHeader = NetworkBytes.byte(base, offset) & 0x20 != 0
  }
}
