/// What an answer says, as text: made once, and shared by all searches that are told of it.
///
/// A service is told to every search that asks for it; four texts that are counted each time cost more than the answer.
/// Its bytes lie in one piece, since the writer of reports reads all of them, long after they were last touched.
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
  /// Whether all bytes are `PlainText.isPlain`: then they may stand between quotation marks as they are.
  public let isPlain: Bool
  /// Of all four.
  public let digest: UInt64

  public init(device: String, usn: String, target: String, location: String?) {
    self.device = device
    let count = usn.utf8.count + target.utf8.count + device.utf8.count + (location?.utf8.count ?? 0)
    let base = UnsafeMutableRawPointer.allocate(byteCount: max(1, count), alignment: 8)
    func bytes(_ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: base + Int(start), count: Int(end - start))
    }
    let usnEnd = ServiceNames.write(usn, to: base, from: 0)
    let targetEnd = ServiceNames.write(target, to: base, from: usnEnd)
    let deviceEnd = ServiceNames.write(device, to: base, from: targetEnd)
    let end = ServiceNames.write(location ?? "", to: base, from: deviceEnd)
    var digest = Digest()
    digest.combine(Digest.hash(bytes(0, usnEnd)))
    digest.combine(Digest.hash(bytes(usnEnd, targetEnd)))
    digest.combine(Digest.hash(bytes(targetEnd, deviceEnd)))
    if location != nil { digest.combine(Digest.hash(bytes(deviceEnd, end))) }
    (self.base, self.usnEnd, self.targetEnd, self.deviceEnd, self.end) = (base, usnEnd, targetEnd, deviceEnd, end)
    (hasLocation, isPlain, self.digest) = (location != nil, PlainText.isPlain(bytes(0, end)), digest.state)
  }

  /// Copies text to this place; where it ends there.
  private static func write(_ text: String, to base: UnsafeMutableRawPointer, from start: UInt32) -> UInt32 {
    var text = text
    return text.withUTF8 { bytes in
      UnsafeMutableRawBufferPointer(start: base + Int(start), count: bytes.count).copyBytes(from: bytes)
      return start + UInt32(bytes.count)
    }
  }

  deinit { base.deallocate() }

  public var usn: String { String(decoding: usnBytes, as: UTF8.self) }
  public var target: String { String(decoding: targetBytes, as: UTF8.self) }
  public var location: String? { hasLocation ? String(decoding: locationBytes, as: UTF8.self) : nil }

  // The same as bytes, valid as long as the object is.
  @inlinable public var usnBytes: UnsafeRawBufferPointer { bytes(0, usnEnd) }
  @inlinable public var targetBytes: UnsafeRawBufferPointer { bytes(usnEnd, targetEnd) }
  @inlinable public var deviceBytes: UnsafeRawBufferPointer { bytes(targetEnd, deviceEnd) }
  /// Empty where there is none.
  @inlinable public var locationBytes: UnsafeRawBufferPointer { bytes(deviceEnd, end) }
  /// All four, one after the other.
  @inlinable public var allBytes: UnsafeRawBufferPointer { bytes(0, end) }

  @inlinable func bytes(_ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Int(start), count: Int(end &- start))
  }

  public static func == (left: ServiceNames, right: ServiceNames) -> Bool {
    left === right
      || left.digest == right.digest && left.usnEnd == right.usnEnd && left.targetEnd == right.targetEnd
        && left.deviceEnd == right.deviceEnd && left.hasLocation == right.hasLocation
        && left.allBytes.elementsEqual(right.allBytes)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
