import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import Testing

/// What the manager tells of apps and web apps, in JSON lines and in words.
@Suite("Lines of what becomes of apps") struct AppLineTests {
  private static let session = LaunchSession(appID: "quiz", sessionID: "run-1", serviceID: "webOS TV", kind: .webApp)
  private static let failure = ConnectionFailure(.busy, status: 503, "expected less")
  private static let outcomes: [AppReport.Outcome] = [
    .launched(session), .joined(LaunchSession(appID: "a", sessionID: "b", serviceID: "DIAL")), .state(.hidden), .closed,
    .sent, .left, .failed(failure),
  ]
  private static let said: [WebAppReport.Event] = [
    .said(.text("hello")), .said(.text("")), .said(.json("{\"a\":\"\u{202E}\"}")), .ended,
  ]

  @Test("each is different, and reads back as the same report")
  func readBack() throws {
    var events: [ManagerReport.Event] = AppLineTests.outcomes.map { .app(AppReport(request: 7, $0)) }
    events += AppLineTests.said.map { .webApp(WebAppReport(AppLineTests.session, $0)) }
    var lines: Set<String> = []
    for event in events {
      let report = Report.managed(ManagerReport("id", event, ManagerReport.State(name: "Den", members: ["uuid:a"])))
      let line = ReportLine.json(report, time: "12.500000000", frame: 3)
      #expect(lines.insert(line).inserted, "twice: \(line)")
      let read = try #require(WrittenReport(line: line), "\(line)")
      expectEqual(read, WrittenReport(report, time: Instant(nanoseconds: 12_500_000_000), place: 3))
    }
  }

  @Test("a line and its words say what people would look for, of a long message the beginning")
  func words() {
    func text(_ event: WebAppReport.Event) -> String {
      ReportText.line(
        .managed(
          ManagerReport(
            "id", .webApp(WebAppReport(AppLineTests.session, event)), ManagerReport.State(name: "Den"))))
    }
    expectEqual(text(.said(.text("hello"))), "device Den the web app quiz says hello")
    expectEqual(text(.said(.json("[1]"))), "device Den the web app quiz says [1]")
    expectEqual(text(.ended), "device Den the web app quiz says no more")
    let long = String(repeating: "x", count: 60)
    expectEqual(text(.said(.text(long))), "device Den the web app quiz says \(long)")
    expectEqual(text(.said(.text(long + "y"))), "device Den the web app quiz says \(long)…")
    let report = ManagerReport(
      "id", .webApp(WebAppReport(AppLineTests.session, .said(.text("hi")))), ManagerReport.State(name: "Den"))
    expectEqual(
      ReportLine.object(.managed(report)),
      #"{"layer":"manager","event":"managed","device":"id","managed":{"what":"web-app","app":"quiz","session":"run-1","#
        + #""service":"webOS TV","type":"webapp","text":"hi","name":"Den","services":[],"capabilities":[],"#
        + #""members":[],"evidence":[]}}"#)
  }
}
