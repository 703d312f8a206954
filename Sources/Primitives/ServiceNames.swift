/// What an answer says, as text: made once, and shared by all searches that are told of it.
///
/// A service is told to every search that asks for it; four texts that are counted each time cost more than the answer.
/// Its bytes lie in one piece, since whoever writes reports down reads all of them, long after they were last touched.
public final class ServiceNames: Hashable, @unchecked Sendable {
  public let device: String
  /// USN, ST, the device, and LOCATION where there is one. Written once, before anybody else sees it.
  @usableFromInline let base: UnsafeMutableRawPointer
  // Where each of them ends.
  @usableFromInline let usnEnd: UInt32
  @usableFromInline let targetEnd: UInt32
  @usableFromInline let deviceEnd: UInt32
  @usableFromInline let end: UInt32
  public let hasLocation: Bool
  /// Whether no byte is a control, a quotation mark or a backslash: then they may stand between quotation marks.
  public let isPlain: Bool
  /// Of USN, ST and LOCATION.
  public let digest: UInt64

  public init(device: String, usn: String, target: String, location: String?) {
    self.device = device
    let pieces = [usn, target, device, location ?? ""]
    let count = pieces.reduce(0) { $0 + $1.utf8.count }
    base = .allocate(byteCount: max(1, count), alignment: 8)
    let bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
    var end = 0
    let ends = pieces.map { piece in
      UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyBytes(from: piece.utf8)
      end += piece.utf8.count
      return UInt32(end)
    }
    (usnEnd, targetEnd, deviceEnd, self.end) = (ends[0], ends[1], ends[2], ends[3])
    hasLocation = location != nil
    isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
    var digest = Digest()
    digest.combine(usn)
    digest.combine(target)
    if let location { digest.combine(location) }
    self.digest = digest.state
  }

  deinit { base.deallocate() }

  public var usn: String { String(decoding: bytes.usn, as: UTF8.self) }
  public var target: String { String(decoding: bytes.target, as: UTF8.self) }
  public var location: String? { hasLocation ? String(decoding: bytes.location, as: UTF8.self) : nil }

  /// The bytes of all of them; valid as long as the object is.
  @frozen public struct Bytes {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let usnEnd: UInt32
    @usableFromInline let targetEnd: UInt32
    @usableFromInline let deviceEnd: UInt32
    @usableFromInline let end: UInt32
    @inlinable init(_ names: ServiceNames) {
      base = names.base
      (usnEnd, targetEnd, deviceEnd, end) = (names.usnEnd, names.targetEnd, names.deviceEnd, names.end)
    }
    @inlinable public var usn: UnsafeRawBufferPointer { piece(0, usnEnd) }
    @inlinable public var target: UnsafeRawBufferPointer { piece(usnEnd, targetEnd) }
    @inlinable public var device: UnsafeRawBufferPointer { piece(targetEnd, deviceEnd) }
    /// Empty where there is none.
    @inlinable public var location: UnsafeRawBufferPointer { piece(deviceEnd, end) }
    @inlinable public var all: UnsafeRawBufferPointer { piece(0, end) }

    @inlinable func piece(_ from: UInt32, _ to: UInt32) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: base + Int(from), count: Int(to &- from))
    }
  }
  @inlinable public var bytes: Bytes { Bytes(self) }

  public static func == (left: ServiceNames, right: ServiceNames) -> Bool {
    left === right
      || left.digest == right.digest && left.usnEnd == right.usnEnd && left.targetEnd == right.targetEnd
        && left.deviceEnd == right.deviceEnd && left.hasLocation == right.hasLocation
        && left.bytes.all.elementsEqual(right.bytes.all)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
