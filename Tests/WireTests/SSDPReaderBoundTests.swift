import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("SSDP reader at its bounds")
struct SSDPReaderBoundTests {
  private static let start = "NOTIFY * HTTP/1.1\r\n"

  /// What a mode makes of bytes: the kind, the bytes of the message and its fields, or the reason and the offset.
  private func summary(_ bytes: [UInt8], _ mode: SSDPMode) -> String {
    switch SSDPReader.read(bytes, mode: mode) {
    case .rejected(let rejection): return "\(rejection.reason) \(rejection.offset)"
    case .message(let message):
      let fields = message.fields.map { " [\(SSDPGolden.escaped($0.nameBytes))=\(SSDPGolden.escaped($0.valueBytes))]" }
      return "\(message.kind) \(message.byteCount)" + fields.joined()
    }
  }

  private func summary(_ text: String, _ mode: SSDPMode) -> String { summary(Array(text.utf8), mode) }

  /// Lines behind a start line; with a blank line at the end.
  private func notify(_ lines: [UInt8]) -> [UInt8] { Array(Self.start.utf8) + lines + [13, 10, 13, 10] }

  @Test("a beginning of a start line is too short; with any other byte, or an end behind it, it is none")
  func startLines() {
    for (form, kind) in [("NOTIFY", "notifyOther"), ("M-SEARCH", "search"), ("", "response")] {
      let text = Array((form.isEmpty ? "HTTP/1.1 200 OK" : form + " * HTTP/1.1").utf8)
      let count = text.count
      for mode in SSDPMode.allCases {
        for place in 1..<count {
          let cut = Array(text[..<place])
          expectEqual(summary(cut, mode), "tooShort \(place)")
          for end in ["\r", "\n", "\r\n", "\t", "X", "\r\nNT: a\r\n\r\n"] {
            expectEqual(summary(cut + Array(end.utf8), mode), "startLine \(place)")
          }
        }
        for place in 0..<count {
          for mask in [0x01, 0x20, 0x80] as [UInt8] {
            var other = text
            other[place] ^= mask
            expectEqual(summary(other + [13, 10, 13, 10], mode), "startLine \(place)")
            expectEqual(summary(Array(other[...place]), mode), "startLine \(place)")
          }
        }
      }
      // What comes behind the whole of it, and how many bytes more that is for each mode.
      let ends: [(end: String, lenient: (String, Int), strict: (String, Int))] = [
        ("", (kind, 0), ("noBlankLine", 0)), ("\r", (kind, 1), ("noBlankLine", 1)), ("\n", (kind, 1), ("lineEnd", 0)),
        ("\r\n", (kind, 2), ("noBlankLine", 2)), ("\r\r\n", (kind, 3), ("lineEnd", 0)),
        (" \r\n", (kind, 3), ("startLine", 0)), ("\t \r\n\r\n", (kind, 6), ("startLine", 0)),
        ("\u{B}\r\n\r\n", ("startLine", 0), ("startLine", 0)), ("!\r\n\r\n", ("startLine", 0), ("startLine", 0)),
        ("\r\n\r\n", (kind, 4), (kind, 4)), ("\r\n\n", (kind, 3), ("lineEnd", 2)),
        ("\r\n\r", (kind, 3), ("noBlankLine", 3)), ("\r\n\r\r\n", (kind, 5), ("lineEnd", 2)),
        ("\r\n\r\n\0", (kind, 4), ("bytesAfterBlankLine", 4)), ("\n\nNT: a", (kind, 2), ("lineEnd", 0)),
      ]
      for (end, lenient, strict) in ends {
        let bytes = text + Array(end.utf8)
        expectEqual(summary(bytes, .lenient), "\(lenient.0) \(count + lenient.1)", "\(SSDPGolden.escaped(bytes))")
        expectEqual(summary(bytes, .strict), "\(strict.0) \(count + strict.1)", "\(SSDPGolden.escaped(bytes))")
      }
    }
  }

  @Test("of all bytes a name holds those of a token for strict, and nearly all for lenient, at every place")
  func nameBytes() {
    let token = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    for place in 0..<3 {
      // LF would end the line, a colon the name.
      for byte in UInt8.min...UInt8.max where byte != 10 && byte != 58 {
        var name = Array("XYZ".utf8)
        name[place] = byte
        let bytes = notify(name + Array(": 1".utf8))
        let isBlank = byte == 32 || byte == 9
        let kept = isBlank && place == 2 ? Array(name[..<2]) : name
        let message = "notifyOther \(bytes.count)"
        let whole = isBlank && place == 0 ? message : message + " [\(SSDPGolden.escaped(kept))=1]"
        expectEqual(summary(bytes, .lenient), whole, "byte \(byte) at \(place)")
        let refusals = ["foldedLine 19", "nameBytes 20", "whitespaceBeforeColon 21"]
        let strict = isBlank ? refusals[place] : token.contains(byte) ? whole : "nameBytes \(19 + place)"
        expectEqual(summary(bytes, .strict), strict, "byte \(byte) at \(place)")
      }
    }
  }

  @Test("of all bytes a value holds what is no control byte and is UTF-8 for strict, and all for lenient, trimmed")
  func valueBytes() {
    for place in 0..<3 {
      for byte in UInt8.min...UInt8.max where byte != 10 {
        var value = Array("abc".utf8)
        value[place] = byte
        let bytes = notify(Array("X: ".utf8) + value)
        var kept = value
        if place == 2, [9, 13, 32].contains(byte) { kept.removeLast() }
        if place == 0, [9, 32].contains(byte) { kept.removeFirst() }
        let whole = "notifyOther \(bytes.count) [X=\(SSDPGolden.escaped(kept))]"
        expectEqual(summary(bytes, .lenient), whole, "byte \(byte) at \(place)")
        var strict = whole
        if byte < 32 && byte != 9 || byte == 127 { strict = "controlByte \(22 + place)" }
        if byte == 13, place == 2 { strict = "lineEnd 24" }
        if byte > 127 { strict = "notUTF8 \(22 + place)" }
        expectEqual(summary(bytes, .strict), strict, "byte \(byte) at \(place)")
      }
    }
  }

  @Test(
    "blanks around a value, and carriage returns among those behind it, are no part of it",
    arguments: [
      ("X:1", "X=1"), ("X: \t 1\t \t", "X=1"), ("X:", "X="), ("X: \t ", "X="), ("X:\t", "X="), ("X: a b ", "X=a b"),
      ("X::", "X=:"), ("X: :a:\t", "X=:a:"), ("X\t : 1", "X=1"), ("X: a \r", "X=a"), ("X: \r", "X="),
      ("X: a\r \r", "X=a"), ("X: \ra", "X=\\ra"), ("X: a\r b", "X=a\\r b"),
    ])
  func trims(line: String, field: String) {
    let bytes = notify(Array(line.utf8))
    expectEqual(summary(bytes, .lenient), "notifyOther \(bytes.count) [\(field)]")
  }

  @Test("of the faults of one line the first of the table is told, and a wrong line end before all of them")
  func order() throws {
    let long = String(repeating: "x", count: 253)
    let many = "USN: a\\r\\n" + String(repeating: "X:1\\r\\n", count: 31)
    let lines: [(line: String, strict: String)] = [
      ("A(\(long)x : \\xff\\x01\\n\\r\\n", "lineEnd 280"), ("A(\(long)x : \\xff\\x01", "noBlankLine 280"),
      ("A(\(long)x : \\xff\\x01\\r\\n\\r\\n", "whitespaceBeforeColon 275"),
      ("A(\(long)x: \\xff\\x01\\r\\n\\r\\n", "tooLong 274"), ("A(\(long): \\xff\\x01\\r\\n\\r\\n", "nameBytes 20"),
      ("AA\(long): \\xff\\x01\\r\\n\\r\\n", "controlByte 277"), ("AA\(long): \\xff1\\r\\n\\r\\n", "notUTF8 276"),
      ("USN: a\\r\\nusn: \\xff\\r\\n\\r\\n", "notUTF8 32"), ("USN: a\\r\\nusn: b\\r\\n\\r\\n", "duplicateField 27"),
      (many + "usn: b\\r\\n\\r\\n", "duplicateField 182"), (many + "Y: b\\r\\n\\r\\n", "tooManyFields 182"),
      (" : \\x01\\r\\n\\r\\n", "foldedLine 19"), ("a\\x01\\r\\n\\r\\n", "noColon 19"),
      (": \\x01\\r\\n\\r\\n", "emptyName 19"),
    ]
    for (line, strict) in lines {
      let bytes = try Array(Self.start.utf8) + SSDPGolden.bytes(line)
      expectEqual(summary(bytes, .strict), strict, "\(line)")
    }
    // Lenient counts the same lines, and none that it skips.
    let skipped = [" folded: 1", "no colon", ": no name", "\(long)xxx: too long"]
    for lineEnd in ["\n", "\r\n"] {
      let lines = skipped + [String](repeating: "X:1", count: 32) + skipped
      let open = Self.start + lines.map { $0 + lineEnd }.joined()
      let whole = "notifyOther \(open.utf8.count + lineEnd.utf8.count)" + String(repeating: " [X=1]", count: 32)
      expectEqual(summary(open + lineEnd, .lenient), whole)
      expectEqual(summary(open + "Y:2" + lineEnd, .lenient), "tooManyFields \(open.utf8.count)")
    }
  }

  @Test("the fast reader takes names of 1 to 31 bytes and 32 fields, and nothing that it cannot know to be well")
  func fastReader() {
    func name(_ count: Int) -> String { String(repeating: "x", count: count) + ": 1\r\n\r\n" }
    func fields(_ count: Int) -> String { String(repeating: "X:1\r\n", count: count) + "\r\n" }
    // `true`: taken; `nil`: left to the slow reader.
    let cases: [(lines: String, lenient: Bool?, strict: Bool?)] = [
      ("\r\n", true, true), ("", nil, nil), ("\r", nil, nil), ("X:1", nil, nil), ("X:1\r\n", nil, nil),
      (name(1), true, true), (name(31), true, true), (name(32), nil, nil), (fields(32), true, true),
      (fields(33), nil, nil), ("X:\r\n\r\n", true, true), ("X:   a b   \r\n\r\n", true, true),
      (": 1\r\n\r\n", nil, nil),
      ("X 1\r\n\r\n", nil, nil), (" X: 1\r\n\r\n", nil, nil), ("X : 1\r\n\r\n", nil, nil), ("X: \t1\r\n\r\n", nil, nil),
      ("X: 1\n\r\n", nil, nil), ("X: 1\r\n\n", nil, nil), ("X: 1\r\r\n\r\n", nil, nil), ("X: \u{1F}\r\n\r\n", nil, nil),
      ("X: ~\r\n\r\n", true, true), ("X: \u{7F}\r\n\r\n", true, nil), ("X: \u{80}\r\n\r\n", true, nil),
      ("X(: 1\r\n\r\n", true, nil), ("X:1\r\nX:2\r\n\r\n", true, true), ("NT:1\r\nnt:2\r\n\r\n", true, nil),
      ("X:1\r\n\r\nmore", true, nil),
    ]
    for (lines, lenient, strict) in cases {
      for start in [Self.start, "M-SEARCH * HTTP/1.1\r\n", "HTTP/1.1 200 OK\r\n"] {
        let bytes = Array((start + lines).utf8)
        expectEqual(SSDPReader.fastAgreesWithSlow(bytes, mode: .lenient), lenient, "\(SSDPGolden.escaped(bytes))")
        expectEqual(SSDPReader.fastAgreesWithSlow(bytes, mode: .strict), strict, "\(SSDPGolden.escaped(bytes))")
      }
    }
  }

  @Test("of a field that comes twice the first holds for lenient, read or not, and strict refuses the second line")
  func repeated() {
    for field in SSDPField.allCases {
      let name = field == .other ? "X" : field.name
      let bit = UInt32(1) << UInt32(field.rawValue)
      for lineEnd in ["\r\n", "\n"] {
        let lines = ["\(name): x", "Y: 1", "\(name.lowercased()): 2", "", ""]
        let bytes = Array((Self.start + lines.joined(separator: lineEnd)).utf8)
        SSDPReader.withReading(bytes, mode: .lenient) { reading in
          guard case .message(let message) = reading else {
            Issue.record("refused: \(name)")
            return
          }
          expectEqual(message.index.pointee.repeated, bit, "\(name)")
          expectEqual(message.index.pointee.seen, bit | 1, "\(name)")
          #expect(message.text(of: field) == "x" && message.index.range(of: field) == message.range(of: field))
          #expect(message.hint.number == .max && message.hint.mark == 0 && !message.isRemembered)
          let owned = SSDPOwnedMessage(message)
          #expect(owned.value(of: field) == "x" && owned.kind == .notifyOther)
          let numbers = [owned.bootID, owned.nextBootID, owned.configID, Int64(owned.searchPort)]
          expectEqual(
            numbers + [Int64(owned.maximumWaitSeconds), Int64(owned.maxAgeSeconds)], [-1, -1, -1, -1, -1, -1])
        }
        guard lineEnd == "\r\n", field != .other else { continue }
        expectEqual(summary(bytes, .strict), "duplicateField \(19 + name.utf8.count + 5 + 6)")
      }
    }
  }

  @Test(
    "CACHE-CONTROL holds for the digits of the first max-age that is a whole token, up to 31 bits",
    arguments: [
      ("max-age=0", 0), ("max-age=9", 9), ("max-age=/", -1), ("max-age=:", -1), ("max-age=:5", 5), ("max-age=;5", -1),
      ("max-age", -1), ("max-age 5", 5), ("max-age:5", 5), ("max-age\"5\"", 5), ("max-age\t=\t5", 5),
      ("max-age==5", 5), ("max-age =: \"7", 7), ("max-age5", -1), ("max-age-5", -1), ("max-age,5", -1),
      ("max-age=,max-age=5", -1), ("max-age=x, max-age=5", -1), ("max-age=+5", -1), ("max-age=-5", -1),
      ("max-age=5-", 5), ("max-age=5/", 5), ("max-age=5:6", 5), ("max-age=5 6", 5), ("max-age=1.9", 1),
      ("max-age=2147483646", 2_147_483_646), ("max-age=2147483647", 2_147_483_647),
      ("max-age=2147483648", 2_147_483_647), ("max-age=4294967296", 2_147_483_647),
      ("max-age=18446744073709551617", 2_147_483_647), ("max-age=00000000000000000000000060", 60),
      ("MAX-AGE=60", 60), ("Max-Age = \"60\"", 60), ("mAX-aGE=08", 8), ("max\u{D}age=5", -1),
      ("max_age=5", -1), ("max-agf=5", -1), ("lax-age=5", -1), ("max-ag=5", -1), ("ax-age=5", -1), ("[ax-age=5", -1),
      ("max-age2=1;max-age=3", 3), ("xmax-age=1", -1), ("s-max-age=1,max-age=2", 2), ("max-age.=1 max-age=2", 2),
      ("(max-age=4)", 4), ("a=max-age=5", 5), ("no-cache max-age=8 max-age=9", 8), ("\u{E9}max-age=9", 9),
      ("max-ages", -1), ("max-age=1,", 1), (",,max-age=1", 1), ("", -1),
    ] as [(String, Int32)])
  func maximumAge(value: String, seconds: Int32) {
    for lineEnd in ["\r\n", "\n"] {
      let text = "HTTP/1.1 200 OK" + lineEnd + "CACHE-CONTROL: " + value + lineEnd + "X: 4444" + lineEnd + lineEnd
      expectEqual(SSDPReader.read(Array(text.utf8), mode: .lenient).message?.maxAgeSeconds, seconds)
    }
  }

  @Test("NTS is one of three words to the byte, for lenient in any case of letters")
  func kinds() {
    func kind(_ value: [UInt8], _ mode: SSDPMode) -> SSDPKind? {
      SSDPReader.read(notify(Array("NTS: ".utf8) + value), mode: mode).message?.kind
    }
    let words: [(String, SSDPKind)] = [
      ("ssdp:alive", .notifyAlive), ("ssdp:byebye", .notifyByebye), ("ssdp:update", .notifyUpdate),
    ]
    for (word, expected) in words {
      let whole = Array(word.utf8)
      for mode in SSDPMode.allCases { expectEqual(kind(whole, mode), expected) }
      expectEqual(kind(Array(word.uppercased().utf8), .lenient), expected)
      for place in whole.indices {
        var (other, upper) = (whole, whole)
        other[place] ^= 1
        upper[place] ^= 0x20
        let isLetter = whole[place] != 58
        expectEqual(kind(upper, .lenient), (isLetter ? expected : .notifyOther), "\(word) at \(place)")
        expectEqual(kind(upper, .strict), (isLetter ? .notifyOther : nil), "\(word) at \(place)")
        let shorter = Array(whole[..<place] + whole[(place + 1)...])
        for value in [other, shorter, Array(whole[..<place]), whole + [whole[place]], [whole[place]] + whole] {
          for mode in SSDPMode.allCases { expectEqual(kind(value, mode), .notifyOther, "\(value) for \(word)") }
        }
      }
    }
  }

  @Test("UTF-8 is told from other bytes at the bounds of every form of it, in values and in text")
  func utf8() {
    for first in 0x7F...0xFF as ClosedRange<UInt8> {
      for second in [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8] {
        for third in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
          let bytes = [first, second, third, third, 0x41]
          var (text, place, wrong) = ("", 0, [Int]())
          while place < bytes.count {
            let sizes = 1...min(4, bytes.count - place)
            if let size = sizes.first(where: { String(validating: bytes[place..<place + $0], as: UTF8.self) != nil }) {
              text += String(decoding: bytes[place..<(place + size)], as: UTF8.self)
              place += size
            } else {
              text += "\\x" + String(bytes[place], radix: 16)
              wrong.append(place)
              place += 1
            }
          }
          if SSDPText.text(bytes) != text { Issue.record("\(bytes) is shown as \(SSDPText.text(bytes))") }
          // In a message a quarter of them are tried.
          guard third == 0x80, !bytes.contains(0x7F) else { continue }
          let message = notify(Array("X: ".utf8) + bytes)
          let whole = "notifyOther \(message.count) [X=\(text)]"
          expectEqual(summary(message, .strict), (wrong.first.map { "notUTF8 \(22 + $0)" } ?? whole), "\(bytes)")
        }
      }
    }
  }
}
