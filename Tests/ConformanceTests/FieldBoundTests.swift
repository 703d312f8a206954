import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Forms of values, fields that are empty or come twice, status lines, and what IPv6 asks for.
@Suite("Fields judged by their form")
struct FieldBoundTests {
  private static let names = "UDA-1.2.2-A-NT/NTS/USN"
  private static let boot = "UDA-1.2.2-BOOT-INT31"
  private static let config = "UDA-1.2.2-CFG-RANGE"
  private static let byebye = "UDA-1.2.3-BB-FIELDS"
  private static let update = "UDA-1.2.4-UPD-FIELDS"
  private static let stray = "H-A-STRAY"

  private func violated(_ said: Said...) -> [String] { Said.judged(said).violated }

  @Test("max-age is a directive of that name with digits, blanks around the sign and before it allowed")
  func leases() {
    let (form, only) = (["UDA-1.2.2-A-CC"], ["UDA-1.2.2-A-CC-ONLY"])
    let rows: [(value: String, breaks: [String])] = [
      ("max-age = 1800", []), ("MAX-AGE=1800", []), ("max-age\t=\t1800", []), ("private,max-age=1800", only),
      ("max-age=1800,max-age=x", only), ("x-max-age=1800", form), ("max-agex=1800", form), ("max-age 1800", form),
      ("max-age==1800", form), ("max-age=+1800", form), ("max-age=\"1800\"", form), ("max-age=1800 s", form),
      ("=1800", form),
    ]
    for row in rows {
      expectEqual(violated(.alive(["CACHE-CONTROL": row.value])), row.breaks, "\(row.value)")
      let breaks = row.breaks.isEmpty ? [] : ["UDA-1.3.3-FIELDS"]
      expectEqual(violated(.search(), .answer(["CACHE-CONTROL": row.value])), breaks, "\(row.value)")
    }
  }

  @Test("SERVER is three products with their versions, UPnP the second; others and comments may stand around")
  func servers() {
    let whole = [
      "(c) Linux/6.6 UPnP/2.0 P/1", "((a) b) Linux/6.6 UPnP/2.0 P/1", "Linux/6.6 UPnP/2.0 P/1 Lib",
      "Linux/6.6/7 UPnP/2.0 P/1/2", "Linux/6.6  UPnP/2.0\tP/1", "Linux/6.6 UPnP/2.0(x) P/1",
    ]
    let broken = [
      "Linux UPnP/2.0 P/1", "UPnP/2.0 UPnP/2.0 P/1", "Linux/6.6 upnp/2.0 P/1", "Li,nux/6 UPnP/2.0 P/1",
      "Linux/6.6 UPnP/2.0 P/", "Linux/6.6 UPnP/2.0 /1", ") Linux/6.6 UPnP/2.0 P/1", "Linux/6.6 UPnP/2.0 P/1)",
      "Linux/6.6 UPnP/2.0 P/1 (a (b)", "Linux/6.6 UPnP/2.0 P", "Linux/6.6 UPnP/2,0 P/1", "Linux/6.6 P/1 UPnP/2.0",
      "Linux/ UPnP/2.0 P/1",
    ]
    for value in whole { expectEqual(violated(.alive(["SERVER": value])), [], "\(value)") }
    for value in broken {
      expectEqual(violated(.alive(["SERVER": value])), ["UDA-1.2.2-A-SERVER"], "\(value)")
      expectEqual(violated(.search(), .answer(["SERVER": value])), ["UDA-1.3.3-FIELDS"], "\(value)")
    }
  }

  @Test("LOCATION is an absolute URL, SECURELOCATION one of https, in whatever a device sends")
  func addresses() {
    let place = "UDA-1.2.2-A-LOC"
    let rows: [(value: String, breaks: [String])] = [
      ("http://192.168.1.10", []), ("HTTP://192.168.1.10/d", []), ("http://a@192.168.1.10/d", []),
      ("ftp://192.168.1.10/d", [place]), ("http:/192.168.1.10/d", [place]), ("http://192.168.1.10/ http://x/", [place]),
    ]
    for row in rows { expectEqual(violated(.alive(["LOCATION": row.value])), row.breaks, "\(row.value)") }
    let secure: [(value: String, breaks: [String])] = [
      ("https://192.168.1.10/d", []), ("HTTPS://192.168.1.10/d", []), ("http://192.168.1.10/d", ["UDA-1.2.2-A-SECLOC"]),
      ("192.168.1.10", ["UDA-1.2.2-A-SECLOC"]), ("", ["UDA-1.2.2-A-SECLOC"]),
    ]
    for row in secure {
      let edits: KeyValuePairs<String, String?> = ["SECURELOCATION.UPNP.ORG": row.value]
      expectEqual(violated(.alive(edits)), row.breaks, "\(row.value)")
      expectEqual(violated(.search(), .answer(edits)), row.breaks, "\(row.value)")
      expectEqual(violated(.alive(), Said.notify("update", edits).later(.at(9_000))), row.breaks, "\(row.value)")
    }
  }

  @Test("a status from 300 on is an error, a lower one only no start line")
  func statuses() {
    let start = "UDA-1.1.1-STARTLINE"
    let rows: [(status: String, breaks: [String])] = [
      ("100 Continue", [start]), ("299 x", [start]), ("300 x", [start, "UDA-1.3.3-NO-ERROR"]),
      ("404", [start, "UDA-1.3.3-NO-ERROR"]), ("30", [start]), ("2 0", [start]),
    ]
    for row in rows {
      let answer = Said.answer().with { $0.text = $0.text.replacing("200 OK", with: row.status) }
      expectEqual(violated(.search(), answer), row.breaks, "\(row.status)")
    }
  }

  @Test("a field that is empty is none, in an alive, a byebye and an update")
  func empties() {
    typealias Tests = FieldBoundTests
    let extra = "UDA-1.2.3-BB-TEMPLATE"
    let rows: [(name: String, alive: [String], byebye: [String], update: [String])] = [
      ("HOST", ["UDA-1.2.2-A-HOST"], [Tests.byebye], [Tests.update]),
      ("CACHE-CONTROL", ["UDA-1.2.2-A-CC"], [extra], []),
      ("LOCATION", ["UDA-1.2.2-A-LOC"], [extra], [Tests.update]),
      ("SERVER", ["UDA-1.2.2-A-SERVER"], [extra], []), ("NT", [Tests.names], [Tests.byebye], [Tests.update]),
      ("NTS", [Tests.names], [Tests.names], [Tests.names]), ("USN", [Tests.names], [Tests.byebye], [Tests.update]),
      ("BOOTID.UPNP.ORG", [Tests.boot], [Tests.boot, Tests.byebye], [Tests.boot, Tests.update]),
      ("CONFIGID.UPNP.ORG", [Tests.config], [Tests.config, Tests.byebye], [Tests.config, Tests.update]),
      ("NEXTBOOTID.UPNP.ORG", [], [], [Tests.update]), ("EXT", [Tests.stray], [Tests.stray], [Tests.stray]),
      ("DATE", [Tests.stray], [Tests.stray], [Tests.stray]),
    ]
    for row in rows {
      let edits: KeyValuePairs<String, String?> = [row.name: ""]
      expectEqual(violated(.alive(edits)), row.alive, "\(row.name)")
      expectEqual(violated(.alive(), Said.notify("byebye", edits).later(.at(5_000))), row.byebye, "\(row.name)")
      expectEqual(violated(.alive(), Said.notify("update", edits).later(.at(5_000))), row.update, "\(row.name)")
    }
    for name in ["CACHE-CONTROL", "LOCATION", "SERVER", "ST", "USN"] {
      expectEqual(violated(.search(), .answer([name: ""])), ["UDA-1.3.3-FIELDS"], "\(name)")
    }
    expectEqual(violated(.search(), .answer(["EXT": ""])), [])
    expectEqual(violated(.search(), .answer(["DATE": ""])), ["UDA-1.3.3-DATE"])
    expectEqual(violated(.search(), .answer(["BOOTID.UPNP.ORG": ""])), [Tests.boot])
    expectEqual(violated(.alive(["CONTENT-LENGTH": "0"])), [])
    for length in ["00", "1", ""] {
      expectEqual(violated(.alive(["CONTENT-LENGTH": length])), ["UDA-1.1-NOBODY"], "\(length)")
    }
  }

  @Test("NT, NTS, USN and LOCATION come once, and NTS in small letters")
  func repeatedFields() {
    func doubled(_ name: String, _ said: Said) -> Said {
      let line = said.text.components(of: "\r\n").first { $0.hasPrefix(name + ":") } ?? ""
      return said.with { $0.text = $0.text.replacing("\(line)\r\n", with: "\(line)\r\n\(line)\r\n") }
    }
    for name in ["NT", "NTS", "USN"] {
      expectEqual(violated(doubled(name, .alive())), [FieldBoundTests.names], "\(name)")
    }
    expectEqual(violated(doubled("LOCATION", .alive())), ["UDA-1.2.2-A-LOC"])
    expectEqual(violated(.search(), doubled("LOCATION", .answer())), ["UDA-1.3.3-FIELDS"])
    let rows: [(kind: String, nts: String, breaks: [String])] = [
      ("alive", "SSDP:Alive", [FieldBoundTests.names]), ("alive", "ssdp:else", [FieldBoundTests.names]),
      ("byebye", "SSDP:ByeBye", [FieldBoundTests.byebye]), ("update", "SSDP:Update", [FieldBoundTests.update]),
    ]
    for row in rows {
      let said = Said.notify(row.kind, ["NTS": row.nts]).later(.at(5_000))
      expectEqual(violated(.alive(), said), row.breaks, "\(row.nts)")
    }
  }

  // MARK: - IPv6

  private static let template: [String: String] = [
    "HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]:49152/d.xml", "SERVER": "Linux/6.6 UPnP/1.1 Product/1.0",
    "OPT": "\"http://schemas.upnp.org/upnp/1/0/\"; ns=01", "01-NLS": "7",
  ]

  /// An alive over IPv6 with some of its fields replaced or taken away.
  private func signed(_ edits: [String: String?] = [:], to group: UInt64 = 0xFF02_0000_0000_0000) -> Said {
    func value(_ name: String) -> String? { edits[name] ?? FieldBoundTests.template[name] }
    let fields: KeyValuePairs<String, String?> = [
      "HOST": value("HOST"), "LOCATION": value("LOCATION"), "SERVER": value("SERVER"), "OPT": value("OPT"),
      "01-NLS": value("01-NLS"),
    ]
    return Said.alive(fields).overIPv6(to: IPAddress(v6High: group, low: 0xC))
  }

  @Test("multicast over IPv6 goes to one of three groups and its port, under the group in brackets")
  func groups() {
    let global = "http://[2001:db8::1]/d.xml"
    let rows: [(group: UInt64, tally: String)] = [
      (0xFF02_0000_0000_0000, "1 0 0"), (0xFF05_0000_0000_0000, "1 0 0"), (0xFF0E_0000_0000_0000, "1 0 0"),
      (0xFF03_0000_0000_0000, "0 1 0"), (0xFF08_0000_0000_0000, "0 1 0"), (0xFF02_0001_0000_0000, "0 1 0"),
      (0xFF02_0000_0000_0001, "0 1 0"), (0xFF02_8000_0000_0000, "0 1 0"),
    ]
    for row in rows {
      Said.expect(.group6, row.tally, [signed(["LOCATION": global], to: row.group)])
    }
    Said.expect(.group6, "0 1 0", [signed().with { $0.to.port = 1_901 }])
    Said.expect(.group6, "0 1 0", [signed().overIPv6(to: IPAddress(v6High: 0xFF02_0000_0000_0000, low: 0xD))])
    let hosts: [(host: String, tally: String)] = [
      ("[FF02::C]:1900", "1 0 0"), ("[ff05::c]:1900", "1 0 0"), ("[ff02::c]", "0 1 0"), ("[ff02::d]:1900", "0 1 0"),
      ("239.255.255.250:1900", "0 1 0"),
    ]
    for row in hosts { Said.expect(.host6, row.tally, [signed(["HOST": row.host])]) }
    // Over IPv4 nothing of it is asked.
    Said.expect(.group6, "0 0 0", [.alive()])
    Said.expect(.host6, "0 0 0", [.alive()])
  }

  @Test("LOCATION over IPv6 is an address of its family, and one of the link only where the group is no wider")
  func scopes() {
    let (link, wide) = ("http://[fe80::10]/d.xml", "http://[2001:db8::1]/d.xml")
    let rows: [(location: String, group: UInt64, tally: String)] = [
      (link, 0xFF01_0000_0000_0000, "1 0 0"), (link, 0xFF02_0000_0000_0000, "1 0 0"),
      (link, 0xFF03_0000_0000_0000, "0 1 0"), (link, 0xFF05_0000_0000_0000, "0 1 0"),
      (link, 0xFF0E_0000_0000_0000, "0 1 0"),
      (wide, 0xFF05_0000_0000_0000, "1 0 0"), ("http://192.168.1.10/d.xml", 0xFF02_0000_0000_0000, "0 1 0"),
      ("http://tv.local/d.xml", 0xFF05_0000_0000_0000, "0 0 0"), ("/d.xml", 0xFF05_0000_0000_0000, "0 0 0"),
    ]
    for row in rows { Said.expect(.location6, row.tally, [signed(["LOCATION": row.location], to: row.group)]) }
    let four: KeyValuePairs<String, String?> = ["HOST": "[FF02::C]:1900", "LOCATION": "http://192.168.1.1/d.xml"]
    Said.expect(.location6, "1 1 0", [signed(), Said.notify("update", four).overIPv6()])
    Said.expect(.location6, "1 0 0", [signed(), Said.notify("byebye", four).overIPv6()])
  }

  @Test("OPT and 01-NLS stand beside BOOTID over IPv6 under UDA 1.1 alone")
  func signatures() {
    func found(_ edits: [String: String?]) -> [String] {
      Said.judged([signed(edits)]).rows.map(\.finding).filter { $0.clause == .networkSignature }.map(\.found)
    }
    Said.expect(.networkSignature, "1 0 0", [signed()])
    expectEqual(found(["OPT": nil]), ["01-NLS alone"])
    expectEqual(found(["01-NLS": nil]), ["OPT alone"])
    expectEqual(found(["OPT": nil, "01-NLS": nil]), ["neither"])
    for version in ["1.0", "2.0"] {
      let edits: [String: String?] = ["OPT": nil, "SERVER": "Linux/6.6 UPnP/\(version) Product/1.0"]
      Said.expect(.networkSignature, "0 0 0", [signed(edits)])
    }
    let unbooted = signed(["OPT": nil]).with {
      $0.text = $0.text.replacing("BOOTID.UPNP.ORG: 7\r\n", with: "")
    }
    Said.expect(.networkSignature, "0 0 0", [unbooted])
    Said.expect(.networkSignature, "0 0 0", [.alive()])
    let update: KeyValuePairs<String, String?> = ["HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]/d.xml"]
    Said.expect(.networkSignature, "1 0 0", [signed(), Said.notify("update", update).overIPv6()])
  }

  @Test("HOST of a unicast search over IPv6 is the address in brackets, with its port or without 1900")
  func hosts() {
    func asked(_ host: String, port: UInt16 = 1_900) -> Said {
      Said.unicastSearch(["HOST": host]).with {
        $0.from = Endpoint(IPAddress(v6High: 0xFE80_0000_0000_0000, low: 0x20), port: 50_000)
        $0.to = Endpoint(IPAddress(v6High: 0xFE80_0000_0000_0000, low: 0x10), port: port)
      }
    }
    for host in ["[fe80::10]:1900", "[FE80::10]:1900", "[fe80::10]"] {
      Said.expect(.unicastSearchHost, "1 0 0", [asked(host)])
    }
    Said.expect(.unicastSearchHost, "0 1 0", [asked("[fe80::11]:1900")])
    Said.expect(.unicastSearchHost, "0 1 0", [asked("[fe80::10]:1901")])
  }
}
