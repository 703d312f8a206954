import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite struct DNSMessageTests {
  private static let full: DNSMessage = {
    let type = DNSName("_ipp._tcp.local")!
    let (instance, host) = (type.adding("Print.er")!, DNSName("host.local")!)
    return DNSMessage(
      flags: .response,
      answers: [
        DNSRecord(type, .ptr(instance), ttlSeconds: 4_500),
        DNSRecord(
          instance, .srv(priority: 1, weight: 2, port: 631, target: host), ttlSeconds: 120, isCacheFlush: true),
        DNSRecord(instance, .txt([3, 97, 61, 98]), ttlSeconds: 4_500, isCacheFlush: true),
      ],
      additionals: [
        DNSRecord(host, .address(IPAddress(10, 0, 0, 1)), ttlSeconds: 120, isCacheFlush: true),
        DNSRecord(host, .address(IPAddress(v6High: 0xFE80 << 48, low: 7)), ttlSeconds: 120, isCacheFlush: true),
        DNSRecord(host, .nsec(next: host, types: [.a, .aaaa, DNSType(rawValue: 257)]), ttlSeconds: 120),
        DNSRecord(.root, .opt([0, 4, 0, 0]), ttlSeconds: 0x1194, recordClass: DNSClass(rawValue: 0x85A0)),
      ])
  }()

  @Test("What is written is read again, with every compression", arguments: DNSCompression.allCases)
  func roundTrip(_ compression: DNSCompression) throws {
    let bytes = Self.full.written(compression: compression).bytes
    let reading = try DNSBench.read(bytes).get()
    expectEqual(reading.message, Self.full)
    expectEqual(reading.faults, [])
  }

  @Test("A target of SRV is compressed for multicast only")
  func serviceTarget() {
    let sizes = DNSCompression.allCases.map { Self.full.written(compression: $0).bytes.count }
    #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
  }

  @Test("A question has the bytes that were put together by hand")
  func question() throws {
    let message = DNSMessage(
      flags: .query,
      questions: [DNSQuestion(DNSName("a.b")!, .ptr, wantsUnicast: true), DNSQuestion(DNSName("c.b")!, .any)])
    let bytes: [UInt8] =
      DNSBench.header(questions: 2) + [1, 97, 1, 98, 0, 0, 12, 0x80, 1] + [1, 99, 0xC0, 14, 0, 255, 0, 1]
    expectEqual(message.bytes, bytes)
    expectEqual(try DNSBench.read(bytes).get().message, message)
  }

  @Test("Pointers that are not backwards are refused where they stand")
  func pointers() {
    let head = DNSBench.header(questions: 1)
    expectEqual(
      DNSBench.fault(head + [0xC0, 12, 0, 1, 0, 1]), DNSFault(.pointerNotBackwards, at: 12, expected: 12, found: 12))
    expectEqual(
      DNSBench.fault(head + [1, 97, 0xC0, 12, 0, 1, 0, 1]),
      DNSFault(.pointerNotBackwards, at: 14, expected: 12, found: 12))
    expectEqual(
      DNSBench.fault(head + [0xC0, 14, 0, 1, 0, 1]), DNSFault(.pointerNotBackwards, at: 12, expected: 12, found: 14))
    expectEqual(
      DNSBench.fault(head + [0xC0, 11, 0, 1, 0, 1]), DNSFault(.pointerIntoHeader, at: 12, expected: 12, found: 11))
  }

  @Test("A label of 63 bytes is read, one of 64 is refused")
  func labels() throws {
    let head = DNSBench.header(questions: 1)
    let label = [UInt8](repeating: 97, count: 63)
    let name = try DNSBench.read(head + [63] + label + [0, 0, 1, 0, 1]).get().message.questions[0].name
    expectEqual(name.labels, [label])
    expectEqual(
      DNSBench.fault(head + [64] + label + [97, 0, 0, 1, 0, 1]), DNSFault(.labelType, at: 12, expected: 63, found: 64))
  }

  @Test("A name of 255 bytes is read, one of 256 is refused")
  func names() {
    let long = [UInt8](repeating: 97, count: 63)
    let three = ([63] + long) + ([63] + long) + ([63] + long)
    let tail: [UInt8] = [0, 0, 1, 0, 1]
    let head = DNSBench.header(questions: 1)
    expectEqual(DNSBench.fault(head + three + [61] + long.prefix(61) + tail), nil)
    expectEqual(
      DNSBench.fault(head + three + [62] + long.prefix(62) + tail),
      DNSFault(.nameTooLong, at: 204, expected: 255, found: 256))
  }

  @Test("Counts beyond the bytes refuse the message at the count")
  func counts() {
    expectEqual(
      DNSBench.fault([0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0]),
      DNSFault(.countTooLarge, at: 6, expected: 0, found: 65_535 * 11))
    expectEqual(DNSBench.fault([UInt8](repeating: 0, count: 11)), DNSFault(.tooShort, at: 11, expected: 12, found: 11))
  }

  @Test("A length beyond the end refuses the message, wrong data only its record")
  func records() throws {
    let start: [UInt8] = [0, 0, 1, 0, 1, 0, 0, 0, 9]
    let good = start + [0, 4, 1, 2, 3, 4]
    expectEqual(
      DNSBench.fault(DNSBench.header(answers: 1) + start + [0, 5, 1, 2, 3, 4]),
      DNSFault(.dataOverrun, at: 21, expected: 4, found: 5))
    let reading = try DNSBench.read(DNSBench.header(answers: 2) + start + [0, 5, 1, 2, 3, 4, 5] + good + [7]).get()
    expectEqual(reading.message.answers.map(\.data), [.address(IPAddress(1, 2, 3, 4))])
    expectEqual(
      reading.faults,
      [
        DNSFault(.dataLength, at: 27, expected: 4, found: 5), DNSFault(.trailingBytes, at: 43, expected: 0, found: 1),
      ])
  }

  @Test("An entry that does not fit leaves nothing behind")
  func limit() throws {
    let bytes = Self.full.bytes
    let less = Self.full.written(limitBytes: bytes.count - 1)
    expectEqual(less.additionals, 3)
    var kept = Self.full
    kept.additionals.removeLast()
    expectEqual(less.bytes, kept.bytes)
    expectEqual(Self.full.written(limitBytes: bytes.count).bytes, bytes)
  }

  @Test("Text of a name is escaped and read again")
  func text() {
    let name = DNSName(labels: ["a.b\\", "é\u{1}", "local"])!
    expectEqual(name.description, "a\\.b\\\\.é\\001.local")
    expectEqual(DNSName(name.description)?.wire, name.wire)
    expectEqual(DNSName("LOCAL."), DNSName.local)
    #expect(DNSName("x.LOCAL")!.isWithin(.local) && !DNSName("xlocal")!.isWithin(.local))
  }

  @Test("Service names keep to RFC 6335 and instances to RFC 6763")
  func services() throws {
    expectEqual(ServiceType.fault(inName: Array("abcdefghijklmno".utf8)), nil)
    for (name, fault) in [
      ("", ServiceNameFault.empty), ("abcdefghijklmnop", .tooLong), ("a_b", .character), ("1-2", .noLetter),
      ("-a", .hyphenAtEdge), ("a-", .hyphenAtEdge), ("a--b", .adjacentHyphens),
    ] {
      expectEqual(ServiceType.fault(inName: Array(name.utf8)), fault)
    }
    let name = try ServiceInstanceName("My. Printer", ServiceType("ipp", .tcp))
    expectEqual(name.domainName.description, "My\\. Printer._ipp._tcp.local")
    expectEqual(try ServiceInstanceName(name.domainName), name)
    expectEqual(ServiceInstanceName.fault(inInstance: [0x1F]), .controlByte)
  }

  @Test("Pairs of TXT: no value, an empty one, the first of two, none without a key")
  func pairs() throws {
    let record = try TXTRecord([1, 97, 2, 98, 61, 3, 65, 61, 49, 2, 61, 120, 0, 3, 99, 61, 61])
    expectEqual(record.pairs.map(\.key), ["a", "b", "c"])
    expectEqual(record.pairs.map(\.value), [.noValue, .bytes([]), .bytes([61])])
    expectEqual(record["B"], .bytes([]))
    expectEqual(TXTRecord().bytes, [0])
    #expect(throws: DNSFault(.textOverrun, at: 2, expected: 0, found: 1)) { try TXTRecord([1, 97, 1]) }
  }
}
