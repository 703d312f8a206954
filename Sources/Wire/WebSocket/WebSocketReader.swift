/// Reads the messages of one side of a WebSocket from bytes as they come (RFC 6455, section 5).
///
/// The same bytes give the same messages, however they are cut. A frame is refused as soon as its head says that it is too
/// long, before its bytes are kept.
public struct WebSocketReader: Sendable {
  /// Whose frames are read.
  public enum Side: Hashable, Sendable { case client, server }

  public let side: Side
  /// Of a whole message.
  public let byteCountMaximum: Int
  /// Set with the first byte that cannot be; nothing is read behind it.
  public private(set) var fault: WebSocketFault?
  /// The other side has said its last message; nothing is read behind it.
  public private(set) var isClosed = false

  /// What came and was not read yet, from `start` on, and the offset of its first byte.
  private var bytes: [UInt8] = []
  private var start = 0
  private var baseOffset = 0
  /// The pieces of a message that is not whole yet.
  private var message: (opcode: WebSocketMessage.Opcode, payload: [UInt8], offset: Int)?

  public init(of side: Side, byteCountMaximum: Int) { (self.side, self.byteCountMaximum) = (side, byteCountMaximum) }

  public mutating func take(_ more: some Sequence<UInt8>) {
    if fault != nil || isClosed { return }
    if start > 0 {
      bytes.removeFirst(start)
      baseOffset += start
      start = 0
    }
    bytes += more
  }

  /// The next message that is whole; `nil`: there is none yet, or there will be none any more.
  public mutating func next() -> WebSocketMessage? {
    do throws(WebSocketFault) {
      while fault == nil, !isClosed, let frame = try frame() {
        if let message = try take(frame) {
          if case .close = message { isClosed = true }
          return message
        }
      }
    } catch { fault = error }
    return nil
  }

  private struct Frame {
    var isLast: Bool
    var opcode: WebSocketMessage.Opcode
    var payload: [UInt8]
    /// Of its first byte, and of the first byte of its payload.
    var offset: Int
    var payloadOffset: Int
  }

  private var offset: Int { baseOffset + start }

  /// The next frame that is whole.
  private mutating func frame() throws(WebSocketFault) -> Frame? {
    let count = bytes.count - start
    guard count >= 1 else { return nil }
    let first = bytes[start]
    if first & 0x70 != 0 { throw WebSocketFault(.reservedBits, at: offset) }
    guard let opcode = WebSocketMessage.Opcode(rawValue: first & 0x0F) else {
      throw WebSocketFault(.opcode, at: offset)
    }
    let isLast = first & 0x80 != 0
    if opcode.isControl, !isLast { throw WebSocketFault(.controlFrame, at: offset) }
    if !opcode.isControl, (opcode == .continuation) == (message == nil) { throw WebSocketFault(.fragment, at: offset) }
    guard count >= 2 else { return nil }
    let second = bytes[start + 1]
    if (second & 0x80 != 0) != (side == .client) { throw WebSocketFault(.mask, at: offset + 1) }
    guard let (length, lengthEnd) = try length(second & 0x7F, opcode) else { return nil }
    if length > byteCountMaximum - (message?.payload.count ?? 0), !opcode.isControl {
      throw WebSocketFault(.tooLong, at: offset + 1)
    }
    let headEnd = lengthEnd + (side == .client ? 4 : 0)
    guard count >= headEnd, count - headEnd >= length else { return nil }
    var payload = Array(bytes[start + headEnd..<start + headEnd + length])
    if side == .client {
      for index in payload.indices { payload[index] ^= bytes[start + lengthEnd + index & 3] }
    }
    let frame = Frame(
      isLast: isLast, opcode: opcode, payload: payload, offset: offset, payloadOffset: offset + headEnd)
    start += headEnd + length
    return frame
  }

  /// How long the payload is, and where the head goes on; `nil`: that has not come yet.
  private func length(_ short: UInt8, _ opcode: WebSocketMessage.Opcode) throws(WebSocketFault) -> (Int, Int)? {
    if short < 126 { return (Int(short), 2) }
    if opcode.isControl { throw WebSocketFault(.controlFrame, at: offset + 1) }
    let byteCount = short == 126 ? 2 : 8
    guard bytes.count - start >= 2 + byteCount else { return nil }
    let value = bytes[start + 2..<start + 2 + byteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard value >= (short == 126 ? 126 : 65_536), value <= UInt64(Int64.max) else {
      throw WebSocketFault(.length, at: offset + 1)
    }
    return (Int(value), 2 + byteCount)
  }

  /// - Returns: the message that is whole with this frame.
  private mutating func take(_ frame: Frame) throws(WebSocketFault) -> WebSocketMessage? {
    switch frame.opcode {
    case .ping: return .ping(frame.payload)
    case .pong: return .pong(frame.payload)
    case .close: return try close(frame)
    case .text, .binary: message = (frame.opcode, frame.payload, frame.payloadOffset)
    case .continuation: message?.payload += frame.payload
    }
    guard frame.isLast, let whole = message else { return nil }
    message = nil
    if whole.opcode == .binary { return .binary(whole.payload) }
    guard let text = String(validating: whole.payload, as: UTF8.self) else {
      throw WebSocketFault(.notUTF8, at: whole.offset)
    }
    return .text(text)
  }

  private func close(_ frame: Frame) throws(WebSocketFault) -> WebSocketMessage {
    if frame.payload.isEmpty { return .close(status: nil, reason: "") }
    guard frame.payload.count >= 2 else { throw WebSocketFault(.closeStatus, at: frame.payloadOffset) }
    let status = UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
    switch status {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: break
    default: throw WebSocketFault(.closeStatus, at: frame.payloadOffset)
    }
    guard let reason = String(validating: frame.payload[2...], as: UTF8.self) else {
      throw WebSocketFault(.notUTF8, at: frame.payloadOffset + 2)
    }
    return .close(status: status, reason: reason)
  }
}
