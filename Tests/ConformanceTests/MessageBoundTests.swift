import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What single messages break, at the bounds of their values and one beyond.
@Suite("Messages judged at their bounds")
struct MessageBoundTests {
  private typealias Row = (name: String, value: String?, breaks: [String])

  private func check(_ rows: [Row], _ talk: (KeyValuePairs<String, String?>) -> [Said]) {
    for row in rows {
      let judgement = Said.judged(talk([row.name: row.value]))
      expectEqual(judgement.violated, row.breaks, "\(row): \(judgement.lines)")
    }
  }

  @Test("an alive breaks exactly the clause of the field whose value lies beyond its bound")
  func alives() {
    let (floor, form, only) = ("UDA-1.2.2-A-CC-1800", "UDA-1.2.2-A-CC", "UDA-1.2.2-A-CC-ONLY")
    let (host, server, names) = ("UDA-1.2.2-A-HOST", "UDA-1.2.2-A-SERVER", "UDA-1.2.2-A-NT/NTS/USN")
    let (port, boot, config) = ("UDA-1.2.2-A-SEARCHPORT", "UDA-1.2.2-BOOT-INT31", "UDA-1.2.2-CFG-RANGE")
    let rows: [Row] = [
      ("CACHE-CONTROL", "max-age=1800", []), ("CACHE-CONTROL", "max-age=1799", [floor]),
      ("CACHE-CONTROL", "max-age=0", [floor]), ("CACHE-CONTROL", "no-cache, max-age=1800", [only]),
      ("CACHE-CONTROL", "max-age=1800,", [only]), ("CACHE-CONTROL", "max-age=1800x", [form]),
      ("CACHE-CONTROL", "max-age=", [form]), ("CACHE-CONTROL", nil, [form]),
      ("SEARCHPORT.UPNP.ORG", "49152", []), ("SEARCHPORT.UPNP.ORG", "49151", [port]),
      ("SEARCHPORT.UPNP.ORG", "65535", []), ("SEARCHPORT.UPNP.ORG", "65536", [port]),
      ("BOOTID.UPNP.ORG", "0", []), ("BOOTID.UPNP.ORG", "00", [boot]), ("BOOTID.UPNP.ORG", "07", [boot]),
      ("BOOTID.UPNP.ORG", "+7", [boot]), ("BOOTID.UPNP.ORG", "7x", [boot]), ("BOOTID.UPNP.ORG", "", [boot]),
      ("CONFIGID.UPNP.ORG", "0", []), ("CONFIGID.UPNP.ORG", "01", [config]), ("CONFIGID.UPNP.ORG", "", [config]),
      ("HOST", "[ff02::c]:1900", []), ("HOST", "[FF08::C]:1900", []), ("HOST", "[ff03::c]:1900", [host]),
      ("HOST", "239.255.255.250:1901", [host]), ("HOST", "239.255.255.250", [host]), ("HOST", nil, [host]),
      ("SERVER", "Linux/6.6 UPnP/2.0 Product/1.0 (a comment) Library", []),
      ("SERVER", "Linux/6.6 UPnP/2.0", [server]), ("SERVER", "Linux/6.6 UPnP/2.0 Product/1.0 (a comment", [server]),
      ("SERVER", "UPnP/2.0 Linux/6.6 Product/1.0", [server]), ("SERVER", "Linux/6.6 UPnP/2.00 Product/1.0", [server]),
      ("NT", nil, [names]), ("USN", nil, [names]),
    ]
    check(rows) { [.alive($0)] }
  }

  @Test("a field of no standard is named by a token, a dot and a domain without empty parts")
  func vendorNames() {
    let breach = ["UDA-1.1.3-VENDORNAME"]
    check(
      [
        ("a.b", "1", []), ("a.b-c.d1", "1", []), ("a.b_c", "1", breach), ("a.", "1", breach), (".b", "1", breach),
        ("a.b..c", "1", breach), ("a..b", "1", breach), ("a.b.", "1", breach), ("ab", "1", breach),
        ("02-N", "1", []), ("02-", "1", breach), ("2-NLS", "1", breach), ("Keep-Alive", "1", []),
      ]
    ) { [.alive($0)] }
  }

  @Test("NT is a type, a type with an odd version, or none")
  func targets() {
    let rows: [(target: String, breaks: [String])] = [
      ("urn:x-y:device:Basic:1", []), ("urn:x.y:device:Basic:1", ["UDA-1.2.2-NT-DOTS"]),
      ("urn:x-y:device:Basic:1a", ["UDA-1.2.2-NT-VER"]), ("urn:x-y:service:Basic:1.0", ["UDA-1.2.2-NT-VER"]),
      ("urn:x.y:device:Basic:1a", ["UDA-1.2.2-NT-DOTS", "UDA-1.2.2-NT-VER"]),
      ("urn:x-y:device:Basic:a1", ["UDA-1.2.2-NT-ENUM"]), ("urn:x-y:gadget:Basic:1a", ["UDA-1.2.2-NT-ENUM"]),
      // A blank in a part, the byte behind the blank, and a part that is empty.
      ("urn:x y:device:Basic:1a", ["UDA-1.2.2-NT-ENUM"]), ("urn:x!y:device:Basic:1a", ["UDA-1.2.2-NT-VER"]),
      ("urn::device:Basic:1a", ["UDA-1.2.2-NT-ENUM"]), ("urn:x-y:device:Basic::1a", ["UDA-1.2.2-NT-ENUM"]),
    ]
    for row in rows {
      let judgement = Said.judged([.alive(["NT": row.target, "USN": "uuid:\(Said.uuid)::\(row.target)"])])
      expectEqual(judgement.violated, row.breaks, "\(row.target): \(judgement.lines)")
    }
  }

  @Test("a search breaks exactly the clause of the field whose value lies beyond its bound")
  func searches() {
    let (present, most, port) = ("UDA-1.3.2-MX-PRESENT", "UDA-1.3.2-MX-MAX5", "UDA-1.3.2-TCPPORT")
    check(
      [
        ("MX", "1", []), ("MX", "5", []), ("MX", "6", [most]), ("MX", "0", [present]), ("MX", "", [present]),
        ("TCPPORT.UPNP.ORG", "49152", []), ("TCPPORT.UPNP.ORG", "49151", [port]),
        ("TCPPORT.UPNP.ORG", "65535", []), ("TCPPORT.UPNP.ORG", "65536", [port]),
        ("TCPPORT.UPNP.ORG", "050000", [port]), ("HOST", "239.255.255.250:1901", ["UDA-1.3.2-HOST-MC"]),
        ("MAN", nil, ["UDA-1.3.2-MAN"]), ("MAN", "\"ssdp:Discover\"", ["UDA-1.3.2-MAN"]),
        ("ST", nil, ["UDA-1.3.2-ST"]), ("CPFN.UPNP.ORG", nil, ["UDA-1.3.2-CPFN"]),
      ]
    ) { [.search($0)] }
    check(
      [
        ("HOST", "192.168.1.10:1900", []), ("HOST", "192.168.1.10:1901", ["UDA-1.3.2-UC-HOST"]),
        ("HOST", "192.168.1.11", ["UDA-1.3.2-UC-HOST"]), ("HOST", nil, ["UDA-1.3.2-UC-HOST"]),
        ("CPFN.UPNP.ORG", "Kitchen", ["UDA-1.3.2-UC-NOMX"]), ("TCPPORT.UPNP.ORG", "50000", ["UDA-1.3.2-UC-NOMX"]),
        ("CPUUID.UPNP.ORG", "uuid:x", ["UDA-1.3.2-UC-NOMX"]),
      ]
    ) { [.unicastSearch($0)] }
    // The port may be left out of HOST only where it is 1900.
    let other = Said.unicastSearch(["HOST": "192.168.1.10"]).with { $0.to.port = 50_000 }
    expectEqual(Said.judged([other]).violated, ["UDA-1.3.2-UC-HOST"])
  }

  @Test("each field that a byebye, an update or an answer has to have is missed, and each that it may not have is seen")
  func templates() {
    let (bye, update, answer) = (["UDA-1.2.3-BB-FIELDS"], ["UDA-1.2.4-UPD-FIELDS"], ["UDA-1.3.3-FIELDS"])
    let template = ["UDA-1.2.3-BB-TEMPLATE"]
    check(
      [
        ("HOST", nil, bye), ("NT", nil, bye), ("USN", nil, bye), ("BOOTID.UPNP.ORG", nil, bye),
        ("CONFIGID.UPNP.ORG", nil, bye), ("CACHE-CONTROL", "max-age=1800", template),
        ("LOCATION", "http://192.168.1.10:49152/description.xml", template),
        ("SERVER", "Linux/6.6 UPnP/2.0 Product/1.0", template), ("MX", "3", ["H-A-STRAY"]),
      ]
    ) { [.alive(), Said.notify("byebye", $0).later(.seconds(5))] }
    check(
      [
        ("HOST", nil, update), ("LOCATION", nil, update), ("NT", nil, update), ("USN", nil, update),
        ("BOOTID.UPNP.ORG", nil, update), ("CONFIGID.UPNP.ORG", nil, update), ("NEXTBOOTID.UPNP.ORG", nil, update),
      ]
    ) { [.alive(), Said.notify("update", $0).later(.seconds(5))] }
    check(
      [
        ("CACHE-CONTROL", nil, answer), ("EXT", nil, answer), ("LOCATION", nil, answer), ("SERVER", nil, answer),
        ("ST", nil, answer), ("USN", nil, answer), ("DATE", nil, []), ("DATE", "now", ["UDA-1.3.3-DATE"]),
        ("CACHE-CONTROL", "max-age=1799", ["UDA-1.2.2-A-CC-1800"]),
        ("SEARCHPORT.UPNP.ORG", "49151", ["UDA-1.2.2-A-SEARCHPORT"]),
      ]
    ) { [.search(), .answer($0)] }
  }

  @Test("a multicast datagram goes to the group and its port, in one piece")
  func destinations() {
    for said in [Said.alive(), .notify("byebye"), .search()] {
      let otherPort = said.with { $0.to.port = 1_901 }
      let otherGroup = said.with { $0.to = Endpoint(IPAddress(239, 255, 255, 249), port: 1_900) }
      let twoPieces = said.with { $0.fragments = 2 }
      expectEqual(Said.judged([said]).violated, [])
      expectEqual(Said.judged([otherPort]).violated, ["UDA-1.2-GROUP4"])
      expectEqual(Said.judged([otherGroup]).violated, ["UDA-1.2-GROUP4"])
      expectEqual(Said.judged([twoPieces]).violated, ["UDA-1.2.2-ONE-DGRAM"])
    }
  }

  @Test("the version that a text claims is that of its first product UPnP/x.y")
  func claims() {
    let rows: [(text: String, claim: Edition?)] = [
      ("", nil), ("UPnP/1", nil), ("UPnP/1.", nil), ("UPnP/1.0", .uda10), ("UPnP/1.1", .uda11), ("UPnP/1.9", .uda11),
      ("UPnP/0.9", .uda10), ("UPnP/0.11", .uda10), ("UPnP/2.0", .uda20), ("UPnP/3.5", .uda20), ("UPnP/10.0", .uda20),
      ("UPnP/01.0", .uda10), ("UPnP/01.1", .uda11), ("UPnP/1.10", .uda11), ("UPnP/1.01", .uda11), ("UPnP/1.00", .uda10),
      ("UPnP/18446744073709551617.0", .uda20), ("uPNP/3.5", nil), ("UPnP/1,1", nil), ("UPnP/1.x", nil),
      ("a UPnP/1.1 UPnP/2.0", .uda11), ("UPnP/x.1 UPnP/2.0", .uda20), ("UPnP/1 UPnP/2.0", .uda20),
      ("UPnP/2.0 UPnP/1.0", .uda20), ("UPnP 1.1 b/1.0", nil), ("UPnP/1.0 ", .uda10), ("UPnP/1.1x", .uda11),
      // A product begins at the start and behind a blank or a comma.
      ("XUPnP/1.1", nil), ("a/UPnP/1.1", nil), ("(UPnP/1.1)", nil), ("a;UPnP/1.1", nil), ("a,UPnP/1.1", .uda11),
      ("a\tUPnP/1.1", .uda11), ("XUPnP/1.1 UPnP/1.0", .uda10), ("XUPnP/1.0 UPnP/2.0", .uda20),
    ]
    for row in rows {
      let claim = Array(row.text.utf8).withUnsafeBytes { ClauseJudge.claim(in: $0) }
      expectEqual(claim, row.claim, "\(row.text)")
    }
  }

  @Test("a byebye is bound by what its own device claimed last; a party has the highest claim of its messages")
  func lastClaims() {
    func said(_ version: String, at seconds: Int64, _ uuid: String = Said.uuid) -> Said {
      Said.alive([
        "SERVER": "Linux/6.6 UPnP/\(version) Product/1.0", "USN": "uuid:\(uuid)::\(Said.type)",
      ]).later(.seconds(seconds))
    }
    let bare = Said.notify("byebye", ["BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil]).later(.seconds(20))
    let half = Said.notify("byebye", ["CONFIGID.UPNP.ORG": nil]).later(.seconds(20))
    let rows: [(talk: [Said], breaks: [String], claim: Edition)] = [
      ([said("1.0", at: 0), said("1.1", at: 10), bare], ["UDA-1.2.3-BB-FIELDS"], .uda11),
      ([said("2.0", at: 0), said("1.0", at: 10), bare], [], .uda20),
      ([said("1.0", at: 0), bare], [], .uda10), ([said("1.0", at: 0), half], [], .uda10),
      ([half], ["UDA-1.2.3-BB-FIELDS"], .uda11),
      ([said("2.0", at: 0, Said.otherUUID), bare], [], .uda20),
      ([said("1.0", at: 0), said("2.0", at: 10, Said.otherUUID), bare], [], .uda20),
    ]
    for (number, row) in rows.enumerated() {
      let judgement = Said.judged(row.talk)
      expectEqual(judgement.violated, row.breaks, "row \(number): \(judgement.lines)")
      expectEqual(judgement.parties.map(\.claim), [row.claim], "row \(number)")
    }
  }

  @Test("each fault of form is found where it first stands")
  func faults() {
    let start = "NOTIFY * HTTP/1.1\r\n"
    let field = "A: 1\r\n"
    let rows: [(text: String, faults: [String])] = [
      (start + field + "\r\n", []), (start + "A:\t1\r\n\r\n", []), (start + "\r\n", []),
      ("notify * HTTP/1.1\r\n\r\n", ["startLine@0"]), (start + "A: 1\n\r\n", ["lineEnd@23"]),
      (start + "A: 1\r\r\n\r\n", ["lineEnd@23"]), (start + "A: \u{1F}\r\n\r\n", ["controlByte@22"]),
      (start + "A: \u{7F}\r\n\r\n", ["controlByte@22"]), (start + "A: \u{1}\u{2}\r\n\r\n", ["controlByte@22"]),
      (start + "A 1\r\nB 1\r\n\r\n", ["noColon@19"]), (start + ": 1\r\n\r\n", ["emptyName@19"]),
      (start + "A@: 1\r\n\r\n", ["nameBytes@20"]), (start + field + " 1\r\n\r\n", ["folded@25"]),
      (start + "A : 1\r\n\r\n", ["blankBeforeColon@20"]), (start + field, ["noBlankLine@25"]),
      (start + field + "\r\nx", ["bytesAfterBlankLine@27"]), ("", ["noBlankLine@0"]),
      (start + String(repeating: field, count: 32) + "\r\n", []),
      (start + String(repeating: field, count: 33) + "\r\n", ["tooManyFields@211"]),
      (start + String(repeating: field, count: 34) + "\r\n", ["tooManyFields@211"]),
    ]
    // A tab for the blank, a control byte in a name, a last line without LF, and an empty one for the start line.
    let further: [(text: String, faults: [String])] = [
      (start + field + "\t1\r\n\r\n", ["folded@25"]), (start + "A\t: 1\r\n\r\n", ["blankBeforeColon@20"]),
      (start + "A\u{1}: 1\r\n\r\n", ["nameBytes@20"]), (start + "A: 1", ["noBlankLine@23"]),
      (start + field + "\r", ["noBlankLine@26"]), ("\n" + field + "\r\n", ["startLine@0", "lineEnd@0"]),
    ]
    for row in rows + further {
      // What stands before a datagram is no part of it.
      let faults = Array("\r\(row.text)".utf8).withUnsafeBytes {
        FormFaults(UnsafeRawBufferPointer(rebasing: $0[1...]))
      }
      let found = FormFaults.Fault.allCases.filter { faults.has($0) }.map { "\($0)@\(faults.offset(of: $0))" }
      expectEqual(found, row.faults, "\(row.text.debugDescription)")
      expectEqual(faults.isEmpty, row.faults.isEmpty)
    }
    let tokens = "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~"
    expectEqual((UInt8.min...UInt8.max).filter { FormFaults.isToken($0) }, Array(tokens.utf8))
  }
}
