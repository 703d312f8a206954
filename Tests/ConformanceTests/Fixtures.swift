import RollcallConformance
import RollcallPrimitives
import Testing

/// A talk that keeps a clause and one that breaks it.
struct Fixture: CustomTestStringConvertible {
  var clause: String
  var holds: [Said]
  var breaks: [Said]
  /// What the second talk breaks besides.
  var besides: [String] = []

  var testDescription: String { clause }
}

extension Fixture {
  /// Where no device with a bad habit breaks a clause, or somebody else than a device does.
  static let all: [Fixture] = messages + searches + ipv6

  private static let messages: [Fixture] = [
    Fixture(clause: "UDA-1.2.2-ONE-DGRAM", holds: [.alive()], breaks: [Said.alive().with { $0.fragments = 3 }]),
    Fixture(
      clause: "UDA-1.2-GROUP4", holds: [.alive(), .search(), .unicastSearch()],
      breaks: [Said.search().with { $0.to = Endpoint(IPAddress(255, 255, 255, 255), port: 1_900) }]),
    Fixture(
      clause: "UDA-1.1-GENERIC", holds: [.search()],
      breaks: [Said.search().with { $0.text = $0.text.replacing("\r\n", with: "\n") }]),
    Fixture(
      clause: "UDA-1.1-BLANKLINE", holds: [.search()],
      breaks: [Said.search().with { $0.text.removeLast() }]),
    Fixture(
      clause: "UDA-1.1.1-STARTLINE", holds: [.search()],
      breaks: [Said.search().with { $0.text = $0.text.replacing("M-SEARCH", with: "m-search") }]),
    Fixture(
      clause: "UDA-1.1-NOBODY", holds: [.search(["CONTENT-LENGTH": "0"])], breaks: [.search(["CONTENT-LENGTH": "2"])]),
    Fixture(
      clause: "UDA-1.1.3-VENDORNAME",
      holds: [.alive(["house.rollcall-example.org": "1", "Content-Type": "text/xml", "02-NLS": "1"])],
      breaks: [.alive(["hue-bridgeid": "1"])]),
    Fixture(
      clause: "UDA-1.2.2-A-SEARCHPORT", holds: [.alive(["SEARCHPORT.UPNP.ORG": "49152"])],
      breaks: [.alive(["SEARCHPORT.UPNP.ORG": "1900"])]),
    Fixture(
      clause: "UDA-1.2.2-A-SECLOC", holds: [.alive(["SECURELOCATION.UPNP.ORG": "https://192.168.1.10/d.xml"])],
      breaks: [.alive(["SECURELOCATION.UPNP.ORG": "http://192.168.1.10/d.xml"])]),
    Fixture(
      clause: "UDA-1.2.2-CFG-RANGE", holds: [.alive(["CONFIGID.UPNP.ORG": "16777215"])],
      breaks: [.alive(["CONFIGID.UPNP.ORG": "16777216"])]),
    Fixture(
      clause: "UDA-1.2.2-A-CONFIGID", holds: [.alive()], breaks: [.alive(["CONFIGID.UPNP.ORG": nil])]),
    Fixture(
      clause: "UDA-1.2.2-BOOT-INT31", holds: [.alive(["BOOTID.UPNP.ORG": "2147483647"])],
      breaks: [.alive(["BOOTID.UPNP.ORG": "2147483648"])]),
    Fixture(
      clause: "UDA-1.2.4-UPD-FIELDS", holds: [.notify("update")],
      breaks: [.notify("update", ["NEXTBOOTID.UPNP.ORG": nil])]),
    Fixture(
      clause: "UDA-1.3.3-FIELDS", holds: [.search(), .answer()],
      breaks: [.search(), .answer(["EXT": "something"])]),
    Fixture(
      clause: "UDA-1.3.3-NO-ERROR", holds: [.search(), .answer()],
      breaks: [
        .search(), Said.answer().with { $0.text = $0.text.replacing("200 OK", with: "412 Precondition Failed") },
      ], besides: ["UDA-1.1.1-STARTLINE"]),
  ]

  private static let searches: [Fixture] = [
    Fixture(
      clause: "UDA-1.3.2-HOST-MC", holds: [.search()], breaks: [.search(["HOST": "0.0.0.0:1900"])]),
    Fixture(clause: "UDA-1.3.2-MAN", holds: [.search()], breaks: [.search(["MAN": "ssdp:discover"])]),
    Fixture(clause: "UDA-1.3.2-MX-PRESENT", holds: [.search(["MX": "1"])], breaks: [.search(["MX": "0"])]),
    Fixture(clause: "UDA-1.3.2-MX-MAX5", holds: [.search(["MX": "5"])], breaks: [.search(["MX": "10"])]),
    Fixture(
      clause: "UDA-1.3.2-ST", holds: [.search(["ST": "urn:rollcall-example:service:Presence:1"])],
      breaks: [.search(["ST": "roku:ecp"])]),
    Fixture(clause: "UDA-1.3.2-CPFN", holds: [.search()], breaks: [.search(["CPFN.UPNP.ORG": nil])]),
    Fixture(
      clause: "UDA-1.3.2-TCPPORT", holds: [.search(["TCPPORT.UPNP.ORG": "65535"])],
      breaks: [.search(["TCPPORT.UPNP.ORG": "8080"])]),
    Fixture(
      clause: "UDA-1.3.2-UC-HOST", holds: [.unicastSearch(), .unicastSearch(["HOST": "192.168.1.10"])],
      breaks: [.unicastSearch(["HOST": "239.255.255.250:1900"])]),
    Fixture(clause: "UDA-1.3.2-UC-NOMX", holds: [.unicastSearch()], breaks: [.unicastSearch(["MX": "3"])]),
  ]

  private static let signed: KeyValuePairs<String, String?> = [
    "HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]:49152/d.xml", "SERVER": "Linux/6.6 UPnP/1.1 Product/1.0",
    "OPT": "\"http://schemas.upnp.org/upnp/1/0/\"; ns=01", "01-NLS": "7",
  ]

  private static let ipv6: [Fixture] = [
    Fixture(
      clause: "UDA-A-GROUP6", holds: [Said.alive(signed).overIPv6()],
      breaks: [
        Said.alive(signed).overIPv6(to: IPAddress(v6High: 0xFF02_0000_0000_0000, low: 0xFB))
      ]),
    Fixture(
      clause: "UDA-A-HOST6", holds: [Said.alive(signed).overIPv6()],
      breaks: [
        Said.search(["HOST": "239.255.255.250:1900"]).overIPv6()
      ]),
    Fixture(
      clause: "UDA-A-LOC6", holds: [Said.alive(signed).overIPv6()],
      breaks: [Said.alive(signed).overIPv6(to: .ssdpGroup6Site)]),
    Fixture(
      clause: "UDA-A-NLS", holds: [Said.alive(signed).overIPv6()],
      breaks: [
        Said.alive([
          "HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]:49152/d.xml",
          "SERVER": "Linux/6.6 UPnP/1.1 Product/1.0",
        ]).overIPv6()
      ]),
  ]
}
