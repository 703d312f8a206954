import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// Frames of either side, the first byte says which: the same messages however the bytes are cut, none larger than the
  /// limit, nothing behind a close or a fault, each fault at a byte that came; what was read is read again from what is
  /// written of it.
  static let webSocket = FuzzTarget(
    name: "web-socket",
    dictionary: [
      "\u{1}\u{2}hi", "\u{0}\u{0}", "\u{9}\u{1}x", "\u{8}\u{2}\u{3}\u{E8}", "\u{7E}\u{0}\u{7E}",
      "\u{7F}\u{0}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}\u{0}",
    ],
    seeds: webSocketSeeds
  ) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    guard let first = bytes.first else { return }
    let side: WebSocketReader.Side = first & 1 == 0 ? .client : .server
    try WebSocketProperties.check(Array(bytes.dropFirst()), side, limit: first & 2 == 0 ? 64 : 70_000)
  }

  private static let webSocketSeeds: [[UInt8]] = [
    [1] + WebSocketMessage.text("hi").frame(mask: nil)
      + WebSocketMessage.close(status: 1_000, reason: "x").frame(mask: nil),
    [0] + WebSocketMessage.text("é").frame(mask: 0x1234_5678) + WebSocketMessage.ping([1, 2]).frame(mask: 7),
    [3] + WebSocketMessage.binary([UInt8](repeating: 7, count: 300)).frame(mask: nil),
    // A message in three pieces, with a ping between them.
    [1, 0x01, 1, 97, 0x00, 1, 98, 0x89, 0, 0x80, 1, 99], [1, 0x81, 126, 0, 126],
    [1, 0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0],
    [1, 0x88, 1, 3], [1, 0x88, 2, 3, 237], [1, 0x80, 0], [1, 0xC1, 0], [1, 0x83, 0], [1, 0x09, 0], [1, 0x81, 0x80],
    [1, 0x81, 2, 0xC3, 0x28],
  ]

  /// A value of JSON: what is read is read again from what is written of it; cut anywhere, it is refused at its end or
  /// before; blanks around it change nothing; each fault is at a byte that came.
  static let jsonText = FuzzTarget(
    name: "json",
    dictionary: [
      "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\\u00e9", "\\ud83d\\ude00", "\\n", "\\", "true", "false", "null",
      "-0",
      "1e9", "0.5", "9223372036854775807", " ", "\n", "é",
    ],
    seeds: [
      "{\"a\":[1,-2.5e3,true,false,null,\"x\\ty\"],\"b\":{}}", "[[[]]]", "\"\\ud83d\\ude00\\u0041é\"", "-0", "01", "1.",
      "{\"a\":1,\"a\":2}", "\"\\ud83d\"", "[1,]", "\u{FEFF}1", "nul",
    ].map { Array($0.utf8) }
  ) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    switch read(bytes) {
    case .failure(let fault):
      try expect((0...bytes.count).contains(fault.offset), "refused at \(fault.offset) of \(bytes.count)")
    case .success(let value): try check(value, bytes)
    }
  }

  private static func read(_ bytes: [UInt8]) -> Result<JSONValue, JSONFault> {
    do throws(JSONFault) { return .success(try JSONReader.read(bytes)) } catch { return .failure(error) }
  }

  private static func check(_ value: JSONValue, _ bytes: [UInt8]) throws(FuzzFinding) {
    let line = Array(value.line.utf8)
    // A character that cannot be seen is written in six bytes.
    if line.count < 65_536 {
      try expect((try? read(line).get())?.line.utf8.elementsEqual(line) == true, "written, it is another value")
    }
    if bytes.count < 65_000 {
      let wide = try? read([0x20, 0x0A] + bytes + [0x0D, 0x09]).get()
      try expect(wide?.line.utf8.elementsEqual(line) == true, "between blanks it is another value")
    }
    switch value {
    case .integer, .number: return
    case .null, .bool, .string, .array, .object: break
    }
    var whole = bytes[...]
    while let last = whole.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { whole.removeLast() }
    for end in cuts(of: Array(whole)) {
      try expect(
        (try? read(Array(bytes[..<end])).get()) == nil, "\(end) of its \(whole.count) bytes are a value already")
    }
  }
}

private enum WebSocketProperties {
  private struct Reading: Equatable {
    var messages: [WebSocketMessage] = []
    var fault: WebSocketFault?
    var isClosed = false
  }

  private static func read(_ pieces: [ArraySlice<UInt8>], _ side: WebSocketReader.Side, _ limit: Int) -> Reading {
    var reader = WebSocketReader(of: side, byteCountMaximum: limit)
    var reading = Reading()
    for piece in pieces {
      reader.take(piece)
      while let message = reader.next() { reading.messages.append(message) }
    }
    (reading.fault, reading.isClosed) = (reader.fault, reader.isClosed)
    return reading
  }

  static func check(_ bytes: [UInt8], _ side: WebSocketReader.Side, limit: Int) throws(FuzzFinding) {
    let whole = read([bytes[...]], side, limit)
    for cut in cuts(of: bytes) {
      try expect(read([bytes[..<cut], bytes[cut...]], side, limit) == whole, "cut at \(cut), it is read otherwise")
    }
    if bytes.count <= 512 {
      try expect(read(bytes.indices.map { bytes[$0...$0] }, side, limit) == whole, "byte by byte it is read otherwise")
    }
    if let fault = whole.fault {
      try expect((0...bytes.count).contains(fault.offset), "refused at \(fault.offset) of \(bytes.count)")
    }
    for (number, message) in whole.messages.enumerated() {
      switch message {
      case .text(let text): try expect(text.utf8.count <= limit, "a text of \(text.utf8.count) bytes")
      case .binary(let bytes): try expect(bytes.count <= limit, "a message of \(bytes.count) bytes")
      case .ping(let bytes), .pong(let bytes):
        try expect(bytes.count <= WebSocketMessage.controlByteCountMaximum, "a ping of \(bytes.count) bytes")
      case .close: try expect(whole.isClosed && number == whole.messages.count - 1, "something stands behind a close")
      }
      let frame = message.frame(mask: side == .client ? UInt32(truncatingIfNeeded: number &* 0x9E37_79B9) : nil)
      try expect(read([frame[...]], side, limit).messages == [message], "written, it is another message")
    }
  }
}
