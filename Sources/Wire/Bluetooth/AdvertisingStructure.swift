/// One structure of advertising data: a length byte that counts what follows it, a type byte, and data.
@frozen public struct AdvertisingStructure: Hashable, Sendable, BitwiseCopyable {
  /// What the data means: an assigned number.
  @frozen public struct Kind: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable public static var flags: Kind { Kind(rawValue: 0x01) }
    @inlinable public static var incompleteServices16: Kind { Kind(rawValue: 0x02) }
    @inlinable public static var services16: Kind { Kind(rawValue: 0x03) }
    @inlinable public static var incompleteServices32: Kind { Kind(rawValue: 0x04) }
    @inlinable public static var services32: Kind { Kind(rawValue: 0x05) }
    @inlinable public static var incompleteServices128: Kind { Kind(rawValue: 0x06) }
    @inlinable public static var services128: Kind { Kind(rawValue: 0x07) }
    @inlinable public static var shortenedName: Kind { Kind(rawValue: 0x08) }
    @inlinable public static var completeName: Kind { Kind(rawValue: 0x09) }
    @inlinable public static var transmitPower: Kind { Kind(rawValue: 0x0A) }
    @inlinable public static var solicitedServices16: Kind { Kind(rawValue: 0x14) }
    @inlinable public static var solicitedServices128: Kind { Kind(rawValue: 0x15) }
    @inlinable public static var serviceData16: Kind { Kind(rawValue: 0x16) }
    @inlinable public static var appearance: Kind { Kind(rawValue: 0x19) }
    @inlinable public static var solicitedServices32: Kind { Kind(rawValue: 0x1F) }
    @inlinable public static var serviceData32: Kind { Kind(rawValue: 0x20) }
    @inlinable public static var serviceData128: Kind { Kind(rawValue: 0x21) }
    @inlinable public static var manufacturerData: Kind { Kind(rawValue: 0xFF) }
  }

  public var kind: Kind
  /// Where the length byte stands, from the first byte of the buffer.
  public var offset: Int
  /// Bytes of data: 0 ... 254.
  public var count: Int
  /// Where the data stands in the buffer.
  @inlinable public var data: Range<Int> {
    Range(uncheckedBounds: (offset &+ 2, offset &+ 2 &+ count))
  }
  @inlinable init(kind: Kind, offset: Int, count: Int) {
    (self.kind, self.offset, self.count) = (kind, offset, count)
  }
}

/// Goes through the structures of one buffer of advertising data, without an allocation.
///
/// An advertisement and a scan response are two buffers: a host that joins them finds structures that nobody sent.
@frozen public struct AdvertisingWalk {
  public enum End: Hashable, Sendable, BitwiseCopyable {
    /// The last structure ended with the buffer.
    case whole
    /// A zero length byte stands there: what follows is no data. No fault.
    case padding(at: Int)
    /// The structure there says that it is longer than what is left.
    case overrun(at: Int)
  }

  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline let count: Int
  /// Where the next structure stands, or what is none.
  @usableFromInline var offset = 0
  /// Why there is no next structure; meaningful when `next` has said so.
  @inlinable public var end: End {
    offset >= count ? .whole : bytes[offset] == 0 ? .padding(at: offset) : .overrun(at: offset)
  }

  @inlinable public init(_ bytes: UnsafeRawBufferPointer) { (self.bytes, count) = (bytes, bytes.count) }

  /// The next structure; `nil` at the end of the data, as `end` tells.
  @inlinable @inline(__always) public mutating func next() -> AdvertisingStructure? {
    guard offset < count else { return nil }
    // A length of zero wraps, so that one comparison refuses it and those that are longer than what is left.
    let size = Int(bytes[offset]) &- 1
    guard UInt(bitPattern: size) < UInt(bitPattern: count &- offset &- 1) else { return nil }
    let found = AdvertisingStructure(
      kind: AdvertisingStructure.Kind(rawValue: bytes[offset &+ 1]), offset: offset, count: size)
    offset &+= size &+ 2
    return found
  }
}

extension AdvertisingStructure {
  /// The bytes of a structure; data beyond 254 bytes, for which no length can be written, is cut.
  public static func bytes(_ kind: Kind, _ data: some Collection<UInt8>) -> [UInt8] {
    let kept = data.prefix(254)
    return [UInt8(kept.count + 1), kind.rawValue] + kept
  }
}
