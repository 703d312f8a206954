import RollcallPrimitives
import RollcallWire

/// How a device serves its description; as the standard asks, unless a quirk says otherwise.
package struct DescriptionHabits: Hashable, Sendable {
  enum Redirect: Hashable, Sendable {
    /// To another path, where the document is.
    case elsewhere
    /// To itself.
    case loop
    /// To another host, which need not exist.
    case host(IPAddress)
  }

  enum Framing: Hashable, Sendable {
    /// Half the length of the body.
    case halfLength
    case chunked
    /// The right length, and half the body.
    case truncated
    /// No length, and a body without end.
    case endless
  }

  /// Instead of 200.
  var status: Int?
  var redirect: Redirect?
  /// Before the answer.
  var delay = Interval.zero
  /// Instead of the length of the body.
  var framing: Framing?
  /// A page for people instead of the document.
  var isPage = false
  /// Closes the connection without a word.
  var saysNothing = false
  /// The first request after each start is refused.
  var refusesFirst = false
  /// The document has the CONFIGID of the first start for ever.
  package var keepsConfigID = false
  /// The document has UDNs of its own.
  var hasOtherUDN = false
  /// The document has a type of the root of its own.
  var hasOtherType = false
  /// A second port, for a device with two LOCATIONs.
  var hasSecondPort = false

  package init() {}

  /// The path that `Redirect.elsewhere` leads to.
  static let otherPath = "/moved/description.xml"
}

extension DescriptionHabits {
  /// The whole answer to a request for a path, as bytes; `nil`: nothing is said.
  /// - Parameters:
  ///   - fields: of the answer with the document.
  ///   - requests: how many there were before since the start.
  ///   - port: of the URL on another host that a redirect leads to.
  func answer(
    to head: HTTPRequestHead, path: String, fields: [(name: String, value: String)] = [], document: () -> [UInt8],
    requests: Int, port: UInt16
  ) -> [UInt8]? {
    if saysNothing { return nil }
    let isHead = head.method == "HEAD"
    guard isHead || head.method == "GET" else { return HTTPResponse.readOnly.bytes() }
    let isOther = redirect == .elsewhere && head.path == DescriptionHabits.otherPath
    guard isOther || head.path == path.prefix(while: { $0 != "?" }) else {
      return HTTPResponse.refusal(404).bytes(isHead: isHead)
    }
    if refusesFirst, requests == 0 { return HTTPResponse.refusal(503).bytes(isHead: isHead) }
    if let status { return HTTPResponse.refusal(status).bytes(isHead: isHead) }
    if !isOther, let redirect {
      let location =
        switch redirect {
        case .elsewhere: DescriptionHabits.otherPath
        case .loop: path
        case .host(let address): "http://\(Endpoint(address, port: port))\(path)"
        }
      return HTTPResponse.redirect(to: location).bytes(isHead: isHead)
    }
    var whole = HTTPResponse.description(isPage ? Array("<html><body>It works!</body></html>\n".utf8) : document())
    if isPage { whole.fields = [("CONTENT-TYPE", "text/html")] }
    whole.fields += fields
    guard let framing, !isHead else { return whole.bytes(isHead: isHead) }
    return DescriptionHabits.framed(whole, framing)
  }

  private static func framed(_ whole: HTTPResponse, _ framing: Framing) -> [UInt8] {
    let body = whole.body
    var head = "HTTP/1.1 \(whole.status) \(HTTPResponse.reason(whole.status))\r\n"
    for field in whole.fields { head += "\(field.name): \(field.value)\r\n" }
    var bytes = body
    switch framing {
    case .halfLength: head += "CONTENT-LENGTH: \(body.count / 2)\r\n"
    case .truncated:
      head += "CONTENT-LENGTH: \(body.count)\r\n"
      bytes = Array(body.prefix(body.count / 2))
    case .chunked:
      head += "TRANSFER-ENCODING: chunked\r\n"
      bytes = []
      for start in stride(from: 0, to: body.count, by: 100) {
        let chunk = body[start..<min(start + 100, body.count)]
        bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
      }
      bytes += Array("0\r\n\r\n".utf8)
    case .endless: break
    }
    return Array((head + "CONNECTION: close\r\n\r\n").utf8) + bytes
  }
}
