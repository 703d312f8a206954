import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Testing

/// Expectations with a check for each of several devices, and reports that come at one instant.
@Suite("Several checks of one expectation")
struct SeveralChecksTests {
  private func answers(_ expectations: [String], in world: String = ExpectationBoundTests.town) throws -> [String] {
    try ExpectationBoundTests.run(expectations, in: world).verdicts.map(ExpectationBoundTests.answer)
  }

  @Test("what happened to one of them has happened, whichever that is; where it happened to none, nobody was tested")
  func upperBounds() throws {
    #expect(
      try answers([
        // The television is lost twice and the lamp is not; then the lamp alone is found.
        "{lost: each, within: 0s..10s, times: 0..5}", "{found: each, within: 2500ms..3500ms, times: 0..1}",
        "{lost: each, within: 0s..3s, times: 0..5}", "{lost: each, within: 0s..10s, times: 0..1}",
      ]) == [
        "held", "held", "vacuous it never happened, which breaks no upper bound", "violated 2×: 4, 8",
      ])
  }

  @Test("windows that the run cuts off are counted, the first check that is open is told, and a breach outweighs it")
  func openWindows() throws {
    let open = "vacuous the run ended before each of its 2 windows did, 3 cut"
    #expect(
      try answers([
        // Of the two windows after the television was lost one ends in the run.
        "{never: {rejected: any}, after: {lost: tv, within: 33s}}",
        "{found: each, after: {lost: each, within: 37s}, times: 1..2}",
        "{never: {changed: each}, after: {lost: each, within: 37s}}",
        // The lamp is lost in its window, after the television has left its three open.
        "{lost: each, after: {found: each, within: 20s..39s}, times: 0}",
        "{never: {lost: each}, after: {found: each, within: 20s..39s}}",
      ]) == ["held, 1 cut", open, open, "violated 1×: 40, 3 cut", "violated lost lamp byebye, 3 cut"])
  }

  private static func world(_ lines: [(String, String)]) -> String {
    "scenario: What one host says\nduration: 9s\ninhabitants:\n"
      + ExpectationBoundTests.script(lines.map { ($0.0, "192.168.1.66", $0.1) })
  }

  private static func alive(_ uuid: String) -> String {
    TinyCapture.alive(uuid, location: "http://192.168.1.66/")
  }

  @Test("names are the same in small letters and in capitals, from A to Z, and signs beside the letters are themselves")
  func identities() throws {
    let world = Self.world([
      ("1s", Self.alive("k[")), ("2s", Self.alive("k@")), ("3s", Self.alive("kZ")), ("4s", Self.alive("aK")),
    ])
    let never = "violated it never happened"
    try expectEqual(
      answers(
        [
          #"{found: "uuid:K[", times: 1}"#, #"{found: "uuid:k{"}"#, #"{found: "uuid:K@"}"#, #"{found: "uuid:k`"}"#,
          #"{found: "uuid:Kz"}"#, #"{found: "uuid:Ak", times: 1}"#, #"{found: "uuid:aJ"}"#, #"{found: "uuid:aKK"}"#,
          #"{found: "uuid:a"}"#,
        ], in: world), ["held", never, "held", never, "held", "held", never, never, never])
  }

  @Test("of one instant, reports of devices stand before refusals, and all else is in order of time")
  func evidence() throws {
    let lines = [
      ("1s", "x\n"), ("2s", Self.alive("a")), ("3s", "x\n"), ("3s", Self.alive("b")), ("3s", "y\n"),
      ("3s", Self.alive("c")), ("4s", "z\n"), ("5s", TinyCapture.byebye("a")),
    ]
    let result = try ExpectationBoundTests.run(["{found: any}"], in: Self.world(lines))
    let told = result.evidence.reports.map { entry -> String in
      let words = ReportText.line(entry.report).split(separator: " ").prefix(2).joined(separator: " ")
      return ExpectationBoundTests.short("\(entry.time) \(words)")
    }
    expectEqual(
      told,
      [
        "1 rejected startLine", "2 found uuid:a", "3 found uuid:b", "3 found uuid:c", "3 rejected startLine",
        "3 rejected startLine", "4 rejected startLine", "5 lost uuid:a",
      ])
    #expect(result.rejections.map(\.reason) == [.startLine] && result.rejections.map(\.count) == [4])
  }
}
