import RollcallExpectations
import Testing

@testable import RollcallWire

@Suite("How an HTTP connection becomes a WebSocket") struct WebSocketHandshakeTests {
  @Test(
    "the hash agrees with that of another library at every edge of its blocks",
    arguments: [
      (0, "da39a3ee5e6b4b0d3255bfef95601890afd80709"), (1, "bf8b4530d8d246dd74ac53a13471bba17941dff7"),
      (3, "4201de9f98cb0a9b8cf52398be7802b55d45266a"), (55, "63ac9708fb581dd150d3647549f9e0cb51dcf1df"),
      (56, "5a0c4d0eb2f15e05bbbff6b8dada9ae767fc03f0"), (57, "4e77d3077d2ab5167db3434c31cac3d15a3afc12"),
      (63, "d94ff3ad53f9b9327704b812ee9c1f3abbba3d48"), (64, "5f55a35e13f1865e7ffc22dca1275b1a49b0ff56"),
      (65, "d7f8931010f8342a97383e1410a58c47d057708b"), (119, "774001b5ad1f46b40c48e1b94cb092c593ead25b"),
      (120, "6ebf3111dc761f11b13f29df0484848785385973"), (128, "0a44ac02432f6ead67d86fcb70a4d8ce589e50ec"),
      (1_000, "7461968a9edb9b418224f1acb305d2feeaa10ba5"),
    ])
  func hash(_ count: Int, _ expected: String) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) }
    let hex = SHA1.digest(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    expectEqual(hex, expected)
  }

  @Test("bytes as text are those of RFC 4648, and no other text is read as the same bytes")
  func base64() {
    for (bytes, text) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      expectEqual(Base64.text(Array(bytes.utf8)), text)
      expectEqual(Base64.bytes(text), Array(bytes.utf8))
    }
    expectEqual(Base64.bytes("+/+/"), [0xFB, 0xFF, 0xBF])
    for text in ["Zg", "Zg=", "Zh==", "Zg===", "Z", "Zm9v\n", "Zm 9v", "Zm-v", "=Zm9", "Zm9v="] {
      expectEqual(Base64.bytes(text), nil, "\(text)")
    }
  }

  private static let key = (0..<16).map { UInt8($0) }
  private static let request = WebSocketHandshake.request(
    path: "/", authority: "10.0.0.1:3000", userAgent: "a", key: key)

  private static func head(_ text: String) -> HTTPRequestHead? {
    if case .head(let head) = HTTPRequestHead.read(Array(text.utf8)) { head } else { nil }
  }

  @Test("what a client asks is answered with what its key asks for")
  func whole() throws {
    expectEqual(
      String(decoding: Self.request, as: UTF8.self),
      "GET / HTTP/1.1\r\nHOST: 10.0.0.1:3000\r\nUSER-AGENT: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    let head = try #require(Self.head(String(decoding: Self.request, as: UTF8.self)))
    guard case .upgrade(let bytes) = WebSocketHandshake.answer(to: head) else {
      Issue.record("refused")
      return
    }
    expectEqual(
      String(decoding: bytes, as: UTF8.self),
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: Bz3qJYTGdOe8gUSpLosEdiLKDrk=\r\n\r\n")
    var limits = HTTPResponseReader.Limits(bodyBytesMaximum: 10)
    var reader = HTTPResponseReader(limits: limits)
    expectEqual(reader.take(bytes), .refused(HTTPResponseRefusal(.status, at: 9)))
    limits.allowsUpgrade = true
    reader = HTTPResponseReader(limits: limits)
    expectEqual(reader.take(bytes + [0x81, 0]), .complete)
    // What stands behind the head is the other protocol's.
    expectEqual(reader.byteCount, bytes.count)
    let answer = try #require(reader.head)
    expectEqual(WebSocketHandshake.complaint(of: answer, key: Self.key), nil)
    expectEqual(
      WebSocketHandshake.complaint(of: answer, key: Self.key.reversed()),
      "expected the field Sec-WebSocket-Accept with what follows from the key that was sent")
  }

  @Test(
    "a request that is none for a WebSocket is refused",
    arguments: [
      ("GET / HTTP/1.1", "GET / HTTP/1.0", 426), ("GET /", "POST /", 405), ("websocket", "h2c", 426),
      ("Connection: Upgrade", "Connection: close", 426), ("Version: 13", "Version: 8", 426),
      ("Version: 13", "Version: 13\r\nSec-WebSocket-Version: 13", 426), ("AAECAwQF", "AAECAw", 400),
      ("Sec-WebSocket-Key", "Sec-WebSocket-Keys", 400),
      ("\r\n\r\n", "\r\nSec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\n\r\n", 400),
      ("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\n", 400),
    ])
  func refused(_ old: String, _ new: String, _ status: Int) throws {
    let text = String(decoding: Self.request, as: UTF8.self)
    let changed = text.replacing(old, with: new, maxReplacements: 1)
    #expect(changed != text)
    let head = try #require(Self.head(changed))
    guard case .refusal(let found, let bytes) = WebSocketHandshake.answer(to: head) else {
      Issue.record("upgraded")
      return
    }
    expectEqual(found, status)
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) "))
  }

  @Test("of a list of words each counts, whatever the case of its letters")
  func forgiving() throws {
    let text = String(decoding: Self.request, as: UTF8.self)
      .replacing("Connection: Upgrade", with: "connection: keep-alive ,\tUPGRADE \t, x").replacing(
        "Upgrade: websocket", with: "UPGRADE: WebSocket")
    let head = try #require(Self.head(text))
    guard case .upgrade = WebSocketHandshake.answer(to: head) else {
      Issue.record("refused")
      return
    }
  }

  @Test(
    "an answer that makes no WebSocket is told apart",
    arguments: [
      (200, "Upgrade", "websocket", "expected status 101, found 200"),
      (101, "Upgrade", "h2c", "expected the field Upgrade with websocket"),
      (101, "Connection", "close", "expected the field Connection with Upgrade"),
      (
        101, "Sec-WebSocket-Extensions", "permessage-deflate",
        "expected no extension and no subprotocol, for none was asked for"
      ),
      (101, "Sec-WebSocket-Protocol", "x", "expected no extension and no subprotocol, for none was asked for"),
    ])
  func answers(_ status: Int, _ name: String, _ value: String, _ complaint: String) {
    var head = HTTPResponseHead(
      status: status,
      fields: [
        .init("Upgrade", "websocket"), .init("Connection", "upgrade"),
        .init("Sec-WebSocket-Accept", "Bz3qJYTGdOe8gUSpLosEdiLKDrk="),
      ])
    head.fields.removeAll { $0.name == name }
    head.fields.append(.init(name, value))
    expectEqual(WebSocketHandshake.complaint(of: head, key: Self.key), complaint)
  }
}
