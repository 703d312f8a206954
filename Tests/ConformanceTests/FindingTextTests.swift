import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a finding says: where it was, what was expected and what was found, beside how often its clause was kept.
@Suite("Texts of findings")
struct FindingTextTests {
  /// How often the clause was held, violated and left open; then a line for each finding.
  private func lines(_ clause: ClauseID, _ talk: [Said], _ circumstances: Circumstances = .capture) -> [String] {
    let judgement = Said.judged(talk, circumstances)
    let findings = judgement.rows.map(\.finding).filter { $0.clause == clause }
    return [judgement.sum(clause)] + findings.map { "\($0.position): \($0.expected) | \($0.found)" }
  }

  /// One finding of a clause that nothing else keeps or breaks, for each text that is found.
  private func check(
    _ clause: ClauseID, at position: Int = 1, _ expected: String, _ rows: [(found: String, talk: [Said])],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for row in rows {
      let line = "\(position): \(expected) | \(row.found)"
      expectEqual(lines(clause, row.talk), ["0 1 0", line], "\(clause)", sourceLocation: sourceLocation)
    }
  }

  private func alive(_ name: String, _ value: String?) -> [Said] { [.alive([name: value])] }
  private func search(_ name: String, _ value: String?) -> [Said] { [.search([name: value])] }
  private func asked(_ name: String, _ value: String?) -> [Said] { [.unicastSearch([name: value])] }
  private func answer(_ name: String, _ value: String?) -> [Said] { [.search(), .answer([name: value])] }
  /// Behind an alive that says what its device claims.
  private func later(_ kind: String, _ name: String, _ value: String?) -> [Said] {
    [.alive(), Said.notify(kind, [name: value]).later(.seconds(5))]
  }

  // MARK: - Datagrams

  @Test("a NOTIFY to a host is told by its address, to port 1900 and to a group with the port")
  func destinations() {
    func sent(_ said: Said, _ address: IPAddress, _ port: UInt16) -> [Said] {
      [said.with { $0.to = Endpoint(address, port: port) }]
    }
    let (host, group) = (IPAddress(192, 168, 1, 20), IPAddress(239, 255, 255, 249))
    for said in [Said.alive(), .notify("byebye"), .notify("update")] {
      check(
        .group4, "NOTIFY to 239.255.255.250:1900",
        [
          ("192.168.1.20:1900", sent(said, host, 1_900)), ("192.168.1.20", sent(said, host, 50_000)),
          ("239.255.255.249:1900", sent(said, group, 1_900)), ("239.255.255.249:1901", sent(said, group, 1_901)),
        ])
    }
    check(
      .group4, "a multicast search to 239.255.255.250:1900",
      [("239.255.255.249:1900", sent(.search(), group, 1_900))])
  }

  @Test("a TTL is told beside that of the version that its sender claims, HOST over IPv6 beside the form of a group")
  func hops() {
    let (four, two) = ("a TTL of 4, as UDA 1.0 has it, or of 2", "a TTL of 2")
    for (version, expected) in [("1.0", four), ("1.1", two), ("2.0", two)] {
      let said = Said.alive(["SERVER": "Linux/6.6 UPnP/\(version) Product/1.0"]).with { $0.hopLimit = 64 }
      check(.ttlDefault, expected, [("64", [said])])
      check(.ttlEscape, "a TTL that stays on the site", [("64", [said])])
    }
    check(
      .host6, "HOST with the IPv6 group in brackets and port 1900",
      [
        ("239.255.255.250:1900", [Said.alive().overIPv6()]), ("nothing", [Said.alive(["HOST": nil]).overIPv6()]),
      ])
  }

  @Test("of the form of a message each fault is told by itself, and the whole fields are kept")
  func forms() {
    let whole = Said.search()
    let unclosed = whole.with { $0.text.removeLast() }
    let plain = whole.with { $0.text = $0.text.replacing("\r\n", with: "\n") }
    let other = whole.with { $0.text = $0.text.replacing("M-SEARCH", with: "m-search") }
    let clauses: [ClauseID] = [.startLine, .generic, .blankLine]
    func found(_ said: Said) -> [[String]] { clauses.map { lines($0, [said]) } }
    let held = ["1 0 0"]
    expectEqual(found(whole), [held, held, held])
    let blank = ["0 1 0", "1: a blank line behind the last field | the datagram ends without one"]
    expectEqual(found(unclosed), [held, held, blank])
    let ended = ["0 1 0", #"1: every line ends with CR LF | M-SEARCH * HTTP/1.1\n"#]
    expectEqual(found(plain), [held, ended, held])
    let started = [
      "0 1 0", #"1: NOTIFY * HTTP/1.1, M-SEARCH * HTTP/1.1 or HTTP/1.1 200 OK | m-search * HTTP/1.1\r\n"#,
    ]
    // Of a message that no reader understands nothing else is said.
    expectEqual(found(other), [started, ["0 0 0"], ["0 0 0"]])
  }

  @Test("of several faults in the lines of a message each is told with its line")
  func lineFaults() {
    let said = Said.search().with {
      $0.text = $0.text.replacing(
        "\r\n\r\n", with: "\r\nx yz\r\na@b.c: 1\r\n: 1\r\nb.c: \u{1}\r\n\r\n")
    }
    expectEqual(
      lines(.generic, [said]),
      [
        "0 4 0", #"1: no control byte in a field value | b.c: \x01\r\n"#,
        #"1: a colon in each field line | x yz\r\n"#, #"1: a name before each colon | : 1\r\n"#,
        #"1: field names of token bytes only | a@b.c: 1\r\n"#,
      ])
  }

  @Test("odd names of fields, fields out of place and a body are told one by one, the first field included")
  func oddFields() {
    let start = "NOTIFY * HTTP/1.1\r\n"
    let named = Said.alive().with {
      $0.text = $0.text.replacing(
        start, with: start + "ab: 1\r\na_.b: 1\r\nx2-NLS: 1\r\na.b{c: 1\r\na.: 1\r\n")
    }
    let names = ["ab", "x2-NLS", "a.b{c", "a."].map { "1: a vendor's field named by token.vendor-domain | \($0)" }
    expectEqual(lines(.vendorName, [named]), ["0 4 0"] + names)
    let strays = ["MAN", "MX", "ST", "EXT", "DATE"].map {
      "1: no field of searches and answers in a NOTIFY | \($0)"
    }
    let stray = Said.alive(["DATE": "x", "EXT": "", "ST": "x", "MX": "3", "MAN": "x"])
    expectEqual(lines(.strayFields, [stray]), ["0 5 0"] + strays)
    let body = Said.search().with { $0.text += "<a>" }
    expectEqual(lines(.noBody, [body]), ["0 1 0", "1: nothing behind the blank line | <a>"])
  }

  // MARK: - Announcements

  @Test("a fault in a field of an alive is told with its value")
  func alives() {
    let names = "NT, NTS and USN once each"
    let twice = Said.alive().with {
      $0.text = $0.text.replacing("NTS: ssdp:alive\r\n", with: "NTS: ssdp:alive\r\nNTS: ssdp:alive\r\n")
    }
    expectEqual(lines(.aliveNames, [.alive()]), ["1 0 0"])
    check(
      .aliveNames, names,
      [
        ("no NT", alive("NT", nil)), ("no USN", alive("USN", nil)), ("NT is empty", alive("NT", "")),
        ("NTS is empty", alive("NTS", "")), ("USN is empty", alive("USN", "")), ("NTS more than once", [twice]),
      ])
    check(
      .aliveNames, "NTS of ssdp:alive, ssdp:byebye or ssdp:update",
      [("SSDP:Alive", alive("NTS", "SSDP:Alive")), ("ssdp:else", alive("NTS", "ssdp:else"))])
    check(
      .aliveHost, "HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port",
      [("x", alive("HOST", "x")), ("nothing", alive("HOST", nil))])
    check(
      .aliveMaxAge, "CACHE-CONTROL with max-age= and an integer",
      [("x", alive("CACHE-CONTROL", "x")), ("nothing", alive("CACHE-CONTROL", nil))])
    check(
      .aliveMaxAgeFloor, "max-age of 1800 seconds or more",
      [("max-age=1799", alive("CACHE-CONTROL", "max-age=1799")), ("max-age=0", alive("CACHE-CONTROL", "max-age=0"))])
    check(
      .aliveOnlyMaxAge, "no directive but max-age",
      [("max-age=1800, x", alive("CACHE-CONTROL", "max-age=1800, x"))])
    check(
      .aliveLocation, "LOCATION with one absolute URL",
      [("/d.xml", alive("LOCATION", "/d.xml")), ("nothing", alive("LOCATION", nil))])
    check(.aliveConfigID, "CONFIGID.UPNP.ORG in every alive", [("nothing", alive("CONFIGID.UPNP.ORG", nil))])
    check(.searchPort, "SEARCHPORT in 49152 to 65535", [("80", alive("SEARCHPORT.UPNP.ORG", "80"))])
    check(
      .secureLocation, "SECURELOCATION with an https URL",
      [("http://x/", alive("SECURELOCATION.UPNP.ORG", "http://x/"))])
    check(
      .bootIDForm, "a decimal number of 31 bits without sign and leading zeros",
      [("07", alive("BOOTID.UPNP.ORG", "07"))])
    check(.configIDRange, "a number of 0 to 16777215", [("16777216", alive("CONFIGID.UPNP.ORG", "16777216"))])
  }

  @Test("SERVER is asked for by the text of the version that it claims, in alives and answers")
  func servers() {
    let listed = "SERVER with the operating system and its version, UPnP/x.y, the product and its version"
    let template = "SERVER: OS/version UPnP/x.y product/version"
    let rows: [(server: String, expected: String)] = [
      ("Linux UPnP/1.0 P", listed), ("Linux UPnP/1.1 P", template), ("Linux UPnP/2.0 P", template),
    ]
    for row in rows {
      check(.aliveServer, row.expected, [(row.server, alive("SERVER", row.server))])
      check(.answerFields, at: 2, row.expected, [(row.server, answer("SERVER", row.server))])
    }
    check(.aliveServer, template, [("nothing", alive("SERVER", nil))])
  }

  @Test("a fault in UUID, USN or NT is told by the part in question, and the parts that are right are kept")
  func names() {
    let odd = "urn:x.y:device:Basic:1a"
    expectEqual(lines(.ntForm, [.alive()]), ["1 0 0"])
    expectEqual(lines(.ntVersion, [.alive()]), ["1 0 0"])
    expectEqual(lines(.ntForm, [.named("upnp:rootdevice")]), ["1 0 0"])
    expectEqual(lines(.ntVersion, [.named("upnp:rootdevice")]), ["0 0 0"])
    expectEqual(lines(.ntForm, [.named(odd)]), ["1 0 0"])
    check(.ntVersion, "a version that is a plain integer", [(odd, [.named(odd)])])
    check(
      .ntDots, "hyphens for the dots of the vendor's domain",
      [
        ("x.y", [.named(odd)]), ("x.y", [.named("urn:x.y:device:Basic:1")]),
        ("x.", [.named("urn:x.:service:Basic:1a")]),
      ])
    check(
      .ntForm, "upnp:rootdevice, a uuid, or urn:domain:device or service:type:version", [("a:b", [.named("a:b")])])
    check(
      .uuidForm, "a UUID of 8-4-4-4-12 hexadecimal digits", [("x", alive("USN", "uuid:x::\(Said.type)"))])
    let usn = "uuid:\(Said.uuid)::upnp:rootdevice"
    check(
      .usnForm, "USN of the uuid, ::, and exactly the NT",
      [("USN \(usn) with NT \(Said.type)", alive("USN", usn))])
  }

  @Test("each field that a byebye or an update lacks is told, and HOST and NTS with their values")
  func farewells() {
    for (kind, clause, nts) in [
      ("byebye", .byebyeFields, "SSDP:ByeBye"), ("update", .updateFields, "SSDP:Update"),
    ] as [(String, ClauseID, String)] {
      expectEqual(lines(clause, later(kind, "x.y", "1")), ["1 0 0"])
      check(
        clause, at: 2, "every field of its template",
        [
          ("no NT", later(kind, "NT", nil)), ("NT is empty", later(kind, "NT", "")),
          ("USN is empty", later(kind, "USN", "")), ("no BOOTID.UPNP.ORG", later(kind, "BOOTID.UPNP.ORG", nil)),
          ("no CONFIGID.UPNP.ORG", later(kind, "CONFIGID.UPNP.ORG", nil)),
        ])
      check(
        clause, at: 2, "HOST with the group and port 1900",
        [("x", later(kind, "HOST", "x")), ("nothing", later(kind, "HOST", nil))])
      check(clause, at: 2, "NTS in small letters", [(nts, later(kind, "NTS", nts))])
    }
    check(
      .updateFields, at: 2, "every field of its template",
      [
        ("no LOCATION", later("update", "LOCATION", nil)),
        ("no NEXTBOOTID.UPNP.ORG", later("update", "NEXTBOOTID.UPNP.ORG", nil)),
      ])
    check(
      .byebyeTemplate, at: 2, "no field of an alive in a byebye",
      [("LOCATION", later("byebye", "LOCATION", "http://192.168.1.10/"))])
    let loud = "uuid:\(Said.uuid.uppercased())::\(Said.type)"
    check(.byebyePair, at: 2, "NT and USN as they were announced", [(loud, later("byebye", "USN", loud))])
  }

  // MARK: - Searches and answers

  @Test("a fault in a field of a search is told with its value")
  func searches() {
    check(
      .searchHost, "HOST with the group and port 1900", [("x", search("HOST", "x")), ("nothing", search("HOST", nil))])
    check(
      .searchMX, "MX with an integer of 1 or more",
      [("0", search("MX", "0")), ("soon", search("MX", "soon")), ("nothing", search("MX", nil))])
    check(.searchMXMaximum, "MX of at most 5", [("6", search("MX", "6"))])
    check(
      .searchMAN, #"MAN: "ssdp:discover""#,
      [("ssdp:discover", search("MAN", "ssdp:discover")), ("nothing", search("MAN", nil))])
    check(.searchTarget, "ST", [("nothing", search("ST", nil))])
    check(
      .searchTarget, "ssdp:all, upnp:rootdevice, a uuid, or urn:domain:device or service:type:version",
      [("roku:ecp", search("ST", "roku:ecp"))])
    check(.searchFriendlyName, "CPFN.UPNP.ORG in a search under UDA 2.0", [("nothing", search("CPFN.UPNP.ORG", nil))])
    check(.searchTCPPort, "TCPPORT in 49152 to 65535", [("80", search("TCPPORT.UPNP.ORG", "80"))])
    check(
      .unicastSearchHost, "HOST with the address and port that it is sent to",
      [("x", asked("HOST", "x")), ("nothing", asked("HOST", nil))])
    check(
      .unicastSearchPlain, "no field of multicast searches in a unicast one",
      [("MX", asked("MX", "3")), ("CPFN.UPNP.ORG", asked("CPFN.UPNP.ORG", "Kitchen"))])
  }

  @Test("a fault in a field of an answer is told with its value, and an error with its status line")
  func answers() {
    check(
      .answerFields, at: 2, "CACHE-CONTROL, EXT, LOCATION, SERVER, ST and USN",
      [
        ("no CACHE-CONTROL", answer("CACHE-CONTROL", nil)), ("CACHE-CONTROL is empty", answer("CACHE-CONTROL", "")),
        ("no LOCATION", answer("LOCATION", nil)), ("no ST", answer("ST", nil)), ("no USN", answer("USN", nil)),
        ("no EXT", answer("EXT", nil)), ("EXT is not empty", answer("EXT", "x")),
        ("max-age", answer("CACHE-CONTROL", "max-age")),
      ])
    check(
      .answerFields, at: 2, "no directive but max-age",
      [("max-age=1800, x", answer("CACHE-CONTROL", "max-age=1800, x"))])
    check(.answerFields, at: 2, "LOCATION with one absolute URL", [("/d.xml", answer("LOCATION", "/d.xml"))])
    check(.answerDate, at: 2, "a date of RFC 1123", [("now", answer("DATE", "now"))])
    func status(_ text: String) -> [Said] { [.search(), Said.answer().with { $0.text = text }] }
    let error = "HTTP/1.1 404"
    check(
      .answerNoError, at: 2, "silence, or HTTP/1.1 200 OK",
      [
        (error, status(error)), (error, status(error + "\r\n\r\n")), (error, status(error + "\n\n")),
        (error + " Not Found", status(error + " Not Found\r\nEXT:\r\n\r\n")),
        ("HTTP/1.12345678 404", status("HTTP/1.12345678 404")),
      ])
    expectEqual(lines(.answerNoError, status("HTTP/1.1 40")), ["0 0 0"])
    expectEqual(lines(.answerNoError, status("HTTP/1.1 ")), ["0 0 0"])
    expectEqual(lines(.answerNoError, status("HTTP/1.1 A04")), ["0 0 0"])
    // The blank behind the version is looked for in 16 bytes.
    expectEqual(lines(.answerNoError, status("HTTP/1.123456789 404")), ["0 0 0"])
  }

  @Test("of a message over IPv6 the breaches of its kind are told first, then those of IPv6")
  func familyOrder() {
    let answer = Said.answer(["EXT": nil]).overIPv6(to: IPAddress(v6High: 0xFE80_0000_0000_0000, low: 0x20))
    let rows: [(said: Said, clauses: [ClauseID])] = [
      (Said.alive(["CACHE-CONTROL": "max-age=1"]).overIPv6(), [.aliveMaxAgeFloor, .host6, .location6]),
      (Said.notify("byebye", ["CACHE-CONTROL": "max-age=1"]).overIPv6(), [.byebyeTemplate, .host6]),
      (Said.search(["MAN": "x"]).overIPv6(), [.searchMAN, .host6]),
      (answer, [.answerFields, .location6]),
    ]
    for row in rows {
      let told = Said.judged([row.said]).rows.map(\.finding.clause).filter { row.clauses.contains($0) }
      expectEqual(told, row.clauses)
    }
  }

  // MARK: - Sets

  @Test("the messages that are missing in the set of a device are told, of a root and of a part by itself")
  func parts() {
    let run = Circumstances(isComplete: true)
    let quiet = [Said.silence(until: .seconds(100))]
    let (root, own) = ("upnp:rootdevice", "uuid:" + Said.uuid)
    let rows: [(without: [String], missing: String)] = [
      ([Said.type], "no message of a device type"), ([own], "no message of the UUID"),
      ([root], "no message of upnp:rootdevice"),
      ([root, own, Said.type], "no message of upnp:rootdevice, no message of the UUID, no message of a device type"),
    ]
    for row in rows {
      let talk = Said.sets(at: .zero, without: row.without) + quiet
      expectEqual(
        lines(.rootThree, talk, run), ["0 1 0", "1: upnp:rootdevice, the uuid and the device type | \(row.missing)"])
      expectEqual(
        lines(.rootThree, talk),
        ["0 0 1", "1: \(row.missing); what was sent may be lost or come before the capture | "])
      expectEqual(lines(.embeddedTwo, talk, run), ["0 0 0"])
    }
    // A type whose version is no number is one.
    let odd = Said.sets(at: .zero, without: [Said.type]) + [.named(Said.type + "a", at: .seconds(1))] + quiet
    expectEqual(lines(.rootThree, odd, run), ["1 0 0"])
    let part = Said.sets(at: .zero) + [.named(Said.service, Said.otherUUID, at: .seconds(1))] + quiet
    expectEqual(lines(.rootThree, part, run), ["1 0 0"])
    expectEqual(
      lines(.embeddedTwo, part, run),
      ["0 1 0", "9: the uuid and the device type | no message of the UUID, no message of a device type"])
  }
}
