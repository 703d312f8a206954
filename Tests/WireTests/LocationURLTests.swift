import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("LOCATION") struct LocationURLTests {
  /// What the check says of a text, in one line: the parts, or the reason and its offset.
  static func summary(_ text: String) -> String {
    Array(text.utf8).withUnsafeBytes { bytes in
      func slice(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
      switch LocationURL.check(bytes) {
      case .refused(let refusal): return "\(refusal.reason) \(refusal.offset)"
      case .url(let url):
        var line = "\(url.scheme) \(slice(url.host))"
        if let zone = url.zone { line += "%" + slice(zone) }
        line += url.address == nil ? " name" : " \(url.address!.family)"
        return line + " \(url.port)\(url.isPortWritten ? "" : "*") '\(slice(url.path))'"
      }
    }
  }

  static let table: [(String, String)] = [
    // What devices send, and other good URLs.
    ("http://192.168.1.20:49152/description.xml", "http 192.168.1.20 v4 49152 '/description.xml'"),
    ("http://192.168.1.20/d.xml", "http 192.168.1.20 v4 80* '/d.xml'"),
    ("https://192.168.1.20/d.xml", "https 192.168.1.20 v4 443* '/d.xml'"),
    ("HTTP://192.168.1.20/d.xml", "http 192.168.1.20 v4 80* '/d.xml'"),
    ("hTTpS://a:8443/", "https a name 8443 '/'"),
    ("http://192.168.1.20:6661/", "http 192.168.1.20 v4 6661 '/'"),
    ("http://192.168.1.20:6661", "http 192.168.1.20 v4 6661 ''"),
    ("http://192.168.1.20", "http 192.168.1.20 v4 80* ''"),
    ("http://192.168.1.20?x=1", "http 192.168.1.20 v4 80* '?x=1'"),
    ("http://192.168.1.20#f", "http 192.168.1.20 v4 80* ''"),
    ("http://192.168.1.20/a?b=c&d=%20#f", "http 192.168.1.20 v4 80* '/a?b=c&d=%20'"),
    ("http://192.168.1.20:00080/", "http 192.168.1.20 v4 80 '/'"),
    ("http://192.168.1.20:65535/", "http 192.168.1.20 v4 65535 '/'"),
    ("http://192.168.1.20:1/", "http 192.168.1.20 v4 1 '/'"),
    ("http://roku.local:8060/", "http roku.local name 8060 '/'"),
    ("http://my_tv/", "http my_tv name 80* '/'"),
    ("http://tv.local./x", "http tv.local. name 80* '/x'"),
    ("http://www.igrs.org", "http www.igrs.org name 80* ''"),
    ("http://3com.example/", "http 3com.example name 80* '/'"),
    ("http://a/@b:c", "http a name 80* '/@b:c'"),
    ("http://a//b\\c[]{}|%zz", "http a name 80* '//b\\c[]{}|%zz'"),
    ("http://a/é", "http a name 80* '/é'"),
    ("http://[fe80::1]:2869/u", "http fe80::1 v6 2869 '/u'"),
    ("http://[fe80::1%25eth0]:2869/u", "http fe80::1%eth0 v6 2869 '/u'"),
    ("http://[fe80::1%eth0]:2869/u", "http fe80::1%eth0 v6 2869 '/u'"),
    ("http://[fe80::1%4]/u", "http fe80::1%4 v6 80* '/u'"),
    ("http://[fe80::1%25]/u", "http fe80::1%25 v6 80* '/u'"),
    ("http://[fe80::1%wlan0.2]", "http fe80::1%wlan0.2 v6 80* ''"),
    ("http://[2001:DB8::1]/", "http 2001:DB8::1 v6 80* '/'"),
    ("http://[::1]/", "http ::1 v6 80* '/'"),
    ("http://[::ffff:1.2.3.4]/", "http ::ffff:1.2.3.4 v6 80* '/'"),
    ("http://0.0.0.0:80/", "http 0.0.0.0 v4 80 '/'"),
    // Nothing, or no URL at all (D44, D47, D29).
    ("", "empty 0"), ("*", "asterisk 0"), ("**", "relative 0"),
    ("/description.xml", "relative 0"), ("description.xml", "relative 0"), ("//192.168.1.20/d.xml", "relative 0"),
    ("192.168.1.20", "relative 0"), ("192.168.1.20:80/d.xml", "relative 0"), ("://a/", "relative 0"),
    ("http", "relative 0"), ("http:", "relative 5"), ("http:/", "relative 6"), ("http:a", "relative 5"),
    ("http:/a", "relative 6"), ("http:\\\\a", "relative 5"), ("?x", "relative 0"), ("(null)", "relative 0"),
    // Other schemes.
    ("ftp://192.168.1.20/", "scheme 0"), ("file:///etc/passwd", "scheme 0"), ("httpx://a/", "scheme 0"),
    ("htt://a/", "scheme 0"), ("gopher://a:70/_x", "scheme 0"), ("tv:80/d.xml", "scheme 0"), ("data:,x", "scheme 0"),
    // No host (D45).
    ("http://", "noHost 7"), ("http:///d.xml", "noHost 7"), ("http://:8000/d.xml", "noHost 7"),
    ("https://?x", "noHost 8"), ("http://#", "noHost 7"),
    // Hosts that are none.
    ("http://(null):49152/d.xml", "hostByte 7"), ("http://a%2eb/", "hostByte 8"), ("http://é/", "hostByte 7"),
    ("http://a\\b/", "hostByte 8"), ("http://a..b/", "hostByte 9"), ("http://.a/", "hostByte 7"),
    ("http://<ip>/", "hostByte 7"), ("http://a,b/", "hostByte 8"), ("http://a;b/", "hostByte 8"),
    ("http://*/", "hostByte 7"), ("http://./", "hostByte 7"),
    // Digits that somebody reads as an address.
    ("http://192.168.1.300/", "numericHost 7"), ("http://192.168.1/", "numericHost 7"),
    ("http://127.1/", "numericHost 7"),
    ("http://2130706433/", "numericHost 7"), ("http://0x7f000001/", "numericHost 7"),
    ("http://0x7F.1/", "numericHost 7"),
    ("http://a.0x/", "numericHost 7"),
    ("http://010.0.0.1/", "numericHost 7"), ("http://1.2.3.4.5/", "numericHost 7"),
    ("http://127.0.0.1./", "numericHost 7"),
    ("http://a.1/", "numericHost 7"), ("http://0192.168.1.1/", "numericHost 7"),
    // Names before the host.
    ("http://user@192.168.1.20/", "userInfo 11"), ("http://192.168.1.20:80@evil.example/", "userInfo 22"),
    ("http://a@b@c/", "userInfo 10"), ("http://@a/", "userInfo 7"),
    // Brackets and zones (D69).
    ("http://[fe80::1/", "bracket 7"), ("http://[fe80::1", "bracket 7"), ("http://[]/", "bracket 7"),
    ("http://[192.168.1.20]/", "bracket 7"), ("http://[fe80::1]x/", "bracket 16"), ("http://[fe80::g]/", "bracket 7"),
    ("http://[tv.local]/", "bracket 7"), ("http://fe80::1]/", "bracket 7"), ("http://fe80::1/", "bracket 7"),
    ("http://a]/", "bracket 8"), ("http://[[::1]]/", "bracket 7"), ("http://[:::1]/", "bracket 7"),
    ("http://[fe80::1%]/", "zone 15"), ("http://[fe80::1%25é]/", "zone 18"), ("http://[fe80::1%e/0]/", "bracket 7"),
    ("http://[fe80::1%e%0]/", "zone 17"), ("http://[-0::1]/", "bracket 7"), ("http://[fe80::-0]/", "bracket 7"),
    ("http://[+0::1]/", "bracket 7"),
    // Ports.
    ("http://a:/", "port 8"), ("http://a:", "port 8"), ("http://a:0/", "port 9"), ("http://a:00000/", "port 9"),
    ("http://a:65536/", "port 9"), ("http://a:99999/", "port 9"), ("http://a:99999999999999999999/", "port 9"),
    ("http://a:8o/", "port 10"), ("http://a:-1/", "port 9"), ("http://a:+80/", "port 9"),
    ("http://a:80:80/", "bracket 7"),
    ("http://tv:80:80/", "port 12"), ("http://http://a/", "port 11"), ("http://[::1]:/", "port 12"),
    ("http://[::1]:x", "port 13"),
    // Blanks and control bytes, wherever they stand.
    (" http://a/", "blank 0"), ("http://a/ ", "blank 9"), ("http://a/b c", "blank 10"), ("http:// a/", "blank 7"),
    ("http://a/\tb", "blank 9"), ("http://a/\r\nX: y", "controlByte 9"), ("http://a\u{0}.example/", "controlByte 8"),
    ("http://a/\u{7F}", "controlByte 9"), (" ", "blank 0"),
  ]

  @Test("every URL of the table is taken or refused as it says")
  func table() {
    #expect(LocationURLTests.table.count >= 60)
    for (text, expected) in LocationURLTests.table {
      expectEqual(LocationURLTests.summary(text), expected, "\(text)")
    }
  }

  @Test("a host name has at most 255 bytes")
  func hostLength() {
    let label = String(repeating: "a", count: 50) + "."
    let long = String(repeating: label, count: 5)
    expectEqual(LocationURLTests.summary("http://\(long)/"), "http \(long) name 80* '/'")
    expectEqual(LocationURLTests.summary("http://\(long)b/"), "hostTooLong 262")
    expectEqual(LocationURLTests.summary("http://[\(String(repeating: "0", count: 400))::1]/"), "bracket 7")
    #expect(LocationURLTests.summary("http://a/" + String(repeating: "x", count: 60_000)).hasPrefix("http a name"))
  }

  @Test("a literal address is read as one, a name is not")
  func addresses() {
    func address(_ text: String) -> IPAddress? {
      guard case .url(let url) = LocationURL.check(text) else { return nil }
      return url.address
    }
    expectEqual(address("http://192.168.1.20/"), IPAddress(192, 168, 1, 20))
    expectEqual(address("http://255.255.255.255/"), IPAddress(255, 255, 255, 255))
    expectEqual(address("http://[FE80::1%25en0]/"), IPAddress("fe80::1"))
    expectEqual(address("http://tv.local/"), nil)
  }

  @Test("every cut and every byte value at every place is checked without harm, ranges inside the bytes")
  func survivesDamage() {
    for text in ["http://192.168.1.20:49152/d.xml?x#f", "https://[fe80::1%25eth0]:8443/d", "http://tv.local:80/"] {
      let whole = Array(text.utf8)
      func examine(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
          switch LocationURL.check(buffer) {
          case .url(let url):
            guard !url.host.isEmpty, url.path.upperBound <= buffer.count, url.host.upperBound <= url.path.lowerBound,
              url.port > 0
            else {
              Issue.record("\(bytes) -> \(url)")
              return
            }
          case .refused(let refusal):
            if refusal.offset > buffer.count { Issue.record("\(bytes) -> \(refusal)") }
          }
        }
      }
      for count in 0...whole.count { examine(Array(whole[..<count])) }
      for position in whole.indices {
        for byte in 0...255 as ClosedRange<UInt8> {
          var damaged = whole
          damaged[position] = byte
          examine(damaged)
        }
      }
    }
  }

  static let interface = [
    InterfaceAddress(IPAddress(192, 168, 1, 2), prefixBits: 24),
    InterfaceAddress(IPAddress("fe80::2")!, prefixBits: 64),
    InterfaceAddress(IPAddress("fd00:1::2")!, prefixBits: 64),
  ]

  @Test(
    "a LOCATION host is judged by scope",
    arguments: [
      // host, sender, verdict
      ("192.168.1.20", "192.168.1.20", nil), ("192.168.1.30", "192.168.1.20", nil),
      ("10.9.8.7", "10.9.8.7", nil),
      ("10.9.8.7", "192.168.1.20", .offLink), ("8.8.8.8", "192.168.1.20", .offLink),
      ("172.17.0.2", "192.168.1.20", .offLink),
      ("192.168.1.30", "10.9.8.7", .offLink), ("10.9.8.8", "10.9.8.7", .offLink),
      ("192.168.1.2", "192.168.1.20", .receiver), ("192.168.1.2", "192.168.1.2", nil),
      ("127.0.0.1", "192.168.1.20", .loopback), ("127.8.9.1", "192.168.1.20", .loopback),
      ("127.0.0.1", "127.0.0.1", .loopback), ("::1", "fe80::9", .loopback), ("::ffff:127.0.0.1", "fe80::9", .loopback),
      ("::ffff:127.0.0.1", "192.168.1.20", .loopback),
      ("0.0.0.0", "192.168.1.20", .unspecified), ("0.1.2.3", "192.168.1.20", .unspecified),
      ("::", "fe80::9", .unspecified), ("::ffff:0.0.0.0", "fe80::9", .unspecified),
      ("239.255.255.250", "192.168.1.20", .multicast), ("224.0.0.1", "224.0.0.1", .multicast),
      ("ff02::c", "fe80::9", .multicast),
      ("255.255.255.255", "192.168.1.20", .broadcast), ("192.168.1.255", "192.168.1.20", .broadcast),
      ("192.168.2.255", "192.168.2.255", nil),
      ("169.254.1.1", "192.168.1.20", .linkLocal), ("169.254.169.254", "192.168.1.20", .linkLocal),
      ("169.254.1.1", "169.254.1.1", nil), ("169.254.169.254", "169.254.1.1", .offLink),
      ("192.168.1.20", "fe80::9", .familyMismatch), ("fe80::9", "192.168.1.20", .familyMismatch),
      ("::ffff:192.168.1.20", "192.168.1.20", nil), ("::ffff:192.168.1.20", "fe80::9", .familyMismatch),
      ("fe80::9", "fe80::9", nil), ("fe80::8", "fe80::9", nil), ("fe80::8", "fd00:1::9", .linkLocal),
      ("fd00:1::9", "fe80::9", nil), ("fd00:2::9", "fe80::9", .offLink), ("2001:db8::1", "fe80::9", .offLink),
      ("fd00:1::2", "fe80::9", .receiver),
    ] as [(String, String, LocationScope.Reason?)])
  func scope(host: String, sender: String, expected: LocationScope.Reason?) throws {
    let answer = LocationScope.judge(
      host: try #require(IPAddress(host)), sender: try #require(IPAddress(sender)), subnets: LocationURLTests.interface)
    expectEqual(answer, expected)
  }

  @Test("without subnets only the sender itself is taken; loopback is taken where a test allows it")
  func scopeOptions() {
    let sender = IPAddress(192, 168, 1, 20)
    let loopback = IPAddress(127, 0, 0, 1)
    func judge(_ host: IPAddress, _ sender: IPAddress, _ allows: Bool = true) -> LocationScope.Reason? {
      LocationScope.judge(host: host, sender: sender, subnets: [], allowsLoopback: allows)
    }
    expectEqual(judge(sender, sender), nil)
    expectEqual(judge(IPAddress(192, 168, 1, 21), sender), .offLink)
    expectEqual(judge(loopback, loopback), nil)
    expectEqual(judge(IPAddress(127, 0, 0, 2), loopback), nil)
    expectEqual(judge(loopback, sender), .loopback)
    expectEqual(judge(loopback, loopback, false), .loopback)
    // A link has no loopback address: whatever comes from there under one means a host of our own.
    let (lo, link) = (
      InterfaceAddress(loopback, prefixBits: 8), InterfaceAddress(IPAddress(192, 168, 1, 2), prefixBits: 24)
    )
    let lo6 = InterfaceAddress(IPAddress("::1")!, prefixBits: 128)
    for (host, subnets, expected) in [
      (loopback, [lo], nil), (loopback, [link, lo], nil), (loopback, [lo6], nil), (loopback, [link], .loopback),
      (lo6.address, [lo6], nil), (lo6.address, [link], .loopback),
    ] as [(IPAddress, [InterfaceAddress], LocationScope.Reason?)] {
      expectEqual(
        LocationScope.judge(host: host, sender: host, subnets: subnets, allowsLoopback: true), expected,
        "\(host) \(subnets)")
    }
    let pointToPoint = [InterfaceAddress(IPAddress(10, 0, 0, 0), prefixBits: 31)]
    expectEqual(
      LocationScope.judge(host: IPAddress(10, 0, 0, 1), sender: IPAddress(10, 0, 0, 1), subnets: pointToPoint), nil)
    let everything = [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 0)]
    expectEqual(LocationScope.judge(host: IPAddress(8, 8, 8, 8), sender: sender, subnets: everything), nil)
  }
}
