import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("Bytes of sessions")
struct SessionFrameTests {
  private static let card = SessionCard(
    id: SessionPeerID(high: 1, low: 2), name: "a", key: [UInt8](repeating: 3, count: 32))
  private static let hello: SessionOpening = {
    var hello = SessionOpening.Hello(
      link: 5, target: SessionPeerID(high: 7, low: 8), purpose: .invitation, preference: .required, card: card,
      agreement: [UInt8](repeating: 4, count: 32))
    hello.signature = [UInt8](repeating: 9, count: 64)
    return .hello(hello)
  }()
  private static let welcome: SessionOpening = {
    var welcome = SessionOpening.Welcome(
      askedLink: 5, link: 6, preference: .none, card: card, agreement: [UInt8](repeating: 4, count: 32))
    welcome.signature = [UInt8](repeating: 9, count: 64)
    return .welcome(welcome)
  }()
  private static let v6 = Endpoint(IPAddress(v6High: 0xFE80 << 48, low: 1), port: 9)
  private static let controls: [SessionControl] = [
    .invitation(timeoutMilliseconds: 30_000, context: nil, certificates: []),
    .invitation(timeoutMilliseconds: 1, context: [], certificates: [[1], []]),
    .accept(certificates: [[1, 2]]), .decline, .greeting(certificates: []), .ready,
    .members([.init(card, at: v6), .init(card, at: Endpoint(IPAddress(10, 0, 0, 1), port: 1))]),
    .streamOpen(channel: 1, name: "n"), .streamCredit(channel: 2, bytes: 1), .streamEnd(channel: 3, .receiver),
    .resourceOpen(channel: 4, byteCount: nil, name: "é", fileName: ""),
    .resourceOpen(channel: 4, byteCount: 0, name: "f", fileName: "g.jpg"),
    .resourceEnd(channel: 5, .sender, .cancelled),
    .elsewhere,
  ]

  private func fault<T>(_ bytes: [UInt8], _ read: (UnsafeRawBufferPointer) throws -> T) -> SessionFault? {
    do { _ = try bytes.withUnsafeBytes(read) } catch { return error as? SessionFault }
    return nil
  }
  /// The bytes with one changed.
  private func changed(_ bytes: [UInt8], _ place: Int, _ value: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[place] = value
    return bytes
  }

  @Test("what opens a connection reads as it was written; cut anywhere it is too short, and longer it is too long")
  func openings() throws {
    for opening in [SessionFrameTests.hello, SessionFrameTests.welcome, .refusal(link: 3, .full)] {
      let bytes = opening.bytes
      expectEqual(try bytes.withUnsafeBytes { try SessionOpening($0) }, opening)
      for count in bytes.indices {
        expectEqual(fault(Array(bytes[..<count])) { try SessionOpening($0) }, SessionFault(.tooShort, at: count))
      }
      expectEqual(fault(bytes + [0]) { try SessionOpening($0) }, SessionFault(.tooLong, at: bytes.count))
    }
  }

  @Test("each wrong value of an opening is refused at its place")
  func wrongOpenings() {
    let hello = SessionFrameTests.hello.bytes
    let cases: [(Int, UInt8, SessionFault.Reason, Int)] = [
      (0, 0, .unknownKind, 0), (0, 4, .unknownKind, 0), (0, 6, .unknownKind, 0), (1, 2, .wrongVersion, 1),
      (9, 0, .badValue, 2), (26, 0, .badValue, 26), (26, 4, .badValue, 26), (27, 1, .badValue, 27),
      (43, 3, .badValue, 43), (92, 0, .badName, 93), (92, 64, .overLimit, 92), (93, 0xFF, .badName, 93),
    ]
    for (place, value, reason, offset) in cases {
      let found = fault(changed(hello, place, value)) { try SessionOpening($0) }
      expectEqual(found, SessionFault(reason, at: offset), "byte \(place)")
    }
    // A token belongs to a connection by hand.
    expectEqual(fault(changed(changed(hello, 26, 3), 27, 1)) { try SessionOpening($0) }, nil)
    let refusal = SessionOpening.refusal(link: 3, .full).bytes
    for value in [0, 7] as [UInt8] {
      expectEqual(fault(changed(refusal, 10, value)) { try SessionOpening($0) }, SessionFault(.badValue, at: 10))
    }
  }

  @Test("control messages read as they were written; cut anywhere they are too short, and longer too long")
  func controls() throws {
    for control in SessionFrameTests.controls {
      let bytes = control.bytes
      expectEqual(try SessionControl(bytes: bytes), control)
      for count in bytes.indices {
        expectEqual(fault(Array(bytes[..<count])) { try SessionControl($0) }, SessionFault(.tooShort, at: count))
      }
      expectEqual(fault(bytes + [0]) { try SessionControl($0) }, SessionFault(.tooLong, at: bytes.count))
    }
  }

  @Test("limits of control messages hold to the byte")
  func controlLimits() throws {
    func invitation(_ count: Int) -> [UInt8] {
      SessionControl.invitation(
        timeoutMilliseconds: 0, context: [UInt8](repeating: 0, count: count), certificates: []
      ).bytes
    }
    expectEqual(fault(invitation(65_536)) { try SessionControl($0) }, nil)
    expectEqual(fault(invitation(65_537)) { try SessionControl($0) }, SessionFault(.overLimit, at: 6))
    func accept(_ sizes: [Int]) -> [UInt8] {
      SessionControl.accept(certificates: sizes.map { [UInt8](repeating: 0, count: $0) }).bytes
    }
    expectEqual(fault(accept([32_768])) { try SessionControl($0) }, nil)
    expectEqual(fault(accept([32_768, 1])) { try SessionControl($0) }, SessionFault(.overLimit, at: 32_772))
    expectEqual(fault(accept(Array(repeating: 0, count: 16))) { try SessionControl($0) }, nil)
    expectEqual(
      fault(accept(Array(repeating: 0, count: 17))) { try SessionControl($0) }, SessionFault(.overLimit, at: 1))
    func open(_ count: Int) -> [UInt8] {
      SessionControl.streamOpen(channel: 1, name: String(repeating: "x", count: count)).bytes
    }
    expectEqual(fault(open(1_024)) { try SessionControl($0) }, nil)
    expectEqual(fault(open(1_025)) { try SessionControl($0) }, SessionFault(.overLimit, at: 5))
    expectEqual(fault(open(0)) { try SessionControl($0) }, SessionFault(.badName, at: 7))
    let cases: [([UInt8], SessionFault)] = [
      ([0], SessionFault(.unknownKind, at: 0)), ([13], SessionFault(.unknownKind, at: 0)),
      ([1, 0, 0, 0, 0, 2], SessionFault(.badValue, at: 5)), ([6, 0], SessionFault(.overLimit, at: 1)),
      ([6, 8], SessionFault(.overLimit, at: 1)), ([7, 0, 0, 0, 0], SessionFault(.badValue, at: 1)),
      ([8, 0, 0, 0, 1, 0, 0, 0, 0], SessionFault(.badValue, at: 5)),
      ([9, 0, 0, 0, 1, 2], SessionFault(.badValue, at: 5)),
      ([10, 0, 0, 0, 1, 0x40, 0, 0, 0, 0, 0, 0, 0], SessionFault(.badValue, at: 5)),
      ([11, 0, 0, 0, 1, 0, 3], SessionFault(.badValue, at: 6)),
    ]
    for (bytes, expected) in cases { expectEqual(fault(bytes) { try SessionControl($0) }, expected, "\(bytes)") }
  }

  @Test("frames of a packet: each kind, and each way to be wrong")
  func frames() throws {
    func frames(_ bytes: [UInt8]) throws -> [SessionFrame] {
      try bytes.withUnsafeBytes { bytes in
        var walk = SessionFrames(bytes, from: 0)
        var found: [SessionFrame] = []
        while let frame = try walk.next() { found.append(frame) }
        return found
      }
    }
    func piece(_ kind: UInt8, _ channel: UInt8, _ flags: UInt8, _ data: [UInt8]) -> [UInt8] {
      [2, 0, 0, 0, 0, 0, 0, 0, 1, kind, 0, 0, 0, channel, flags, 0, UInt8(data.count)] + data
    }
    let ack: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 1, 5]
    expectEqual(
      try frames(ack + piece(3, 7, 0, [1]) + [3, 0, 2, 8, 9] + [4] + [5, 1]),
      [
        .acknowledgement(.init(packet: 2, delayMicroseconds: 3, next: 4, bits: 22..<23)),
        .piece(.init(sequence: 1, kind: .stream, channel: 7, isLast: false, bytes: 40..<41)),
        .unreliable(44..<46), .ping, .close(.left),
      ])
    func found(_ bytes: [UInt8]) -> SessionFault? {
      do { _ = try frames(bytes) } catch { return error as? SessionFault }
      return nil
    }
    let cases: [([UInt8], SessionFault?)] = [
      ([0], SessionFault(.unknownKind, at: 0)), ([4, 6], SessionFault(.unknownKind, at: 1)),
      (piece(0, 0, 1, [1]), SessionFault(.unknownKind, at: 9)),
      (piece(5, 0, 1, [1]), SessionFault(.unknownKind, at: 9)),
      (piece(1, 1, 1, [1]), SessionFault(.badValue, at: 10)), (piece(2, 1, 1, [1]), SessionFault(.badValue, at: 10)),
      (piece(3, 0, 1, [1]), SessionFault(.badValue, at: 10)), (piece(4, 0, 1, [1]), SessionFault(.badValue, at: 10)),
      (piece(1, 0, 2, [1]), SessionFault(.badValue, at: 14)), (piece(1, 0, 0, []), SessionFault(.badValue, at: 15)),
      (piece(1, 0, 1, []), nil), ([5, 0], SessionFault(.badValue, at: 1)), ([5, 9], SessionFault(.badValue, at: 1)),
      (changed(ack, 1, 0x40), SessionFault(.badValue, at: 1)),
      (changed(ack, 13, 0x40), SessionFault(.badValue, at: 13)),
      (Array(ack.dropLast(2)) + [129], SessionFault(.overLimit, at: 21)),
      (Array(ack.dropLast(2)) + [128] + [UInt8](repeating: 0, count: 128), nil),
      ([3, 0, 2, 8], SessionFault(.tooShort, at: 4)),
    ]
    for (bytes, expected) in cases { expectEqual(found(bytes), expected, "\(bytes.prefix(24))") }
    for count in 1..<ack.count { expectEqual(found(Array(ack[..<count])), SessionFault(.tooShort, at: count)) }
  }

  @Test("a header has a frame behind it, and a sealed one its tag too")
  func headers() {
    for (kind, least) in [(4, 18), (5, 34)] as [(UInt8, Int)] {
      for count in [16, 17, least - 1, least] {
        let bytes = [kind] + [UInt8](repeating: 0, count: count - 1)
        expectEqual(
          fault(bytes) { try SessionHeader($0) }, count == least ? nil : SessionFault(.tooShort, at: count), "\(count)")
      }
    }
    for kind in [0, 1, 3, 6] as [UInt8] {
      expectEqual(
        fault([kind] + [UInt8](repeating: 0, count: 40)) { try SessionHeader($0) }, SessionFault(.unknownKind, at: 0))
    }
    var bytes = [UInt8](repeating: 0, count: 40)
    let header = SessionHeader(isSealed: true, link: 0x0102_0304_0506_0708, number: 0x090A)
    bytes.withUnsafeMutableBytes { header.write(to: $0) }
    expectEqual(bytes.prefix(17), [5, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 9, 10])
    expectEqual(try? bytes.withUnsafeBytes { try SessionHeader($0) }, header)
  }

  @Test("frames read as they were written at an offset, and no byte before or behind them changes")
  func written() throws {
    let ack = SessionFrame.Acknowledgement(packet: 0x0102, delayMicroseconds: 0x0304_0506, next: 0x0708, bits: 25..<27)
    let cases: [(bytes: [UInt8], frame: SessionFrame, write: (UnsafeMutableRawBufferPointer) -> Void)] = [
      (
        [1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 7, 8, 2, 99, 99], .acknowledgement(ack),
        { ack.write(to: $0, at: 3, count: 2) }
      ),
      (
        [3, 1, 2] + [UInt8](repeating: 99, count: 258), .unreliable(6..<264),
        { SessionFrame.writeUnreliableHeader(to: $0, at: 3, count: 258) }
      ),
      ([4], .ping, { SessionFrame.writePing(to: $0, at: 3) }),
      ([5, 7], .close(.full), { SessionFrame.writeClose(.full, to: $0, at: 3) }),
    ]
    for (bytes, frame, write) in cases {
      var found = [UInt8](repeating: 99, count: 3 + bytes.count)
      found.withUnsafeMutableBytes(write)
      expectEqual(found, [99, 99, 99] + bytes)
      let read = try found.withUnsafeBytes { raw in
        var frames = SessionFrames(raw, from: 3)
        return [try frames.next(), try frames.next()]
      }
      expectEqual(read, [frame, nil])
    }
  }

  @Test("connection data reads as it was written, for both families, and is refused cut or longer")
  func connectionData() throws {
    for endpoint in [SessionFrameTests.v6, Endpoint(IPAddress(10, 0, 0, 1), port: 1)] {
      let data = ConnectionData(
        maker: SessionFrameTests.card, reader: SessionPeerID(high: 3, low: 4), endpoint: endpoint,
        token: [UInt8](repeating: 1, count: 16), signature: [UInt8](repeating: 2, count: 64))
      let bytes = data.bytes
      expectEqual(try bytes.withUnsafeBytes { try ConnectionData($0) }, data)
      for count in bytes.indices {
        expectEqual(fault(Array(bytes[..<count])) { try ConnectionData($0) }, SessionFault(.tooShort, at: count))
      }
      expectEqual(fault(bytes + [0]) { try ConnectionData($0) }, SessionFault(.tooLong, at: bytes.count))
      expectEqual(fault(changed(bytes, 0, 2)) { try ConnectionData($0) }, SessionFault(.wrongVersion, at: 0))
      expectEqual(fault(changed(bytes, 67, 5)) { try ConnectionData($0) }, SessionFault(.badValue, at: 67))
    }
  }
}
