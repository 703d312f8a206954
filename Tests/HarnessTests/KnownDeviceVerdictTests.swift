import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Testing

/// `again` of an expectation: that the engine says that it knows a device is not enough.
@Suite("Verdicts on devices that come back") struct KnownDeviceVerdictTests {
  private static func found(_ id: String, _ owner: String, known: Bool) -> Report {
    .managed(
      ManagerReport(
        id, .found(isKnown: known),
        ManagerReport.State(services: [ManagerReport.Service(id: "DIAL", owner: owner)], members: [owner])))
  }

  private func outcome(_ reports: [Report], _ rest: String) throws -> Verdict.Outcome? {
    let yaml =
      "scenario: a\nduration: 60s\nengine: {manager: {}}\ninhabitants: {tv: {kind: root-device, uuid: "
      + "00000000-0000-4000-8000-0000000000a1}}\nexpect: [{device-found: tv, \(rest), at: 9s}]\n"
    let resolved = try Scenario(yaml: yaml, file: "x.yaml").resolved()
    let times = reports.indices.map { Instant.zero + .seconds($0 == reports.count - 1 ? 9 : 1) }
    let evidence = Judge.Evidence(
      reports: zip(times, reports).map { TimedReport(time: $0, station: 0, report: $1) }, entriesPeak: 0,
      devicesPeak: 0, presentAtConvergence: [], presentAtEnd: [], end: resolved.end)
    return try #require(resolved.expectations.first.map { Judge(evidence).verdict(on: $0) })?.outcome
  }

  private static let tv = "uuid:00000000-0000-4000-8000-0000000000A1"

  @Test("an id of before was told before, for this device if the application was told of it")
  func again() throws {
    let known = Self.found("1", Self.tv, known: true)
    expectEqual(try outcome([Self.found("1", Self.tv, known: false), known], "again: true"), .held)
    // The device was told under another UUID, of which this one is a second name.
    expectEqual(try outcome([Self.found("1", "uuid:b", known: false), known], "again: true"), .held)
    expectEqual(try outcome([known], "again: true"), .violated)
    expectEqual(try outcome([Self.found("2", Self.tv, known: false), known], "again: true"), .violated)
    let others = [Self.found("2", Self.tv, known: false), Self.found("1", "uuid:b", known: false)]
    expectEqual(try outcome(others + [known], "again: true"), .violated)
    let claimed = Self.found("1", Self.tv, known: false)
    expectEqual(try outcome([claimed, claimed], "again: true"), .violated)
  }

  @Test("a new id was never told, to whatever device it belonged")
  func new() throws {
    let new = Self.found("1", Self.tv, known: false)
    expectEqual(try outcome([new], "again: false"), .held)
    expectEqual(try outcome([Self.found("2", Self.tv, known: false), new], "again: false"), .held)
    expectEqual(try outcome([Self.found("1", "uuid:b", known: false), new], "again: false"), .violated)
    expectEqual(try outcome([Self.found("1", Self.tv, known: true)], "again: false"), .violated)
  }
}
