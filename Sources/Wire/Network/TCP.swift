public import RollcallPrimitives

/// The flags of a TCP segment (RFC 9293 section 3.1).
@frozen public struct TCPFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable public static var fin: TCPFlags { TCPFlags(rawValue: 1) }
  @inlinable public static var syn: TCPFlags { TCPFlags(rawValue: 2) }
  @inlinable public static var rst: TCPFlags { TCPFlags(rawValue: 4) }
  @inlinable public static var psh: TCPFlags { TCPFlags(rawValue: 8) }
  @inlinable public static var ack: TCPFlags { TCPFlags(rawValue: 16) }
}

/// A TCP header, decoded (RFC 9293 section 3.1); its options are skipped.
@frozen public struct TCPHeader: Hashable, Sendable, BitwiseCopyable {
  public var sourcePort: UInt16
  public var destinationPort: UInt16
  public var sequence: UInt32
  public var acknowledgment: UInt32
  /// Bytes of the header with its options, 20 ... 60.
  public var headerBytes: Int
  public var flags: TCPFlags
  /// As it stands there, not scaled.
  public var window: UInt16
  public var checksum: UInt16

  /// Reads the header at the start of `segment`; `nil` for a header length below 20 bytes, or a segment that ends inside
  /// its header.
  @inlinable public init?(_ segment: UnsafeRawBufferPointer) {
    guard segment.count >= 20, let base = segment.baseAddress else { return nil }
    headerBytes = Int(NetworkBytes.byte(base, 12) &>> 4) &* 4
    guard headerBytes >= 20, headerBytes <= segment.count else { return nil }
    sourcePort = NetworkBytes.word16(base, 0)
    destinationPort = NetworkBytes.word16(base, 2)
    sequence = NetworkBytes.word32(base, 4)
    acknowledgment = NetworkBytes.word32(base, 8)
    flags = TCPFlags(rawValue: NetworkBytes.byte(base, 13))
    window = NetworkBytes.word16(base, 14)
    checksum = NetworkBytes.word16(base, 16)
  }
}

/// A segment to write.
public struct TCPSegment: Hashable, Sendable {
  public var source: Endpoint
  public var destination: Endpoint
  public var sequence: UInt32
  /// Written where `flags` has `ack`; else zero stands there.
  public var acknowledgment: UInt32
  public var flags: TCPFlags
  public var window: UInt16
  /// The largest segment that the sender takes: an option of a segment with `syn`.
  public var segmentBytesMaximum: UInt16?
  public var payload: [UInt8]

  public init(
    from source: Endpoint, to destination: Endpoint, sequence: UInt32, acknowledgment: UInt32 = 0, flags: TCPFlags,
    window: UInt16 = 65_535, segmentBytesMaximum: UInt16? = nil, payload: [UInt8] = []
  ) {
    (self.source, self.destination) = (source, destination)
    (self.sequence, self.acknowledgment, self.flags) = (sequence, acknowledgment, flags)
    (self.window, self.segmentBytesMaximum, self.payload) = (window, segmentBytesMaximum, payload)
  }

  /// Header and payload in one run of bytes, checksum in place.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    let headerBytes = segmentBytesMaximum == nil ? 20 : 24
    bytes.reserveCapacity(headerBytes + payload.count)
    let acknowledged = flags.contains(.ack) ? acknowledgment : 0
    let words = [
      source.port, destination.port, UInt16(sequence >> 16), UInt16(truncatingIfNeeded: sequence),
      UInt16(acknowledged >> 16), UInt16(truncatingIfNeeded: acknowledged),
      UInt16(headerBytes / 4) << 12 | UInt16(flags.rawValue), window, 0, 0,
    ]
    for word in words { bytes.appendBigEndian(word) }
    if let segmentBytesMaximum {
      bytes += [2, 4]
      bytes.appendBigEndian(segmentBytesMaximum)
    }
    bytes += payload
    var sum = InternetChecksum()
    sum.addPseudoHeader(
      source: source.address, destination: destination.address, protocolNumber: IPProtocol.tcp.rawValue,
      byteCount: bytes.count)
    bytes.withUnsafeBytes { sum.add($0) }
    bytes.setBigEndian(sum.value, at: 16)
    return bytes
  }
}

extension FrameWriter {
  /// The frame of one segment, which is not to be cut in fragments; `nil` where the addresses are of two families, or the
  /// segment is larger than IP can carry.
  public static func tcp(_ link: LinkAddresses, _ segment: TCPSegment, identification: UInt16 = 0) -> [UInt8]? {
    frame(
      link, from: segment.source.address, to: segment.destination.address, protocolNumber: .tcp,
      ipPayload: segment.bytes, hopLimit: 64, hasRouterAlert: false, identification: identification)
  }
}
