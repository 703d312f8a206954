import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// What is recognised must be what the reader would read, and nothing else may be taken for it.
@Suite("SSDP intake") struct SSDPIntakeTests {
  /// An intake with a store of its own.
  private struct Rig {
    let intake: SSDPIntake
    let store = PayloadStore()

    init(_ mode: SSDPMode = .lenient, messagesMaximum: Int = SSDPIntake.messagesMaximum) {
      intake = SSDPIntake(mode, messagesMaximum: messagesMaximum)
    }

    /// Reads a message, and holds it to what the reader says of these bytes.
    ///
    /// - Parameter mark: left as its hint.
    /// - Returns: its hint's mark before; `nil`: the message is not remembered.
    @discardableResult
    func hear(_ bytes: [UInt8], noting mark: UInt32? = nil) -> UInt32? {
      let payload = store.store(bytes)
      defer { store.release(payload) }
      let expected = SSDPReader.read(bytes, mode: intake.mode)
      guard case .message(let message) = intake.read(payload, in: store) else {
        expectEqual(expected.message, nil)
        return nil
      }
      expectEqual(SSDPOwnedMessage(message), expected.message)
      guard message.isRemembered else {
        #expect(message.hint.number == .max && message.hint.mark == 0)
        return nil
      }
      let before = message.hint.mark
      if let mark { message.hint = SSDPHint(number: mark, mark: mark, hash: 3, flags: 4) }
      return before
    }

    @discardableResult
    func hear(_ text: String, noting mark: UInt32? = nil) -> UInt32? { hear(Array(text.utf8), noting: mark) }

    /// The mark of a message that is remembered, asked without hearing it.
    func mark(of bytes: [UInt8]) -> UInt32? {
      let payload = store.store(bytes)
      defer { store.release(payload) }
      return intake.recognise(payload, in: store)?.hint.mark
    }

    func mark(of text: String) -> UInt32? { mark(of: Array(text.utf8)) }
  }

  /// A message of so many bytes, from 24 on.
  private static func message(_ number: Int, count: Int = 300) -> [UInt8] {
    let start = "NOTIFY * HTTP/1.1\r\nX\(number): "
    return Array(start.utf8) + [UInt8](repeating: 0x61, count: count - start.utf8.count - 4) + [13, 10, 13, 10]
  }

  @Test("a message is remembered when it comes for the second time, with the hint that is noted then")
  func secondTime() {
    let rig = Rig()
    expectEqual(rig.hear(Self.message(1), noting: 5), nil)
    expectEqual(rig.mark(of: Self.message(1)), nil)
    expectEqual(rig.hear(Self.message(1), noting: 6), 0)
    expectEqual(rig.mark(of: Self.message(1)), 6)
    expectEqual(rig.hear(Self.message(1), noting: 7), 6)
    expectEqual(rig.hear(Self.message(1)), 7)
    #expect(rig.hear(Self.message(2)) == nil && rig.mark(of: Self.message(1)) == 7)
    expectEqual(rig.store.liveCount, 0)
  }

  @Test("to ask for a message teaches nothing")
  func asking() {
    let rig = Rig()
    for _ in 0..<3 { expectEqual(rig.mark(of: Self.message(1)), nil) }
    expectEqual(rig.hear(Self.message(1)), nil)
    for _ in 0..<3 { expectEqual(rig.mark(of: Self.message(1)), nil) }
    expectEqual(rig.hear(Self.message(1)), 0)
  }

  @Test("messages of 16 to 704 bytes are remembered", arguments: SSDPMode.allCases)
  func lengths(mode: SSDPMode) {
    for count in [30, 31, 32, 33, 47, 48, 49, 300, 448, 449, 703, 704, 705, 2_000] {
      let rig = Rig(mode)
      let bytes = Self.message(7, count: count)
      #expect(bytes.count == count && rig.hear(bytes) == nil)
      let isKept = count <= 704
      #expect((rig.hear(bytes) == 0) == isKept && (rig.hear(bytes) == 0) == isKept, "\(count)")
      expectEqual((rig.mark(of: bytes) == 0), isKept)
    }
    for (text, isKept) in [("HTTP/1.1 200 OK", false), ("HTTP/1.1 200 OK\n", true), ("HTTP/1.1 200 OK\n\n", true)] {
      let rig = Rig()
      rig.hear(text)
      #expect((rig.hear(text) == 0) == isKept && (rig.mark(of: text) == 0) == isKept, "\(text.utf8.count)")
    }
  }

  @Test("one byte that is another, wherever it is, or one more or less makes another message")
  func otherBytes() {
    for count in [33, 63, 64, 65, 80, 127, 300] {
      let rig = Rig()
      let known = Self.message(7, count: count)
      for _ in 0..<2 { rig.hear(known, noting: 9) }
      for place in known.indices {
        for bit in [UInt8(0x01), 0x10, 0x40] {
          var other = known
          other[place] ^= bit
          expectEqual(rig.mark(of: other), nil, "\(count), byte \(place)")
          rig.hear(other)
        }
      }
      #expect(rig.mark(of: known + [13]) == nil && rig.mark(of: Array(known.dropLast())) == nil)
      expectEqual(rig.hear(known), 9)
    }
  }

  @Test("what the reader refuses is refused each time, and not remembered")
  func refused() {
    let rig = Rig(.strict)
    for text in ["NOTIFY * HTTP/1.0\r\n\r\n123456", "NOTIFY * HTTP/1.1\nX: 1\n\n"] {
      for _ in 0..<4 { #expect(rig.hear(text) == nil && rig.mark(of: text) == nil) }
    }
  }

  @Test(
    "without room every message is read anew; room for more than 4 096 is not made", arguments: [-1, 0, 1, 2, 9_999])
  func limits(messagesMaximum: Int) {
    let rig = Rig(messagesMaximum: messagesMaximum)
    for number in 0..<4_200 { for _ in 0..<2 { rig.hear(Self.message(number, count: 40)) } }
    let kept = (0..<4_200).filter { rig.mark(of: Self.message($0, count: 40)) != nil }
    // Where many keys meet, a message or two may find no place.
    let count = max(0, min(messagesMaximum, 4_096))
    #expect(kept.count <= count && kept.count >= count - count / 500)
    // The newest are there.
    expectEqual(Array(kept.suffix(2)), Array((0..<4_200).suffix(min(2, count))))
  }

  @Test("a message that is heard again and again stays while thousands of others come twice and go")
  func hot() {
    let rig = Rig(messagesMaximum: 64)
    let hot = (0..<32).map { Self.message(100_000 + $0) }
    for _ in 0..<2 { for (number, bytes) in hot.enumerated() { rig.hear(bytes, noting: UInt32(number + 1)) } }
    for number in 0..<3_000 {
      for _ in 0..<2 { rig.hear(Self.message(number), noting: 77) }
      if number % 8 == 0 {
        for (place, bytes) in hot.enumerated() { expectEqual(rig.hear(bytes), UInt32(place + 1), "\(number)") }
      }
    }
    // What comes only once pushes nothing out.
    for number in 0..<3_000 { rig.hear(Self.message(number + 10_000)) }
    for (place, bytes) in hot.enumerated() { expectEqual(rig.mark(of: bytes), UInt32(place + 1)) }
  }

  @Test("a hint stays with its message while others are forgotten around it")
  func forgotten() {
    var random = Seed(7).stream("forgotten")
    let rig = Rig(messagesMaximum: 40)
    var noted: [Int: UInt32] = [:]
    for step in 1...20_000 {
      let number = Int(random.below(120))
      if let before = rig.hear(Self.message(number, count: 64), noting: UInt32(step)) {
        #expect(before == 0 || before == noted[number])
        noted[number] = UInt32(step)
      }
    }
    let kept = noted.keys.sorted().filter { rig.mark(of: Self.message($0, count: 64)) != nil }
    expectEqual(kept.count, 40)
    for number in kept { expectEqual(rig.mark(of: Self.message(number, count: 64)), noted[number]) }
  }

  // MARK: DATE

  private static func dated(_ date: String, _ end: String = "") -> String {
    "HTTP/1.1 200 OK\r\nEXT:\r\nDATE: \(date)\r\nST: a\(end)\r\nUSN: uuid:b\r\n\r\n"
  }

  @Test("a message with another DATE of its length is the same, and has the DATE that it came with")
  func dates() {
    let rig = Rig()
    rig.hear(Self.dated("Mon, 01 Jan 2024 12:00:01 GMT"))
    expectEqual(rig.hear(Self.dated("Mon, 01 Jan 2024 12:00:02 GMT"), noting: 4), 0)
    for date in ["Mon, 01 Jan 2024 12:00:02 GMT", "Mon, 02 Jan 2025 23:59:59 GMT"] {
      expectEqual(rig.mark(of: Self.dated(date)), 4)
      // `hear` compares every field, DATE with them, with what the reader says.
      expectEqual(rig.hear(Self.dated(date)), 4)
    }
    for other in ["Mon, 01 Jan 2024 12:00:02", "Mon, 01 Jan 2024 12:00:002 GMT"] {
      expectEqual(rig.mark(of: Self.dated(other)), nil)
    }
    for end in ["1", "x"] { expectEqual(rig.mark(of: Self.dated("Mon, 01 Jan 2024 12:00:02 GMT", end)), nil) }
  }

  @Test("a DATE with a blank at an end, or with bytes that are no printable ASCII, is another message")
  func oddDates() {
    // Each pair has one key: bytes differ in their lower halves.
    let pairs = [
      ("!2:00:02", " 2:00:02", false), ("12:00:0!", "12:00:0 ", false), ("12:0!:02", "12:0 :02", true),
      ("12\t\t0:02", "12\r\n0:02", false), ("12:zzz02", "12:z\u{7F}z02", false), ("12:zzz02", "12:z~z02", true),
      ("12:00:02", "12:00:03", true), ("\"2:00:0\"", "!2:00:0!", true), ("12\u{1E}0:02", "12\u{1F}0:02", false),
    ]
    for (known, other, isSame) in pairs {
      let rig = Rig()
      for _ in 0..<2 { rig.hear(Self.dated(known), noting: 3) }
      expectEqual(
        (rig.mark(of: Self.dated(other)) == 3), isSame, "\(known.debugDescription), \(other.debugDescription)")
      for _ in 0..<2 { rig.hear(Self.dated(other)) }
    }
  }

  @Test("only the first DATE of a message may differ")
  func otherFields() {
    let tail = "ST: a\r\nUSN: uuid:b\r\n\r\n"
    // What stands for `%` is other digits each time.
    let cases: [(text: String, lenient: Bool, strict: Bool)] = [
      ("HTTP/1.1 200 OK\r\nDATE: 12:00:%\r\n" + tail, true, true),
      ("HTTP/1.1 200 OK\r\nDATE: 12:00:\r\nX: %\r\n" + tail, false, false),
      ("HTTP/1.1 200 OK\r\nX-DATE: 12:00:%\r\n" + tail, false, false),
      ("HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=%\r\n" + tail, false, false),
      ("HTTP/1.1 201 OK\r\nDATE: 12:00:%\r\n" + tail, false, false),
      ("HTTP/1.1 200 OK\r\nDATE: 12:00:%\r\nDATE: 12:00:00\r\n" + tail, true, false),
      ("HTTP/1.1 200 OK\r\nDATE: 12:00:00\r\nDATE: 12:00:%\r\n" + tail, false, false),
      ("HTTP/1.1 200 OK\r\nX: %\r\nDATE: 12:00:00\r\n" + tail, false, false),
    ]
    for (text, lenient, strict) in cases {
      for (mode, isFound) in [(SSDPMode.lenient, lenient), (SSDPMode.strict, strict)] {
        let rig = Rig(mode)
        func bytes(_ digits: String) -> String { text.map { $0 == "%" ? digits : String($0) }.joined() }
        rig.hear(bytes("01"))
        rig.hear(bytes("02"), noting: 8)
        expectEqual((rig.mark(of: bytes("03")) == 8), isFound, "\(mode): \(text)")
        rig.hear(bytes("03"))
      }
    }
  }

  @Test("messages with a DATE and without one are forgotten and remembered side by side")
  func mixed() {
    let rig = Rig(messagesMaximum: 2)
    let (plain, date) = (Self.message(1), Self.dated("12:00:01"))
    for _ in 0..<2 {
      for _ in 0..<2 { rig.hear(plain, noting: 1) }
      expectEqual(rig.hear(plain), 1)
      for _ in 0..<2 { rig.hear(date, noting: 2) }
      #expect(rig.mark(of: plain) == 1 && rig.mark(of: Self.dated("12:00:09")) == 2)
      for number in 2..<6 { for _ in 0..<2 { rig.hear(Self.message(number)) } }
      #expect(rig.mark(of: plain) == nil && rig.mark(of: Self.dated("12:00:09")) == nil)
    }
  }

  // MARK: Made on purpose

  /// Sums of words, and sums of those sums, are the same.
  private static let colliding = (0..<60).map { number -> [UInt8] in
    var one = Array("NOTIFY * HTTP/1.1\r\nXYZ: ".utf8) + [UInt8](repeating: 0x50, count: 76) + [13, 10, 13, 10]
    let (here, there) = (32 + number % 8, UInt8(number / 8 + 1))
    one[here] += there
    one[here + 16] -= 2 * there
    one[here + 32] += there
    return one
  }

  @Test("a message behind others of its key is found though those before it are forgotten")
  func forgottenCollisions() {
    let rig = Rig(messagesMaximum: 8)
    for turn in 0..<5 {
      for (number, bytes) in Self.colliding.enumerated() {
        for _ in 0..<2 { rig.hear(bytes, noting: UInt32(number + 1)) }
        if number % 3 == turn % 3 { for _ in 0..<2 { rig.hear(Self.message(number)) } }
        if number % 7 == 0 { rig.hear(Self.colliding[(number + 55) % 60]) }
        let kept = Self.colliding.enumerated().filter { rig.mark(of: $0.element) != nil }
        let others = (0..<60).filter { rig.mark(of: Self.message($0)) != nil }
        #expect(kept.count + others.count == 8 || turn == 0 && number < 8, "\(turn), \(number)")
        for (place, one) in kept {
          let mark = rig.mark(of: one)
          #expect(mark == 0 || mark == UInt32(place + 1), "\(turn), \(number): \(place)")
        }
      }
    }
  }

  @Test("messages that were made to have one key are told apart, and no more than 16 of them are remembered")
  func collisions() {
    let all = Self.colliding
    let sums = all.map { bytes in bytes.withUnsafeBytes { Digest.sum($0, mask: ~0) } }
    #expect(Set(sums).count == 1 && Set(all).count == 60)
    let rig = Rig()
    for _ in 0..<3 { for bytes in all { rig.hear(bytes) } }
    // One that comes twice without another between would be remembered.
    for bytes in all { for _ in 0..<2 { rig.hear(bytes) } }
    expectEqual(all.filter { rig.mark(of: $0) != nil }.count, 16)
  }

  @Test("a payload that two intakes and the reader read by turns is the same message each time, with the hint of each")
  func byTurns() {
    let store = PayloadStore()
    let (bytes, other) = (Self.message(1), Self.message(2))
    let intakes = [SSDPIntake(.lenient), SSDPIntake(.lenient), SSDPIntake(.lenient, messagesMaximum: 1)]
    func read(_ intake: SSDPIntake, _ payload: Payload, noting mark: UInt32? = nil) -> UInt32? {
      guard case .message(let message) = intake.read(payload, in: store) else { return nil }
      expectEqual(SSDPOwnedMessage(message), SSDPReader.read(store.array(of: payload), mode: .lenient).message)
      let before = message.isRemembered ? message.hint.mark : nil
      if let mark { message.hint = SSDPHint(mark: mark) }
      return before
    }
    for (number, intake) in intakes.enumerated() {
      for _ in 0..<2 {
        let payload = store.store(bytes)
        _ = read(intake, payload, noting: UInt32(number + 1))
        store.release(payload)
      }
    }
    let payload = store.store(bytes)
    for turn in [0, 0, 1, 0, 2, 2, 1, 1] { expectEqual(read(intakes[turn], payload), UInt32(turn + 1)) }
    // The last intake has room for one message: it forgets this one while it is held.
    #expect(intakes[2].recognise(payload, in: store) != nil)
    for _ in 0..<2 {
      let another = store.store(other)
      _ = read(intakes[2], another, noting: 9)
      store.release(another)
    }
    #expect(intakes[2].recognise(payload, in: store) == nil)
    // It is remembered once more, without a hint.
    expectEqual(read(intakes[2], payload), 0)
    // What the reader left beside the payload stays.
    if case .message(let message) = SSDPReader.reading(of: payload, in: store, mode: .lenient) {
      #expect(read(intakes[0], payload) == 1 && read(intakes[1], payload) == 2)
      expectEqual(SSDPOwnedMessage(message), SSDPReader.read(bytes, mode: .lenient).message)
    }
    store.release(payload)
    expectEqual(store.liveCount, 0)
  }

  @Test("marks are never given twice by one intake")
  func marks() {
    let intake = SSDPIntake(.lenient)
    expectEqual((0..<5).map { _ in intake.nextMark() }, [1, 2, 3, 4, 5])
    expectEqual(SSDPIntake(.lenient).nextMark(), 1)
  }
}
