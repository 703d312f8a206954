/// How an HTTP connection becomes a WebSocket (RFC 6455, section 4): no extensions, no subprotocols.
public enum WebSocketHandshake {
  /// Of what the client makes up.
  public static let keyByteCount = 16
  private static let version = "13"

  /// What a client asks.
  /// - Parameters:
  ///   - key: 16 bytes that were used for no other connection.
  public static func request(path: String, authority: String, userAgent: String, key: [UInt8]) -> [UInt8] {
    let head =
      "GET \(HTTPRequest.target(path)) HTTP/1.1\r\nHOST: \(authority)\r\nUSER-AGENT: \(userAgent)\r\n"
      + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \(Base64.text(key))\r\n"
      + "Sec-WebSocket-Version: \(version)\r\n\r\n"
    return Array(head.utf8)
  }

  public enum Answer: Hashable, Sendable {
    /// From here on it is a WebSocket.
    case upgrade([UInt8])
    /// Then the connection is closed.
    case refusal(status: Int, [UInt8])
  }

  /// What a server answers (section 4.2).
  public static func answer(to head: HTTPRequestHead) -> Answer {
    func refuse(_ status: Int, _ fields: [(name: String, value: String)] = []) -> Answer {
      var response = HTTPResponse.refusal(status)
      response.fields += fields
      return .refusal(status: status, response.bytes())
    }
    guard head.method == "GET" else { return refuse(405) }
    guard head.minorVersion == 1, hasToken("websocket", head.values(of: "upgrade")),
      hasToken("upgrade", head.values(of: "connection"))
    else { return refuse(426, [("Upgrade", "websocket"), ("Connection", "Upgrade")]) }
    guard head.values(of: "sec-websocket-version") == [version] else {
      return refuse(426, [("Sec-WebSocket-Version", version)])
    }
    let keys = head.values(of: "sec-websocket-key")
    guard keys.count == 1, Base64.bytes(keys[0])?.count == keyByteCount, head.bodyByteCount == 0 else {
      return refuse(400)
    }
    return .upgrade(
      Array(
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: \(accept(keys[0]))\r\n\r\n").utf8))
  }

  /// Why this answer makes no WebSocket (section 4.1); `nil`: it does.
  public static func complaint(of head: HTTPResponseHead, key: [UInt8]) -> String? {
    guard head.status == 101 else { return "expected status 101, found \(head.status)" }
    func values(_ name: String) -> [String] { head.fields.filter { $0.name.lowercased() == name }.map(\.value) }
    guard values("upgrade").map({ $0.lowercased() }) == ["websocket"] else {
      return "expected the field Upgrade with websocket"
    }
    guard hasToken("upgrade", values("connection")) else { return "expected the field Connection with Upgrade" }
    guard values("sec-websocket-accept") == [accept(Base64.text(key))] else {
      return "expected the field Sec-WebSocket-Accept with what follows from the key that was sent"
    }
    guard values("sec-websocket-extensions").isEmpty, values("sec-websocket-protocol").isEmpty else {
      return "expected no extension and no subprotocol, for none was asked for"
    }
    return nil
  }

  private static func accept(_ key: String) -> String {
    Base64.text(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }

  /// Whether a word stands between the commas of any of the values, case of letters aside.
  private static func hasToken(_ token: String, _ values: [String]) -> Bool {
    values.contains { value in
      value.lowercased().split(separator: ",").contains { part in
        part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed().elementsEqual(
          token)
      }
    }
  }
}
