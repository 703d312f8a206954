import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallWire

@Suite("The edges of what readers take") struct ReaderEdgeTests {
  @Test("a UTF-8 sequence has the bytes that the standard library takes for one character, and is none where it is cut")
  func sequences() {
    let seconds: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    let others: [UInt8] = [0x7F, 0x80, 0xBF, 0xC0]
    for first in UInt8.min...UInt8.max {
      for second in seconds {
        for third in others {
          for fourth in others {
            let bytes = [first, second, third, fourth]
            let expected =
              (1...4).first { count in
                String(validating: bytes[..<count], as: UTF8.self)?.unicodeScalars.count == 1
              } ?? 0
            let found = bytes.withUnsafeBytes { SSDPReader.sequenceCount($0.bytes, 0, 4) }
            if found != expected { Issue.record("\(bytes) has \(found), expected \(expected)") }
            guard expected > 1 else { continue }
            let cut = bytes.withUnsafeBytes { SSDPReader.sequenceCount($0.bytes, 0, expected - 1) }
            let whole = bytes.withUnsafeBytes { SSDPReader.sequenceCount($0.bytes, 0, expected) }
            if cut != 0 || whole != expected { Issue.record("\(bytes) cut has \(cut), whole \(whole)") }
          }
        }
        if first < 0x80 || (first > 0x80 && first < 0xC0) { break }
      }
    }
  }

  @Test("the first byte that is no UTF-8 is found where it stands, and not behind the end")
  func firstOdd() {
    let rows: [(bytes: [UInt8], end: Int, found: Int?)] = [
      ([], 0, nil), ([0xFF], 0, nil), ([0x41, 0xFF], 1, nil), ([0x41, 0xFF], 2, 1), ([0xC3, 0xA9, 0xFF], 2, nil),
      ([0xC3, 0xA9, 0xC3], 3, 2), ([0xE2, 0x82, 0xAC, 0x80], 4, 3),
    ]
    for row in rows {
      let found = (row.bytes + [0, 0, 0, 0]).withUnsafeBytes { SSDPReader.firstByteNotUTF8($0.bytes, 0, row.end) }
      expectEqual(found, row.found, "\(row.bytes)")
    }
  }

  @Test("a token has letters, digits and fifteen signs, and no other byte of all 256")
  func tokens() {
    let signs = Set("!#$%&'*+-.^_`|~".utf8)
    for byte in UInt8.min...UInt8.max {
      let isExpected =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || signs.contains(byte)
      expectEqual(SSDPReader.isToken(byte), isExpected, "\(byte)")
      expectEqual(HTTPRequestHead.isTokenByte(byte), isExpected, "\(byte)")
    }
  }

  @Test("max-age: blanks, equals signs, colons and quotes may stand before the number")
  func maxAge() {
    let rows: [(value: String, seconds: Int32)] = [
      ("max-age=0", 0), ("max-age=9", 9), ("max-age=:5", 5), ("max-age=/5", -1), ("max-age= 7", 7),
      ("max-age=\"8\"", 8),
      ("max-age=", -1), ("max-age", -1), ("x, max-age = 6", 6), ("amax-age=5", -1), ("max-age-x=5", -1),
      ("MAX-AGE=12;x", 12), ("x=1,max-age=3,max-age=4", 3), ("max-age=99999999999", .max),
    ]
    for row in rows {
      let bytes = Array("..\(row.value)5 5 5".utf8) + [UInt8](repeating: 0, count: 16)
      let found = bytes.withUnsafeBytes { SSDPReader.maxAge($0.bytes, 2..<(2 + row.value.utf8.count)) }
      expectEqual(found, row.seconds, "\(row.value)")
    }
  }

  @Test("a decimal number is digits alone, at most 2³¹ − 1")
  func decimals() {
    let rows: [(text: String, number: Int64)] = [
      ("", -1), ("0", 0), ("9", 9), (":", -1), ("/", -1), ("1:", -1), ("007", 7), ("2147483647", 2_147_483_647),
      ("2147483648", -1), ("-1", -1), ("1 ", -1),
    ]
    for row in rows {
      let bytes = Array((row.text + "0").utf8)
      let found = bytes.withUnsafeBytes { SSDPReader.decimal($0.bytes, 0..<row.text.utf8.count) }
      expectEqual(found, row.number, "\(row.text)")
    }
  }
}

@Suite("The edges of names") struct NameEdgeTests {
  @Test("a target is read as it is spelled, and printed so again")
  func targets() {
    let rows: [(text: String, target: SearchTarget)] = [
      ("", .other("")), ("u", .other("u")), ("uuid:", .other("uuid:")), ("uuid:a", .uuid("a")),
      ("UUID:a", .other("UUID:a")), ("uUID:a", .other("uUID:a")), ("urn:", .other("urn:")), ("urn", .other("urn")),
      ("upnp:rootdevice", .rootDevice), ("ssdp:all", .all), ("Ssdp:all", .other("Ssdp:all")),
      ("urn:d:device:T:1", .device(domain: "d", type: "T", version: 1)),
      ("urn:d:service:T:0", .service(domain: "d", type: "T", version: 0)),
      ("urn:d:service:T:10", .service(domain: "d", type: "T", version: 10)),
      ("urn:d:device:T:01", .other("urn:d:device:T:01")), ("urn:d:device:T:", .other("urn:d:device:T:")),
      ("urn:d:device:T::", .other("urn:d:device:T::")), ("urn:d:device:T:/", .other("urn:d:device:T:/")),
      ("urn::device:T:1", .other("urn::device:T:1")), ("urn:d:device::1", .other("urn:d:device::1")),
      ("urn:d:device:T", .other("urn:d:device:T")), ("urn:d:device:T:1:2", .other("urn:d:device:T:1:2")),
      ("urn:d:device:T :1", .other("urn:d:device:T :1")), (" urn:d:device:T:1", .other(" urn:d:device:T:1")),
      ("urn:d:device:T:4294967295", .device(domain: "d", type: "T", version: .max)),
      ("urn:d:device:T:4294967296", .other("urn:d:device:T:4294967296")),
    ]
    for row in rows {
      expectEqual(SearchTarget(row.text), row.target, "\(row.text)")
      expectEqual(SearchTarget(row.text).description, row.text)
    }
  }

  @Test(
    "an offer answers a search for the same type in the same version or a higher one, in the case that was asked for")
  func matches() {
    let asked = "urn:d:device:T:2"
    let rows: [(offer: String, exactly: Bool, ignoringCase: Bool)] = [
      ("urn:d:device:T:2", true, true), ("urn:d:device:T:3", true, true), ("urn:d:device:T:1", false, false),
      ("URN:D:Device:t:2", false, true), ("urn:d:device:t:9", false, true), ("urn:d:device:T", false, false),
      ("urn:d:device:T:", false, false), ("urn:d:device:TX:2", false, false), ("urn:d:service:T:2", false, false),
      ("urn:d:device:T:x", false, false), ("ssdp:all", false, false),
    ]
    for row in rows {
      let offer = SearchTarget(row.offer)
      expectEqual(SearchTarget(asked).matches(offered: offer), row.exactly, "\(row.offer)")
      expectEqual(SearchTarget(asked).matches(offered: offer, ignoringCase: true), row.ignoringCase, "\(row.offer)")
    }
    #expect(SearchTarget("ssdp:ALL").matches(offered: .rootDevice, ignoringCase: true))
    #expect(!SearchTarget("ssdp:ALL").matches(offered: .rootDevice))
    #expect(SearchTarget("UPNP:rootdevice").matches(offered: .rootDevice, ignoringCase: true))
    #expect(!SearchTarget("UPNP:rootdevice").matches(offered: .rootDevice))
  }

  @Test("a USN is taken apart at its first two colons behind a UUID that is not empty")
  func names() {
    func split(_ text: String) -> USN.Parts? { Array(text.utf8).withUnsafeBytes { USN.split($0) } }
    #expect(split("uuid:") == nil && split("uuid::") == nil && split("uuid:::x") == nil)
    expectEqual(split("uuid:a"), USN.Parts(uuid: 5..<6, target: nil))
    expectEqual(split("uuid:a:"), USN.Parts(uuid: 5..<7, target: nil))
    expectEqual(split("uuid:a::"), USN.Parts(uuid: 5..<6, target: 8..<8))
    expectEqual(split("uuid:a::b::c"), USN.Parts(uuid: 5..<6, target: 8..<12))
  }

  @Test("names of every length up to 40 differ in any one byte, and in length")
  func sameness() {
    func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
      left.withUnsafeBytes { left in right.withUnsafeBytes { USN.isSame(left, $0) } }
    }
    for count in 0...40 {
      let name = (0..<count).map { UInt8($0 + 48) }
      #expect(isSame(name, name) && !isSame(name, name + [1]) && !isSame(name + [1], name))
      for place in 0..<count {
        var other = name
        other[place] ^= 0x80
        #expect(!isSame(name, other), "\(count) bytes, byte \(place)")
      }
    }
  }

  @Test("a product UPnP/x.y is digits, a point and digits, up to the end of the text")
  func products() {
    func product(_ text: String) -> UPnPProduct? { Array(text.utf8).withUnsafeBytes { UPnPProduct.first(in: $0) } }
    #expect(product("UPnP/") == nil && product("UPnP/1") == nil && product("UPnP/1.") == nil && product("UPnP") == nil)
    #expect(product("UPnP/:.0") == nil && product("UPnP/1.:") == nil && product("UPnP/1.0").map(\.range) == 0..<8)
    let rows: [(text: String, major: Int, minor: Int)] = [
      ("UPnP/1.0", 1, 0), ("UPnP/0.9", 0, 2), ("UPnP/10.0", 2, 0), ("UPnP/01.01", 1, 1), ("UPnP/1.0:", 1, 0),
      ("UPnP/1.10", 1, 2), ("a UPnP/2.0", 2, 0),
    ]
    for row in rows {
      expectEqual(product(row.text).map { [$0.major, $0.minor] }, [row.major, row.minor], "\(row.text)")
    }
  }
}
