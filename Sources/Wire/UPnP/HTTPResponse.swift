/// A whole HTTP/1.1 response, after which the connection is closed.
public struct HTTPResponse: Hashable, Sendable {
  public var status: Int
  /// Names and values without control characters, in the order in which they are sent.
  public var fields: [(name: String, value: String)]
  public var body: [UInt8]

  public init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
    (self.status, self.fields, self.body) = (status, fields, body)
  }

  /// A refusal with a line for people.
  public static func refusal(_ status: Int) -> HTTPResponse {
    HTTPResponse(
      status: status, fields: [("CONTENT-TYPE", "text/plain")],
      body: Array("\(status) \(HTTPResponse.reason(status))\r\n".utf8))
  }

  /// A refusal of every method but GET and HEAD.
  public static var readOnly: HTTPResponse {
    var refusal = refusal(405)
    refusal.fields.append(("ALLOW", "GET, HEAD"))
    return refusal
  }

  /// A description document.
  public static func description(_ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: 200, fields: [("CONTENT-TYPE", "text/xml; charset=\"utf-8\"")], body: body)
  }

  /// The page is elsewhere.
  public static func redirect(to location: String) -> HTTPResponse {
    HTTPResponse(status: 302, fields: [("LOCATION", location)])
  }

  /// - Parameter isHead: an answer to HEAD tells of a body and has none.
  public func bytes(isHead: Bool = false) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(HTTPResponse.reason(status))\r\n"
    for field in fields { text += "\(field.name): \(HTTPResponse.oneLine(field.value))\r\n" }
    text += "CONTENT-LENGTH: \(body.count)\r\nCONNECTION: close\r\n\r\n"
    return Array(text.utf8) + (isHead ? [] : body)
  }

  public static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 426: "Upgrade Required"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status \(status)"
    }
  }

  /// Without control characters.
  static func oneLine(_ value: String) -> String {
    String(String.UnicodeScalarView(value.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }))
  }

  public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool { left.bytes() == right.bytes() }
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes()) }
}
