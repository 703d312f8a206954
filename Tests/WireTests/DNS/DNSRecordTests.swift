import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite struct DNSRecordTests {
  @Test("Each field of the flags has its own bits")
  func flags() {
    let fields: [(WritableKeyPath<DNSFlags, Bool>, UInt16)] = [
      (\.isResponse, 0x8000), (\.isAuthoritative, 0x0400), (\.isTruncated, 0x0200), (\.recursionDesired, 0x0100),
      (\.recursionAvailable, 0x0080), (\.isReservedBitSet, 0x0040), (\.isAuthenticData, 0x0020),
      (\.isCheckingDisabled, 0x0010),
    ]
    for (field, mask) in fields {
      var (none, all) = (DNSFlags(rawValue: 0), DNSFlags(rawValue: 0xFFFF))
      #expect(!none[keyPath: field] && all[keyPath: field])
      none[keyPath: field] = true
      all[keyPath: field] = false
      expectEqual(none.rawValue, mask)
      expectEqual(all.rawValue, ~mask)
    }
    var flags = DNSFlags(rawValue: 0)
    flags.opcode = 0x1F
    expectEqual(flags.rawValue, 0x7800)
    flags.responseCode = 0x1A
    expectEqual(flags.rawValue, 0x780A)
    expectEqual(flags.opcode, 15)
    expectEqual(flags.responseCode, 10)
    flags.opcode = 1
    expectEqual(flags.rawValue, 0x080A)
    #expect(DNSFlags.response.isResponse && DNSFlags.response.isAuthoritative && DNSFlags.query.rawValue == 0)
  }

  private static func record(_ data: DNSData, _ rawClass: UInt16 = 1) -> DNSRecord {
    DNSRecord(.local, data, ttlSeconds: 9, recordClass: DNSClass(rawValue: rawClass))
  }

  @Test("Records of two hosts are compared by class, by type, and then by the bytes of their data")
  func tieBreak() {
    let type = DNSType(rawValue: 300)
    let rising = [
      Self.record(.other(type, [9])),
      Self.record(.address(IPAddress(200, 0, 0, 0)), 2), Self.record(.txt([]), 2), Self.record(.txt([0x7F]), 2),
      Self.record(.txt([0x7F, 0]), 2), Self.record(.txt([0x80]), 2), Self.record(.other(type, []), 2),
    ]
    for (place, left) in rising.enumerated() {
      for (other, right) in rising.enumerated() {
        expectEqual(left.precedesInTieBreak(right), place < other)
        expectEqual(left.isTied(with: right), place == other)
      }
    }
    var same = rising[0]
    (same.name, same.ttlSeconds, same.isCacheFlush) = (.root, 1, true)
    #expect(same.isTied(with: rising[0]))
  }

  @Test("Data that names a host is compared without compression, and letter case counts")
  func rawData() {
    let service = DNSData.srv(priority: 1, weight: 2, port: 0x0304, target: .local)
    expectEqual(service.bytes, [0, 1, 0, 2, 3, 4, 5, 108, 111, 99, 97, 108, 0])
    #expect(Self.record(.ptr(DNSName("A")!)).precedesInTieBreak(Self.record(.ptr(DNSName("a")!))))
    #expect(!Self.record(.ptr(DNSName("A")!)).isTied(with: Self.record(.ptr(DNSName("a")!))))
  }

  @Test("Types of NSEC are written rising and once, and only windows that have one")
  func types() {
    let types = [65_535, 28, 1, 28, 256, 255].map { DNSType(rawValue: $0) }
    let written = DNSData.nsec(next: .root, types: DNSTypeSet(types)).bytes
    let first = [0x40, 0, 0, 0x08] + [UInt8](repeating: 0, count: 27) + [1]
    let last = [UInt8](repeating: 0, count: 31) + [1]
    expectEqual(written, [0] + ([0, 32] + first) + [1, 1, 0x80] + ([255, 32] + last))
    expectEqual(DNSData.nsec(next: .root, types: []).bytes, [0])
  }

  @Test("A set of types has each once, rising, on both sides of 64")
  func typeSet() {
    let numbers: [UInt16] = [65_535, 64, 0, 63, 256, 64, 1, 63, 65, 65_535, 7, 8]
    let types = DNSTypeSet(numbers.map(DNSType.init))
    expectEqual(types.map(\.rawValue), [0, 1, 7, 8, 63, 64, 65, 256, 65_535])
    for number in 0...65_535 as ClosedRange<UInt16> {
      guard types.contains(DNSType(rawValue: number)) != numbers.contains(number) else { continue }
      Issue.record("type \(number)")
    }
    var other = DNSTypeSet(numbers.sorted().map(DNSType.init))
    expectEqual(other, types)
    other.insert(.txt)
    #expect(other != types && other.contains(.txt))
    expectEqual(DNSTypeSet().map(\.rawValue), [])
    expectEqual(DNSTypeSet([.aaaa, .a]), [.a, .aaaa])
  }

  @Test("A type has its mnemonic or its number")
  func names() {
    expectEqual(
      [.a, .cname, .ptr, .hinfo, .txt, .aaaa, .srv, .opt, .nsec, .any, DNSType(rawValue: 99)].map(\DNSType.description),
      ["A", "CNAME", "PTR", "HINFO", "TXT", "AAAA", "SRV", "OPT", "NSEC", "ANY", "TYPE99"])
    #expect(DNSType.a < .ptr && DNSClass.internet < .any)
  }

  @Test("A pair of TXT is refused with a key that is none or was there, and beyond 255 bytes")
  func pairs() {
    var record = TXTRecord()
    func check(_ key: String, _ value: TXTRecord.Value = .noValue, isAdded: Bool) {
      expectEqual(record.add(key, value), isAdded)
    }
    for key in ["", "a=b", "é", "a\u{7F}", "a\u{1F}"] { check(key, isAdded: false) }
    check("a~ ", .bytes([61, 120]), isAdded: true)
    check("B", isAdded: true)
    check("b", .bytes([49]), isAdded: false)
    check("A~ ", isAdded: false)
    check("c", .bytes([UInt8](repeating: 0, count: 253)), isAdded: true)
    check("d", .bytes([UInt8](repeating: 0, count: 254)), isAdded: false)
    check(String(repeating: "e", count: 255), isAdded: true)
    check(String(repeating: "f", count: 256), isAdded: false)
    expectEqual(record.pairs.count, 4)
    expectEqual(try? TXTRecord(record.bytes), record)
    expectEqual(record["A~ "], .bytes([61, 120]))
    expectEqual(record["b"], .noValue)
    expectEqual(record["x"], nil)
  }

  @Test("The text of TXT has its strings in order, nothing hidden, and says how much of a long one it leaves out")
  func text() {
    func text(_ strings: [String]) -> String {
      TXTRecord.text(of: strings.flatMap { [UInt8($0.utf8.count)] + $0.utf8 })
    }
    expectEqual(text(["a=1", "", "ty=HP; \\ 400", "note=Küche"]), "a=1; ty=HP\\; \\\\ 400; note=Küche")
    expectEqual(text(["a=\u{1B}[2J\u{202E}\u{7F}"]), "a=\\027[2J\\226\\128\\174\\127")
    expectEqual(TXTRecord.text(of: [3, 97, 61, 0xFF]), "a=\\255")
    expectEqual([TXTRecord.text(of: []), TXTRecord.text(of: [0]), text(["", ""])], ["", "", ""])
    // One that is cut is not shown, nor what lies beyond 1300 bytes.
    expectEqual(TXTRecord.text(of: [1, 97, 9, 98]), "a; \\+2")
    let long = String(repeating: "x", count: 129)
    expectEqual(text(Array(repeating: long, count: 10)), Array(repeating: long, count: 10).joined(separator: "; "))
    expectEqual(
      text(Array(repeating: long, count: 10) + ["y"]),
      (Array(repeating: long, count: 10) + ["\\+2"]).joined(separator: "; "))
  }

  @Test("Strings of TXT that are no pair are read over")
  func strings() throws {
    // `é=1`, then a byte 0x7F before `=`, then `k`.
    let record = try TXTRecord([4, 0xC3, 0xA9, 61, 49, 2, 0x7F, 61, 1, 107])
    expectEqual(record.pairs.map(\.key), ["k"])
    expectEqual(try TXTRecord([]).pairs, [])
    expectEqual(try TXTRecord([0]).bytes, [0])
  }
}
