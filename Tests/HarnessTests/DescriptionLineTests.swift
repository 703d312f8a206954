import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import Testing

/// What came of a description, as a JSON line and read back.
@Suite("Descriptions in lines") struct DescriptionLineTests {
  private static let head =
    #"{"schema":"rollcall/1","kind":"report","time":"12.500000000","frame":3,"layer":"ssdp","event":"description","#

  private func fetch(
    location: String? = "http://192.168.1.20/d.xml", interface: UInt16 = 1, redirects: [String] = [],
    _ outcome: DescriptionFetch.Outcome
  ) -> DescriptionFetch {
    DescriptionFetch(
      device: "uuid:a", location: location, cause: .bootID, interface: InterfaceID(interface),
      duration: .milliseconds(1_250), redirects: redirects, outcome: outcome)
  }

  /// Compares the line of a report, and what is read of it where interfaces have no names.
  private func check(_ fetch: DescriptionFetch, interfaces: [String] = [], _ wanted: String) {
    let report = Report.description(fetch)
    let line = ReportLine.json(report, time: "12.500000000", frame: 3, interfaces: interfaces)
    expectEqual(line, DescriptionLineTests.head + wanted)
    if !interfaces.isEmpty { return }
    let read = WrittenReport(line: line)
    expectEqual(read, WrittenReport(report, time: Instant(nanoseconds: 12_500_000_000), place: 3), "\(line)")
    // One outcome is not read as the other.
    for (outcome, other) in [("fetched", "failed"), ("failed", "fetched"), ("fetched", "x"), ("failed", "x")] {
      let changed = line.replacing("\"outcome\":\"\(outcome)\"", with: "\"outcome\":\"\(other)\"")
      #expect(changed == line || WrittenReport(line: changed) == nil, "\(changed)")
    }
  }

  @Test("A document is told with its length and its digest, and reads back")
  func fetched() {
    let abc = Array("abc".utf8)
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    check(
      fetch(
        redirects: ["http://192.168.1.20/e.xml", "http://192.168.1.20/f.xml"],
        .fetched(
          DescriptionFetch.Document(
            status: 200, body: abc, contentType: "text/xml", applicationURL: "http://192.168.1.20/apps"))),
      #""device":"uuid:a","location":"http://192.168.1.20/d.xml","interface":1,"cause":"bootID","#
        + #""seconds":"1.250000000","redirects":["http://192.168.1.20/e.xml","http://192.168.1.20/f.xml"],"#
        + #""outcome":"fetched","status":200,"bytes":3,"sha256":"\#(digest)","contentType":"text/xml","#
        + #""applicationURL":"http://192.168.1.20/apps"}"#)
    check(
      fetch(interface: 0, .fetched(DescriptionFetch.Document(status: 203, body: abc, contentType: nil))),
      #""device":"uuid:a","location":"http://192.168.1.20/d.xml","interface":0,"cause":"bootID","#
        + #""seconds":"1.250000000","redirects":[],"outcome":"fetched","status":203,"bytes":3,"sha256":"\#(digest)","#
        + #""contentType":null}"#)
  }

  @Test("A failure is told with its status and why, and reads back; an interface has its name where it has one")
  func failed() {
    let failure = DescriptionFetch.Outcome.failed(
      DescriptionFetch.Failure(.status, status: 404, "404, not 200"))
    let tail =
      #""cause":"bootID","seconds":"1.250000000","redirects":[],"outcome":"failed","status":404,"reason":"status","#
      + #""explanation":"404, not 200"}"#
    let place = #""device":"uuid:a","location":"http://192.168.1.20/d.xml","#
    check(fetch(failure), place + #""interface":1,"# + tail)
    check(fetch(failure), interfaces: ["eth0", "eth1"], place + #""interface":"eth1","# + tail)
    check(fetch(interface: 2, failure), interfaces: ["eth0", "eth1"], place + #""interface":2,"# + tail)
    check(
      fetch(location: nil, .failed(DescriptionFetch.Failure(.noLocation, "no LOCATION"))),
      #""device":"uuid:a","location":null,"interface":1,"cause":"bootID","seconds":"1.250000000","redirects":[],"#
        + #""outcome":"failed","status":null,"reason":"noLocation","explanation":"no LOCATION"}"#)
  }
}
