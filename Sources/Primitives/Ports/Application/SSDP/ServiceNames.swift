/// What an answer says, as text: made once, and shared by all searches that are told of it.
///
/// A service is told to every search that asks for it; four texts that are counted each time cost more than the answer.
/// Their bytes lie in one piece with what is known of them, since the writer of reports reads all of them, long after
/// they were last touched. A String is made where somebody asks for one.
public struct ServiceNames: Hashable, @unchecked Sendable {
  /// Where each text ends, and what is known of them.
  @usableFromInline struct Header: BitwiseCopyable {
    @usableFromInline let usnEnd: UInt32
    @usableFromInline let targetEnd: UInt32
    @usableFromInline let deviceEnd: UInt32
    @usableFromInline let end: UInt32
    @usableFromInline let hasLocation: Bool
    @usableFromInline let isPlain: Bool
    @usableFromInline let digest: UInt64
  }

  @usableFromInline final class Storage: ManagedBuffer<Header, UInt8> {}

  /// USN, ST, the device, and LOCATION where there is one. Written once, before anybody else sees it.
  @usableFromInline let storage: Storage

  public init(device: String, usn: String, target: String, location: String?) {
    var (device, usn, target, place) = (device, usn, target, location ?? "")
    storage = device.withUTF8 { device in
      usn.withUTF8 { usn in
        target.withUTF8 { target in
          place.withUTF8 { place in
            ServiceNames.make(
              UnsafeRawBufferPointer(usn), UnsafeRawBufferPointer(target), "", UnsafeRawBufferPointer(device),
              UnsafeRawBufferPointer(place), hasLocation: location != nil, isPlain: nil)
          }
        }
      }
    }
  }

  /// The same of bytes as messages have them, all of which are `PlainText.isPlain`: others may not be the text that is
  /// made of them.
  ///
  /// - Parameter uuid: what follows `uuid:` in the name of the device; `nil`: there is none, and the name is empty.
  package init(
    plain usn: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, uuid: UnsafeRawBufferPointer?,
    location: UnsafeRawBufferPointer?
  ) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    storage = ServiceNames.make(
      usn, target, uuid == nil ? "" : "uuid:", uuid ?? nothing, location ?? nothing, hasLocation: location != nil,
      isPlain: true)
  }

  /// - Parameters:
  ///   - scheme: stands in front of the device.
  ///   - location: empty where there is none.
  ///   - isPlain: whether all of it is; `nil`: nobody looked.
  private static func make(
    _ usn: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, _ scheme: StaticString,
    _ device: UnsafeRawBufferPointer, _ location: UnsafeRawBufferPointer, hasLocation: Bool, isPlain: Bool?
  ) -> Storage {
    let targetEnd = usn.count + target.count
    let deviceStart = targetEnd + scheme.utf8CodeUnitCount
    let deviceEnd = deviceStart + device.count
    let end = deviceEnd + location.count
    let made = Storage.create(minimumCapacity: end) { buffer in
      buffer.withUnsafeMutablePointerToElements { (elements: UnsafeMutablePointer<UInt8>) -> Header in
        let base = UnsafeMutableRawPointer(elements)
        func put(_ bytes: UnsafeRawBufferPointer, at place: Int) {
          if let source = bytes.baseAddress { (base + place).copyMemory(from: source, byteCount: bytes.count) }
        }
        func bytes(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
          UnsafeRawBufferPointer(start: base + start, count: end - start)
        }
        put(usn, at: 0)
        put(target, at: usn.count)
        (base + targetEnd).copyMemory(from: scheme.utf8Start, byteCount: scheme.utf8CodeUnitCount)
        put(device, at: deviceStart)
        put(location, at: deviceEnd)
        var digest = Digest()
        digest.combine(Digest.hash(bytes(0, usn.count)))
        digest.combine(Digest.hash(bytes(usn.count, targetEnd)))
        digest.combine(Digest.hash(bytes(targetEnd, deviceEnd)))
        if hasLocation { digest.combine(Digest.hash(bytes(deviceEnd, end))) }
        return Header(
          usnEnd: UInt32(usn.count), targetEnd: UInt32(targetEnd), deviceEnd: UInt32(deviceEnd), end: UInt32(end),
          hasLocation: hasLocation, isPlain: isPlain ?? PlainText.isPlain(bytes(0, end)), digest: digest.state)
      }
    }
    return unsafeDowncast(made, to: Storage.self)
  }

  @inlinable var header: Header { storage.withUnsafeMutablePointerToHeader { $0.pointee } }

  @inlinable public var hasLocation: Bool { header.hasLocation }
  /// Whether all bytes are `PlainText.isPlain`: then they may stand between quotation marks as they are.
  @inlinable public var isPlain: Bool { header.isPlain }
  /// Of all four.
  @inlinable public var digest: UInt64 { header.digest }

  public var device: String { String(decoding: deviceBytes, as: UTF8.self) }
  public var usn: String { String(decoding: usnBytes, as: UTF8.self) }
  public var target: String { String(decoding: targetBytes, as: UTF8.self) }
  public var location: String? { hasLocation ? String(decoding: locationBytes, as: UTF8.self) : nil }

  // The same as bytes, valid as long as somebody has the names.
  @inlinable public var usnBytes: UnsafeRawBufferPointer { bytes(0, header.usnEnd) }
  @inlinable public var targetBytes: UnsafeRawBufferPointer { bytes(header.usnEnd, header.targetEnd) }
  @inlinable public var deviceBytes: UnsafeRawBufferPointer { bytes(header.targetEnd, header.deviceEnd) }
  /// Empty where there is none.
  @inlinable public var locationBytes: UnsafeRawBufferPointer { bytes(header.deviceEnd, header.end) }
  /// All four, one after the other.
  @inlinable public var allBytes: UnsafeRawBufferPointer { bytes(0, header.end) }

  @inlinable func bytes(_ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
    storage.withUnsafeMutablePointerToElements { elements in
      UnsafeRawBufferPointer(start: UnsafeRawPointer(elements) + Int(start), count: Int(end &- start))
    }
  }

  public static func == (left: ServiceNames, right: ServiceNames) -> Bool {
    if left.storage === right.storage { return true }
    let (one, other) = (left.header, right.header)
    return one.digest == other.digest && one.usnEnd == other.usnEnd && one.targetEnd == other.targetEnd
      && one.deviceEnd == other.deviceEnd && one.hasLocation == other.hasLocation
      && left.allBytes.elementsEqual(right.allBytes)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
