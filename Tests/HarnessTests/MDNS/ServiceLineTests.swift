import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace
import Testing

/// A service as a JSON line, as a line for people, and in the table of a live run.
@Suite("Lines of services") struct ServiceLineTests {
  private func service(_ port: UInt32 = 631, _ txt: String? = "rp=a; ty=\u{202E}\\027", _ name: String = "P")
    -> DeviceSighting
  {
    var device = DeviceSighting(
      device: "peer:P._ipp._tcp.local", provider: .peers, locator: Locator(.ip(IPAddress(10, 0, 0, 1))),
      attributes: [
        DeviceAttribute(.name, .text(name)), DeviceAttribute(.services, .text("_ipp._tcp.local")),
        DeviceAttribute(.host, .text("p.local")), DeviceAttribute(.port, .number(port)),
      ])
    device[.txt] = txt.map { .text($0) }
    return device
  }

  @Test("every report of a service reads back as it was written, and its line has nothing hidden in it")
  func lines() throws {
    let changes: [Change] = [
      .attribute(.host, from: .text("q.local")), .attribute(.port, from: .number(0)),
      .attribute(.txt, from: nil), .attribute(.txt, from: .text("")), .attribute(.port, from: nil),
      .address(from: .ip(IPAddress(10, 0, 0, 2))),
    ]
    var reports: [Report] = [service(), service(0, nil), service(65_535, "")].map { .found($0) }
    reports += changes.map { .changed(service(), $0) }
    reports.append(.failed(Failure(reason: .invalidBrowse, explanation: "x is no type")))
    for report in reports {
      let line = ReportLine.json(report, time: "12.500000000", frame: nil)
      #expect(line.contains("\"layer\":\"peers\""), "\(line)")
      #expect(!line.unicodeScalars.contains { PlainText.isHidden($0) }, "\(line)")
      let read = try #require(WrittenReport(line: line), "\(line)")
      expectEqual(read, WrittenReport(report, time: Instant(nanoseconds: 12_500_000_000), place: nil))
    }
    expectEqual(
      ReportText.line(.changed(service(80, nil), .attribute(.port, from: .number(631)))),
      "changed peer:P._ipp._tcp.local 10.0.0.1 name P services _ipp._tcp.local host p.local port 80 port from 631")
  }

  @Test("interfaces are called what they are called on the machine, and have a number where nobody knows")
  func interfaces() {
    let tv = DeviceSighting(
      device: "uuid:tv", location: "http://10.0.0.9/d", source: IPAddress(10, 0, 0, 9), interface: InterfaceID(1),
      bootID: nil)
    let refused = Report.failed(Failure(reason: .cannotJoin, interface: InterfaceID(1), explanation: "Ask."))
    for (names, name) in [([], "if1"), (["eth0"], "if1"), (["eth0", "wlan0"], "wlan0")] {
      expectEqual(
        ReportText.line(.found(tv), interfaces: names), "found uuid:tv http://10.0.0.9/d 10.0.0.9 \(name)")
      expectEqual(
        ReportText.line(.changed(tv, .united(part: "uuid:x")), interfaces: names),
        "changed uuid:tv http://10.0.0.9/d 10.0.0.9 \(name) united uuid:x")
      expectEqual(ReportText.line(refused, interfaces: names), "failed cannotJoin \(name)")
    }
  }

  @Test("the table shows host, port and text of a service, shows what changes, and nothing that moves a terminal")
  func table() {
    var table = DeviceTable()
    func row() -> String {
      let lines = table.lines(at: .zero + .seconds(9), title: "eth0", rows: 30, columns: 200)
      return lines.dropFirst(3).first { $0.hasPrefix("peer:") } ?? ""
    }
    table.take(.found(service(631, "a=\u{1B}[2J")), at: .zero + .seconds(1))
    expectEqual(
      row(),
      "peer:P._ipp._tcp.local  10.0.0.1         0        8 s     p.local:631  a=\\x1b[2J")
    table.take(.changed(service(80, nil), .attribute(.port, from: .number(631))), at: .zero + .seconds(2))
    #expect(row().hasSuffix("p.local:80"))
    table.take(.lost(device: "peer:P._ipp._tcp.local", cause: .byebye), at: .zero + .seconds(3))
    expectEqual(row(), "")
  }
}
