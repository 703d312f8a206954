/// The Unique Service Name: `uuid:` and a UUID, in most messages followed by `::` and a target.
///
/// All functions look at bytes in place and allocate nothing. A control point takes any non-empty string for a UUID
/// (UDA-1.1.4-UUID-ANY: Sonos sends `RINCON_…`, D27); whether it has the standard form is asked apart. UUIDs that
/// differ only in the case of their letters are one UUID everywhere in Rollcall (H-UUID-CASE).
public enum USN {
  /// Where the parts of a USN stand; offsets count from the first byte of what was split.
  @frozen public struct Parts: Hashable, Sendable {
    /// The UUID without `uuid:`; never empty.
    public var uuid: Range<Int>
    /// What follows the first `::`; `nil` for a bare UUID (D23), empty where nothing follows.
    public var target: Range<Int>?

    @inlinable public init(uuid: Range<Int>, target: Range<Int>?) { (self.uuid, self.target) = (uuid, target) }
  }

  /// Bytes of the scheme, `uuid:`.
  public static let schemeByteCount = 5

  /// Takes a USN apart; `nil` where it names no UUID (D29): another scheme, or a colon where the UUID should begin.
  ///
  /// The scheme is read without regard to case (D28). The UUID ends at the first `::`.
  public static func split(_ bytes: UnsafeRawBufferPointer) -> Parts? {
    guard ASCIICase.hasPrefix(bytes, "uuid:") else { return nil }
    let count = bytes.count
    guard count > schemeByteCount, bytes[schemeByteCount] != UInt8(ascii: ":") else { return nil }
    var end = schemeByteCount &+ 1
    while end &+ 1 < count {
      if bytes[end] == UInt8(ascii: ":"), bytes[end &+ 1] == UInt8(ascii: ":") {
        return Parts(uuid: schemeByteCount..<end, target: (end &+ 2)..<count)
      }
      end &+= 1
    }
    return Parts(uuid: schemeByteCount..<count, target: nil)
  }

  /// Whether a UUID, without its scheme, has the standard form: 8-4-4-4-12 hexadecimal digits (UDA-1.1.4-UUID-FORM).
  public static func isStandardUUIDForm(_ uuid: UnsafeRawBufferPointer) -> Bool {
    guard uuid.count == 36 else { return false }
    for offset in 0..<36 {
      let byte = uuid[offset]
      switch offset {
      case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
      default: guard byte &- 48 < 10 || ASCIICase.fold(byte) &- 97 < 6 else { return false }
      }
    }
    return true
  }

  /// Whether two UUIDs, without their schemes, are one: the case of letters does not tell them apart.
  public static func areEqualUUIDs(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    ASCIICase.equal(left, right)
  }

  /// A hash of a UUID, without its scheme, that equal UUIDs share; the same in every process and on every processor.
  public static func hash(ofUUID uuid: UnsafeRawBufferPointer) -> UInt64 { ASCIICase.hash(uuid) }

  /// Whether a USN goes with the NT or ST of its message as UDA's tables pair them (UDA-1.2.2-USN-T1).
  ///
  /// What follows `::` is the NT, byte for byte; a bare UUID goes with the NT `uuid:` and the same UUID.
  public static func goes(_ usn: UnsafeRawBufferPointer, with target: UnsafeRawBufferPointer) -> Bool {
    guard let parts = split(usn) else { return false }
    if let named = parts.target { return isSame(UnsafeRawBufferPointer(rebasing: usn[named]), target) }
    return ASCIICase.equal(usn, target)
  }

  /// Whether two buffers hold the same bytes.
  @inline(__always)
  static func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    guard count >= 8 else {
      for offset in 0..<count where left[offset] != right[offset] { return false }
      return true
    }
    func isSame(at offset: Int) -> Bool {
      left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    var offset = 0
    while offset &+ 8 <= count {
      if !isSame(at: offset) { return false }
      offset &+= 8
    }
    // The last word overlaps the one before.
    return isSame(at: count &- 8)
  }
}
