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
    let count = usn.utf8.count + target.utf8.count + device.utf8.count + (location?.utf8.count ?? 0)
    let base = UnsafeMutableRawPointer.allocate(byteCount: max(1, count), alignment: 8)
    let end1 = ServiceNames.write(usn, to: base, from: 0)
    let end2 = ServiceNames.write(target, to: base, from: end1)
    let end3 = ServiceNames.write(device, to: base, from: end2)
    let end = ServiceNames.write(location ?? "", to: base, from: end3)
    (self.base, usnEnd, targetEnd, deviceEnd, self.end) = (base, end1, end2, end3, end)
    hasLocation = location != nil
    isPlain = PlainText.isPlain(UnsafeRawBufferPointer(start: base, count: count))
    var digest = Digest()
    digest.combine(Digest.hash(UnsafeRawBufferPointer(start: base, count: Int(end1))))
    digest.combine(Digest.hash(UnsafeRawBufferPointer(start: base + Int(end1), count: Int(end2 - end1))))
    if hasLocation {
      digest.combine(Digest.hash(UnsafeRawBufferPointer(start: base + Int(end3), count: Int(end - end3))))
    }
    self.digest = digest.state
  }

  /// Copies text to this place; where it ends there.
  private static func write(_ text: String, to base: UnsafeMutableRawPointer, from start: UInt32) -> UInt32 {
    let place = base + Int(start)
    let count = text.utf8.count
    let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable {
      if let bytes = $0.baseAddress { place.copyMemory(from: bytes, byteCount: count) }
    }
    if isCopied == nil {
      for (offset, byte) in text.utf8.enumerated() { place.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
    }
    return start + UInt32(count)
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
