/// The head of an HTTP/1.x request: what a server of a device has to know of it (RFC 9112).
public struct HTTPRequestHead: Hashable, Sendable {
  /// More than this many bytes are no head.
  public static let byteCountMaximum = 8_192
  /// More fields than this are refused.
  public static let fieldCountMaximum = 64
  /// A longer body is refused.
  public static let bodyByteCountMaximum = 65_536

  /// As sent: methods know upper and lower case.
  public var method: String
  /// The path of the target, without query; `/` where it is empty.
  public var path: String
  /// The minor version: 0 or 1.
  public var minorVersion: Int
  /// Whether a field `Host` was there.
  public var hasHost: Bool
  /// Bytes of the head with its blank line.
  public var byteCount: Int
  /// Bytes of the body behind it, as Content-Length says; 0 where it says nothing.
  public var bodyByteCount: Int
  /// What it says about becoming a WebSocket (`upgrade`, `connection`, `sec-websocket-…`), about control (`soapaction`)
  /// and about events (`callback`, `nt`, `sid`, `timeout`), in the order in which it says it; names in lower case,
  /// values without blanks around them.
  public var fields: [HTTPResponseHead.Field] = []

  public init(
    method: String, path: String, minorVersion: Int, hasHost: Bool, byteCount: Int, bodyByteCount: Int = 0
  ) {
    (self.method, self.path, self.minorVersion) = (method, path, minorVersion)
    (self.hasHost, self.byteCount, self.bodyByteCount) = (hasHost, byteCount, bodyByteCount)
  }

  /// The values of those of `fields` with this name, in lower case.
  public func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// What the bytes of a connection are so far.
  public enum Reading: Hashable, Sendable {
    case head(HTTPRequestHead)
    /// The blank line has not come yet.
    case incomplete
    /// The status to refuse it with.
    case refused(status: Int)
  }

  /// Reads the head at the beginning of `bytes`.
  public static func read(_ bytes: [UInt8]) -> Reading {
    guard let end = endOfHead(bytes) else {
      return bytes.count >= byteCountMaximum ? .refused(status: 431) : .incomplete
    }
    if end > byteCountMaximum { return .refused(status: 431) }
    var lines = bytes[..<end].split(separator: 10, omittingEmptySubsequences: false).map { line in
      line.last == 13 ? line.dropLast() : line
    }
    // An empty line before the request is forgiven (RFC 9112, section 2.2).
    if lines.first?.isEmpty == true { lines.removeFirst() }
    guard let first = lines.first else { return .refused(status: 400) }
    guard var head = requestLine(first) else { return .refused(status: 400) }
    if head.minorVersion < 0 { return .refused(status: 505) }
    head.byteCount = end
    let fields = lines.dropFirst().filter { !$0.isEmpty }
    if fields.count > fieldCountMaximum { return .refused(status: 431) }
    var hasLength = false
    for field in fields {
      guard let colon = field.firstIndex(of: UInt8(ascii: ":")), colon > field.startIndex,
        field[..<colon].allSatisfy(isTokenByte)
      else { return .refused(status: 400) }
      let name = String(decoding: field[..<colon], as: UTF8.self).lowercased()
      switch name {
      case "host": head.hasHost = true
      // How long the body is has to be said beforehand.
      case "transfer-encoding": return .refused(status: 411)
      case "content-length":
        guard !hasLength, let count = length(field[(colon + 1)...]) else { return .refused(status: 400) }
        if count > bodyByteCountMaximum { return .refused(status: 413) }
        (hasLength, head.bodyByteCount) = (true, count)
      case "upgrade", "connection", "soapaction", "callback", "nt", "sid", "timeout":
        head.note(name, field[(colon + 1)...])
      case let name where name.hasPrefix("sec-websocket-"): head.note(name, field[(colon + 1)...])
      default: break
      }
    }
    // RFC 9112, section 3.2: HTTP/1.1 without Host is refused.
    if head.minorVersion == 1, !head.hasHost { return .refused(status: 400) }
    return .head(head)
  }

  private mutating func note(_ name: String, _ value: ArraySlice<UInt8>) {
    fields.append(.init(name, String(decoding: HTTPRequestHead.trimmed(value), as: UTF8.self)))
  }

  /// Without the blanks around it.
  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let text = value.drop { $0 == 32 || $0 == 9 }
    return text[..<(text.lastIndex { $0 != 32 && $0 != 9 }.map { $0 + 1 } ?? text.startIndex)]
  }

  /// The digits of a length, blanks around them aside; longer ones than any body has are one too many.
  private static func length(_ value: ArraySlice<UInt8>) -> Int? {
    let digits = trimmed(value)
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return digits.reduce(0) { min($0 * 10 + Int($1 - 48), bodyByteCountMaximum + 1) }
  }

  /// Behind the first blank line that does not stand at the very beginning; `nil` where there is none yet. A lone LF ends
  /// a line, too.
  public static func endOfHead(_ bytes: [UInt8]) -> Int? {
    var index = 0
    while index < bytes.count, bytes[index] == 13 || bytes[index] == 10 { index += 1 }
    while index < bytes.count {
      if bytes[index] == 10 {
        if index + 1 < bytes.count, bytes[index + 1] == 10 { return index + 2 }
        if index + 2 < bytes.count, bytes[index + 1] == 13, bytes[index + 2] == 10 { return index + 3 }
      }
      index += 1
    }
    return nil
  }

  /// A version other than 1.x has minor version −1.
  private static func requestLine(_ line: ArraySlice<UInt8>) -> HTTPRequestHead? {
    let words = line.split(separator: 32, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(isTokenByte), !words[1].isEmpty,
      words[1].allSatisfy({ (0x21...0x7E).contains($0) }), words[2].count == 8,
      words[2].starts(with: "HTTP/".utf8)
    else { return nil }
    let version = Array(words[2].dropFirst(5))
    guard version[1] == UInt8(ascii: "."), (48...57).contains(version[0]), (48...57).contains(version[2]) else {
      return nil
    }
    guard let path = path(of: String(decoding: words[1], as: UTF8.self)) else { return nil }
    return HTTPRequestHead(
      method: String(decoding: words[0], as: UTF8.self), path: path,
      minorVersion: version[0] == UInt8(ascii: "1") ? min(1, Int(version[2] - 48)) : -1, hasHost: false, byteCount: 0)
  }

  /// A path, or the path of an absolute URL, which clients of proxies send.
  private static func path(of target: String) -> String? {
    // A slash in a query is no path.
    var rest = target.prefix { $0 != "?" && $0 != "#" }
    if !rest.hasPrefix("/") {
      guard rest.lowercased().hasPrefix("http://") else { return target == "*" ? target : nil }
      rest = rest.dropFirst(7)
      rest = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
    }
    return String(rest)
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
