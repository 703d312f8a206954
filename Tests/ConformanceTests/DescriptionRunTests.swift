import RollcallConformance
import RollcallDevices
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

/// Runs in which the engine fetches descriptions: what the judge hears of them in the trace.
@Suite("Descriptions in runs")
struct DescriptionRunTests {
  /// A device with an embedded one is renamed, and restarted later, so that its description is fetched three times.
  private static func resolved(_ quirk: String?) throws -> Resolved {
    let quirks = quirk.map { ", quirks: [\($0)]" } ?? ""
    let text = """
      scenario: Described
      duration: 5m
      engine: {descriptions: fetch}
      inhabitants:
        tv:
          {kind: root-device, device-type: "urn:schemas-upnp-org:device:MediaServer:1", \
      services: ["urn:schemas-upnp-org:service:ConnectionManager:1"], \
      embedded: [{type: "urn:schemas-upnp-org:device:MediaRenderer:1", \
      services: ["urn:schemas-upnp-org:service:ConnectionManager:1", "urn:schemas-upnp-org:service:AVTransport:1"]}]\
      \(quirks)}
      timeline:
        - {at: 1m, rename: {who: tv, to: Lantern}}
        - {at: 2m, reboot: tv}
        - {at: 3m, reconfigure: tv}
      """
    return try Scenario(yaml: text, file: "x.yaml").resolved()
  }

  private static func judged(_ quirk: String?) throws -> Judgement {
    let resolved = try resolved(quirk)
    let result = Run.perform(
      resolved, seed: Seed(1), options: RunOptions(recordedHosts: Array(resolved.hosts.indices)))
    return TraceHearing.judgement(result.trace, hosts: resolved.hosts.map(\.name), end: resolved.end)
  }

  private static let described: [ClauseID] = [.servicePerDevice, .usnOwner, .usnUDN, .configIDChange]

  @Test("a correct device keeps all four clauses, whatever happens to its description")
  func correct() throws {
    let judgement = try DescriptionRunTests.judged(nil)
    expectEqual(judgement.violated, [])
    for clause in DescriptionRunTests.described { #expect(judgement.total(clause).held > 0, "\(clause.clause.id)") }
  }

  /// A quirk, and the clauses that it breaks where descriptions are fetched.
  static let rows: [(quirk: String, clauses: [String])] = [
    ("descriptionOtherUDN", ["UDA-1.2.2-USN-UDN"]),
    ("servicesUnderRoot", ["UDA-1.2.2-SVC-PERDEV", "UDA-1.2.2-USN-OWNER"]),
    ("configIDKept", ["UDA-1.2.2-CFG-CHANGE"]),
    ("descriptionKeepsConfigID", ["UDA-1.2.2-CFG-CHANGE"]),
    ("rootOnly", ["UDA-1.2.2-ROOT3", "UDA-1.2.2-EMB2", "UDA-1.2.2-SVC-PERDEV"]),
    ("uuidChangesOnReboot", ["UDA-1.1.4-UUID-STABLE"]),
    ("upperCaseUUID", []),
    ("twoLocations", []),
    ("descriptionChunked", []),
    ("descriptionRedirects", []),
    ("descriptionTruncated", []),
    ("descriptionWrongType", []),
  ]

  @Test("a bad habit breaks the clauses that ask for the rule, and no others", arguments: rows.indices)
  func caught(number: Int) throws {
    let row = DescriptionRunTests.rows[number]
    let judgement = try DescriptionRunTests.judged(row.quirk)
    expectEqual(judgement.violated, row.clauses, "\(row.quirk): \(judgement.lines.joined(separator: "\n"))")
  }

  @Test("a type that the description does not have is told, and breaks nothing (D52)")
  func otherType() throws {
    let judgement = try DescriptionRunTests.judged("descriptionOtherType")
    expectEqual(judgement.violated, [])
    expectEqual(
      judgement.rows.filter { $0.clause.number == .usnOwner }.map(\.finding.expected),
      ["no device of the description is of this type, or has a service of it"])
  }
}
