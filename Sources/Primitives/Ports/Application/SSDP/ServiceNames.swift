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

  /// How many bytes of a storage are taken, and how many there are.
  @usableFromInline struct Use: BitwiseCopyable {
    @usableFromInline var taken: UInt32
    @usableFromInline let count: UInt32
  }

  @usableFromInline final class Storage: ManagedBuffer<Use, UInt8> {}

  /// Where names are written, one after the other, as long as they fit: not each takes an allocation. The bytes are
  /// given back when nobody has any of them. Copies share what is left, and may not be used at the same time.
  package struct Room: @unchecked Sendable {
    private let byteCount: Int
    private var storage: Storage?

    /// - Parameter byteCount: of an allocation; what takes more has one of its own.
    package init(byteCount: Int) { self.byteCount = byteCount }

    fileprivate mutating func take(_ count: Int) -> (storage: Storage, offset: UInt32) {
      let count = UInt32((count + 7) & ~7)
      if let storage {
        let use = storage.withUnsafeMutablePointerToHeader { $0.pointee }
        if use.count &- use.taken >= count {
          storage.withUnsafeMutablePointerToHeader { $0.pointee.taken = use.taken &+ count }
          return (storage, use.taken)
        }
      }
      return (begin(count), 0)
    }

    @inline(never) private mutating func begin(_ count: UInt32) -> Storage {
      let size = max(Int(count), byteCount)
      let made = Storage.create(minimumCapacity: size) { _ in Use(taken: count, count: UInt32(size)) }
      let storage = unsafeDowncast(made, to: Storage.self)
      if size == byteCount { self.storage = storage }
      return storage
    }
  }

  /// The header, USN, ST, the device, and LOCATION where there is one. Written once, before anybody else sees it.
  @usableFromInline let storage: Storage
  /// Where that begins.
  @usableFromInline let offset: UInt32

  public init(device: String, usn: String, target: String, location: String?) {
    var (device, usn, target, place) = (device, usn, target, location ?? "")
    var room = Room(byteCount: 0)
    self = device.withUTF8 { device in
      usn.withUTF8 { usn in
        target.withUTF8 { target in
          place.withUTF8 { place in
            ServiceNames(
              UnsafeRawBufferPointer(usn), UnsafeRawBufferPointer(target), "", UnsafeRawBufferPointer(device),
              UnsafeRawBufferPointer(place), hasLocation: location != nil, isPlain: nil, in: &room)
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
    location: UnsafeRawBufferPointer?, in room: inout Room
  ) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    self.init(
      usn, target, uuid == nil ? "" : "uuid:", uuid ?? nothing, location ?? nothing, hasLocation: location != nil,
      isPlain: true, in: &room)
  }

  /// - Parameters:
  ///   - scheme: stands in front of the device.
  ///   - location: empty where there is none.
  ///   - isPlain: whether all of it is; `nil`: nobody looked.
  private init(
    _ usn: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, _ scheme: StaticString,
    _ device: UnsafeRawBufferPointer, _ location: UnsafeRawBufferPointer, hasLocation: Bool, isPlain: Bool?,
    in room: inout Room
  ) {
    let targetEnd = usn.count + target.count
    let deviceStart = targetEnd + scheme.utf8CodeUnitCount
    let deviceEnd = deviceStart + device.count
    let end = deviceEnd + location.count
    let (storage, offset) = room.take(MemoryLayout<Header>.size + end)
    (self.storage, self.offset) = (storage, offset)
    storage.withUnsafeMutablePointerToElements { (elements: UnsafeMutablePointer<UInt8>) -> Void in
      let start = UnsafeMutableRawPointer(elements) + Int(offset)
      let base = start + MemoryLayout<Header>.size
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
      let header = Header(
        usnEnd: UInt32(usn.count), targetEnd: UInt32(targetEnd), deviceEnd: UInt32(deviceEnd), end: UInt32(end),
        hasLocation: hasLocation, isPlain: isPlain ?? PlainText.isPlain(bytes(0, end)), digest: digest.state)
      start.storeBytes(of: header, as: Header.self)
    }
  }

  @inlinable var header: Header {
    storage.withUnsafeMutablePointerToElements {
      UnsafeRawPointer($0).loadUnaligned(fromByteOffset: Int(offset), as: Header.self)
    }
  }

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
      UnsafeRawBufferPointer(
        start: UnsafeRawPointer(elements) + Int(offset) + MemoryLayout<Header>.size + Int(start),
        count: Int(end &- start))
    }
  }

  public static func == (left: ServiceNames, right: ServiceNames) -> Bool {
    if left.storage === right.storage, left.offset == right.offset { return true }
    let (one, other) = (left.header, right.header)
    return one.digest == other.digest && one.usnEnd == other.usnEnd && one.targetEnd == other.targetEnd
      && one.deviceEnd == other.deviceEnd && one.hasLocation == other.hasLocation
      && left.allBytes.elementsEqual(right.allBytes)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
