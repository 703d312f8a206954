/// The first byte of each packet of a session.
package enum SessionPacketKind: UInt8, Hashable, Sendable, CaseIterable {
  case hello = 1
  case welcome, refusal, plain, sealed
}

/// What stands in front of the frames of a packet: its kind, the receiver's number of the connection, and its own.
package struct SessionHeader: Hashable, Sendable {
  package static let byteCount = 17
  /// What sealing adds behind the frames.
  package static let tagBytes = 16

  package var isSealed: Bool
  package var link: UInt64
  /// Counts the packets of one sender on one connection from 0 on, also those that are sent anew.
  package var number: Int
  package init(isSealed: Bool, link: UInt64, number: Int) {
    (self.isSealed, self.link, self.number) = (isSealed, link, number)
  }

  package init(_ bytes: UnsafeRawBufferPointer) throws(SessionFault) {
    var cursor = SessionCursor(bytes)
    let kind = SessionPacketKind(rawValue: try cursor.byte())
    guard kind == .plain || kind == .sealed else { throw SessionFault(.unknownKind, at: 0) }
    isSealed = kind == .sealed
    link = try cursor.number(UInt64.self)
    number = try cursor.counter()
    // A packet without a frame says nothing, and a sealed one has its tag.
    try cursor.need(isSealed ? SessionHeader.tagBytes + 1 : 1)
  }

  /// - Precondition: `buffer` has room for 17 bytes.
  package func write(to buffer: UnsafeMutableRawBufferPointer) {
    buffer[0] = (isSealed ? SessionPacketKind.sealed : .plain).rawValue
    buffer.storeBytes(of: link.bigEndian, toByteOffset: 1, as: UInt64.self)
    buffer.storeBytes(of: UInt64(number).bigEndian, toByteOffset: 9, as: UInt64.self)
  }
}

/// What a piece of reliable data is a part of.
package enum SessionPieceKind: UInt8, Hashable, Sendable, CaseIterable {
  case control = 1
  case message, stream, resource
}

/// One frame of a packet. Bytes are places in the packet.
package enum SessionFrame: Hashable, Sendable {
  package struct Acknowledgement: Hashable, Sendable {
    /// At most this many bytes of bits: a window of 1 024 pieces.
    package static let bitBytesMaximum = 128
    /// The highest packet that was heard, and how long ago.
    package var packet: Int
    package var delayMicroseconds: UInt32
    /// The first piece that was not heard.
    package var next: Int
    /// Bit n, lowest bit of each byte first: piece `next` + 1 + n was heard.
    package var bits: Range<Int>
    package init(packet: Int, delayMicroseconds: UInt32, next: Int, bits: Range<Int>) {
      (self.packet, self.delayMicroseconds, self.next, self.bits) = (packet, delayMicroseconds, next, bits)
    }

    /// Writes the 22 bytes in front of `count` bytes of bits at `offset`.
    package func write(to buffer: UnsafeMutableRawBufferPointer, at offset: Int, count: Int) {
      buffer[offset] = 1
      buffer.storeBytes(of: UInt64(packet).bigEndian, toByteOffset: offset &+ 1, as: UInt64.self)
      buffer.storeBytes(of: delayMicroseconds.bigEndian, toByteOffset: offset &+ 9, as: UInt32.self)
      buffer.storeBytes(of: UInt64(next).bigEndian, toByteOffset: offset &+ 13, as: UInt64.self)
      buffer[offset &+ 21] = UInt8(truncatingIfNeeded: count)
    }
  }

  package struct Piece: Hashable, Sendable {
    /// The bytes in front of its own.
    package static let headerBytes = 17
    /// Counts the pieces of one sender on one connection from 0 on.
    package var sequence: Int
    package var kind: SessionPieceKind
    /// The number of the stream or resource; 0 for the others.
    package var channel: UInt32
    /// Whether the message, stream or resource ends with it.
    package var isLast: Bool
    package var bytes: Range<Int>
    package init(sequence: Int, kind: SessionPieceKind, channel: UInt32, isLast: Bool, bytes: Range<Int>) {
      (self.sequence, self.kind, self.channel) = (sequence, kind, channel)
      (self.isLast, self.bytes) = (isLast, bytes)
    }

    /// Writes the 17 bytes in front of `count` bytes of data at `offset`.
    package func write(to buffer: UnsafeMutableRawBufferPointer, at offset: Int, count: Int) {
      buffer[offset] = 2
      buffer.storeBytes(of: UInt64(sequence).bigEndian, toByteOffset: offset &+ 1, as: UInt64.self)
      buffer[offset &+ 9] = kind.rawValue
      buffer.storeBytes(of: channel.bigEndian, toByteOffset: offset &+ 10, as: UInt32.self)
      buffer[offset &+ 14] = isLast ? 1 : 0
      buffer.storeBytes(of: UInt16(truncatingIfNeeded: count).bigEndian, toByteOffset: offset &+ 15, as: UInt16.self)
    }
  }

  case acknowledgement(Acknowledgement)
  case piece(Piece)
  /// A whole unreliable message.
  case unreliable(Range<Int>)
  /// Asks for an acknowledgement.
  case ping
  /// The sender ends the connection.
  case close(SessionEnd)

  /// The bytes in front of an unreliable message.
  package static let unreliableHeaderBytes = 3
  package static let acknowledgementBytes = 22
  package static let pingBytes = 1
  package static let closeBytes = 2

  /// Writes the 3 bytes in front of an unreliable message of `count` bytes at `offset`.
  package static func writeUnreliableHeader(to buffer: UnsafeMutableRawBufferPointer, at offset: Int, count: Int) {
    buffer[offset] = 3
    buffer.storeBytes(of: UInt16(truncatingIfNeeded: count).bigEndian, toByteOffset: offset &+ 1, as: UInt16.self)
  }

  /// Writes a ping at `offset`.
  package static func writePing(to buffer: UnsafeMutableRawBufferPointer, at offset: Int) { buffer[offset] = 4 }

  /// Writes the end of a connection at `offset`.
  package static func writeClose(_ end: SessionEnd, to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
    buffer[offset] = 5
    buffer[offset &+ 1] = end.rawValue
  }
}

/// Why a connection ends, as the one says to the other.
package enum SessionEnd: UInt8, Hashable, Sendable, CaseIterable {
  /// The session disconnects.
  case left = 1
  case declined, timedOut, cancelled, replaced, certificate, full
  /// The other side broke the rules of this protocol.
  case violation
}

/// Walks over the frames of an opened packet; allocates nothing.
package struct SessionFrames {
  private var cursor: SessionCursor

  /// - Parameter bytes: the packet without the tag; frames begin behind the header.
  package init(_ bytes: UnsafeRawBufferPointer, from offset: Int = SessionHeader.byteCount) {
    cursor = SessionCursor(bytes, from: offset)
  }

  /// The next frame; `nil` behind the last one.
  package mutating func next() throws(SessionFault) -> SessionFrame? {
    guard cursor.restCount > 0 else { return nil }
    let start = cursor.offset
    switch try cursor.byte() {
    case 1:
      let packet = try cursor.counter()
      let delay = try cursor.number(UInt32.self)
      let next = try cursor.counter()
      let place = cursor.offset
      let count = Int(try cursor.byte())
      guard count <= SessionFrame.Acknowledgement.bitBytesMaximum else { throw SessionFault(.overLimit, at: place) }
      return .acknowledgement(.init(packet: packet, delayMicroseconds: delay, next: next, bits: try range(count)))
    case 2:
      let sequence = try cursor.counter()
      var place = cursor.offset
      guard let kind = SessionPieceKind(rawValue: try cursor.byte()) else {
        throw SessionFault(.unknownKind, at: place)
      }
      place = cursor.offset
      let channel = try cursor.number(UInt32.self)
      let hasChannel = kind == .stream || kind == .resource
      guard (channel != 0) == hasChannel else { throw SessionFault(.badValue, at: place) }
      place = cursor.offset
      let flags = try cursor.byte()
      guard flags <= 1 else { throw SessionFault(.badValue, at: place) }
      place = cursor.offset
      let count = Int(try cursor.number(UInt16.self))
      // A piece without bytes that ends nothing would cost its receiver work for nothing.
      guard count > 0 || flags == 1 else { throw SessionFault(.badValue, at: place) }
      return .piece(
        .init(sequence: sequence, kind: kind, channel: channel, isLast: flags == 1, bytes: try range(count)))
    case 3: return .unreliable(try range(Int(try cursor.number(UInt16.self))))
    case 4: return .ping
    case 5:
      let place = cursor.offset
      guard let end = SessionEnd(rawValue: try cursor.byte()) else { throw SessionFault(.badValue, at: place) }
      return .close(end)
    default: throw SessionFault(.unknownKind, at: start)
    }
  }

  private mutating func range(_ count: Int) throws(SessionFault) -> Range<Int> {
    try cursor.need(count)
    defer { cursor.offset &+= count }
    return cursor.offset..<cursor.offset &+ count
  }
}
