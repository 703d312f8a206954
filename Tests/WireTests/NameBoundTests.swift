import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("USN, targets and LOCATION at their bounds") struct NameBoundTests {
  // MARK: USN and targets

  @Test("of two names of any length one other byte is enough to tell them apart")
  func everyPlace() {
    func goes(_ usn: [UInt8], _ target: [UInt8]) -> Bool {
      usn.withUnsafeBytes { usn in target.withUnsafeBytes { USN.goes(usn, with: $0) } }
    }
    func matches(_ asked: [UInt8], _ offered: [UInt8], ignoringCase: Bool = false) -> Bool {
      asked.withUnsafeBytes { asked in
        offered.withUnsafeBytes { SearchTarget.matches(asked: asked, offered: $0, ignoringCase: ignoringCase) }
      }
    }
    for count in 1...33 {
      let name = (0..<count).map { UInt8(0x61 + $0 % 26) }
      let usn = Array("uuid:x::".utf8) + name
      #expect(goes(usn, name) && matches(name, name))
      for place in name.indices {
        var (other, upper) = (name, name)
        other[place] ^= 0x10
        upper[place] ^= 0x20
        let isWrong = goes(usn, other) || goes(usn, upper) || matches(name, other) || matches(name, upper)
        if isWrong || matches(name, other, ignoringCase: true) || !matches(name, upper, ignoringCase: true) {
          Issue.record("\(count) bytes, byte \(place)")
        }
      }
    }
  }

  @Test("each byte of a keyword is that of the keyword, or its capital where case is ignored")
  func keywords() {
    typealias Form = SearchTarget.Form
    let targets: [(text: String, keyword: Range<Int>, form: Form, isBlind: Bool)] = [
      ("ssdp:all", 0..<8, .all, false), ("upnp:rootdevice", 0..<15, .rootDevice, false),
      ("uuid:x", 0..<5, .uuid, true), ("urn:a:device:b:1", 0..<4, .device, false),
      ("urn:a:device:b:1", 6..<12, .device, false), ("urn:a:service:b:1", 6..<13, .service, false),
    ]
    for (text, keyword, form, isBlind) in targets {
      let whole = Array(text.utf8)
      for place in keyword {
        for byte in UInt8.min...UInt8.max {
          var other = whole
          other[place] = byte
          let isLetter = (0x61...0x7A).contains(whole[place])
          let isCapital = isLetter && byte == whole[place] - 0x20
          for ignoringCase in [false, true] {
            let isSame = byte == whole[place] || isCapital && (isBlind || ignoringCase)
            let found = other.withUnsafeBytes { SearchTarget.parse($0, ignoringCase: ignoringCase).form }
            if found != (isSame ? form : .opaque) { Issue.record("\(byte) at \(place) of \(text): \(found)") }
          }
          if form == .uuid {
            let isSplit = other.withUnsafeBytes { USN.split($0) } != nil
            if isSplit != (byte == whole[place] || isCapital) { Issue.record("\(byte) at \(place) of a USN") }
          }
        }
      }
      // Longer and shorter keywords are none.
      for place in keyword.dropLast() {
        var (longer, shorter) = (whole, whole)
        longer.insert(whole[place], at: place)
        shorter.remove(at: place)
        for bytes in [longer, shorter] {
          let forms = [false, true].map { blind in
            bytes.withUnsafeBytes { SearchTarget.parse($0, ignoringCase: blind).form }
          }
          expectEqual(forms, [.opaque, .opaque], "\(String(decoding: bytes, as: UTF8.self))")
        }
      }
    }
  }

  @Test("of all bytes a domain and a type hold those above a blank, a version holds digits")
  func targetBytes() {
    func form(_ before: String, _ byte: UInt8, _ after: String) -> SearchTarget.Form {
      (Array(before.utf8) + [byte] + Array(after.utf8)).withUnsafeBytes { SearchTarget.parse($0).form }
    }
    for byte in UInt8.min...UInt8.max {
      let isText = byte > 0x20 && byte != 0x3A
      let isDigit = (0x30...0x39).contains(byte)
      expectEqual(form("urn:a", byte, "b:device:c:1"), (isText ? .device : .opaque), "\(byte)")
      expectEqual(form("urn:a:service:b", byte, "c:1"), (isText ? .service : .opaque), "\(byte)")
      expectEqual(form("urn:a:service:b:1", byte, "2"), (isDigit ? .service : .opaque), "\(byte)")
      expectEqual(form("urn:a:service:b:", byte, ""), (isDigit ? .service : .opaque), "\(byte)")
    }
    let versions: [(text: String, version: UInt32, isCanonical: Bool)] = [
      ("0", 0, true), ("00", 0, false), ("1", 1, true), ("01", 1, false), ("10", 10, true),
      ("4294967294", 4_294_967_294, true),
      ("4294967295", .max, true), ("04294967295", .max, false), ("4294967296", .max, false),
      ("4294967300", .max, false), ("5000000000", .max, false), ("42949672950", .max, false),
      ("18446744073709551617", .max, false),
    ]
    for (text, version, isCanonical) in versions {
      let parts = SearchTargetTests.parse("urn:a:device:b:" + text)
      #expect(parts.version == version && parts.isCanonicalVersion == isCanonical, "\(text)")
      let (whole, target) = ("urn:a:device:b:" + text, SearchTarget("urn:a:device:b:" + text))
      expectEqual(target, (isCanonical ? .device(domain: "a", type: "b", version: version) : .other(whole)))
    }
  }

  @Test("a UUID of the standard form has hyphens and hexadecimal digits at their places; its hash is the same for ever")
  func uuids() {
    let whole = Array("01234567-89ab-cdef-ABCD-EF0123456789".utf8)
    let odd: [UInt8] = [0x2C, 0x2D, 0x2E, 0x2F, 0x30, 0x39, 0x3A, 0x40, 0x41, 0x46, 0x47, 0x60, 0x61, 0x66, 0x67, 0xE1]
    for place in whole.indices {
      for byte in odd {
        var other = whole
        other[place] = byte
        let isHex = [0x30, 0x39, 0x41, 0x46, 0x61, 0x66].contains(byte)
        let expected = [8, 13, 18, 23].contains(place) ? byte == 0x2D : isHex
        let found = other.withUnsafeBytes { USN.isStandardUUIDForm($0) }
        if found != expected { Issue.record("\(byte) at \(place)") }
      }
    }
    let hashes: [(String, String)] = [
      ("", "1ff5c2923a788d2c"), ("ABCDEFG", "14b65dfcfd9e81"), ("abcdefgh", "f9405d4eb9d892ce"),
      ("Abcdefghi", "42c473d8cc7aee04"), ("2F402F80-da50-11e1-9b23-001788102201", "e6a155e036459142"),
    ]
    for (text, hash) in hashes {
      expectEqual(String(Array(text.utf8).withUnsafeBytes { USN.hash(ofUUID: $0) }, radix: 16), hash, "\(text)")
    }
  }

  // MARK: LOCATION

  /// What the check makes of bytes: scheme, host, zone, port (with a star where it is not written) and path.
  private func check(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { buffer -> String in
      func text(_ range: Range<Int>) -> String { SSDPText.text(Array(buffer[range])) }
      switch LocationURL.check(buffer) {
      case .refused(let refusal): return "\(refusal.reason) \(refusal.offset)"
      case .url(let url):
        let host = text(url.host) + (url.zone.map { "%" + text($0) } ?? "")
        return "\(url.scheme) \(host) \(url.port)\(url.isPortWritten ? "" : "*") \(text(url.path))"
      }
    }
  }

  @Test("every byte at a place of a URL belongs there, ends the part, or is refused where it stands")
  func everyByte() {
    for byte in UInt8.min...UInt8.max {
      let text = SSDPText.text([byte])
      let isName = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8).contains(byte)
      let isDigit = (0x30...0x39).contains(byte)
      let blank: String? = byte == 9 || byte == 32 ? "blank" : byte < 32 || byte == 127 ? "controlByte" : nil
      func url(_ before: String, _ after: String, _ expected: (Int) -> String) {
        let place = before.utf8.count
        let found = check(Array(before.utf8) + [byte] + Array(after.utf8))
        let wanted = blank.map { "\($0) \(place)" } ?? expected(place)
        expectEqual(found, wanted, "\(byte) behind \(before)")
      }
      url("ht", "p://a") { place in
        switch byte {
        case 0x54, 0x74: "http a 80* "
        case 0x2B, 0x2E, 0x3A: "scheme 0"
        default: isName && byte != 0x5F ? "scheme \(place - 2)" : "relative \(place - 2)"
        }
      }
      url("http://a", "b/p") { place in
        switch byte {
        case 0x2E: "http a.b 80* /p"
        case 0x2F: "http a 80* /b/p"
        case 0x3F: "http a 80* ?b/p"
        case 0x23: "http a 80* "
        case 0x3A: "port \(place + 1)"
        case 0x40: "userInfo \(place)"
        case 0x5B, 0x5D: "bracket \(place)"
        default: isName ? "http a\(text)b 80* /p" : "hostByte \(place)"
        }
      }
      url("http://a:8", "/") { place in
        switch byte {
        case 0x2F, 0x3F: "http a 8 \(text)/"
        case 0x23: "http a 8 "
        case 0x3A: "bracket 7"
        case 0x40: "userInfo \(place)"
        default: isDigit ? "http a 8\(text) /" : "port \(place)"
        }
      }
      url("http://[fe80::1%25a", "b]/") { place in
        switch byte {
        case 0x2E, 0x7E: "http fe80::1%a\(text)b 80* /"
        case 0x2F, 0x3F, 0x23: "bracket 7"
        case 0x5D: "bracket \(place + 1)"
        case 0x40: "userInfo \(place)"
        default: isName ? "http fe80::1%a\(text)b 80* /" : "zone \(place)"
        }
      }
      url("http://a/p", "q") { _ in byte == 0x23 ? "http a 80* /p" : "http a 80* /p\(text)q" }
    }
  }

  @Test(
    "hosts, zones and ports at their bounds",
    arguments: [
      (
        "http://[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]/",
        "http ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255 80* /"
      ),
      ("http://[0ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]/", "bracket 7"),
      ("http://[fe80::1%2]/", "http fe80::1%2 80* /"),
      ("http://[fe80::1%251]/", "http fe80::1%1 80* /"), ("http://[fe80::1%26a]/", "http fe80::1%26a 80* /"),
      ("http://[fe80::1%15a]/", "http fe80::1%15a 80* /"), ("http://[fe80::1]:80", "http fe80::1 80 "),
      ("http://[fe80::1]", "http fe80::1 80* "), ("http://[fe80::1]8", "bracket 16"),
      ("http://[1.2.3.4%1]/", "bracket 7"),
      ("http://f:1:1/", "bracket 7"), ("http://F:1:1/", "bracket 7"), ("http://g:1:1/", "port 10"),
      ("http://0:1:1/", "bracket 7"), ("http://a.0x/", "numericHost 7"), ("http://a.0xf/", "numericHost 7"),
      ("http://a.0XF/", "numericHost 7"), ("http://a.0xg/", "http a.0xg 80* /"), ("http://a.x0/", "http a.x0 80* /"),
      ("http://a.1x0/", "http a.1x0 80* /"), ("http://0/", "numericHost 7"), ("http://9/", "numericHost 7"),
      ("http://0y0/", "http 0y0 80* /"), ("http://1x/", "http 1x 80* /"), ("http://1.2.3.4x/", "http 1.2.3.4x 80* /"),
      ("http://255.255.255.255/", "http 255.255.255.255 80* /"), ("http://255.255.255.256/", "numericHost 7"),
      ("http://256.0.0.0/", "numericHost 7"), ("http://0.0.0.00/", "numericHost 7"),
      ("http://1.2.3./", "numericHost 7"),
      ("http://4294967297.0.0.1/", "numericHost 7"), ("http://1.2.3.4.:80/", "numericHost 7"),
      ("http://a.:80/", "http a. 80 /"), ("http://a.0.:80/", "numericHost 7"), ("http://a:65535/", "http a 65535 /"),
      ("http://a:065536/", "port 9"), ("http://a:065535/", "http a 65535 /"), ("http://a:65616/", "port 9"),
      ("http://a:4294967376/", "port 9"), ("http://a:18446744073709551696/", "port 9"),
      ("http://a:000000000000000000000080/", "http a 80 /"), ("https://a:80", "https a 80 "),
      ("https://a", "https a 443* "),
      ("http://a?#b", "http a 80* ?"), ("http://a#?b", "http a 80* "), ("http://a/#b#c", "http a 80* /"),
    ])
  func locations(text: String, expected: String) {
    expectEqual(check(Array(text.utf8)), expected)
  }

  @Test("a host may have 255 bytes, with a port behind it as without")
  func longHosts() {
    for (count, end) in [(254, ""), (255, ":80"), (255, "/"), (255, "")] {
      let host = String(repeating: "a", count: count)
      #expect(check(Array("http://\(host)\(end)".utf8)).hasPrefix("http \(host) 80"))
    }
    for (count, end) in [(256, ""), (256, ":80"), (256, ":x"), (300, "/")] {
      expectEqual(check(Array("http://\(String(repeating: "a", count: count))\(end)".utf8)), "hostTooLong 262")
    }
  }

  @Test(
    "who may be fetched from, at the bounds of subnets and of ranges with a meaning",
    arguments: [
      // host, sender, the addresses of the interface, verdict
      ("10.0.0.3", "10.0.0.1", "10.0.0.2/30", .broadcast), ("10.0.0.4", "10.0.0.1", "10.0.0.2/30", .offLink),
      ("10.0.0.3", "10.0.0.1", "10.0.0.2/29", nil), ("10.0.0.7", "10.0.0.1", "10.0.0.2/29", .broadcast),
      ("10.0.0.3", "10.0.0.2", "10.0.0.1/31 10.0.0.2/31", nil),
      ("10.0.0.3", "10.0.0.1", "10.9.0.1/16 10.0.0.2/30", .broadcast),
      ("10.0.0.8", "10.0.0.1", "10.0.0.2/29", .offLink), ("10.0.0.5", "10.0.0.8", "10.0.0.2/29", .offLink),
      ("127.255.255.255", "10.0.0.1", "10.0.0.2/8", .loopback), ("128.0.0.0", "10.0.0.1", "10.0.0.2/8", .offLink),
      ("0.255.255.255", "10.0.0.1", "10.0.0.2/8", .unspecified), ("1.0.0.0", "10.0.0.1", "10.0.0.2/8", .offLink),
      ("223.255.255.255", "10.0.0.1", "10.0.0.2/8", .offLink), ("224.0.0.0", "10.0.0.1", "10.0.0.2/8", .multicast),
      ("239.255.255.255", "10.0.0.1", "10.0.0.2/8", .multicast), ("240.0.0.0", "10.0.0.1", "10.0.0.2/8", .offLink),
      ("169.254.1.2", "169.254.1.1", "169.254.7.7/16", nil),
      ("169.254.7.7", "169.254.1.1", "169.254.7.7/16", .receiver),
      ("169.254.1.2", "10.0.0.1", "169.254.7.7/16 10.0.0.2/8", .linkLocal),
      ("169.254.7.7", "10.0.0.1", "169.254.7.7/16 10.0.0.2/8", .linkLocal),
      ("10.0.0.3", "169.254.1.1", "10.0.0.2/8", nil), ("10.0.0.2", "169.254.1.1", "10.0.0.2/8", .receiver),
      ("169.253.255.255", "10.0.0.1", "10.0.0.2/8", .offLink), ("169.255.0.0", "10.0.0.1", "10.0.0.2/8", .offLink),
      ("febf::1", "fe80::9", "fe80::2/64", nil), ("fec0::1", "fe80::9", "fe80::2/64", .offLink),
      ("fe80::2", "fe80::9", "fe80::2/64", .receiver), ("fe80::2", "fd00::9", "fe80::2/64 fd00::2/64", .linkLocal),
      ("fd00::3", "fd00::9", "fd00::2/64", nil), ("fd00:0:0:1::3", "fd00::9", "fd00::2/64", .offLink),
      ("fd00::2", "fd00::2", "fd00::2/64", nil), ("ff00::1", "fe80::9", "fe80::2/64", .multicast),
      ("::2", "fe80::9", "fe80::2/64", .offLink), ("::fffe:7f00:1", "fe80::9", "fe80::2/64", .offLink),
      ("::1:ffff:7f00:1", "fe80::9", "fe80::2/64", .offLink), ("::ffff:10.0.0.3", "::ffff:10.0.0.1", "10.0.0.2/8", nil),
    ] as [(String, String, String, LocationScope.Reason?)])
  func scope(host: String, sender: String, addresses: String, expected: LocationScope.Reason?) throws {
    var subnets: [InterfaceAddress] = []
    for text in addresses.split(separator: " ") {
      let parts = text.split(separator: "/")
      let address = try #require(IPAddress(parts[0]))
      subnets.append(InterfaceAddress(address, prefixBits: try #require(Int(parts[1]))))
    }
    let named = try #require(IPAddress(host))
    let speaker = try #require(IPAddress(sender))
    expectEqual(LocationScope.judge(host: named, sender: speaker, subnets: subnets), expected)
  }
}
