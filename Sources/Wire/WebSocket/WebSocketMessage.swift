/// What is said over a WebSocket (RFC 6455).
public enum WebSocketMessage: Hashable, Sendable {
  case text(String)
  case binary([UInt8])
  /// At most 125 bytes, which the other side sends back.
  case ping([UInt8])
  case pong([UInt8])
  /// The last message of a side. A status of 1000 is the usual end; `nil`: nothing was said.
  case close(status: UInt16?, reason: String)

  /// Of pings, pongs and closes.
  public static let controlByteCountMaximum = 125

  enum Opcode: UInt8 {
    case continuation = 0, text, binary
    case close = 8, ping, pong
    var isControl: Bool { rawValue >= 8 }
  }

  private var content: (opcode: Opcode, payload: [UInt8]) {
    switch self {
    case .text(let text): (.text, Array(text.utf8))
    case .binary(let bytes): (.binary, bytes)
    case .ping(let bytes): (.ping, bytes)
    case .pong(let bytes): (.pong, bytes)
    case .close(nil, _): (.close, [])
    case .close(let status?, let reason):
      (.close, [UInt8(status >> 8), UInt8(truncatingIfNeeded: status)] + Array(reason.utf8))
    }
  }

  /// As one frame (section 5.2).
  /// - Parameter mask: a client masks each frame with a number of its own that nobody can foresee; a server never does.
  public func frame(mask: UInt32?) -> [UInt8] {
    let (opcode, payload) = content
    var frame: [UInt8] = [0x80 | opcode.rawValue]
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    switch payload.count {
    case 0..<126: frame.append(maskBit | UInt8(payload.count))
    case 126..<65_536: frame += [maskBit | 126, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
    default:
      frame.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    guard let mask else { return frame + payload }
    let key = WebSocketMessage.bytes(of: mask)
    return frame + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
  }

  private static func bytes(of mask: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: mask >> $0) }
  }
}

/// Why what comes is no WebSocket, and at which byte behind the handshake.
public struct WebSocketFault: Error, Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// A bit that only extensions use.
    case reservedBits
    case opcode
    /// A client has to mask, a server must not.
    case mask
    /// A ping, pong or close in pieces, or of more than 125 bytes.
    case controlFrame
    /// Written with more bytes than it needs, or with the highest bit.
    case length
    case tooLong
    /// A piece of a message that was not begun, or the beginning of another one within it.
    case fragment
    case notUTF8
    /// A close of one byte, or with a status that nobody may send.
    case closeStatus
  }
  public var reason: Reason
  public var offset: Int
  public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }

  /// The status that a close says of it (section 7.4.1).
  public var status: UInt16 {
    switch reason {
    case .notUTF8: 1_007
    case .tooLong: 1_009
    case .reservedBits, .opcode, .mask, .controlFrame, .length, .fragment, .closeStatus: 1_002
    }
  }
}
