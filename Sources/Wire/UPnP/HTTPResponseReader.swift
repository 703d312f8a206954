/// Reads one HTTP/1.x response from bytes as they come (RFC 9112).
///
/// The same bytes give the same answer, however they are cut. Bounds hold at every byte: a server that never ends is
/// refused, with a reason and the offset of the byte that was one too many. Lenient where devices are not of one mind (a
/// lone LF ends a line, the reason phrase may be missing, folded lines are joined), strict where two readers could
/// disagree about where the body ends.
public struct HTTPResponseReader: Sendable {
  public struct Limits: Hashable, Sendable {
    /// Bytes of the head with its blank line, interim responses (1xx) before it included.
    public var headBytesMaximum = 16_384
    /// Fields of a head or of trailers.
    public var fieldsMaximum = 128
    /// Bytes of the body, codings taken off.
    public var bodyBytesMaximum: Int
    /// Whether status 101 is an answer: then the connection is another protocol's behind the head.
    public var allowsUpgrade = false

    public init(bodyBytesMaximum: Int) { self.bodyBytesMaximum = bodyBytesMaximum }
  }

  public enum State: Hashable, Sendable {
    case needsMore
    /// The response is whole; what comes behind it is left alone.
    case complete
    case refused(HTTPResponseRefusal)
  }

  enum Phase: Hashable, Sendable {
    case statusLine, fields
    /// Bytes of the body, or of a chunk, that are still to come.
    case sized(Int), chunk(Int)
    case untilClose
    case chunkSize, chunkEnd, trailers
  }

  public let limits: Limits
  public private(set) var state = State.needsMore
  /// Set as soon as its blank line was read.
  public private(set) var head: HTTPResponseHead?
  /// What has come of the body so far, codings taken off.
  public private(set) var body: [UInt8] = []
  /// Bytes that were read: to the end of the response, or to the byte that was refused.
  public private(set) var byteCount = 0

  var phase = Phase.statusLine
  /// The line that is being read, without its LF, and the offset of its first byte.
  var line: [UInt8] = []
  var lineStart = 0
  var draft = HeadDraft()
  private var headByteCount = 0
  private var framingByteCount = 0

  public init(limits: Limits) { self.limits = limits }

  // MARK: What comes

  /// Takes the next bytes of the connection.
  @discardableResult public mutating func take(_ bytes: UnsafeRawBufferPointer) -> State {
    var index = 0
    while state == .needsMore, index < bytes.count {
      switch phase {
      case .sized(let left):
        let count = copy(bytes, from: index, atMost: left)
        index += count
        phase = .sized(left - count)
        if count == left { state = .complete }
      case .chunk(let left):
        let count = copy(bytes, from: index, atMost: left)
        index += count
        phase = count == left ? .chunkEnd : .chunk(left - count)
        lineStart = byteCount
      case .untilClose:
        let room = limits.bodyBytesMaximum - body.count
        if room == 0 {
          refuse(.bodyTooLong, at: byteCount)
        } else {
          index += copy(bytes, from: index, atMost: room)
        }
      case .statusLine, .fields, .chunkSize, .chunkEnd, .trailers:
        takeLineByte(bytes[index])
        index += 1
      }
    }
    return state
  }

  @discardableResult public mutating func take(_ bytes: [UInt8]) -> State { bytes.withUnsafeBytes { take($0) } }

  /// The server has closed the connection: nothing comes any more.
  @discardableResult public mutating func close() -> State {
    guard state == .needsMore else { return state }
    switch phase {
    // The last chunk was there, so the body is whole (RFC 9112, section 8).
    case .untilClose, .trailers: state = .complete
    case .statusLine where byteCount == 0: refuse(.noResponse, at: 0)
    default: refuse(.cutShort, at: byteCount)
    }
    return state
  }

  mutating func refuse(_ reason: HTTPResponseRefusal.Reason, at offset: Int) {
    if state == .needsMore { state = .refused(HTTPResponseRefusal(reason, at: offset)) }
  }

  private mutating func copy(_ bytes: UnsafeRawBufferPointer, from index: Int, atMost count: Int) -> Int {
    let end = min(bytes.count, index + count)
    body.append(contentsOf: bytes[index..<end])
    byteCount += end - index
    return end - index
  }

  // MARK: Lines

  private mutating func takeLineByte(_ byte: UInt8) {
    if line.isEmpty { lineStart = byteCount }
    if head == nil {
      headByteCount += 1
      if headByteCount > limits.headBytesMaximum { return refuse(.headTooLong, at: byteCount) }
    } else {
      framingByteCount += 1
      // A chunk of one byte takes five bytes more.
      if framingByteCount > limits.headBytesMaximum + 8 * body.count { return refuse(.tooMuchFraming, at: byteCount) }
    }
    if line.last == 13, byte != 10 { return refuse(.lineEnd, at: byteCount - 1) }
    if byte < 32 && byte != 9 && byte != 13 && byte != 10 || byte == 127 { return refuse(.controlByte, at: byteCount) }
    if phase == .chunkEnd, byte != 13, byte != 10 { return refuse(.chunkEnd, at: byteCount) }
    byteCount += 1
    guard byte == 10 else { return line.append(byte) }
    if line.last == 13 { line.removeLast() }
    endLine()
    line.removeAll(keepingCapacity: true)
  }

  private mutating func endLine() {
    switch phase {
    case .statusLine: readStatusLine()
    case .fields where line.isEmpty: endHead()
    case .trailers where line.isEmpty: state = .complete
    case .fields, .trailers: readField()
    case .chunkEnd: phase = .chunkSize
    case .chunkSize: readChunkSize()
    case .sized, .chunk, .untilClose: break
    }
  }

  private mutating func endHead() {
    // An interim response: the one that was asked for comes behind it.
    if draft.status < 200, draft.status != 101 {
      draft = HeadDraft()
      phase = .statusLine
      return
    }
    head = HTTPResponseHead(status: draft.status, minorVersion: draft.minorVersion, fields: draft.fields)
    switch draft.framing(bodyBytesMaximum: limits.bodyBytesMaximum) {
    case .refused(let refusal): refuse(refusal.reason, at: refusal.offset)
    case .none: state = .complete
    case .length(let count):
      body.reserveCapacity(min(count, 65_536))
      phase = .sized(count)
    case .chunked: phase = .chunkSize
    case .untilClose: phase = .untilClose
    }
    draft = HeadDraft()
  }

  /// `1a`, `1A ;name=value`: hexadecimal digits, and what may follow them.
  private mutating func readChunkSize() {
    var size = 0
    var index = 0
    while index < line.count, let digit = HTTPResponseReader.hexDigit(line[index]) {
      size = min(size << 4 | digit, Int(Int32.max))
      index += 1
    }
    if index == 0 { return refuse(.chunkSize, at: lineStart) }
    while index < line.count, line[index] == 32 || line[index] == 9 { index += 1 }
    if index < line.count, line[index] != UInt8(ascii: ";") { return refuse(.chunkSize, at: lineStart + index) }
    if size == 0 {
      phase = .trailers
    } else if size > limits.bodyBytesMaximum - body.count {
      refuse(.bodyTooLong, at: lineStart)
    } else {
      phase = .chunk(size)
    }
  }

  private static func hexDigit(_ byte: UInt8) -> Int? {
    switch byte {
    case 48...57: Int(byte) - 48
    case 65...70: Int(byte) - 55
    case 97...102: Int(byte) - 87
    default: nil
    }
  }
}
