/// A basic frame of L2CAP: what a connection of Bluetooth LE carries to one of its channels.
///
/// Four bytes stand before the payload: its length in bytes and the channel, lowest byte first.
@frozen public struct ChannelFrame: Hashable, Sendable {
  /// The number of a channel. 4, 5 and 6 are there on each connection; 0 is no channel; 0x40 ... 0x7F are opened on
  /// request. All others are kept as they are.
  @frozen public struct Channel: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `AttributePDU`.
    @inlinable public static var attributes: Channel { Channel(rawValue: 4) }
    /// Requests for other parameters of the connection, and for more channels.
    @inlinable public static var signalling: Channel { Channel(rawValue: 5) }
    /// Pairing.
    @inlinable public static var security: Channel { Channel(rawValue: 6) }
  }

  public static let headerBytes = 4
  public static let payloadBytesMaximum = 0xFFFF

  public var channel: Channel
  /// Where the payload stands, from the first byte of the header.
  public var payload: Range<Int>

  /// Bytes of header and payload.
  @inlinable public var byteCount: Int { payload.upperBound }

  /// Reads the frame at the start of `bytes`, whatever stands behind it.
  ///
  /// A packet of HCI may end before the frame does: then the fault is `cut`, and the rest is in later packets. It is
  /// `tooShort` where even the header is not whole. The offset of both is where the bytes end.
  public init(_ bytes: UnsafeRawBufferPointer) throws(RadioFault) {
    guard bytes.count >= ChannelFrame.headerBytes else { throw RadioFault(.tooShort, at: bytes.count) }
    channel = Channel(rawValue: bytes.little16(2))
    payload = ChannelFrame.headerBytes..<ChannelFrame.headerBytes + Int(bytes.little16(0))
    guard payload.upperBound <= bytes.count else { throw RadioFault(.cut, at: bytes.count) }
  }

  /// The bytes of a frame with at most 65535 bytes of payload.
  public static func bytes(_ channel: Channel, _ payload: [UInt8]) -> [UInt8] {
    precondition(payload.count <= payloadBytesMaximum, "a frame of \(payload.count) bytes")
    return [UInt8](littleEndian: UInt64(payload.count), count: 2)
      + [UInt8](littleEndian: UInt64(channel.rawValue), count: 2) + payload
  }
}
