import RollcallWire

extension FuzzTarget {
  /// The head of a request: read, left open or refused exactly as the reference does it, complete at its last byte and
  /// at none before, and the same when it is printed plainly.
  static let httpRequest = FuzzTarget(name: "http-request", dictionary: words, seeds: requestSeeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    for input in [bytes] + cuts(of: bytes).map({ Array(bytes[..<$0]) }) { try checkRequest(input) }
  }

  /// A response: the same however it is cut, within its budgets at every byte, read as the reference reads it at once,
  /// and the same when it is printed with a length.
  static let httpResponse = FuzzTarget(name: "http-response", dictionary: words, seeds: responseSeeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    try checkCuts(bytes)
    try checkResponse(bytes)
  }

  // MARK: Requests

  private static func checkRequest(_ bytes: [UInt8]) throws(FuzzFinding) {
    let reading = HTTPRequestHead.read(bytes)
    let expected = HTTPReference.request(bytes)
    try expect(reading == expected, "read as \(reading), reference: \(expected)")
    guard case .head(let head) = reading else { return }
    try expect((1...bytes.count).contains(head.byteCount), "\(head.byteCount) of \(bytes.count) bytes")
    let own = Array(bytes[..<head.byteCount])
    try expect(HTTPRequestHead.read(own) == reading, "without what stands behind it, it is another request")
    for end in Set([own.count - 1] + cuts(of: own)).sorted() {
      try expect(HTTPRequestHead.read(Array(own[..<end])) == .incomplete, "complete after \(end) bytes already")
    }
    let length = head.bodyByteCount > 0 ? "CONTENT-LENGTH: \(head.bodyByteCount)\r\n" : ""
    let host = head.hasHost ? "HOST: x\r\n" : ""
    let text = "\(head.method) \(head.path) HTTP/1.\(head.minorVersion)\r\n\(host)\(length)\r\n"
    guard case .head(let again) = HTTPRequestHead.read(Array(text.utf8)) else {
      throw FuzzFinding("printed, it is refused: \(text)")
    }
    try expect(
      again.method == head.method && again.path == head.path && again.minorVersion == head.minorVersion
        && again.hasHost == head.hasHost && again.bodyByteCount == head.bodyByteCount
        && again.byteCount == text.utf8.count, "printed, it is another: \(again)")
  }

  // MARK: Responses

  /// What a reader came to when the connection was closed.
  private struct Result: Equatable {
    var state: HTTPResponseReader.State
    var head: HTTPResponseHead?
    var body: [UInt8]
    var byteCount: Int
  }

  private static func read(_ pieces: [ArraySlice<UInt8>], _ limits: HTTPResponseReader.Limits) -> Result {
    var reader = HTTPResponseReader(limits: limits)
    for piece in pieces { reader.take(Array(piece)) }
    reader.close()
    return Result(state: reader.state, head: reader.head, body: reader.body, byteCount: reader.byteCount)
  }

  private static func checkCuts(_ bytes: [UInt8]) throws(FuzzFinding) {
    var limits = HTTPResponseReader.Limits(bodyBytesMaximum: 40)
    (limits.headBytesMaximum, limits.fieldsMaximum) = (120, 5)
    let whole = read([bytes[...]], limits)
    for cut in cuts(of: bytes) {
      try expect(read([bytes[..<cut], bytes[cut...]], limits) == whole, "cut at \(cut), it is read differently")
    }
    try expect(read(bytes.indices.map { bytes[$0...$0] }, limits) == whole, "byte for byte, it is read differently")
    try expect(whole.body.count <= limits.bodyBytesMaximum, "a body of \(whole.body.count) bytes")
    try expect((whole.head?.fields.count ?? 0) <= limits.fieldsMaximum, "too many fields")
    try expect(
      whole.byteCount <= bytes.count && whole.byteCount <= 2 * limits.headBytesMaximum + 9 * limits.bodyBytesMaximum,
      "\(whole.byteCount) bytes were read")
    switch whole.state {
    case .needsMore: throw FuzzFinding("open after the close")
    case .complete:
      try expect(whole.head != nil, "complete without a head")
      try expect(read([bytes[..<whole.byteCount]], limits) == whole, "it leans on what stands behind it")
    case .refused(let refusal):
      try expect((0...bytes.count).contains(refusal.offset), "refused at byte \(refusal.offset) of \(bytes.count)")
      let isEnd = refusal.reason == .cutShort || refusal.reason == .noResponse
      try expect(!isEnd || refusal.offset == bytes.count, "cut short at \(refusal.offset) of \(bytes.count)")
    }
  }

  private static func checkResponse(_ bytes: [UInt8]) throws(FuzzFinding) {
    var limits = HTTPResponseReader.Limits(bodyBytesMaximum: 1 << 20)
    (limits.headBytesMaximum, limits.fieldsMaximum) = (1 << 20, 1 << 20)
    let result = read([bytes[...]], limits)
    let expected = HTTPReference.response(bytes)
    guard result.state == .complete, let head = result.head else {
      try expect(expected == nil, "\(result.state), the reference takes it: \(String(describing: expected))")
      return
    }
    try expect(
      expected?.head == head && expected?.body == result.body,
      "read as \(head) \(result.body), reference: \(String(describing: expected))")
    var printed = Array("HTTP/1.\(head.minorVersion) \(head.status)\r\n".utf8)
    let framing = ["content-length", "transfer-encoding"]
    var kept = head
    kept.fields.removeAll { framing.contains($0.name.lowercased()) }
    for field in kept.fields { printed += Array("\(field.name):\(field.value)\r\n".utf8) }
    kept.fields.append(.init("Content-Length", "\(result.body.count)"))
    printed += Array("Content-Length: \(result.body.count)\r\n\r\n".utf8) + result.body
    let again = read([printed[...]], limits)
    try expect(
      again == Result(state: .complete, head: kept, body: result.body, byteCount: printed.count),
      "printed, it is another: \(again)")
  }

  // MARK: Words

  private static let words = [
    "GET ", "HEAD ", "POST", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "HTTP/1.1 ", "HTTP/1.0 ", "HTTP/2.0", "200 OK\r\n",
    "204",
    "304", "100 Continue\r\n\r\n", "101", "404 Not Found\r\n", "302 Found\r\n", "Host: x\r\n", "Content-Length: ",
    "Content-Length: 5\r\n", "Transfer-Encoding: ", "Transfer-Encoding: chunked\r\n", "chunked", "gzip, ", "Location: ",
    "\r\n", "\n", "\r\n\r\n", "\n\n", "\r", " ", "\t", ":", ",", ";", "0\r\n\r\n", "1\r\nx\r\n", "a;b=c\r\n", "5", "28",
    "29", "99999999999999999999", "http://a/", "/", "?", "#", "*", "\0", "\u{7F}", "é", "A: b\r\n", " folded\r\n",
  ]

  private static let requestSeeds = [
    "GET /d.xml HTTP/1.1\r\nHost: 10.0.0.1:80\r\nUser-Agent: x\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
    "\r\nHEAD http://a/b?c#d HTTP/1.1\nhost:\n\nmore", "* * HTTP/1.9\r\nhost: x\r\n\r\n",
    "GET http://a HTTP/1.0\r\n\r\n",
    "GET / HTTP/3.0\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHo st: x\r\n\r\n",
    "GET / HTTP/1.1\r\n: x\r\n\r\n", "\r\n\r\n\r\n",
  ].map { Array($0.utf8) }

  private static let responseSeeds = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: x\r\n\r\nhello more", "HTTP/1.0 200\na:b\n\nto the end",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA ; a=b\r\n, chunked!\r\n0\r\nX: y\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 2, 2\r\n\r\nno",
    "HTTP/1.1 302 Found\r\nLOCATION: /d.xml\r\nX: a\r\n  b\r\n\t\r\n\r\n",
    "HTTP/1.1 204 None\r\nContent-Length: 7\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 41\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n29\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1;bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\nb\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
  ].map { Array($0.utf8) }
}
