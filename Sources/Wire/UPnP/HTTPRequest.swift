/// A request, after which the connection is closed: a GET, unless something else is said.
public struct HTTPRequest: Hashable, Sendable {
  public var method = "GET"
  /// Path and query as a URL has them; empty for `http://host`.
  public var path: String
  /// Host and port as the URL has them, without a zone: `10.0.0.1:8200`, `[fe80::1]`.
  public var authority: String
  public var userAgent: String
  /// Of the body.
  public var contentType: String?
  /// Further fields, behind the others.
  public var fields: [HTTPResponseHead.Field] = []
  public var body: [UInt8] = []

  public init(path: String, authority: String, userAgent: String) {
    (self.path, self.authority, self.userAgent) = (path, authority, userAgent)
  }

  public var bytes: [UInt8] {
    var head = "\(method) \(HTTPRequest.target(path)) HTTP/1.1\r\nHOST: \(authority)\r\nUSER-AGENT: \(userAgent)\r\n"
    head += "ACCEPT: text/xml, */*\r\nACCEPT-ENCODING: identity\r\n"
    if let contentType { head += "CONTENT-TYPE: \(contentType)\r\n" }
    if !body.isEmpty || method == "POST" { head += "CONTENT-LENGTH: \(body.count)\r\n" }
    for field in fields { head += "\(field.name): \(HTTPResponse.oneLine(field.value))\r\n" }
    return Array((head + "CONNECTION: close\r\n\r\n").utf8) + body
  }

  /// The path from the root on; what no request line can hold is written as `%NN`.
  static func target(_ path: String) -> String {
    var target = path.hasPrefix("/") ? "" : "/"
    for byte in path.utf8 {
      if (0x21...0x7E).contains(byte) {
        target.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        target += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return target
  }
}

/// Where a redirect leads (RFC 3986, section 5.2).
public enum URLReference {
  /// The absolute URL that `reference` means on a page of the absolute URL `base`; neither is judged.
  public static func resolve(_ reference: String, against base: String) -> String {
    let reference = reference.prefix { $0 != "#" }
    if hasScheme(reference) { return String(reference) }
    let base = base.prefix { $0 != "#" }
    let scheme = base.prefix { $0 != ":" }
    let behind = base.dropFirst(scheme.count + 3)
    let authority = behind.prefix { $0 != "/" && $0 != "?" }
    let root = "\(scheme)://\(authority)"
    if reference.hasPrefix("//") { return "\(scheme):\(reference)" }
    if reference.hasPrefix("/") { return root + withoutDots(reference) }
    let path = behind.dropFirst(authority.count).prefix { $0 != "?" }
    if reference.isEmpty { return String(base) }
    if reference.hasPrefix("?") { return root + path + reference }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return root + withoutDots(folder + reference)
  }

  private static func hasScheme(_ text: Substring) -> Bool {
    let end = text.utf8.firstIndex { byte in
      !((48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "+-.".utf8.contains(byte))
    }
    guard let end, text.utf8[end] == UInt8(ascii: ":"), let first = text.utf8.first else { return false }
    return (65...90).contains(first) || (97...122).contains(first)
  }

  /// A path that begins with `/`, with `.` and `..` worked out; the query stays as it is.
  private static func withoutDots(_ text: some StringProtocol) -> String {
    let path = text.prefix { $0 != "?" }
    var kept: [Substring] = []
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      if part == "." || part == ".." {
        if part == "..", !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      } else {
        kept.append(Substring(part))
      }
    }
    return "/" + kept.joined(separator: "/") + text.dropFirst(path.count)
  }
}
