import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import Testing

/// What the manager tells of a device, as a JSON line and read back.
@Suite struct ManagedLineTests {
  private static var device: ManagerReport.State {
    var television = ManagerReport.Part(address: .ip(IPAddress(192, 168, 1, 20)))
    (television.name, television.model, television.manufacturer) = ("Den \u{1b}[2J", "OLED55C1", "LG")
    (television.modelDescription, television.modelNumber) = ("a \"television\"", "1.0")
    television.location = "http://192.168.1.20:7676/d.xml"
    television.applicationURL = "http://192.168.1.20:7676/apps"
    var stick = ManagerReport.Part(address: .ip(IPAddress(192, 168, 1, 21)))
    (stick.port, stick.uuid) = (8_009, "00000000000040008000000000000001")
    return ManagerReport.State(
      name: "Den", address: television.address,
      services: [.init(id: "DLNA", owner: "uuid:a"), .init(id: "Cast", owner: "peer:b", part: 1)],
      members: ["uuid:a", "peer:b"], evidence: ["host tv.local"], parts: [television, stick])
  }

  private func read(_ line: String) -> WrittenReport? { WrittenReport(line: line) }

  @Test("a device reads back as it was written, with its parts and without")
  func reads() {
    var plain = ManagedLineTests.device
    plain.parts = []
    plain.services = [ManagerReport.Service(id: "DLNA", owner: "uuid:a")]
    for state in [ManagedLineTests.device, plain, ManagerReport.State()] {
      let report = Report.managed(ManagerReport("id", .updated, state))
      let line = ReportLine.json(report, time: "12.500000000", frame: nil)
      expectEqual(read(line), WrittenReport(report, time: Instant(nanoseconds: 12_500_000_000), place: nil), "\(line)")
    }
  }

  @Test("what happened to a device stands in its line, and reads back")
  func events() {
    let state = ManagerReport.State(name: "Den", model: "OLED", manufacturer: "LG")
    let known =
      #""name":"Den","model":"OLED","manufacturer":"LG","services":[],"capabilities":[],"members":[],"evidence":[]"#
    let session = LaunchSession(appID: "YouTube", sessionID: "run", serviceID: "DIAL", kind: .app)
    let failure = ConnectionFailure(.status, status: 503, "503")
    let events: [(ManagerReport.Event, String)] = [
      (.found(isKnown: true), #""what":"found","isKnown":true"#),
      (.found(isKnown: false), #""what":"found","isKnown":false"#),
      (.lost, #""what":"lost""#), (.remembered, #""what":"remembered""#),
      (
        .capabilities(added: [Capability("A.B"), Capability("A.C")], removed: [Capability("D")]),
        #""what":"capabilities","added":["A.B","A.C"],"removed":["D"]"#
      ),
      (.connection(.ready), #""what":"ready""#),
      (.connection(.disconnected(.linkLost)), #""what":"disconnected","cause":"linkLost""#),
      (
        .connection(.failed(failure)),
        #""what":"connection-failed","reason":"status","status":503,"explanation":"503""#
      ),
      (
        .connection(.failed(ConnectionFailure(.timedOut, "late"))),
        #""what":"connection-failed","reason":"timedOut","explanation":"late""#
      ),
      (
        .connection(.pairingRequired(service: "webOS TV", .pin)),
        #""what":"pairing-required","service":"webOS TV","pairing":"pin""#
      ),
      (
        .connection(.paired(RememberedKey(owner: "uuid:a", service: "webOS TV", key: "1234"))),
        #""what":"paired","service":"webOS TV","owner":"uuid:a","key":"1234""#
      ),
      (
        .app(AppReport(request: 7, .launched(session))),
        #""what":"app","request":7,"outcome":"launched","app":"YouTube","session":"run","service":"DIAL""#
      ),
      (
        .app(AppReport(request: 8, .failed(failure))),
        #""what":"app","request":8,"outcome":"failed","reason":"status","status":503,"explanation":"503""#
      ),
    ]
    for (event, wanted) in events {
      let report = Report.managed(ManagerReport("id", event, state))
      let line = ReportLine.json(report, time: "12.500000000", frame: nil)
      expectEqual(
        line,
        #"{"schema":"rollcall/1","kind":"report","time":"12.500000000","frame":null,"layer":"manager","#
          + #""event":"managed","device":"id","managed":{"# + wanted + "," + known + "}}")
      expectEqual(read(line), WrittenReport(report, time: Instant(nanoseconds: 12_500_000_000), place: nil), "\(line)")
    }
  }

  @Test("a device of which nothing is known has no name, and a failure of its store is the manager's")
  func nothingKnown() {
    let head = #"{"schema":"rollcall/1","kind":"report","time":"12.500000000","frame":null,"layer":"manager","event":"#
    let lost = Report.managed(ManagerReport("id", .lost, ManagerReport.State()))
    expectEqual(
      ReportLine.json(lost, time: "12.500000000", frame: nil),
      head + #""managed","device":"id","managed":{"what":"lost","name":null,"services":[],"capabilities":[],"#
        + #""members":[],"evidence":[]}}"#)
    let failed = Report.failed(Failure(reason: .store, explanation: "the disk is full"))
    expectEqual(
      ReportLine.json(failed, time: "12.500000000", frame: nil),
      head + #""failed","cause":"store","explanation":"the disk is full"}"#)
  }

  @Test("a part that is not there, and an address that is none, are no device")
  func refused() {
    let report = Report.managed(ManagerReport("id", .updated, ManagedLineTests.device))
    let line = ReportLine.json(report, time: "0.000000000", frame: nil)
    for (text, other) in [("\"part\":1", "\"part\":2"), ("\"part\":1", "\"part\":-1"), ("168.1.21", "168.1.x")] {
      let changed = line.replacing(text, with: other)
      #expect(changed != line && read(changed) == nil, "\(changed)")
    }
  }
}
