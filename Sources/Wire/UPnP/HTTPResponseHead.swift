/// The head of an HTTP/1.x response (RFC 9112).
public struct HTTPResponseHead: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    public var name: String
    /// Without blanks around it; folded lines are joined with one blank. A byte that is not UTF-8 is a replacement character.
    public var value: String
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// 100 … 599.
  public var status: Int
  /// 0 … 9.
  public var minorVersion: Int
  /// In the order in which they came.
  public var fields: [Field]

  public init(status: Int, minorVersion: Int = 1, fields: [Field] = []) {
    (self.status, self.minorVersion, self.fields) = (status, minorVersion, fields)
  }

  /// The value of the first field of a name, case of letters aside.
  public func value(of name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased() == wanted }?.value
  }
}

/// Why a response cannot be taken, and at which of its bytes, counted from the first one that the server sent.
public struct HTTPResponseRefusal: Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    // The end came too early.
    /// The connection was closed before anything came.
    case noResponse
    /// The connection was closed within the head, or before the promised end of the body.
    case cutShort
    // The head.
    case statusLine
    /// Not HTTP/1.x.
    case version
    /// Not 100 … 599, or 101, which nobody asked for.
    case status
    /// A CR that no LF follows.
    case lineEnd
    case controlByte
    case noColon
    case emptyName
    case nameBytes
    case whitespaceBeforeColon
    /// A folded line behind nothing that it could belong to.
    case foldedLine
    case tooManyFields
    case headTooLong
    // How long the body is.
    /// No number, one that is too large for any body, or two that differ.
    case contentLength
    /// Any other coding than `chunked` alone, or a coding under HTTP/1.0.
    case transferCoding
    /// A length and a coding: one of them lies.
    case ambiguousLength
    // The body.
    case bodyTooLong
    case chunkSize
    /// Something else than a line end behind the bytes of a chunk.
    case chunkEnd
    /// More bytes of chunk lines and trailers than the body that they bring is worth.
    case tooMuchFraming
  }
  public var reason: Reason
  public var offset: Int
  public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}
