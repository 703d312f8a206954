import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Time")
struct InstantTests {
  @Test("arithmetic saturates instead of wrapping around")
  func saturation() {
    expectEqual(Instant.never + .hours(1), .never)
    expectEqual(Interval.seconds(.max), Interval(nanoseconds: .max))
    expectEqual(Instant(nanoseconds: .min) - .seconds(1), Instant(nanoseconds: .min))
    expectEqual(Instant.never - Instant(nanoseconds: -5), Interval(nanoseconds: .max))
  }

  @Test("texts are as JSON lines and scenarios have them")
  func texts() {
    expectEqual(Instant(nanoseconds: 1_700_000_000_123_456_789).description, "1700000000.123456789")
    expectEqual(Instant(nanoseconds: -7).description, "-0.000000007")
    let intervals: [Interval] = [
      .seconds(90), .milliseconds(250), .microseconds(1_500), .nanoseconds(7), .zero, .hours(2),
    ]
    expectEqual(intervals.map(\.description), ["90s", "250ms", "1500us", "7ns", "0s", "2h"])
  }
}

@Suite("Addresses")
struct AddressTests {
  @Test(
    "IPv6 text is canonical and reads back",
    arguments: [
      ("fe80:0:0:0:0:0:0:1", "fe80::1"), ("::", "::"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
      ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("ff02::c", "ff02::c"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
      ("1::", "1::"), ("2001:DB8::A", "2001:db8::a"),
    ])
  func canonical(text: String, canonical: String) {
    expectEqual(IPAddress(text)?.description, canonical)
    expectEqual(IPAddress(canonical)?.description, canonical)
  }

  @Test(
    "what is no address is none",
    arguments: [
      "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.-4", ":::", "1::2::3", "1:2:3:4:5:6:7", "fe80::1%eth0",
      "1:2:3:4:5:6:7:8:9", "::1:", "g::1", "+1::", "12345::",
    ])
  func refused(text: String) { expectEqual(IPAddress(text), nil) }

  @Test("endpoints read back; IPv6 needs brackets and IPv4 has none")
  func endpoints() {
    for text in ["192.168.1.20:1900", "[fe80::1]:1900"] { expectEqual(Endpoint(text)?.description, text) }
    for text in ["fe80::1:1900", "[1.2.3.4]:80", "1.2.3.4", "1.2.3.4:99999", "1.2.3.4:", "[]:1"] {
      expectEqual(Endpoint(text), nil)
    }
  }

  @Test("prefixes compare within a family")
  func prefixes() {
    #expect(IPAddress(10, 0, 0, 1).sharesPrefix(24, with: IPAddress(10, 0, 0, 200)))
    #expect(!IPAddress(10, 0, 0, 1).sharesPrefix(24, with: IPAddress(10, 0, 1, 1)))
    #expect(IPAddress("2001:db8::1")!.sharesPrefix(64, with: IPAddress("2001:db8::ffff")!))
    #expect(!IPAddress("2001:db8::1")!.sharesPrefix(128, with: IPAddress("2001:db8::2")!))
    #expect(!IPAddress(10, 0, 0, 1).sharesPrefix(0, with: IPAddress("::1")!))
  }
}

@Suite("Random streams")
struct RandomTests {
  @Test("draws never change: a digest in a file must hold for years")
  func frozen() {
    var stream = Seed(7).stream("tv/answers")
    let draws = (0..<3).map { _ in stream.next() }
    expectEqual(draws, RandomTests.known)
  }
  static let known: [UInt64] = [
    12_270_127_504_352_633_492, 876_373_608_436_959_171, 1_289_579_646_150_096_649,
  ]

  @Test("streams of different names or seeds differ, equal ones agree")
  func names() {
    var first = Seed(1).stream("a")
    var same = Seed(1).stream("a")
    var other = Seed(1).stream("b")
    var seed = Seed(2).stream("a")
    let draws = [first.next(), other.next(), seed.next()]
    let again = same.next()
    expectEqual(draws[0], again)
    expectEqual(Set(draws).count, 3)
  }

  @Test("chances 0 and 1 draw nothing")
  func certain() {
    var stream = Seed(1).stream("a")
    let before = stream
    let outcomes = [stream.happens(.never), stream.happens(.always)]
    expectEqual(outcomes, [false, true])
    expectEqual(stream, before)
  }

  @Test("ratios print as percent where they can")
  func ratios() {
    expectEqual(
      [Ratio.percent(10), Ratio(1, in: 400), Ratio(1, in: 3), .never, .always].map(\.description),
      [
        "10%", "0.25%", "1/3", "0%", "100%",
      ])
  }
}

@Suite("The outbox")
struct OutboxTests {
  @Test("what is put into it stands there in its order, whatever stood there before it was emptied")
  func order() {
    var outbox = Outbox(payloads: PayloadStore())
    let payload = outbox.payloads.store([1])
    let (group, link) = (Endpoint(.ssdpGroup4, port: 1_900), InterfaceID(0))
    func datagram(_ hopLimit: UInt8) -> Datagram {
      Datagram(source: group, destination: group, interface: link, hopLimit: hopLimit, payload: payload)
    }
    func report(_ offset: Int) -> Report { .rejected(Rejection(.empty, at: offset)) }

    outbox.transmit(datagram(1))
    outbox.report(report(1))
    outbox.join(group, on: link)
    outbox.report(report(2))
    outbox.want(StreamEffect.finish(StreamID(1)))
    expectEqual(
      outbox.effects,
      [
        .transmit(datagram(1)), .application(report(1)), .join(group, link), .application(report(2)),
        .streams(.finish(StreamID(1))),
      ])
    expectEqual((0..<5).map { outbox.datagram(at: $0) }, [datagram(1), nil, nil, nil, nil])
    expectEqual((0..<5).map { outbox.takeReport(at: $0) }, [nil, report(1), nil, report(2), nil])
    outbox.removeAll()
    #expect(outbox.isEmpty && outbox.effects.isEmpty)

    outbox.want(StreamEffect.reset(StreamID(2)))
    outbox.leave(group, on: link)
    outbox.transmit(datagram(2))
    outbox.report(report(3))
    expectEqual(
      outbox.effects,
      [.streams(.reset(StreamID(2))), .leave(group, link), .transmit(datagram(2)), .application(report(3))])
    outbox.removeAll()
    // Nothing but reports, of which the first was not taken out.
    for offset in 4..<7 { outbox.report(report(offset)) }
    expectEqual(outbox.effects, [.application(report(4)), .application(report(5)), .application(report(6))])
    expectEqual((0..<3).map { outbox.takeReport(at: $0) }, [report(4), report(5), report(6)])
  }
}

@Suite("The payload store")
struct PayloadStoreTests {
  @Test("bytes come back, are followed by zeros, and a recycled buffer carries nothing over")
  func recycle() {
    let store = PayloadStore()
    let first = store.store(Array("hello".utf8))
    expectEqual(store.array(of: first), Array("hello".utf8))
    store.setNoteKind(7, of: first)
    let digest = store.digest(of: first)
    store.release(first)
    let second = store.store(Array("he".utf8))
    let bytes = store.bytes(of: second)
    let behind = UnsafeRawBufferPointer(start: bytes.baseAddress! + 2, count: PayloadStore.paddingBytes)
    #expect(behind.allSatisfy { $0 == 0 })
    expectEqual(store.note(of: second).kind, 0)
    #expect(store.digest(of: second) != digest)
    expectEqual(store.liveCount, 1)
    store.release(second)
    expectEqual(store.liveCount, 0)
  }

  @Test("every size up to a whole UDP datagram fits")
  func sizes() {
    let store = PayloadStore()
    for size in [0, 1, 704, 705, 2_048, 2_049, 9_217, 65_535] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let payload = store.store(bytes)
      expectEqual(store.array(of: payload), bytes)
      store.release(payload)
    }
  }
}

@Suite("Names of services")
struct ServiceNamesTests {
  private static let texts = ["", "a", "ab", "b", "ü", "a\u{1F4FA}", "\u{E9}", "e\u{301}"]
  private static let all = texts.flatMap { first in
    texts.flatMap { second in
      [nil, "", "a", "b"].flatMap { location in
        ["", "a"].map { ServiceNames(device: $0, usn: first, target: second, location: location) }
      }
    }
  }

  @Test("each is what it was made of")
  func pieces() {
    for usn in ServiceNamesTests.texts {
      for location in [nil, "", "http://h/"] {
        let names = ServiceNames(device: "d" + usn, usn: usn, target: usn + "t", location: location)
        #expect(names.device == "d" + usn && names.target == usn + "t" && names.location == location)
        expectEqual(Array(names.usn.utf8), Array(usn.utf8))
        expectEqual(Array(names.allBytes), Array(usn.utf8) + Array((usn + "td" + usn + (location ?? "")).utf8))
        expectEqual(Array(names.deviceBytes), Array(names.device.utf8))
        expectEqual(Array(names.locationBytes), Array((location ?? "").utf8))
      }
    }
  }

  @Test("two are equal when every piece is, byte for byte, wherever a piece ends")
  func equality() {
    let all = ServiceNamesTests.all
    for (index, one) in all.enumerated() {
      for (other, two) in all.enumerated() { expectEqual((one == two), (index == other)) }
      let again = ServiceNames(device: one.device, usn: one.usn, target: one.target, location: one.location)
      #expect(again == one && again.hashValue == one.hashValue)
    }
  }

  @Test("of plain bytes they are those of the texts, wherever their room begins")
  func bytes() {
    let (uuid, usn, target) = (Array("ab-c".utf8), Array("uuid:ab-c::t".utf8), Array("t".utf8))
    // Two fit, and a third does not.
    var room = ServiceNames.Room(byteCount: 150)
    var all: [(ServiceNames, ServiceNames)] = []
    for hasDevice in [true, false] {
      for hasLocation in [true, false] {
        let made = uuid.withUnsafeBytes { uuid in
          usn.withUnsafeBytes { usn in
            target.withUnsafeBytes { target in
              ServiceNames(
                plain: usn, target: target, uuid: hasDevice ? uuid : nil, location: hasLocation ? target : nil,
                in: &room)
            }
          }
        }
        let device = hasDevice ? "uuid:ab-c" : ""
        let location = hasLocation ? "t" : nil
        all.append((made, ServiceNames(device: device, usn: "uuid:ab-c::t", target: "t", location: location)))
      }
    }
    for (index, (made, same)) in all.enumerated() {
      expectEqual(made, same)
      #expect(made.isPlain && made.usn == same.usn && made.device == same.device && made.location == same.location)
      for (other, (another, _)) in all.enumerated() { expectEqual(made == another, index == other) }
    }
  }

  @Test("a byte that quotation marks do not bear is noticed at every place")
  func plain() {
    for odd in ["\"", "\\", "\u{0}", "\u{1F}", "\n", "\u{7F}", "ü", "\u{9B}"] {
      for place in 0..<4 {
        var pieces = ["uuid:b~", "uuid:b::t", "t ", "http://h/"]
        func isPlain() -> Bool {
          ServiceNames(device: pieces[0], usn: pieces[1], target: pieces[2], location: pieces[3]).isPlain
        }
        #expect(isPlain())
        pieces[place] += odd
        #expect(!isPlain())
      }
    }
  }
}

@Suite("Plain text")
struct PlainTextTests {
  @Test("every byte at every place of every length is told from what quotation marks bear")
  func everywhere() {
    for count in 0...24 {
      for place in 0..<count {
        for byte in UInt8.min...UInt8.max {
          for around in [UInt8](arrayLiteral: 0x20, 0x61, 0x7E) {
            var text = [UInt8](repeating: around, count: count)
            text[place] = byte
            let isPlain = byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
            if text.withUnsafeBytes({ PlainText.isPlain($0) }) != isPlain {
              Issue.record("byte \(byte) at \(place) of \(count), among \(around)")
            }
          }
        }
      }
      #expect([UInt8](repeating: 0x21, count: count).withUnsafeBytes { PlainText.isPlain($0) })
    }
  }

  /// Every character of these has an effect and no picture; what stands beside their ends has one.
  static let hidden: [ClosedRange<UInt32>] = [
    0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
    0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164, 0xFE00...0xFE0F,
    0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
    0xE0000...0xE0FFF,
  ]

  @Test("controls, marks of direction, separators and invisible characters are hidden, and nothing else is")
  func hiddenCharacters() {
    for number in 0...0x10FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let isHidden = Self.hidden.contains { $0.contains(number) }
      let (text, json) = (PlainText.shown(String(scalar)), PlainText.jsonEscape(of: scalar))
      let escape = number < 0x80 ? "\\x" + PlainText.padded(number, 2) : "\\u{" + String(number, radix: 16) + "}"
      if PlainText.isHidden(scalar) != isHidden || text != (isHidden ? escape : String(scalar))
        || (json != nil) != (isHidden || number == 0x22 || number == 0x5C)
      {
        Issue.record("\(String(number, radix: 16)): \(text) \(json ?? "-")")
      }
      // What Unicode itself calls a control, a format without a picture of its own, or may be left out.
      let properties = scalar.properties
      if properties.isDefaultIgnorableCodePoint || properties.generalCategory == .control
        || properties.isBidiControl || [.lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
      {
        if !isHidden { Issue.record("\(String(number, radix: 16)) is not hidden") }
      }
    }
  }

  @Test("text is shown as it is but for what is hidden, and shown again it stays")
  func shown() {
    let text = "ü\\\u{1B}[2J\u{7}\r\n\u{85}\u{202E}\u{2028}\u{E0041}“é”"
    let shown = #"ü\\x1b[2J\x07\x0d\x0a\u{85}\u{202e}\u{2028}\u{e0041}“é”"#
    #expect(PlainText.shown(text) == shown && PlainText.shown(shown) == shown)
    expectEqual(PlainText.jsonEscape(of: "\u{E0041}"), #"\udb40\udc41"#)
    expectEqual(PlainText.jsonEscape(of: "\u{9B}"), #"\u009b"#)
  }
}
