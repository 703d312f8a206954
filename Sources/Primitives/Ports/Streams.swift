// Streams: ordered bytes between two endpoints, as TCP gives them.
//
// A machine may write as many bytes as it was given room for; a stream whose machine writes more is reset. Writes and
// the bytes that arrive are cut differently. Before a stream that it asked for stands a machine may finish, pause or
// reset it, and has no room. A stream is over when both sides have finished, or with any end but `finished`; its number
// should not be used again.

/// The number of a stream, or of a listener, within one machine; the machine chooses those that it opens.
@frozen public struct StreamID: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var number: UInt32
  @inlinable public init(_ number: UInt32) { self.number = number }
  @inlinable public static func < (left: StreamID, right: StreamID) -> Bool { left.number < right.number }
}

/// Sizes that hold for the streams of every driver.
public enum StreamSize {
  /// What a machine may write before some of it was taken.
  public static let bufferBytes = 65_536
  /// What a machine is given at once, at most: ten segments of an Ethernet, which also fit beside a frame of a capture.
  public static let pieceBytes = 14_600

  /// Bytes as pieces of that size, for a driver that has more of them.
  public static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: pieceBytes).map { Array(bytes[$0..<min($0 + pieceBytes, bytes.count)]) }
  }
}

/// What becomes of a machine's streams.
public enum StreamSignal: Hashable, Sendable {
  /// A connection that the machine asked for stands.
  case opened(StreamID, local: Endpoint)
  /// Somebody connected to a listener; the driver numbers such streams from the top downwards.
  case accepted(StreamID, listener: StreamID, local: Endpoint, remote: Endpoint)
  /// Never empty.
  case bytes(StreamID, [UInt8])
  /// This many bytes more may be written; the first room comes right after `opened` or `accepted`.
  case room(StreamID, byteCount: UInt32)
  case ended(StreamID, StreamEnd)

  /// The stream that it is about; `nil`: one that somebody else opened.
  public var stream: StreamID? {
    switch self {
    case .opened(let stream, _), .bytes(let stream, _), .room(let stream, _), .ended(let stream, _): stream
    case .accepted: nil
    }
  }
}

/// How a stream ended, or one direction of it.
public enum StreamEnd: String, Hashable, Sendable, CaseIterable {
  /// The other side writes no more; this side still may.
  case finished
  case reset, refused, unreachable, timedOut
}

/// What a machine wants of streams.
public enum StreamEffect: Hashable, Sendable {
  case connect(StreamID, to: Endpoint, InterfaceID)
  case listen(StreamID, at: Endpoint, InterfaceID)
  case write(StreamID, [UInt8])
  /// Writes no more; what was written still arrives.
  case finish(StreamID)
  /// Ends both directions at once, or a listener.
  case reset(StreamID)
  /// Wants no bytes for now: a bounded number is kept, then the other side has no room.
  case pause(StreamID)
  case resume(StreamID)
}

extension StreamSignal: PortValue {
  public static var port: PortNumber { .streams }
  public static var verbs: [String] { ["stream"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .opened(let stream, let local):
      digest.combine(1, UInt64(stream.number))
      digest.combine(local)
    case .accepted(let stream, let listener, let local, let remote):
      digest.combine(2, UInt64(stream.number) &<< 32 | UInt64(listener.number))
      digest.combine(local)
      digest.combine(remote)
    case .bytes(let stream, let bytes):
      digest.combine(3, UInt64(stream.number))
      digest.combine(bytes)
    case .room(let stream, let byteCount): digest.combine(4, UInt64(stream.number) &<< 32 | UInt64(byteCount))
    case .ended(let stream, let end):
      digest.combine(5, UInt64(stream.number))
      digest.combine(end.rawValue)
    }
  }

  public func write(to words: inout WordWriter) {
    words.add("stream")
    switch self {
    case .opened(let stream, let local):
      words.add(stream, "opened")
      words.add(local)
    case .accepted(let stream, let listener, let local, let remote):
      words.add(stream, "accepted")
      words.add(listener.number)
      words.add(local)
      words.add(remote)
    case .bytes(let stream, let bytes):
      words.add(stream, "bytes")
      words.rest(bytes)
    case .room(let stream, let byteCount):
      words.add(stream, "room")
      words.add(byteCount)
    case .ended(let stream, let end): words.add(stream, end.rawValue)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    let stream = StreamID(try words.number("the number of a stream"))
    let event = try words.next("what became of a stream")
    switch event {
    case "opened": self = .opened(stream, local: try words.endpoint())
    case "accepted":
      let listener = StreamID(try words.number("the number of a listener"))
      let local = try words.endpoint()
      self = .accepted(stream, listener: listener, local: local, remote: try words.endpoint())
    case "bytes": self = .bytes(stream, try words.bytes())
    case "room": self = .room(stream, byteCount: try words.number("a number of bytes"))
    default:
      guard let end = StreamEnd(rawValue: String(event)) else { throw words.error("what became of a stream") }
      self = .ended(stream, end)
    }
  }
}

extension StreamEffect: PortValue {
  public static var port: PortNumber { .streams }
  public static var verbs: [String] { ["stream"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .connect(let stream, let remote, let interface):
      digest.combine(1, UInt64(stream.number) &<< 16 | UInt64(interface.number))
      digest.combine(remote)
    case .listen(let stream, let local, let interface):
      digest.combine(2, UInt64(stream.number) &<< 16 | UInt64(interface.number))
      digest.combine(local)
    case .write(let stream, let bytes):
      digest.combine(3, UInt64(stream.number))
      digest.combine(bytes)
    case .finish(let stream): digest.combine(4, UInt64(stream.number))
    case .reset(let stream): digest.combine(5, UInt64(stream.number))
    case .pause(let stream): digest.combine(6, UInt64(stream.number))
    case .resume(let stream): digest.combine(7, UInt64(stream.number))
    }
  }

  public func write(to words: inout WordWriter) {
    words.add("stream")
    switch self {
    case .connect(let stream, let remote, let interface):
      words.add(stream, "connect")
      words.add(remote)
      words.add(interface)
    case .listen(let stream, let local, let interface):
      words.add(stream, "listen")
      words.add(local)
      words.add(interface)
    case .write(let stream, let bytes):
      words.add(stream, "write")
      words.rest(bytes)
    case .finish(let stream): words.add(stream, "finish")
    case .reset(let stream): words.add(stream, "reset")
    case .pause(let stream): words.add(stream, "pause")
    case .resume(let stream): words.add(stream, "resume")
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    let stream = StreamID(try words.number("the number of a stream"))
    switch try words.next("what is wanted of a stream") {
    case "connect": self = .connect(stream, to: try words.endpoint(), try words.interface())
    case "listen": self = .listen(stream, at: try words.endpoint(), try words.interface())
    case "write": self = .write(stream, try words.bytes())
    case "finish": self = .finish(stream)
    case "reset": self = .reset(stream)
    case "pause": self = .pause(stream)
    case "resume": self = .resume(stream)
    default: throw words.error("connect, listen, write, finish, reset, pause or resume")
    }
  }
}

extension WordWriter {
  fileprivate mutating func add(_ stream: StreamID, _ word: String) {
    add(stream.number)
    add(word)
  }
}
