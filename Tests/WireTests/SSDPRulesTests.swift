import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("SSDP field rules")
struct SSDPRulesTests {
  private func check(_ bytes: [UInt8], _ mode: SSDPMode, isMulticast: Bool = true) -> Rejection? {
    SSDPSamples.check(bytes, mode, isMulticast: isMulticast)
  }

  private func search(_ lines: String...) -> [UInt8] {
    Array(("M-SEARCH * HTTP/1.1\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
  }

  @Test("each field that strict asks of a kind is missed when it is not there, and when it is empty")
  func requiredFields() {
    let host = "HOST: 239.255.255.250:1900"
    let life = ["CACHE-CONTROL: max-age=1800", "LOCATION: http://10.0.0.1/", "SERVER: a/1 UPnP/1.1 b/1"]
    let numbers = ["BOOTID.UPNP.ORG: 1", "CONFIGID.UPNP.ORG: 1"]
    let wholes: [(start: String, lines: [String], lenient: Set<String>)] = [
      (
        "NOTIFY * HTTP/1.1", [host] + life + ["NT: a", "NTS: ssdp:alive", "USN: b"] + numbers,
        ["NT", "NTS", "USN"]
      ),
      ("NOTIFY * HTTP/1.1", [host, "NT: a", "NTS: ssdp:byebye", "USN: b"], ["NT", "NTS", "USN"]),
      (
        "NOTIFY * HTTP/1.1",
        [host, life[1], "NT: a", "NTS: ssdp:update", "USN: b"] + numbers + ["NEXTBOOTID.UPNP.ORG: 2"],
        ["NT", "NTS", "USN"]
      ),
      ("HTTP/1.1 200 OK", life + ["EXT:", "ST: a", "USN: b", "BOOTID.UPNP.ORG: 1"], ["ST", "USN"]),
      ("M-SEARCH * HTTP/1.1", [host, "MAN: \"ssdp:discover\"", "MX: 1", "ST: a"], ["ST"]),
    ]
    for (start, lines, needed) in wholes {
      func bytes(_ lines: [String]) -> [UInt8] {
        Array((([start] + lines).joined(separator: "\r\n") + "\r\n\r\n").utf8)
      }
      expectEqual(check(bytes(lines), .lenient), nil)
      expectEqual(check(bytes(lines), .strict), nil)
      for position in lines.indices {
        let name = String(lines[position].prefix { $0 != ":" })
        var without = lines
        without.remove(at: position)
        if name != "SERVER" {  // It is what claims 1.1, so its absence excuses nothing but is tested below.
          expectEqual(
            check(bytes(without), .strict), Rejection(.missingField, at: bytes(without).count), "\(start) \(name)")
        }
        expectEqual((check(bytes(without), .lenient) != nil), needed.contains(name), "\(start) \(name)")
        if name == "EXT" { continue }
        var emptied = lines
        emptied[position] = name + ":"
        #expect(check(bytes(emptied), .strict) != nil, "\(start) \(name) empty")
        // An MX that is there must be a number; a lenient device does not need one.
        let isAsked = needed.contains(name) || name == "MX" || name == "MAN"
        expectEqual((check(bytes(emptied), .lenient) != nil), isAsked, "\(start) \(name) empty")
      }
    }
    let alive = SSDPSamples.notify(host, life[0], life[1], "NT: a", "NTS: ssdp:alive", "USN: b")
    expectEqual(check(alive, .strict), Rejection(.missingField, at: alive.count))
  }

  @Test(
    "a sender that claims UPnP 1.0 owes no BOOTID, one that claims more does",
    arguments: [
      ("Linux UPnP/1.0 a/1", true), ("Linux/5, UPnP/1.1, a/1", false), ("a/1 UPnP/2.0 b/1", false), ("UPnP/1.0", true),
      ("UPnP/1.1", false), ("nothing", true), ("UPnP/", true), ("UPnP/1", true), ("upnp/1.1", true),
      ("UPnP/9.9", false),
    ])
  func bootID(server: String, isWell: Bool) {
    let bytes = SSDPSamples.notify(
      "HOST: 239.255.255.250:1900", "CACHE-CONTROL: max-age=1", "LOCATION: x", "NT: a", "NTS: ssdp:alive",
      "SERVER: \(server)", "USN: b")
    expectEqual((check(bytes, .strict) == nil), isWell)
    expectEqual(check(bytes, .lenient), nil)
  }

  @Test(
    "HOST of a multicast message is a group, with port 1900 or none",
    arguments: [
      ("239.255.255.250:1900", true), ("239.255.255.250", true), ("[FF02::C]:1900", true), ("[ff05::c]", true),
      ("239.255.255.250:1901", false), ("239.255.255.2500", false), ("192.168.1.1:1900", false), ("[ff02::cc]", false),
      ("[FF02::C]:1900 ", true), ("0.0.0.0:1900", false), ("239.255.255.250:", false),
    ])
  func host(text: String, isWell: Bool) {
    let bytes = search("HOST: \(text)", "MAN: \"ssdp:discover\"", "MX: 1", "ST: ssdp:all")
    expectEqual(check(bytes, .strict), (isWell ? nil : Rejection(.badHost, at: 27)))
    expectEqual(check(bytes, .strict, isMulticast: false), nil)
    expectEqual(check(bytes, .lenient), nil)
  }

  @Test(
    "MX of a multicast search is 1 ... 5 in strict mode, any number in lenient mode",
    arguments: [
      ("1", true, true), ("5", true, true), ("0", false, true), ("6", false, true), ("120", false, true),
      ("-1", false, false), ("x", false, false), ("", false, false), ("1.5", false, false),
    ])
  func mx(text: String, isStrict: Bool, isLenient: Bool) {
    let bytes = search("HOST: 239.255.255.250", "MAN: \"ssdp:discover\"", "MX: \(text)", "ST: ssdp:all")
    expectEqual((check(bytes, .strict) == nil), isStrict)
    expectEqual((check(bytes, .lenient) == nil), isLenient)
    expectEqual(check(bytes, .strict, isMulticast: false), nil)
    expectEqual(check(bytes, .lenient, isMulticast: false), nil)
  }

  @Test(
    "MAN is quoted in strict mode, and never anything but ssdp:discover",
    arguments: [
      ("\"ssdp:discover\"", true, true), ("ssdp:discover", false, true), ("\"ssdp:Discover\"", false, false),
      ("'ssdp:discover'", false, false), ("\"ssdp:discover", false, false), ("ssdp:all", false, false),
    ])
  func man(text: String, isStrict: Bool, isLenient: Bool) {
    let bytes = search("HOST: 239.255.255.250", "MAN: \(text)", "MX: 1", "ST: ssdp:all")
    expectEqual(check(bytes, .strict), (isStrict ? nil : Rejection(.badMAN, at: 49)))
    expectEqual(check(bytes, .lenient), (isLenient ? nil : Rejection(.badMAN, at: 49)))
  }

  @Test("NEXTBOOTID must be above BOOTID, SEARCHPORT in the range of private ports")
  func numbers() {
    func update(_ next: String, _ port: String) -> [UInt8] {
      SSDPSamples.notify(
        "HOST: 239.255.255.250:1900", "LOCATION: x", "NT: a", "NTS: ssdp:update", "USN: b", "BOOTID.UPNP.ORG: 7",
        "CONFIGID.UPNP.ORG: 1", "SEARCHPORT.UPNP.ORG: \(port)", "NEXTBOOTID.UPNP.ORG: \(next)")
    }
    expectEqual(check(update("8", "49152"), .strict), nil)
    expectEqual(check(update("8", "65535"), .strict), nil)
    expectEqual(check(update("7", "49152"), .strict)?.reason, .badNumber)
    expectEqual(check(update("6", "49152"), .strict)?.reason, .badNumber)
    expectEqual(check(update("8", "49151"), .strict)?.reason, .badNumber)
    expectEqual(check(update("8", "65536"), .strict)?.reason, .badNumber)
    expectEqual(check(update("x", "0"), .lenient), nil)
  }
}
