import RollcallExpectations
import RollcallWire
import Testing

@Suite("Messages of a WebSocket") struct WebSocketReaderTests {
  private struct Reading: Equatable {
    var messages: [WebSocketMessage]
    var fault: WebSocketFault?
    init(_ messages: [WebSocketMessage] = [], _ fault: WebSocketFault? = nil) {
      (self.messages, self.fault) = (messages, fault)
    }
    init(_ messages: [WebSocketMessage], _ reason: WebSocketFault.Reason, at offset: Int) {
      self.init(messages, WebSocketFault(reason, at: offset))
    }
  }

  private static func read(
    _ bytes: [UInt8], of side: WebSocketReader.Side = .server, atMost limit: Int = 1_000, step: Int? = nil
  ) -> Reading {
    var reader = WebSocketReader(of: side, byteCountMaximum: limit)
    var reading = Reading()
    for start in stride(from: 0, to: bytes.count, by: step ?? max(bytes.count, 1)) {
      reader.take(bytes[start..<min(bytes.count, start + (step ?? bytes.count))])
      while let message = reader.next() { reading.messages.append(message) }
    }
    reading.fault = reader.fault
    return reading
  }

  @Test("the examples of RFC 6455, section 5.7, are read and written")
  func examples() {
    let hello: [UInt8] = [0x48, 0x65, 0x6C, 0x6C, 0x6F]
    expectEqual(WebSocketMessage.text("Hello").frame(mask: nil), [0x81, 0x05] + hello)
    let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    expectEqual(WebSocketMessage.text("Hello").frame(mask: 0x37FA_213D), masked)
    expectEqual(Self.read([0x81, 0x05] + hello), Reading([.text("Hello")]))
    expectEqual(Self.read(masked, of: .client), Reading([.text("Hello")]))
    expectEqual(Self.read([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]), Reading([.text("Hello")]))
    expectEqual(Self.read([0x89, 0x05] + hello), Reading([.ping(hello)]))
    expectEqual(
      Self.read([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], of: .client),
      Reading([.pong(hello)]))
  }

  @Test(
    "every length is written with as few bytes as it needs and read again",
    arguments: [0, 1, 125, 126, 127, 65_535, 65_536])
  func lengths(_ count: Int) {
    let message = WebSocketMessage.binary((0..<count).map { UInt8(truncatingIfNeeded: $0) })
    let head = count < 126 ? 2 : count < 65_536 ? 4 : 10
    expectEqual(message.frame(mask: nil).count, head + count)
    expectEqual(message.frame(mask: 0x0102_0304).count, head + 4 + count)
    expectEqual(Self.read(message.frame(mask: nil), atMost: count), Reading([message]))
    expectEqual(Self.read(message.frame(mask: 0x0102_0304), of: .client, atMost: count, step: 3), Reading([message]))
    if count > 0 {
      expectEqual(Self.read(message.frame(mask: nil), atMost: count - 1), Reading([], .tooLong, at: 1))
    }
  }

  @Test("a message in pieces, with a ping between them, is one; the limit holds for all of its pieces")
  func pieces() {
    let bytes: [UInt8] = [0x02, 2, 1, 2, 0x89, 1, 9, 0x00, 0, 0x80, 1, 3, 0x81, 1, 97]
    expectEqual(WebSocketMessage.controlByteCountMaximum, 125)
    let long = WebSocketMessage.binary([UInt8](repeating: 3, count: 126))
    let two = WebSocketMessage.text("a").frame(mask: nil) + long.frame(mask: nil)
    for step in 1...8 { expectEqual(Self.read(two, step: step), Reading([.text("a"), long])) }
    let whole = Reading([.ping([9]), .binary([1, 2, 3]), .text("a")])
    for step in 1...bytes.count { expectEqual(Self.read(bytes, atMost: 3, step: step), whole) }
    expectEqual(Self.read(bytes, atMost: 2), Reading([.ping([9])], .tooLong, at: 10))
    // A character may stand in two pieces, and must not be left half.
    expectEqual(Self.read([0x01, 1, 0xC3, 0x80, 1, 0xA9]), Reading([.text("é")]))
    expectEqual(Self.read([0x01, 1, 0xC3, 0x80, 1, 0x28]), Reading([], .notUTF8, at: 2))
  }

  @Test(
    "what cannot be is refused at its byte, and nothing is read behind it",
    arguments: [
      ([0xC1, 0], .reservedBits, 0), ([0x91, 0], .reservedBits, 0), ([0x83, 0], .opcode, 0), ([0x8B, 0], .opcode, 0),
      ([0x81, 0x80], .mask, 1), ([0x09, 0], .controlFrame, 0), ([0x08, 0], .controlFrame, 0),
      ([0x0A, 0], .controlFrame, 0), ([0x89, 126, 0, 126], .controlFrame, 1),
      ([0x81, 126, 0, 125], .length, 1), ([0x81, 127, 0, 0, 0, 0, 0, 0, 255, 255], .length, 1),
      ([0x81, 127, 128, 0, 0, 0, 0, 0, 0, 0], .length, 1), ([0x88, 126, 0, 126], .controlFrame, 1),
      ([0x81, 127, 127, 255, 255, 255, 255, 255, 255, 255], .tooLong, 1), ([0x83], .opcode, 0),
      ([0xA1], .reservedBits, 0), ([0x80, 0], .fragment, 0),
      ([0x01, 0, 0x81, 0], .fragment, 2),
      ([0x81, 1, 0xFF], .notUTF8, 2), ([0x88, 1, 3], .closeStatus, 2), ([0x88, 2, 3, 0xE7], .closeStatus, 2),
      ([0x88, 2, 3, 0xED], .closeStatus, 2), ([0x88, 2, 0x0B, 0xB7], .closeStatus, 2),
      ([0x88, 2, 0x13, 0x88], .closeStatus, 2), ([0x88, 3, 3, 0xE8, 0xFF], .notUTF8, 4),
    ] as [([UInt8], WebSocketFault.Reason, Int)])
  func refused(_ bytes: [UInt8], _ reason: WebSocketFault.Reason, _ offset: Int) {
    let before = WebSocketMessage.text("a").frame(mask: nil)
    let expected = Reading([.text("a")], reason, at: before.count + offset)
    // It is refused before anything comes behind it.
    expectEqual(Self.read(before + bytes), expected)
    expectEqual(Self.read(before + bytes + before), expected)
    expectEqual(Self.read(before + bytes + before, step: 1), expected)
  }

  @Test("a client has to mask what it sends")
  func unmasked() { expectEqual(Self.read([0x81, 0], of: .client), Reading([], .mask, at: 1)) }

  @Test("behind a close nothing is read")
  func close() {
    let after = WebSocketMessage.text("a").frame(mask: nil)
    for (message, bytes): (WebSocketMessage, [UInt8]) in [
      (.close(status: nil, reason: ""), [0x88, 0]),
      (.close(status: 1_000, reason: "bye"), [0x88, 5, 3, 0xE8, 98, 121, 101]),
      (.close(status: 4_999, reason: ""), [0x88, 2, 0x13, 0x87]),
      (.close(status: 1_003, reason: ""), [0x88, 2, 3, 0xEB]),
      (.close(status: 3_000, reason: ""), [0x88, 2, 0x0B, 0xB8]),
      (.close(status: 1_014, reason: ""), [0x88, 2, 3, 0xF6]),
    ] {
      expectEqual(message.frame(mask: nil), bytes)
      expectEqual(Self.read(bytes + after), Reading([message]))
    }
  }

  @Test("each fault has the status that a close says of it")
  func statuses() {
    let statuses = WebSocketFault.Reason.allCases.map { WebSocketFault($0, at: 0).status }
    expectEqual(statuses, [1_002, 1_002, 1_002, 1_002, 1_002, 1_009, 1_002, 1_007, 1_002])
  }
}
